"""Earliest meeting by a look at neighbours first: they meet soon, and only what is swept until then needs comparing.

Horns are sorted along x. Those that follow each other there are compared, which gives a time that the answer cannot be after.
Then the boxes are swept from the start to that time alone, sorted by their lower ends, and those that overlap on all axes
compared; every earlier meeting found on the way shortens what later pairs are compared over.
"""

from __future__ import annotations

import math

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.meetings.meeting import comes_first, meeting
from carom.bounds.meetings.sorting import insertion_sort, spread_sort

_AHEAD = 2
"""Followers along x that each horn is first compared with."""


@inline_kernel
def sweep_box(sides, i, span, swept):
    """The box that holds horn i from 0 to span, into column i of swept (6, n): lower x, y, z, upper x, y, z."""
    for d in range(3):
        low = sides[i, 4 * d]
        high = sides[i, 4 * d + 2]
        swept[d, i] = min(low, low + sides[i, 4 * d + 1] * span)
        swept[3 + d, i] = max(high, high + sides[i, 4 * d + 3] * span)


@inner_kernel
def sweep_boxes(sides, span, swept):
    """Boxes that hold each horn from 0 to span, into swept (6, n): lower x, y, z, upper x, y, z."""
    for i in range(sides.shape[0]):
        sweep_box(sides, i, span, swept)


@inline_kernel
def overlap_aside(swept, one, other):
    """Do two swept boxes overlap along y and z? Each comparison is as good as random: one branch instead of four."""
    along_y = (swept[1, other] <= swept[4, one]) & (swept[1, one] <= swept[4, other])
    along_z = (swept[2, other] <= swept[5, one]) & (swept[2, one] <= swept[5, other])
    return along_y & along_z


@lean_kernel
def by_neighbours(sides, planes, owners, cut, span, order, starts, swept):
    """Earliest time in [0, span] at which two horns of different owners meet, and the two; (inf, -1, -1) for none.

    order (n,), starts (n + 1,), swept (6, n): room.
    """
    n = len(order)
    best, best_i, best_j = math.inf, -1, -1
    last = span
    low = swept[0]
    for i in range(n):
        low[i] = sides[i, 0]
    spread_sort(order, low, starts)
    for a in range(n):
        for b in range(a + 1, min(n, a + 1 + _AHEAD)):
            i, j = min(order[a], order[b]), max(order[a], order[b])
            if owners[i] != owners[j]:
                t = meeting(sides, planes, cut, i, j, last)
                if comes_first(t, i, j, best, best_i, best_j):
                    best, best_i, best_j = t, i, j
                    last = t
    sweep_boxes(sides, last, swept)
    insertion_sort(order, low)
    for a in range(n):
        one = order[a]
        end = swept[3, one]
        for b in range(a + 1, n):
            other = order[b]
            if low[other] > end:
                break
            if not overlap_aside(swept, one, other) or owners[one] == owners[other]:
                continue
            i, j = min(one, other), max(one, other)
            t = meeting(sides, planes, cut, i, j, last)
            if comes_first(t, i, j, best, best_i, best_j):
                best, best_i, best_j = t, i, j
                last = t
    return best, best_i, best_j
