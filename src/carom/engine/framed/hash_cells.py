"""Cells of an infinite grid: a hash table of those that were ever entered, and who is in each of them.

A cell has two lists of members (Mirtich's hierarchical hash tables): HOME for boxes at the cell's own resolution, PASSING
for boxes at finer ones. Every body also chains its own memberships, so that it leaves a cell in constant time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.tables.arrays import IntRows, Ints, LongRows, Longs
from carom.tables.body_columns import NO_ID

HOME = 0
PASSING = 1

UNUSED = -1
"""key[slot, 0] of a slot that holds no cell."""

# Cells.node columns
MEMBER = 0
AFTER = 1
BEFORE = 2
PLACE = 3
"""2*slot + list"""
OWN_NEXT = 4
"""The next membership of the same body; of a free node the next free one."""
NODE_COLUMNS = 5

# Cells.tally columns
USED_CELLS = 0
"""Slots that hold a cell, with members or without: a cell that all have left is kept until the table is made anew."""
USED_NODES = 1
"""Memberships."""
FREE_NODE = 2
"""Head of the chain of free nodes, NO_ID when empty."""
TALLY_COLUMNS = 3

_ONE = np.uint64(0x9E3779B97F4A7C15)
_TWO = np.uint64(0xBF58476D1CE4E5B9)
_THREE = np.uint64(0x94D049BB133111EB)
_FOUR = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


class Cells(NamedTuple):
    """The hash table, open addressing with linear probing, and the lists of members."""

    key: LongRows
    """int64 (size, 4): tag (grid and resolution) and coordinates of each cell; size is a power of two"""
    head: IntRows
    """int32 (size, 2): first node of each of the two lists, NO_ID when empty"""
    node: IntRows
    """int32 (m, NODE_COLUMNS): one membership of one body in one cell"""
    own: Ints
    """int32 (capacity,): first membership of each body, NO_ID when it is in no cell"""
    tally: Longs
    """int64 (TALLY_COLUMNS,)"""


@inline_kernel
def _first_slot(tag, x, y, z, mask):
    """Where the search for a cell begins: all bits of its coordinates mixed."""
    h = np.uint64(tag) * _ONE + np.uint64(x) * _TWO + np.uint64(y) * _THREE + np.uint64(z) * _FOUR
    h ^= h >> _HALF
    h *= _ONE
    h ^= h >> _HALF
    return np.int64(h & np.uint64(mask))


@inner_kernel
def find_cell(cells, tag, x, y, z):
    """Slot of a cell, or the unused slot where it belongs. The table is never full, so the search ends."""
    key = cells.key
    mask = key.shape[0] - 1
    slot = _first_slot(tag, x, y, z, mask)
    while key[slot, 0] != UNUSED:
        if key[slot, 1] == x and key[slot, 2] == y and key[slot, 3] == z and key[slot, 0] == tag:
            break
        slot = (slot + 1) & mask
    return slot


@inner_kernel
def open_cell(cells, tag, x, y, z):
    """Slot of a cell, which is made where there is none. The caller has made sure that there is room."""
    slot = find_cell(cells, tag, x, y, z)
    if cells.key[slot, 0] == UNUSED:
        cells.key[slot, 0] = tag
        cells.key[slot, 1] = x
        cells.key[slot, 2] = y
        cells.key[slot, 3] = z
        cells.tally[USED_CELLS] += 1
    return slot


@inline_kernel
def cells_lack_room(cells, n):
    """Is there no room for n more cells and memberships? Half of the table stays unused, so that searches are short."""
    tally = cells.tally
    return 2 * (tally[USED_CELLS] + n) > cells.key.shape[0] or tally[USED_NODES] + n > cells.node.shape[0]


@inner_kernel
def join_cell(cells, place, row):
    """Make `row` a member of the list `place` (2*slot + list)."""
    node, head, tally = cells.node, cells.head, cells.tally
    k = tally[FREE_NODE]
    tally[FREE_NODE] = node[k, OWN_NEXT]
    tally[USED_NODES] += 1
    slot = place >> 1
    which = place & 1
    after = head[slot, which]
    node[k, MEMBER] = row
    node[k, AFTER] = after
    node[k, BEFORE] = NO_ID
    node[k, PLACE] = place
    node[k, OWN_NEXT] = cells.own[row]
    if after != NO_ID:
        node[after, BEFORE] = k
    head[slot, which] = k
    cells.own[row] = k


@inner_kernel
def leave_cell(cells, k):
    """Take membership k out of its cell and free it; returns the body's next membership, which the caller relinks."""
    node, tally = cells.node, cells.tally
    after = node[k, AFTER]
    before = node[k, BEFORE]
    if before == NO_ID:
        cells.head[node[k, PLACE] >> 1, node[k, PLACE] & 1] = after
    else:
        node[before, AFTER] = after
    if after != NO_ID:
        node[after, BEFORE] = before
    following = node[k, OWN_NEXT]
    node[k, MEMBER] = NO_ID
    node[k, OWN_NEXT] = tally[FREE_NODE]
    tally[FREE_NODE] = k
    tally[USED_NODES] -= 1
    return following


