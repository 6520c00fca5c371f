"""Is this a run file we may open? Looks without touching: every refusal leaves the file, byte for byte, as it was."""

from __future__ import annotations

from pathlib import Path

import duckdb

from carom.errors import RunFileError
from carom.runfile.format import RUN, Layout

CONFIG = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
"""DuckDB must not fetch extensions over the network for a file of another kind."""

_MAGIC_OFFSET, _MAGIC = 8, b"DUCK"


def write_ahead_log(path: Path) -> Path:
    """The file in which DuckDB keeps what it has committed but not yet moved into `path`."""
    return path.with_name(path.name + ".wal")


def connect_checked(path: Path, wanted: Layout = RUN) -> duckdb.DuckDBPyConnection:
    """Open the file of the wanted kind for reading only, after every check; RunFileError says what is wrong with it.

    Every table is read through once, so that a damaged block is found here and not in the middle of a run.
    """
    connection = _connect(path)
    try:
        _check_tables(path, connection, wanted)
    except duckdb.Error as error:
        connection.close()
        raise RunFileError(f"{path}: the run file is damaged: {_first_line(error)}; left untouched") from None
    except RunFileError:
        connection.close()
        raise
    return connection


def holds(path: Path, layout: Layout) -> bool:
    """Does the file call itself one of that kind? False for any other DuckDB file; RunFileError where it cannot be opened."""
    with _connect(path) as connection:
        try:
            rows = connection.execute("SELECT format FROM meta").fetchall()
        except duckdb.Error:
            return False
        return bool(rows == [(layout.format,)])


def _connect(path: Path) -> duckdb.DuckDBPyConnection:
    if not path.exists():
        raise RunFileError(f"{path}: no such run file")
    try:
        with path.open("rb") as file:
            head = file.read(_MAGIC_OFFSET + len(_MAGIC))
    except OSError as error:
        raise RunFileError(f"{path}: cannot be read: {error.strerror}") from None
    if head[_MAGIC_OFFSET:] != _MAGIC:
        raise RunFileError(f"{path}: not a run file (not even a DuckDB file); left untouched")
    try:
        return duckdb.connect(str(path), read_only=True, config=CONFIG)
    except duckdb.Error as error:
        raise RunFileError(_why_closed(path, error)) from None


def _check_tables(path: Path, connection: duckdb.DuckDBPyConnection, wanted: Layout) -> None:
    held = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if "meta" not in held:
        raise RunFileError(f"{path}: a DuckDB file, but not a carom {wanted.kind}; left untouched")
    try:
        rows = connection.execute("SELECT format, format_version, carom_version FROM meta").fetchall()
    except (duckdb.BinderException, duckdb.CatalogException):
        rows = []
    if len(rows) != 1 or rows[0][0] != wanted.format:
        found = rows[0][0] if len(rows) == 1 and str(rows[0][0]).startswith("carom ") else "a DuckDB file"
        raise RunFileError(f"{path}: {found}, but not a carom {wanted.kind}; left untouched")
    _, version, writer = rows[0]
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
    if missing := sorted(set(wanted.tables) - held):
        raise RunFileError(f"{path}: the run file is damaged: table {missing[0]} is missing; left untouched")
    for table in wanted.tables:
        connection.execute(f"SELECT bit_xor(hash({table})) FROM {table}").fetchall()
    found_rows = connection.execute("SELECT count(*), min(contact), max(contact) FROM contacts").fetchone()
    last = connection.execute(wanted.count).fetchone()
    expected = (last[0], 0, last[0] - 1) if last and last[0] else (0, None, None)
    if last is None or found_rows != expected:
        raise RunFileError(
            f"{path}: the run file is damaged: contacts and {wanted.counted_in} disagree; left untouched"
        )


def _why_closed(path: Path, error: duckdb.Error) -> str:
    text = str(error)
    if "set lock" in text.lower() or "conflicting lock" in text.lower():
        return f"{path}: in use by another process; wait for it or stop it first"
    if "newer version" in text.lower() or "version number" in text.lower():
        return f"{path}: needs a newer DuckDB than {duckdb.__version__}: upgrade duckdb; the file is left untouched"
    return f"{path}: the run file is truncated or damaged: {_first_line(error)}; left untouched"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
