"""Run files that are deleted, replaced, cut off or continued by somebody else while they are written."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from carom.errors import RunFileError
from carom.runfile import Recorder, RunFile
from carom.scenes import scene

UNTIL = 1.0
_REMOVING = """
import os, shutil, sys
from carom.cli import main
from carom.runfile import RunFile
save = RunFile.checkpoint
def checkpoint(self, time, state):
    shutil.rmtree(os.path.dirname(self.path))
    return save(self, time, state)
RunFile.checkpoint = checkpoint
sys.argv = ["carom", *sys.argv[1:]]
main()
"""


@pytest.fixture(scope="module")
def billiards():
    return scene("billiards", seed=1)


@pytest.fixture
def running(tmp_path, billiards):
    """A run file half way, and what goes on with it."""
    world = billiards.build(broad="all-pairs")
    path = tmp_path / "run.duckdb"
    file = RunFile.create(
        path, billiards.record(), interval=0.25, world={"broad": "all-pairs"}, state=world.snapshot(), version="0"
    )
    Recorder(world, file).run(0.5, 0.25)
    yield file, world
    file.abandon()


def go_on(file, world):
    with file:
        Recorder(world, file).run(UNTIL, 0.25)


def close(file, world):
    file.close()


def delete(path):
    path.unlink()


def delete_the_log(path):
    path.with_name(path.name + ".wal").unlink()


def replace(path):
    path.with_name("other").write_bytes(path.read_bytes())
    os.replace(path.with_name("other"), path)


def cut_off(path):
    os.truncate(path, path.stat().st_size // 2)


def cut_off_the_log(path):
    log = path.with_name(path.name + ".wal")
    os.truncate(log, log.stat().st_size // 2)


def empty(path):
    os.truncate(path, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be deleted")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (delete, "was deleted or replaced while the run was written to it"),
        (delete_the_log, "was deleted or replaced while the run was written to it"),
        (replace, "was deleted or replaced while the run was written to it"),
        (cut_off, "was cut off while the run was written to it"),
        (cut_off_the_log, "was cut off while the run was written to it"),
        (empty, "was cut off while the run was written to it"),
    ],
)
@pytest.mark.parametrize("then", [go_on, close])
def test_run_file_changed_while_it_is_written_is_noticed(running, change, message, then):
    file, world = running
    change(file.path)
    with pytest.raises(RunFileError, match=message) as caught:
        then(file, world)
    assert str(file.path) in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="open files cannot be deleted")
def test_run_whose_folder_is_removed_is_one_line(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    command = [sys.executable, "-c", _REMOVING, "run", "billiards", "--until", "1", "--out", str(folder / "b.duckdb")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    said = " ".join(done.stderr.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert "b.duckdb: was deleted or replaced while the run was written to it" in said
    assert "Traceback" not in said


def test_run_file_continued_by_another_process_is_not_continued_from_the_old_state(running):
    file, world = running
    file.close()
    path = file.path
    reader = RunFile.read(path)
    close_reader = reader.close

    def close():
        """Let another process in, before the file is opened again."""
        close_reader()
        with RunFile.resume(path) as other:
            Recorder(world, other).run(0.75, 0.25)

    reader.close = close
    with pytest.raises(RunFileError, match="was continued by another process meanwhile"):
        reader.writable()
    with RunFile.read(path) as kept:
        assert kept.checkpoints()[-1].time == 0.75


def test_run_file_open_for_reading_takes_nothing(running):
    file, world = running
    file.close()
    with RunFile.read(file.path) as reader, pytest.raises(RunFileError, match="open for reading only"):
        reader.checkpoint(1.0, world.snapshot())
