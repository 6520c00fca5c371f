"""Interiors of solids: whether a point lies inside, whether a normal supports the solid, and the depth of an overlap.

Solids (Box, Convex) are convex; their sides are planes (outward unit normal, offset), their corners the hull vertices.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel, kernel
from carom.narrow.toi.shape_table import H_HULL, H_N_HULL, H_N_PLANES, H_PLANES, HEADER, HULL_ROW, PLANE_ROW
from carom.narrow.toi.workspace import M_D, M_H, M_TURN, M_V, POINT, TOUCH


@inner_kernel
def nearest_side(floats, ints, shape, x, y, z, outside):
    """Height of the point over the nearest side of a solid and that side's place; stops at a height above `outside`."""
    plane = ints[HEADER * shape + H_PLANES]
    best, best_plane = -inf, plane
    for k in range(ints[HEADER * shape + H_N_PLANES]):
        p = plane + PLANE_ROW * k
        height = floats[p] * x + floats[p + 1] * y + floats[p + 2] * z - floats[p + 3]
        if height > best:
            best, best_plane = height, p
            if best > outside:
                break
    return best, best_plane


@kernel
def highest(floats, ints, shape, x, y, z):
    """Largest extent of the shape along (x, y, z), its own axes."""
    hull = ints[HEADER * shape + H_HULL]
    best = -inf
    for k in range(ints[HEADER * shape + H_N_HULL]):
        p = hull + HULL_ROW * k
        best = max(best, floats[p] * x + floats[p + 1] * y + floats[p + 2] * z)
    return best


@inner_kernel
def lowest_into(floats, ints, shape, x, y, z, work):
    """Set POINT to the mean of the hull vertices within TOUCH of the lowest along (x, y, z), in the shape's axes.

    Returns that lowest height and the row of a face there.
    """
    hull, count = ints[HEADER * shape + H_HULL], ints[HEADER * shape + H_N_HULL]
    low, face = inf, 0.0
    for k in range(count):
        p = hull + HULL_ROW * k
        height = floats[p] * x + floats[p + 1] * y + floats[p + 2] * z
        if height < low:
            low, face = height, floats[p + 3]
    n_low = 0
    for d in range(3):
        work[POINT + d] = 0.0
    for k in range(count):
        p = hull + HULL_ROW * k
        if floats[p] * x + floats[p + 1] * y + floats[p + 2] * z <= low + work[TOUCH]:
            n_low += 1
            for d in range(3):
                work[POINT + d] += floats[p + d]
    for d in range(3):
        work[POINT + d] /= n_low
    return low, face


@inner_kernel
def least_depth_side(floats, ints, solid, other, work, motion, s):
    """The side of `solid` that `other` is nearest to leave by at s: (height of its lowest point over the side, the place).

    `motion` (a block in `work`) is that of other, seen from solid. Only sides are tried, not pairs of edges: the depth
    is an upper bound, its direction good enough to tell approaching from parting.
    """
    turn, d, v, h = motion + M_TURN, motion + M_D, motion + M_V, motion + M_H
    x = work[d] + s * (work[v] + s * work[h])
    y = work[d + 1] + s * (work[v + 1] + s * work[h + 1])
    z = work[d + 2] + s * (work[v + 2] + s * work[h + 2])
    plane = ints[HEADER * solid + H_PLANES]
    best, best_plane = -inf, plane
    for k in range(ints[HEADER * solid + H_N_PLANES]):
        p = plane + PLANE_ROW * k
        nx, ny, nz = floats[p], floats[p + 1], floats[p + 2]
        ox = work[turn] * nx + work[turn + 3] * ny + work[turn + 6] * nz
        oy = work[turn + 1] * nx + work[turn + 4] * ny + work[turn + 7] * nz
        oz = work[turn + 2] * nx + work[turn + 5] * ny + work[turn + 8] * nz
        height = nx * x + ny * y + nz * z - highest(floats, ints, other, -ox, -oy, -oz) - floats[p + 3]
        if height > best:
            best, best_plane = height, p
    return best, best_plane
