"""Run files that somebody made to do harm, or that do not fit together: one clear refusal by every reader."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile

import duckdb
import numpy as np
import pytest

from carom.cli.run import RunRequest
from carom.cli.run import execute as execute_run
from carom.cli.terminal.output import aside
from carom.deform import check
from carom.errors import InvalidInputError, RunFileError
from carom.io import export_run
from carom.runfile import CHECK, RUN, CheckFile, Recorder, RunFile, holds
from carom.runfile.pack import pack_arrays, pack_shapes, unpack_arrays
from carom.scenes import scene
from carom.shapes import Sphere
from carom.view import replay_file
from carom.view.draw.account import account_of
from scenarios.animation_samples import falling, still


@pytest.fixture(scope="module")
def run_bytes(tmp_path_factory):
    path = tmp_path_factory.mktemp("run") / "run.duckdb"
    made = scene("billiards", seed=1)
    world = made.build(broad="all-pairs")
    options = {"broad": "all-pairs"}
    with RunFile.create(path, made.record(), interval=0.25, world=options, state=world.snapshot(), version="0") as file:
        Recorder(world, file).run(1.0, 0.25)
    return path.read_bytes()


@pytest.fixture(scope="module")
def check_bytes(tmp_path_factory):
    path = tmp_path_factory.mktemp("check") / "check.duckdb"
    bodies = [falling(), still()]
    CheckFile.write(path, bodies, check(bodies), source={"until": None}, version="0")
    return path.read_bytes()


def spoilt(path, data, *statements):
    """The file with changes that DuckDB makes."""
    path.write_bytes(data)
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            if callable(statement):
                statement(connection)
            else:
                connection.execute(statement)
    return path


def readers(path, folder):
    """Every way in which carom reads a run file."""
    yield "inspection", lambda: RunFile.read(path).close()
    yield "export", lambda: export_run(path, folder / "out", "csv")
    yield "view", lambda: replay_file(path)
    yield "plot", lambda: account_of(path)
    request = RunRequest("billiards", out=path, resume=True, until=1.25)
    yield "resume", lambda: execute_run(request, aside())


def look_alike(text):
    """A view that has the columns of contacts, and the text in one of them."""
    return (
        "ALTER TABLE contacts RENAME TO kept",
        f"CREATE VIEW contacts AS SELECT * REPLACE ({text} AS status) FROM kept",
        "UPDATE kept SET contact = contact",
    )


CRAFTED = {
    "a view that reads a file": (
        (
            "DROP TABLE contacts",
            "CREATE VIEW contacts AS SELECT 0::BIGINT AS contact, 0.0::DOUBLE AS time, 0 AS a, 1 AS b, content AS x FROM "
            "read_text('SECRET')",
        ),
        "holds the view 'contacts'",
    ),
    "a view with the right columns": (look_alike("(SELECT size FROM read_text('SECRET'))"), "holds the view 'contacts'"),
    "a view without an end": (
        (
            "ALTER TABLE scene RENAME TO kept",
            "CREATE VIEW scene AS WITH RECURSIVE more AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM more) "
            "SELECT k.* FROM kept k, more",
        ),
        "holds the view 'scene'",
    ),
    "meta is a view": (
        ("ALTER TABLE meta RENAME TO kept", "CREATE VIEW meta AS SELECT * FROM kept"), "holds the view 'meta'"
    ),
    "a function of a built-in name": (("CREATE MACRO count(x) AS 42",), "holds the function 'count'"),
    "a function that hides the catalogue": (
        ("CREATE MACRO duckdb_tables() AS TABLE SELECT 'run' AS database_name",), "holds the function 'duckdb_tables'"
    ),
    "a sequence": (("CREATE SEQUENCE s",), "holds the sequence 's'"),
    "a type": (("CREATE TYPE mood AS ENUM ('a', 'b')",), "holds the type 'mood'"),
    "an index": (("CREATE INDEX i ON contacts (contact)",), "holds the index 'i'"),
    "another schema": (("CREATE SCHEMA other", "CREATE TABLE other.contacts (a INTEGER)"), "holds the schema 'other'"),
    "a computed column": (("ALTER TABLE contacts ALTER status SET DEFAULT 3",), r"contacts\.status is computed"),
    "a generated column": (
        (
            "DROP TABLE scene",
            "CREATE TABLE scene (shapes BLOB, description VARCHAR GENERATED ALWAYS AS (shapes::VARCHAR))",
        ),
        r"scene\.description is computed",
    ),
    "a dropped column of bodies": (("ALTER TABLE bodies DROP mass",), "table bodies has other columns"),
    "a column of another type": (
        ("ALTER TABLE contacts ALTER time TYPE VARCHAR",), "table contacts has other columns"
    ),
    "another column": (("ALTER TABLE contacts ADD more INTEGER",), "table contacts has other columns"),
    "two rows in scene": (("INSERT INTO scene SELECT * FROM scene",), "meta and scene should have one row each"),
    "no row in scene": (("DELETE FROM scene",), "meta and scene should have one row each"),
    "a body without a place": (("UPDATE bodies SET x = NULL WHERE body = 3",), "a value is missing in table bodies"),
    "a body at infinity": (("UPDATE bodies SET x = 'inf' WHERE body = 3",), "no finite place"),
    "a negative mass": (("UPDATE bodies SET mass = -1 WHERE body = 3",), "a mass is not above 0"),
    "a mass that is none": (("UPDATE bodies SET mass = 'nan' WHERE body = 3",), "a mass is not above 0|is missing"),
    "a body twice": (("UPDATE bodies SET body = 3 WHERE body = 4",), "bodies are not numbered"),
    "no version": (("UPDATE meta SET format_version = NULL",), "no format version"),
    "no interval": (("UPDATE meta SET checkpoint_interval = NULL",), "a value is missing in table meta"),
    "interval 0": (("UPDATE meta SET checkpoint_interval = 0",), "interval is not a number above 0"),
    "interval nan": (("UPDATE meta SET checkpoint_interval = 'nan'",), "interval is not a number above 0"),
    "interval -1": (("UPDATE meta SET checkpoint_interval = -1",), "interval is not a number above 0"),
    "a contact twice": (("UPDATE contacts SET contact = 3 WHERE contact = 4",), "contacts and checkpoints disagree"),
    "a contact of nobody": (("UPDATE contacts SET a = 99 WHERE contact = 4",), "names a body that there is not"),
    "a contact of body -1": (("UPDATE contacts SET b = -1 WHERE contact = 4",), "names a body that there is not"),
    "a contact at no time": (("UPDATE contacts SET time = NULL WHERE contact = 4",), "a value is missing"),
    "a contact at infinity": (("UPDATE contacts SET time = 'inf' WHERE contact = 4",), "a contact has no finite time"),
    "a checkpoint twice": (("INSERT INTO checkpoints SELECT * FROM checkpoints",), "checkpoints are not numbered"),
    "a checkpoint out of order": (("UPDATE checkpoints SET time = 9 WHERE checkpoint = 1",), "not in order"),
    "a checkpoint before 0": (("UPDATE checkpoints SET time = -9 WHERE checkpoint = 0",), "not in order"),
    "a checkpoint at infinity": (("UPDATE checkpoints SET time = 'inf' WHERE checkpoint = 4",), "no finite time"),
    "more rows than bytes": (
        (
            "INSERT INTO contacts SELECT 0, 0.5, 0, 1, 0, 0, 0, 0, 0, 1, 1, -1, -1, 0 FROM range(6000000)",
            "CHECKPOINT",
        ),
        "rows in a file of",
    ),
}  # fmt: skip
BY_EVERY_READER = ("a view that reads a file", "a view without an end", "meta is a view", "a function of a built-in name",
                   "a contact of nobody")  # fmt: skip


@pytest.mark.parametrize("case", CRAFTED)
def test_run_file_that_carom_did_not_write_is_refused(tmp_path, run_bytes, case):
    statements, message = CRAFTED[case]
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    path = spoilt(tmp_path / "run.duckdb", run_bytes, *(text.replace("SECRET", str(secret)) for text in statements))
    before = path.read_bytes()
    for name, read in readers(path, tmp_path):
        if name != "inspection" and case not in BY_EVERY_READER:
            continue
        with pytest.raises(RunFileError, match=message) as caught:
            read()
        assert "\n" not in str(caught.value), name
    assert path.read_bytes() == before
    assert not list(tmp_path.rglob("*.csv"))


def described(**changes):
    """Changes the description of the scene; None takes a part away."""

    def apply(connection):
        (text,) = connection.execute("SELECT description FROM scene").fetchone()
        changed = {key: value for key, value in {**json.loads(text), **changes}.items() if value is not None}
        connection.execute("UPDATE scene SET description = ?", [json.dumps(changed)])

    return apply


def with_state(change):
    """Replaces the state of the last checkpoint by what change makes of it, with the hash that belongs to it."""

    def apply(connection):
        number, state = connection.execute(
            "SELECT checkpoint, state FROM checkpoints ORDER BY checkpoint DESC LIMIT 1"
        ).fetchone()
        data = change(state)
        values = [data, hashlib.sha256(data).hexdigest(), number]
        connection.execute("UPDATE checkpoints SET state = ?, sha256 = ? WHERE checkpoint = ?", values)

    return apply


def with_shapes(data):
    return lambda connection: connection.execute("UPDATE scene SET shapes = ?", [data])


def bomb(state):
    """Arrays that are a thousand times as large as their bytes."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, body=np.zeros(10_000_000))
    return buffer.getvalue()


