"""Depth of points inside a surface: the distance to the surface, negative outside."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, inline_kernel, lean_kernel
from carom._compile.threads import Workers
from carom.bounds.volumes.nearest_point import nearest_of_three
from carom.shapes.shape import SurfaceShape
from carom.trees.obb.node import NODE_RADIUS
from carom.trees.obb.tree import ObbTree, tree_of
from carom.trees.winding.far import wound_round
from carom.trees.winding.winding_number import is_closed, winding_numbers

Floats = NDArray[np.float64]

_DEPTH = 128
"""Rows of the stack: a tree that halves is at most 64 deep, and a step adds one."""
_FEWEST = 256
"""Points from which on threads share the work."""


@dataclass(frozen=True, eq=False)
class Surface:
    """A triangulated surface and whether it is closed, so that it has an inside."""

    tree: ObbTree
    closed: bool

    @staticmethod
    def of(shape: SurfaceShape) -> Surface:
        """The surface of a shape."""
        return Surface(tree_of(shape), is_closed(np.asarray(shape.vertices), np.asarray(shape.faces)))

    def nearest(self, points: Floats) -> tuple[Floats, Floats]:
        """Distance (n,) of points (n, 3) from the surface, and the nearest points (n, 3) on it."""
        distance, nearest = np.empty(len(points)), np.empty((len(points), 3))
        clean = np.ascontiguousarray(points)
        tree = self.tree
        with compiling("the nearest point of a surface"), Workers(len(points), None, _FEWEST) as workers:
            cuts = workers.cuts(len(points), 4)

            def part(k: int) -> None:
                stack, keys = np.empty(_DEPTH, np.int64), np.empty(_DEPTH)
                _nearest_into(tree.nodes, tree.links, tree.tris, clean, *cuts[k], stack, keys, distance, nearest)

            workers.run(part, len(cuts))
        return distance, nearest

    def inside(self, points: Floats, *, surely: bool = False) -> NDArray[np.bool_]:
        """Which of the points (n, 3) lie inside; none where the surface is open.

        surely: by all triangles, for what a proof rests on; else with those far away taken together, which is much faster.
        """
        if not self.closed:
            return np.zeros(len(points), np.bool_)
        clean = np.ascontiguousarray(points)
        return np.abs(winding_numbers(self.tree.tris, clean)) > 0.5 if surely else wound_round(self.tree, clean)

    def depth(self, points: Floats, *, surely: bool = False) -> Floats:
        """Distance (n,) from the surface, negative where a point (n, 3) is outside: everywhere, if the surface is open."""
        distance, _ = self.nearest(points)
        return np.where(self.inside(points, surely=surely), distance, -distance)


@inline_kernel
def _above(nodes, node, x, y, z):
    """No triangle of a node is nearer to the point than this; below 0 where the point is in its sphere."""
    dx, dy, dz = nodes[node, 0] - x, nodes[node, 1] - y, nodes[node, 2] - z
    return sqrt(dx * dx + dy * dy + dz * dz) - nodes[node, NODE_RADIUS]


@lean_kernel
def _nearest_into(nodes, links, tris, points, first, last, stack, keys, distance, nearest):
    """Depth first, the nearer child first, for points first .. last - 1. Every step leaves a node, so that it ends."""
    for k in range(first, last):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        best, best_square = inf, inf
        stack[0], keys[0] = 0, -inf
        size = 1
        while size > 0:
            size -= 1
            if keys[size] >= best:
                continue
            node = stack[size]
            if links[node] < 0:
                t = tris[-1 - links[node]]
                a = (t[0] - x, t[1] - y, t[2] - z)
                b = (t[3] - x, t[4] - y, t[5] - z)
                c = (t[6] - x, t[7] - y, t[8] - z)
                at, _, _, _, _ = nearest_of_three(a, b, c)
                square = at[0] * at[0] + at[1] * at[1] + at[2] * at[2]
                if square < best_square:
                    best, best_square = sqrt(square), square
                    nearest[k, 0], nearest[k, 1], nearest[k, 2] = at[0] + x, at[1] + y, at[2] + z
                continue
            left, right = node + 1, np.int64(links[node])
            near, far = _above(nodes, left, x, y, z), _above(nodes, right, x, y, z)
            if near > far:
                near, far = far, near
                left, right = right, left
            stack[size], keys[size] = right, far
            stack[size + 1], keys[size + 1] = left, near
            size += 2
        distance[k] = best
