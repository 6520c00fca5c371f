"""Merging of vertices that agree bit for bit: formats that repeat them per triangle or normal disconnect a surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def welded_rows(rows: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (kept, rank): the first of each group of equal rows of (n, k), in order, and the group of every row.

    NaN equals NaN of the same bits, and -0.0 equals 0.0.
    """
    # Adding zero makes the bytes of -0.0 and 0.0 equal.
    whole = np.ascontiguousarray(rows + 0.0)
    as_bytes = whole.view(np.dtype((np.void, whole.itemsize * whole.shape[1]))).reshape(-1)
    _, first, group = np.unique(as_bytes, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty(len(first), dtype=np.int64)
    rank[order] = np.arange(len(first))
    return first[order], rank[group.reshape(-1)]