def lying(state):
    """An array that claims more numbers than there are."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, archive.open("body.npy", "w") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (10**13,)})
        file.write(bytes(80))
    return buffer.getvalue()


def earlier(state):
    """The same world with its clock at another time."""
    arrays = unpack_arrays(state)
    arrays["clock"] = arrays["clock"].copy()
    arrays["clock"][3] -= 0.125
    return pack_arrays(arrays)


UNFIT = {
    "description that is no JSON": (("UPDATE scene SET description = '{'",), "the description of its scene"),
    "description that is no object": (("UPDATE scene SET description = '[1]'",), "no JSON object"),
    "description too deep": (
        (f"UPDATE scene SET description = '{'[' * 50_000}'",), "the description of its scene cannot be read"
    ),
    "no name": ((described(name=None),), "its scene: 'name'"),
    "a name that is a list": ((described(name=[1]),), r"its scene: name is \[1\]"),
    "a name that moves the cursor": ((described(name="\x1b[2J"),), "its scene: name is"),
    "no response": ((described(response=None),), "its scene: 'response'"),
    "an unknown response": ((described(response={"kind": "magic"}),), "its scene: response is 'magic'"),
    "until -1": ((described(until=-1.0),), "its scene: until is -1.0"),
    "until infinity": ((described(until=float("inf")),), "its scene: until is inf"),
    "an unknown option": (("""UPDATE meta SET world = '{"magic": 1}'""",), "no option of a world is called 'magic'"),
    "an option of another type": (("""UPDATE meta SET world = '{"broad": 7}'""",), "state of checkpoint 4"),
    "options that are no object": (("UPDATE meta SET world = '7'",), "no JSON object"),
    "a shape that there is not": (("UPDATE bodies SET shape = 99 WHERE body = 2",), "body 2 has shape 99"),
    "shapes that are none": ((with_shapes(b"none"),), "damaged"),
    "one shape of another kind": ((with_shapes(pack_shapes([Sphere(1.0)])),), "has shape"),
    "shapes that are shorter than they say": (
        (with_shapes(pack_arrays({"kind": np.zeros(9, np.int64), "n_floats": np.full(9, 7), "n_ints": np.zeros(9, np.int64),
                                  "floats": np.zeros(3), "ints": np.zeros(0, np.int64)})),),
        "shapes are damaged",
    ),
}  # fmt: skip
STATES = {
    "a state that is none": (with_state(lambda state: b"none"), "the state of checkpoint 4: arrays are damaged"),
    "an empty state": (with_state(lambda state: pack_arrays({})), "state of checkpoint 4"),
    "a compressed state": (with_state(bomb), "larger than the bytes|compressed"),
    "a state that lies": (with_state(lying), "does not fit its"),
    "a state of another time": (
        with_state(earlier),
        "checkpoint 4.*the time to be the origin and the present together",
    ),
    "a changed state": ("UPDATE checkpoints SET sha256 = 'other'", "has changed"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_run_file_whose_scene_does_not_fit_is_refused_by_whoever_uses_it(tmp_path, run_bytes, case):
    statements, message = UNFIT[case]
    path = spoilt(tmp_path / "run.duckdb", run_bytes, *statements)
    before = path.read_bytes()
    for name, read in readers(path, tmp_path):
        if name in ("inspection", "export"):
            continue
        with pytest.raises(RunFileError, match="damaged") as caught:
            read()
        assert "\n" not in str(caught.value), name
        if name != "view":  # which begins at another checkpoint
            caught.match(message)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"speed": "x", "seed": 1}, "speed is 'x'; expected a number"), ({"seed": 1}, "lacks its parameter speed")],
)
def test_run_file_whose_parameters_do_not_fit_the_built_in_scene_is_not_resumed(
    tmp_path, run_bytes, parameters, message
):
    path = spoilt(tmp_path / "run.duckdb", run_bytes, described(parameters=parameters))
    with pytest.raises(RunFileError, match=f"damaged: .*{message}"):
        execute_run(RunRequest("billiards", out=path, resume=True, until=1.25), aside())


@pytest.mark.parametrize("case", STATES)
def test_run_file_whose_state_does_not_fit_is_refused_by_whoever_uses_it(tmp_path, run_bytes, case):
    statement, message = STATES[case]
    path = spoilt(tmp_path / "run.duckdb", run_bytes, statement)
    before = path.read_bytes()
    for name, read in readers(path, tmp_path):
        if name in ("plot", "resume"):
            with pytest.raises(RunFileError, match=message) as caught:
                read()
            assert "\n" not in str(caught.value), name
    assert path.read_bytes() == before


CRAFTED_CHECKS = {
    "a view": (("DROP TABLE meshes", "CREATE VIEW meshes AS SELECT * FROM read_text('SECRET')"), "holds the view"),
    "a body without a mesh": (("DELETE FROM meshes WHERE body = 1",), "bodies and meshes disagree"),
    "a mesh twice": (("INSERT INTO meshes SELECT * FROM meshes",), "bodies and meshes disagree"),
    "no body": (("DELETE FROM bodies", "DELETE FROM meshes", "DELETE FROM contacts", "UPDATE meta SET contacts = 0"),
                "there is no body"),
    "a contact of nobody": (("UPDATE contacts SET a = 9",), "names a body that there is not"),
    "a contact of no triangle": (("UPDATE contacts SET face_a = 1000000",), "names a triangle that there is not"),
    "a kind": (("UPDATE contacts SET kind = 'magic'",), "of an unknown kind"),
    "times": (("UPDATE bodies SET first_time = 'nan'",), "a body has no finite times|is missing"),
    "until": (("""UPDATE meta SET source = '{"until": "never"}'""",), "until 'never'"),
    "source": (("UPDATE meta SET source = '7'",), "no JSON object"),
}  # fmt: skip


@pytest.mark.parametrize("case", CRAFTED_CHECKS)
def test_check_file_that_carom_did_not_write_is_refused_by_every_reader(tmp_path, check_bytes, case):
    statements, message = CRAFTED_CHECKS[case]
    path = spoilt(tmp_path / "check.duckdb", check_bytes, *statements)
    for read in (
        lambda: export_run(path, tmp_path / "out", "csv"),
        lambda: replay_file(path),
        lambda: account_of(path),
    ):
        with pytest.raises(RunFileError, match=f"{message}|not a carom run"):
            read()
    assert not list(tmp_path.rglob("*.csv"))


def test_check_file_with_another_mesh_or_other_counts_is_refused(tmp_path, check_bytes):
    path = spoilt(tmp_path / "check.duckdb", check_bytes, """UPDATE meta SET stats = '{"magic": 1}'""")
    with CheckFile.read(path) as file, pytest.raises(RunFileError, match="what the search did"):
        file.contacts()
    path.unlink()
    path = spoilt(tmp_path / "check.duckdb", check_bytes, "UPDATE bodies SET faces = faces + 5")
    with CheckFile.read(path) as file, pytest.raises(RunFileError, match="triangles; expected"):
        file.bodies()


def test_holds_looks_at_no_view(tmp_path, run_bytes, check_bytes):
    path = spoilt(tmp_path / "a.duckdb", run_bytes)
    assert holds(path, RUN)
    assert not holds(path, CHECK)
    path = tmp_path / "b.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE VIEW meta AS WITH RECURSIVE more AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM more) "
            "SELECT 'carom check' AS format FROM more"
        )
    assert not holds(path, CHECK)


def test_connection_of_a_run_file_reaches_no_other_file(tmp_path, run_bytes):
    path, other = tmp_path / "run.duckdb", tmp_path / "other.txt"
    path.write_bytes(run_bytes)
    other.write_text("secret")
    with RunFile.read(path) as file:
        assert file.connection.execute("SELECT count(*) FROM contacts").fetchone()[0] > 3
        for query in (f"SELECT * FROM read_text('{other}')", f"COPY meta TO '{tmp_path / 'x.csv'}'", "SET threads = 1"):
            with pytest.raises(duckdb.Error, match=r"disabled|locked"):
                file.connection.execute(query)


def test_own_tables_in_a_run_file_do_no_harm(tmp_path, run_bytes):
    path = spoilt(tmp_path / "run.duckdb", run_bytes, "CREATE TABLE notes AS SELECT 'mine' AS note")
    with RunFile.read(path) as file:
        assert file.connection.execute("SELECT note FROM notes").fetchone() == ("mine",)


def test_checkpoint_interval_that_makes_a_run_without_an_end_is_refused(tmp_path, run_bytes):
    path = spoilt(tmp_path / "run.duckdb", run_bytes, "UPDATE meta SET checkpoint_interval = 1e-300")
    request = RunRequest("billiards", out=path, resume=True, until=1.25)
    with pytest.raises(InvalidInputError, match="--checkpoint-every is 1e-300"):
        execute_run(request, aside())
