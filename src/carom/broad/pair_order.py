"""Lists of pairs put into lexicographic order by counting, each thread for a range of first rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._jit import inner_kernel, lean_kernel
from carom.broad.parts import Workers

Pairs = NDArray[np.int32]

_LONG = 2048
"""Partners of one row that are better sorted by NumPy."""


@lean_kernel
def _count(pairs, first, last, start):
    """Add the number of pairs of each row from first to last to start[row + 1]."""
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        if first <= i and i < last:
            start[i + 1] += 1


@lean_kernel
def _fill(pairs, first, last, place, out):
    """Write the pairs of rows from first to last where their rows go on."""
    for k in range(pairs.shape[0]):
        i = pairs[k, 0]
        if first <= i and i < last:
            out[place[i], 0] = i
            out[place[i], 1] = pairs[k, 1]
            place[i] += 1


@inner_kernel
def _shell_sort(out, begin, end):
    """Sort second rows; the gaps 1, 4, 13 ... grow by three: without them it is an insertion sort, best for few."""
    gap = 1
    while 8 * gap < end - begin:
        gap = 3 * gap + 1
    while gap > 0:
        for p in range(begin + gap, end):
            j = out[p, 1]
            q = p
            while q - gap >= begin and out[q - gap, 1] > j:
                out[q, 1] = out[q - gap, 1]
                q -= gap
            out[q, 1] = j
        gap //= 3


@lean_kernel
def _sort_rows(start, first, last, out):
    for i in range(first, last):
        if start[i + 1] - start[i] < _LONG:
            _shell_sort(out, start[i], start[i + 1])


def in_order(chunks: list[Pairs], n_rows: int, workers: Workers) -> Pairs:
    """All pairs of `chunks`, first rows below n_rows, as one sorted array (m, 2)."""
    start = np.zeros(n_rows + 1, np.int64)
    rows = workers.cuts(n_rows)

    def count(part: int) -> None:
        for chunk in chunks:
            _count(chunk, *rows[part], start)

    workers.run(count, len(rows))
    np.cumsum(start, out=start)
    n_pairs = int(start[-1])
    out = np.empty((n_pairs, 2), np.int32)
    place = start[:-1].copy()
    cuts = [int(i) for i in np.searchsorted(start, [begin for begin, _ in workers.cuts(n_pairs)])] + [n_rows]
    cuts[0] = 0

    def fill(part: int) -> None:
        for chunk in chunks:
            _fill(chunk, cuts[part], cuts[part + 1], place, out)
        _sort_rows(start, cuts[part], cuts[part + 1], out)

    workers.run(fill, len(cuts) - 1)
    for i in np.flatnonzero(np.diff(start) >= _LONG):
        out[start[i] : start[i + 1], 1].sort()
    return out
