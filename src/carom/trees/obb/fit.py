"""Axes and sizes of oriented boxes around triangles.

Axes come from the covariance of a surface (Gottschalk, Lin and Manocha, "OBBTree", 1996). Triangles are rows of `tris`
(m, 9), corners one after the other; a node holds the rows order[first : first + count].
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from carom._compile.jit import inner_kernel
from carom.maths.vector import cross
from carom.tolerances import CURLED_PATCH, EIGEN_SHARE, TREE_PAD
from carom.trees.obb.flat_fit import best_rectangle
from carom.trees.obb.node import NODE_AXES, NODE_HALF, NODE_RADIUS, third_axis

_FEW_TRIANGLES = 16
"""Nodes up to this size also try boxes along their mean normal and their outline: nearly flat patches fit better so."""
FLAT_SPACE = (2, 3 * _FEW_TRIANGLES + 1, 2)
"""Shape of the scratch that fitting such a patch needs."""


def hull_axes(points: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Box axes (3, 3), in rows, from the area-weighted covariance of the convex hull of `points` (n, 3); None if flat.

    The hull sees the outline only: a cluster of small triangles inside it does not turn the box.
    """
    try:
        hull = ConvexHull(points)
    except (QhullError, ValueError):
        return None
    corners = points[hull.simplices]
    area = np.sqrt((np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]) ** 2).sum(axis=1))
    weight = (area / area.sum())[:, None]
    middle = corners.mean(axis=1)
    mean = (weight * middle).sum(axis=0)
    second = (weight[:, None] * (9.0 * middle[:, :, None] * middle[:, None])).sum(axis=0)
    for k in range(3):
        second += (weight[:, None] * (corners[:, k, :, None] * corners[:, k, None])).sum(axis=0)
    axes = np.empty((3, 3))
    _diagonalise(second / 12.0 - np.outer(mean, mean), axes)
    return axes


def _diagonalise(matrix, vectors):
    """Jacobi rotations: `vectors` (3, 3) gets the eigenvectors of the symmetric `matrix` (3, 3), which it overwrites, in rows.

    Three rotations a sweep converge quadratically, so a dozen sweeps reach rounding.
    """
    for i in range(3):
        for j in range(3):
            vectors[i, j] = 1.0 if i == j else 0.0
    for _ in range(12):
        off = matrix[0, 1] ** 2 + matrix[0, 2] ** 2 + matrix[1, 2] ** 2
        if off <= EIGEN_SHARE * (matrix[0, 0] ** 2 + matrix[1, 1] ** 2 + matrix[2, 2] ** 2):
            break
        for p in range(2):
            for q in range(p + 1, 3):
                if matrix[p, q] == 0.0:
                    continue
                theta = 0.5 * (matrix[q, q] - matrix[p, p]) / matrix[p, q]
                t = 1.0 / (abs(theta) + sqrt(theta * theta + 1.0))
                if theta < 0.0:
                    t = -t
                c = 1.0 / sqrt(t * t + 1.0)
                s = t * c
                for k in range(3):
                    x, y = matrix[k, p], matrix[k, q]
                    matrix[k, p], matrix[k, q] = c * x - s * y, s * x + c * y
                for k in range(3):
                    x, y = matrix[p, k], matrix[q, k]
                    matrix[p, k], matrix[q, k] = c * x - s * y, s * x + c * y
                    x, y = vectors[p, k], vectors[q, k]
                    vectors[p, k], vectors[q, k] = c * x - s * y, s * x + c * y


_diagonalise_into = inner_kernel(_diagonalise)
"""_diagonalise_into(matrix, vectors): the same for kernels."""


@inner_kernel
def _spread_into(tris, order, first, count, mean, normal, matrix):
    """Mean point (3,), sum of normals (3,) and covariance (3, 3) of a node's surface, weighted by area."""
    for i in range(3):
        mean[i] = normal[i] = matrix[i, 0] = matrix[i, 1] = matrix[i, 2] = 0.0
    total = 0.0
    base = tris[order[first]]
    for k in range(first, first + count):
        t = tris[order[k]]
        ux, uy, uz = t[3] - t[0], t[4] - t[1], t[5] - t[2]
        vx, vy, vz = t[6] - t[0], t[7] - t[1], t[8] - t[2]
        nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
        w = sqrt(nx * nx + ny * ny + nz * nz)
        total += w
        normal[0] += nx
        normal[1] += ny
        normal[2] += nz
        for i in range(3):
            # Relative to one corner, so that a mesh far from its origin keeps its digits.
            pi, qi, ri = t[i] - base[i], t[3 + i] - base[i], t[6 + i] - base[i]
            mean[i] += w * (pi + qi + ri) / 3.0
            for j in range(i, 3):
                pj, qj, rj = t[j] - base[j], t[3 + j] - base[j], t[6 + j] - base[j]
                matrix[i, j] += w * ((pi + qi + ri) * (pj + qj + rj) + pi * pj + qi * qj + ri * rj) / 12.0
    if total > 0.0:
        for i in range(3):
            for j in range(i, 3):
                matrix[i, j] = matrix[i, j] / total - mean[i] * mean[j] / (total * total)
                matrix[j, i] = matrix[i, j]
    return total


