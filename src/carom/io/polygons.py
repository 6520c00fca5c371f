"""Meshes as files hold them: vertices, and faces of three and more corners."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class PolygonMesh(NamedTuple):
    """Vertices (n, 3) and m polygons, whose corners follow one another as rows of vertices."""

    vertices: NDArray[np.float64]
    sizes: NDArray[np.int64]
    """(m,): how many corners each polygon has."""
    corners: NDArray[np.int64]
    """(sum of sizes,): those of the first polygon, then those of the second, and so on."""

    @property
    def first(self) -> NDArray[np.int64]:
        """(m,): where in `corners` each polygon begins."""
        return np.cumsum(self.sizes) - self.sizes

    def difference(self, other: PolygonMesh) -> int | None:
        """The first polygon that another mesh of as many polygons joins differently; None where all are the same."""
        sizes = np.flatnonzero(self.sizes != other.sizes)
        shared = min(len(self.corners), len(other.corners))
        corners = np.flatnonzero(self.corners[:shared] != other.corners[:shared])
        rows = [int(sizes[0])] if len(sizes) else []
        if len(corners):
            rows.append(int(np.searchsorted(self.first, corners[0], side="right")) - 1)
        return min(rows, default=None)

    def polygon(self, row: int) -> list[int]:
        """The corners of one polygon."""
        begin = int(self.first[row])
        return [int(corner) for corner in self.corners[begin : begin + self.sizes[row]]]
