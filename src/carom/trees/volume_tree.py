"""Trees of any type of bounding volume over triangles: top-down construction (Larsen's slides, "BV types").

Trees of oriented boxes have a builder of their own in obb_tree.py, which spends more on their axes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom._compile.address_call import call_float
from carom._compile.jit import compiling, kernel
from carom.bounds.volumes.aabb import AABB
from carom.bounds.volumes.convex_hull import HULL
from carom.bounds.volumes.kdop import KDOP18, KDOP26
from carom.bounds.volumes.sphere import SPHERE
from carom.bounds.volumes.spherical_shell import SHELL
from carom.bounds.volumes.swept_sphere import LSS, PSS, RSS
from carom.bounds.volumes.volume_type import FIT_SPACE, FIT_SPLIT, VolumeType
from carom.errors import AuditError, InvalidInputError
from carom.shapes.shape import SurfaceShape
from carom.trees.leaf_paths import leaf_paths
from carom.trees.obb.halve import halve
from carom.trees.tiling import default_tile, tile_triangles

VOLUME_TYPES: dict[str, VolumeType] = {
    "sphere": SPHERE,
    "aabb": AABB,
    "kdop18": KDOP18,
    "kdop26": KDOP26,
    "hull": HULL,
    "shell": SHELL,
    "pss": PSS,
    "lss": LSS,
    "rss": RSS,
}
"""Types by name; pss, lss and rss are spheres swept over a point, a line and a rectangle."""

_CHECK_CUTS = 60
"""Cuts above one another that the check of a tiled tree makes, at most."""


@dataclass(frozen=True, eq=False)
class VolumeTree:
    """Depth-first tree: the left child of node i is i + 1. All in the frame of the shape.

    kind: a name in VOLUME_TYPES. nodes (n, columns): one volume a row; links (n,): right child, or -1 - k at leaf k;
    sizes (n,): radius of a sphere around what each node holds; leaf_tri (leaves,): row in `tris` of each leaf's triangle,
    several leaves a triangle where the type is tiled; tris (m, 9) corners; face (m,): row of each in the given faces.
    """

    kind: str
    nodes: NDArray[np.float64]
    links: NDArray[np.int32]
    sizes: NDArray[np.float64]
    leaf_tri: NDArray[np.int32]
    tris: NDArray[np.float64]
    face: NDArray[np.int32]

    @property
    def tiled(self) -> bool:
        """May several leaves name the same triangle?"""
        return VOLUME_TYPES[self.kind].tiled

    def check(self) -> None:
        """Raise AuditError unless every triangle is covered by leaves whose volumes, and all above them, hold it.

        A triangle that no single leaf holds is cut in the middle of its longest edge, and each half must be covered.
        """
        if sorted(self.face.tolist()) != list(range(len(self.tris))):
            raise AuditError("the triangles are not every face once")
        paths = self._paths()
        for row in range(len(self.tris)):
            todo = [(self.tris[row].reshape(3, 3), 0)]
            while todo:
                piece, cuts = todo.pop()
                if any(self._all_hold(path, piece) for path in paths[row]):
                    continue
                if not self.tiled or cuts == _CHECK_CUTS:
                    raise AuditError(f"triangle {row} sticks out of the volumes of its leaves")
                todo += [(half, cuts + 1) for half in _halves(piece)]
        self._check_sizes()

    def _paths(self) -> list[list[list[int]]]:
        """For each triangle the ways down to its leaves, each a list of nodes."""
        paths: list[list[list[int]]] = [[] for _ in self.tris]
        for leaf, path in leaf_paths(self.links, len(self.leaf_tri), "leaf {} is in {} nodes; expected 1"):
            paths[int(self.leaf_tri[leaf])].append(path)
        return paths

    def _all_hold(self, path: list[int], piece: NDArray[np.float64]) -> bool:
        # From the leaf up: the leaf is the first to say no.
        holds = VOLUME_TYPES[self.kind].holds
        return all(bool(holds(self.nodes[node], piece[None])[0]) for node in reversed(path))

    def _check_sizes(self) -> None:
        """The size of the root is what searches rely on: no two points are farther apart than twice as much."""
        points = self.tris.reshape(-1, 3)
        if (np.sqrt(((points - points[0]) ** 2).sum(axis=1)) > 2.0 * self.sizes[0]).any():
            raise AuditError("the root is smaller than the triangles")


def _halves(piece: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The triangle (3, 3) cut in the middle of its longest edge, as the tiling cuts."""
    way = np.roll(piece, -1, axis=0) - piece
    start = int(np.argmax((way**2).sum(axis=1)))
    p, q, r = piece[start], piece[(start + 1) % 3], piece[(start + 2) % 3]
    middle = 0.5 * (p + q)
    return np.array([p, middle, r]), np.array([middle, q, r])