@inner_kernel
def _measure_into(tris, order, first, count, axes, lo, hi):
    """Extent lo, hi (3,) of a node along `axes` (3, 3); returns half the surface of that box."""
    ax, ay, az = axes[0, 0], axes[0, 1], axes[0, 2]
    bx, by, bz = axes[1, 0], axes[1, 1], axes[1, 2]
    cx, cy, cz = axes[2, 0], axes[2, 1], axes[2, 2]
    a_lo = b_lo = c_lo = inf
    a_hi = b_hi = c_hi = -inf
    for k in range(first, first + count):
        t = tris[order[k]]
        for corner in range(0, 9, 3):
            x, y, z = t[corner], t[corner + 1], t[corner + 2]
            a, b, c = x * ax + y * ay + z * az, x * bx + y * by + z * bz, x * cx + y * cy + z * cz
            a_lo, a_hi = (a if a < a_lo else a_lo), (a if a > a_hi else a_hi)
            b_lo, b_hi = (b if b < b_lo else b_lo), (b if b > b_hi else b_hi)
            c_lo, c_hi = (c if c < c_lo else c_lo), (c if c > c_hi else c_hi)
    lo[0], lo[1], lo[2] = a_lo, b_lo, c_lo
    hi[0], hi[1], hi[2] = a_hi, b_hi, c_hi
    a, b, c = a_hi - a_lo, b_hi - b_lo, c_hi - c_lo
    return a * b + b * c + c * a


@inner_kernel
def _flat_axes_into(tris, order, first, count, normal, axes, flat):
    """Axes (3, 3) of the best box with unit `normal` last; returns half its surface, inf where all corners are one.

    flat (2, 3 * count + 1, 2) is scratch: the corners in the plane and their hull.
    """
    # Square to the normal, and so to within rounding: the coordinate axis that is farthest from it, flattened.
    d = 0
    if abs(normal[1]) < abs(normal[d]):
        d = 1
    if abs(normal[2]) < abs(normal[d]):
        d = 2
    nx, ny, nz = normal[0], normal[1], normal[2]
    ux, uy, uz = (1.0 if d == 0 else 0.0), (1.0 if d == 1 else 0.0), (1.0 if d == 2 else 0.0)
    along = normal[d]
    ux, uy, uz = ux - along * nx, uy - along * ny, uz - along * nz
    length = sqrt(ux * ux + uy * uy + uz * uz)
    ux, uy, uz = ux / length, uy / length, uz / length
    vx, vy, vz = cross(nx, ny, nz, ux, uy, uz)
    points, hull = flat[0], flat[1]
    base = tris[order[first]]
    x0, y0, z0 = base[0], base[1], base[2]
    n = 0
    low, high = inf, -inf
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            x, y, z = t[c] - x0, t[c + 1] - y0, t[c + 2] - z0
            points[n, 0] = x * ux + y * uy + z * uz
            points[n, 1] = x * vx + y * vy + z * vz
            up = x * nx + y * ny + z * nz
            low, high = min(low, up), max(high, up)
            n += 1
    p, q, surface = best_rectangle(points, n, high - low, hull)
    axes[0, 0], axes[0, 1], axes[0, 2] = p * ux + q * vx, p * uy + q * vy, p * uz + q * vz
    axes[1, 0], axes[1, 1], axes[1, 2] = p * vx - q * ux, p * vy - q * uy, p * vz - q * uz
    axes[2, 0], axes[2, 1], axes[2, 2] = nx, ny, nz
    return surface


@inner_kernel
def surface_axes_into(tris, order, first, count, axes, space, flat):
    """Box axes (3, 3), in rows, from the node's own surface; `space` (9, 3) and `flat` (FLAT_SPACE) are overwritten.

    Used below the size where a convex hull pays: a small patch is nearly its own outline.
    """
    mean, normal, matrix = space[0], space[1], space[2:5]
    total = _spread_into(tris, order, first, count, mean, normal, matrix)
    length = sqrt(normal[0] ** 2 + normal[1] ** 2 + normal[2] ** 2)
    if count > _FEW_TRIANGLES or not length > CURLED_PATCH * total:
        _diagonalise_into(matrix, axes)
        return
    for d in range(3):
        normal[d] /= length
    trial = space[6:9]
    flat_surface = _flat_axes_into(tris, order, first, count, normal, trial, flat)
    if count > 1 or flat_surface == inf:
        _diagonalise_into(matrix, axes)
        if _measure_into(tris, order, first, count, axes, space[0], space[5]) <= flat_surface:
            return
    for d in range(9):
        axes[d // 3, d % 3] = trial[d // 3, d % 3]


@inner_kernel
def box_into(tris, order, first, count, axes, node, space):
    """Fill `node`, a row as in obb_node, padded; the third of `axes` (3, 3) becomes the one that the row stands for."""
    lo, hi = space[0], space[1]
    axes[2, 0], axes[2, 1], axes[2, 2] = third_axis(
        axes[0, 0], axes[0, 1], axes[0, 2], axes[1, 0], axes[1, 1], axes[1, 2]
    )
    _measure_into(tris, order, first, count, axes, lo, hi)
    node[0] = node[1] = node[2] = 0.0
    for d in range(3):
        middle = 0.5 * (lo[d] + hi[d])
        # Twice the coordinates: the projections round, and so does the centre.
        node[NODE_HALF + d] = 0.5 * (hi[d] - lo[d]) + TREE_PAD * 2.0 * (abs(lo[d]) + abs(hi[d]))
        for e in range(3):
            node[e] += middle * axes[d, e]
    for d in range(6):
        node[NODE_AXES + d] = axes[d // 3, d % 3]
    pad = TREE_PAD * (abs(node[0]) + abs(node[1]) + abs(node[2]))
    far = 0.0
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            far = max(far, (t[c] - node[0]) ** 2 + (t[c + 1] - node[1]) ** 2 + (t[c + 2] - node[2]) ** 2)
    for d in range(3):
        node[NODE_HALF + d] += pad
    node[NODE_RADIUS] = sqrt(far) * (1.0 + TREE_PAD) + pad
