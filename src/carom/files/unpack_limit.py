"""Limit of the unpacked size of files: a few bytes can describe any amount of data.

A compressed archive, an array of zeros that is declared but not stored, or a mesh that is placed a million times takes far
more memory than its file. Every reader of such a file calls `check_unpacked` before it allocates.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from carom.errors import InvalidInputError

UNPACK_LIMIT = "CAROM_UNPACK_LIMIT"
"""Environment variable that replaces the limit: bytes, or a number with kB, MB, GB or TB."""
UNPACK_OPTION = "--unpack-limit"
"""Option of the command line that replaces both."""

_LEAST = 256_000_000  # Bytes to which any file may unpack
_RATIO = 20
"""Ratio to its own length to which a file may unpack, if that is more. Vertices as text or packed stay below it."""
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = re.compile(r"\s*(\d{1,18}(?:\.\d{1,9})?)\s*([kKmMgGtT]?[bB]?)\s*")


_allowed: list[int] = []  # Limits set by the command line; the last one is valid


def unpack_limit(length: int) -> int:
    """Return the bytes that a file of `length` bytes may take in memory; InvalidInputError if the variable is not a size."""
    if _allowed:
        return _allowed[-1]
    asked = os.environ.get(UNPACK_LIMIT, "")
    return _size_of(UNPACK_LIMIT, asked) if asked.strip() else max(_LEAST, _RATIO * length)


@contextmanager
def unpacking_up_to(asked: str) -> Iterator[None]:
    """Set another limit, in the form of UNPACK_OPTION, inside the block; InvalidInputError if it is not a size."""
    _allowed.append(_size_of(UNPACK_OPTION, asked))
    try:
        yield
    finally:
        _allowed.pop()


def _size_of(name: str, asked: str) -> int:
    size = _SIZE.fullmatch(asked)
    if size is None or (unit := _UNITS.get(size[2].upper())) is None:
        raise InvalidInputError(f"{name} is {asked!r}; expected a size such as 4GB")
    return int(float(size[1]) * unit)


def check_unpacked(path: Path | str, size: int, length: int) -> None:
    """Raise InvalidInputError if `size` bytes are more than the file at `path`, of `length` bytes, may take in memory."""
    limit = unpack_limit(length)
    if size > limit:
        raise InvalidInputError(
            f"{path}: takes {_shown(size)} in memory, more than the limit of {_shown(limit)} for a file of {_shown(length)}; "
            f"if you trust it, allow more: {UNPACK_OPTION} {_enough(size)} on the command line, or "
            f"{UNPACK_LIMIT}={_enough(size)} in the environment"
        )


def _shown(size: int) -> str:
    for unit, factor in reversed(_UNITS.items()):
        if size >= factor:
            return f"{size / factor:.3g} {unit}" if size < 1000 * factor else f"{size // factor} {unit}"
    return f"{size} B"


def _enough(size: int) -> str:
    return f"{-(-size // 10**9)}GB"
