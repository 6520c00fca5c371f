"""Convex hulls of few points: the tightest of the convex volumes, with the most expensive test.

A patch with at most MOST_VERTICES distinct corners is held by their hull. A larger one would make its test dearer the larger
it is; it gets a prism with eight sides in its principal axes, which is a hull of MOST_VERTICES points around its hull.
Two hulls are tested by the walk of Gilbert, Johnson and Keerthi: each direction on its way is a bound in its own right.
"""

from __future__ import annotations

from math import inf, pi, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from carom._compile.jit import inner_kernel, lean_kernel
from carom.bounds.volumes.contents import box_into, far_from, principal_axes_into
from carom.bounds.volumes.nearest_point import nearest_of_four, nearest_of_three, nearest_of_two
from carom.bounds.volumes.volume_type import FIT_AXES, FIT_FREE, FIT_SPLIT, Floats, volume_type
from carom.tolerances import BOUND_SLACK, HULL_GAP, HULL_STEPS, VOLUME_PAD

MOST_VERTICES = 16
_SIDES = 8
"""Of a prism; it has two corners a side."""

_COSINES = np.cos(np.arange(_SIDES) * (0.25 * pi))
_SINES = np.sin(np.arange(_SIDES) * (0.25 * pi))
_ENDS = FIT_FREE
"""In the scratch array of a fit: extents along the sides, the top and the bottom of a prism."""

_COUNT = 0
_PAD = 1
_CENTRE = 2
_FIRST = 5
HULL_COLUMNS = _FIRST + 3 * MOST_VERTICES
"""Number of vertices, rounding pad, mean of the vertices 3, then the vertices."""


@lean_kernel
def fit_into(tris, order, first, count, node, space):
    """Fill `node` with a hull around the triangles; returns their radius about its centre."""
    reach = box_into(tris, order, first, count, space)
    principal_axes_into(tris, order, first, count, space)
    for d in range(3):
        space[FIT_SPLIT + d] = space[FIT_AXES + d]
    n = _distinct_corners_into(tris, order, first, count, node)
    if n > MOST_VERTICES:
        n = _prism_into(tris, order, first, count, node, space, VOLUME_PAD * reach)
    node[_COUNT], node[_PAD] = n, VOLUME_PAD * reach
    for d in range(3):
        node[_CENTRE + d] = 0.0
        for k in range(n):
            node[_CENTRE + d] += node[_FIRST + 3 * k + d] / n
    far, _, _ = far_from(tris, order, first, count, node[_CENTRE], node[_CENTRE + 1], node[_CENTRE + 2])
    return far * (1.0 + VOLUME_PAD) + node[_PAD]


@inner_kernel
def _distinct_corners_into(tris, order, first, count, node):
    """Collect the distinct corners in `node`; returns their number, or MOST_VERTICES + 1 where there are more than fit."""
    n = 0
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            known = False
            for at in range(_FIRST, _FIRST + 3 * n, 3):
                if node[at] == t[c] and node[at + 1] == t[c + 1] and node[at + 2] == t[c + 2]:
                    known = True
            if not known:
                if n == MOST_VERTICES:
                    return n + 1
                at = _FIRST + 3 * n
                node[at], node[at + 1], node[at + 2] = t[c], t[c + 1], t[c + 2]
                n += 1
    return n


@inner_kernel
def _prism_into(tris, order, first, count, node, space, pad):
    """Fill `node` with the corners of the eight-sided prism around the triangles, upright on the two longest axes.

    Side k faces the angle 45 k degrees and touches the patch; a corner is where two neighbouring sides meet.
    """
    base = tris[order[first]]
    ends = space[_ENDS : _ENDS + _SIDES + 2]
    for k in range(_SIDES + 2):
        ends[k] = -inf
    for k in range(first, first + count):
        t = tris[order[k]]
        for c in range(0, 9, 3):
            x, y, z = t[c] - base[0], t[c + 1] - base[1], t[c + 2] - base[2]
            u = space[FIT_AXES] * x + space[FIT_AXES + 1] * y + space[FIT_AXES + 2] * z
            v = space[FIT_AXES + 3] * x + space[FIT_AXES + 4] * y + space[FIT_AXES + 5] * z
            w = space[FIT_AXES + 6] * x + space[FIT_AXES + 7] * y + space[FIT_AXES + 8] * z
            for side in range(_SIDES):
                ends[side] = max(ends[side], u * _COSINES[side] + v * _SINES[side])
            ends[_SIDES] = max(ends[_SIDES], w)
            ends[_SIDES + 1] = max(ends[_SIDES + 1], -w)
    slope = 1.0 / _SINES[1]
    for side in range(_SIDES):
        c, s = _COSINES[side], _SINES[side]
        out, after = ends[side] + pad, ends[(side + 1) % _SIDES] + pad
        aside = slope * (after - out * _COSINES[1])
        u, v = out * c - aside * s, out * s + aside * c
        for top in range(2):
            w = ends[_SIDES] + pad if top else -ends[_SIDES + 1] - pad
            at = _FIRST + 3 * (2 * side + top)
            for d in range(3):
                node[at + d] = (
                    base[d] + u * space[FIT_AXES + d] + v * space[FIT_AXES + 3 + d] + w * space[FIT_AXES + 6 + d]
                )
    return 2 * _SIDES


