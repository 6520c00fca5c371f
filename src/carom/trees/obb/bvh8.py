"""Trees of oriented boxes with eight children per node, in single precision, laid out for vector instructions.

Collapsed from an ObbTree: one box of another tree is tested against all eight children at once. Boxes are rounded outwards,
so that they hold their triangles as surely as the original ones; triangles stay in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, inner_kernel, lean_kernel
from carom.errors import AuditError
from carom.tolerances import SINGLE_EPSILON
from carom.trees.obb.node import NODE_HALF, NODE_RADIUS, node_axis
from carom.trees.obb.tree import ObbTree

WIDTH = 8
BOX_COLUMNS = 16
"""Of a box: 0-2 centre, 3-11 unit axes in rows, 12-14 half sizes, 15 radius of a sphere about the centre."""
NODE_FLOATS = BOX_COLUMNS * WIDTH
"""Of a wide node: the columns of its boxes one after the other, eight numbers each."""


@dataclass(frozen=True, eq=False)
class WideTree:
    """Boxes about `origin`: box c is lane c % 8 of node c // 8, and box 0 holds everything.

    lanes (w * NODE_FLOATS,): BOX_COLUMNS by lanes; children (w * WIDTH,): node of the boxes inside each box, or
    -1 - k where it holds triangle k alone; fills (w,): boxes of a node, in its first lanes; binary (w * WIDTH,): row of a box
    in `nodes`, which is that of the ObbTree, as is tris (m, 9).
    """

    lanes: NDArray[np.float32]
    children: NDArray[np.int32]
    fills: NDArray[np.int32]
    binary: NDArray[np.int32]
    nodes: NDArray[np.float64]
    origin: NDArray[np.float64]
    tris: NDArray[np.float64]

    def box(self, code: int) -> NDArray[np.float64]:
        """Columns (16,) of box `code`, relative to `origin`."""
        node = self.lanes[code // WIDTH * NODE_FLOATS :][:NODE_FLOATS].reshape(BOX_COLUMNS, WIDTH)
        return node[:, code % WIDTH].astype(np.float64)

    def check(self) -> None:
        """Raise AuditError unless every triangle is in exactly one leaf and inside the boxes and spheres above it."""
        seen = np.zeros(len(self.tris), dtype=np.int64)
        todo: list[tuple[int, list[int]]] = [(0, [])]
        while todo:
            code, above = todo.pop()
            path = [*above, code]
            child = int(self.children[code])
            if child >= 0:
                todo += [(child * WIDTH + lane, path) for lane in range(self.fills[child])]
                continue
            seen[-1 - child] += 1
            for holder in path:
                self._check_inside(holder, -1 - child)
        if (seen != 1).any():
            raise AuditError(f"triangle {int(np.argmax(seen != 1))} is not in exactly 1 leaf")

    def _check_inside(self, code: int, row: int) -> None:
        box = self.box(code)
        offset = self.tris[row].reshape(3, 3) - self.origin - box[0:3]
        if (np.abs(np.linalg.solve(box[3:12].reshape(3, 3).T, offset.T).T) > box[12:15]).any():
            raise AuditError(f"triangle {row} sticks out of box {code}")
        if (np.sqrt((offset**2).sum(axis=1)) > box[15]).any():
            raise AuditError(f"triangle {row} sticks out of the sphere of box {code}")


_wide_trees: WeakKeyDictionary[ObbTree, WideTree] = WeakKeyDictionary()


def wide_tree_of(tree: ObbTree) -> WideTree:
    """The wide form of a tree, made once for each tree."""
    wide = _wide_trees.get(tree)
    if wide is None:
        wide = _wide_trees[tree] = _collapsed(tree)
    return wide


def _collapsed(tree: ObbTree) -> WideTree:
    most = len(tree.tris) // 2 + 2  # every node but the first has at least two boxes
    lanes = np.zeros(most * NODE_FLOATS, np.float32)
    children, binary = np.zeros(most * WIDTH, np.int32), np.zeros(most * WIDTH, np.int32)
    fills = np.zeros(most, np.int32)
    # A node adds at most seven pending boxes, and a tree that halves is at most 64 deep.
    pending, counts = np.empty((WIDTH * 64, 3), np.int64), np.empty(WIDTH, np.int64)
    with compiling("the wide tree builder"):
        n = _collapse_into(tree.nodes, tree.links, pending, counts, lanes, children, binary, fills)
    return WideTree(
        lanes[: n * NODE_FLOATS].copy(),
        children[: n * WIDTH].copy(),
        fills[:n].copy(),
        binary[: n * WIDTH].copy(),
        tree.nodes,
        tree.nodes[0, 0:3].copy(),
        tree.tris,
    )


@lean_kernel
def _collapse_into(nodes, links, pending, counts, lanes, children, binary, fills):
    """Fill the arrays of a WideTree; returns its number of nodes. `pending` and `counts` are scratch.

    A box of more than 8^k triangles opens into boxes of at most 8^k each, the largest first: so the many nodes at the bottom
    are full, and those at the top, which are few, need not be.
    """
    root_radius = nodes[0, NODE_RADIUS]
    _put_box(nodes, 0, nodes[0], root_radius, lanes, 0)
    fills[0] = 1
    children[0] = links[0]
    n = 1
    size = 0
    if links[0] >= 0:
        pending[0, 0], pending[0, 1], pending[0, 2] = 0, 0, (len(nodes) + 1) // 2
        size = 1
    while size > 0:
        size -= 1
        box, above, n_tris = pending[size, 0], pending[size, 1], pending[size, 2]
        children[above] = n
        few = 1
        while few * WIDTH < n_tris:
            few *= WIDTH
        first = n * WIDTH
        binary[first], counts[0] = box, n_tris
        count = 1
        while count < WIDTH:
            widest, radius = -1, -1.0
            for k in range(count):
                if counts[k] > few and nodes[binary[first + k], NODE_RADIUS] > radius:
                    widest, radius = k, nodes[binary[first + k], NODE_RADIUS]
            if widest < 0:
                break
            opened = binary[first + widest]
            left = (links[opened] - opened) // 2
            binary[first + widest], binary[first + count] = opened + 1, links[opened]
            counts[count], counts[widest] = counts[widest] - left, left
            count += 1
        fills[n] = count
        for k in range(count):
            node = binary[first + k]
            _put_box(nodes, node, nodes[0], root_radius, lanes, first + k)
            if links[node] < 0:
                children[first + k] = links[node]
            else:
                pending[size, 0], pending[size, 1], pending[size, 2] = node, first + k, counts[k]
                size += 1
        n += 1
    return n


@inner_kernel
def _put_box(nodes, node, root, root_radius, lanes, code):
    """Write box `node`, about the centre of `root`, into lane `code`, enlarged by what rounding to single precision can do.

    Rounding moves the centre by half a unit of its coordinates, and a corner by as much of its offset when the axes turn.
    """
    at = code // WIDTH * NODE_FLOATS + code % WIDTH
    for d in range(3):
        lanes[at + WIDTH * d] = nodes[node, d] - root[d]
    for k in range(3):
        axis = at + WIDTH * (3 + 3 * k)
        lanes[axis], lanes[axis + WIDTH], lanes[axis + 2 * WIDTH] = node_axis(nodes[node], 0, k)
    coordinates = abs(root[0]) + abs(root[1]) + abs(root[2])
    pad = SINGLE_EPSILON * (root_radius + 4.0 * nodes[node, NODE_RADIUS]) + 1e-15 * coordinates
    for d in range(4):
        lanes[at + WIDTH * (12 + d)] = (nodes[node, NODE_HALF + d] + pad) * (1.0 + SINGLE_EPSILON)
