"""The winding number of a surface around a point, and whether the surface is closed.

The generalised winding number (Jacobson, Kavan and Sorkine-Hornung 2013) is the sum of the solid angles of all triangles
over 4 pi: 1 inside a closed surface that faces outwards, -1 where it faces inwards, 2 where two closed parts overlap.
"""

from __future__ import annotations

from math import pi, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, inline_kernel, lean_kernel
from carom._compile.threads import Workers
from carom.maths.trigonometry import arc_tangent

_FEWEST = 64
"""Points from which on threads share the work."""


def is_closed(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> bool:
    """Does every edge of the triangles have as many on one side as on the other? Vertices at the same place are one."""
    _, place = np.unique(vertices, axis=0, return_inverse=True)
    corners = place.reshape(-1)[faces]
    edges = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    along = np.where(edges[:, 0] < edges[:, 1], 1, -1)
    _, which = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True)
    return len(edges) > 0 and not np.bincount(which.reshape(-1), weights=along).any()


def winding_numbers(tris: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Winding number (n,) of the triangles (m, 9) round points (n, 3); some 20 ns a triangle and point on one core."""
    out = np.empty(len(points))
    with compiling("winding numbers"), Workers(len(points), None, _FEWEST) as workers:
        cuts = workers.cuts(len(points))
        workers.run(lambda k: _winding_into(tris, points, *cuts[k], out), len(cuts))
    return out


@inline_kernel
def solid_angle_parts(t, x, y, z):
    """Real and imaginary part of a complex number with half the angle of triangle t (9,) seen from a point.

    Van Oosterom and Strackee, "The solid angle of a plane triangle", 1983.
    """
    ax, ay, az = t[0] - x, t[1] - y, t[2] - z
    bx, by, bz = t[3] - x, t[4] - y, t[5] - z
    cx, cy, cz = t[6] - x, t[7] - y, t[8] - z
    a = sqrt(ax * ax + ay * ay + az * az)
    b = sqrt(bx * bx + by * by + bz * bz)
    c = sqrt(cx * cx + cy * cy + cz * cz)
    volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
    ab, bc, ca = ax * bx + ay * by + az * bz, bx * cx + by * cy + bz * cz, cx * ax + cy * ay + cz * az
    return a * b * c + ab * c + bc * a + ca * b, volume


@lean_kernel
def _winding_into(tris, points, first, last, out):
    """Solid angles summed over all triangles, for points first .. last - 1.

    The product of all numbers of solid_angle_parts has the sum of their angles, up to whole turns, which are counted where it
    passes the negative real axis: so one arc tangent serves all triangles.
    """
    for k in range(first, last):
        re, im, turns = 1.0, 0.0, 0
        for row in range(len(tris)):
            u, v = solid_angle_parts(tris[row], points[k, 0], points[k, 1], points[k, 2])
            size = abs(u) + abs(v)
            if not size > 0.0:  # a corner, or a point on an edge: no angle
                continue
            u, v = u / size, v / size
            next_re, next_im = re * u - im * v, re * v + im * u
            if im >= 0.0 and v >= 0.0 and next_im < 0.0:
                turns += 1
            elif im < 0.0 and v < 0.0 and next_im >= 0.0:
                turns -= 1
            scale = abs(next_re) + abs(next_im)
            re, im = next_re / scale, next_im / scale
        out[k] = (arc_tangent(im, re) + 2.0 * pi * turns) / (2.0 * pi)
