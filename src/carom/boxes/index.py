"""Boxes sorted into the slots of a grid, and along one axis in each slot, as arrays for sequential access."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, lean_kernel
from carom._compile.threads import Workers
from carom.boxes.counting_sort import offsets
from carom.boxes.grid import BoxGrid, Floats, cell_of, level_of, slot_of
from carom.boxes.lanes import LANES

_RUN = 24  # Length of runs that are sorted by insertion before merging


class BoxIndex(NamedTuple):
    """n boxes in the order of slots, within a slot sorted by their lower end along the first axis of the grid."""

    start: NDArray[np.int64]  # (slots + 1,) first place of each slot
    id: NDArray[np.int32]  # (n,) row of the box at each place
    ends: Floats
    """(6 * room,) six columns of room >= n + LANES numbers: lower ends along the axes of the grid, then upper ends"""
    reach: Floats
    """(room,) greatest upper end along the first axis from the begin of the slot up to here, for bisection: boxes that end
    before a box begins come before it"""


@lean_kernel
def _classify(grid, lo, hi, begin, end, slot, count):
    """Compute the slots of rows begin to end, and the number of boxes per slot."""
    for i in range(begin, end):
        level = level_of(grid, lo, hi, i)
        x = cell_of(grid, level, 0, lo[i, grid.axes[0]])
        y = cell_of(grid, level, 1, lo[i, grid.axes[1]])
        z = cell_of(grid, level, 2, lo[i, grid.axes[2]])
        s = slot_of(grid, level, x, y, z)
        slot[i] = s
        count[s] += 1


@lean_kernel
def _fill(lo, axis, begin, end, slot, place, id, key):
    """Write rows begin to end to their slots, in the order of rows."""
    for i in range(begin, end):
        s = slot[i]
        p = place[s]
        place[s] = p + 1
        id[p] = i
        key[p] = lo[i, axis]


@inner_kernel
def _insertion_sort(key, id, begin, end):
    for p in range(begin + 1, end):
        k, i = key[p], id[p]
        q = p
        while q > begin and key[q - 1] > k:
            key[q], id[q] = key[q - 1], id[q - 1]
            q -= 1
        key[q], id[q] = k, i


@inner_kernel
def _merge_sort(key, id, spare_key, spare_id, begin, end):
    """Stable merge sort: boxes with equal lower ends stay in the order of rows."""
    for p in range(begin, end, _RUN):
        _insertion_sort(key, id, p, min(p + _RUN, end))
    width = _RUN
    while width < end - begin:
        for left in range(begin, end, 2 * width):
            middle, right = min(left + width, end), min(left + 2 * width, end)
            for p in range(left, middle):
                spare_key[p], spare_id[p] = key[p], id[p]
            p, q, to = left, middle, left
            while p < middle and q < right:
                if spare_key[p] <= key[q]:
                    key[to], id[to] = spare_key[p], spare_id[p]
                    p += 1
                else:
                    key[to], id[to] = key[q], id[q]
                    q += 1
                to += 1
            while p < middle:
                key[to], id[to] = spare_key[p], spare_id[p]
                p += 1
                to += 1
        width *= 2


@lean_kernel
def _sort_slots(grid, lo, hi, first, last, key, spare_key, spare_id, index):
    """Sort slots first to last, and copy their boxes; the keys are the first column of ends already."""
    a, b, c = grid.axes[0], grid.axes[1], grid.axes[2]
    start, id, ends, reach = index.start, index.id, index.ends, index.reach
    room = reach.shape[0]
    for s in range(first, last):
        begin, end = start[s], start[s + 1]
        if end - begin > 1:
            _merge_sort(key, id, spare_key, spare_id, begin, end)
        far = -np.inf
        for p in range(begin, end):
            i = id[p]
            ends[room + p], ends[2 * room + p] = lo[i, b], lo[i, c]
            ends[3 * room + p], ends[4 * room + p], ends[5 * room + p] = hi[i, a], hi[i, b], hi[i, c]
            far = max(far, hi[i, a])
            reach[p] = far


def build_index(grid: BoxGrid, lo: Floats, hi: Floats, workers: Workers) -> BoxIndex:
    """Make the index of the boxes [lo, hi] (n, k) in slots of whole rows of cells along the first axis."""
    n, n_slots = len(lo), int(grid.first_slot[-1])
    slot = np.empty(n, np.int32)
    rows = workers.cuts(n)
    place = np.zeros((len(rows), n_slots), np.int32)
    workers.run(lambda part: _classify(grid, lo, hi, *rows[part], slot, place[part]), len(rows))
    offsets(place)
    start = np.append(place[0], n).astype(np.int64)
    index = BoxIndex(start, np.empty(n, np.int32), np.empty(6 * (n + LANES)), np.empty(n + LANES))
    key = index.ends[:n]
    axis = int(grid.axes[0])
    workers.run(lambda part: _fill(lo, axis, *rows[part], slot, place[part], index.id, key), len(rows))
    spare_key, spare_id = index.reach, slot
    slots = [int(s) for s in np.searchsorted(start, [begin for begin, _ in workers.cuts(n)])] + [n_slots]
    slots[0] = 0
    workers.run(
        lambda part: _sort_slots(grid, lo, hi, slots[part], slots[part + 1], key, spare_key, spare_id, index),
        len(slots) - 1,
    )
    return index
