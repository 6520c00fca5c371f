"""A checked animation in one DuckDB file: bodies, contacts with their triangles, and the parameters of the check."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import duckdb
import numpy as np

from carom.deform.model.contact_log import KIND_NAMES, DeformContacts, DeformStats
from carom.errors import CaromError
from carom.motion import Deforming
from carom.runfile.columns import gathered, insert, spread
from carom.runfile.format import Layout, complete, counted_from_0, finite, within
from carom.runfile.inspection import connect_checked
from carom.runfile.open_file import OpenFile
from carom.runfile.pack import pack_arrays, unpack_arrays
from carom.runfile.whole_file import refuse_taken, write_whole_file
from carom.validate import few

_TABLES = {
    "meta": """
        format VARCHAR, format_version INTEGER, carom_version VARCHAR, created TIMESTAMP, source VARCHAR,
        stats VARCHAR, contacts BIGINT""",
    "bodies": """
        body INTEGER, name VARCHAR, vertices INTEGER, faces INTEGER, keys INTEGER, first_time DOUBLE,
        last_time DOUBLE""",
    "meshes": "body INTEGER, sha256 VARCHAR, arrays BLOB",
    "contacts": """
        contact BIGINT, time DOUBLE, a INTEGER, b INTEGER, face_a INTEGER, face_b INTEGER, kind VARCHAR,
        x DOUBLE, y DOUBLE, z DOUBLE, nx DOUBLE, ny DOUBLE, nz DOUBLE, speed DOUBLE, key INTEGER, fraction DOUBLE,
        a0 DOUBLE, a1 DOUBLE, a2 DOUBLE, b0 DOUBLE, b1 DOUBLE, b2 DOUBLE""",
}
"""`bodies.keys` is 1 for a body at rest. `contacts.contact` counts from 0 in time order; key is the interval, from that key to
the next, fraction the position in it; a0 to b2 are the barycentric weights of the point in both triangles, NaN for bodies
that overlapped at the start.
"""

_OF_BOTH = """run.main.contacts JOIN run.main.bodies AS body_a ON a = body_a.body
    JOIN run.main.bodies AS body_b ON b = body_b.body"""
"""Contacts joined with their two bodies."""
CHECK = Layout(
    "check",
    1,
    _TABLES,
    {
        "meta should have one row": "SELECT count(*) = 1 FROM run.main.meta",
        **{f"a value is missing in table {table}": complete(table, columns) for table, columns in _TABLES.items()},
        "bodies are not numbered from 0 on": counted_from_0("bodies", "body"),
        "there is no body": "SELECT count(*) > 0 FROM run.main.bodies",
        "a body has no finite times": finite("bodies", _TABLES["bodies"]),
        "bodies and meshes disagree": counted_from_0("meshes", "body", "(SELECT count(*) FROM run.main.bodies)"),
        "contacts and meta disagree": counted_from_0("contacts", "contact", "(SELECT contacts FROM run.main.meta)"),
        "a contact has no finite time": "SELECT coalesce(bool_and(isfinite(time)), true) FROM run.main.contacts",
        "a contact names a body that there is not": within("contacts", ("a", "b"), "bodies"),
        "a contact names a triangle that there is not": f"""SELECT coalesce(bool_and(face_a BETWEEN 0 AND body_a.faces - 1
            AND face_b BETWEEN 0 AND body_b.faces - 1), true) FROM {_OF_BOTH}""",
        "a contact is of an unknown kind": f"SELECT coalesce(bool_and(kind IN {KIND_NAMES}), true) FROM run.main.contacts",
    },
)

_COLUMNS = {
    "times": ("time",), "body_a": ("a",), "body_b": ("b",), "face_a": ("face_a",), "face_b": ("face_b",),
    "points": ("x", "y", "z"), "normals": ("nx", "ny", "nz"), "speeds": ("speed",), "keys": ("key",),
    "fractions": ("fraction",), "barycentric_a": ("a0", "a1", "a2"), "barycentric_b": ("b0", "b1", "b2"),
}  # fmt: skip
"""Fields of DeformContacts and their columns; kinds are stored as words."""

_ADVICE = "choose another name"  # Advice if a file exists already

_WHOLE = ("body_a", "body_b", "face_a", "face_b", "keys")


class CheckFile(OpenFile):
    """An open file of a check. Use `write` to make one, `read` to open it; close it, or use it in a `with` block."""

    @staticmethod
    def refuse_existing(path: Path) -> None:
        """Raise RunFileError if a new file cannot be made at `path`, without changing anything."""
        refuse_taken(path, _ADVICE)

    @classmethod
    def write(
        cls,
        path: str | Path,
        bodies: Sequence[Deforming],
        contacts: DeformContacts,
        *,
        source: Mapping[str, Any],
        version: str,
    ) -> None:
        """Write a complete file; `source` describes what was checked and how, in plain values.

        RunFileError if the file exists or cannot be written.
        """
        path = Path(path)
        cls.refuse_existing(path)
        write_whole_file(
            [path], CHECK, lambda connection: _fill(connection, bodies, contacts, source, version), _ADVICE
        )

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Open a file for reading; RunFileError, with the file untouched, if it is not a check or is damaged."""
        path = Path(path)
        return cls(path, connect_checked(path, CHECK))

    def source(self) -> dict[str, Any]:
        """What was checked and how."""
        found = self._described("SELECT source FROM meta", "the record of what was checked")
        until = found.get("until")
        if until is not None and not (isinstance(until, int | float) and math.isfinite(until)):
            raise self._damaged(f"it was checked until {until!r}")
        return found

    def title(self) -> str:
        """The name of the animation, or of the bodies."""
        return str(self.source().get("animation") or few([name for name, _, _ in self.spans()], 3))

    def bodies(self) -> list[Deforming]:
        """Return the bodies, bit for bit as they were checked; RunFileError if their arrays are damaged."""
        query = """SELECT coalesce(name, 'body ' || body), faces, sha256, arrays
            FROM bodies JOIN meshes USING (body) ORDER BY body"""
        found = []
        for name, faces, digest, data in self._connection.execute(query).fetchall():
            if hashlib.sha256(data).hexdigest() != digest:
                raise self._damaged(f"the mesh of {name} has changed")
            try:
                found.append(Deforming(**unpack_arrays(data), name=name))
            except (CaromError, TypeError) as error:
                raise self._damaged(f"the mesh of {name}: {error}") from None
            if len(found[-1].faces) != faces:
                raise self._damaged(f"the mesh of {name} has {len(found[-1].faces)} triangles; expected {faces}")
        return found

    def spans(self) -> list[tuple[str, float, float]]:
        """Return name, first and last time of every body, s, without reading the meshes."""
        return list(
            self._connection.execute(
                "SELECT coalesce(name, 'body ' || body), first_time, last_time FROM bodies ORDER BY body"
            ).fetchall()
        )

    def contacts(self) -> DeformContacts:
        """Return all contacts in time order."""
        table = self._connection.execute("SELECT * FROM contacts ORDER BY contact").fetchnumpy()
        words = {word: kind for kind, word in enumerate(KIND_NAMES)}
        kinds = np.array([words[word] for word in table["kind"]], dtype=np.int64)
        try:
            stats = DeformStats(**self._described("SELECT stats FROM meta", "the record of what the search did"))
        except TypeError as error:
            raise self._damaged(f"the record of what the search did: {error}") from None
        fields: dict[str, Any] = gathered(_COLUMNS, table, _WHOLE)
        return DeformContacts(**fields, kinds=kinds, stats=stats)


