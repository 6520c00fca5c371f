"""Spherical shells (Krishnan, Pattekar, Lin and Manocha 1998): the space between two concentric spheres, inside a cone.

The cone's apex is the common centre. Curved patches fit in far thinner shells than boxes; a flat patch gets a large radius.
A shell is not convex: a body may lie in its hollow. Its test is therefore the best of several bounds, each of them true.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, lean_kernel
from carom.bounds.volumes.contents import box_into, far_from, principal_axes_into
from carom.bounds.volumes.volume_type import FIT_AXES, FIT_FREE, FIT_SPLIT, MEAN, Floats, volume_type
from carom.maths.vector import cross, cross_length
from carom.tolerances import BOUND_SLACK, FLAT_SHELL, SHELL_CURVATURE, VOLUME_PAD, WIDE_SHELL

SHELL_COLUMNS = 13
"""Centre 3, unit axis of the cone 3, inner and outer radius, cosine and sine of the cone's half-angle (-1 and 0: no cone),
rounding pad, then a sphere about the middle of the shell on its axis: distance from the centre, radius."""

_AXIS = 3
_INNER = 6
_OUTER = 7
_COSINE = 8
_SINE = 9
_PAD = 10
_MIDDLE = 11
_ROUND = 12


@lean_kernel
def fit_into(tris, order, first, count, node, space):
    """Fill `node` with the smallest of three shells around the triangles; returns their radius about their mean.

    Tried are the sphere that fits the corners best and large spheres on both sides of the flat direction.
    """
    box_into(tris, order, first, count, space)
    principal_axes_into(tris, order, first, count, space)
    for d in range(3):
        space[FIT_SPLIT + d] = space[FIT_AXES + d]
    mx, my, mz = space[MEAN], space[MEAN + 1], space[MEAN + 2]
    size, _, _ = far_from(tris, order, first, count, mx, my, mz)
    curved, cx, cy, cz = _best_centre(tris, order, first, count, space, size)
    trial = space[FIT_FREE + 9 : FIT_FREE + 9 + SHELL_COLUMNS]
    best = inf
    for k in range(3):
        if k == 0 and not curved:
            continue
        if k > 0:
            side = FLAT_SHELL * size if k == 1 else -FLAT_SHELL * size
            cx, cy, cz = side * space[FIT_AXES + 6], side * space[FIT_AXES + 7], side * space[FIT_AXES + 8]
        volume = _shell_into(tris, order, first, count, mx, my, mz, mx + cx, my + cy, mz + cz, trial)
        if volume < best:
            best = volume
            for d in range(SHELL_COLUMNS):
                node[d] = trial[d]
    m = node[_MIDDLE]
    x, y, z = node[0] + m * node[_AXIS], node[1] + m * node[_AXIS + 1], node[2] + m * node[_AXIS + 2]
    far, _, _ = far_from(tris, order, first, count, x, y, z)
    node[_ROUND] = far + node[_PAD]
    return size * (1.0 + VOLUME_PAD) + node[_PAD]


@inner_kernel
def _best_centre(tris, order, first, count, space, size):
    """(found, x, y, z): centre, relative to MEAN, of the sphere nearest to all corners by least squares.

    With q the corners from their mean, sum(q q') c = sum(|q|^2 q) / 2, by Cramer's rule. None where the corners are flat.
    """
    m = space[FIT_FREE : FIT_FREE + 9]
    for d in range(9):
        m[d] = 0.0
    ox, oy, oz = 0.0, 0.0, 0.0
    n = 3.0 * count
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            ox += (t[c] - space[MEAN]) / n
            oy += (t[c + 1] - space[MEAN + 1]) / n
            oz += (t[c + 2] - space[MEAN + 2]) / n
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            a, b, e = t[c] - space[MEAN] - ox, t[c + 1] - space[MEAN + 1] - oy, t[c + 2] - space[MEAN + 2] - oz
            square = 0.5 * (a * a + b * b + e * e)
            m[0] += a * a
            m[1] += a * b
            m[2] += a * e
            m[3] += b * b
            m[4] += b * e
            m[5] += e * e
            m[6] += square * a
            m[7] += square * b
            m[8] += square * e
    # Cofactors of the symmetric matrix.
    c00, c01, c02 = m[3] * m[5] - m[4] * m[4], m[2] * m[4] - m[1] * m[5], m[1] * m[4] - m[2] * m[3]
    c11, c12, c22 = m[0] * m[5] - m[2] * m[2], m[1] * m[2] - m[0] * m[4], m[0] * m[3] - m[1] * m[1]
    det = m[0] * c00 + m[1] * c01 + m[2] * c02
    trace = (m[0] + m[3] + m[5]) / 3.0
    if not det > SHELL_CURVATURE * trace * trace * trace:
        return False, 0.0, 0.0, 0.0
    x = ox + (c00 * m[6] + c01 * m[7] + c02 * m[8]) / det
    y = oy + (c01 * m[6] + c11 * m[7] + c12 * m[8]) / det
    z = oz + (c02 * m[6] + c12 * m[7] + c22 * m[8]) / det
    return x * x + y * y + z * z < (FLAT_SHELL * size) ** 2, x, y, z


@inner_kernel
def _shell_into(tris, order, first, count, mx, my, mz, x, y, z, node):
    """Fill `node` with the shell about (x, y, z) around the triangles, its cone about their mean; returns its volume."""
    ax, ay, az = mx - x, my - y, mz - z
    length = sqrt(ax * ax + ay * ay + az * az)
    cone = length > 0.0
    if cone:
        ax, ay, az = ax / length, ay / length, az / length
    else:
        ax, ay, az = 0.0, 0.0, 1.0
    inner, outer, sine, reach = inf, 0.0, 0.0, 0.0
    for k in range(first, first + count):
        t = tris[order[k]]
        inner = min(inner, _triangle_from(t, x, y, z))
        for c in range(0, 9, 3):
            px, py, pz = t[c] - x, t[c + 1] - y, t[c + 2] - z
            reach = max(reach, max(abs(t[c]), max(abs(t[c + 1]), abs(t[c + 2]))))
            radius = sqrt(px * px + py * py + pz * pz)
            outer = max(outer, radius)
            if not px * ax + py * ay + pz * az > 0.0:
                cone = False
            elif cone:
                # By the cross product: the cosine says nothing about a narrow cone.
                sine = max(sine, cross_length(px, py, pz, ax, ay, az) / radius)
    pad = VOLUME_PAD * (reach + outer)
    node[0], node[1], node[2] = x, y, z
    node[_AXIS], node[_AXIS + 1], node[_AXIS + 2] = ax, ay, az
    node[_INNER], node[_OUTER] = max(inner - pad, 0.0), outer + pad
    sine = sine + pad / outer if outer > 0.0 else 1.0
    if cone and sine < WIDE_SHELL:
        node[_COSINE], node[_SINE] = sqrt(1.0 - sine * sine), sine
    else:
        node[_COSINE], node[_SINE] = -1.0, 0.0
    node[_PAD] = pad
    node[_MIDDLE] = 0.5 * (node[_INNER] + node[_OUTER]) if node[_COSINE] > 0.0 else 0.0
    a, b = node[_INNER], node[_OUTER]
    return (sine * sine / (1.0 + node[_COSINE]) if node[_COSINE] > 0.0 else 2.0) * (b - a) * (a * a + a * b + b * b)


@inner_kernel
def _triangle_from(t, x, y, z):
    """Distance of (x, y, z) to the triangle t (9,)."""
    square = inf
    for c in range(0, 9, 3):
        e = (c + 3) % 9
        ux, uy, uz = t[e] - t[c], t[e + 1] - t[c + 1], t[e + 2] - t[c + 2]
        px, py, pz = x - t[c], y - t[c + 1], z - t[c + 2]
        length = ux * ux + uy * uy + uz * uz
        s = min(max((px * ux + py * uy + pz * uz) / length, 0.0), 1.0) if length > 0.0 else 0.0
        square = min(square, (px - s * ux) ** 2 + (py - s * uy) ** 2 + (pz - s * uz) ** 2)
    ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
    vx, vy, vz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
    px, py, pz = x - t[0], y - t[1], z - t[2]
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    n2 = nx * nx + ny * ny + nz * nz
    f = (py * vz - pz * vy) * nx + (pz * vx - px * vz) * ny + (px * vy - py * vx) * nz
    g = (uy * pz - uz * py) * nx + (uz * px - ux * pz) * ny + (ux * py - uy * px) * nz
    if n2 > 0.0 and f >= 0.0 and g >= 0.0 and f + g <= n2:
        square = min(square, (px * nx + py * ny + pz * nz) ** 2 / n2)
    return sqrt(square)


@lean_kernel
def lower_bound(nodes_a, a, nodes_b, b, placing):
    """Signed lower bound of the distance: the best of what spheres, hollows and directions say.

    - spheres about the middles of the shells;
    - each shell against the outer sphere of the other, and against its hollow from inside;
    - extents of both along the line between their middles and along their two axes.
    """
    p, q, r = nodes_a[a], nodes_b[b], placing
    # From the centre of a to the centre of b, and the axis of b: in a's frame.
    x = r[0] * q[0] + r[1] * q[1] + r[2] * q[2] + r[9] - p[0]
    y = r[3] * q[0] + r[4] * q[1] + r[5] * q[2] + r[10] - p[1]
    z = r[6] * q[0] + r[7] * q[1] + r[8] * q[2] + r[11] - p[2]
    px, py, pz = p[_AXIS], p[_AXIS + 1], p[_AXIS + 2]
    qx = r[0] * q[_AXIS] + r[1] * q[_AXIS + 1] + r[2] * q[_AXIS + 2]
    qy = r[3] * q[_AXIS] + r[4] * q[_AXIS + 1] + r[5] * q[_AXIS + 2]
    qz = r[6] * q[_AXIS] + r[7] * q[_AXIS + 1] + r[8] * q[_AXIS + 2]
    mx = x + q[_MIDDLE] * qx - p[_MIDDLE] * px
    my = y + q[_MIDDLE] * qy - p[_MIDDLE] * py
    mz = z + q[_MIDDLE] * qz - p[_MIDDLE] * pz
    apart = sqrt(mx * mx + my * my + mz * mz)
    gap = apart - p[_ROUND] - q[_ROUND]
    near, far = _reach_of_point(q, -x, -y, -z, qx, qy, qz)
    gap = max(gap, max(near - p[_OUTER], p[_INNER] - far))
    near, far = _reach_of_point(p, x, y, z, px, py, pz)
    gap = max(gap, max(near - q[_OUTER], q[_INNER] - far))
    for k in range(3):
        nx, ny, nz = (px, py, pz) if k == 0 else ((qx, qy, qz) if k == 1 else (mx, my, mz))
        length = sqrt(nx * nx + ny * ny + nz * nz)
        if length > 0.0:
            scale = (1.0 if nx * mx + ny * my + nz * mz >= 0.0 else -1.0) / length
            nx, ny, nz = scale * nx, scale * ny, scale * nz
            reach = _extent(p, nx, ny, nz, px, py, pz) + _extent(q, -nx, -ny, -nz, qx, qy, qz)
            gap = max(gap, nx * x + ny * y + nz * z - reach)
    gap -= p[_PAD] + q[_PAD]
    return gap - BOUND_SLACK * abs(gap)


@inner_kernel
def _extent(node, x, y, z, ax, ay, az):
    """Extent of a shell from its centre along the unit vector (x, y, z), its axis being (ax, ay, az).

    Outside the cone by an angle f beyond its half-angle, the farthest point is on its rim: cos f times the outer radius,
    or the inner one where f is above a right angle.
    """
    cosine = x * ax + y * ay + z * az
    sine = cross_length(x, y, z, ax, ay, az)
    if node[_COSINE] < 0.0 or (cosine > 0.0 and sine <= node[_SINE]):
        return node[_OUTER]
    share = cosine * node[_COSINE] + sine * node[_SINE]
    return share * (node[_OUTER] if share > 0.0 else node[_INNER])


@inner_kernel
def _reach_of_point(node, x, y, z, ax, ay, az):
    """Least and greatest distance from a point, at (x, y, z) from a shell's centre, to the shell; the least is signed."""
    radius = sqrt(x * x + y * y + z * z)
    if node[_COSINE] < 0.0:
        return max(node[_INNER] - radius, radius - node[_OUTER]), radius + node[_OUTER]
    # In the half-plane of the axis and the point: h along the axis, g away from it.
    h = x * ax + y * ay + z * az
    g = cross_length(x, y, z, ax, ay, az)
    if h > 0.0 and g <= node[_SINE] * radius:
        near = max(node[_INNER] - radius, radius - node[_OUTER])
    else:
        s = min(max(h * node[_COSINE] + g * node[_SINE], node[_INNER]), node[_OUTER])
        near = sqrt((h - s * node[_COSINE]) ** 2 + (g - s * node[_SINE]) ** 2)
    if h < 0.0 and g <= node[_SINE] * radius:
        far = radius + node[_OUTER]
    else:
        # On the far side of the cone, at one of the two ends.
        inner = (h - node[_INNER] * node[_COSINE]) ** 2 + (g + node[_INNER] * node[_SINE]) ** 2
        outer = (h - node[_OUTER] * node[_COSINE]) ** 2 + (g + node[_OUTER] * node[_SINE]) ** 2
        far = sqrt(max(inner, outer))
    return near, far


def holds(node: Floats, tris: Floats) -> NDArray[np.bool_]:
    """Which triangles (m, 3, 3) are inside the shell and the sphere about its middle? Cones below 90 degrees are convex."""
    local = tris - node[:3]
    axis = node[_AXIS : _AXIS + 3]
    radius = np.sqrt((local**2).sum(axis=2))
    inside = (radius <= node[_OUTER]).all(axis=1) & (_least_radius(local) >= node[_INNER])
    if node[_COSINE] > 0.0:
        aside = np.sqrt((np.cross(local, axis) ** 2).sum(axis=2))
        inside &= ((local @ axis > 0.0) & (aside <= node[_SINE] * radius)).all(axis=1)
    middle = np.sqrt(((local - node[_MIDDLE] * axis) ** 2).sum(axis=2))
    return inside & (middle <= node[_ROUND]).all(axis=1)


def _least_radius(tris: Floats) -> Floats:
    """Distance (m,) of the origin to each of the triangles (m, 3, 3)."""
    after = np.roll(tris, -1, axis=1)
    way = after - tris
    square = (way**2).sum(axis=2)
    s = np.clip(-(tris * way).sum(axis=2) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    least: Floats = np.sqrt(((tris + s[:, :, None] * way) ** 2).sum(axis=2)).min(axis=1)
    normal = np.cross(way[:, 0], way[:, 1])
    # The origin is over the face where it is on the inner side of every edge.
    side = (np.cross(way, -tris) * normal[:, None]).sum(axis=2)
    n2 = (normal**2).sum(axis=1)
    over = (side >= 0.0).all(axis=1) & (n2 > 0.0)
    height = np.abs((tris[:, 0] * normal).sum(axis=1)) / np.sqrt(np.where(over, n2, 1.0))
    return np.where(over, np.minimum(least, height), least)


SHELL = volume_type("spherical shells", SHELL_COLUMNS, fit_into, lower_bound, holds)
