"""When two space-time bounds that are cut by planes first meet, face by face as in the paper (Hubbard, V.C and V.D).

Two bounds whose faces meet where it is cut off first have a common point on a plane of one of them, and on a face of either or
on the plane of the other.
Where a face and a plane cross there is a line r(t) + k m, which moves straight in time; the points of it that are in both
bounds satisfy linear inequalities in t and k, one for each other face or plane. The least t is a linear program in two
variables. It is solved by eliminating k: every lower limit of k is below every upper one, which leaves inequalities in t
alone. Slower than carom.bounds.meetings.meeting, which needs no lines; kept as the paper's own way.
"""

from __future__ import annotations

import math

from carom._compile.jit import inner_kernel
from carom.bounds.meetings.meeting import cut_meeting, is_cut
from carom.bounds.space_time import PLANE_OFFSET, PLANE_SPEED
from carom.tolerances import PARALLEL_CUTS

HALF_SPACES = 14
"""Six sides of the first bound, six of the second, the plane of the first, that of the second."""
_PLANES = 12


@inner_kernel
def _write_half_spaces(sides, planes, i, j, half):
    """half (14, 5): normal n, offset b, speed c of n . x <= b + c t."""
    for body in range(2):
        row = j if body else i
        for d in range(3):
            for upper in range(2):
                out = half[6 * body + 2 * d + upper]
                sign = 1.0 if upper else -1.0
                for e in range(3):
                    out[e] = sign if e == d else 0.0
                out[3] = sign * sides[row, 4 * d + 2 * upper]
                out[4] = sign * sides[row, 4 * d + 2 * upper + 1]
        for e in range(3):
            half[_PLANES + body, e] = planes[row, e]
        half[_PLANES + body, 3] = planes[row, PLANE_OFFSET]
        half[_PLANES + body, 4] = planes[row, PLANE_SPEED]


@inner_kernel
def _narrow(p, q, first, last):
    """The part of [first, last] where p + q t <= 0; first inf when there is none."""
    if p > 0.0:
        if q >= 0.0:
            return math.inf, last
        first = max(first, -p / q)
    elif q > 0.0:
        last = min(last, -p / q)
    return (first, last) if first <= last else (math.inf, last)


@inner_kernel
def _first_on_line(half, one, other, first, last, limits):
    """Least t in [first, last] at which a point of the line where two planes cross is in all half-spaces, or inf.

    limits (14, 3): room for limits of k: k above (sign -1) or below (sign 1) a + b t.
    """
    a, b = half[one], half[other]
    mx = a[1] * b[2] - a[2] * b[1]
    my = a[2] * b[0] - a[0] * b[2]
    mz = a[0] * b[1] - a[1] * b[0]
    square = mx * mx + my * my + mz * mz
    if square < PARALLEL_CUTS:
        return math.inf  # parallel: what meets there also meets where the next face crosses the plane
    aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2]
    ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2]
    # r(t) = u a + v b, the point of the line nearest the origin
    u0, u1 = (bb * a[3] - ab * b[3]) / square, (bb * a[4] - ab * b[4]) / square
    v0, v1 = (aa * b[3] - ab * a[3]) / square, (aa * b[4] - ab * a[4]) / square
    n_limits = 0
    for h in range(HALF_SPACES):
        n = half[h]
        if h == one or h == other or (n[0] == 0.0 and n[1] == 0.0 and n[2] == 0.0):
            continue
        na = n[0] * a[0] + n[1] * a[1] + n[2] * a[2]
        nb = n[0] * b[0] + n[1] * b[1] + n[2] * b[2]
        p = na * u0 + nb * v0 - n[3]
        q = na * u1 + nb * v1 - n[4]
        along = n[0] * mx + n[1] * my + n[2] * mz
        if along * along < PARALLEL_CUTS * square:
            first, last = _narrow(p, q, first, last)
            if first == math.inf:
                return math.inf
        else:
            limits[n_limits, 0] = -p / along
            limits[n_limits, 1] = -q / along
            limits[n_limits, 2] = along
            n_limits += 1
    for low in range(n_limits):
        if limits[low, 2] > 0.0:
            continue
        for high in range(n_limits):
            if limits[high, 2] > 0.0:
                p = limits[low, 0] - limits[high, 0]
                q = limits[low, 1] - limits[high, 1]
                first, last = _narrow(p, q, first, last)
                if first == math.inf:
                    return math.inf
    return first


@inner_kernel
def meeting_after_faces(sides, planes, i, j, t, last, half, limits):
    """First time in [t, last] at which horns i and j meet, whose boxes begin to overlap at t, or inf.

    half (14, 5) and limits (14, 3): room.
    """
    if cut_meeting(sides, planes, i, j, t, t) < math.inf:
        return t  # where the faces meet is behind both planes
    _write_half_spaces(sides, planes, i, j, half)
    best = math.inf
    cut_i, cut_j = is_cut(planes, i), is_cut(planes, j)
    for face in range(_PLANES):
        if cut_j:
            best = min(best, _first_on_line(half, face, _PLANES + 1, t, min(last, best), limits))
        if cut_i:
            best = min(best, _first_on_line(half, face, _PLANES, t, min(last, best), limits))
    if cut_i and cut_j:
        best = min(best, _first_on_line(half, _PLANES, _PLANES + 1, t, min(last, best), limits))
    return best
