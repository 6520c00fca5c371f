"""Trees of oriented boxes over triangles: top-down construction, one triangle per leaf."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, kernel
from carom.errors import AuditError
from carom.shapes.shape import SurfaceShape
from carom.trees.leaf_paths import leaf_paths
from carom.trees.obb.fit import FLAT_SPACE, box_into, hull_axes, surface_axes_into
from carom.trees.obb.halve import halve
from carom.trees.obb.node import NODE_AXES, NODE_COLUMNS, NODE_HALF, NODE_RADIUS

_HULL_SHARE = 32
_HULL_FEWEST = 64
_HULL_MOST = 20_000
"""Boxes follow the convex hull in nodes with at least 1/_HULL_SHARE of the triangles and a size in this range. Below, the
hull costs more than it saves (most tests happen near the leaves, where a patch is its own outline); above, Qhull would
take seconds."""


@dataclass(frozen=True, eq=False)
class ObbTree:
    """Depth-first tree: the left child of node i is i + 1.

    nodes (n, 13): rows as in obb_node; links (n,): right child, or -1 - k at the leaf of triangle row k; tris (m, 9) corners
    in leaf order; face (m,): row of each in the given faces. All in the frame of the shape.
    """

    nodes: NDArray[np.float64]
    links: NDArray[np.int32]
    tris: NDArray[np.float64]
    face: NDArray[np.int32]

    def check(self) -> None:
        """Raise AuditError unless every triangle is in exactly one leaf and inside the boxes and spheres above it."""
        for row, path in leaf_paths(self.links, len(self.tris), "triangle {} is in {} leaves; expected 1"):
            for holder in path:
                self._check_inside(holder, row)
        if sorted(self.face.tolist()) != list(range(len(self.face))):
            raise AuditError("the leaves do not hold every face once")

    def _check_inside(self, node: int, row: int) -> None:
        box = self.nodes[node]
        offset = self.tris[row].reshape(3, 3) - box[0:3]
        two = box[NODE_AXES:NODE_HALF].reshape(2, 3)
        axes = np.vstack([two, np.cross(two[0], two[1])])
        if (np.abs(offset @ axes.T) > box[NODE_HALF:NODE_RADIUS]).any():
            raise AuditError(f"triangle {row} sticks out of the box of node {node}")
        if (np.sqrt((offset**2).sum(axis=1)) > box[NODE_RADIUS]).any():
            raise AuditError(f"triangle {row} sticks out of the sphere of node {node}")


def build_obb_tree(vertices: NDArray[np.float64], faces: NDArray[np.int64]) -> ObbTree:
    """Tree over the triangles vertices[faces]; vertices (n, 3), faces (m, 3) with m >= 1.

    6000 triangles take about 0.05 s, a million 3 s.
    """
    n_tris = len(faces)
    tris = np.ascontiguousarray(vertices[faces].reshape(n_tris, 9))
    order = np.arange(n_tris)
    nodes = np.empty((2 * n_tris - 1, NODE_COLUMNS))
    links = np.empty(2 * n_tris - 1, dtype=np.int32)
    keys = np.empty(n_tris)
    fewest_for_hull = max(_HULL_FEWEST, n_tris // _HULL_SHARE)
    with compiling("the tree builder"):
        todo = [(0, 0, n_tris)]
        while todo:
            node, first, count = todo.pop()
            axes = None
            if fewest_for_hull <= count <= _HULL_MOST:
                axes = hull_axes(vertices[np.unique(faces[order[first : first + count]])])
            one_level = axes is not None or count > _HULL_MOST
            _build_into(
                tris,
                order,
                keys,
                node,
                first,
                count,
                np.empty((0, 3)) if axes is None else axes,
                one_level,
                nodes,
                links,
            )
            if one_level:
                half = count // 2
                todo += [(int(links[node]), first + half, count - half), (node + 1, first, half)]
    return ObbTree(nodes, links, np.ascontiguousarray(tris[order]), order.astype(np.int32))


_trees: WeakKeyDictionary[SurfaceShape, ObbTree] = WeakKeyDictionary()


def tree_of(shape: SurfaceShape) -> ObbTree:
    """The tree of a shape's triangles, built once for each shape."""
    tree = _trees.get(shape)
    if tree is None:
        tree = _trees[shape] = build_obb_tree(shape.vertices, shape.faces)
    return tree


@kernel
def _build_into(tris, order, keys, node, first, count, given_axes, one_level, nodes, links):
    """Fill `nodes` and `links` from `node` on for the triangles order[first : first + count], which it sorts into leaves.

    `given_axes` (3, 3) orient the first box; (0, 3) leaves it to the surface. `one_level` stops after that box. Halving
    the count at each node makes the depth at most 64, the stack hold one entry a level, and places known beforehand.
    """
    stack = np.empty((64, 3), dtype=np.int64)
    axes = np.empty((3, 3))
    space, flat = np.empty((9, 3)), np.empty(FLAT_SPACE)
    stack[0, 0], stack[0, 1], stack[0, 2] = node, first, count
    size = 1
    given = len(given_axes) == 3
    while size > 0:
        size -= 1
        node, first, count = stack[size, 0], stack[size, 1], stack[size, 2]
        if given:
            for d in range(9):
                axes[d // 3, d % 3] = given_axes[d // 3, d % 3]
            given = False
        else:
            surface_axes_into(tris, order, first, count, axes, space, flat)
        box_into(tris, order, first, count, axes, nodes[node], space)
        if count == 1:
            links[node] = -1 - first
            continue
        longest = 0
        for d in range(1, 3):
            if nodes[node, NODE_HALF + d] > nodes[node, NODE_HALF + longest]:
                longest = d
        halve(tris, order, keys, first, count, axes[longest, 0], axes[longest, 1], axes[longest, 2])
        half = count // 2
        links[node] = node + 2 * half
        if one_level:
            return
        stack[size, 0], stack[size, 1], stack[size, 2] = node + 2 * half, first + half, count - half
        stack[size + 1, 0], stack[size + 1, 1], stack[size + 1, 2] = node + 1, first, half
        size += 2
