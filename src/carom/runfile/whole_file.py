"""A DuckDB file that appears only when it is complete, and never replaces another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import duckdb

from carom.errors import RunFileError
from carom.files.atomic import check_writable, publish, refusal, temporary
from carom.runfile.database import DATABASE, enter, not_written, open_for_writing, write_ahead_log
from carom.runfile.format import Layout
from carom.runfile.inspection import connect_checked


def refuse_taken(path: Path, advice: str) -> None:
    """Raise RunFileError if a new file cannot be made at `path`; nothing is changed. advice: for a file that exists already."""
    try:
        if path.exists():
            raise RunFileError(f"{path}: already exists; {advice}")
        if write_ahead_log(path).exists():
            raise RunFileError(f"{path}: {write_ahead_log(path).name} of another run is in the way; remove it first")
        if path.name and not path.parent.is_dir():
            raise RunFileError(f"{path}: there is no folder {path.parent}")
        check_writable(path)
    except OSError as error:
        raise RunFileError(f"{path}: cannot be written: {refusal(error)}") from None


def write_whole_file(
    names: Iterable[Path], layout: Layout, fill: Callable[[duckdb.DuckDBPyConnection], None], advice: str
) -> Path:
    """Make a new file, filled by `fill`, under the first unused name, and return that name.

    The file is built and verified under a temporary name, so that it is complete when it appears. RunFileError if it cannot be
    written, or if no name is unused.
    """
    names = iter(names)
    path = next(names)
    try:
        with temporary(path) as unfinished:
            _build(unfinished, path, layout, fill)
            while True:
                try:
                    refuse_taken(path, advice)
                    publish(unfinished, path)
                    return path
                except (RunFileError, FileExistsError):
                    following = next(names, None)
                    if following is None or not (path.exists() or write_ahead_log(path).exists()):
                        refuse_taken(path, advice)
                        raise
                    path = following
    except FileExistsError:
        raise RunFileError(f"{path}: already exists; {advice}") from None
    except OSError as error:
        raise RunFileError(f"{path}: cannot be written: {refusal(error)}") from None


def _build(unfinished: Path, path: Path, layout: Layout, fill: Callable[[duckdb.DuckDBPyConnection], None]) -> None:
    """Write a complete file and read it again; RunFileError, about the file at `path`, if that fails."""
    try:
        with open_for_writing(unfinished) as connection:
            enter(connection)
            for table, definition in layout.tables.items():
                connection.execute(f"CREATE TABLE {table} ({definition})")
            fill(connection)
            # Closing would do the same, but is silent if the disk is full.
            connection.execute(f"CHECKPOINT {DATABASE}")
        connect_checked(unfinished, layout).close()
    except duckdb.Error as error:
        raise RunFileError(not_written(path, error)) from None
    except RunFileError as error:
        raise RunFileError(str(error).replace(str(unfinished), str(path))) from None
