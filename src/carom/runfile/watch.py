"""Detects that a file which is being written is deleted, replaced or truncated by another process."""

from __future__ import annotations

from pathlib import Path

from carom.errors import RunFileError
from carom.files.atomic import refusal
from carom.runfile.database import write_ahead_log


class Watch:
    """The state of the file and its write-ahead log after the last change by this process."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: dict[Path, tuple[int, int, int]] = {}
        self.note()

    def note(self) -> None:
        """Record the current state."""
        self._seen = {}
        for path in (self._path, write_ahead_log(self._path)):
            try:
                found = path.stat()
            except FileNotFoundError:
                if path == self._path:
                    raise RunFileError(_lost(path)) from None
                continue
            except OSError as error:
                raise RunFileError(f"{path}: cannot be read: {refusal(error)}") from None
            self._seen[path] = (found.st_dev, found.st_ino, found.st_size)

    def check(self) -> None:
        """Raise RunFileError if one of them is missing, is another file, or is shorter."""
        for path, (device, inode, size) in self._seen.items():
            try:
                found = path.stat()
            except OSError:
                raise RunFileError(_lost(path)) from None
            if (found.st_dev, found.st_ino) != (device, inode):
                raise RunFileError(_lost(path))
            if found.st_size < size:
                raise RunFileError(f"{path}: was cut off while the run was written to it; what was written is lost")


def _lost(path: Path) -> str:
    return f"{path}: was deleted or replaced while the run was written to it; what was written is lost"
