"""Runs that are started at the same moment, with the same name or with none."""

from __future__ import annotations

import subprocess
import sys

from carom.runfile import RUN, RunFile
from carom.runfile.whole_file import write_whole_file
from carom.scenes import scene

GAS = ("run", "gas", "--objects", "40", "--packing", "0.1", "--until", "0.5")


def started(folder, *arguments, count):
    """So many processes at once; exit code and stderr of each."""
    command = [sys.executable, "-m", "carom", *GAS, *arguments]
    children = [
        subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(count)
    ]
    said = [child.communicate(timeout=300)[1] for child in children]
    return [(child.returncode, " ".join(text.split())) for child, text in zip(children, said, strict=True)]


def log_of(path):
    with RunFile.read(path) as file:
        return file.contacts()


def test_runs_started_together_without_a_name_get_one_each(tmp_path):
    assert started(tmp_path, count=3) == [(0, "")] * 3
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["gas-2.duckdb", "gas-3.duckdb", "gas.duckdb"]
    expected = scene("gas", objects=40, packing=0.1).build().advance(0.5)
    assert all(log_of(tmp_path / name).identical(expected) for name in names)


def test_of_runs_started_together_with_one_name_one_gets_it(tmp_path):
    found = sorted(started(tmp_path, "--out", "g.duckdb", count=2))
    assert [code for code, _ in found] == [0, 2]
    assert all("g.duckdb: already exists" in said for code, said in found if code)
    assert [path.name for path in tmp_path.iterdir()] == ["g.duckdb"]
    assert log_of(tmp_path / "g.duckdb").identical(scene("gas", objects=40, packing=0.1).build().advance(0.5))


def test_name_taken_while_the_file_is_built_is_left_alone(tmp_path):
    """The moment that processes seldom meet: the other file appears between the last look and the publication."""
    made = scene("billiards", seed=1)
    world = made.build(broad="all-pairs")
    options = {"interval": 0.25, "world": {"broad": "all-pairs"}, "version": "0"}
    path = tmp_path / "run.duckdb"
    with RunFile.create(tmp_path / "first.duckdb", made.record(), state=world.snapshot(), **options) as first:
        rows = first_rows(first)

    def fill(connection):
        path.write_text("somebody else's")
        for table, (columns, values) in rows.items():
            connection.executemany(
                f"INSERT INTO {table} ({columns}) VALUES ({', '.join('?' * len(values[0]))})", values
            )

    names = iter([path, tmp_path / "run-2.duckdb"])
    assert write_whole_file(names, RUN, fill, "") == tmp_path / "run-2.duckdb"
    assert path.read_text() == "somebody else's"
    with RunFile.read(tmp_path / "run-2.duckdb") as file:
        assert len(file.checkpoints()) == 1


def first_rows(file):
    """All rows of a run file by table."""
    rows = {}
    for table, columns in RUN.columns.items():
        found = file.connection.execute(f"SELECT * FROM {table}").fetchall()
        if found:
            rows[table] = (", ".join(name for name, _ in columns), found)
    return rows