@inner_kernel
def leave_all_cells(cells, row):
    """Take `row` out of every cell."""
    k = cells.own[row]
    while k != NO_ID:
        k = leave_cell(cells, k)
    cells.own[row] = NO_ID


@lean_kernel
def _move_cells(old, new):
    """Enter every cell that has members into an empty table; nodes stay and learn their new places."""
    for slot in range(old.key.shape[0]):
        if old.key[slot, 0] == UNUSED or (old.head[slot, 0] == NO_ID and old.head[slot, 1] == NO_ID):
            continue
        there = open_cell(new, old.key[slot, 0], old.key[slot, 1], old.key[slot, 2], old.key[slot, 3])
        for which in range(2):
            k = old.head[slot, which]
            new.head[there, which] = k
            while k != NO_ID:
                new.node[k, PLACE] = 2 * there + which
                k = new.node[k, AFTER]


@lean_kernel
def _chain_free(node, first, tally):
    """Put nodes from `first` on into the chain of free ones."""
    for k in range(node.shape[0] - 1, first - 1, -1):
        node[k, MEMBER] = NO_ID
        node[k, OWN_NEXT] = tally[FREE_NODE]
        tally[FREE_NODE] = k


@lean_kernel
def members_consistent(cells):
    """Do lists, places and the bodies' own chains tell the same, and does every cell lie where a search finds it?"""
    key, head, node = cells.key, cells.head, cells.node
    listed = 0
    n_cells = 0
    for slot in range(key.shape[0]):
        if key[slot, 0] == UNUSED:
            continue
        n_cells += 1
        if find_cell(cells, key[slot, 0], key[slot, 1], key[slot, 2], key[slot, 3]) != slot:
            return False
        for which in range(2):
            k, before = head[slot, which], NO_ID
            while k != NO_ID:
                if node[k, BEFORE] != before or node[k, PLACE] != 2 * slot + which or listed > node.shape[0]:
                    return False
                listed += 1
                before = k
                k = node[k, AFTER]
    owned = 0
    for row in range(cells.own.shape[0]):
        k = cells.own[row]
        while k != NO_ID:
            if node[k, MEMBER] != row or owned > node.shape[0]:
                return False
            owned += 1
            k = node[k, OWN_NEXT]
    return listed == owned == cells.tally[USED_NODES] and n_cells == cells.tally[USED_CELLS]


def empty_cells(size: int, nodes: int, capacity: int) -> Cells:
    """A table of `size` slots (a power of two) and `nodes` memberships for bodies in `capacity` rows."""
    tally = np.zeros(TALLY_COLUMNS, np.int64)
    tally[FREE_NODE] = NO_ID
    cells = Cells(
        np.full((size, 4), UNUSED, np.int64),
        np.full((size, 2), NO_ID, np.int32),
        np.full((nodes, NODE_COLUMNS), NO_ID, np.int32),
        np.full(capacity, NO_ID, np.int32),
        tally,
    )
    _chain_free(cells.node, 0, tally)
    return cells


def more_room(cells: Cells, n: int) -> Cells:
    """The same cells and members in tables with room for n more, and about as much again as is used."""
    tally = cells.tally.copy()
    node = cells.node
    wanted = 2 * int(tally[USED_NODES]) + n
    if len(node) < wanted:
        node = np.full((wanted, NODE_COLUMNS), NO_ID, np.int32)
        node[: len(cells.node)] = cells.node
        _chain_free(node, len(cells.node), tally)
    alive = int(np.count_nonzero((cells.head != NO_ID).any(axis=1)))
    size = 1 << int(4 * (alive + n) - 1).bit_length()
    tally[USED_CELLS] = 0
    larger = Cells(np.full((size, 4), UNUSED, np.int64), np.full((size, 2), NO_ID, np.int32), node, cells.own, tally)
    _move_cells(cells, larger)
    return larger
