"""Files that appear only once they are complete."""

from __future__ import annotations

import os
import stat
import sys

import pytest

from carom.files import atomic as atomic_files
from carom.files.atomic import check_replaceable, check_writable, numbered, publish, replacing, temporary, write_new

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")


def test_publish_gives_the_file_its_name_and_leaves_nothing_else(tmp_path):
    with temporary(tmp_path / "a.txt") as unfinished:
        unfinished.write_text("whole")
        publish(unfinished, tmp_path / "a.txt")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "whole"


@pytest.mark.parametrize("links", [True, False])
def test_publish_replaces_nothing_with_and_without_links(tmp_path, monkeypatch, links):
    if not links:

        def refused(*_):
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", refused)
    write_new(tmp_path / "a.txt", b"first")
    with pytest.raises(FileExistsError):
        write_new(tmp_path / "a.txt", b"second")
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_bytes() == b"first"


def test_publish_without_links_that_fails_reserves_no_name(tmp_path, monkeypatch):
    def refused(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "link", refused)
    monkeypatch.setattr(os, "replace", refused)
    with pytest.raises(OSError, match="No space left"):
        write_new(tmp_path / "a.txt", b"first")
    assert not list(tmp_path.iterdir())


def test_replacing_keeps_the_old_file_when_the_block_fails(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), replacing(path) as file:
        file.writelines([b"half", None])
    assert path.read_bytes() == b"old"
    with replacing(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]


@POSIX
def test_replacing_follows_links_keeps_modes_and_writes_to_devices(tmp_path):
    path, link = tmp_path / "a.txt", tmp_path / "link.txt"
    path.write_bytes(b"old")
    path.chmod(0o600)
    link.symlink_to(path)
    with replacing(link) as file:
        file.write(b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with replacing(os.devnull) as file:
        file.write(b"gone")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_numbered_counts_before_the_ending(tmp_path):
    names = numbered(tmp_path / "gas.duckdb")
    assert [next(names).name for _ in range(3)] == ["gas.duckdb", "gas-2.duckdb", "gas-3.duckdb"]


@pytest.mark.parametrize("name", ["x" * 300, "none/a.txt", "a\0b"])
def test_check_writable_refuses_names_that_no_file_can_have(tmp_path, name):
    for check in (check_writable, check_replaceable):
        with pytest.raises((OSError, ValueError)) as caught:
            check(tmp_path / name)
        assert isinstance(caught.value, OSError)
    assert not list(tmp_path.iterdir())


def test_temporary_names_differ_and_fit_beside_the_longest_name(tmp_path):
    path = tmp_path / ("ä" * 120)
    with temporary(path) as first, temporary(path) as second:
        assert first != second
        first.write_bytes(b"")
        second.write_bytes(b"")
    assert not list(tmp_path.iterdir())


def test_temporary_removes_what_killed_processes_left_and_nothing_else(tmp_path):
    old = tmp_path / f"a.txt.{'0' * 16}.new"
    others = [tmp_path / name for name in (f"a.txt.{'1' * 16}.new", "a.txt.new", f"b.txt.{'2' * 16}.new", "a.txt")]
    for path in (old, *others):
        path.write_bytes(b"x")
        if path != others[0]:
            os.utime(path, (0, 0))
    with temporary(tmp_path / "a.txt"):
        assert sorted(tmp_path.iterdir()) == sorted(others)
    assert atomic_files._ABANDONED_SECONDS >= 600.0
