"""Conversion of fields of one or several numbers per row into the columns of a table, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

Columns = dict[str, NDArray[Any]]
Fields = Mapping[str, tuple[str, ...]]
"""Names of the columns of each field."""


def spread(fields: Fields, value_of: Callable[[str], Any]) -> Columns:
    """Return the columns of all fields: value_of(field) is (n,), or (n, k) for a field of k columns."""
    columns: Columns = {}
    for field, names in fields.items():
        values = np.atleast_2d(np.asarray(value_of(field)).T)
        columns.update((name, np.ascontiguousarray(row)) for name, row in zip(names, values, strict=True))
    return columns


def gathered(fields: Fields, table: Mapping[str, Any], whole: tuple[str, ...] = ()) -> Columns:
    """Return the fields, (n,) or (n, k), from the columns of `spread`: float64, and int64 for the `whole` ones."""
    found: Columns = {}
    for field, names in fields.items():
        parts = [_filled(table[name]).astype(np.int64 if field in whole else np.float64) for name in names]
        found[field] = parts[0] if len(parts) == 1 else np.column_stack(parts)
    return found


def insert(connection: duckdb.DuckDBPyConnection, table: str, columns: Columns) -> None:
    """Add the rows of all columns to a table."""
    connection.register("incoming", columns)
    connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")
    connection.unregister("incoming")


def _filled(column: Any) -> NDArray[Any]:
    """Return a column as a plain array; DuckDB treats NaN as NULL and masks it."""
    return np.asarray(np.ma.filled(column, np.nan) if np.ma.isMaskedArray(column) else column)
