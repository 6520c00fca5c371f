"""Enlarged boxes in linked lists per grid slot, and pairs in linked lists per row: the cost of a change is local."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, lean_kernel
from carom.boxes.fat_boxes import due_after, report_change, separation
from carom.boxes.grid import cell_of, level_of, slot_of

USED, FREE, TICKET, BEGUN = 0, 1, 2, 3
"""Places in PairChains.counter: pairs ever used, first free one or -1, ticket of the last visit of a box, and pairs reported by
the current call.
"""


class BoxChains(NamedTuple):
    """Rows of boxes of the same slot, in doubly linked chains that end with -1."""

    first: NDArray[np.int32]  # (slots,)
    next: NDArray[np.int32]  # (n,)
    prev: NDArray[np.int32]  # (n,)
    slot: NDArray[np.int32]  # (n,)
    in_level: NDArray[np.int64]  # (levels,) number of boxes


class PairChains(NamedTuple):
    """Pair p joins row[2 p] and row[2 p + 1], both -1 if it is free; node 2 p is in the chain of the first, 2 p + 1 in that
    of the second. Free pairs are chained by `next` of their first node."""

    row: NDArray[np.int32]  # (2 c,)
    next: NDArray[np.int32]  # (2 c,)
    prev: NDArray[np.int32]  # (2 c,)
    first: NDArray[np.int32]  # (n,) first node of each row or -1
    on: NDArray[np.uint8]  # (c,) whether the boxes overlap, not only the fat ones
    due: NDArray[np.float64]  # (c,) odometer from which on that may change
    seen: NDArray[np.int64]  # (n,) ticket of the last visit that met the row
    counter: NDArray[np.int64]  # (4,)


@inner_kernel
def _push(first, following, previous, chain, node):
    """Insert a node at the front of a chain."""
    after = first[chain]
    following[node], previous[node] = after, -1
    first[chain] = node
    if after >= 0:
        previous[after] = node


@inner_kernel
def _unlink(first, following, previous, chain, node):
    """Remove a node from its chain."""
    before, after = previous[node], following[node]
    if before >= 0:
        following[before] = after
    else:
        first[chain] = after
    if after >= 0:
        previous[after] = before


@inner_kernel
def _enter(grid, boxes, fat_lo, fat_hi, i):
    level = level_of(grid, fat_lo, fat_hi, i)
    x = cell_of(grid, level, 0, fat_lo[i, grid.axes[0]])
    y = cell_of(grid, level, 1, fat_lo[i, grid.axes[1]])
    z = cell_of(grid, level, 2, fat_lo[i, grid.axes[2]])
    slot = slot_of(grid, level, x, y, z)
    boxes.slot[i] = slot
    _push(boxes.first, boxes.next, boxes.prev, slot, i)
    boxes.in_level[level] += 1


@inner_kernel
def _leave(grid, boxes, i):
    _unlink(boxes.first, boxes.next, boxes.prev, boxes.slot[i], i)
    boxes.in_level[np.searchsorted(grid.first_slot, boxes.slot[i], side="right") - 1] -= 1


@lean_kernel
def enter_boxes(grid, boxes, fat_lo, fat_hi):
    """Insert all boxes into empty chains."""
    for i in range(fat_lo.shape[0]):
        _enter(grid, boxes, fat_lo, fat_hi, i)


@lean_kernel
def move_boxes(grid, boxes, fat_lo, fat_hi, rows):
    """Move boxes with changed fat boxes to their slots."""
    for i in rows:
        _leave(grid, boxes, i)
        _enter(grid, boxes, fat_lo, fat_hi, i)


@inner_kernel
def _chain(pairs, node):
    _push(pairs.first, pairs.next, pairs.prev, pairs.row[node], node)


@inner_kernel
def _unchain(pairs, node):
    _unlink(pairs.first, pairs.next, pairs.prev, pairs.row[node], node)


@lean_kernel
def chain_pairs(pairs):
    """Chain the used pairs, of which none is free."""
    for node in range(2 * pairs.counter[USED]):
        _chain(pairs, node)


@inner_kernel
def _has_room(pairs):
    return pairs.counter[FREE] >= 0 or pairs.counter[USED] < pairs.on.shape[0]


@inner_kernel
def _add_pair(pairs, i, j, on, due):
    p = pairs.counter[FREE]
    if p >= 0:
        pairs.counter[FREE] = pairs.next[2 * p]
    else:
        p = pairs.counter[USED]
        pairs.counter[USED] = p + 1
    pairs.row[2 * p], pairs.row[2 * p + 1], pairs.on[p], pairs.due[p] = i, j, on, due
    _chain(pairs, 2 * p)
    _chain(pairs, 2 * p + 1)


@inner_kernel
def _drop_pair(pairs, p):
    _unchain(pairs, 2 * p)
    _unchain(pairs, 2 * p + 1)
    pairs.row[2 * p], pairs.row[2 * p + 1], pairs.on[p] = -1, -1, 0
    pairs.next[2 * p] = pairs.counter[FREE]
    pairs.counter[FREE] = p


@inner_kernel
def _fat_meet(fat_lo, fat_hi, i, j):
    for d in range(fat_lo.shape[1]):
        if fat_lo[i, d] > fat_hi[j, d] or fat_lo[j, d] > fat_hi[i, d]:
            return False
    return True


@lean_kernel
def retest_rows(ends, pairs, odometer, rows, begin, began, ended):
    """Test the pairs of rows from place `begin` on. Returns (place to continue from, number begun, number ended)."""
    n_began, n_ended = 0, 0
    for t in range(begin, rows.shape[0]):
        node = pairs.first[rows[t]]
        while node >= 0:
            p = node >> 1
            i, j = pairs.row[2 * p], pairs.row[2 * p + 1]
            apart = separation(ends, i, j)
            pairs.due[p] = due_after(odometer, apart)
            meet = apart <= 0.0
            if meet != (pairs.on[p] != 0):
                if n_began == began.shape[0] or n_ended == ended.shape[0]:
                    return t, n_began, n_ended
                pairs.on[p] = meet
                n_began, n_ended = report_change(meet, i, j, began, n_began, ended, n_ended)
            node = pairs.next[node]
    return rows.shape[0], n_began, n_ended


@inner_kernel
def _meet_slot(ends, boxes, pairs, odometer, fat_lo, fat_hi, i, slot, began):
    """Add the pairs of row i with those of a slot whose fat boxes overlap its own. False if there is no room."""
    ticket = pairs.counter[TICKET]
    j = boxes.first[slot]
    while j >= 0:
        if pairs.seen[j] != ticket and _fat_meet(fat_lo, fat_hi, i, j):
            n = pairs.counter[BEGUN]
            if n == began.shape[0] or not _has_room(pairs):
                return False
            apart = separation(ends, i, j)
            _add_pair(pairs, i, j, apart <= 0.0, due_after(odometer, apart))
            if apart <= 0.0:
                began[n, 0], began[n, 1] = i, j
                pairs.counter[BEGUN] = n + 1
        j = boxes.next[j]
    return True


@inner_kernel
def _meet_level(ends, grid, level, boxes, pairs, odometer, fat_lo, fat_hi, i, began):
    """As _meet_slot, for all slots of a level that may hold partners, each visited once."""
    a, b, c = grid.axes[0], grid.axes[1], grid.axes[2]
    period = grid.period[level]
    x0 = max(np.int64(0), cell_of(grid, level, 0, fat_lo[i, a]) - 1)
    y0 = max(np.int64(0), cell_of(grid, level, 1, fat_lo[i, b]) - 1)
    z0 = max(np.int64(0), cell_of(grid, level, 2, fat_lo[i, c]) - 1)
    x1 = min(cell_of(grid, level, 0, fat_hi[i, a]), x0 + period[0] - 1)
    y1 = min(cell_of(grid, level, 1, fat_hi[i, b]), y0 + period[1] - 1)
    z1 = min(cell_of(grid, level, 2, fat_hi[i, c]), z0 + period[2] - 1)
    for x in range(x0, x1 + 1):
        for y in range(y0, y1 + 1):
            for z in range(z0, z1 + 1):
                if not _meet_slot(
                    ends, boxes, pairs, odometer, fat_lo, fat_hi, i, slot_of(grid, level, x, y, z), began
                ):
                    return False
    return True


@lean_kernel
def renew_pairs(ends, grid, boxes, pairs, odometer, fat_lo, fat_hi, rows, begin, began):
    """Drop pairs of rows whose fat boxes are separate and add those that overlap now; all fat boxes are in their slots.

    Starts at place `begin` of rows; returns (place to continue from, number begun). An interrupted row starts again: its
    pairs so far are among its pairs.
    """
    pairs.counter[BEGUN] = 0
    for t in range(begin, rows.shape[0]):
        i = rows[t]
        pairs.counter[TICKET] += 1
        pairs.seen[i] = pairs.counter[TICKET]
        node = pairs.first[i]
        while node >= 0:
            after = pairs.next[node]
            j = pairs.row[node ^ 1]
            if _fat_meet(fat_lo, fat_hi, i, j):
                pairs.seen[j] = pairs.counter[TICKET]
            else:
                _drop_pair(pairs, node >> 1)
            node = after
        for level in range(boxes.in_level.shape[0]):
            if boxes.in_level[level] == 0:
                continue
            if not _meet_level(ends, grid, level, boxes, pairs, odometer, fat_lo, fat_hi, i, began):
                return t, pairs.counter[BEGUN]
    return rows.shape[0], pairs.counter[BEGUN]
