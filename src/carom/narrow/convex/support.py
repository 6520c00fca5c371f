"""Support functions: the extreme point of a convex shape in a direction.

A shape is one flat float64 array, its core, in its own frame: what is left of it when a margin is peeled off all round.
A sphere is a point with a margin, a capsule a segment with one. Queries treat the cores and add the margins at the end.
"""

from __future__ import annotations

from math import sqrt

from carom._compile.jit import inner_kernel, lean_kernel
from carom.tolerances import EPSILON

# What core[KIND] says
POINT = 0
"""The origin."""
SEGMENT = 1
"""From -core[SIZE] to core[SIZE] along z."""
BOX = 2
"""Half sizes at core[SIZE : SIZE + 3]."""
CYLINDER = 3
"""Along z about the origin: radius at core[SIZE], half the height at core[SIZE + 1]."""
CONE = 4
"""Along z: base of radius core[SIZE] at minus half the height, apex at plus half the height, core[SIZE + 1]."""
POINTS = 5
"""The hull of core[N_POINTS] points from core[FIRST_POINT] on, xyz each."""

# Places in a core
KIND = 0
MARGIN = 1
"""Thickness around the core in metres."""
SIZE = 2
N_POINTS = 5
NEIGHBOURS = 6
"""Place of the neighbour table, 0 for none: n + 1 places of lists in the core, then the lists of neighbouring points."""
FEATURES = 7
"""Place of the table of sides and edges, 0 for none; see `carom.narrow.convex.support_tables`."""
FIRST_POINT = 8

CLIMB_FROM = 100
"""Points from which on climbing from neighbour to neighbour beats looking at every point."""


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
    radius, top = core[SIZE], core[SIZE + 1]
    flat = sqrt(dx * dx + dy * dy)
    if kind == CONE:
        if 2.0 * top * dz >= radius * flat:
            return 0.0, 0.0, top, 0
        top = -top
    elif dz < 0.0:
        top = -top
    # Straight up or down every point of the disc is highest: its centre will do.
    scale = radius / flat if flat > 0.0 else 0.0
    return scale * dx, scale * dy, top, -1


@lean_kernel
def support(core, dx, dy, dz):
    """The point of the core farthest along (dx, dy, dz), and its row: (x, y, z, row), all in the core's frame.

    Row: the point's row; the bits of a box corner (bit d set: plus along axis d); 0 or 1 for the lower or upper end of a
    segment; 0 for a point or the apex of a cone; -1 on a round surface.
    """
    return support_from(core, dx, dy, dz, -1)
