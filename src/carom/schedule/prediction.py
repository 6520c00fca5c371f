"""Checks by prediction: each pair is checked again when the lower bound of its time of impact has passed."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from carom import validate
from carom.schedule.system import Sighting, System, in_order


@dataclass(frozen=True)
class Prediction:
    """Check a pair only when it may touch, by a lower bound of its time of impact; no contact is missed.

    Parameters
    ----------
    near : float
        Distance that counts as contact, m.
    tentative : float, optional
        Length of a tentative step, s, in which only pairs whose swept boxes overlap are predicted (Mirtich). None:
        every pair has a prediction from the start.
    """

    near: float = 1e-6
    tentative: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "near", validate.positive("near", self.near))
        if self.tentative is not None:
            object.__setattr__(self, "tentative", validate.positive("tentative", self.tentative))

    def run(self, system: System, until: float) -> list[Sighting]:
        """Return the first sighting of each pair from the system's start to `until`, s, in time order; never late."""
        end = validate.moment("until", until)
        found: dict[tuple[int, int], Sighting] = {}
        begin = system.start
        while begin <= end:
            stop = end if self.tentative is None else min(begin + self.tentative, end)
            pairs = system.pairs() if self.tentative is None else system.boxes_meet(begin, stop)
            self._between(system, [p for p in pairs if p not in found], begin, stop, found)
            if stop == end:
                break
            begin = stop
        return in_order(found.values())

    def _between(
        self,
        system: System,
        pairs: list[tuple[int, int]],
        begin: float,
        end: float,
        found: dict[tuple[int, int], Sighting],
    ) -> None:
        """Follow the pairs from `begin` to `end`: always the one whose next check is due first."""
        due = [(begin, i, j) for i, j in pairs]
        heapq.heapify(due)
        while due:
            t, i, j = heapq.heappop(due)
            gap = system.apart(i, j, t)
            if gap <= self.near:
                found[i, j] = Sighting(t, system.ids[i], system.ids[j], gap)
                continue
            following = t + self._safe(system, i, j, t, gap - 0.5 * self.near, end - t)
            if following < end:
                heapq.heappush(due, (following, i, j))
            elif t < end:
                heapq.heappush(due, (end, i, j))

    @staticmethod
    def _safe(system: System, i: int, j: int, t: float, room: float, longest: float) -> float:
        """Seconds within which rows i and j surely close by no more than `room`."""
        tau = longest
        while tau > 0.0:
            used = system.closing(i, j, t, tau)
            if used <= room:
                return tau
            tau *= min(room / used, 0.999)
        return tau