def build_volume_tree(
    vertices: NDArray[np.float64], faces: NDArray[np.int64], kind: str, tile: float | None = None
) -> VolumeTree:
    """Tree of volumes of type `kind` over the triangles vertices[faces]; vertices (n, 3), faces (m, 3) with m >= 1.

    Each node is split in halves along the longest direction of its volume. `tile`: largest radius of leaves in metres, only
    for "sphere"; None takes that of the median triangle. Smaller tiles bound tighter and cost memory with their square.
    """
    volume = _volume_type(kind)
    if tile is not None:
        if not volume.tiled:
            raise InvalidInputError(f"tile is {tile} for a tree of kind {kind!r}; only a 'sphere' tree is tiled")
        tile = validate.positive("tile", tile)
    n_tris = len(faces)
    tris = np.ascontiguousarray(vertices[faces].reshape(n_tris, 9))
    with compiling("the volume tree builder"):
        if volume.tiled:
            pieces, owner = tile_triangles(tris, default_tile(tris) if tile is None else tile)
        else:
            pieces, owner = tris, np.arange(n_tris)
        n_leaves = len(pieces)
        order = np.arange(n_leaves)
        nodes = np.zeros((2 * n_leaves - 1, volume.columns))
        links = np.empty(2 * n_leaves - 1, dtype=np.int32)
        sizes = np.empty(2 * n_leaves - 1)
        _build_into(pieces, order, np.empty(n_leaves), volume.fit(), nodes, links, sizes)
    if volume.tiled:
        leaf_tri, face = owner[order], np.arange(n_tris)
    else:
        tris, leaf_tri, face = np.ascontiguousarray(tris[order]), np.arange(n_leaves), order
    return VolumeTree(kind, nodes, links, sizes, leaf_tri.astype(np.int32), tris, face.astype(np.int32))


def _volume_type(kind: Any) -> VolumeType:
    if not isinstance(kind, str) or kind not in VOLUME_TYPES:
        raise InvalidInputError(f"kind is {kind!r}; expected one of {', '.join(map(repr, VOLUME_TYPES))}")
    return VOLUME_TYPES[kind]


_trees: WeakKeyDictionary[SurfaceShape, dict[str, VolumeTree]] = WeakKeyDictionary()


def volume_tree_of(shape: SurfaceShape, kind: str) -> VolumeTree:
    """The tree of a shape's triangles with volumes of type `kind`, built once for each shape and type."""
    _volume_type(kind)
    trees = _trees.setdefault(shape, {})
    if kind not in trees:
        trees[kind] = build_volume_tree(shape.vertices, shape.faces, kind)
    return trees[kind]


@kernel
def _build_into(tris, order, keys, fit, nodes, links, sizes):
    """Fill `nodes`, `links` and `sizes`, and sort `order` (m,) into leaves; `fit` is the address of the fit.

    Halving the count at each node makes the depth at most 64, the stack hold one entry a level, and places known beforehand.
    """
    stack = np.empty((64, 3), dtype=np.int64)
    space = np.zeros(FIT_SPACE)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, 0, len(order)
    size = 1
    while size > 0:
        size -= 1
        node, first, count = stack[size, 0], stack[size, 1], stack[size, 2]
        arguments = (
            tris.ctypes.data,
            len(order),
            order.ctypes.data,
            first,
            count,
            nodes[node].ctypes.data,
            space.ctypes.data,
        )
        sizes[node] = call_float(fit, arguments)
        if count == 1:
            links[node] = -1 - first
            continue
        halve(tris, order, keys, first, count, space[FIT_SPLIT], space[FIT_SPLIT + 1], space[FIT_SPLIT + 2])
        half = count // 2
        links[node] = node + 2 * half
        stack[size, 0], stack[size, 1], stack[size, 2] = node + 2 * half, first + half, count - half
        stack[size + 1, 0], stack[size + 1, 1], stack[size + 1, 2] = node + 1, first, half
        size += 2
