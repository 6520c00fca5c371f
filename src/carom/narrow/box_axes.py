"""When can two moving oriented boxes, or a moving ball and one, first overlap? Lower bounds that steer tree searches.

Boxes are tree nodes in `floats`: 0-2 centre, 3-11 unit axes in rows, 12-14 half sizes.
"""

from __future__ import annotations

from math import inf

from carom._jit import kernel
from carom.maths.roots import enter_quadratic
from carom.narrow.workspace import FIXED, FIXED_HALF, M_D, M_H, M_TURN, M_V, TURNED

_STILL = 1e-150
"""Slower than this is standing still: dividing by less could overflow."""


@kernel
def _clip(along, rate, half_rate, reach, straight, lo, hi):
    """Narrow the times [lo, hi] to those with |along + rate s + half_rate s^2| <= reach; empty is lo > hi.

    On a curved path only lo moves, to the next time from lo on.
    """
    if straight:
        if abs(rate) < _STILL:
            return (lo, hi) if abs(along) <= reach else (inf, hi)
        per_rate = 1.0 / rate
        middle = -along * per_rate
        width = abs(reach * per_rate)
        return max(lo, middle - width), min(hi, middle + width)
    now = along + lo * (rate + lo * half_rate)
    if now < 0.0:
        along, rate, half_rate, now = -along, -rate, -half_rate, -now
    if now > reach:
        lo = enter_quadratic(along - reach, rate, half_rate, lo)
    return lo, hi


@kernel
def fix_box_into(floats, node, motion, work):
    """Set FIXED to what `motion` (a motion block in `work`) looks like in the axes of the box at `node`."""
    for r in range(3):
        x, y, z = floats[node + 3 + 3 * r], floats[node + 4 + 3 * r], floats[node + 5 + 3 * r]
        for c in range(3):
            turn = motion + M_TURN + c
            work[FIXED + M_TURN + 3 * r + c] = x * work[turn] + y * work[turn + 3] + z * work[turn + 6]
        d, v, h = motion + M_D, motion + M_V, motion + M_H
        work[FIXED + M_D + r] = (
            x * (work[d] - floats[node]) + y * (work[d + 1] - floats[node + 1]) + z * (work[d + 2] - floats[node + 2])
        )
        work[FIXED + M_V + r] = x * work[v] + y * work[v + 1] + z * work[v + 2]
        work[FIXED + M_H + r] = x * work[h] + y * work[h + 1] + z * work[h + 2]
        work[FIXED_HALF + r] = floats[node + 12 + r]


@kernel
def _turn_into(floats, node, work):
    """Set TURNED to the axes of the box at `node` in the axes of the fixed one: entry 3 r + c is fixed r along own c."""
    for c in range(3):
        x, y, z = floats[node + 3 + 3 * c], floats[node + 4 + 3 * c], floats[node + 5 + 3 * c]
        for r in range(3):
            turn = FIXED + M_TURN + 3 * r
            along = work[turn] * x + work[turn + 1] * y + work[turn + 2] * z
            work[TURNED + 3 * r + c] = along
            work[TURNED + 9 + 3 * r + c] = abs(along)


@kernel
def boxes_meet(floats, node, work, pad, straight, s_from, s_max):
    """A time before which the box at `node` cannot overlap the fixed one, from s_from on; inf if not up to s_max.

    All 15 axes; on a straight path their time windows intersect exactly, on a curved one two rounds bound the entry.
    """
    _turn_into(floats, node, work)
    x, y, z = floats[node], floats[node + 1], floats[node + 2]
    e0, e1, e2 = floats[node + 12], floats[node + 13], floats[node + 14]
    f0, f1, f2 = work[FIXED_HALF], work[FIXED_HALF + 1], work[FIXED_HALF + 2]
    turn = FIXED + M_TURN
    d0 = work[turn] * x + work[turn + 1] * y + work[turn + 2] * z + work[FIXED + M_D]
    d1 = work[turn + 3] * x + work[turn + 4] * y + work[turn + 5] * z + work[FIXED + M_D + 1]
    d2 = work[turn + 6] * x + work[turn + 7] * y + work[turn + 8] * z + work[FIXED + M_D + 2]
    v0, v1, v2 = work[FIXED + M_V], work[FIXED + M_V + 1], work[FIXED + M_V + 2]
    h0, h1, h2 = work[FIXED + M_H], work[FIXED + M_H + 1], work[FIXED + M_H + 2]
    lo, hi = s_from, inf
    for k in range(15 if straight else 30):
        axis = k % 15
        if axis < 3:
            row = TURNED + 9 + 3 * axis
            along = d0 if axis == 0 else (d1 if axis == 1 else d2)
            rate = v0 if axis == 0 else (v1 if axis == 1 else v2)
            half_rate = h0 if axis == 0 else (h1 if axis == 1 else h2)
            reach = work[FIXED_HALF + axis] + work[row] * e0 + work[row + 1] * e1 + work[row + 2] * e2
        elif axis < 6:
            c = TURNED + axis - 3
            along = work[c] * d0 + work[c + 3] * d1 + work[c + 6] * d2
            rate = work[c] * v0 + work[c + 3] * v1 + work[c + 6] * v2
            half_rate = work[c] * h0 + work[c + 3] * h1 + work[c + 6] * h2
            reach = floats[node + 9 + axis] + work[c + 9] * f0 + work[c + 12] * f1 + work[c + 15] * f2
        else:
            # Fixed axis r crossed with own axis c: of length at most 1, so that padding it stays on the safe side.
            r, c = (axis - 6) // 3, (axis - 6) % 3
            r1, r2 = (r + 1) % 3, (r + 2) % 3
            c1, c2 = (c + 1) % 3, (c + 2) % 3
            p, q = work[TURNED + 3 * r1 + c], work[TURNED + 3 * r2 + c]
            dp, dq = (d1, d2) if r == 0 else ((d2, d0) if r == 1 else (d0, d1))
            vp, vq = (v1, v2) if r == 0 else ((v2, v0) if r == 1 else (v0, v1))
            hp, hq = (h1, h2) if r == 0 else ((h2, h0) if r == 1 else (h0, h1))
            along = dq * p - dp * q
            rate = vq * p - vp * q
            half_rate = hq * p - hp * q
            row = TURNED + 9 + 3 * r
            reach = work[FIXED_HALF + r1] * abs(q) + work[FIXED_HALF + r2] * abs(p)
            reach += floats[node + 12 + c1] * work[row + c2] + floats[node + 12 + c2] * work[row + c1]
        lo, hi = _clip(along, rate, half_rate, reach + pad, straight, lo, hi)
        if lo > hi or lo > s_max:
            return inf
    return lo


@kernel
def ball_meets_box(floats, node, x, y, z, vx, vy, vz, hx, hy, hz, radius, straight, s_from, s_max):
    """A time before which a ball with centre x + s (v + s h) cannot overlap the box at `node`; inf if not up to s_max."""
    x, y, z = x - floats[node], y - floats[node + 1], z - floats[node + 2]
    lo, hi = s_from, inf
    for k in range(3 if straight else 6):
        row = node + 3 + 3 * (k % 3)
        a, b, c = floats[row], floats[row + 1], floats[row + 2]
        reach = floats[node + 12 + k % 3] + radius
        lo, hi = _clip(
            a * x + b * y + c * z, a * vx + b * vy + c * vz, a * hx + b * hy + c * hz, reach, straight, lo, hi
        )
        if lo > hi or lo > s_max:
            return inf
    return lo
