"""Support functions: the extreme point of a convex core in a direction.

Points, segments, boxes and hulls are evaluated here. A curved surface brings its own kernel, in the file of its shape. Every
core is an array of the same type, so that all solvers are compiled once for all shapes.
"""

from __future__ import annotations

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.shapes.parts.core_layout import (
    BOX,
    FIRST_POINT,
    KIND,
    N_POINTS,
    NEIGHBOURS,
    POINT,
    POINTS,
    SEGMENT,
    SIZE,
)
from carom.shapes.registry import CURVED_SUPPORTS
from carom.tolerances import EPSILON


def _chosen_among(supports):
    """One kernel for all curved surfaces: that of the code in core[KIND]; `supports` are pairs (code, kernel)."""
    (code, own), *others = supports
    if not others:
        return own
    other = _chosen_among(others)

    @inline_kernel
    def chosen(core, dx, dy, dz):
        if core[KIND] == code:
            return own(core, dx, dy, dz)
        return other(core, dx, dy, dz)

    return chosen


_curved_support = _chosen_among(CURVED_SUPPORTS)


@inner_kernel
def _highest_point(core, dx, dy, dz):
    """Row of the highest of core[N_POINTS] points along (dx, dy, dz); the first of equals."""
    best, highest = 0, core[FIRST_POINT] * dx + core[FIRST_POINT + 1] * dy + core[FIRST_POINT + 2] * dz
    p = FIRST_POINT + 3
    for k in range(1, int(core[N_POINTS])):
        height = core[p] * dx + core[p + 1] * dy + core[p + 2] * dz
        if height > highest:
            best, highest = k, height
        p += 3
    return best


@inner_kernel
def _climb(core, dx, dy, dz, start):
    """Row of a highest point, climbing along edges of the hull from row `start`.

    On a convex hull a point no lower than its neighbours is a highest one. Heights are compared by edge vectors, which
    keeps that true to rounding even where edges are short. Ends because every step surely rises: steps within rounding,
    which could go in circles on a level side, are not taken.
    """
    table = int(core[NEIGHBOURS])
    best = start
    climbing = True
    while climbing:
        climbing = False
        p = FIRST_POINT + 3 * best
        x, y, z = core[p], core[p + 1], core[p + 2]
        gain, here = 0.0, best
        for k in range(int(core[table + here]), int(core[table + here + 1])):
            other = int(core[k])
            q = FIRST_POINT + 3 * other
            rx, ry, rz = (core[q] - x) * dx, (core[q + 1] - y) * dy, (core[q + 2] - z) * dz
            rise = rx + ry + rz
            if rise > gain and rise > 4.0 * EPSILON * (abs(rx) + abs(ry) + abs(rz)):
                gain, best = rise, other
                climbing = True
    return best


@inner_kernel
def support_from(core, dx, dy, dz, hint):
    """Like `support`, with a row of a point likely near the answer (a number that is no row: none)."""
    kind = core[KIND]
    if kind == POINTS:
        if core[NEIGHBOURS] > 0.0:
            row = _climb(core, dx, dy, dz, hint if 0 <= hint < core[N_POINTS] else 0)
        else:
            row = _highest_point(core, dx, dy, dz)
        p = FIRST_POINT + 3 * row
        return core[p], core[p + 1], core[p + 2], row
    if kind == BOX:
        row = 0
        x, y, z = -core[SIZE], -core[SIZE + 1], -core[SIZE + 2]
        if dx >= 0.0:
            x, row = -x, 1
        if dy >= 0.0:
            y, row = -y, row + 2
        if dz >= 0.0:
            z, row = -z, row + 4
        return x, y, z, row
    if kind == POINT:
        return 0.0, 0.0, 0.0, 0
    if kind == SEGMENT:
        if dz >= 0.0:
            return 0.0, 0.0, core[SIZE], 1
        return 0.0, 0.0, -core[SIZE], 0
    return _curved_support(core, dx, dy, dz)


@lean_kernel
def support(core, dx, dy, dz):
    """The point of the core farthest along (dx, dy, dz), and its row: (x, y, z, row), all in the core's frame.

    Row: the point's row; the bits of a box corner (bit d set: plus along axis d); 0 or 1 for the lower or upper end of a
    segment; 0 for a point or the apex of a cone; -1 on a curved surface.
    """
    return support_from(core, dx, dy, dz, -1)
