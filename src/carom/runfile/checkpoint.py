"""Checkpoints of a run file: the whole state of the world at one time, and how many contacts had been found by then.

A checkpoint is written in the transaction that also holds the contacts since the one before: see `carom.runfile.run_file`.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from typing import Any

import duckdb
from numpy.typing import NDArray

from carom.errors import RunFileError
from carom.runfile.pack import pack_arrays, unpack_arrays


@dataclasses.dataclass(frozen=True)
class Checkpoint:
    """A time at which the whole state was saved, and the length of the contact log at that time."""

    number: int
    time: float
    contacts: int


def write_checkpoint(
    connection: duckdb.DuckDBPyConnection, saved: Checkpoint, state: Mapping[str, NDArray[Any]]
) -> None:
    """Add a checkpoint with its state, and the digest by which `unpack_state` checks it."""
    data = pack_arrays(state)
    values = [saved.number, saved.time, saved.contacts, hashlib.sha256(data).hexdigest(), data]
    connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)", values)


def read_checkpoints(connection: duckdb.DuckDBPyConnection) -> list[Checkpoint]:
    """Return all checkpoints in time order; the first is at time 0."""
    query = "SELECT checkpoint, time, contacts FROM checkpoints ORDER BY checkpoint"
    return [Checkpoint(*row) for row in connection.execute(query).fetchall()]


def unpack_state(number: int, digest: str, data: bytes) -> dict[str, NDArray[Any]]:
    """Return the state of a checkpoint from its columns; RunFileError if it is not the one that was written."""
    if hashlib.sha256(data).hexdigest() != digest:
        raise RunFileError(f"the state of checkpoint {number} has changed")
    try:
        return unpack_arrays(data)
    except RunFileError as error:
        raise RunFileError(f"the state of checkpoint {number}: {error}") from None