def _fill(
    connection: duckdb.DuckDBPyConnection,
    bodies: Sequence[Deforming],
    contacts: DeformContacts,
    source: Mapping[str, Any],
    version: str,
) -> None:
    created = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    stats = json.dumps(vars(contacts.stats))
    meta = [CHECK.format, CHECK.version, version, created, json.dumps(dict(source)), stats, len(contacts)]
    connection.execute("INSERT INTO meta VALUES (?, ?, ?, ?, ?, ?, ?)", meta)
    for k, body in enumerate(bodies):
        _, vertices, _ = body.vertices.shape
        span = [float(body.times[0]), float(body.times[-1])]
        keys = 1 if body.is_still else len(body.times)
        row = [k, body.name or f"body {k}", vertices, len(body.faces), keys, *span]
        connection.execute("INSERT INTO bodies VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        data = pack_arrays({"faces": body.faces, "times": body.times, "vertices": body.vertices})
        connection.execute("INSERT INTO meshes VALUES (?, ?, ?)", [k, hashlib.sha256(data).hexdigest(), data])
    if len(contacts) == 0:
        return
    about = {"contact": np.arange(len(contacts)), "kind": np.array(KIND_NAMES, dtype=object)[contacts.kinds]}
    insert(connection, "contacts", {**about, **spread(_COLUMNS, lambda field: getattr(contacts, field))})
