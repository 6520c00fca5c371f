"""Timed runs over an animation, interval by interval, each compared with the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.bench.garbage import no_garbage
from carom.deform import check
from carom.deform.chord_front.window_boxes import window_cuts
from carom.deform.model.contact_log import OVERLAPPING
from carom.deform.separation_list.separation_list import SeparationList, SeparationStats
from carom.errors import AuditError
from carom.motion import Deforming

Bodies = tuple[Deforming, ...]
Floats = NDArray[np.float64]

CHORD_FRONT, LIST = "chord front", "separation list"
"""The default search; the list as it comes, on chord boxes and carried over keys in one pass."""
EVENT_LIST, TIGHT_LIST = "list, by events", "list, tight boxes"
"""Lists whose every event is handled at its time, as the paper's: on chord boxes, and on boxes tight at every instant."""
TIGHT = "kinetic"
"""How SeparationList calls tight boxes."""
SWEPT_FRAMES = (1, 10, 50)
"""Interpolated frames between two keys for which boxes are swept."""


def swept_name(frames: int) -> str:
    """How the tables call swept boxes with so many frames between two keys."""
    return f"swept, {frames} a key"


@dataclass(frozen=True, eq=False)
class Contacts:
    """Every first touch of every interval: times (n,), pairs (n, 4) of body and triangle on both sides, kinds (n,)."""

    times: Floats
    pairs: NDArray[np.int64]
    kinds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.times)

    def identical(self, other: Contacts) -> bool:
        """The same contacts in the same order, times to the last bit."""
        return all(np.array_equal(getattr(self, c), getattr(other, c)) for c in ("times", "pairs", "kinds"))


def steady(seconds: Floats) -> Floats:
    """Those of the intervals that count, of (intervals - 1,) without the first: from the chord front's second window on.

    It looks at some intervals together where the first of them begins, and the first search of all is there, too: only whole
    windows after that tell what an interval costs. An animation of one window is too short for it, and all count.
    """
    _, second, *later = window_cuts(len(seconds) + 1)
    return seconds[second - 1 :] if later else seconds


@dataclass(frozen=True, eq=False)
class Run:
    """One run on one thread. CPU seconds: `start` until the first interval is done, trees and first search included;
    `seconds` (intervals - 1,) of each later one. See `steady`."""

    start: float
    seconds: Floats
    contacts: Contacts
    box_tests: int = 0
    stats: SeparationStats | None = None

    @property
    def milliseconds(self) -> float:
        """Mean over the intervals that count."""
        return 1e3 * float(steady(self.seconds).mean())


def run_check(bodies: Bodies, method: str = "chord-front", frames: int = 1) -> Run:
    """All contacts of the bodies with each other and themselves, in every interval."""
    with no_garbage():
        ticks = [time.process_time()]

        def tick(done: int, intervals: int) -> None:
            ticks.append(time.process_time())

        found = check(bodies, method=method, frames=frames, every=True, threads=1, progress=tick)
    # What overlaps at the first key is no first touch; the list does not name it.
    kept = found.kinds != OVERLAPPING
    pairs = np.stack([found.body_a, found.face_a, found.body_b, found.face_b], axis=1)
    contacts = Contacts(found.times[kept], pairs[kept], found.kinds[kept])
    return Run(ticks[1] - ticks[0], np.diff(ticks[1:]), contacts, found.stats.box_tests)


def run_list(bodies: Bodies, polls: int = 1, **options: Any) -> Run:
    """The same by a separation list, asked `polls` times between two keys. options: of SeparationList."""
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


@dataclass(frozen=True)
class Case:
    """What to run, and how often."""

    run: Callable[[], Run]
    repeats: int


def all_cases(bodies: Bodies, quick: bool) -> dict[str, Case]:
    """The ways that are compared; the slower, the fewer repeats."""
    cases = {CHORD_FRONT: Case(partial(run_check, bodies), 6), LIST: Case(partial(run_list, bodies), 4)}
    cases[EVENT_LIST] = Case(partial(run_list, bodies, full_passes=False), 2)
    cases[TIGHT_LIST] = Case(partial(run_list, bodies, full_passes=False, boxes=TIGHT), 2)
    for frames, repeats in zip(SWEPT_FRAMES, (5, 3, 2), strict=True):
        cases[swept_name(frames)] = Case(partial(run_check, bodies, "swept", frames), repeats)
    return {name: replace(case, repeats=1) for name, case in cases.items()} if quick else cases


def take_turns(cases: Mapping[str, Case], what: str) -> dict[str, Run]:
    """Every case as often as it says, in turns; of each interval the fastest run counts.

    Every single run is compared with the first; a difference raises AuditError: a wrong answer has no speed.
    """
    best: dict[str, Run] = {}
    reference: tuple[str, Contacts] | None = None
    for turn in range(max(case.repeats for case in cases.values())):
        for name, case in cases.items():
            if turn >= case.repeats:
                continue
            run = case.run()
            reference = reference or (name, run.contacts)
            require_same(f"{what}: {name}", run.contacts, *reference)
            if name in best:
                seconds = np.minimum(run.seconds, best[name].seconds)
                run = replace(run, seconds=seconds, start=min(run.start, best[name].start))
            best[name] = run
    return best


def require_same(who: str, found: Contacts, other: str, expected: Contacts) -> None:
    """AuditError unless the contacts are the same, bit for bit."""
    if not found.identical(expected):
        raise AuditError(f"{who} reports {len(found)} contacts that differ from the {len(expected)} of {other}")
