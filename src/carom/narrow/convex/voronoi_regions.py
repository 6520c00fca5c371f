"""External Voronoi regions of a convex polyhedron: which points are nearest to which vertex, edge or side (Larsen, Lin-Canny).

Features are numbered vertices first, then edges, then sides. The region of
  a vertex is where (x - vertex) . along <= 0 for each edge that leaves it along that direction;
  an edge is between its ends along it, and where (x - end) . into <= 0 for the direction into each of its two sides;
  a side is above its plane, and where (x - end) . into >= 0 for each of its edges.
Beyond a plane of a region lies the region of the feature that the plane belongs to.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom.shapes.parts.core_layout import FEATURES
from carom.shapes.parts.cores import SIDE_ROW, hull_core
from carom.shapes.parts.polyhedron import Polyhedron

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Places in the table of a polyhedron
N_VERTICES = 0
N_EDGES = 1
N_SIDES = 2
REGION_SIDES = 3
"""Where the rows of sides start in the core."""
REGION_EDGES = 4
"""Where the rows of edges start in the core."""
ENDS = 5
"""Where the ends of edges start in the table, four numbers each: first and second vertex, left and right side."""
AROUND_VERTEX = 6
"""Where, for each vertex and one more, the place of its list of edges stands in the table."""
AROUND_SIDE = 7
"""The same for each side."""
_HEADER = 8


class Regions(NamedTuple):
    """A polyhedron for kernels: `core` as `hull_core` makes it, with neighbours, and `table`, int64, how features join."""

    core: Floats
    table: Ints

    def first_vertex(self) -> int:
        """A vertex that has edges."""
        return int(self.table[self.table[ENDS]])


def regions(solid: Polyhedron) -> Regions:
    """The regions of `solid`."""
    core = hull_core(solid, climb_from=0)
    n, e, s = len(solid.vertices), len(solid.edges), len(solid.normals)
    sides = int(core[FEATURES]) + 2
    around_vertex = _HEADER + 4 * e
    around_side = around_vertex + n + 1 + 2 * e
    ends = np.column_stack([solid.edges, solid.edge_sides]).ravel()
    parts: list[ArrayLike] = [
        [n, e, s, sides, sides + SIDE_ROW * s, _HEADER, around_vertex, around_side],
        ends,
        _lists(solid.edges, n, around_vertex),
        _lists(solid.edge_sides, s, around_side),
    ]
    return Regions(core, np.concatenate([np.asarray(part, dtype=np.int64) for part in parts]))


def _lists(owners: Ints, n: int, place: int) -> Ints:
    """Lists of the rows of `owners` (e, 2) that belong to each of n owners, to stand at `place`: n + 1 places, then rows."""
    owner = owners.T.ravel()
    row = np.tile(np.arange(len(owners)), 2)
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(n + 1)) + place + n + 1
    return np.concatenate([starts, row[order]])
