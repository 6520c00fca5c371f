"""Is this a run file we may open? Looks without touching: every refusal leaves the file, byte for byte, as it was."""

from __future__ import annotations

from pathlib import Path

import duckdb

from carom.errors import RunFileError
from carom.runfile.format import FORMAT, FORMAT_VERSION, TABLES

CONFIG = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
"""DuckDB must not fetch extensions over the network for a file of another kind."""

_MAGIC_OFFSET, _MAGIC = 8, b"DUCK"


def write_ahead_log(path: Path) -> Path:
    """The file in which DuckDB keeps what it has committed but not yet moved into `path`."""
    return path.with_name(path.name + ".wal")


def connect_checked(path: Path) -> duckdb.DuckDBPyConnection:
    """Open the run file for reading only, after every check; RunFileError says what is wrong with it.

    Every table is read through once, so that a damaged block is found here and not in the middle of a run.
    """
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
        connection = duckdb.connect(str(path), read_only=True, config=CONFIG)
    except duckdb.Error as error:
        raise RunFileError(_why_closed(path, error)) from None
    try:
        _check_tables(path, connection)
    except duckdb.Error as error:
        connection.close()
        raise RunFileError(f"{path}: the run file is damaged: {_first_line(error)}; left untouched") from None
    except RunFileError:
        connection.close()
        raise
    return connection


def _check_tables(path: Path, connection: duckdb.DuckDBPyConnection) -> None:
    held = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if "meta" not in held:
        raise RunFileError(f"{path}: a DuckDB file, but not a carom run; left untouched")
    try:
        rows = connection.execute("SELECT format, format_version, carom_version FROM meta").fetchall()
    except (duckdb.BinderException, duckdb.CatalogException):
        rows = []
    if len(rows) != 1 or rows[0][0] != FORMAT:
        raise RunFileError(f"{path}: a DuckDB file, but not a carom run; left untouched")
    _, version, writer = rows[0]
    if version < FORMAT_VERSION:
        raise RunFileError(
            f"{path}: written by carom {writer} in run format {version}; this carom reads {FORMAT_VERSION}: run the scene "
            "again; the file is left untouched"
        )
    if version > FORMAT_VERSION:
        raise RunFileError(
            f"{path}: written by carom {writer} in run format {version}; this carom reads up to {FORMAT_VERSION}: "
            f"upgrade carom; the file is left untouched"
        )
    if missing := sorted(set(TABLES) - held):
        raise RunFileError(f"{path}: the run file is damaged: table {missing[0]} is missing; left untouched")
    for table in TABLES:
        connection.execute(f"SELECT bit_xor(hash({table})) FROM {table}").fetchall()
    found = connection.execute("SELECT count(*), min(contact), max(contact) FROM contacts").fetchone()
    last = connection.execute("SELECT contacts FROM checkpoints ORDER BY checkpoint DESC LIMIT 1").fetchone()
    expected = (last[0], 0, last[0] - 1) if last and last[0] else (0, None, None)
    if last is None or found != expected:
        raise RunFileError(f"{path}: the run file is damaged: contacts and checkpoints disagree; left untouched")


def _why_closed(path: Path, error: duckdb.Error) -> str:
    text = str(error)
    if "set lock" in text.lower() or "conflicting lock" in text.lower():
        return f"{path}: in use by another process; wait for it or stop it first"
    if "newer version" in text.lower() or "version number" in text.lower():
        return f"{path}: needs a newer DuckDB than {duckdb.__version__}: upgrade duckdb; the file is left untouched"
    return f"{path}: the run file is truncated or damaged: {_first_line(error)}; left untouched"


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
