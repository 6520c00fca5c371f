"""Distance of two rectangles, as a lower bound that includes rounding (Larsen's slides: the rectangle test of PQP).

Either the nearest points are on two edges, which the search below finds in the manner of Lin and Canny: each point must lie
beyond the other's edge. Or one is inside a rectangle, and the distance is the gap along a normal. The gap of two convex sets
along any direction is at most their distance; so what is returned is the gap along the line between the nearest points, not
the length of that line, and an error in the points can only lower it.
"""

from __future__ import annotations

from math import sqrt

from carom._compile.jit import inner_kernel
from carom.tolerances import EPSILON

_SURE = 1.0 - 1e-12
"""Gap over length of the line: the points are the nearest ones."""

_DOUBT = 1e-12
"""Cosine. A line this little on the wrong side of an edge is tried all the same: its gap is a bound in any case."""


@inner_kernel
def rectangle_gap(length_a, width_a, length_b, width_b, centre, along, across):
    """Signed lower bound of the distance of two rectangles; exact to rounding where they are apart.

    Rectangle a is |x| <= length_a, |y| <= width_a, z = 0; b is centre + u along + v across with |u| <= length_b and
    |v| <= width_b. centre, along, across: tuples of 3; half lengths >= 0, so that lines and points are rectangles too.
    """
    normal = (
        along[1] * across[2] - along[2] * across[1],
        along[2] * across[0] - along[0] * across[2],
        along[0] * across[1] - along[1] * across[0],
    )
    best = max(
        abs(centre[2]) - abs(along[2]) * length_b - abs(across[2]) * width_b,
        abs(_dot(normal, centre)) - abs(normal[0]) * length_a - abs(normal[1]) * width_a,
    )
    for i in range(4):
        # Edge of a at x = +-length (i 0, 1) or y = +-width (i 2, 3); skipped unless b reaches beyond its line.
        on_x = i < 2
        side = 1.0 if i % 2 == 0 else -1.0
        c, u, v = (centre[0], along[0], across[0]) if on_x else (centre[1], along[1], across[1])
        if side * c + abs(u) * length_b + abs(v) * width_b <= (length_a if on_x else width_a):
            continue
        start = (side * length_a, 0.0, 0.0) if on_x else (0.0, side * width_a, 0.0)
        way = (0.0, 1.0, 0.0) if on_x else (1.0, 0.0, 0.0)
        half = width_a if on_x else length_a
        for j in range(4):
            on_along = j < 2
            turn = 1.0 if j % 2 == 0 else -1.0
            out = along if on_along else across
            reach = abs(out[0]) * length_a + abs(out[1]) * width_a - turn * _dot(out, centre)
            if reach <= (length_b if on_along else width_b):
                continue
            offset = turn * (length_b if on_along else width_b)
            other = (
                centre[0] + offset * out[0] - start[0],
                centre[1] + offset * out[1] - start[1],
                centre[2] + offset * out[2] - start[2],
            )
            line = _between_edges(way, half, across if on_along else along, width_b if on_along else length_b, other)
            size = sqrt(_dot(line, line))
            # Both ends must lie beyond the other's edge, or the nearest points are elsewhere.
            away = side * (line[0] if on_x else line[1])
            if size > 0.0 and away >= -_DOUBT * size and turn * _dot(line, out) <= _DOUBT * size:
                gap = _gap_along(line, size, length_a, width_a, length_b, width_b, centre, along, across)
                best = max(best, gap)
                if gap >= _SURE * size:
                    return best
    return best


@inner_kernel
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner_kernel
def _gap_along(line, size, length_a, width_a, length_b, width_b, centre, along, across):
    """Gap of the rectangles along `line`, whose length is `size`."""
    reach = abs(line[0]) * length_a + abs(line[1]) * width_a
    reach += abs(_dot(line, along)) * length_b + abs(_dot(line, across)) * width_b
    return (_dot(line, centre) - reach) / size


@inner_kernel
def _between_edges(way, half, other_way, other_half, offset):
    """Shortest line from edge s way, |s| <= half, to offset + t other_way, |t| <= other_half; unit directions.

    The parameter of one line, clamped, gives that of the other, and that the first again: enough for the least distance.
    """
    cosine = _dot(way, other_way)
    first, second = _dot(way, offset), _dot(other_way, offset)
    sine2 = 1.0 - cosine * cosine
    s = _clamped((first - cosine * second) / sine2, half) if sine2 > EPSILON else 0.0
    t = _clamped(s * cosine - second, other_half)
    s = _clamped(first + t * cosine, half)
    return (
        offset[0] + t * other_way[0] - s * way[0],
        offset[1] + t * other_way[1] - s * way[1],
        offset[2] + t * other_way[2] - s * way[2],
    )


@inner_kernel
def _clamped(value, half):
    return min(max(value, -half), half)
