"""How long two convex shapes that start in each other stay so, on a curved path: the end of a stay, exactly to a touch.

Seen from the first shape, the offset of the second runs along a parabola, and the shapes overlap while it is in the
difference of the two, a convex set. An arc of a parabola lies in the triangle of its ends and of the point where its
tangents there meet, so it is in the set if those three points are: that proves a whole arc, however the shapes lie.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from carom._compile.jit import inner_kernel, kernel
from carom.maths.roots import enter_quadratic
from carom.narrow.convex.gjk import GJK_LOWER, GJK_OVERLAP, GJK_STATE, gjk
from carom.narrow.toi.interior.solids import highest
from carom.narrow.toi.shape_table import (
    H_HULL,
    H_KIND,
    H_N_HULL,
    H_N_PLANES,
    H_PARAM,
    H_PLANES,
    HEADER,
    HULL_ROW,
    PLANE_ROW,
)
from carom.narrow.toi.workspace import FROM_A, FROM_B, M_D, M_H, M_TURN, M_V, TOUCH
from carom.shapes.kind import SPHERE
from carom.shapes.parts.core_layout import FIRST_POINT, KIND, MARGIN, N_POINTS, POINT, POINTS

_SLACK = 0.5
"""Share of a touch by which shapes may be apart and still count as in each other: it covers rounding, which is a quarter."""


@kernel
def convex_core(floats, ints, shape):
    """The shape as carom.narrow.convex.support reads it: a ball as a point with a margin, else the corners of the hull."""
    if ints[HEADER * shape + H_KIND] == SPHERE:
        core = np.zeros(FIRST_POINT)
        core[KIND], core[MARGIN] = POINT, floats[ints[HEADER * shape + H_PARAM]]
        return core
    hull, count = ints[HEADER * shape + H_HULL], ints[HEADER * shape + H_N_HULL]
    core = np.zeros(FIRST_POINT + 3 * count)
    core[KIND], core[N_POINTS] = POINTS, count
    for k in range(count):
        for d in range(3):
            core[FIRST_POINT + 3 * k + d] = floats[hull + HULL_ROW * k + d]
    return core


@inner_kernel
def _clear_of_sides(floats, ints, solid, other, work, motion, s):
    """First time from s on at which `other`, in `solid` at s, is on the outer side of a side of solid; inf if never.

    By then they have parted; past an edge they may have before. `motion` (a block in `work`) is that of other, seen from
    solid.
    """
    turn, d, v, h = motion + M_TURN, motion + M_D, motion + M_V, motion + M_H
    ball = ints[HEADER * other + H_KIND] == SPHERE
    clear = inf
    for k in range(ints[HEADER * solid + H_N_PLANES]):
        p = ints[HEADER * solid + H_PLANES] + PLANE_ROW * k
        nx, ny, nz = floats[p], floats[p + 1], floats[p + 2]
        if ball:
            extent = floats[ints[HEADER * other + H_PARAM]]
        else:
            ox = work[turn] * nx + work[turn + 3] * ny + work[turn + 6] * nz
            oy = work[turn + 1] * nx + work[turn + 4] * ny + work[turn + 7] * nz
            oz = work[turn + 2] * nx + work[turn + 5] * ny + work[turn + 8] * nz
            extent = highest(floats, ints, other, -ox, -oy, -oz)
        g0 = nx * work[d] + ny * work[d + 1] + nz * work[d + 2] - floats[p + 3] - extent
        g1 = nx * work[v] + ny * work[v + 1] + nz * work[v + 2]
        g2 = nx * work[h] + ny * work[h + 1] + nz * work[h + 2]
        clear = min(clear, enter_quadratic(-g0, -g1, -g2, s))
    return clear


@kernel
def _stay(floats, ints, shape_a, shape_b, work, s, end):
    """The time in [s, end] up to which shapes that overlap at s have not parted: `end`, or just before they do."""
    core_a, core_b = convex_core(floats, ints, shape_a), convex_core(floats, ints, shape_b)
    state, shift = np.zeros(GJK_STATE), np.zeros(3)
    rot = work[FROM_A + M_TURN : FROM_A + M_TURN + 9]
    slack = _SLACK * work[TOUCH]
    reach = core_a[MARGIN] + core_b[MARGIN] + slack
    vv = hh = 0.0
    for d in range(3):
        vv += work[FROM_A + M_V + d] ** 2
        hh += work[FROM_A + M_H + d] ** 2
    step = end - s
    while s < end:
        later = min(s + step, end)
        step = later - s
        bent = 0.25 * sqrt(hh) * step * step > slack
        stays = True
        for attempt in range(2 if bent else 1):
            for d in range(3):
                x, v, h = work[FROM_A + M_D + d], work[FROM_A + M_V + d], work[FROM_A + M_H + d]
                if attempt == 0:
                    shift[d] = x + later * (v + later * h)
                else:  # where the tangents at both ends meet
                    shift[d] = x + s * (v + s * h) + 0.5 * step * (v + 2.0 * s * h)
            ending = gjk(core_a, core_b, rot, shift, state, False, reach, reach)
            if ending != GJK_OVERLAP and state[GJK_LOWER] > reach:
                stays = False
                break
        if stays:
            s = later
            step *= 2.0
            continue
        # Down to a way that no touch could notice, or to the last place of the clock.
        way = step * (sqrt(vv) + 2.0 * later * sqrt(hh))
        if way <= slack or s + 0.5 * step <= s:
            break
        step *= 0.5
    return s


@inner_kernel
def stay_until(floats, ints, shape_a, shape_b, work, s_from, turned):
    """(time, inf) if two shapes that overlap at s_from, one of them at least a solid, the other convex, do not part before
    `turned`, which is that time; else (inf, time of parting), from where a contact is a new one. inf, inf: they never part.
    """
    clear = inf
    for solid, other, motion in ((shape_a, shape_b, FROM_A), (shape_b, shape_a, FROM_B)):
        if ints[HEADER * solid + H_N_PLANES] > 0:
            clear = min(clear, _clear_of_sides(floats, ints, solid, other, work, motion, s_from))
    end = min(turned, clear)
    if end == inf:
        return inf, inf
    s = _stay(floats, ints, shape_a, shape_b, work, s_from, end)
    if s == turned:
        return turned, inf
    return inf, s
