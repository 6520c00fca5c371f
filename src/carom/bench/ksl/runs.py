"""Timed runs over an animation, interval by interval, whose contacts are compared."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.bench.turns import SameAsFirst, fastest, no_garbage
from carom.deform import check
from carom.deform.chord_front.window_boxes import window_cuts
from carom.deform.model.contact_log import OVERLAPPING
from carom.deform.separation_list.contacts import SeparationStats
from carom.deform.separation_list.separation_list import SeparationList
from carom.errors import AuditError
from carom.motion import Deforming

Bodies = tuple[Deforming, ...]
Floats = NDArray[np.float64]

CHORD_FRONT, LIST = "chord front", "separation list"
"""The default search, and the separation list with its default options: chord boxes, one full pass per key."""
EVENT_LIST, TIGHT_LIST = "list, by events", "list, tight boxes"
"""Lists that handle every event at its time, as in the paper: on chord boxes, and on boxes that are always tight."""
TIGHT = "kinetic"
"""The value of the option `boxes` of SeparationList for tight boxes."""
SWEPT_FRAMES = (1, 10, 50)
"""Numbers of interpolated frames between two keys over which boxes are swept."""


def swept_name(frames: int) -> str:
    """Return the name, in tables, of boxes swept over this number of frames per key."""
    return f"swept, {frames} per key"


@dataclass(frozen=True, eq=False)
class Contacts:
    """The first contacts of all intervals: times (n,), pairs (n, 4) of body and triangle on both sides, kinds (n,)."""

    times: Floats
    pairs: NDArray[np.int64]
    kinds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.times)

    def identical(self, other: Contacts) -> bool:
        """Return whether contacts, order and times are the same, bit for bit."""
        return all(np.array_equal(getattr(self, c), getattr(other, c)) for c in ("times", "pairs", "kinds"))


def steady(seconds: Floats) -> Floats:
    """Select the intervals that count from those after the first: those from the second window of the chord front on.

    The chord front searches a window of several intervals together when it reaches the first of them, so only whole windows
    give the cost of an interval. All intervals of an animation of one window count.
    """
    _, second, *later = window_cuts(len(seconds) + 1)
    return seconds[second - 1 :] if later else seconds


@dataclass(frozen=True, eq=False)
class Run:
    """One run on one thread.

    `start`: CPU seconds up to the end of the first interval, trees included; `seconds`: of each later interval (see `steady`).
    """

    start: float
    seconds: Floats
    contacts: Contacts
    box_tests: int = 0
    stats: SeparationStats | None = None

    @property
    def milliseconds(self) -> float:
        """Return the mean over the intervals that count, ms."""
        return 1e3 * float(steady(self.seconds).mean())


def run_check(bodies: Bodies, method: str = "chord-front", frames: int = 1) -> Run:
    """Find all contacts and self-contacts of the bodies in every interval with `check`."""
    with no_garbage():
        ticks = [time.process_time()]

        def tick(done: int, intervals: int) -> None:
            ticks.append(time.process_time())

        found = check(bodies, method=method, frames=frames, every=True, threads=1, progress=tick)
    # The list does not report triangles that overlap at the first key.
    kept = found.kinds != OVERLAPPING
    pairs = np.stack([found.body_a, found.face_a, found.body_b, found.face_b], axis=1)
    contacts = Contacts(found.times[kept], pairs[kept], found.kinds[kept])
    return Run(ticks[1] - ticks[0], np.diff(ticks[1:]), contacts, found.stats.box_tests)


def run_list(bodies: Bodies, polls: int = 1, **options: Any) -> Run:
    """Find the same contacts with a separation list that is polled `polls` times per key. options: of SeparationList."""
    keys = bodies[0].times
    with no_garbage():
        ticks = [time.process_time()]
        kept = SeparationList(*bodies, selves=True, **options)
        found = []
        for begin, end in pairwise(keys.tolist()):
            found += [kept.advance(begin + poll / polls * (end - begin)) for poll in range(1, polls)]
            found.append(kept.advance(end))
            ticks.append(time.process_time())
    pairs = [np.stack([f.bodies[:, 0], f.faces[:, 0], f.bodies[:, 1], f.faces[:, 1]], axis=1) for f in found]
    contacts = Contacts(
        np.concatenate([f.times for f in found]), np.concatenate(pairs), np.concatenate([f.kinds for f in found])
    )
    return Run(ticks[1] - ticks[0], np.diff(ticks[1:]), contacts, stats=kept.stats)


class Case(NamedTuple):
    """A method and the number of its runs."""

    run: Callable[[], Run]
    repeats: int


def all_cases(bodies: Bodies, quick: bool) -> dict[str, Case]:
    """Return the methods that are compared; the slower, the fewer runs."""
    cases = {
        CHORD_FRONT: Case(partial(run_check, bodies), 6),
        LIST: Case(partial(run_list, bodies), 4),
        EVENT_LIST: Case(partial(run_list, bodies, full_passes=False), 2),
        TIGHT_LIST: Case(partial(run_list, bodies, full_passes=False, boxes=TIGHT), 2),
    }
    for frames, repeats in zip(SWEPT_FRAMES, (5, 3, 2), strict=True):
        cases[swept_name(frames)] = Case(partial(run_check, bodies, "swept", frames), repeats)
    return {name: case._replace(repeats=1) for name, case in cases.items()} if quick else cases


def take_turns(cases: Mapping[str, Case], what: str) -> dict[str, Run]:
    """Run the cases in turns; the fastest run of each interval counts. AuditError where contacts differ."""
    runs, repeats = (
        {name: case.run for name, case in cases.items()},
        {name: case.repeats for name, case in cases.items()},
    )
    return fastest(runs, repeats, SameAsFirst(what, "contacts"), _fastest_intervals)


def _fastest_intervals(one: Run, other: Run) -> Run:
    return replace(one, seconds=np.minimum(one.seconds, other.seconds), start=min(one.start, other.start))


def require_same(who: str, found: Contacts, other: str, expected: Contacts) -> None:
    """Raise AuditError unless the contacts are the same, bit for bit."""
    if not found.identical(expected):
        raise AuditError(f"{who} reports {len(found)} contacts that differ from the {len(expected)} of {other}")
