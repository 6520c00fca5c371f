"""kill -9 at random moments: nothing before the last checkpoint is lost, and what resumes gives the identical log."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from carom.runfile import RunFile
from carom.scenes import scene

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")

RUN = ("run", "gas", "--objects", "60", "--packing", "0.2", "--seed", "3", "--until", "2", "--checkpoint-every", "0.02")
_KILLED = """
import os, signal, sys, threading, time
from carom.cli import main
import carom.cli.run, carom.runfile.recorder  # whatever is imported late would blur the moment
delay = float(sys.argv[1])
sys.argv = ["carom", *sys.argv[2:]]
def kill():
    time.sleep(delay)
    os.kill(os.getpid(), signal.SIGKILL)
threading.Thread(target=kill, daemon=True).start()
main()
"""


@pytest.fixture(scope="module")
def log():
    return scene("gas", objects=60, packing=0.2, seed=3).build().advance(2.0)


def killed(folder, delay, *arguments):
    """Run the command and kill it so many seconds after its imports; True where it had come to its end before."""
    command = [sys.executable, "-c", _KILLED, repr(delay), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode == 0


@pytest.mark.parametrize("times", [2, pytest.param(50, marks=pytest.mark.long)])
def test_run_killed_at_random_moments_resumes_to_the_identical_log(tmp_path, log, times):
    rng = np.random.default_rng(times)
    reached, ended = [], False
    for _ in range(times):
        path = tmp_path / "gas.duckdb"
        again = ("--resume",) if path.exists() else ()
        if ended:
            path.unlink()
            again = ()
        ended = killed(tmp_path, float(rng.uniform(0.0, 1.5)), *RUN, "--out", path.name, *again)
        if not path.exists():
            continue
        with RunFile.read(path) as file:
            last, kept = file.checkpoints()[-1], file.contacts()
        assert len(kept) == last.contacts
        assert np.array_equal(kept.times, log.times[: last.contacts])
        assert np.array_equal(kept.points, log.points[: last.contacts])
        assert not again or last.time >= reached[-1]
        reached.append(last.time)
    if path.exists() and not ended:
        RunFile.resume(path).close()
    finish = [sys.executable, "-m", "carom", *RUN, "--out", path.name, *(["--resume"] if path.exists() else [])]
    done = subprocess.run(finish, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    with RunFile.read(path) as file:
        assert file.contacts().identical(log)
    leftovers = [name for name in os.listdir(tmp_path) if name != path.name]
    assert all(".new" in name for name in leftovers), leftovers
