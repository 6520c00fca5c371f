"""Which table row holds which body. Ids are given out once and never again; rows are recycled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.boxes.morton import morton_order
from carom.errors import InvalidInputError, UnknownBodyError
from carom.tables.body_columns import NO_ID
from carom.world.arguments import id_list
from carom.world.saved.check import Registered

Rows = NDArray[np.int32]

_MANY = 1000  # Bodies from which it matters where their rows are


class Registry:
    """Ids, rows and names of the bodies of one world."""

    def __init__(self) -> None:
        self._row_of_id = np.zeros(0, np.int32)
        self._n_ids = 0
        self._free_rows: list[int] = []
        self.names: dict[int, str] = {}

    def ids(self) -> NDArray[np.int64]:
        """Ids of all bodies, ascending."""
        return np.flatnonzero(self._row_of_id[: self._n_ids] != NO_ID)

    def present(self) -> Rows:
        """Rows of all bodies, in the order of their ids."""
        rows = self._row_of_id[: self._n_ids]
        return rows[rows != NO_ID]

    def rows(self, bodies: Sequence[Any] | NDArray[np.int64]) -> Rows:
        """Rows of the given ids; UnknownBodyError for one that is not there."""
        ids = np.asarray(bodies if isinstance(bodies, np.ndarray) else id_list(bodies) or np.empty(0, np.int64))
        if ids.dtype.kind not in "iu" or ids.ndim != 1:
            raise InvalidInputError(f"body is {validate.shown(bodies)}; expected whole numbers")
        known = (ids >= 0) & (ids < self._n_ids)
        rows = np.where(
            known, self._row_of_id[np.where(known, ids, 0).astype(np.int64)] if self._n_ids else NO_ID, NO_ID
        )
        if (rows == NO_ID).any():
            raise UnknownBodyError(f"body {int(ids[rows == NO_ID][0])} is not in this world")
        return rows.astype(np.int32)

    def rows_left(self, bodies: NDArray[np.int64]) -> Rows:
        """Rows of those of the given ids, all of which were given out, that are still there."""
        rows = self._row_of_id[bodies]
        return rows[rows != NO_ID]

    def missing_rows(self, n: int) -> int:
        """How many rows the tables lack for n more bodies."""
        return max(0, n - len(self._free_rows))

    def offer_rows(self, first: int, end: int) -> None:
        """The tables have new rows first to end - 1."""
        self._free_rows = [*range(end - 1, first - 1, -1), *self._free_rows]

    def take(self, n: int, positions: NDArray[np.float64] | None = None) -> tuple[Rows, NDArray[np.int64]]:
        """Rows and ids for n new bodies. Where many positions (n, 3) are given, bodies near each other get rows near
        each other, so that they share cache lines; ids are in the order given."""
        rows = np.array([self._free_rows.pop() for _ in range(n)], np.int32)
        if positions is not None and n >= _MANY:
            rows.sort()
            rows[morton_order(positions)] = rows.copy()
        ids = np.arange(self._n_ids, self._n_ids + n)
        if self._n_ids + n > len(self._row_of_id):
            grown = np.full(max(self._n_ids + n, 2 * len(self._row_of_id)), NO_ID, np.int32)
            grown[: self._n_ids] = self._row_of_id[: self._n_ids]
            self._row_of_id = grown
        self._n_ids += n
        self._row_of_id[ids] = rows
        return rows, ids

    def release(self, body: int, row: int) -> None:
        """The body leaves its row."""
        self._row_of_id[body] = NO_ID
        self._free_rows.append(row)
        self.names.pop(body, None)

    def saved(self) -> dict[str, NDArray[Any]]:
        """The registry as arrays."""
        names = sorted(self.names.items())
        return {
            "row_of_id": self._row_of_id[: self._n_ids].copy(),
            "free_rows": np.array(self._free_rows, np.int64),
            "name_ids": np.array([k for k, _ in names], np.int64),
            "names": np.array([v for _, v in names], np.str_),
        }

    @classmethod
    def restored(cls, known: Registered) -> Registry:
        """The inverse of `saved`, of what was found there."""
        registry = cls()
        registry._row_of_id = known.row_of_id
        registry._n_ids = len(known.row_of_id)
        registry._free_rows = known.free_rows.tolist()
        registry.names = known.names
        return registry