@inner_kernel
def _support(p, q, r, x, y, z):
    """Point of B - A (placed by r) that is least along (x, y, z)."""
    ax, ay, az, most = 0.0, 0.0, 0.0, -inf
    for at in range(_FIRST, _FIRST + 3 * int(p[_COUNT]), 3):
        along = p[at] * x + p[at + 1] * y + p[at + 2] * z
        if along > most:
            most = along
            ax, ay, az = p[at], p[at + 1], p[at + 2]
    u = r[0] * x + r[3] * y + r[6] * z
    v = r[1] * x + r[4] * y + r[7] * z
    w = r[2] * x + r[5] * y + r[8] * z
    bx, by, bz, least = 0.0, 0.0, 0.0, inf
    for at in range(_FIRST, _FIRST + 3 * int(q[_COUNT]), 3):
        along = q[at] * u + q[at + 1] * v + q[at + 2] * w
        if along < least:
            least = along
            bx, by, bz = q[at], q[at + 1], q[at + 2]
    return (
        r[0] * bx + r[1] * by + r[2] * bz + r[9] - ax,
        r[3] * bx + r[4] * by + r[5] * bz + r[10] - ay,
        r[6] * bx + r[7] * by + r[8] * bz + r[11] - az,
    )


@lean_kernel
def lower_bound(nodes_a, a, nodes_b, b, placing):
    """Signed lower bound of the distance: the largest gap found along a direction, within HULL_GAP of the distance.

    The walk keeps the point v of a simplex of B - A nearest to the origin; the gap along v is at most the distance, |v| at
    least. v shrinks with every step, and the number of steps is limited; where hulls overlap, no gap is above 0.
    """
    p, q, r = nodes_a[a], nodes_b[b], placing
    x = r[0] * q[2] + r[1] * q[3] + r[2] * q[4] + r[9] - p[2]
    y = r[3] * q[2] + r[4] * q[3] + r[5] * q[4] + r[10] - p[3]
    z = r[6] * q[2] + r[7] * q[3] + r[8] * q[4] + r[11] - p[4]
    v = (x, y, z)
    size = sqrt(x * x + y * y + z * z)
    if not size > 0.0:
        v, size = (1.0, 0.0, 0.0), 1.0
    # Up to three points of the simplex; a fourth is reduced at once.
    s0 = s1 = s2 = (0.0, 0.0, 0.0)
    n = 0
    best = -inf
    nearest = inf
    for _ in range(HULL_STEPS):
        w = _support(p, q, r, v[0], v[1], v[2])
        gap = (v[0] * w[0] + v[1] * w[1] + v[2] * w[2]) / size
        best = max(best, gap)
        if best >= nearest * (1.0 - HULL_GAP):
            break
        if n == 0:
            v, s0, n = w, w, 1
        elif n == 1:
            v, s0, s1, n = nearest_of_two(s0, w)
        elif n == 2:
            v, s0, s1, s2, n = nearest_of_three(s0, s1, w)
        else:
            v, s0, s1, s2, n = nearest_of_four(s0, s1, s2, w)
        size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
        if n == 4 or not size > 0.0 or size >= nearest:
            break
        nearest = size
    best -= p[_PAD] + q[_PAD]
    return best - BOUND_SLACK * abs(best)


def holds(node: Floats, tris: Floats) -> NDArray[np.bool_]:
    """Which triangles (m, 3, 3) are inside the hull, up to the pad?"""
    points = tris.reshape(-1, 3)
    vertices = node[_FIRST : _FIRST + 3 * int(node[_COUNT])].reshape(-1, 3)
    centre = node[_CENTRE : _CENTRE + 3]
    scale = np.abs(vertices - centre).max() or 1.0
    # A point is inside where weights >= 0 with sum 1 make it of the vertices.
    system = np.vstack([(vertices - centre).T / scale, np.ones(len(vertices))])
    off = [
        0.0 if (vertices == point).all(axis=1).any() else nnls(system, np.append((point - centre) / scale, 1.0))[1]
        for point in points
    ]
    return (np.array(off) * scale <= node[_PAD] + 1e-14 * scale).reshape(-1, 3).all(axis=1)


HULL = volume_type("convex hulls", HULL_COLUMNS, fit_into, lower_bound, holds)
