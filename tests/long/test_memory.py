"""Worlds and queries leave no memory behind, however many there are. Each run is a process of its own: see memory_samples."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import memory_samples

pytestmark = pytest.mark.compiled

ALLOWED = 4 << 20
"""Bytes by which a process may grow while 10^5 worlds, or 10^6 queries, come and go: fragments of memory, no leak of theirs."""
ALLOWED_SHORT = 64 << 10
"""Bytes that Python and NumPy may hold more after some hundred: 250 a world at most."""


def measured(subject: str, count: int, points: int, *more: str) -> list[dict[str, int]]:
    command = [sys.executable, memory_samples.__file__, subject, str(count), str(points), *more]
    done = subprocess.run(command, env={**os.environ, "NUMBA_NRT_STATS": "1"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, int]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(("subject", "count"), [("worlds", 520), ("queries", 2800)])
def test_memory_is_given_back_after_hundreds(subject: str, count: int) -> None:
    _, warm, last = measured(subject, count, 2, "traced")
    assert last["compiled"] == warm["compiled"]
    assert last["traced"] - warm["traced"] < ALLOWED_SHORT


@pytest.mark.long
@pytest.mark.skipif(not memory_samples.STATM.exists(), reason="the system does not tell how much memory a process has")
@pytest.mark.parametrize(("subject", "count"), [("worlds", 100_000), ("queries", 1_000_000)])
def test_memory_stays_flat(subject: str, count: int) -> None:
    _, warm, *_, last = measured(subject, count, 10)
    assert last["compiled"] == warm["compiled"]
    assert last["resident"] - warm["resident"] < ALLOWED
