"""All overlapping pairs of boxes at one instant: columns over two axes, a sweep along the third inside each column.

Used to start the kinetic structures: linear in the number of boxes and pairs where sizes are alike, whereas a plain
sweep along one axis costs n^(5/3) in a gas.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom._jit import inner_kernel, lean_kernel

_WIDE = 4.0
"""Boxes that reach over more than this many columns are compared with all others instead of being put in columns."""


@inner_kernel
def _boxes_overlap(lo, hi, a, b):
    for d in range(lo.shape[1]):
        if lo[a, d] > hi[b, d] or lo[b, d] > hi[a, d]:
            return False
    return True


@lean_kernel
def _fill_columns(first, last, order, n_z, start, items):
    """Counting sort of boxes into columns, keeping the order along the sweep axis; start has one entry more than columns.

    With empty `items` only counts.
    """
    for k in order:
        for y in range(first[k, 0], last[k, 0] + 1):
            for z in range(first[k, 1], last[k, 1] + 1):
                column = y * n_z + z
                if items.shape[0] > 0:
                    items[start[column]] = k
                start[column] += 1


@lean_kernel
def _sweep_columns(lo, hi, first, n_z, start, items, pairs):
    """Pairs inside every column; a pair that shares several columns is reported in the one of its common lower corner.

    With empty `pairs` only counts.
    """
    n = 0
    for column in range(start.shape[0] - 1):
        y = column // n_z
        z = column - y * n_z
        for p in range(start[column], start[column + 1]):
            a = items[p]
            for q in range(p + 1, start[column + 1]):
                b = items[q]
                if lo[b, 0] > hi[a, 0]:
                    break
                if y != max(first[a, 0], first[b, 0]) or z != max(first[a, 1], first[b, 1]):
                    continue
                if _boxes_overlap(lo, hi, a, b):
                    if pairs.shape[0] > 0:
                        pairs[n, 0] = min(a, b)
                        pairs[n, 1] = max(a, b)
                    n += 1
    return n


@lean_kernel
def _compare_wide(lo, hi, wide, is_wide, pairs):
    """Pairs of wide boxes with all others. With empty `pairs` only counts."""
    n = 0
    for a in wide:
        for b in range(lo.shape[0]):
            if (not is_wide[b] or b > a) and b != a and _boxes_overlap(lo, hi, a, b):
                if pairs.shape[0] > 0:
                    pairs[n, 0] = min(a, b)
                    pairs[n, 1] = max(a, b)
                n += 1
    return n


def static_pairs(lo: NDArray[np.float64], hi: NDArray[np.float64]) -> NDArray[np.int32]:
    """Pairs (m, 2), i < j, of the closed boxes [lo, hi] (n, k) that overlap; ends may be infinite. In no special order."""
    n, n_axes = lo.shape
    none = np.empty((0, 2), np.int32)
    if n < 2:
        return none
    column_axes = [min(1, n_axes - 1), min(2, n_axes - 1)]
    width = hi[:, column_axes] - lo[:, column_axes]
    finite = np.isfinite(width).all(axis=1) & np.isfinite(lo[:, 0]) & np.isfinite(hi[:, 0])
    if finite.any():
        low = np.array([lo[finite, d].min() for d in column_axes])
        high = np.array([hi[finite, d].max() for d in column_axes])
        sample = width[finite][:: max(1, n // 10_000)]
        cell = 1.5 * np.quantile(sample, 0.9, axis=0)
        cell = np.maximum(cell, (high - low) / max(1, math.isqrt(2 * n)))
        cell = np.where(cell > 0.0, cell, 1.0)
        is_wide = ~finite | ~(width <= _WIDE * cell).all(axis=1)
    else:
        is_wide = np.ones(n, np.bool_)
    del width, finite
    wide = np.flatnonzero(is_wide)
    parts = []
    n_wide = _compare_wide(lo, hi, wide, is_wide, none)
    if n_wide:
        parts.append(np.empty((n_wide, 2), np.int32))
        _compare_wide(lo, hi, wide, is_wide, parts[-1])
    narrow = np.flatnonzero(~is_wide)
    if len(narrow):
        first = np.zeros((n, 2), np.int32)
        last = np.zeros((n, 2), np.int32)
        for k, d in enumerate(column_axes):
            first[narrow, k] = (lo[narrow, d] - low[k]) / cell[k]
            last[narrow, k] = (hi[narrow, d] - low[k]) / cell[k]
        n_y, n_z = (int(v) + 1 for v in last[narrow].max(axis=0))
        order = narrow[np.argsort(lo[narrow, 0], kind="stable")].astype(np.int32)
        counts = np.zeros(n_y * n_z, np.int64)
        _fill_columns(first, last, order, n_z, counts, np.empty(0, np.int32))
        start = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        items = np.empty(int(start[-1]), np.int32)
        _fill_columns(first, last, order, n_z, start[:-1].copy(), items)
        n_pairs = _sweep_columns(lo, hi, first, n_z, start, items, none)
        if n_pairs:
            parts.append(np.empty((n_pairs, 2), np.int32))
            _sweep_columns(lo, hi, first, n_z, start, items, parts[-1])
    return np.concatenate(parts) if parts else none
