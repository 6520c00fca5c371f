"""Where two convex features touch: the middle of what their supporting polygons share in the contact plane."""

from __future__ import annotations

from math import inf, sqrt

from carom._jit import kernel
from carom.narrow.workspace import NORMAL, POINT, POLYGON_A, POLYGON_B, POLYGON_C

_PARALLEL = 1e-9
"""Sine under which two touching edges count as parallel."""


@kernel
def _dot_normal(work, at):
    """The vector at `at` along the contact normal."""
    return work[at] * work[NORMAL] + work[at + 1] * work[NORMAL + 1] + work[at + 2] * work[NORMAL + 2]


@kernel
def _copy_into(work, source, target):
    """Copy one vector inside `work`."""
    for d in range(3):
        work[target + d] = work[source + d]


@kernel
def _shape_along(work, p, q, r):
    """Normal . ((q - p) x (r - p)): twice the signed area of the triangle p q r in the contact plane."""
    ux, uy, uz = work[q] - work[p], work[q + 1] - work[p + 1], work[q + 2] - work[p + 2]
    vx, vy, vz = work[r] - work[p], work[r + 1] - work[p + 1], work[r + 2] - work[p + 2]
    return (
        work[NORMAL] * (uy * vz - uz * vy)
        + work[NORMAL + 1] * (uz * vx - ux * vz)
        + work[NORMAL + 2] * (ux * vy - uy * vx)
    )


@kernel
def support_into(work, source, n_points, sign, slack, target):
    """Copy those of `n_points` vectors that lie within `slack` of the farthest along sign * normal; returns how many."""
    far = -inf
    for k in range(n_points):
        far = max(far, sign * _dot_normal(work, source + 3 * k))
    count = 0
    for k in range(n_points):
        if sign * _dot_normal(work, source + 3 * k) >= far - slack:
            _copy_into(work, source + 3 * k, target + 3 * count)
            count += 1
    return count


@kernel
def _clip_segment(work, n_clip):
    """The part [t0, t1] of segment POLYGON_A inside the polygon POLYGON_B of n_clip >= 3 corners; all of it if none is."""
    turn = _shape_along(work, POLYGON_B, POLYGON_B + 3, POLYGON_B + 6)
    t0, t1 = 0.0, 1.0
    for k in range(n_clip):
        p = POLYGON_B + 3 * k
        q = POLYGON_B + 3 * ((k + 1) % n_clip)
        begin = _shape_along(work, p, q, POLYGON_A)
        end = _shape_along(work, p, q, POLYGON_A + 3)
        if turn < 0.0:
            begin, end = -begin, -end
        if begin < 0.0 < end:
            t0 = max(t0, begin / (begin - end))
        elif end < 0.0 < begin:
            t1 = min(t1, begin / (begin - end))
    return (t0, t1) if t0 <= t1 else (0.0, 1.0)


@kernel
def _cross_segments(work):
    """The part [t0, t1] of segment POLYGON_A that meets segment POLYGON_B: a point, or what parallel ones share."""
    a, b = POLYGON_A, POLYGON_B
    ux, uy, uz = work[a + 3] - work[a], work[a + 4] - work[a + 1], work[a + 5] - work[a + 2]
    wx, wy, wz = work[b + 3] - work[b], work[b + 4] - work[b + 1], work[b + 5] - work[b + 2]
    uu = ux * ux + uy * uy + uz * uz
    ww = wx * wx + wy * wy + wz * wz
    begin = _shape_along(work, b, b + 3, a)
    end = _shape_along(work, b, b + 3, a + 3)
    if abs(begin - end) > _PARALLEL * sqrt(uu * ww):
        t = min(max(begin / (begin - end), 0.0), 1.0)
        return t, t
    if uu == 0.0:
        return 0.0, 0.0
    lo = ((work[b] - work[a]) * ux + (work[b + 1] - work[a + 1]) * uy + (work[b + 2] - work[a + 2]) * uz) / uu
    hi = lo + (wx * ux + wy * uy + wz * uz) / uu
    if lo > hi:
        lo, hi = hi, lo
    return min(max(lo, 0.0), 1.0), min(max(hi, 0.0), 1.0)


@kernel
def _clip_polygon(work, n_subject, n_clip):
    """Clip POLYGON_A by POLYGON_B (Sutherland and Hodgman), both with at least 3 corners; returns the corners left."""
    turn = _shape_along(work, POLYGON_B, POLYGON_B + 3, POLYGON_B + 6)
    count = n_subject
    for k in range(n_clip):
        p = POLYGON_B + 3 * k
        q = POLYGON_B + 3 * ((k + 1) % n_clip)
        kept = 0
        for m in range(count):
            here = POLYGON_A + 3 * m
            ahead = POLYGON_A + 3 * ((m + 1) % count)
            g = _shape_along(work, p, q, here)
            g_ahead = _shape_along(work, p, q, ahead)
            if turn < 0.0:
                g, g_ahead = -g, -g_ahead
            if g >= 0.0 and kept < 8:
                _copy_into(work, here, POLYGON_C + 3 * kept)
                kept += 1
            if (g < 0.0 < g_ahead or g_ahead < 0.0 < g) and kept < 8:
                t = g / (g - g_ahead)
                for d in range(3):
                    work[POLYGON_C + 3 * kept + d] = work[here + d] + t * (work[ahead + d] - work[here + d])
                kept += 1
        if kept == 0:
            return 0
        count = kept
        for m in range(3 * count):
            work[POLYGON_A + m] = work[POLYGON_C + m]
    return count


@kernel
def _centroid_into(work, count):
    """Set POINT to the centre of area of POLYGON_A, or to the mean of its corners where that has no area."""
    for d in range(3):
        work[POINT + d] = 0.0
    total = 0.0
    for k in range(1, count - 1):
        p, q, r = POLYGON_A, POLYGON_A + 3 * k, POLYGON_A + 3 * k + 3
        area = _shape_along(work, p, q, r)
        total += area
        for d in range(3):
            work[POINT + d] += area * (work[p + d] + work[q + d] + work[r + d]) / 3.0
    for d in range(3):
        mean = 0.0
        for k in range(count):
            mean += work[POLYGON_A + 3 * k + d] / count
        work[POINT + d] = work[POINT + d] / total if abs(total) > 1e-200 else mean


@kernel
def witness_into(work, n_a, n_b):
    """Set POINT to the middle of the contact of POLYGON_A and POLYGON_B, which face each other along NORMAL.

    Both polygons are overwritten. The point lies halfway between their planes, should they overlap.
    """
    level = 0.5 * (_dot_normal(work, POLYGON_A) + _dot_normal(work, POLYGON_B))
    if n_a > n_b:
        for m in range(24):
            work[POLYGON_A + m], work[POLYGON_B + m] = work[POLYGON_B + m], work[POLYGON_A + m]
        n_a, n_b = n_b, n_a
    if n_a >= 3:
        left = _clip_polygon(work, n_a, n_b)
        # Nothing left is rounding: the first polygon is then a sliver beside the other.
        _centroid_into(work, left if left > 0 else 1)
    elif n_a == 2:
        t0, t1 = _cross_segments(work) if n_b == 2 else _clip_segment(work, n_b)
        t = 0.5 * (t0 + t1)
        for d in range(3):
            work[POINT + d] = work[POLYGON_A + d] + t * (work[POLYGON_A + 3 + d] - work[POLYGON_A + d])
    else:
        _copy_into(work, POLYGON_A, POINT)
    shift = level - _dot_normal(work, POINT)
    for d in range(3):
        work[POINT + d] += shift * work[NORMAL + d]
