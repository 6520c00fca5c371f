"""A set of pairs of triangles with fast membership tests: an open-addressing hash table of integers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, lean_kernel

NO_PAIR = -1
"""In an empty place of a table; a table of nothing else is an empty set."""
_FEWEST = 16
"""Places of the smallest table."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
"""Odd, with its bits well mixed: multiplying by it spreads neighbouring keys over the table."""


@inline_kernel
def place_of(table, key):
    """Where a key, not negative, is or would be. The length is a power of two, at most half is used, so the walk ends."""
    last = np.uint64(len(table) - 1)
    at = ((np.uint64(key) * _SPREAD) >> np.uint64(32)) & last
    while table[at] != NO_PAIR and table[at] != key:
        at = (at + np.uint64(1)) & last
    return at


@inline_kernel
def holds_pair(table, a, b, n_faces):
    """Is the pair of triangles a, b, lower first, in the set?"""
    key = np.int64(a) * n_faces + b
    return table[place_of(table, key)] == key


@lean_kernel
def _fill(table, keys):
    for k in range(len(keys)):
        table[place_of(table, keys[k])] = keys[k]


def pair_set(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The set of these pairs, each as the number a * n_faces + b, not negative."""
    size = _FEWEST
    while size < 2 * len(keys) + 1:
        size *= 2
    table = np.full(size, NO_PAIR, np.int64)
    _fill(table, keys)
    return table
