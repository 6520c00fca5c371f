"""Contact point of two convex features: the centre of the overlap of their supporting polygons in the contact plane."""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel, kernel
from carom.narrow.toi.workspace import N_CORNERS, NORMAL, POINT, POLYGON_A, POLYGON_B, POLYGON_C, TOUCH, TRI_A
from carom.tolerances import EPSILON, FLAT_TRIANGLE, PARALLEL_EDGES

_CORNERS = 8
"""Most corners of a polygon: two quadrilaterals share an octagon at most."""


@inner_kernel
def _level(work, at):
    """The vector at `at` along the contact normal."""
    return work[at] * work[NORMAL] + work[at + 1] * work[NORMAL + 1] + work[at + 2] * work[NORMAL + 2]


@kernel
def _turn(work, p, q, r):
    """Normal . ((q - p) x (r - p)): twice the signed area of the triangle p q r in the contact plane."""
    ux, uy, uz = work[q] - work[p], work[q + 1] - work[p + 1], work[q + 2] - work[p + 2]
    vx, vy, vz = work[r] - work[p], work[r + 1] - work[p + 1], work[r + 2] - work[p + 2]
    return (
        work[NORMAL] * (uy * vz - uz * vy)
        + work[NORMAL + 1] * (uz * vx - ux * vz)
        + work[NORMAL + 2] * (ux * vy - uy * vx)
    )


@inner_kernel
def _distinct(work, at, count):
    """Corners left of the polygon at `at`, of `count` up to 3, without those that add no extent to it.

    Three corners in a line are the segment between the outermost two, coincident ones a point: clipping takes a side of the
    polygon by the sign of an area, which in these cases is rounding.
    """
    if count == 3:
        longest, first, far = 0.0, 0, 0.0
        for k in range(3):
            square = 0.0
            for d in range(3):
                p, q = work[at + 3 * k + d], work[at + 3 * ((k + 1) % 3) + d]
                square += (q - p) ** 2
                far = max(far, abs(p))
            if square > longest:
                longest, first = square, k
        least = FLAT_TRIANGLE * longest + 8.0 * EPSILON * far * sqrt(longest)
        if abs(_turn(work, at, at + 3, at + 6)) > least:
            return 3
        # The ends of the longest side, in the first two places.
        second = (first + 1) % 3
        for d in range(3):
            begin, end = work[at + 3 * first + d], work[at + 3 * second + d]
            work[at + d], work[at + 3 + d] = begin, end
        count = 2
    if count == 2:
        same = True
        for d in range(3):
            same = same and work[at + d] == work[at + 3 + d]
        if same:
            return 1
    return count


@inner_kernel
def supports_into(work):
    """Fill POLYGON_A and POLYGON_B with those corners of TRI_A and TRI_B, ahead of it along NORMAL, that face the other.

    Those within TOUCH of the one that is farthest that way.
    """
    for which in range(2):
        sign = 1.0 - 2.0 * which
        source, target = TRI_A + 9 * which, POLYGON_A + 3 * _CORNERS * which
        far = -inf
        for k in range(3):
            far = max(far, sign * _level(work, source + 3 * k))
        count = 0
        for k in range(3):
            if sign * _level(work, source + 3 * k) >= far - work[TOUCH]:
                for d in range(3):
                    work[target + 3 * count + d] = work[source + 3 * k + d]
                count += 1
        work[N_CORNERS + which] = _distinct(work, target, count)


@inner_kernel
def _shared_segment(work, n_clip):
    """The part [t0, t1] of segment POLYGON_A inside POLYGON_B, a segment or a polygon of n_clip corners."""
    a, b = POLYGON_A, POLYGON_B
    t0, t1 = 0.0, 1.0
    for k in range(n_clip if n_clip > 2 else 1):
        p, q, r = b + 3 * k, b + 3 * ((k + 1) % n_clip), b + 3 * ((k + 2) % n_clip)
        begin, end = 0.0, 0.0
        for m in range(2):
            begin, end = end, _turn(work, p, q, a + 3 * m)
        if n_clip > 2:
            if _turn(work, p, q, r) < 0.0:
                begin, end = -begin, -end
            if begin < 0.0 < end:
                t0 = max(t0, begin / (begin - end))
            elif end < 0.0 < begin:
                t1 = min(t1, begin / (begin - end))
            continue
        uu = uw = ww = ub = 0.0
        for d in range(3):
            u, w = work[a + 3 + d] - work[a + d], work[b + 3 + d] - work[b + d]
            uu, uw, ww, ub = uu + u * u, uw + u * w, ww + w * w, ub + u * (work[b + d] - work[a + d])
        if abs(begin - end) > PARALLEL_EDGES * sqrt(uu * ww):
            t0 = t1 = begin / (begin - end)
        elif uu > 0.0:
            t0, t1 = min(ub, ub + uw) / uu, max(ub, ub + uw) / uu
    return min(max(t0, 0.0), 1.0), min(max(t1, 0.0), 1.0)


