"""Vertices, edges and sides of a convex polyhedron: what a feature is, and where it lies, also at a pose.

A feature is one number: vertices first, then edges, then sides (`carom.narrow.convex.voronoi_regions` makes their table).
Poses are arrays (12,): rotation row-major 9, shift 3.
"""

from __future__ import annotations

from carom._compile.jit import inner_kernel
from carom.narrow.convex.voronoi_regions import ENDS, N_EDGES, N_VERTICES, REGION_SIDES
from carom.shapes.parts.core_layout import FIRST_POINT
from carom.shapes.parts.cores import SIDE_ROW


@inner_kernel
def dimension(table, feature):
    """0 for a vertex, 1 for an edge, 2 for a side."""
    n = table[N_VERTICES]
    return 0 if feature < n else (1 if feature < n + table[N_EDGES] else 2)


@inner_kernel
def end_of(table, row, c):
    """Of edge `row`: its first or second vertex (c 0 or 1), its left or right side (c 2 or 3)."""
    return table[table[ENDS] + 4 * row + c]


@inner_kernel
def corner(core, vertex):
    """Coordinates of a vertex."""
    p = FIRST_POINT + 3 * vertex
    return core[p], core[p + 1], core[p + 2]


@inner_kernel
def placed(pose, x, y, z):
    """(x, y, z) moved by `pose`."""
    return (
        pose[0] * x + pose[1] * y + pose[2] * z + pose[9],
        pose[3] * x + pose[4] * y + pose[5] * z + pose[10],
        pose[6] * x + pose[7] * y + pose[8] * z + pose[11],
    )


@inner_kernel
def turned(pose, x, y, z):
    """(x, y, z) turned by `pose`."""
    return (
        pose[0] * x + pose[1] * y + pose[2] * z,
        pose[3] * x + pose[4] * y + pose[5] * z,
        pose[6] * x + pose[7] * y + pose[8] * z,
    )


@inner_kernel
def placed_vertex(core, vertex, pose):
    """A vertex moved by `pose`."""
    x, y, z = corner(core, vertex)
    return placed(pose, x, y, z)


@inner_kernel
def turned_normal(core, table, side, pose):
    """The outward unit normal of a side turned by `pose`."""
    p = table[REGION_SIDES] + SIDE_ROW * side
    return turned(pose, core[p], core[p + 1], core[p + 2])


@inner_kernel
def height(core, table, side, x, y, z):
    """Height of a point over a side."""
    p = table[REGION_SIDES] + SIDE_ROW * side
    return core[p] * x + core[p + 1] * y + core[p + 2] * z - core[p + 3]
