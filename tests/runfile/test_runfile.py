"""Run files: read back bit for bit, resumed exactly after a kill, and foreign files left untouched."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys

import duckdb
import numpy as np
import pytest

from carom.errors import RunFileError
from carom.io import export_run
from carom.runfile import FORMAT_VERSION, Recorder, RunFile
from carom.runfile.pack import pack_shapes, unpack_shapes
from carom.runfile.recorder import _multiples
from carom.scenes import Scene, scene
from carom.shapes import Box, Convex, HalfSpace, Mesh, Sphere
from carom.types import ContactLog

UNTIL, INTERVAL = 4.0, 0.3


@pytest.fixture(scope="module")
def gas():
    return scene("gas", objects=80, packing=0.2, seed=3)


@pytest.fixture(scope="module")
def reference(gas):
    return gas.build().advance(UNTIL)


def start(path, made, interval=INTERVAL):
    world = made.build()
    options = {"broad": "kinetic"}
    file = RunFile.create(path, made.record(), interval=interval, world=options, state=world.snapshot(), version="0")
    return world, file


def everything(path):
    """Bytes of the run file and of whatever lies beside it."""
    return {p.name: p.read_bytes() for p in sorted(path.parent.iterdir()) if p.is_file()}


def test_run_file_holds_the_log_bit_for_bit(tmp_path, gas, reference):
    world, file = start(tmp_path / "run.duckdb", gas)
    with file:
        Recorder(world, file).run(UNTIL, INTERVAL)
    with RunFile.read(tmp_path / "run.duckdb") as file:
        assert len(reference) > 300
        assert file.contacts().identical(reference)
        times = [saved.time for saved in file.checkpoints()]
        assert times == [k * INTERVAL for k in range(14)] + [UNTIL]
        assert file.checkpoints()[-1].contacts == len(reference)


def test_run_file_holds_the_scene(tmp_path, gas):
    _, file = start(tmp_path / "run.duckdb", gas)
    file.close()
    with RunFile.read(tmp_path / "run.duckdb") as file:
        again = Scene.from_record(file.scene_record())
        assert file.interval == INTERVAL
        assert file.world_options == {"broad": "kinetic"}
    assert again.names == gas.names
    assert again.parameters == gas.parameters
    for field in ("positions", "velocities", "masses", "shape_index", "groups", "orientations", "accelerations"):
        assert np.array_equal(getattr(again, field), getattr(gas, field))
    assert again.build().advance(1.0).identical(gas.build().advance(1.0))


def test_recorder_contacts_after_the_last_checkpoint_are_recomputed_not_doubled(tmp_path, gas, reference):
    path = tmp_path / "run.duckdb"
    world, file = start(path, gas)
    Recorder(world, file).run(1.0, INTERVAL)
    file.append(world.advance(1.7))
    file.close()
    with RunFile.resume(path) as file:
        assert file.checkpoints()[-1].time == 1.0
        assert file.contacts().times.max() <= 1.0
        world = gas.restore(file.state())
        assert world.time == 1.0
        Recorder(world, file).run(UNTIL, INTERVAL)
        assert file.contacts().identical(reference)
        numbers = file.connection.execute("SELECT contact FROM contacts ORDER BY contact").fetchnumpy()["contact"]
        assert np.array_equal(numbers, np.arange(len(reference)))


_CHILD = """
import sys
from pathlib import Path
from carom.runfile import Recorder, RunFile
from carom.scenes import scene
path = Path(sys.argv[1])
made = scene("gas", objects=80, packing=0.2, seed=3)
world = made.build()
file = RunFile.create(path, made.record(), interval=0.3, world={}, state=world.snapshot(), version="0")
def slowly(t, contacts):
    import time
    print(t, flush=True)
    time.sleep(0.01)
