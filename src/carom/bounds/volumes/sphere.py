"""Spheres as bounding volumes (Quinlan 1994): the fastest test, and a loose fit of long or flat sets."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, lean_kernel
from carom.bounds.volumes.contents import box_into, far_from, split_longest_side
from carom.bounds.volumes.volume_type import HI, LO, Floats, volume_type
from carom.tolerances import BOUND_SLACK, VOLUME_PAD

SPHERE_COLUMNS = 4
"""Centre 3, radius."""

_STEPS = 16
"""Steps towards the farthest corner: leaves the sphere within a few percent of the smallest."""


@lean_kernel
def fit_into(tris, order, first, count, node, space):
    """Fill `node` with a small sphere around the triangles, the smallest for a single one; returns its radius.

    Badoiu and Clarkson's walk towards the farthest corner from the middle of the box; the best centre seen is kept.
    """
    reach = box_into(tris, order, first, count, space)
    split_longest_side(space)
    if count == 1:
        x, y, z = smallest_circle_centre(tris[order[first]])
        best, _, _ = far_from(tris, order, first, count, x, y, z)
        node[0], node[1], node[2] = x, y, z
    else:
        x, y, z = (
            0.5 * (space[LO] + space[HI]),
            0.5 * (space[LO + 1] + space[HI + 1]),
            0.5 * (space[LO + 2] + space[HI + 2]),
        )
        best = np.inf
        for step in range(_STEPS):
            far, row, c = far_from(tris, order, first, count, x, y, z)
            if far < best:
                best = far
                node[0], node[1], node[2] = x, y, z
            share = 1.0 / (step + 2.0)
            x += share * (tris[row, c] - x)
            y += share * (tris[row, c + 1] - y)
            z += share * (tris[row, c + 2] - z)
    node[3] = best * (1.0 + VOLUME_PAD) + VOLUME_PAD * reach
    return node[3]


@inner_kernel
def smallest_circle_centre(t):
    """Centre of the smallest circle around the triangle t (9,): mid-edge if it is obtuse, else of its circumcircle."""
    a = (t[3] - t[6]) ** 2 + (t[4] - t[7]) ** 2 + (t[5] - t[8]) ** 2
    b = (t[6] - t[0]) ** 2 + (t[7] - t[1]) ** 2 + (t[8] - t[2]) ** 2
    c = (t[0] - t[3]) ** 2 + (t[1] - t[4]) ** 2 + (t[2] - t[5]) ** 2
    # Weights of the corners in the circumcentre; all positive in an acute triangle.
    u, v, w = a * (b + c - a), b * (c + a - b), c * (a + b - c)
    if not (u > 0.0 and v > 0.0 and w > 0.0):
        longest = max(a, max(b, c))
        u, v, w = (0.0, 1.0, 1.0) if a == longest else ((1.0, 0.0, 1.0) if b == longest else (1.0, 1.0, 0.0))
    total = u + v + w
    u, v, w = u / total, v / total, w / total
    return (
        u * t[0] + v * t[3] + w * t[6],
        u * t[1] + v * t[4] + w * t[7],
        u * t[2] + v * t[5] + w * t[8],
    )


@lean_kernel
def lower_bound(nodes_a, a, nodes_b, b, placing):
    """Signed lower bound of the distance: that of the centres less both radii."""
    p, q = nodes_a[a], nodes_b[b]
    x = placing[0] * q[0] + placing[1] * q[1] + placing[2] * q[2] + placing[9] - p[0]
    y = placing[3] * q[0] + placing[4] * q[1] + placing[5] * q[2] + placing[10] - p[1]
    z = placing[6] * q[0] + placing[7] * q[1] + placing[8] * q[2] + placing[11] - p[2]
    gap = sqrt(x * x + y * y + z * z) - p[3] - q[3]
    return gap - BOUND_SLACK * abs(gap)


def holds(node: Floats, tris: Floats) -> NDArray[np.bool_]:
    """Which triangles (m, 3, 3) are inside the sphere?"""
    return (np.sqrt(((tris - node[:3]) ** 2).sum(axis=2)) <= node[3]).all(axis=1)


SPHERE = volume_type("spheres", SPHERE_COLUMNS, fit_into, lower_bound, holds, tiled=True)
