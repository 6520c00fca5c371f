"""Arrays whose rows begin where lines of the processor's cache do, so that a row comes with as few of them as can be."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

_CACHE_LINES = 128
"""Bytes of two lines, which processors like to fetch together."""


def aligned_zeros(shape: tuple[int, ...], kind: DTypeLike) -> NDArray[Any]:
    """Zeros, in C order, that begin at a multiple of 128 bytes."""
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    memory = np.zeros(size + _CACHE_LINES, np.uint8)
    skip = -memory.ctypes.data % _CACHE_LINES
    return memory[skip : skip + size].view(kind).reshape(shape)


def aligned_copy(rows: NDArray[Any]) -> NDArray[Any]:
    """A copy, in C order, that begins at a multiple of 128 bytes."""
    copy = aligned_zeros(rows.shape, rows.dtype)
    copy[...] = rows
    return copy
