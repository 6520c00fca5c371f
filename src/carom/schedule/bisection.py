"""Checks at fixed intervals with bisection: no overlap remains, but a pass between two checks is still missed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from carom import validate
from carom.schedule.system import Sighting, System, stepped


@dataclass(frozen=True)
class Bisection:
    """Check all pairs at fixed intervals, and bisect the interval before an overlap.

    The reported time is that of the earliest separated state found. A pair that overlaps at the start is reported
    there.

    Parameters
    ----------
    step : float
        Interval between checks, s.
    near : float
        The bisection ends when the pair is apart by at most this distance, m.
    """

    step: float
    near: float = 1e-6

    def __post_init__(self) -> None:
        object.__setattr__(self, "step", validate.positive("step", self.step))
        object.__setattr__(self, "near", validate.positive("near", self.near))

    def run(self, system: System, until: float) -> list[Sighting]:
        """Return the first sighting of each pair from the system's start to `until`, s, in time order."""
        return stepped(system, self.step, until, partial(self._backed_up, system))

    def _backed_up(self, system: System, i: int, j: int, before: float, after: float) -> Sighting:
        """Invariant: apart at `before`, touching at `after`. Halving ends at the resolution of time."""
        gap = system.apart(i, j, before)
        while gap > self.near:
            middle = 0.5 * (before + after)
            if middle in (before, after):
                break
            free = system.apart(i, j, middle)
            if free > 0.0:
                before, gap = middle, free
            else:
                after = middle
        return Sighting(before, system.ids[i], system.ids[j], gap)