Recorder(world, file, on_step=slowly).run(4.0, 0.3, hz=50.0)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("steps", [20, 90])
def test_run_file_survives_kill_and_resumes_to_the_identical_log(tmp_path, gas, reference, steps):
    path = tmp_path / "run.duckdb"
    child = subprocess.Popen([sys.executable, "-c", _CHILD, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    for _ in range(steps):
        reached = float(child.stdout.readline())
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    before = everything(path)
    with RunFile.read(path) as file:
        last = file.checkpoints()[-1]
        # nothing before the last checkpoint is lost
        assert last.time >= INTERVAL * np.floor(reached / INTERVAL + 1e-9) - 1e-9
        assert last.contacts == np.searchsorted(reference.times, last.time, side="right")
    assert everything(path) == before
    with RunFile.resume(path) as file:
        Recorder(gas.restore(file.state()), file).run(UNTIL, INTERVAL)
    with RunFile.read(path) as file:
        assert file.contacts().identical(reference)
    assert not path.with_name("run.duckdb.wal").exists()


def test_run_file_left_by_a_kill_during_creation_is_not_in_the_way_and_goes_in_time(tmp_path, gas):
    old, young = (f"run.duckdb.{digit * 16}.new" for digit in "ab")
    for name in (old, f"{old}.wal", young):
        (tmp_path / name).write_bytes(b"half")
    for name in (old, f"{old}.wal"):
        os.utime(tmp_path / name, (0, 0))
    _, file = start(tmp_path / "run.duckdb", gas)
    file.close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.duckdb", young]


@pytest.fixture(scope="module")
def finished(tmp_path_factory, gas):
    path = tmp_path_factory.mktemp("finished") / "run.duckdb"
    world, file = start(path, gas)
    with file:
        Recorder(world, file).run(1.0, INTERVAL)
    return path.read_bytes()


def write_foreign(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE meta (name VARCHAR)")


def write_plain(path):
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE prices (price DOUBLE)")


def write_sqlite(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE meta (format)")
    connection.commit()
    connection.close()


def edit(statement):
    def apply(path, data):
        path.write_bytes(data)
        with duckdb.connect(str(path)) as connection:
            connection.execute(statement)

    return apply


def flip(position):
    def apply(path, data):
        changed = bytearray(data)
        changed[int(position * len(data))] ^= 0xFF
        path.write_bytes(bytes(changed))

    return apply


REFUSED = {
    "text": (lambda path, data: path.write_text("hello " * 999), "not even a DuckDB file"),
    "empty": (lambda path, data: path.write_bytes(b""), "not even a DuckDB file"),
    "sqlite": (lambda path, data: write_sqlite(path), "not even a DuckDB file"),
    "foreign meta": (lambda path, data: write_foreign(path), "not a carom run"),
    "foreign": (lambda path, data: write_plain(path), "not a carom run"),
    "other format": (edit("UPDATE meta SET format = 'other'"), "not a carom run"),
    "newer": (edit(f"UPDATE meta SET format_version = {FORMAT_VERSION + 1}"), "run format 3; this carom reads up to 2"),
    "older": (edit("UPDATE meta SET format_version = 1"), "run format 1; this carom reads 2"),
    "no contacts": (edit("DROP TABLE contacts"), "damaged: table contacts is missing"),
    "lost contact": (edit("DELETE FROM contacts WHERE contact = 3"), "contacts and checkpoints disagree"),
    "no checkpoints": (edit("DELETE FROM checkpoints"), "contacts and checkpoints disagree"),
    "cut to a header": (lambda path, data: path.write_bytes(data[:5000]), "truncated or damaged"),
    "cut in half": (lambda path, data: path.write_bytes(data[: len(data) // 2]), "damaged"),
    "one byte short": (lambda path, data: path.write_bytes(data[:-1]), "damaged"),
    "flipped early": (flip(0.2), "damaged"),
    "flipped late": (flip(0.9), "damaged"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_run_file_that_is_not_right_is_refused_and_left_untouched(tmp_path, finished, case):
    spoil, message = REFUSED[case]
    path = tmp_path / "run.duckdb"
    spoil(path, finished)
    before = everything(path)
    for opening in (RunFile.read, RunFile.resume):
        with pytest.raises(RunFileError, match=message) as caught:
            opening(path)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
    assert everything(path) == before


def test_run_file_with_a_damaged_write_ahead_log_is_refused_and_left_untouched(tmp_path, finished):
    path, kept = tmp_path / "run.duckdb", tmp_path / "kept"
    path.write_bytes(finished)
    with duckdb.connect(str(path)) as connection:
        connection.execute("INSERT INTO checkpoints SELECT 99, time, contacts, sha256, state FROM checkpoints LIMIT 1")
        kept.write_bytes(path.with_name("run.duckdb.wal").read_bytes())
    log = bytearray(kept.read_bytes())
    log[len(log) // 2] ^= 0xFF
    path.write_bytes(finished)
    path.with_name("run.duckdb.wal").write_bytes(bytes(log))
    before = everything(path)
    with pytest.raises(RunFileError, match="damaged"):
        RunFile.resume(path)
    assert everything(path) == before


def test_run_file_with_a_changed_state_is_refused_when_the_state_is_read(tmp_path, finished):
    path = tmp_path / "run.duckdb"
    edit("UPDATE checkpoints SET sha256 = 'other'")(path, finished)
    with RunFile.read(path) as file, pytest.raises(RunFileError, match="the state of checkpoint 4 has changed"):
        file.state()


def test_run_file_missing_or_a_folder_is_refused(tmp_path):
    with pytest.raises(RunFileError, match="no such run file"):
        RunFile.resume(tmp_path / "none.duckdb")
    with pytest.raises(RunFileError, match="cannot be read"):
        RunFile.read(tmp_path)
    assert not list(tmp_path.iterdir())


def test_run_file_that_exists_is_not_overwritten(tmp_path, finished, gas):
    path = tmp_path / "run.duckdb"
    path.write_bytes(finished)
    with pytest.raises(RunFileError, match="already exists; continue it with --resume, or choose another name"):
        start(path, gas)
    assert path.read_bytes() == finished


def test_run_file_beside_a_foreign_write_ahead_log_is_refused(tmp_path, gas):
    (tmp_path / "run.duckdb.wal").write_bytes(b"x")
    with pytest.raises(RunFileError, match=r"run\.duckdb\.wal of another run is in the way"):
        start(tmp_path / "run.duckdb", gas)


def test_run_file_in_a_missing_folder_is_refused(tmp_path, gas):
    with pytest.raises(RunFileError, match="there is no folder"):
        start(tmp_path / "none" / "run.duckdb", gas)


def test_run_file_in_use_by_another_process_is_refused(tmp_path, finished):
    path = tmp_path / "run.duckdb"
    path.write_bytes(finished)
    code = f"import duckdb, time; c = duckdb.connect({str(path)!r}); print('open', flush=True); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        with pytest.raises(RunFileError, match="in use by another process"):
            RunFile.resume(path)
    finally:
        child.kill()
        child.wait()
        child.stdout.close()


def test_pack_shapes_round_trips_every_kind_bit_for_bit():
    rng = np.random.default_rng(9)
    shapes = [
        Sphere(0.1),
        Box([1.0, 2.0, 0.3]),
        *(HalfSpace(rng.standard_normal(3), rng.standard_normal()) for _ in range(20)),
        Convex(rng.standard_normal((20, 3))),
        Mesh(rng.standard_normal((5, 3)), [[0, 1, 2], [2, 3, 4]]),
    ]
    for before, after in zip(shapes, unpack_shapes(pack_shapes(shapes)), strict=True):
        assert type(before) is type(after)
        for field in ("radius", "extents", "normal", "offset", "vertices", "faces"):
            if hasattr(before, field):
                assert np.array_equal(getattr(before, field), getattr(after, field))


def test_unpack_shapes_refuses_damaged_bytes():
    data = pack_shapes([Sphere(1.0)])
    with pytest.raises(RunFileError, match="damaged"):
        unpack_shapes(data[: len(data) // 2])


def test_multiples_are_exact_products_and_end_with_the_end():
    assert list(_multiples(0.0, 1.0, 0.1)) == [k * 0.1 for k in range(1, 10)] + [1.0]
    assert list(_multiples(0.25, 0.7, 0.25)) == [0.5, 0.7]
    assert list(_multiples(0.3, 0.3, 0.1)) == []
    assert list(_multiples(0.0, 0.05, 0.1)) == [0.05]
    now = 3 * 0.1
    assert next(iter(_multiples(now, 1.0, 0.1))) == 4 * 0.1


def test_recorder_steps_do_not_change_the_log(gas, reference):
    for hz in (None, 30.0, 1000.0):
        logs = []
        world = gas.build()
        recorder = Recorder(_Tap(world, logs))
        recorder.run(UNTIL, INTERVAL, hz)
        assert recorder.contacts == len(reference)
        assert ContactLog.concatenate(logs).identical(reference)


class _Tap:
    """A world that remembers what its `advance` returned."""

    def __init__(self, world, logs):
        self._world, self._logs = world, logs

    @property
    def time(self):
        return self._world.time

    def next_event_time(self):
        return self._world.next_event_time()

    def advance(self, until):
        self._logs.append(self._world.advance(until))
        return self._logs[-1]


@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_export_run_writes_every_table_as_it_is(tmp_path, finished, form):
    path, folder = tmp_path / "run.duckdb", tmp_path / "it's out"
    path.write_bytes(finished)
    written = export_run(path, folder, form)
    assert sorted(p.name for p in written) == sorted(
        [f"{t}.{form}" for t in ("bodies", "contacts", "checkpoints")] + ["scene.json"]
    )
    with RunFile.read(path) as file:
        log = file.contacts()
    quoted = str(folder / f"contacts.{form}").replace("'", "''")
    table = duckdb.sql(f"SELECT * FROM '{quoted}' ORDER BY contact").fetchnumpy()
    assert np.array_equal(table["time"], log.times)
    assert np.array_equal(table["nz"], log.normals[:, 2])
    assert np.array_equal(table["b"], log.b)


def test_export_run_overwrites_nothing(tmp_path, finished):
    path = tmp_path / "run.duckdb"
    path.write_bytes(finished)
    (tmp_path / "contacts.csv").write_text("mine")
    with pytest.raises(RunFileError, match=r"contacts\.csv: already exists"):
        export_run(path, tmp_path, "csv")
    assert (tmp_path / "contacts.csv").read_text() == "mine"
    assert not (tmp_path / "bodies.csv").exists()
