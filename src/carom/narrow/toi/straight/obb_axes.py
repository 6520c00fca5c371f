"""Lower bounds of the first contact time of two moving oriented boxes, or of a sphere and a box, for tree searches.

Boxes are rows in `floats` as in carom.trees.obb.node.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inline_kernel, inner_kernel, kernel
from carom.maths.roots import enter_quadratic
from carom.narrow.toi.workspace import FIXED, FIXED_HALF, M_D, M_H, M_TURN, M_V, PAD, pad_at
from carom.tolerances import TINY
from carom.trees.obb.node import NODE_HALF, node_axis, turned_axes


@kernel
def _window(along, rate, reach, lo, hi):
    """The part of the times [lo, hi] with |along + rate s| <= reach; empty is lo > hi."""
    if abs(rate) < TINY:
        return (lo, hi) if abs(along) <= reach else (inf, hi)
    per_rate = 1.0 / rate
    middle = -along * per_rate
    width = abs(reach * per_rate)
    return max(lo, middle - width), min(hi, middle + width)


@inner_kernel
def _next_inside(along, rate, half_rate, reach, s):
    """First time from s on with |along + rate s + half_rate s^2| <= reach; inf if never."""
    now = along + s * (rate + s * half_rate)
    if now < 0.0:
        along, rate, half_rate, now = -along, -rate, -half_rate, -now
    return enter_quadratic(along - reach, rate, half_rate, s) if now > reach else s


@inner_kernel
def fix_box_into(floats, node, motion, work):
    """Set FIXED to what `motion` (a motion block in `work`) looks like in the axes of the box at `node`."""
    for r in range(3):
        x, y, z = node_axis(floats, node, r)
        for c in range(3):
            turn = motion + M_TURN + c
            work[FIXED + M_TURN + 3 * r + c] = x * work[turn] + y * work[turn + 3] + z * work[turn + 6]
        d, v, h = motion + M_D, motion + M_V, motion + M_H
        work[FIXED + M_D + r] = (
            x * (work[d] - floats[node]) + y * (work[d + 1] - floats[node + 1]) + z * (work[d + 2] - floats[node + 2])
        )
        work[FIXED + M_V + r] = x * work[v] + y * work[v + 1] + z * work[v + 2]
        work[FIXED + M_H + r] = x * work[h] + y * work[h + 1] + z * work[h + 2]
        work[FIXED_HALF + r] = floats[node + NODE_HALF + r]


@inner_kernel
def boxes_meet_straight(floats, node, work, s_from, s_max):
    """First time in [s_from, s_max] at which the box at `node`, on a straight path, overlaps the fixed one; inf if none.

    The time windows of all 15 axes, intersected. Written out, it is 1.5 times as fast as a loop; this is where searches
    spend their time. Cross products of edges have length at most 1, so that padding them stays on the safe side.
    """
    pad = work[PAD]
    m = FIXED + M_TURN
    m00, m01, m02, m10, m11, m12 = work[m], work[m + 1], work[m + 2], work[m + 3], work[m + 4], work[m + 5]
    m20, m21, m22 = work[m + 6], work[m + 7], work[m + 8]
    x, y, z = floats[node], floats[node + 1], floats[node + 2]
    d0 = m00 * x + m01 * y + m02 * z + work[FIXED + M_D]
    d1 = m10 * x + m11 * y + m12 * z + work[FIXED + M_D + 1]
    d2 = m20 * x + m21 * y + m22 * z + work[FIXED + M_D + 2]
    v0, v1, v2 = work[FIXED + M_V], work[FIXED + M_V + 1], work[FIXED + M_V + 2]
    f0, f1, f2 = work[FIXED_HALF], work[FIXED_HALF + 1], work[FIXED_HALF + 2]
    e0, e1, e2 = floats[node + NODE_HALF], floats[node + NODE_HALF + 1], floats[node + NODE_HALF + 2]
    c00, c10, c20, c01, c11, c21, c02, c12, c22 = turned_axes(floats, node, m00, m01, m02, m10, m11, m12, m20, m21, m22)
    a00, a01, a02, a10, a11, a12 = abs(c00), abs(c01), abs(c02), abs(c10), abs(c11), abs(c12)
    a20, a21, a22 = abs(c20), abs(c21), abs(c22)
    lo, hi = _window(d0, v0, f0 + a00 * e0 + a01 * e1 + a02 * e2 + pad, s_from, s_max)
    lo, hi = _window(d1, v1, f1 + a10 * e0 + a11 * e1 + a12 * e2 + pad, lo, hi)
    lo, hi = _window(d2, v2, f2 + a20 * e0 + a21 * e1 + a22 * e2 + pad, lo, hi)
    if lo > hi:
        return inf
    d, v = c00 * d0 + c10 * d1 + c20 * d2, c00 * v0 + c10 * v1 + c20 * v2
    lo, hi = _window(d, v, e0 + a00 * f0 + a10 * f1 + a20 * f2 + pad, lo, hi)
    d, v = c01 * d0 + c11 * d1 + c21 * d2, c01 * v0 + c11 * v1 + c21 * v2
    lo, hi = _window(d, v, e1 + a01 * f0 + a11 * f1 + a21 * f2 + pad, lo, hi)
    d, v = c02 * d0 + c12 * d1 + c22 * d2, c02 * v0 + c12 * v1 + c22 * v2
    lo, hi = _window(d, v, e2 + a02 * f0 + a12 * f1 + a22 * f2 + pad, lo, hi)
    if lo > hi:
        return inf
    r = f1 * a20 + f2 * a10 + e1 * a02 + e2 * a01
    lo, hi = _window(d2 * c10 - d1 * c20, v2 * c10 - v1 * c20, r + pad, lo, hi)
    r = f1 * a21 + f2 * a11 + e0 * a02 + e2 * a00
    lo, hi = _window(d2 * c11 - d1 * c21, v2 * c11 - v1 * c21, r + pad, lo, hi)
    r = f1 * a22 + f2 * a12 + e0 * a01 + e1 * a00
    lo, hi = _window(d2 * c12 - d1 * c22, v2 * c12 - v1 * c22, r + pad, lo, hi)
    r = f0 * a20 + f2 * a00 + e1 * a12 + e2 * a11
    lo, hi = _window(d0 * c20 - d2 * c00, v0 * c20 - v2 * c00, r + pad, lo, hi)
    r = f0 * a21 + f2 * a01 + e0 * a12 + e2 * a10
    lo, hi = _window(d0 * c21 - d2 * c01, v0 * c21 - v2 * c01, r + pad, lo, hi)
    r = f0 * a22 + f2 * a02 + e0 * a11 + e1 * a10
    lo, hi = _window(d0 * c22 - d2 * c02, v0 * c22 - v2 * c02, r + pad, lo, hi)
    r = f0 * a10 + f1 * a00 + e1 * a22 + e2 * a21
    lo, hi = _window(d1 * c00 - d0 * c10, v1 * c00 - v0 * c10, r + pad, lo, hi)
    r = f0 * a11 + f1 * a01 + e0 * a22 + e2 * a20
    lo, hi = _window(d1 * c01 - d0 * c11, v1 * c01 - v0 * c11, r + pad, lo, hi)
    r = f0 * a12 + f1 * a02 + e0 * a21 + e1 * a20
    lo, hi = _window(d1 * c02 - d0 * c12, v1 * c02 - v0 * c12, r + pad, lo, hi)
    return lo if lo <= hi else inf


@inner_kernel
def boxes_meet_curved(floats, node, work, s_from, s_max):
    """A time before which the box at `node`, on a curved path, cannot overlap the fixed one; inf if not by s_max.

    The six axes of the boxes, twice: after a step ahead in time the axes before it may separate again.
    """
    s = s_from
    for k in range(12):
        axis = k % 3
        if k % 6 < 3:
            x, y, z = (1.0 if axis == 0 else 0.0), (1.0 if axis == 1 else 0.0), (1.0 if axis == 2 else 0.0)
        else:
            p, q, w = node_axis(floats, node, axis)
            turn = FIXED + M_TURN
            x = work[turn] * p + work[turn + 1] * q + work[turn + 2] * w
            y = work[turn + 3] * p + work[turn + 4] * q + work[turn + 5] * w
            z = work[turn + 6] * p + work[turn + 7] * q + work[turn + 8] * w
        # The axis in the frame of the other body, to project the node's centre and half sizes on it.
        turn, d, v, h = FIXED + M_TURN, FIXED + M_D, FIXED + M_V, FIXED + M_H
        ox = work[turn] * x + work[turn + 3] * y + work[turn + 6] * z
        oy = work[turn + 1] * x + work[turn + 4] * y + work[turn + 7] * z
        oz = work[turn + 2] * x + work[turn + 5] * y + work[turn + 8] * z
        along = x * work[d] + y * work[d + 1] + z * work[d + 2]
        along += ox * floats[node] + oy * floats[node + 1] + oz * floats[node + 2]
        reach = (
            abs(x) * work[FIXED_HALF] + abs(y) * work[FIXED_HALF + 1] + abs(z) * work[FIXED_HALF + 2] + pad_at(work, s)
        )
        for c in range(3):
            p, q, w = node_axis(floats, node, c)
            reach += floats[node + NODE_HALF + c] * abs(ox * p + oy * q + oz * w)
        rate = x * work[v] + y * work[v + 1] + z * work[v + 2]
        half_rate = x * work[h] + y * work[h + 1] + z * work[h + 2]
        s = _next_inside(along, rate, half_rate, reach, s)
        if s > s_max or s == inf:
            return inf
        if k >= 5 and s == s_from:
            break
    return s


@inline_kernel
def boxes_meet(floats, node, work, straight, s_from, s_max):
    """boxes_meet_straight or boxes_meet_curved."""
    if straight:
        return boxes_meet_straight(floats, node, work, s_from, s_max)
    return boxes_meet_curved(floats, node, work, s_from, s_max)


@inner_kernel
def ball_meets_box(floats, node, work, x, y, z, vx, vy, vz, hx, hy, hz, radius, straight, s_from, s_max):
    """A time before which a ball with centre x + s (v + s h) cannot overlap the box at `node`; inf if not by s_max."""
    x, y, z = x - floats[node], y - floats[node + 1], z - floats[node + 2]
    lo, hi = s_from, s_max
    for k in range(3 if straight else 6):
        a, b, c = node_axis(floats, node, k % 3)
        along, rate = a * x + b * y + c * z, a * vx + b * vy + c * vz
        reach = floats[node + NODE_HALF + k % 3] + radius + (work[PAD] if straight else pad_at(work, lo))
        if straight:
            lo, hi = _window(along, rate, reach, lo, hi)
        else:
            lo = _next_inside(along, rate, a * hx + b * hy + c * hz, reach, lo)
        if lo > hi:
            return inf
    return lo
