"""When a point that moves uniformly, or with constant acceleration, enters a ball about the origin.

The gap |x + s (v + s h)|^2 - r^2 is a polynomial of the time s. From far away the squares of distances lose what a contact
depends on: at d = 1e5 r the time is wrong by r / v times 1e-6, and beyond 1e8 r a hit in the very centre can be missed. So
paths from afar are solved without a difference of squares, or from a place nearby.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inline_kernel, inner_kernel
from carom.maths.quadratic import enter_quadratic
from carom.maths.quartic import enter_quartic
from carom.maths.vector import cross
from carom.tolerances import EPSILON, FAR_SQUARE

_MOST_PLACES = 8
"""Places nearby: each is nearer by a factor of a million or more, or as near as rounding allows."""
_LOST = 32.0 * EPSILON
"""Relative to the square of the way: what the coefficients of the gap may have lost."""


@inner_kernel
def enter_ball_from_afar(x, y, z, vx, vy, vz, r):
    """Smallest s >= 0 at which |x + s v| is r, from more than r away and on the approach; inf if never."""
    vv = vx * vx + vy * vy + vz * vz
    b = x * vx + y * vy + z * vz
    mx, my, mz = cross(x, y, z, vx, vy, vz)
    # The distance at which the path passes the centre, times the speed: not the difference of two squares.
    disc = vv * r * r - (mx * mx + my * my + mz * mz)
    if not disc > 0.0:
        return inf
    return max((-b - sqrt(disc)) / vv, 0.0)


@inline_kernel
def enter_ball_on_approach(x, y, z, vx, vy, vz, r, b, c, vv):
    """Smallest s >= 0 at which |x + s v| is at most r and decreases; inf if never. b: x.v; c: |x|^2 - r^2; vv: |v|^2.

    The one place where the contact of two balls on straight paths is solved; callers have looked at b and c before.
    """
    if b >= 0.0:  # receding, even if touching
        return inf
    if c <= 0.0:  # overlapping and approaching: now
        return 0.0
    if c > FAR_SQUARE * r * r:
        return enter_ball_from_afar(x, y, z, vx, vy, vz, r)
    disc = b * b - vv * c
    if disc <= 0.0:
        return inf
    return c / (sqrt(disc) - b)


@inner_kernel
def enter_ball_straight(x, y, z, vx, vy, vz, r, s_from):
    """Smallest s >= s_from at which |x + s v| is at most r and decreases; inf if never."""
    xx, xv, vv = x * x + y * y + z * z, x * vx + y * vy + z * vz, vx * vx + vy * vy + vz * vz
    if xx - r * r > FAR_SQUARE * r * r:
        s = enter_ball_from_afar(x, y, z, vx, vy, vz, r) if xv < 0.0 else inf
        if s >= s_from:
            return s
    return enter_quadratic(xx - r * r, 2.0 * xv, vv, s_from)


@inner_kernel
def _enter_gap(x, y, z, vx, vy, vz, hx, hy, hz, r, lost, s_from):
    """Smallest s >= s_from at which |x + s (v + s h)|^2 - r^2 - lost (|x| + s (|v| + s |h|))^2 is entered; inf if never."""
    xx, vv, hh = x * x + y * y + z * z, vx * vx + vy * vy + vz * vz, hx * hx + hy * hy + hz * hz
    xv, xh, vh = x * vx + y * vy + z * vz, x * hx + y * hy + z * hz, vx * hx + vy * hy + vz * hz
    d, v, h = (sqrt(xx), sqrt(vv), sqrt(hh)) if lost > 0.0 else (0.0, 0.0, 0.0)
    return enter_quartic(
        xx - r * r - lost * d * d,
        2.0 * (xv - lost * d * v),
        (vv + 2.0 * xh) - lost * (v * v + 2.0 * d * h),
        2.0 * (vh - lost * v * h),
        hh - lost * h * h,
        s_from,
    )


@inner_kernel
def enter_ball(x, y, z, vx, vy, vz, hx, hy, hz, r, s_from):
    """Smallest s >= s_from at which |x + s (v + s h)| is at most r and decreases; inf if never."""
    base = 0.0
    for _ in range(_MOST_PLACES):
        xx, vv, hh = x * x + y * y + z * z, vx * vx + vy * vy + vz * vz, hx * hx + hy * hy + hz * hz
        if xx <= FAR_SQUARE * r * r and vv * vv <= FAR_SQUARE * r * r * hh:
            break
        # It is surely outside before: go on from there, where the numbers are smaller.
        s = _enter_gap(x, y, z, vx, vy, vz, hx, hy, hz, r, _LOST, s_from)
        if s == inf:
            return inf
        if s == s_from:
            break
        x, y, z = x + s * (vx + s * hx), y + s * (vy + s * hy), z + s * (vz + s * hz)
        vx, vy, vz = vx + 2.0 * s * hx, vy + 2.0 * s * hy, vz + 2.0 * s * hz
        base, s_from = base + s, 0.0
    return base + _enter_gap(x, y, z, vx, vy, vz, hx, hy, hz, r, 0.0, s_from)


@inner_kernel
def leave_ball(x, y, z, vx, vy, vz, hx, hy, hz, r, s_from):
    """Smallest s >= s_from at which |x + s (v + s h)| is at least r and grows; inf if never."""
    xx, vv, hh = x * x + y * y + z * z, vx * vx + vy * vy + vz * vz, hx * hx + hy * hy + hz * hz
    xv, xh, vh = x * vx + y * vy + z * vz, x * hx + y * hy + z * hz, vx * hx + vy * hy + vz * hz
    return enter_quartic(r * r - xx, -2.0 * xv, -(vv + 2.0 * xh), -2.0 * vh, -hh, s_from)
