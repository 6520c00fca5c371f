"""Overlapping pairs of boxes in an index: slots against their neighbours, and boxes against another level.

Kernels write pairs until their buffer is full, then return where to continue with a new one.
"""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inner_kernel, lean_kernel
from carom._compile.lanes import lowest_place
from carom.boxes.grid import cell_of, slot_of
from carom.boxes.lanes import LANES, meeting, number_below

LOWER_FIRST, AS_FOUND, SECOND_FIRST = 0, 1, 2
"""Order of rows in a pair."""
_BLOCK = 256
"""Number of places of a slot that are searched at once; a block interrupted by a full buffer is searched again."""


@inner_kernel
def _first_reaching(reach, begin, end, value):
    """Return the first place whose box, or one before it in the slot, ends at `value` or later."""
    while begin < end:
        middle = (begin + end) // 2
        if reach[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


@inner_kernel
def _box(index, place):
    ends, room = index.ends, index.reach.shape[0]
    return (
        ends[place], ends[room + place], ends[2 * room + place],
        ends[3 * room + place], ends[4 * room + place], ends[5 * room + place],
    )  # fmt: skip


@inner_kernel
def _scan(i, box, index, begin, end, order, pairs, n):
    """Write the pairs of `box`, of row i, with the boxes at places begin to end, up to the first that begins after it.

    Returns the number of pairs so far, or -1 if there is no room.
    """
    ends, id = index.ends, index.id
    room = np.int64(index.reach.shape[0])
    b = begin
    while b < end:
        mask = meeting(ends, room, b, box)
        if end - b < LANES:
            mask &= (1 << (end - b)) - 1
        while mask:
            if n == pairs.shape[0]:
                return np.int64(-1)
            j = id[b + lowest_place(mask)]
            mask &= mask - 1
            if order == SECOND_FIRST or (order == LOWER_FIRST and j < i):
                pairs[n, 0], pairs[n, 1] = j, i
            else:
                pairs[n, 0], pairs[n, 1] = i, j
            n += 1
        b += LANES
        if ends[b - 1] > box[3]:
            break
    return n


@inner_kernel
def _neighbour(grid, level, y, z, dy, dz):
    """Return the slot next to the one at (y, z) in its level's folded grid, -1 beyond the border."""
    per_y, per_z = grid.period[level, 1], grid.period[level, 2]
    y += dy
    z += dz
    if y >= per_y:
        if per_y > grid.top[level, 1]:
            return np.int64(-1)
        y = np.int64(0)
    if z < 0 or z >= per_z:
        if per_z > grid.top[level, 2]:
            return np.int64(-1)
        z = z % per_z
    return grid.first_slot[level] + y * per_z + z


@lean_kernel
def sweep_level(grid, level, index, begin, end, pairs):
    """Write the pairs within a level of the boxes at places begin to end with those after them in their slot, and with those in
    half of the neighbouring slots. Returns (place to continue from, pairs written); (begin, 0) asks for a larger buffer.
    """
    start, ends, reach, id = index.start, index.ends, index.reach, index.id
    n = 0
    slot = np.searchsorted(start, begin, side="right") - 1
    place = begin
    while place < end:
        while start[slot + 1] <= place:
            slot += 1
        last = min(start[slot + 1], end, place + _BLOCK)
        y, z = divmod(slot - grid.first_slot[level], grid.period[level, 2])
        done = n
        for a in range(place, last):
            n = _scan(id[a], _box(index, a), index, a + 1, start[slot + 1], LOWER_FIRST, pairs, n)
            if n < 0:
                return place, done
        for k in range(4):
            other = _neighbour(grid, level, y, z, 0 if k == 0 else 1, 1 if k == 0 else k - 2)
            if other < 0:
                continue
            there, there_end = start[other], start[other + 1]
            there = _first_reaching(reach, there, there_end, ends[place])
            for a in range(place, last):
                past = number_below(reach, there, ends[a])
                there += past
                while past == LANES and there < there_end:
                    past = number_below(reach, there, ends[a])
                    there += past
                if there >= there_end:
                    break
                n = _scan(id[a], _box(index, a), index, there, there_end, LOWER_FIRST, pairs, n)
                if n < 0:
                    return place, done
        place = last
    return place, n


@inner_kernel
def _search(grid, level, i, box, index, order, pairs, n):
    """Write all pairs of `box`, of row i, with a level of `index`; see _scan."""
    y0 = max(np.int64(0), cell_of(grid, level, 1, box[1]) - 1)
    z0 = max(np.int64(0), cell_of(grid, level, 2, box[2]) - 1)
    y1 = min(cell_of(grid, level, 1, box[4]), y0 + grid.period[level, 1] - 1)
    z1 = min(cell_of(grid, level, 2, box[5]), z0 + grid.period[level, 2] - 1)
    for y in range(y0, y1 + 1):
        for z in range(z0, z1 + 1):
            slot = slot_of(grid, level, np.int64(0), y, z)
            end = index.start[slot + 1]
            begin = _first_reaching(index.reach, index.start[slot], end, box[0])
            if begin < end:
                n = _scan(i, box, index, begin, end, order, pairs, n)
                if n < 0:
                    return n
    return n


@lean_kernel
def search_level(grid, level, here, begin, end, index, order, pairs):
    """Write the pairs of the boxes at places begin to end of `here` with a level of `index`; returns as sweep_level. The
    columns of both indices must be the same axes."""
    n = 0
    for a in range(begin, end):
        found = _search(grid, level, here.id[a], _box(here, a), index, order, pairs, n)
        if found < 0:
            return a, n
        n = found
    return end, n


@lean_kernel
def compare_all(lo, hi, other_lo, other_hi, same, pairs):
    """Compare every box with all others in order, or if `same` with those after it. Returns the number of pairs."""
    n = 0
    for i in range(lo.shape[0]):
        for j in range(i + 1 if same else 0, other_lo.shape[0]):
            overlap = True
            for d in range(lo.shape[1]):
                if lo[i, d] > other_hi[j, d] or other_lo[j, d] > hi[i, d]:
                    overlap = False
                    break
            if overlap:
                pairs[n, 0], pairs[n, 1] = i, j
                n += 1
    return n
