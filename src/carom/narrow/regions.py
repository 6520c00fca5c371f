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
from numpy.typing import NDArray

from carom.narrow.cores import hull_core
from carom.narrow.polyhedron import Polyhedron

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Regions(NamedTuple):
    """Tables of a polyhedron for kernels.

    core: with the vertices and a neighbour table. vertices (n, 3); sides (s, 4): outward unit normal, offset.
    edges (e, 10): unit direction from the first to the second vertex 3, unit vectors into the left and the right side
    3 + 3, length 1. ends (e, 4): first and second vertex, left and right side.
    around_vertex (n + 1,) and vertex_edges: where the list of each vertex starts, and the edges that meet there;
    around_side (s + 1,) and side_edges likewise.
    """

    core: Floats
    vertices: Floats
    sides: Floats
    edges: Floats
    ends: Ints
    around_vertex: Ints
    vertex_edges: Ints
    around_side: Ints
    side_edges: Ints


def regions(solid: Polyhedron) -> Regions:
    """The tables of `solid`."""
    steps = solid.vertices[solid.edges[:, 1]] - solid.vertices[solid.edges[:, 0]]
    lengths = np.sqrt((steps**2).sum(axis=1))
    along = steps / lengths[:, None]
    left = np.cross(solid.normals[solid.edge_sides[:, 0]], along)
    right = -np.cross(solid.normals[solid.edge_sides[:, 1]], along)
    around_vertex, vertex_edges = _lists(solid.edges, len(solid.vertices))
    around_side, side_edges = _lists(solid.edge_sides, len(solid.normals))
    return Regions(
        core=hull_core(solid, climb_from=0),
        vertices=np.array(solid.vertices),
        sides=np.column_stack([solid.normals, solid.offsets]),
        edges=np.ascontiguousarray(np.column_stack([along, left, right, lengths])),
        ends=np.ascontiguousarray(np.column_stack([solid.edges, solid.edge_sides])),
        around_vertex=around_vertex,
        vertex_edges=vertex_edges,
        around_side=around_side,
        side_edges=side_edges,
    )


def _lists(owners: Ints, n: int) -> tuple[Ints, Ints]:
    """For rows that belong to two owners (e, 2) each: list starts (n + 1,) and the rows of each owner."""
    owner = owners.T.ravel()
    row = np.tile(np.arange(len(owners)), 2)
    order = np.argsort(owner, kind="stable")
    return np.searchsorted(owner[order], np.arange(n + 1)).astype(np.int64), row[order].astype(np.int64)
