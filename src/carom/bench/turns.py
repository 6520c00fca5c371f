"""Timed calls of several cases that take turns, with a check of every answer."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from carom.errors import AuditError

T = TypeVar("T")


@contextlib.contextmanager
def no_garbage() -> Iterator[None]:
    """Context without garbage collection, which would interrupt whichever case runs when it is due.

    Young garbage of the previous run is collected first. A full collection would take longer than many runs.
    """
    gc.collect(1)
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def fastest(
    cases: Mapping[str, Callable[[], T]],
    repeats: int | Mapping[str, int],
    check: Callable[[str, T], None],
    better: Callable[[T, T], T],
) -> dict[str, T]:
    """Return the best of `repeats` runs of each case; the cases take turns, so that drift of the machine affects all equally.

    `check(name, run)` sees every run and raises AuditError for a wrong answer. `better` combines two runs of a case.
    """
    counts = dict.fromkeys(cases, repeats) if isinstance(repeats, int) else repeats
    best: dict[str, T] = {}
    for turn in range(max(counts.values())):
        for name, case in cases.items():
            if turn < counts[name]:
                run = case()
                check(name, run)
                best[name] = better(run, best[name]) if name in best else run
    return best


class SameAsFirst:
    """A check of runs for `fastest`: the contacts of every run must be identical to those of the first, bit for bit."""

    def __init__(self, what: str, attribute: str) -> None:
        """what: the measurement, for the error; attribute: of a run, that holds its contacts."""
        self._what, self._attribute = what, attribute
        self._first: tuple[str, Any] | None = None

    def __call__(self, name: str, run: Any) -> None:
        """Raise AuditError where the contacts differ from those of the first run."""
        found = getattr(run, self._attribute)
        reference, expected = self._first = self._first or (name, found)
        if not found.identical(expected):
            raise AuditError(
                f"{self._what}: {name} reports {len(found)} contacts that differ from the {len(expected)} of {reference}"
            )


@dataclass(frozen=True)
class Timed(Generic[T]):
    """Seconds of a call, and what it returned."""

    seconds: float
    result: T


def timed(function: Callable[[], T], clock: Callable[[], float] = time.process_time) -> Timed[T]:
    """Call a function once without garbage collection."""
    with no_garbage():
        begin = clock()
        result = function()
        return Timed(clock() - begin, result)


def take_turns(
    cases: Mapping[str, Callable[[], T]],
    repeats: int,
    check: Callable[[str, T], None],
    clock: Callable[[], float] = time.process_time,
) -> dict[str, Timed[T]]:
    """Return the fastest of `repeats` timed calls of each case, after one call that compiles; see `fastest`.

    The clock measures CPU time; `time.perf_counter` measures wall-clock time, for threads.
    """
    for name, case in cases.items():
        check(name, case())

    def run(case: Callable[[], T]) -> Callable[[], Timed[T]]:
        return lambda: timed(case, clock)

    return fastest(
        {name: run(case) for name, case in cases.items()},
        repeats,
        lambda name, run: check(name, run.result),
        lambda a, b: min(a, b, key=lambda run: run.seconds),
    )
