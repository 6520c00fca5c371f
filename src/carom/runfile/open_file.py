"""An open DuckDB file, to be closed or used in a `with` block."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb


class OpenFile:
    """What run files and checks have in common: a path and a connection."""

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
        """The DuckDB connection, for SQL on the tables."""
        return self._connection
