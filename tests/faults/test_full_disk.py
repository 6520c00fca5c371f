"""Disks that are full and files that may not grow: one line, exit code 2, and nothing that was there is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from carom.runfile import CheckFile, RunFile
from carom.scenes import scene

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no file-size limits")

_LIMITED = """
import resource, runpy, sys
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
sys.argv = ["carom", *sys.argv[2:]]
from carom.cli import main
main()
"""
GAS = ("run", "gas", "--objects", "60", "--packing", "0.2", "--seed", "3", "--until", "2", "--checkpoint-every", "0.1")


def some_of(values):
    """The first in every run of the tests, the others in long ones: each takes a process or two."""
    return [values[0], *(pytest.param(value, marks=pytest.mark.long) for value in values[1:])]


def carom(folder, *arguments, limit=None, stdout=subprocess.PIPE):
    """Run the command in a process of its own in that folder; limit: bytes that no file may exceed."""
    command = [sys.executable, "-m", "carom", *arguments]
    if limit is not None:
        command = [sys.executable, "-c", _LIMITED, str(limit), *arguments]
    return subprocess.run(command, cwd=folder, stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=300)


def is_one_refusal(done, reason):
    """Exit code 2, one message on stderr with the reason, nothing on stdout."""
    said = " ".join(done.stderr.split())
    return done.returncode == 2 and not done.stdout and said.startswith("carom: ") and reason in said


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    assert carom(folder, *GAS, "--out", "gas.duckdb").returncode == 0
    return folder / "gas.duckdb"


@pytest.fixture(scope="module")
def log():
    return scene("gas", objects=60, packing=0.2, seed=3).build().advance(2.0)


@pytest.mark.parametrize("limit", some_of([300_000, 100_000, 420_000, 700_000]))
def test_run_under_a_file_size_limit_keeps_what_it_has_and_goes_on_later(tmp_path, log, limit):
    done = carom(tmp_path, *GAS, "--out", "gas.duckdb", limit=limit)
    assert is_one_refusal(done, "cannot be written: File too large"), (done.returncode, done.stderr)
    names = {path.name for path in tmp_path.iterdir()}
    if "gas.duckdb" in names:
        with RunFile.read(tmp_path / "gas.duckdb") as file:
            kept, last = file.contacts(), file.checkpoints()[-1]
        assert f"keeps the run up to {last.time:g} s" in " ".join(done.stderr.split())
        assert np.array_equal(kept.times, log.times[: last.contacts])
        assert carom(tmp_path, *GAS, "--out", "gas.duckdb", "--resume").returncode == 0
        with RunFile.read(tmp_path / "gas.duckdb") as file:
            assert file.contacts().identical(log)
    else:
        assert names == set()


def test_run_resumed_under_a_file_size_limit_leaves_the_file_as_it_was(tmp_path, whole):
    data = whole.read_bytes()
    (tmp_path / "gas.duckdb").write_bytes(data)
    done = carom(tmp_path, "run", "gas", "--until", "4", "--out", "gas.duckdb", "--resume", limit=len(data) + 20_000)
    assert is_one_refusal(done, "cannot be written: File too large")
    with RunFile.read(tmp_path / "gas.duckdb") as file, RunFile.read(whole) as before:
        kept, old = file.contacts(), before.contacts()
        assert np.array_equal(kept.times[: len(old)], old.times)


@pytest.mark.parametrize("limit", some_of([270_000, 4_000, 100_000, 300_000, 700_000]))
def test_check_under_a_file_size_limit_leaves_a_whole_file_or_none(tmp_path, limit):
    done = carom(tmp_path, "check", "swirl", "--keys", "3", "--faces", "1000", "--out", "s.duckdb", limit=limit)
    if done.returncode in (0, 1):
        with CheckFile.read(tmp_path / "s.duckdb") as file:
            file.bodies()
        assert limit > 270_000
    else:
        assert is_one_refusal(done, "s.duckdb: cannot be written: File too large"), done.stderr
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "old"),
    [
        (("view", "RUN", "--html", "old.html"), "old.html"),
        (("plot", "RUN", "--out", "old.png"), "old.png"),
        (("plot", "RUN", "--out", "old.svg"), "old.svg"),
        (("export", "RUN", "--csv", "tables"), None),
        (("export", "RUN", "--parquet", "tables"), None),
    ],
)
def test_what_cannot_be_written_whole_leaves_the_old_file(tmp_path, whole, arguments, old):
    if "plot" in arguments:
        pytest.importorskip("matplotlib")
    if old is not None:
        (tmp_path / old).write_text("the old one")
    arguments = [str(whole) if word == "RUN" else word for word in arguments]
    done = carom(tmp_path, *arguments, limit=1_000)
    assert is_one_refusal(done, "cannot be written: File too large"), (done.returncode, done.stderr)
    assert {path.name for path in tmp_path.iterdir()} <= {old, "tables"}
    if old is not None:
        assert (tmp_path / old).read_text() == "the old one"
    else:
        assert not [path for path in (tmp_path / "tables").iterdir() if path.stat().st_size >= 1_000]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
@pytest.mark.parametrize("arguments", [("scenes", "--json"), ("scenes",), ("--help",), ("--version",)])
def test_output_into_a_full_device_is_one_line(tmp_path, arguments):
    with Path("/dev/full").open("w") as full:
        done = carom(tmp_path, *arguments, stdout=full)
    assert is_one_refusal(done, "standard output cannot be written: No space left on device"), done.stderr


@pytest.fixture
def small_disk(tmp_path):
    """Makes a disk of so many kilobytes; only root may."""
    made = []

    def make(kilobytes):
        folder = tmp_path / f"disk{len(made)}"
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)]
        try:
            mounted = subprocess.run(command, capture_output=True, timeout=60).returncode == 0
        except OSError:
            mounted = False
        if not mounted:
            pytest.skip("mounting is not allowed here")
        made.append(folder)
        return folder

    yield make
    for folder in made:
        subprocess.run(["umount", str(folder)], check=True, timeout=60)


@pytest.mark.parametrize("size", some_of([320, *range(20, 620, 30)]))
def test_check_on_a_nearly_full_disk_leaves_a_whole_file_or_none(small_disk, size):
    folder = small_disk(size)
    done = carom(folder, "check", "swirl", "--keys", "3", "--faces", "1000", "--out", "s.duckdb")
    if done.returncode in (0, 1):
        with CheckFile.read(folder / "s.duckdb") as file:
            file.bodies()
    else:
        assert is_one_refusal(done, "s.duckdb: cannot be written: No space left on device"), done.stderr
        assert not list(folder.iterdir())


@pytest.mark.parametrize("size", some_of([380, *range(20, 1220, 60)]))
def test_run_on_a_nearly_full_disk_keeps_what_it_has(small_disk, log, size):
    folder = small_disk(size)
    done = carom(folder, *GAS, "--out", "gas.duckdb")
    names = {path.name for path in folder.iterdir()}
    if done.returncode != 0:
        assert is_one_refusal(done, "cannot be written: No space left on device"), done.stderr
    if "gas.duckdb" not in names:
        assert names == set()
        return
    with RunFile.read(folder / "gas.duckdb") as file:
        kept, last = file.contacts(), file.checkpoints()[-1]
    assert np.array_equal(kept.times, log.times[: last.contacts])
    assert done.returncode != 0 or kept.identical(log)
