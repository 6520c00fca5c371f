"""Feature pairs of two triangles: three vertices of each against the other face, three edges against three edges.

First contact of two closed triangles that are apart is always one of these fifteen. Codes 0 to 2: vertex k of a against b;
3 to 5: vertex k of b against a; 6 + 3 k + l: edge k of a (from its vertex k to the next) against edge l of b.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FEATURES = 15
FIRST_EDGE = 6
"""Codes from here on are pairs of edges."""

PLACES = np.array(
    [[k, 3, 4, 5] for k in range(3)]
    + [[3 + k, 0, 1, 2] for k in range(3)]
    + [[k, (k + 1) % 3, 3 + l, 3 + (l + 1) % 3] for k in range(3) for l in range(3)],
    dtype=np.int64,
)
"""(15, 4): the four points of a feature among the six corners, those of a first: vertex, face | edge, edge."""


def feature_points(
    faces: NDArray[np.int32],
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    pairs: NDArray[np.int32],
    codes: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """(points (n, 8, 3), are they edges (n,)): four points at the start and four at the end of the interval."""
    corners = faces[pairs].reshape(-1, 6)
    rows = corners[np.arange(len(pairs))[:, None], PLACES[codes]]
    return np.concatenate([start[rows, :3], end[rows, :3]], axis=1), codes >= FIRST_EDGE
