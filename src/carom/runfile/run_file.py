"""A run file: create, continue or read it; contacts and state are committed together, at checkpoints only."""

from __future__ import annotations

import contextlib
import datetime
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb
import numpy as np
from numpy.typing import NDArray

from carom.errors import RunFileError
from carom.files.atomic import numbered
from carom.runfile import format as layout
from carom.runfile.checkpoint import Checkpoint, read_checkpoints, unpack_state, write_checkpoint
from carom.runfile.columns import gathered, insert, spread
from carom.runfile.database import DATABASE, enter, not_written, open_for_writing
from carom.runfile.inspection import connect_checked
from carom.runfile.open_file import OpenFile
from carom.runfile.pack import pack_shapes, unpack_shapes
from carom.runfile.watch import Watch
from carom.runfile.whole_file import refuse_taken, write_whole_file
from carom.types import ContactLog

_ADVICE = "continue it with --resume, or choose another name"  # Advice if a run file exists already


class RunFile(OpenFile):
    """An open run file. Use `create`, `resume` or `read`; close it, or use it in a `with` block."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection, *, writable: bool = False) -> None:
        super().__init__(path, connection)
        self._in_transaction = False
        last = self.checkpoints()[-1]
        self._saved = last
        self._n_contacts = last.contacts
        self._watch = Watch(path) if writable else None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self.abandon()

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
        number: bool = False,
    ) -> Self:
        """Make a new run file with the scene and a checkpoint at time 0; RunFileError if there is one already.

        interval: simulated seconds between checkpoints. world: the options the world was built with. state: its snapshot at
        time 0. number: where the name is taken, take the next free one, with -2, -3 and so on before its ending; default
        False. Of several processes that ask for one name at the same time, one gets it.
        """

        def fill(connection: duckdb.DuckDBPyConnection) -> None:
            _write_scene(connection, record, interval, world, version)
            write_checkpoint(connection, Checkpoint(0, 0.0, 0), state)

        path = Path(path)
        if not number:
            cls.refuse_existing(path)
        names = numbered(path) if number else [path]
        return cls._writing(write_whole_file(names, layout.RUN, fill, _ADVICE))

    @staticmethod
    def refuse_existing(path: Path) -> None:
        """Raise RunFileError if a new run file cannot be made at `path`, without changing anything."""
        refuse_taken(path, _ADVICE)

    @classmethod
    def resume(cls, path: str | Path) -> Self:
        """Open a run file to continue it from its last checkpoint; RunFileError, with the file untouched, if that fails."""
        return cls.read(path).writable()

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Open a run file for reading; RunFileError, with the file untouched, if that fails."""
        path = Path(path)
        return cls(path, connect_checked(path))

    def writable(self) -> Self:
        """Return the same file opened for continuation, and close this reader. Only now the file may change.

        RunFileError if another process has continued it since this reader was opened.
        """
        self.close()
        again = self._writing(self.path)
        if again._saved != self._saved:
            again.abandon()
            raise RunFileError(f"{self.path}: was continued by another process meanwhile; try again")
        return again

    @classmethod
    def _writing(cls, path: Path) -> Self:
        connection = open_for_writing(path)
        try:
            enter(connection)
            return cls(path, connection, writable=True)
        except duckdb.Error as error:
            connection.close()
            raise RunFileError(not_written(path, error)) from None
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Close the file; contacts appended since the last checkpoint are dropped.

        RunFileError if the writing cannot be completed, or the file no longer exists.
        """
        if self._watch is None:
            super().close()
            return
        try:
            with self._changing():
                if self._in_transaction:
                    self._connection.execute("ROLLBACK")
                self._connection.execute(f"CHECKPOINT {DATABASE}")
        finally:
            self.abandon()
        self._verify()

    def abandon(self) -> None:
        """Close the file after an error; contacts appended since the last checkpoint are dropped."""
        # No ROLLBACK: closing implies it, and after Ctrl-C inside a COMMIT there may be nothing to roll back.
        self._in_transaction = False
        self._watch = None
        super().close()

    @property
    def interval(self) -> float:
        """Simulated seconds between checkpoints."""
        return float(self._one("SELECT checkpoint_interval FROM meta"))

    @property
    def world_options(self) -> dict[str, Any]:
        """Options with which the world was built."""
        return self._described("SELECT world FROM meta", "the record of the world's options")

    def checkpoints(self) -> list[Checkpoint]:
        """All checkpoints in time order; the first is at time 0."""
        return read_checkpoints(self._connection)

    def state(self, number: int | None = None) -> dict[str, NDArray[Any]]:
        """Return the snapshot of the world at a checkpoint, by default the last."""
        number = self.checkpoints()[-1].number if number is None else number
        query = "SELECT sha256, state FROM checkpoints WHERE checkpoint = ?"
        row = self._connection.execute(query, [number]).fetchone()
        if row is None:
            raise RunFileError(f"{self.path}: there is no checkpoint {number}")
        try:
            return unpack_state(number, *row)
        except RunFileError as error:
            raise self._damaged(str(error)) from None

    def scene_record(self) -> layout.SceneRecord:
        """Return the scene of the run; RunFileError if its parts do not fit together."""
        description = self._described("SELECT description FROM scene", "the description of its scene")
        try:
            shapes = unpack_shapes(self._one("SELECT shapes FROM scene"))
        except RunFileError as error:
            raise self._damaged(str(error)) from None
        table = self._connection.execute("SELECT * FROM bodies ORDER BY body").fetchnumpy()
        bodies = gathered(layout.BODY_COLUMNS, table)
        for column in ("shape", "mass", "body_group"):
            bodies[column] = np.asarray(table[column])
        wrong = (bodies["shape"] < 0) | (bodies["shape"] >= len(shapes))
        if wrong.any():
            body = int(np.argmax(wrong))
            raise self._damaged(f"body {body} has shape {bodies['shape'][body]} of {len(shapes)}")
        names = [name for (name,) in self._connection.execute("SELECT name FROM bodies ORDER BY body").fetchall()]
        return layout.SceneRecord(description, shapes, bodies, names)

    def contacts(self) -> ContactLog:
        """Return the contact log up to the last checkpoint."""
        table = self._connection.execute("SELECT * FROM contacts ORDER BY contact").fetchnumpy()
        return ContactLog(**gathered(layout.CONTACT_COLUMNS, table, layout.WHOLE_CONTACT_FIELDS))

    def append(self, log: ContactLog) -> None:
        """Append contacts to the log; they are stored by the next `checkpoint`, or lost with the process.

        RunFileError if they cannot be written, or if the file was deleted or truncated in the meantime.
        """
        if len(log) == 0:
            return
        with self._changing():
            self._begin()
            first = self._n_contacts
            columns = spread(layout.CONTACT_COLUMNS, lambda field: getattr(log, field))
            insert(self._connection, "contacts", {"contact": np.arange(first, first + len(log)), **columns})
        self._n_contacts += len(log)

    def checkpoint(self, time: float, state: Mapping[str, NDArray[Any]]) -> Checkpoint:
        """Save the state at `time` with all contacts appended so far, in one transaction. Errors as for `append`."""
        saved = Checkpoint(self._saved.number + 1, time, self._n_contacts)
        with self._changing():
            self._begin()
            write_checkpoint(self._connection, saved, state)
            self._connection.execute("COMMIT")
        self._in_transaction = False
        self._saved = saved
        return saved

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Around every change of the file: RunFileError if it was changed by others, or cannot be written."""
        if self._watch is None:
            raise RunFileError(f"{self.path}: is open for reading only; open it with RunFile.resume")
        self._watch.check()
        try:
            yield
        except duckdb.Error as error:
            kept = f"it keeps the run up to {self._saved.time:g} s, which can be resumed"
            raise RunFileError(f"{not_written(self.path, error)}; {kept}") from None
        self._watch.note()

    def _verify(self) -> None:
        """Raise RunFileError unless the closed file contains what was written."""
        with type(self).read(self.path) as file:
            if file._saved != self._saved:
                raise RunFileError(f"{self.path}: does not hold what was written to it: was it changed meanwhile?")

    def _begin(self) -> None:
        if not self._in_transaction:
            self._connection.execute("BEGIN TRANSACTION")
            self._in_transaction = True

    def _one(self, query: str) -> Any:
        return self._connection.execute(query).fetchone()[0]


def _write_scene(
    connection: duckdb.DuckDBPyConnection,
    record: layout.SceneRecord,
    interval: float,
    world: Mapping[str, Any],
    version: str,
) -> None:
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
