"""Earliest meeting by subdivision of space and time, as in a tree of sixteen children: earlier halves first (Hubbard, V.B.2).

A cell with few horns compares them all in closed form; one with more is halved along each of its four sides, and its horns
go to those children that they pass through. Cells that begin after the earliest meeting found so far are left out.
"""

from __future__ import annotations

import math

from carom._compile.jit import inner_kernel, lean_kernel
from carom.bounds.meetings.meeting import comes_first, meeting

DEEPEST = 6
"""Halvings after which a cell compares whatever it holds: horns that overlap cannot be told apart by smaller cells."""
MOST_CELLS = 16 * DEEPEST + 1
"""Cells that wait at a time: of each depth at most the sixteen children of one cell."""


@inner_kernel
def _passes_through(sides, i, cell):
    """Is horn i in the cell (8,), lower x, y, z, t and upper x, y, z, t, at some time?"""
    for d in range(3):
        low = sides[i, 4 * d]
        speed = sides[i, 4 * d + 1]
        if min(low + speed * cell[3], low + speed * cell[7]) > cell[4 + d]:
            return False
        high = sides[i, 4 * d + 2]
        speed = sides[i, 4 * d + 3]
        if max(high + speed * cell[3], high + speed * cell[7]) < cell[d]:
            return False
    return True


@inner_kernel
def _halve(whole, which, cell):
    """Write child `which` of a cell: bit d says which half along side d."""
    for d in range(4):
        middle = 0.5 * (whole[d] + whole[4 + d])
        cell[d] = middle if (which >> d) & 1 else whole[d]
        cell[4 + d] = whole[4 + d] if (which >> d) & 1 else middle


@lean_kernel
def by_subdivision(sides, planes, owners, cut, span, few, cells, slices, items):
    """Earliest time in [0, span] at which two horns of different owners meet, and the two; (inf, -1, -1) for none.

    few: horns that are compared without halving again. cells (MOST_CELLS + 1, 8): the first holds the whole space and
    [0, span], the last is room for one; slices (MOST_CELLS, 3) and items (MOST_CELLS * n,): room.
    """
    n = len(owners)
    best, best_i, best_j = math.inf, -1, -1
    last = span
    whole = cells[MOST_CELLS]
    for i in range(n):
        items[i] = i
    slices[0, 0], slices[0, 1], slices[0, 2] = 0, n, 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        begin, end, depth = slices[waiting, 0], slices[waiting, 1], slices[waiting, 2]
        if cells[waiting, 3] > last:
            continue
        if end - begin <= few or depth == DEEPEST:
            for b in range(begin, end):
                for a in range(begin, b):
                    i, j = items[a], items[b]  # children keep the order of their parent: i < j
                    if owners[i] != owners[j]:
                        t = meeting(sides, planes, cut, i, j, last)
                        if comes_first(t, i, j, best, best_i, best_j):
                            best, best_i, best_j = t, i, j
                            last = t
            continue
        for d in range(8):
            whole[d] = cells[waiting, d]
        # What is kept last is taken first: the later half of time, bit 3, goes in front.
        free = end
        for which in range(15, -1, -1):
            cell = cells[waiting]
            _halve(whole, which, cell)
            first = free
            for a in range(begin, end):
                if _passes_through(sides, items[a], cell):
                    items[free] = items[a]
                    free += 1
            if free - first < 2:
                free = first
            else:
                slices[waiting, 0], slices[waiting, 1], slices[waiting, 2] = first, free, depth + 1
                waiting += 1
    return best, best_i, best_j
