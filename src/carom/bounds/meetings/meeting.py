"""When two space-time bounds first meet, in closed form.

Two boxes overlap while each lower side is below the other's upper side on every axis: six inequalities that are linear in
time. With cutting planes d_i . x <= b_i and d_j . x <= b_j, linear programming duality leaves as many more as there are
combinations l of the planes to look at and corners of the common box: for all l in [0, 1] the least value of n . x with
n = l d_i + (1 - l) d_j over the box must not be above l b_i + (1 - l) b_j. As a function of l the difference is concave between
the values at which a component of n changes its sign, so these (three at most), 0 and 1 suffice. The least value takes on each
axis the larger of the two lower sides or the smaller of the two upper ones; it is not above the right side if none of the
eight choices of a body for each axis is. All in all six and at most forty inequalities p + q t <= 0.
"""

from __future__ import annotations

import math

from carom._compile.jit import inline_kernel, inner_kernel
from carom.bounds.space_time import PLANE_OFFSET, PLANE_SPEED


@inline_kernel
def _clipped(p, q, first, last):
    """The part of the window [first, last] in which p + q t <= 0; first is inf when there is no such time after 0."""
    if p > 0.0:
        return math.inf if q >= 0.0 else max(first, -p / q), last
    return first, min(last, -p / q) if q > 0.0 else last


@inline_kernel
def box_window(sides, i, j, last):
    """First and last time in [0, last] at which the boxes of horns i and j overlap; first is inf when they do not."""
    first = 0.0
    for d in (8, 4, 0):
        first, last = _clipped(sides[i, d] - sides[j, d + 2], sides[i, d + 1] - sides[j, d + 3], first, last)
        if first > last:
            return math.inf, last
        first, last = _clipped(sides[j, d] - sides[i, d + 2], sides[j, d + 1] - sides[i, d + 3], first, last)
        if first > last:
            return math.inf, last
    return first, last


@inner_kernel
def is_cut(planes, i):
    """Has the horn a cutting plane?"""
    return planes[i, 0] != 0.0 or planes[i, 1] != 0.0 or planes[i, 2] != 0.0


@inner_kernel
def _narrowed(sides, planes, i, j, share, first, last):
    """Narrow a window by the combination `share` of plane i and 1 - share of plane j; first inf when nothing is left."""
    rest = 1.0 - share
    offset = share * planes[i, PLANE_OFFSET] + rest * planes[j, PLANE_OFFSET]
    speed = share * planes[i, PLANE_SPEED] + rest * planes[j, PLANE_SPEED]
    for corner in range(8):
        p = -offset
        q = -speed
        for d in range(3):
            n = share * planes[i, d] + rest * planes[j, d]
            row = i if (corner >> d) & 1 else j
            side = 4 * d if n > 0.0 else 4 * d + 2
            if n != 0.0:
                p += n * sides[row, side]
                q += n * sides[row, side + 1]
        first, last = _clipped(p, q, first, last)
        if first > last:
            return math.inf, last
    return first, last


@inner_kernel
def cut_meeting(sides, planes, i, j, first, last):
    """First time in the window [first, last] of their boxes at which horns i and j meet behind their planes, or inf."""
    cut_i, cut_j = is_cut(planes, i), is_cut(planes, j)
    if cut_i:
        first, last = _narrowed(sides, planes, i, j, 1.0, first, last)
    if cut_j and first < math.inf:
        first, last = _narrowed(sides, planes, i, j, 0.0, first, last)
    if cut_i and cut_j:
        for d in range(3):
            here = planes[i, d]
            there = planes[j, d]
            if here * there < 0.0 and first < math.inf:
                share = abs(there) / (abs(here) + abs(there))
                first, last = _narrowed(sides, planes, i, j, share, first, last)
    return first


@inline_kernel
def meeting(sides, planes, cut, i, j, last):
    """First time in [0, last] at which horns i and j meet, or inf. cut: does any horn have a plane?"""
    first, last = box_window(sides, i, j, last)
    if cut and first < math.inf:
        return cut_meeting(sides, planes, i, j, first, last)
    return first


@inline_kernel
def meeting_from(sides, planes, cut, i, j, begin, last):
    """First time in [begin, last] at which horns i and j meet, or inf; the same to the last bit for j and i."""
    first, last = box_window(sides, i, j, last)
    first = max(first, begin)
    if first > last:
        return math.inf
    return cut_meeting(sides, planes, min(i, j), max(i, j), first, last) if cut else first


@inline_kernel
def comes_first(t, i, j, best, best_i, best_j):
    """Is the meeting of i < j at t before the best one so far? Of simultaneous ones that of the lowest rows is first."""
    return t < best or (t == best and t < math.inf and (i < best_i or (i == best_i and j < best_j)))
