"""CPU time, or wall time, of functions that take turns, with a check of every answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from carom.bench.garbage import no_garbage

T = TypeVar("T")


@dataclass(frozen=True)
class Timed(Generic[T]):
    """Seconds of the fastest call, and what it returned."""

    seconds: float
    result: T


def timed(function: Callable[[], T], clock: Callable[[], float] = time.process_time) -> Timed[T]:
    """One call, undisturbed by the garbage collector."""
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
    """The fastest of `repeats` calls of every case, in turns, so that drift of the machine hits all alike.

    A call before the clock starts compiles what is needed. `check(name, result)` sees every single answer and raises
    AuditError for a wrong one: a wrong answer has no speed. clock: CPU time, unless threads are to count: time.perf_counter.
    """
    for name, case in cases.items():
        check(name, case())
    best: dict[str, Timed[T]] = {}
    for _ in range(repeats):
        for name, case in cases.items():
            run = timed(case, clock)
            check(name, run.result)
            if name not in best or run.seconds < best[name].seconds:
                best[name] = run
    return best
