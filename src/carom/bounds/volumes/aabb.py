"""Axis-aligned boxes in the frame of their model, which rotate with it (SOLID, van den Bergen 1997).

All boxes of a tree share one orientation, so that a pair of trees needs one relative rotation; long slanted parts fit badly.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.volumes.contents import box_into, split_longest_side
from carom.bounds.volumes.volume_type import HI, LO, Floats, volume_type
from carom.maths.vector import rotated, rotated_back
from carom.tolerances import BOUND_SLACK, PARALLEL_BOXES, VOLUME_PAD

AABB_COLUMNS = 6
"""Centre 3, half sizes 3."""


@lean_kernel
def fit_into(tris, order, first, count, node, space):
    """Fill `node` with the box around the triangles; returns half its diagonal."""
    reach = box_into(tris, order, first, count, space)
    split_longest_side(space)
    square = 0.0
    for d in range(3):
        node[d] = 0.5 * (space[LO + d] + space[HI + d])
        node[3 + d] = 0.5 * (space[HI + d] - space[LO + d]) + VOLUME_PAD * reach
        square += node[3 + d] ** 2
    return sqrt(square)


@lean_kernel
def lower_bound(nodes_a, a, nodes_b, b, placing):
    """Signed lower bound of the distance of two boxes; exact where they are parallel.

    In the frame of each box the gaps to the box around the other make a vector, and the boxes are at least as far apart as
    their extents along it. Where both frames show an overlap, cross products of edges may still separate.
    """
    p, q = nodes_a[a], nodes_b[b]
    r = placing
    x = r[0] * q[0] + r[1] * q[1] + r[2] * q[2] + r[9] - p[0]
    y = r[3] * q[0] + r[4] * q[1] + r[5] * q[2] + r[10] - p[1]
    z = r[6] * q[0] + r[7] * q[1] + r[8] * q[2] + r[11] - p[2]
    gx = abs(x) - p[3] - (abs(r[0]) * q[3] + abs(r[1]) * q[4] + abs(r[2]) * q[5])
    gy = abs(y) - p[4] - (abs(r[3]) * q[3] + abs(r[4]) * q[4] + abs(r[5]) * q[5])
    gz = abs(z) - p[5] - (abs(r[6]) * q[3] + abs(r[7]) * q[4] + abs(r[8]) * q[5])
    gap = max(gx, max(gy, gz))
    if gap > 0.0:
        nx, ny, nz = _ahead(gx, x), _ahead(gy, y), _ahead(gz, z)
        gap = max(gap, _gap_along(p, q, r, x, y, z, nx, ny, nz))
    u, v, w = rotated_back(r, 0, x, y, z)
    gu = abs(u) - q[3] - (abs(r[0]) * p[3] + abs(r[3]) * p[4] + abs(r[6]) * p[5])
    gv = abs(v) - q[4] - (abs(r[1]) * p[3] + abs(r[4]) * p[4] + abs(r[7]) * p[5])
    gw = abs(w) - q[5] - (abs(r[2]) * p[3] + abs(r[5]) * p[4] + abs(r[8]) * p[5])
    other = max(gu, max(gv, gw))
    if other > 0.0:
        nx, ny, nz = rotated(r, 0, _ahead(gu, u), _ahead(gv, v), _ahead(gw, w))
        other = max(other, _gap_along(p, q, r, x, y, z, nx, ny, nz))
    gap = max(gap, other)
    if gap <= 0.0:
        gap = max(gap, _edge_gap(p, q, r, x, y, z))
    return gap - BOUND_SLACK * abs(gap)


@inline_kernel
def _ahead(gap, x):
    """A gap, 0 for an overlap, with the sign of x."""
    return max(gap, 0.0) if x > 0.0 else -max(gap, 0.0)


@inner_kernel
def _gap_along(p, q, r, x, y, z, nx, ny, nz):
    """Gap of the boxes along (nx, ny, nz), of any length above 0, in a's frame; b's centre is at (x, y, z) from a's."""
    length = sqrt(nx * nx + ny * ny + nz * nz)
    reach = (
        abs(nx) * p[3]
        + abs(ny) * p[4]
        + abs(nz) * p[5]
        + abs(r[0] * nx + r[3] * ny + r[6] * nz) * q[3]
        + abs(r[1] * nx + r[4] * ny + r[7] * nz) * q[4]
        + abs(r[2] * nx + r[5] * ny + r[8] * nz) * q[5]
    )
    return (nx * x + ny * y + nz * z - reach) / length


@inner_kernel
def _edge_gap(p, q, r, x, y, z):
    """Largest gap along the nine cross products of an edge of a and one of b; -inf where all edges are parallel."""
    best = -np.inf
    for k in range(3):
        ux, uy, uz = r[k], r[3 + k], r[6 + k]
        for i in range(3):
            nx = 0.0 if i == 0 else (uz if i == 1 else -uy)
            ny = -uz if i == 0 else (0.0 if i == 1 else ux)
            nz = uy if i == 0 else (-ux if i == 1 else 0.0)
            if nx * nx + ny * ny + nz * nz > PARALLEL_BOXES * PARALLEL_BOXES:
                sign = 1.0 if nx * x + ny * y + nz * z > 0.0 else -1.0
                best = max(best, _gap_along(p, q, r, x, y, z, sign * nx, sign * ny, sign * nz))
    return best


def holds(node: Floats, tris: Floats) -> NDArray[np.bool_]:
    """Which triangles (m, 3, 3) are inside the box?"""
    inside: NDArray[np.bool_] = np.all(np.abs(tris - node[:3]) <= node[3:], axis=(1, 2))
    return inside


AABB = volume_type("axis-aligned boxes", AABB_COLUMNS, fit_into, lower_bound, holds)
