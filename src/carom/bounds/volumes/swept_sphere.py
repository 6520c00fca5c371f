"""Spheres swept over a point, a line or a rectangle (PQP: Larsen, Gottschalk, Lin and Manocha 1998): PSS, LSS and RSS.

The distance of two swept spheres is that of their cores less both radii. Points and lines are rectangles without width or
length, so that one test serves all.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, lean_kernel
from carom.bounds.volumes.contents import box_into, far_from, principal_axes_into
from carom.bounds.volumes.rectangle_distance import rectangle_gap
from carom.bounds.volumes.sphere import fit_into as fit_sphere_into
from carom.bounds.volumes.volume_type import FIT_AXES, FIT_FREE, FIT_SPLIT, Floats, volume_type
from carom.maths.vector import rotated
from carom.tolerances import BOUND_SLACK, VOLUME_PAD

SWEPT_SPHERE_COLUMNS = 15
"""Centre of the core 3, unit axes 9 in rows (along, across, normal), half length and half width of the core, radius."""

_LENGTH = 12
_WIDTH = 13
_RADIUS = 14

# What a sphere is swept over: how many sides the core has
SWEPT_SPHERE_POINT = 0
LINE = 1
RECTANGLE = 2

_NEAREST_CORNER = sqrt(0.5)
"""Cosine of 45 degrees: corners of the core move out along the diagonal."""


@lean_kernel
def fit_into(tris, order, first, count, node, space, core):
    """Fill `node` with a sphere swept over a core of `core` sides; returns the radius of the triangles about its centre."""
    reach = box_into(tris, order, first, count, space)
    if core == SWEPT_SPHERE_POINT:
        fit_sphere_into(tris, order, first, count, node, space)
        for k in range(9):
            node[3 + k] = 1.0 if k % 4 == 0 else 0.0
        node[_LENGTH] = node[_WIDTH] = 0.0
    else:
        principal_axes_into(tris, order, first, count, space)
        for k in range(9):
            node[3 + k] = space[FIT_AXES + k]
        _core_into(tris, order, first, count, node, space, core)
        for k in range(3):
            space[FIT_SPLIT + k] = node[3 + k]
    # Measured from the core as it was rounded, so that every corner is inside whatever the fit did.
    radius = 0.0
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            radius = max(radius, _off_core(node, t[c], t[c + 1], t[c + 2]))
    node[_RADIUS] = sqrt(radius) * (1.0 + VOLUME_PAD) + VOLUME_PAD * reach
    far, _, _ = far_from(tris, order, first, count, node[0], node[1], node[2])
    return far * (1.0 + VOLUME_PAD) + VOLUME_PAD * reach


@inner_kernel
def _off_core(node, x, y, z):
    """Squared distance of a point to the core."""
    x, y, z = x - node[0], y - node[1], z - node[2]
    u = max(abs(node[3] * x + node[4] * y + node[5] * z) - node[_LENGTH], 0.0)
    v = max(abs(node[6] * x + node[7] * y + node[8] * z) - node[_WIDTH], 0.0)
    w = node[9] * x + node[10] * y + node[11] * z
    return u * u + v * v + w * w


@inner_kernel
def _core_into(tris, order, first, count, node, space, core):
    """Set centre, half length and half width of the core; the axes are known.

    The radius is the largest distance of a corner from the middle line or plane. A corner at height w above the core is
    covered sqrt(radius^2 - w^2) beyond its ends, so the core can end that much before it.
    """
    base = tris[order[first]]
    bx, by, bz = base[0], base[1], base[2]
    # Middle of the extents along the axes, relative to one corner.
    middle = space[FIT_FREE : FIT_FREE + 3]
    for d in range(3):
        lo, hi = inf, -inf
        for k in range(first, first + count):
            t = tris[order[k]]
            for c in range(0, 9, 3):
                along = _along(node, d, t[c] - bx, t[c + 1] - by, t[c + 2] - bz)
                lo = min(lo, along)
                hi = max(hi, along)
        middle[d] = 0.5 * (lo + hi)
    square = 0.0
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            square = max(square, _height2(node, middle, core, t[c] - bx, t[c + 1] - by, t[c + 2] - bz))
    ends = space[FIT_FREE + 3 : FIT_FREE + 7]
    ends[0] = ends[2] = inf
    ends[1] = ends[3] = -inf
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            x, y, z = t[c] - bx, t[c + 1] - by, t[c + 2] - bz
            spare = sqrt(max(square - _height2(node, middle, core, x, y, z), 0.0))
            for d in range(core):
                along = _along(node, d, x, y, z)
                ends[2 * d] = min(ends[2 * d], along + spare)
                ends[2 * d + 1] = max(ends[2 * d + 1], along - spare)
    for d in range(core):
        if ends[2 * d] > ends[2 * d + 1]:
            ends[2 * d] = ends[2 * d + 1] = 0.5 * (ends[2 * d] + ends[2 * d + 1])
    if core == RECTANGLE:
        _push_corners(tris, order, first, count, node, middle, square, ends)
    node[_LENGTH] = node[_WIDTH] = 0.0
    for d in range(core):
        middle[d] = 0.5 * (ends[2 * d] + ends[2 * d + 1])
        node[_LENGTH + d] = 0.5 * (ends[2 * d + 1] - ends[2 * d])
    if node[_WIDTH] > node[_LENGTH]:
        node[_LENGTH], node[_WIDTH] = node[_WIDTH], node[_LENGTH]
        middle[0], middle[1] = middle[1], middle[0]
        for k in range(3):
            node[3 + k], node[6 + k] = node[6 + k], node[3 + k]
    for k in range(3):
        node[k] = base[k] + middle[0] * node[3 + k] + middle[1] * node[6 + k] + middle[2] * node[9 + k]


@inner_kernel
def _along(node, d, x, y, z):
    return node[3 + 3 * d] * x + node[4 + 3 * d] * y + node[5 + 3 * d] * z


@inner_kernel
def _height2(node, middle, core, x, y, z):
    """Squared distance of a point from the middle line (core LINE) or plane (RECTANGLE) of the core."""
    w = _along(node, 2, x, y, z) - middle[2]
    v = _along(node, 1, x, y, z) - middle[1] if core == LINE else 0.0
    return v * v + w * w


@inner_kernel
def _push_corners(tris, order, first, count, node, middle, square, ends):
    """Move corners of the rectangle out along their diagonal until those triangle corners beyond both sides are covered."""
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            x, y, z = t[c] - tris[order[first], 0], t[c + 1] - tris[order[first], 1], t[c + 2] - tris[order[first], 2]
            u, v = _along(node, 0, x, y, z), _along(node, 1, x, y, z)
            w = _along(node, 2, x, y, z) - middle[2]
            right, up = u > ends[1], v > ends[3]
            if (right or u < ends[0]) and (up or v < ends[2]):
                du = u - ends[1] if right else ends[0] - u
                dv = v - ends[3] if up else ends[2] - v
                diagonal = _NEAREST_CORNER * (du + dv)
                aside = 0.5 * (du - dv) ** 2 + w * w
                push = _NEAREST_CORNER * (diagonal - sqrt(max(square - aside, 0.0)))
                if push > 0.0:
                    ends[1 if right else 0] += push if right else -push
                    ends[3 if up else 2] += push if up else -push


@lean_kernel
def lower_bound(nodes_a, a, nodes_b, b, placing):
    """Signed lower bound of the distance: that of the two cores, exact where they are apart, less both radii."""
    p, q, r = nodes_a[a], nodes_b[b], placing
    x = r[0] * q[0] + r[1] * q[1] + r[2] * q[2] + r[9] - p[0]
    y = r[3] * q[0] + r[4] * q[1] + r[5] * q[2] + r[10] - p[1]
    z = r[6] * q[0] + r[7] * q[1] + r[8] * q[2] + r[11] - p[2]
    if p[_LENGTH] + p[_WIDTH] + q[_LENGTH] + q[_WIDTH] == 0.0:
        gap = sqrt(x * x + y * y + z * z) - p[_RADIUS] - q[_RADIUS]
        return gap - BOUND_SLACK * abs(gap)
    # Centre and in-plane axes of b's core in the axes of a's core.
    centre = rotated(p, 3, x, y, z)
    ux, uy, uz = rotated(r, 0, q[3], q[4], q[5])
    vx, vy, vz = rotated(r, 0, q[6], q[7], q[8])
    along, across = rotated(p, 3, ux, uy, uz), rotated(p, 3, vx, vy, vz)
    gap = rectangle_gap(p[_LENGTH], p[_WIDTH], q[_LENGTH], q[_WIDTH], centre, along, across) - p[_RADIUS] - q[_RADIUS]
    return gap - BOUND_SLACK * abs(gap)


def holds(node: Floats, tris: Floats) -> NDArray[np.bool_]:
    """Which triangles (m, 3, 3) are inside the swept sphere? It is convex: corners suffice."""
    local = (tris - node[:3]) @ node[3:12].reshape(3, 3).T
    outside = np.abs(local) - [node[_LENGTH], node[_WIDTH], 0.0]
    distance = np.sqrt((np.maximum(outside, 0.0) ** 2).sum(axis=2))
    return np.less_equal(distance, node[_RADIUS]).all(axis=1)


PSS = volume_type("spheres swept over points", SWEPT_SPHERE_COLUMNS, fit_into, lower_bound, holds, SWEPT_SPHERE_POINT)
LSS = volume_type("spheres swept over lines", SWEPT_SPHERE_COLUMNS, fit_into, lower_bound, holds, LINE)._replace(
    bound=PSS.bound
)
RSS = volume_type(
    "spheres swept over rectangles", SWEPT_SPHERE_COLUMNS, fit_into, lower_bound, holds, RECTANGLE
)._replace(bound=PSS.bound)
