"""Triangles of strips: each corner after the second makes one with the two before it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BREAK = -1
"""What stands between two strips in one list."""


def strip_triangles(strip: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles (n, 3) of corners (k,), all turning as the first of their strip does.

    Those with a corner twice are left out: strips are joined by them.
    """
    ends = np.flatnonzero(strip == BREAK)
    position = np.arange(len(strip)) - np.concatenate([[0], ends + 1])[np.searchsorted(ends, np.arange(len(strip)))]
    first = np.arange(max(len(strip) - 2, 0))
    odd = position[first] % 2
    triangles = np.stack([strip[first + odd], strip[first + 1 - odd], strip[first + 2]], axis=1)
    a, b, c = triangles.T
    whole = (triangles != BREAK).all(axis=1) & (a != b) & (b != c) & (c != a)
    return triangles[whole]
