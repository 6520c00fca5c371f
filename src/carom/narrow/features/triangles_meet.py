"""Whether two closed triangles at rest intersect: exact, including touching and degenerate triangles.

They do if and only if an edge of one meets the other. That is plain to see where the edge crosses the other's plane, and its
line passes inside all three sides, by more than rounding can do. Else a vertex is sent along the edge: it meets the triangle,
at rest, if and only if the edge does, which `feature_times` knows without tolerance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, lean_kernel
from carom.narrow.features.decide import feature_times
from carom.narrow.features.rounding import UNIT

Floats = NDArray[np.float64]

VOLUME = 96.0 * UNIT
"""Times the cube of the size, the largest difference of two coordinates. A difference of two is off by 3 units of the size
where both came rounded, a product of three by 9; with 5 more for products and sums that is 14 units for each of six terms."""


@inline_kernel
def _volume(a, i, b, j, c, k, d, m):
    """Six times the signed volume of four corners, each the first of three coordinates in its array, relative to the first."""
    ux, uy, uz = b[j] - a[i], b[j + 1] - a[i + 1], b[j + 2] - a[i + 2]
    vx, vy, vz = c[k] - a[i], c[k + 1] - a[i + 1], c[k + 2] - a[i + 2]
    wx, wy, wz = d[m] - a[i], d[m + 1] - a[i + 1], d[m + 2] - a[i + 2]
    return ux * (vy * wz - vz * wy) + uy * (vz * wx - vx * wz) + uz * (vx * wy - vy * wx)


@inline_kernel
def _pierces(a, b, least):
    """Does an edge of triangle a surely go through triangle b? Volumes of at most `least` are not sure."""
    heights = (_volume(b, 0, b, 3, b, 6, a, 0), _volume(b, 0, b, 3, b, 6, a, 3), _volume(b, 0, b, 3, b, 6, a, 6))
    for k in range(3):
        here, there = heights[k], heights[(k + 1) % 3]
        if not ((here > least and there < -least) or (here < -least and there > least)):
            continue
        i, j = 3 * k, 3 * ((k + 1) % 3)
        one, two, three = (
            _volume(a, i, a, j, b, 0, b, 3),
            _volume(a, i, a, j, b, 3, b, 6),
            _volume(a, i, a, j, b, 6, b, 0),
        )
        if (one > least and two > least and three > least) or (one < -least and two < -least and three < -least):
            return True
    return False


@lean_kernel
def surely_meet(a, b, volume):
    """Is it plain to see that triangles a and b, (9,) each, meet? Coordinates may have come rounded, by a unit of their size,
    which is 0 or between 1e-100 and 1e100. volume: VOLUME, the bound on their error."""
    size = 0.0
    for d in range(3):
        low, high = a[d], a[d]
        for k in range(d, 9, 3):
            low, high = min(low, min(a[k], b[k])), max(high, max(a[k], b[k]))
        size = max(size, high - low)
    least = volume * size * size * size
    return _pierces(a, b, least) or _pierces(b, a, least)


def triangles_meet(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Do triangles a and b, (n, 3, 3) each, meet? Decided exactly."""
    meet = np.zeros(len(a), bool)
    for edge in range(6):
        rows = np.flatnonzero(~meet)
        moving, resting = (a[rows], b[rows]) if edge < 3 else (b[rows], a[rows])
        start = np.concatenate([moving[:, edge % 3, None], resting], axis=1)
        end = np.concatenate([moving[:, (edge + 1) % 3, None], resting], axis=1)
        meet[rows] = np.isfinite(feature_times(start, end, np.zeros(len(rows), bool), tight=False, threads=1))
    return meet
