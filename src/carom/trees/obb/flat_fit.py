"""The best rectangle around points in a plane, for boxes around nearly flat patches."""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel


@inner_kernel
def _sort_distinct(points, n):
    """Sort points[:n] by x, then y, and drop repeats; returns how many are left. Few points: by insertion."""
    kept = 0
    for k in range(n):
        x, y = points[k, 0], points[k, 1]
        at = kept
        while at > 0 and (points[at - 1, 0] > x or (points[at - 1, 0] == x and points[at - 1, 1] > y)):
            at -= 1
        if at > 0 and points[at - 1, 0] == x and points[at - 1, 1] == y:
            continue
        for m in range(kept, at, -1):
            points[m, 0], points[m, 1] = points[m - 1, 0], points[m - 1, 1]
        points[at, 0], points[at, 1] = x, y
        kept += 1
    return kept


@inner_kernel
def _turns_left(hull, at, x, y):
    """Does the way hull[at - 2], hull[at - 1], (x, y) turn left?"""
    ux, uy = hull[at - 1, 0] - hull[at - 2, 0], hull[at - 1, 1] - hull[at - 2, 1]
    return ux * (y - hull[at - 2, 1]) - uy * (x - hull[at - 2, 0]) > 0.0


@inner_kernel
def _hull_into(points, n, hull):
    """Corners of the convex hull of n >= 2 distinct sorted points, counter-clockwise (Andrew's chains); how many."""
    count = 0
    for k in range(n):
        while count >= 2 and not _turns_left(hull, count, points[k, 0], points[k, 1]):
            count -= 1
        hull[count, 0], hull[count, 1] = points[k, 0], points[k, 1]
        count += 1
    lower = count + 1
    for k in range(n - 2, -1, -1):
        while count >= lower and not _turns_left(hull, count, points[k, 0], points[k, 1]):
            count -= 1
        hull[count, 0], hull[count, 1] = points[k, 0], points[k, 1]
        count += 1
    return count - 1


@inner_kernel
def best_rectangle(points, n, height, hull):
    """Direction (x, y) of a side of the rectangle around points[:n] that makes the box of this height smallest.

    By surface: (x, y, half of it); x = y = 0 where all points are one. A side of it lies along a side of the convex hull, as
    widths are concave between. points (n, 2) is reordered, hull (n + 1, 2) is scratch.
    """
    n = _sort_distinct(points, n)
    best, best_x, best_y = inf, 0.0, 0.0
    if n < 2:
        return best_x, best_y, best
    count = _hull_into(points, n, hull)
    for k in range(count):
        after = k + 1 if k + 1 < count else 0
        x, y = hull[after, 0] - hull[k, 0], hull[after, 1] - hull[k, 1]
        length = sqrt(x * x + y * y)
        if not length > 0.0:
            continue
        x, y = x / length, y / length
        low, high, deep = inf, -inf, 0.0
        for m in range(count):
            px, py = hull[m, 0] - hull[k, 0], hull[m, 1] - hull[k, 1]
            along = x * px + y * py
            low, high = min(low, along), max(high, along)
            deep = max(deep, x * py - y * px)
        wide = high - low
        surface = wide * deep + height * (wide + deep)
        if surface < best:
            best, best_x, best_y = surface, x, y
    return best_x, best_y, best
