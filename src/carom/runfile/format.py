"""The format of run files: tables, version, and the scene in plain arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from carom.shapes import Shape

FORMAT_VERSION = 2
"""Raised by every change that an older version of carom cannot read."""

TABLES = {
    "meta": """
        format VARCHAR, format_version INTEGER, carom_version VARCHAR, created TIMESTAMP, scene VARCHAR,
        checkpoint_interval DOUBLE, world VARCHAR""",
    "scene": "description VARCHAR, shapes BLOB",
    "bodies": """
        body INTEGER, name VARCHAR, shape INTEGER, mass DOUBLE, body_group INTEGER,
        x DOUBLE, y DOUBLE, z DOUBLE, vx DOUBLE, vy DOUBLE, vz DOUBLE, ax DOUBLE, ay DOUBLE, az DOUBLE,
        qw DOUBLE, qx DOUBLE, qy DOUBLE, qz DOUBLE, wx DOUBLE, wy DOUBLE, wz DOUBLE""",
    "contacts": """
        contact BIGINT, time DOUBLE, a INTEGER, b INTEGER, x DOUBLE, y DOUBLE, z DOUBLE,
        nx DOUBLE, ny DOUBLE, nz DOUBLE, speed DOUBLE, feature_a BIGINT, feature_b BIGINT, status INTEGER""",
    "checkpoints": "checkpoint INTEGER, time DOUBLE, contacts BIGINT, sha256 VARCHAR, state BLOB",
}
"""Columns of each table. `contacts.contact` counts from 0 in the order of the log; a checkpoint's `contacts` is the length of
the log at its time.
"""

BODY_COLUMNS = {
    "position": ("x", "y", "z"),
    "velocity": ("vx", "vy", "vz"),
    "acceleration": ("ax", "ay", "az"),
    "orientation": ("qw", "qx", "qy", "qz"),
    "spin": ("wx", "wy", "wz"),
}

CONTACT_COLUMNS = {
    "times": ("time",),
    "a": ("a",),
    "b": ("b",),
    "points": ("x", "y", "z"),
    "normals": ("nx", "ny", "nz"),
    "speeds": ("speed",),
    "features_a": ("feature_a",),
    "features_b": ("feature_b",),
    "status": ("status",),
}
"""Fields of a ContactLog and their columns."""

WHOLE_CONTACT_FIELDS = ("a", "b", "features_a", "features_b", "status")
"""Fields of whole numbers."""


@dataclasses.dataclass(frozen=True, eq=False)
class SceneRecord:
    """A complete scene in plain parts, so that a run can be continued without the files from which it was made."""

    description: dict[str, Any]  # Name, parameters, response and the like, as JSON
    shapes: list[Shape]
    bodies: dict[str, NDArray[Any]]
    """shape (n,), position, velocity, acceleration, spin (n, 3), orientation (n, 4), mass (n,), body_group (n,)."""
    names: list[str | None]


@dataclasses.dataclass(frozen=True)
class Layout:
    """One kind of file: its name, version, tables, and rules for their rows."""

    kind: str
    version: int
    tables: Mapping[str, str]  # Columns of each table with their types, in the form of CREATE TABLE
    rules: Mapping[str, str]
    """The fault of a file for which the query is not true. Tables are written `run.main.NAME`."""

    @property
    def format(self) -> str:
        """Name of the format in the file's meta table."""
        return f"carom {self.kind}"

    @property
    def columns(self) -> dict[str, list[tuple[str, str]]]:
        """Names and types of the columns of each table."""
        return {table: columns_of(definition) for table, definition in self.tables.items()}


def columns_of(definition: str) -> list[tuple[str, str]]:
    """Return names and types of the columns in a definition in the form of CREATE TABLE."""
    return [(name, kind) for name, kind in (column.split() for column in definition.split(","))]


def complete(table: str, definition: str) -> str:
    """Return a query: does every row of the table have a value in each required column?

    Names of bodies may be missing, and numbers of contacts other than their times: DuckDB treats NaN as a missing number.
    """
    optional = {name for name, kind in columns_of(definition) if table == "contacts" and kind == "DOUBLE"} - {"time"}
    optional |= {"name"}
    counts = [f"count({name}) = count(*)" for name, _ in columns_of(definition) if name not in optional]
    return f"SELECT {' AND '.join(counts)} FROM run.main.{table}"


def finite(table: str, definition: str, others: tuple[str, ...] = ()) -> str:
    """Return a query: are all numbers of the table finite, except in the other columns?"""
    numbers = [name for name, kind in columns_of(definition) if kind == "DOUBLE" and name not in others]
    return f"SELECT coalesce(bool_and({' AND '.join(f'isfinite({name})' for name in numbers)}), true) FROM run.main.{table}"


def counted_from_0(table: str, column: str, count: str = "count(*)") -> str:
    """Return a query: do the rows of the table, of which there must be `count`, have the numbers from 0 on, each once?

    The hashes of these numbers are compared with those of a range: counting different numbers takes fifty times as long.
    """
    numbers = f"(SELECT bit_xor(hash(range)) FROM range((SELECT count(*) FROM run.main.{table})))"
    return f"""SELECT count(*) = {count} AND coalesce(min({column}) = 0 AND max({column}) = count(*) - 1
        AND bit_xor(hash({column}::BIGINT)) = {numbers}, true) FROM run.main.{table}"""


def within(table: str, columns: tuple[str, ...], bodies: str) -> str:
    """Return a query: do the columns refer to bodies of that table only?"""
    tests = " AND ".join(f"{name} BETWEEN 0 AND (SELECT count(*) - 1 FROM run.main.{bodies})" for name in columns)
    return f"SELECT coalesce(bool_and({tests}), true) FROM run.main.{table}"


RUN = Layout(
    "run",
    FORMAT_VERSION,
    TABLES,
    {
        "meta and scene should have one row each": """SELECT (SELECT count(*) FROM run.main.meta) = 1
            AND (SELECT count(*) FROM run.main.scene) = 1""",
        **{f"a value is missing in table {table}": complete(table, definition) for table, definition in TABLES.items()},
        "its checkpoint interval is not a number above 0": """SELECT isfinite(checkpoint_interval)
            AND checkpoint_interval > 0 FROM run.main.meta""",
        "bodies are not numbered from 0 on": counted_from_0("bodies", "body"),
        "a body has no finite place, velocity or orientation": finite("bodies", TABLES["bodies"], ("mass",)),
        "a mass is not above 0": "SELECT coalesce(bool_and(mass > 0 AND NOT isnan(mass)), true) FROM run.main.bodies",
        "contacts and checkpoints disagree": counted_from_0(
            "contacts", "contact", "(SELECT contacts FROM run.main.checkpoints ORDER BY checkpoint DESC LIMIT 1)"
        ),
        "checkpoints are not numbered from 0 on": counted_from_0("checkpoints", "checkpoint"),
        "a checkpoint has no finite time": finite("checkpoints", TABLES["checkpoints"]),
        "checkpoints are not in order": """SELECT min(time) >= 0 AND min(contacts) >= 0 AND bool_and(forward) FROM (
            SELECT time, contacts, coalesce(time >= lag(time) OVER numbered AND contacts >= lag(contacts) OVER numbered, true)
            AS forward FROM run.main.checkpoints WINDOW numbered AS (ORDER BY checkpoint))""",
        "a contact has no finite time": "SELECT coalesce(bool_and(isfinite(time)), true) FROM run.main.contacts",
        "a contact names a body that there is not": within("contacts", ("a", "b"), "bodies"),
    },
)
