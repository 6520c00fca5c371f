"""Opens DuckDB files so that nothing in them can access anything outside.

The file is attached to an empty database in memory, whose external access is then disabled. A crafted file can define views
that read other files, and functions that replace built-in ones: without external access the former fail, and fully qualified
names, with `run.main` before them, never mean the latter.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import duckdb

from carom.errors import RunFileError

DATABASE = "run"
"""Name under which the file is attached."""

_MAGIC_OFFSET, _MAGIC = 8, b"DUCK"
_WRITE_ERRORS = [
    os.strerror(getattr(errno, name))
    for name in ("ENOSPC", "EFBIG", "EDQUOT", "EROFS", "EACCES", "EPERM", "EIO", "ENOENT", "ENAMETOOLONG", "EMFILE")
    if hasattr(errno, name)
]


def write_ahead_log(path: Path) -> Path:
    """Return the file in which DuckDB keeps what is committed but not yet moved into `path`."""
    return path.with_name(path.name + ".wal")


def open_existing(path: Path, exports_to: Path | None = None) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB file for reading; RunFileError gives the reason if that fails. Its contents are not checked.

    exports_to: the one folder that the connection may write to; default: none.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise RunFileError(f"{path}: cannot be read: not a regular file")
        with path.open("rb") as file:
            head = file.read(_MAGIC_OFFSET + len(_MAGIC))
    except FileNotFoundError:
        raise RunFileError(f"{path}: no such run file") from None
    except OSError as error:
        raise RunFileError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise RunFileError(f"{path!r}: no file can have this name: {error}") from None
    if head[_MAGIC_OFFSET:] != _MAGIC:
        raise RunFileError(f"{path}: not a run file (not even a DuckDB file); left untouched")
    try:
        return _attached(path, "READ_ONLY", exports_to)
    except duckdb.Error as error:
        raise RunFileError(_why_closed(path, error)) from None


def open_for_writing(path: Path) -> duckdb.DuckDBPyConnection:
    """Open a DuckDB file, or make an empty one; RunFileError if it cannot be written."""
    try:
        return _attached(path, "READ_WRITE")
    except duckdb.Error as error:
        in_the_way = path.exists() and _system_reason(error) is None
        raise RunFileError(_why_closed(path, error) if in_the_way else not_written(path, error)) from None


def enter(connection: duckdb.DuckDBPyConnection) -> None:
    """Make names refer to the file; only for a file that contains nothing but tables."""
    connection.execute(f"USE {DATABASE}.main")


def not_written(path: Path, error: Exception) -> str:
    """Return the error for a file that cannot be written, with the operating system's reason."""
    return f"{path}: cannot be written: {_system_reason(error) or first_line(error)}"


def quoted(text: str | Path) -> str:
    """Return the text as an SQL literal."""
    return "'" + str(text).replace("'", "''") + "'"


def first_line(error: Exception) -> str:
    """Return the first line of an error message."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def _system_reason(error: Exception) -> str | None:
    """Return the operating system's message if it is the reason."""
    return next((reason for reason in _WRITE_ERRORS if reason in str(error)), None)


def _attached(path: Path, mode: str, exports_to: Path | None = None) -> duckdb.DuckDBPyConnection:
    name = os.path.abspath(path)  # "md:name" and the like would be taken for databases in the network
    config = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "temp_directory": name + ".tmp",
    }
    for used in (path,) if exports_to is None else (path, exports_to):
        try:
            str(used).encode("utf-8")
        except UnicodeEncodeError:
            raise RunFileError(f"{used}: DuckDB opens no file whose name is not valid Unicode; rename it") from None
    connection = duckdb.connect(":memory:", config=config)
    try:
        connection.execute(f"ATTACH {quoted(name)} AS {DATABASE} (TYPE DUCKDB, {mode})")
        if exports_to is not None:
            connection.execute(f"SET allowed_directories = [{quoted(os.path.abspath(exports_to))}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except BaseException:
        connection.close()
        raise
    return connection


def _why_closed(path: Path, error: duckdb.Error) -> str:
    text = str(error)
    if any(words in text.lower() for words in ("set lock", "conflicting lock", "file handle conflict")):
        return f"{path}: in use by another process; wait for it or stop it first"
    if "newer version" in text.lower() or "version number" in text.lower():
        return f"{path}: needs a newer DuckDB than {duckdb.__version__}: upgrade duckdb; the file is left untouched"
    return f"{path}: the run file is truncated or damaged: {first_line(error)}; left untouched"