@inner_kernel
def _clip_polygon(work, n_subject, n_clip):
    """Clip POLYGON_A by POLYGON_B (Sutherland and Hodgman), both of 3 corners or more; returns the corners left."""
    count = n_subject
    for k in range(n_clip):
        p = POLYGON_B + 3 * k
        q, r = POLYGON_B + 3 * ((k + 1) % n_clip), POLYGON_B + 3 * ((k + 2) % n_clip)
        sign = 1.0 if _turn(work, p, q, r) >= 0.0 else -1.0
        kept = 0
        for m in range(count):
            here, ahead = POLYGON_A + 3 * m, POLYGON_A + 3 * ((m + 1) % count)
            g, g_ahead = sign * _turn(work, p, q, here), sign * _turn(work, p, q, ahead)
            crosses = g < 0.0 < g_ahead or g_ahead < 0.0 < g
            for corner in range(2):
                if kept == _CORNERS or (corner == 0 and g < 0.0) or (corner == 1 and not crosses):
                    continue
                t = g / (g - g_ahead) if corner == 1 else 0.0
                for d in range(3):
                    work[POLYGON_C + 3 * kept + d] = work[here + d] + t * (work[ahead + d] - work[here + d])
                kept += 1
        if kept == 0:
            break  # rounding: the first is a sliver beside the other, and its corners as good a witness as any
        count = kept
        for m in range(3 * count):
            work[POLYGON_A + m] = work[POLYGON_C + m]
    return count


@inner_kernel
def shared_into(work):
    """Make POLYGON_A what POLYGON_A and POLYGON_B, which face each other along NORMAL, share; overwrites both.

    Returns the number of its corners, and the level along NORMAL halfway between the planes of the two, should they overlap.
    """
    n_a, n_b = int(work[N_CORNERS]), int(work[N_CORNERS + 1])
    level = 0.0
    for m in range(2):
        level += 0.5 * _level(work, POLYGON_A + 3 * _CORNERS * m)
    if n_a > n_b:
        for m in range(3 * _CORNERS):
            work[POLYGON_A + m], work[POLYGON_B + m] = work[POLYGON_B + m], work[POLYGON_A + m]
        n_a, n_b = n_b, n_a
    if n_a >= 3:
        n_a = _clip_polygon(work, n_a, n_b)
    elif n_a == 2:
        t0, t1 = _shared_segment(work, n_b)
        for d in range(3):
            begin, step = work[POLYGON_A + d], work[POLYGON_A + 3 + d] - work[POLYGON_A + d]
            work[POLYGON_A + d], work[POLYGON_A + 3 + d] = begin + t0 * step, begin + t1 * step
    return n_a, level


@inner_kernel
def middle_into(work, count, level):
    """Set POINT to the middle of the first `count` corners of POLYGON_A, moved along NORMAL to `level`."""
    for d in range(3):
        work[POINT + d] = 0.0
        for k in range(count):
            work[POINT + d] += work[POLYGON_A + 3 * k + d] / count
    shift = level - (
        work[POINT] * work[NORMAL] + work[POINT + 1] * work[NORMAL + 1] + work[POINT + 2] * work[NORMAL + 2]
    )
    for d in range(3):
        work[POINT + d] += shift * work[NORMAL + d]


@inner_kernel
def witness_into(work):
    """Set POINT to the middle of the contact of POLYGON_A and POLYGON_B; both are overwritten. See shared_into."""
    count, level = shared_into(work)
    middle_into(work, count, level)
