"""Lexicographic order of lists of pairs: counting sort by the second row, then by the first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import lean_kernel
from carom._compile.threads import Workers
from carom.boxes.counting_sort import offsets

Pairs = NDArray[np.int32]

_LEAST = 0.5  # Pairs per row above which a thread pays off for counting all rows


@lean_kernel
def _count(pairs, column, count):
    for k in range(pairs.shape[0]):
        count[pairs[k, column]] += 1


@lean_kernel
def _fill(pairs, column, place, out):
    for k in range(pairs.shape[0]):
        row = pairs[k, column]
        to = place[row]
        place[row] = to + 1
        out[to, 0] = pairs[k, 0]
        out[to, 1] = pairs[k, 1]


def in_order(chunks: list[Pairs], n_rows: tuple[int, int], workers: Workers) -> Pairs:
    """Return all pairs of `chunks` as one sorted array (m, 2); n_rows: bounds of first and second rows."""
    for column in (1, 0):
        chunks = [_counted_out(chunks, column, n_rows[column], workers)]
    return chunks[0]


def _counted_out(chunks: list[Pairs], column: int, n_rows: int, workers: Workers) -> Pairs:
    """Return the pairs stably sorted by one of their rows."""
    n = sum(map(len, chunks))
    parts = [_between(chunks, begin, end) for begin, end in workers.cuts(n, least=_LEAST * n_rows)]
    place = np.zeros((len(parts), n_rows), np.int32 if n < 2**31 else np.int64)
    out = np.empty((n, 2), np.int32)

    def count(part: int) -> None:
        for pairs in parts[part]:
            _count(pairs, column, place[part])

    def fill(part: int) -> None:
        for pairs in parts[part]:
            _fill(pairs, column, place[part], out)

    workers.run(count, len(parts))
    offsets(place)
    workers.run(fill, len(parts))
    return out


def _between(chunks: list[Pairs], begin: int, end: int) -> list[Pairs]:
    """Return pairs begin to end of the concatenated chunks."""
    found = []
    for pairs in chunks:
        if begin < len(pairs) and end > 0:
            found.append(pairs[max(0, begin) : end])
        begin -= len(pairs)
        end -= len(pairs)
    return found
