"""The part of many triangles near a point: small ones whole, large ones clipped to a cube."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def around(triangles: Array, point: Array, within: float) -> tuple[Array, NDArray[np.int64]]:
    """Return (pieces (k, 3, 3), rows (k,)): triangles (m, 3, 3) in a cube of half side `within`, and their rows.

    Triangles are clipped to the cube, so that a camera in it never has a corner behind it.
    """
    low, high = point - within, point + within
    meets = ((triangles.min(axis=1) < high) & (triangles.max(axis=1) > low)).all(axis=1)
    whole = meets & ((triangles >= low) & (triangles <= high)).all(axis=(1, 2))
    pieces, rows = [triangles[whole]], [np.flatnonzero(whole)]
    for row in np.flatnonzero(meets & ~whole).tolist():
        corners = list(triangles[row])
        for axis in range(3):
            corners = _cut(corners, axis, low[axis], 1.0)
            corners = _cut(corners, axis, high[axis], -1.0)
        if len(corners) > 2:
            fan = np.array([(corners[0], one, other) for one, other in pairwise(corners[1:])])
            pieces.append(fan)
            rows.append(np.full(len(fan), row))
    return np.concatenate(pieces), np.concatenate(rows)


def _cut(corners: list[Array], axis: int, side: float, sign: float) -> list[Array]:
    """Return the part of a convex polygon where sign (x[axis] - side) >= 0."""
    kept = []
    for k, corner in enumerate(corners):
        before = corners[k - 1]
        here, there = sign * (corner[axis] - side), sign * (before[axis] - side)
        if (here < 0.0) != (there < 0.0):
            kept.append(before + (there / (there - here)) * (corner - before))
        if here >= 0.0:
            kept.append(corner)
    return kept
