"""Files that appear only once they are complete, and never take the place of one that was not meant to be replaced.

A file is written under a temporary name beside its final one, which no other process uses, and then published: `publish` never
replaces a file, `replacing` does so in one step. A process that is killed leaves the file as it was.
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

_MOST_CHARACTERS = 40  # Of the final name in the temporary one: the longest file systems allow is 255 bytes
_TEMPORARY = re.compile(r".*\.[0-9a-f]{16}\.new(\.wal)?$", re.DOTALL)
_ABANDONED_SECONDS = 3600.0  # Age beyond which a temporary file is that of a process which was killed


def refusal(error: OSError) -> str:
    """What the operating system says is wrong, without number and path: "No space left on device"."""
    return error.strerror or str(error) or type(error).__name__


def check_writable(path: Path) -> None:
    """OSError where no new file can be made at `path`: no folder, no permission, a name that no file can have."""
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
    """OSError where `replacing` could not begin: as of `check_writable`."""
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
    """A name beside `path` that nothing else uses. What is still there at the end, or was left by a killed process, goes."""
    _remove_abandoned(path)
    unfinished = path.with_name(f"{path.name[:_MOST_CHARACTERS]}.{secrets.token_hex(8)}.new")
    try:
        yield unfinished
    finally:
        for leftover in (unfinished, unfinished.with_name(unfinished.name + ".wal")):
            with contextlib.suppress(OSError):
                leftover.unlink(missing_ok=True)


def publish(unfinished: Path, path: Path) -> None:
    """Give a complete file its name; FileExistsError, and nothing changed, where something has that name.

    Of several processes that publish under one name at the same time, one succeeds.
    """
    if os.name == "nt":
        os.rename(unfinished, path)  # refuses names that are taken
        return
    try:
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # A file system without links: an empty file, which only one process can make, reserves the name.
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
    """A new file that takes the place of `path` when the block ends, and not at all when an exception ends it.

    A link is followed, and a device or a pipe is written to as it is. OSError where it cannot be written.
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
    """Write a file that was not there before; FileExistsError where one is, OSError where it cannot be written."""
    with temporary(path) as unfinished:
        with unfinished.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        publish(unfinished, path)


def numbered(path: Path) -> Iterator[Path]:
    """`path`, and without end the same name with -2, -3 and so on before its ending."""
    yield path
    k = 2
    while True:
        yield path.with_name(f"{path.stem}-{k}{path.suffix}")
        k += 1


def _target(path: str | Path) -> Path:
    """The path itself, or what it links to."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else Path(path)


def _remove_abandoned(path: Path) -> None:
    """Remove what processes that were killed while they wrote `path` have left."""
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
    """Make the new name last through a power failure, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with contextlib.suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
