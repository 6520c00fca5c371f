"""Checks whether a file is a run file that may be opened. Every refusal leaves the file unchanged.

Files are not trusted. carom writes only tables with known columns in the main schema, so anything else is refused before it
is queried. See database.py for how the file is opened.
"""

from __future__ import annotations

from pathlib import Path

import duckdb

from carom.errors import RunFileError
from carom.runfile.database import DATABASE, enter, first_line, open_existing, write_ahead_log
from carom.runfile.format import RUN, Layout

_ADDITIONS = {
    "the view": f"SELECT view_name FROM duckdb_views() WHERE database_name = '{DATABASE}' AND NOT internal",
    "the function": f"SELECT function_name FROM duckdb_functions() WHERE database_name = '{DATABASE}' AND NOT internal",
    "the type": f"SELECT type_name FROM duckdb_types() WHERE database_name = '{DATABASE}' AND NOT internal",
    "the sequence": f"SELECT sequence_name FROM duckdb_sequences() WHERE database_name = '{DATABASE}'",
    "the index": f"SELECT index_name FROM duckdb_indexes() WHERE database_name = '{DATABASE}'",
    "the schema": f"""SELECT schema_name FROM duckdb_schemas()
        WHERE database_name = '{DATABASE}' AND schema_name <> 'main' AND NOT internal""",
    "a table in another schema,": f"""SELECT table_name FROM duckdb_tables()
        WHERE database_name = '{DATABASE}' AND schema_name <> 'main' AND NOT internal""",
    "a constraint on": f"SELECT table_name FROM duckdb_constraints() WHERE database_name = '{DATABASE}'",
}  # fmt: skip
"""Objects that carom never writes into a file, with queries of their names."""
_COLUMNS = f"""SELECT table_name, column_name, data_type, column_default FROM duckdb_columns()
    WHERE database_name = '{DATABASE}' AND schema_name = 'main' AND NOT internal ORDER BY table_name, column_index"""


def connect_checked(path: Path, wanted: Layout = RUN, exports_to: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Open a file of the expected kind for reading, after all checks; RunFileError says what is wrong with it.

    Every table is read once completely, so that a damaged block is found here and not in the middle of a run.
    exports_to: the one folder that the connection may write to; default: none.
    """
    connection = open_existing(path, exports_to)
    try:
        _check_file(path, connection, wanted)
        enter(connection)
    except duckdb.Error as error:
        connection.close()
        raise RunFileError(f"{path}: the run file is damaged: {first_line(error)}; left untouched") from None
    except BaseException:
        connection.close()
        raise
    return connection


def holds(path: Path, layout: Layout) -> bool:
    """Return whether the file declares that kind; False for other DuckDB files. RunFileError if it cannot be opened."""
    with open_existing(path) as connection:
        try:
            tables = _tables(path, connection)
            if ("format", "VARCHAR") not in tables.get("meta", []):
                return False
            rows = connection.execute(f"SELECT format FROM {DATABASE}.main.meta LIMIT 2").fetchall()
        except (duckdb.Error, RunFileError):
            return False
        return bool(rows == [(layout.format,)])


def _check_file(path: Path, connection: duckdb.DuckDBPyConnection, wanted: Layout) -> None:
    tables = _tables(path, connection)
    _check_kind(path, connection, tables, wanted)
    for table, columns in wanted.columns.items():
        if table not in tables:
            raise _damaged(path, f"table {table} is missing")
        if tables[table] != columns:
            raise _damaged(path, f"table {table} has other columns than carom gives it")
    # Each row takes bytes; otherwise the file was crafted to exhaust the memory of its readers.
    log = write_ahead_log(path)
    size = path.stat().st_size + (log.stat().st_size if log.exists() else 0)
    for table in wanted.tables:
        rows = _count(connection, f"SELECT count(*) FROM {DATABASE}.main.{table}")
        if rows > size:
            raise _damaged(path, f"table {table} has {rows:,} rows in a file of {size:,} bytes")
        connection.execute(f"SELECT bit_xor(hash({table})) FROM {DATABASE}.main.{table}").fetchall()
    for claim, query in wanted.rules.items():
        if connection.execute(query).fetchone() != (True,):
            raise _damaged(path, claim)


def _check_kind(
    path: Path, connection: duckdb.DuckDBPyConnection, tables: dict[str, list[tuple[str, str]]], wanted: Layout
) -> None:
    """Raise RunFileError unless the file is of the expected kind, and of the version that this carom reads."""
    if "meta" not in tables:
        raise RunFileError(f"{path}: a DuckDB file, but not a carom {wanted.kind}; left untouched")
    rows = []
    if {("format", "VARCHAR"), ("format_version", "INTEGER"), ("carom_version", "VARCHAR")} <= set(tables["meta"]):
        query = f"SELECT format, format_version, carom_version FROM {DATABASE}.main.meta LIMIT 2"
        rows = connection.execute(query).fetchall()
    if len(rows) != 1 or rows[0][0] != wanted.format:
        found = rows[0][0] if len(rows) == 1 and str(rows[0][0]).startswith("carom ") else "a DuckDB file"
        raise RunFileError(f"{path}: {found}, but not a carom {wanted.kind}; left untouched")
    _, version, writer = rows[0]
    if version is None:
        raise _damaged(path, "it has no format version")
    if version < wanted.version:
        raise RunFileError(
            f"{path}: written by carom {writer} in {wanted.kind} format {version}; this carom reads {wanted.version}: run the "
            "scene again; the file is left untouched"
        )
    if version > wanted.version:
        raise RunFileError(
            f"{path}: written by carom {writer} in {wanted.kind} format {version}; this carom reads up to {wanted.version}: "
            f"upgrade carom; the file is left untouched"
        )


def _tables(path: Path, connection: duckdb.DuckDBPyConnection) -> dict[str, list[tuple[str, str]]]:
    """Return names and types of the columns of each table; RunFileError if the file contains anything but plain tables."""
    for what, query in _ADDITIONS.items():
        found = connection.execute(f"{query} LIMIT 1").fetchone()
        if found is not None:
            raise RunFileError(
                f"{path}: holds {what} {found[0]!r}, which carom does not write: not a carom run; left untouched"
            )
    tables: dict[str, list[tuple[str, str]]] = {}
    for table, column, kind, default in connection.execute(_COLUMNS).fetchall():
        if default is not None:
            raise RunFileError(
                f"{path}: the column {table}.{column} is computed, which carom does not write: not a carom run; left untouched"
            )
        tables.setdefault(table, []).append((column, kind))
    return tables


def _damaged(path: Path, what: str) -> RunFileError:
    return RunFileError(f"{path}: the run file is damaged: {what}; left untouched")


def _count(connection: duckdb.DuckDBPyConnection, query: str) -> int:
    return int(connection.execute(query).fetchone()[0])
