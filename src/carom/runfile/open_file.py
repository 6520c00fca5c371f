"""An open DuckDB file, to be closed or used in a `with` block."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import duckdb

from carom.errors import RunFileError


class OpenFile:
    """Base class of run files and checks: a path and a connection."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.path = path
        self._connection = connection

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The DuckDB connection, for SQL on the tables. It has no access to other files."""
        return self._connection

    def _described(self, query: str, what: str) -> dict[str, Any]:
        """Return the JSON object that the query gives; RunFileError otherwise. what: its name in the error."""
        (text,) = self._connection.execute(query).fetchone()
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._damaged(f"{what} cannot be read: {error}") from None
        if not isinstance(found, dict):
            raise self._damaged(f"{what} is no JSON object")
        return found

    def _damaged(self, what: str) -> RunFileError:
        return RunFileError(f"{self.path}: the run file is damaged: {what}")
