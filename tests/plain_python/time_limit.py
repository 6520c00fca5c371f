"""A time limit for each test: plain Python is a hundred times slower than kernels, and what ran until then has been seen."""

from __future__ import annotations

import contextlib
import os
import signal
from collections import Counter

import pytest
from hypothesis.errors import Flaky

from plain_python.addresses import is_called_from_c

_PATIENCE = 2
"""Cases of one test that may use up the whole limit; the others have `_LATER` of it."""
_LATER = 0.25
_TICK = 0.05
"""Seconds until a test that could not be stopped is tried again."""

_stopped: Counter[str] = Counter()


def seconds(test: str) -> float:
    """Seconds of processor time for a case of this test: CAROM_PLAIN_SECONDS, or 1; less when others of it were stopped."""
    limit = float(os.environ.get("CAROM_PLAIN_SECONDS", "1"))
    return limit if _stopped[test] < _PATIENCE else _LATER * limit


@contextlib.contextmanager
def limited(test: str):
    """Skip the case under way when its time is over. test: what its cases have in common."""
    limit = seconds(test)
    over = f"not finished within {limit:g} s of plain Python"
    stopped = False

    def stop(signum, frame):
        nonlocal stopped
        # Nothing gets out of a callback of C, and coverage holds a lock: then the next tick will do.
        if is_called_from_c() or (frame.f_globals.get("__package__") or "").startswith("coverage"):
            return
        _stopped[test] += 1
        stopped = True
        raise pytest.skip.Exception(over)

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit, _TICK)
    try:
        yield
    except Flaky:  # hypothesis, when it was stopped while it drew
        if not stopped:
            raise
        raise pytest.skip.Exception(over) from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
