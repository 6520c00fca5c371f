"""Notices on stderr while kernels compile; CAROM_QUIET=1 suppresses them, but not faults of the cache."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import time
from collections.abc import Iterator

_SELDOM = (200_000, 50, 100)
"""Thresholds of the garbage collector while kernels are compiled: at Python's own it takes a seventh of that time."""

_ready: set[str] = set()
_underway: list[str] = []
_said: set[str] = set()
_compiling_since: float | None = None
_on_line = False
"""Whether the notice stands at the end of a line that is not finished."""


_nothing: contextlib.AbstractContextManager[None] = contextlib.nullcontext()


def compiling(what: str) -> contextlib.AbstractContextManager[None]:
    """Around calls that may compile kernels: the first one that the cache does not hold makes carom say that `what` compiles.

    It is said once, with the seconds that it took. What is made ready inside another is part of that one. Calls of what is
    ready share one context that does nothing: making one for each call took an eighth of a single query.
    """
    return _nothing if what in _ready else _announced(what)


@contextlib.contextmanager
def _announced(what: str) -> Iterator[None]:
    global _compiling_since
    # Only the outermost sets and resets them: another thread would take what it finds here for what to go back to.
    outermost, thresholds, finished = not _underway, gc.get_threshold(), False
    if outermost:
        gc.set_threshold(*_SELDOM)
    _underway.append(what)
    try:
        yield
        _ready.add(what)
        finished = True
    finally:
        _underway.pop()
        if outermost:
            gc.set_threshold(*thresholds)
            if _compiling_since is not None:
                _end_line(f"{time.perf_counter() - _compiling_since:.1f} s" if finished else "stopped")
            _compiling_since = None


def cache_missed() -> None:
    """The cache does not hold a kernel that is needed: from here on something is compiled."""
    global _compiling_since, _on_line
    if not _underway or _compiling_since is not None:
        return
    _compiling_since = time.perf_counter()
    if os.environ.get("CAROM_QUIET", "") in ("", "0"):
        print(f"carom: compiling {_underway[0]} (first use only) ...", file=sys.stderr, end=" ", flush=True)
        _on_line = True


def say(notice: str) -> None:
    """One line about the cache; one of each kind (its words before the colon), so that a broken disk fills no screen."""
    kind = notice.partition(":")[0]
    if kind not in _said:
        _said.add(kind)
        _end_line("")
        print(f"carom: {notice}", file=sys.stderr, flush=True)


def _end_line(words: str) -> None:
    global _on_line
    if _on_line:
        print(words, file=sys.stderr, flush=True)
        _on_line = False
