"""Polytopes between k / 2 pairs of parallel planes of fixed directions (k-DOPs, Klosowski et al. 1998), k = 18 or 26.

The directions are the axes, the diagonals of the sides of a cube (k = 18) and those of the cube itself (k = 26). They turn
with the model. Along any other direction u, such as those of the other model, the extent is bounded by writing u as a sum
of three neighbouring directions with weights >= 0: no corner of the polytope is needed.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, lean_kernel
from carom.bounds.volumes.contents import box_into
from carom.bounds.volumes.volume_type import FIT_SPLIT, Floats, volume_type
from carom.tolerances import BOUND_SLACK, VOLUME_PAD

DIRECTIONS = np.array(
    [
        *((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
        *((1.0, 1.0, 0.0), (1.0, -1.0, 0.0), (1.0, 0.0, 1.0), (1.0, 0.0, -1.0), (0.0, 1.0, 1.0), (0.0, 1.0, -1.0)),
        *((1.0, 1.0, 1.0), (1.0, 1.0, -1.0), (1.0, -1.0, 1.0), (1.0, -1.0, -1.0)),
    ]
)
"""Not of length 1, so that projections round once. The first 9 make the 18-DOP, all 13 the 26-DOP."""

_EDGE = 3
"""First diagonal of a side: of sides xy, xz, yz, with equal signs and then with opposite ones."""
_CORNER = 9
"""First diagonal of the cube: signs of y and z relative to x are ++, +-, -+, --."""


@lean_kernel
def fit_into(tris, order, first, count, node, space):
    """Fill `node` (k,) with lower and upper end along each direction; returns half the diagonal of the box in it.

    Column 2 d is the lower end along direction d, column 2 d + 1 the upper one.
    """
    reach = box_into(tris, order, first, count, space)
    longest = -inf
    square = 0.0
    for d in range(len(node) // 2):
        x, y, z = DIRECTIONS[d, 0], DIRECTIONS[d, 1], DIRECTIONS[d, 2]
        lo, hi = inf, -inf
        for k in range(first, first + count):
            t = tris[order[k]]
            for c in range(0, 9, 3):
                along = t[c] * x + t[c + 1] * y + t[c + 2] * z
                lo = min(lo, along)
                hi = max(hi, along)
        parts = abs(x) + abs(y) + abs(z)
        node[2 * d] = lo - parts * VOLUME_PAD * reach
        node[2 * d + 1] = hi + parts * VOLUME_PAD * reach
        if d < 3:
            square += (0.5 * (node[2 * d + 1] - node[2 * d])) ** 2
        # Directions have length sqrt(parts).
        if (hi - lo) / sqrt(parts) > longest:
            longest = (hi - lo) / sqrt(parts)
            space[FIT_SPLIT], space[FIT_SPLIT + 1], space[FIT_SPLIT + 2] = x, y, z
    return sqrt(square)


@inner_kernel
def _ends(node, d, sign):
    """Upper and lower end along direction d (sign 1) or against it (sign -1)."""
    if sign > 0.0:
        return node[2 * d + 1], node[2 * d]
    return -node[2 * d], -node[2 * d + 1]


@inner_kernel
def _edge_ends(node, i, j, si, sj):
    """Upper and lower end along the diagonal si e_i + sj e_j."""
    d = _EDGE + 2 * (i + j - 1) + (0 if si == sj else 1)
    return _ends(node, d, si if i < j else sj)


@inner_kernel
def extent(node, x, y, z):
    """Upper and lower end along any (x, y, z); the polytope may end before them, never beyond.

    With |components| a >= b >= c along axes i, j, k and their signs taken into the axes: u = (a - b) i + (b - c) (i + j) +
    c (i + j + k). Without cube diagonals, u = (a - b - c) i + b (i + j) + c (i + k) or, where that has a negative weight,
    ((a + b - c) (i + j) + (a + c - b) (i + k) + (b + c - a) (j + k)) / 2.
    """
    a, b, c = abs(x), abs(y), abs(z)
    i, j, k = 0, 1, 2
    if a < b:
        a, b, i, j = b, a, j, i
    if b < c:
        b, c, j, k = c, b, k, j
        if a < b:
            a, b, i, j = b, a, j, i
    sx = 1.0 if x >= 0.0 else -1.0
    sy = 1.0 if y >= 0.0 else -1.0
    sz = 1.0 if z >= 0.0 else -1.0
    si = sx if i == 0 else (sy if i == 1 else sz)
    sj = sx if j == 0 else (sy if j == 1 else sz)
    up_ij, low_ij = _edge_ends(node, i, j, si, sj)
    if len(node) == 26:
        up_i, low_i = _ends(node, i, si)
        up, low = _ends(node, _CORNER + (0 if sx == sy else 2) + (0 if sx == sz else 1), sx)
        return (a - b) * up_i + (b - c) * up_ij + c * up, (a - b) * low_i + (b - c) * low_ij + c * low
    sk = sx if k == 0 else (sy if k == 1 else sz)
    up_ik, low_ik = _edge_ends(node, i, k, si, sk)
    if a >= b + c:
        up_i, low_i = _ends(node, i, si)
        return (a - b - c) * up_i + b * up_ij + c * up_ik, (a - b - c) * low_i + b * low_ij + c * low_ik
    up_jk, low_jk = _edge_ends(node, j, k, sj, sk)
    u, v, w = 0.5 * (a + b - c), 0.5 * (a + c - b), 0.5 * (b + c - a)
    return u * up_ij + v * up_ik + w * up_jk, u * low_ij + v * low_ik + w * low_jk


@inner_kernel
def _gap_along(p, q, r, x, y, z):
    """Gap between p and q beyond it along (x, y, z), of any length above 0, in a's frame; r places q."""
    up, _ = extent(p, x, y, z)
    _, low = extent(q, r[0] * x + r[3] * y + r[6] * z, r[1] * x + r[4] * y + r[7] * z, r[2] * x + r[5] * y + r[8] * z)
    return (low + x * r[9] + y * r[10] + z * r[11] - up) / sqrt(x * x + y * y + z * z)


