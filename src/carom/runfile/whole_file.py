"""A DuckDB file that appears only once it is complete."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import duckdb

from carom.errors import RunFileError
from carom.runfile.inspection import CONFIG, write_ahead_log


def refuse_taken(path: Path, advice: str) -> None:
    """RunFileError when no new file can be made at `path`; `advice`: what to do where there is one. Nothing is changed."""
    if path.exists():
        raise RunFileError(f"{path}: already exists; {advice}")
    if write_ahead_log(path).exists():
        raise RunFileError(f"{path}: {write_ahead_log(path).name} of another run is in the way; remove it first")
    if not path.parent.is_dir():
        raise RunFileError(f"{path}: there is no folder {path.parent}")


@contextlib.contextmanager
def whole_file(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to fill a new file. It is built under another name: a file, once there, is complete, whenever the
    process is killed. RunFileError where it cannot be written."""
    unfinished = path.with_name(path.name + ".new")
    _remove(unfinished)
    try:
        with duckdb.connect(str(unfinished), config=CONFIG) as connection:
            yield connection
        os.rename(unfinished, path)
    except (OSError, duckdb.Error) as error:
        raise RunFileError(f"{path}: cannot be written: {str(error).splitlines()[0]}") from None
    finally:
        _remove(unfinished)


def _remove(unfinished: Path) -> None:
    """Delete what an earlier attempt, or one that was broken off, left; nothing where the file was finished."""
    for leftover in (unfinished, write_ahead_log(unfinished)):
        leftover.unlink(missing_ok=True)
