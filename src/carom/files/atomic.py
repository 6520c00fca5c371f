"""Files that appear only when they are complete, and never replace a file unintentionally.

A file is written under a temporary name beside its final one and then published: `publish` never replaces a file, `replacing`
does so in one step. A killed process leaves the old file unchanged.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from carom.errors import CaromError

_MOST_CHARACTERS = 40  # Characters of the final name in the temporary one: the limit of file systems is 255 bytes
_TEMPORARY = re.compile(r".*\.[0-9a-f]{16}\.new(\.wal)?$", re.DOTALL)
_ABANDONED_SECONDS = 3600.0  # Age beyond which a temporary file is that of a killed process


def refusal(error: OSError) -> str:
    """Return the operating system's message, without number and path: "No space left on device"."""
    return error.strerror or str(error) or type(error).__name__


def check_writable(path: Path) -> None:
    """Raise OSError if no new file can be made at `path`: no folder, no permission, an invalid name."""
    try:
        with contextlib.suppress(FileNotFoundError):
            os.lstat(path)
    except ValueError as error:
        raise OSError(errno.EINVAL, f"no file can have this name: {error}") from None
    if not path.parent.is_dir():
        raise OSError(errno.ENOENT, f"there is no folder {path.parent}")
    with temporary(path) as probe:
        probe.touch(exist_ok=False)


def check_replaceable(path: Path) -> None:
    """Raise OSError if `replacing` could not begin, as `check_writable` does."""
    target = _target(path)
    if not target.exists() or target.is_file():
        check_writable(target)


def check_output(path: Path, what: str) -> None:
    """Raise CaromError if `replacing` could not begin. what: the output, for the error."""
    if path.is_dir():
        raise CaromError(f"{path}: is a folder; expected a file name")
    if not path.parent.is_dir():
        raise CaromError(f"{path}: the {what} cannot be written: there is no folder {path.parent}")
    try:
        check_replaceable(path)
    except OSError as error:
        raise CaromError(f"{path}: the {what} cannot be written: {refusal(error)}") from None


@contextlib.contextmanager
def temporary(path: Path) -> Iterator[Path]:
    """Yield an unused name beside `path`. It is removed at the end, as are old files of killed processes."""
    _remove_abandoned(path)
    unfinished = path.with_name(f"{path.name[:_MOST_CHARACTERS]}.{secrets.token_hex(8)}.new")
    try:
        yield unfinished
    finally:
        for leftover in (unfinished, unfinished.with_name(unfinished.name + ".wal")):
            with contextlib.suppress(OSError):
                leftover.unlink(missing_ok=True)


def publish(unfinished: Path, path: Path) -> None:
    """Give a complete file its name; FileExistsError, without any change, if the name exists.

    If several processes publish the same name at the same time, one succeeds.
    """
    if os.name == "nt":
        os.rename(unfinished, path)  # refuses existing names
        return
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # On a file system without links an empty file, which only one process can create, reserves the name.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        try:
            os.replace(unfinished, path)
        except OSError:
            path.unlink(missing_ok=True)
            raise
    else:
        unfinished.unlink()
    _sync_folder(path)


@contextlib.contextmanager
def replacing(path: str | Path) -> Iterator[IO[bytes]]:
    """Yield a new file that replaces `path` at the end of the block, unless an exception ends it.

    Links are followed; devices and pipes are written directly. OSError if it cannot be written.
    """
    path = _target(path)
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    with temporary(path) as unfinished:
        with unfinished.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, unfinished)
        os.replace(unfinished, path)
    _sync_folder(path)


def write_new(path: Path, data: bytes) -> None:
    """Write a new file; FileExistsError if it exists, OSError if it cannot be written."""
    with temporary(path) as unfinished:
        with unfinished.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        publish(unfinished, path)


def numbered(path: Path) -> Iterator[Path]:
    """Yield `path`, then the same name with -2, -3 and so on before its ending."""
    yield path
    k = 2
    while True:
        yield path.with_name(f"{path.stem}-{k}{path.suffix}")
        k += 1


def _target(path: str | Path) -> Path:
    """Return the path itself, or the target of a link."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)


def _remove_abandoned(path: Path) -> None:
    """Remove temporary files of `path` that killed processes have left."""
    oldest = time.time() - _ABANDONED_SECONDS
    with contextlib.suppress(OSError):
        for entry in os.scandir(path.parent):
            if not entry.name.startswith(path.name[:_MOST_CHARACTERS]) or not _TEMPORARY.match(entry.name):
                continue
            with contextlib.suppress(OSError):
                found = entry.stat(follow_symlinks=False)
                if stat.S_ISREG(found.st_mode) and found.st_mtime < oldest:
                    os.unlink(entry)


def _sync_folder(path: Path) -> None:
    """Make the new name durable, where the system supports it."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
