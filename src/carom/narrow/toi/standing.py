"""The contact point of a mesh that stands on a half-space: a point of the mesh.

The middle of the corners that touch is one if they bound an edge or a face. If they are separate corners, such as the feet of
a table, it may lie off the surface: then the corner nearest to the middle is the contact, the first of several.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel, kernel
from carom.narrow.toi.shape_table import H_HULL, H_LINKS, H_N_HULL, H_N_PLANES, H_NODES, H_TRIS, HEADER, HULL_ROW
from carom.narrow.toi.straight.sphere_triangle import nearest_on_triangle
from carom.narrow.toi.workspace import FEATURE_A, POINT, STACK, STACK_ROW, TOUCH, push
from carom.trees.obb.node import NODE_COLUMNS, NODE_HALF, node_axis

TIED = 1.0 - 1e-9
"""Share of the square of a distance. Corners nearer by less than this are as near, and the first counts."""


@inner_kernel
def _near_box(floats, node, x, y, z, within):
    """Is the point as near as `within` to the box at `node` along each of its axes?"""
    x, y, z = x - floats[node], y - floats[node + 1], z - floats[node + 2]
    for k in range(3):
        ax, ay, az = node_axis(floats, node, k)
        if abs(ax * x + ay * y + az * z) > floats[node + NODE_HALF + k] + within:
            return False
    return True


@kernel
def on_surface(floats, ints, shape, x, y, z, work):
    """Does the point (x, y, z), the shape's axes, lie on its triangles, to twice TOUCH? Overwrites STACK."""
    head = HEADER * shape
    nodes, links, tris = ints[head + H_NODES], ints[head + H_LINKS], ints[head + H_TRIS]
    within = 2.0 * work[TOUCH]
    size = push(work, 0, 0.0, 0.0, 0.0)
    while size > 0:
        size -= 1
        node = int(work[STACK + STACK_ROW * size])
        if not _near_box(floats, nodes + NODE_COLUMNS * node, x, y, z, within):
            continue
        link = int(floats[links + node])
        if link < 0:
            px, py, pz, _ = nearest_on_triangle(floats, tris + 9 * (-1 - link), x, y, z)
            if (px - x) ** 2 + (py - y) ** 2 + (pz - z) ** 2 <= within * within:
                return True
            continue
        size = push(work, size, float(node + 1), 0.0, 0.0)
        size = push(work, size, float(link), 0.0, 0.0)
    return False


@inner_kernel
def stand_on_corner(floats, ints, shape, x, y, z, low, work):
    """Move POINT to the nearest of the hull vertices within TOUCH of `low` along (x, y, z) where it lies off a mesh.

    POINT is their mean; all is in the shape's axes. Sets FEATURE_A to a face of that vertex.
    """
    px, py, pz = work[POINT], work[POINT + 1], work[POINT + 2]
    if ints[HEADER * shape + H_N_PLANES] > 0 or on_surface(floats, ints, shape, px, py, pz, work):
        return
    nearest = inf
    for k in range(ints[HEADER * shape + H_N_HULL]):
        p = ints[HEADER * shape + H_HULL] + HULL_ROW * k
        if floats[p] * x + floats[p + 1] * y + floats[p + 2] * z > low + work[TOUCH]:
            continue
        square = (floats[p] - px) ** 2 + (floats[p + 1] - py) ** 2 + (floats[p + 2] - pz) ** 2
        if square < TIED * nearest:
            nearest = square
            work[FEATURE_A] = floats[p + 3]
            for d in range(3):
                work[POINT + d] = floats[p + d]
