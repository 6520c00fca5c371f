"""What a run file holds: its tables, its version, and the scene in plain arrays."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from carom.shapes import Shape

FORMAT_VERSION = 2
"""Raised by every change that an older carom could not read."""

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
"""Columns of each table. `contacts.contact` counts from 0 in the order of the log; a checkpoint's `contacts` says how
many the log held at its time."""

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
"""Fields of a ContactLog and the columns that hold them."""

WHOLE_CONTACT_FIELDS = ("a", "b", "features_a", "features_b", "status")
"""Those that are whole numbers."""


@dataclasses.dataclass(frozen=True, eq=False)
class SceneRecord:
    """A scene in plain parts: complete, so that a run can be continued without the files it was made from."""

    description: dict[str, Any]
    """Name, parameters, response and the like: what JSON can hold."""
    shapes: list[Shape]
    bodies: dict[str, NDArray[Any]]
    """shape (n,), position, velocity, acceleration, spin (n, 3), orientation (n, 4), mass (n,), body_group (n,)."""
    names: list[str | None]


@dataclasses.dataclass(frozen=True)
class Layout:
    """One kind of file: what it is called, its version, its tables, and how many contacts it says it has."""

    kind: str
    version: int
    tables: Mapping[str, str]
    count: str
    """Query for that number; `contacts.contact` has to run from 0 to one below it."""
    counted_in: str
    """The table that holds it, for the error."""

    @property
    def format(self) -> str:
        """What the file's meta table calls it."""
        return f"carom {self.kind}"


RUN = Layout(
    "run", FORMAT_VERSION, TABLES, "SELECT contacts FROM checkpoints ORDER BY checkpoint DESC LIMIT 1", "checkpoints"
)
