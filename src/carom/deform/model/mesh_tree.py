"""A balanced binary tree over triangles: the hierarchy only; its users store the boxes.

Nodes are numbered so that a node comes before all nodes below it: walking the numbers backwards meets children before
their parents. Halving by count keeps the depths of any two leaves within one of each other, which the pairing of nodes
relies on: descending both sides of a pair at once never leaves one side far above the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, kernel
from carom.trees.obb.halve import lower_half_first

Rows = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class MeshTree:
    """left, right, parent (2m - 1,) rows of nodes, -1 for none; face (2m - 1,) the triangle of a leaf, -1 inside."""

    left: Rows
    right: Rows
    parent: Rows
    face: Rows

    def __len__(self) -> int:
        return len(self.left)

    def depths(self) -> NDArray[np.int64]:
        """Depth (2m - 1,) of every node; the root has 0."""
        depths = np.zeros(len(self), np.int64)
        _depths(self.parent, depths)
        return depths

    def leaves(self) -> NDArray[np.int64]:
        """Leaf node (m,) of every triangle."""
        nodes = np.flatnonzero(self.face >= 0)
        of_face = np.empty(len(nodes), np.int64)
        of_face[self.face[nodes]] = nodes
        return of_face


@kernel
def _depths(parent, depths):
    for node in range(1, len(parent)):
        depths[node] = depths[parent[node]] + 1


@kernel
def _build(centres, order, left, right, parent, face):
    """Halve at the median of the widest axis, leaf by leaf; the stack holds at most one waiting range a level."""
    keys = np.empty(len(order))
    ranges = np.empty((128, 4), np.int64)
    ranges[0] = (0, len(order), -1, 0)
    waiting = 1
    made = 0
    while waiting > 0:
        waiting -= 1
        first, last, above, side = ranges[waiting]
        node = made
        made += 1
        parent[node] = above
        if above >= 0:
            if side == 0:
                left[above] = node
            else:
                right[above] = node
        if last - first == 1:
            face[node] = order[first]
            continue
        axis = 0
        widest = -1.0
        for d in range(3):
            lowest = highest = centres[order[first], d]
            for k in range(first + 1, last):
                x = centres[order[k], d]
                lowest = x if x < lowest else lowest
                highest = x if x > highest else highest
            if highest - lowest > widest:
                axis = d
                widest = highest - lowest
        for k in range(first, last):
            keys[k] = centres[order[k], axis]
        lower_half_first(order, keys, first, last - first)
        middle = first + (last - first) // 2
        ranges[waiting] = (middle, last, node, 1)
        ranges[waiting + 1] = (first, middle, node, 0)
        waiting += 2


def build_tree(centres: NDArray[np.float64]) -> MeshTree:
    """The tree over triangles with these centres (m, 3), m >= 1."""
    m = len(centres)
    left, right, parent, face = (np.full(2 * m - 1, -1, np.int32) for _ in range(4))
    with compiling("mesh trees"):
        _build(np.ascontiguousarray(centres), np.arange(m), left, right, parent, face)
    return MeshTree(left, right, parent, face)


def join_trees(trees: Sequence[MeshTree]) -> MeshTree:
    """Several trees as a forest: nodes and triangles of each are numbered behind those of the ones before."""
    columns: list[list[Rows]] = [[], [], [], []]
    nodes = faces = 0
    for tree in trees:
        for column, own, offset in zip(
            columns, (tree.left, tree.right, tree.parent, tree.face), (nodes, nodes, nodes, faces), strict=True
        ):
            column.append(np.where(own >= 0, own + offset, -1).astype(np.int32))
        nodes += len(tree)
        faces += (len(tree) + 1) // 2
    return MeshTree(*(np.concatenate(column) for column in columns))
