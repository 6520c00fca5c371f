"""Lower bound of the distance of two oriented boxes at rest, which guides searches of two trees.

One box is held fixed while both children of a node of the other tree are tested against it: what depends on it alone is
computed once. Boxes are rows as in carom.trees.obb.node.
"""

from __future__ import annotations

import functools
from math import inf, sqrt

import numba

from carom._compile.address_call import as_float64
from carom._compile.fused import fused
from carom._compile.jit import c_callback, compiling, inline_kernel, inner_kernel
from carom.tolerances import TINY
from carom.trees.obb.node import NODE_COLUMNS, NODE_HALF, NODE_RADIUS, third_axis

# Columns of a fixed box: the pose of the other tree in the axes of the box, about its centre, then the box itself
F_ROT = 0
F_SHIFT = 9
F_HALF = 12
F_RADIUS = 15
F_SLACK = 16
"""Length that every gap loses, for rounding."""
FIXED = 17


@inline_kernel
def _fix_axis_into(fixed, r, p, q, w, rot, x, y, z):
    """Row r of F_ROT and F_SHIFT: axis (p, q, w) of a box, whose centre sees the origin of the other tree at (x, y, z)."""
    for c in range(3):
        fixed[F_ROT + 3 * r + c] = fused(p, rot[c], fused(q, rot[3 + c], w * rot[6 + c]))
    fixed[F_SHIFT + r] = fused(p, x, fused(q, y, w * z))


@inner_kernel
def fix_box_into(nodes, node, rot, shift, fixed):
    """Set `fixed` (FIXED,), but for F_SLACK, for box `node`; rot (9,) and shift (3,) place the other tree in its frame."""
    x, y, z = shift[0] - nodes[node, 0], shift[1] - nodes[node, 1], shift[2] - nodes[node, 2]
    ax, ay, az = nodes[node, 3], nodes[node, 4], nodes[node, 5]
    bx, by, bz = nodes[node, 6], nodes[node, 7], nodes[node, 8]
    _fix_axis_into(fixed, 0, ax, ay, az, rot, x, y, z)
    _fix_axis_into(fixed, 1, bx, by, bz, rot, x, y, z)
    cx, cy, cz = third_axis(ax, ay, az, bx, by, bz)
    _fix_axis_into(fixed, 2, cx, cy, cz, rot, x, y, z)
    for r in range(3):
        fixed[F_HALF + r] = nodes[node, NODE_HALF + r]
    fixed[F_RADIUS] = nodes[node, NODE_RADIUS]


@inline_kernel
def _dot(a0, a1, a2, b0, b1, b2):
    return fused(a0, b0, fused(a1, b1, a2 * b2))


@inline_kernel
def _above(value, a0, a1, a2, b0, b1, b2):
    """value - a . b"""
    return fused(-a0, b0, fused(-a1, b1, fused(-a2, b2, value)))


