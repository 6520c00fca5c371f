"""Triangles of strips: each corner after the second forms one with the two before it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BREAK = -1
"""Separator of strips in a list."""


def strip_triangles(strip: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return triangles (n, 3) of corners (k,), with the orientation of the first of their strip.

    Degenerate ones, which connect strips, are dropped.
    """
    ends = np.flatnonzero(strip == BREAK)
    position = np.arange(len(strip)) - np.concatenate([[0], ends + 1])[np.searchsorted(ends, np.arange(len(strip)))]
    first = np.arange(max(len(strip) - 2, 0))
    odd = position[first] % 2
    triangles = np.stack([strip[first + odd], strip[first + 1 - odd], strip[first + 2]], axis=1)
    a, b, c = triangles.T
    whole = (triangles != BREAK).all(axis=1) & (a != b) & (b != c) & (c != a)
    return triangles[whole]