@lean_kernel
def lower_bound(nodes_a, a, nodes_b, b, placing):
    """Signed lower bound of the distance: the largest gap along the directions of both, and along the vector of gaps.

    In each frame the gaps along the three axes make a vector; its length is a bound, exact for boxes that are parallel.
    """
    p, q, r = nodes_a[a], nodes_b[b], placing
    best = -inf
    for of_b in range(2):
        gx, gy, gz = 0.0, 0.0, 0.0
        for d in range(len(p) // 2):
            x, y, z = DIRECTIONS[d, 0], DIRECTIONS[d, 1], DIRECTIONS[d, 2]
            length = sqrt(abs(x) + abs(y) + abs(z))
            if of_b:
                x, y, z = r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z
                up_a, low_a = extent(p, x, y, z)
                up_b, low_b = q[2 * d + 1], q[2 * d]
            else:
                up_a, low_a = p[2 * d + 1], p[2 * d]
                up_b, low_b = extent(
                    q, r[0] * x + r[3] * y + r[6] * z, r[1] * x + r[4] * y + r[7] * z, r[2] * x + r[5] * y + r[8] * z
                )
            shift = x * r[9] + y * r[10] + z * r[11]
            ahead, behind = low_b + shift - up_a, low_a - up_b - shift
            gap = max(ahead, behind)
            best = max(best, gap / length)
            if d < 3 and gap > 0.0:
                gap = ahead if ahead > behind else -behind
                gx, gy, gz = gx + gap * x, gy + gap * y, gz + gap * z
        if gx * gx + gy * gy + gz * gz > 0.0:
            best = max(best, max(sqrt(gx * gx + gy * gy + gz * gz), _gap_along(p, q, r, gx, gy, gz)))
    return best - BOUND_SLACK * abs(best)


def holds(node: Floats, tris: Floats) -> NDArray[np.bool_]:
    """Which triangles (m, 3, 3) are inside the polytope?"""
    along = tris @ DIRECTIONS[: len(node) // 2].T
    return ((along >= node[0::2]) & (along <= node[1::2])).all(axis=(1, 2))


KDOP18 = volume_type("18-DOPs", 18, fit_into, lower_bound, holds)
KDOP26 = volume_type("26-DOPs", 26, fit_into, lower_bound, holds)