@inner_kernel
def box_gap(fixed, nodes, node, cut, reach, edges):
    """Squared lower bound of the distance of box `node` to the fixed one; where they may overlap, minus their overlap.

    The overlap (least over the axes, a length) orders children: the deepest is the likeliest to hold a contact. A bound
    beyond `cut` is returned as soon as it is known; reach = sqrt(cut). `edges`: also test the nine cross products of
    edges. Gaps along the axes of one box are the components of a vector from box to box, so that their squares add up;
    this vector and the line of centres are axes of their own.
    """
    m00, m01, m02, m10, m11, m12 = fixed[0], fixed[1], fixed[2], fixed[3], fixed[4], fixed[5]
    m20, m21, m22 = fixed[6], fixed[7], fixed[8]
    x, y, z = nodes[node, 0], nodes[node, 1], nodes[node, 2]
    d0 = fused(m00, x, fused(m01, y, fused(m02, z, fixed[9])))
    d1 = fused(m10, x, fused(m11, y, fused(m12, z, fixed[10])))
    d2 = fused(m20, x, fused(m21, y, fused(m22, z, fixed[11])))
    slack = fixed[F_SLACK]
    square = _dot(d0, d1, d2, d0, d1, d2)
    radii = fixed[F_RADIUS] + nodes[node, NODE_RADIUS] + reach + slack
    if square > radii * radii:
        return inf
    x, y, z = nodes[node, 3], nodes[node, 4], nodes[node, 5]
    c00, c10, c20 = _dot(m00, m01, m02, x, y, z), _dot(m10, m11, m12, x, y, z), _dot(m20, m21, m22, x, y, z)
    p, q, w = nodes[node, 6], nodes[node, 7], nodes[node, 8]
    c01, c11, c21 = _dot(m00, m01, m02, p, q, w), _dot(m10, m11, m12, p, q, w), _dot(m20, m21, m22, p, q, w)
    x, y, z = third_axis(x, y, z, p, q, w)
    c02, c12, c22 = _dot(m00, m01, m02, x, y, z), _dot(m10, m11, m12, x, y, z), _dot(m20, m21, m22, x, y, z)
    e0, e1, e2 = nodes[node, NODE_HALF], nodes[node, NODE_HALF + 1], nodes[node, NODE_HALF + 2]
    f0, f1, f2 = fixed[12], fixed[13], fixed[14]
    a00, a01, a02, a10, a11, a12 = abs(c00), abs(c01), abs(c02), abs(c10), abs(c11), abs(c12)
    a20, a21, a22 = abs(c20), abs(c21), abs(c22)
    g0 = _above(abs(d0) - f0 - slack, a00, a01, a02, e0, e1, e2)
    g1 = _above(abs(d1) - f1 - slack, a10, a11, a12, e0, e1, e2)
    g2 = _above(abs(d2) - f2 - slack, a20, a21, a22, e0, e1, e2)
    signed = max(g0, max(g1, g2))
    p0, p1, p2 = max(g0, 0.0), max(g1, 0.0), max(g2, 0.0)
    along = _dot(p0, p1, p2, p0, p1, p2)
    if along > cut and along > 0.0:
        return along
    t0, t1, t2 = (
        abs(_dot(c00, c10, c20, d0, d1, d2)),
        abs(_dot(c01, c11, c21, d0, d1, d2)),
        abs(_dot(c02, c12, c22, d0, d1, d2)),
    )
    g0 = _above(t0 - e0 - slack, a00, a10, a20, f0, f1, f2)
    g1 = _above(t1 - e1 - slack, a01, a11, a21, f0, f1, f2)
    g2 = _above(t2 - e2 - slack, a02, a12, a22, f0, f1, f2)
    signed = max(signed, max(g0, max(g1, g2)))
    g0, g1, g2 = max(g0, 0.0), max(g1, 0.0), max(g2, 0.0)
    bound = max(along, _dot(g0, g1, g2, g0, g1, g2))
    if bound > cut and bound > 0.0:
        return bound
    between = _above(_above(square, abs(d0), abs(d1), abs(d2), f0, f1, f2), t0, t1, t2, e0, e1, e2)
    if between > 0.0:
        # Squared and divided by the squared length of the axis; slack is subtracted from the length itself.
        bound = max(bound, between * between / square - 2.0 * slack * between / sqrt(square))
    if along > TINY:
        p0, p1, p2 = (-p0 if d0 < 0.0 else p0), (-p1 if d1 < 0.0 else p1), (-p2 if d2 < 0.0 else p2)
        between = _above(_dot(d0, d1, d2, p0, p1, p2), abs(p0), abs(p1), abs(p2), f0, f1, f2)
        t0, t1, t2 = (
            abs(_dot(c00, c10, c20, p0, p1, p2)),
            abs(_dot(c01, c11, c21, p0, p1, p2)),
            abs(_dot(c02, c12, c22, p0, p1, p2)),
        )
        between = _above(between, t0, t1, t2, e0, e1, e2)
        if between > 0.0:
            bound = max(bound, between * between / along - 2.0 * slack * between / sqrt(along))
    if not edges or bound > cut:
        return bound if bound > 0.0 else signed
    # Cross products are not longer than 1: gaps along them are bounds without a division.
    s = abs(d2 * c10 - d1 * c20) - _dot(f1, f2, e1, a20, a10, a02) - e2 * a01
    s = max(s, abs(d2 * c11 - d1 * c21) - _dot(f1, f2, e0, a21, a11, a02) - e2 * a00)
    s = max(s, abs(d2 * c12 - d1 * c22) - _dot(f1, f2, e0, a22, a12, a01) - e1 * a00)
    s = max(s, abs(d0 * c20 - d2 * c00) - _dot(f0, f2, e1, a20, a00, a12) - e2 * a11)
    s = max(s, abs(d0 * c21 - d2 * c01) - _dot(f0, f2, e0, a21, a01, a12) - e2 * a10)
    s = max(s, abs(d0 * c22 - d2 * c02) - _dot(f0, f2, e0, a22, a02, a11) - e1 * a10)
    s = max(s, abs(d1 * c00 - d0 * c10) - _dot(f0, f1, e1, a10, a00, a22) - e2 * a21)
    s = max(s, abs(d1 * c01 - d0 * c11) - _dot(f0, f1, e0, a11, a01, a22) - e2 * a20)
    s = max(s, abs(d1 * c02 - d0 * c12) - _dot(f0, f1, e0, a12, a02, a21) - e1 * a20) - slack
    if s > 0.0:
        bound = max(bound, s * s)
    return bound if bound > 0.0 else signed


@functools.cache
def box_gap_address() -> int:
    """Address of f(fixed_node, pose, fixed, node, cut): lower bound of the distance of two boxes, or minus their overlap.

    At addresses: the row of the box to fix, the pose (rotation 9, shift 3) of the other tree in its frame, FIXED doubles of
    scratch with F_SLACK set, and the row of the other box. A bound beyond `cut` need not be the best.
    """
    with compiling("the box gap"):

        @c_callback("float64(int64, int64, int64, int64, float64)")
        def gap_of_boxes(fixed_node_at, pose_at, fixed_at, node_at, cut):
            pose, fixed = numba.carray(as_float64(pose_at), 12), numba.carray(as_float64(fixed_at), FIXED)
            fix_box_into(numba.carray(as_float64(fixed_node_at), (1, NODE_COLUMNS)), 0, pose[:9], pose[9:], fixed)
            gap = box_gap(fixed, numba.carray(as_float64(node_at), (1, NODE_COLUMNS)), 0, cut * cut, cut, True)
            return sqrt(gap) if gap > 0.0 else gap

        return int(gap_of_boxes.address)
