"""One run file: create, continue or read it; contacts and state are committed together, at checkpoints only."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import duckdb
import numpy as np
from numpy.typing import NDArray

from carom.errors import RunFileError
from carom.runfile import format as layout
from carom.runfile.columns import gathered, insert, spread
from carom.runfile.inspection import CONFIG, connect_checked
from carom.runfile.open_file import OpenFile
from carom.runfile.pack import pack_arrays, pack_shapes, unpack_arrays, unpack_shapes
from carom.runfile.whole_file import refuse_taken, whole_file
from carom.types import ContactLog


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """A time at which the whole state was saved, and the length of the contact log then."""

    number: int
    time: float
    contacts: int


class RunFile(OpenFile):
    """An open run file. Use `create`, `resume` or `read`; close it, or use it in a `with` block."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        super().__init__(path, connection)
        self._in_transaction = False
        last = self.checkpoints()[-1]
        self._n_checkpoints, self._n_contacts = last.number + 1, last.contacts

    @classmethod
    def create(
        cls,
        path: str | Path,
        record: layout.SceneRecord,
        *,
        interval: float,
        world: Mapping[str, Any],
        state: Mapping[str, NDArray[Any]],
        version: str,
    ) -> Self:
        """Make a new run file with the scene and a checkpoint at time 0; RunFileError if there is one already.

        `world` are the options the world was built with, `state` its snapshot at time 0.
        """
        path = Path(path)
        cls.refuse_existing(path)
        with whole_file(path) as connection:
            _write_scene(connection, record, interval, world, version)
            _write_checkpoint(connection, Checkpoint(0, 0.0, 0), state)
        return cls(path, _connect(path))

    @staticmethod
    def refuse_existing(path: Path) -> None:
        """RunFileError when a new run file cannot be made at `path`; nothing is changed."""
        refuse_taken(path, "continue it with --resume, or choose another name")

    @classmethod
    def resume(cls, path: str | Path) -> Self:
        """Open a run file to continue it from its last checkpoint; RunFileError (file untouched) if it cannot be."""
        return cls.read(path).writable()

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Open a run file for reading; RunFileError (file untouched) if it cannot be."""
        path = Path(path)
        return cls(path, connect_checked(path))

    def writable(self) -> Self:
        """The same file opened to be continued; this reader is closed. Only now the file may change."""
        self.close()
        return type(self)(self.path, _connect(self.path))

    def close(self) -> None:
        """Close the file; contacts appended since the last checkpoint are dropped."""
        # No ROLLBACK: closing implies it, and after Ctrl-C inside a COMMIT there may be nothing to roll back.
        self._in_transaction = False
        super().close()

    @property
    def interval(self) -> float:
        """Simulated seconds between checkpoints."""
        return float(self._one("SELECT checkpoint_interval FROM meta"))

    @property
    def world_options(self) -> dict[str, Any]:
        """The options the world was built with."""
        options: dict[str, Any] = json.loads(self._one("SELECT world FROM meta"))
        return options

    def checkpoints(self) -> list[Checkpoint]:
        """All checkpoints in time order; the first is at time 0."""
        query = "SELECT checkpoint, time, contacts FROM checkpoints ORDER BY checkpoint"
        return [Checkpoint(*row) for row in self._connection.execute(query).fetchall()]

    def state(self, number: int | None = None) -> dict[str, NDArray[Any]]:
        """The world's snapshot at a checkpoint, by default the last."""
        number = self.checkpoints()[-1].number if number is None else number
        query = "SELECT sha256, state FROM checkpoints WHERE checkpoint = ?"
        row = self._connection.execute(query, [number]).fetchone()
        if row is None:
            raise RunFileError(f"{self.path}: there is no checkpoint {number}")
        if hashlib.sha256(row[1]).hexdigest() != row[0]:
            raise RunFileError(f"{self.path}: the run file is damaged: the state of checkpoint {number} has changed")
        return unpack_arrays(row[1])

    def scene_record(self) -> layout.SceneRecord:
        """The scene that was run."""
        description, shapes = self._connection.execute("SELECT description, shapes FROM scene").fetchone()
        table = self._connection.execute("SELECT * FROM bodies ORDER BY body").fetchnumpy()
        bodies = gathered(layout.BODY_COLUMNS, table)
        for column in ("shape", "mass", "body_group"):
            bodies[column] = np.asarray(table[column])
        names = [name for (name,) in self._connection.execute("SELECT name FROM bodies ORDER BY body").fetchall()]
        return layout.SceneRecord(json.loads(description), unpack_shapes(shapes), bodies, names)

    def contacts(self) -> ContactLog:
        """The whole contact log up to the last checkpoint, in order."""
        table = self._connection.execute("SELECT * FROM contacts ORDER BY contact").fetchnumpy()
        return ContactLog(**gathered(layout.CONTACT_COLUMNS, table, layout.WHOLE_CONTACT_FIELDS))

    def append(self, log: ContactLog) -> None:
        """Add contacts to the log; they are kept by the next `checkpoint`, or lost with the process."""
        if len(log) == 0:
            return
        self._begin()
        first = self._n_contacts
        columns = spread(layout.CONTACT_COLUMNS, lambda field: getattr(log, field))
        insert(self._connection, "contacts", {"contact": np.arange(first, first + len(log)), **columns})
        self._n_contacts += len(log)

    def checkpoint(self, time: float, state: Mapping[str, NDArray[Any]]) -> Checkpoint:
        """Save the state at `time` and keep all contacts appended so far, in one transaction."""
        self._begin()
        saved = Checkpoint(self._n_checkpoints, time, self._n_contacts)
        _write_checkpoint(self._connection, saved, state)
        self._connection.execute("COMMIT")
        self._in_transaction = False
        self._n_checkpoints += 1
        return saved

    def _begin(self) -> None:
        if not self._in_transaction:
            self._connection.execute("BEGIN TRANSACTION")
            self._in_transaction = True

    def _one(self, query: str) -> Any:
        return self._connection.execute(query).fetchone()[0]


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    try:
        return duckdb.connect(str(path), config=CONFIG)
    except duckdb.Error as error:
        raise RunFileError(f"{path}: cannot be written: {str(error).splitlines()[0]}") from None


def _write_scene(
    connection: duckdb.DuckDBPyConnection,
    record: layout.SceneRecord,
    interval: float,
    world: Mapping[str, Any],
    version: str,
) -> None:
    for table, definition in layout.TABLES.items():
        connection.execute(f"CREATE TABLE {table} ({definition})")
    created = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    name, options = record.description["name"], json.dumps(dict(world))
    meta = [layout.RUN.format, layout.FORMAT_VERSION, version, created, name, interval, options]
    connection.execute("INSERT INTO meta VALUES (?, ?, ?, ?, ?, ?, ?)", meta)
    scene = [json.dumps(record.description), pack_shapes(record.shapes)]
    connection.execute("INSERT INTO scene VALUES (?, ?)", scene)
    body = record.bodies
    about = {
        "body": np.arange(len(body["mass"]), dtype=np.int32),
        "name": np.array(record.names, dtype=object),
        "shape": body["shape"],
        "mass": body["mass"],
        "body_group": body["body_group"],
    }
    insert(connection, "bodies", {**about, **spread(layout.BODY_COLUMNS, body.__getitem__)})


def _write_checkpoint(
    connection: duckdb.DuckDBPyConnection, saved: Checkpoint, state: Mapping[str, NDArray[Any]]
) -> None:
    data = pack_arrays(state)
    values = [saved.number, saved.time, saved.contacts, hashlib.sha256(data).hexdigest(), data]
    connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", values)
