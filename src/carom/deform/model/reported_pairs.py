"""The pairs of triangles that were reported, and when: a hash table inside kernels, emptied at every key."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.deform.model.pair_set import NO_PAIR, place_of


class DeliveredTables(NamedTuple):
    """key (c,) int64, -1: empty place; when (c,) float64; used (1,) int64. c is a power of two, at most half of it used."""

    key: NDArray[np.int64]
    when: NDArray[np.float64]
    used: NDArray[np.int64]


@inline_kernel
def pair_key(a, b):
    """One number for two triangles."""
    return (np.int64(a) << 32) | np.int64(b)


@inner_kernel
def delivered_time(table, key):
    """When a pair was last reported, -inf if it was not."""
    place = place_of(table.key, key)
    return table.when[place] if table.key[place] == key else -inf


@lean_kernel
def note_delivery(table, key, when):
    """Remember a report; the caller sees to it that there is room."""
    place = place_of(table.key, key)
    if table.key[place] == NO_PAIR:
        table.key[place] = key
        table.used[0] += 1
    table.when[place] = when


def delivered_tables(capacity: int) -> DeliveredTables:
    """An empty table; capacity: a power of two."""
    return DeliveredTables(np.full(capacity, NO_PAIR), np.full(capacity, -np.inf), np.zeros(1, np.int64))


def larger(table: DeliveredTables) -> DeliveredTables:
    """The same contents with four times the room."""
    grown = delivered_tables(4 * len(table.key))
    _copy(table, grown)
    return grown


@lean_kernel
def _copy(table, other):
    for place in range(len(table.key)):
        if table.key[place] != NO_PAIR:
            note_delivery(other, table.key[place], table.when[place])


def empty(table: DeliveredTables) -> None:
    """Forget everything."""
    if table.used[0]:
        table.key.fill(NO_PAIR)
        table.used[0] = 0
