"""Several deforming bodies combined: triangles in one list, trees in one forest, keys on one time line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import lean_kernel
from carom.deform.model.adjacency import adjacency_of
from carom.deform.model.mesh_tree import MeshTree, build_tree, join_trees
from carom.deform.model.vertex_fans import Fans, fans_of
from carom.motion import Deforming

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Assembly:
    """Bodies joined. faces (m, 3) rows of all vertices; first_face, first_vertex (b + 1,) where each body's rows begin;
    times (k,) all keys of all bodies; tree over all triangles, one root a body."""

    bodies: tuple[Deforming, ...]
    faces: NDArray[np.int32]
    first_face: NDArray[np.int64]
    first_vertex: NDArray[np.int64]
    times: Floats
    tree: MeshTree
    start: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    still: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 2), np.int32))
    """(k, 2) pairs of nodes, like those in `start`, below which nothing ever moves: looked at once, for what overlaps."""

    def __len__(self) -> int:
        """Number of intervals between keys."""
        return len(self.times) - 1

    @cached_property
    def fans(self) -> Fans:
        """Fans of the bodies that are searched for contact with themselves."""
        return fans_of(self.faces, int(self.first_vertex[-1]), self.neighbours)

    @cached_property
    def _limits(self) -> tuple[Floats, Floats]:
        """Lowest and highest coordinates (3,) of all bodies at all keys."""
        low = np.min([body.vertices.min(axis=(0, 1)) for body in self.bodies], axis=0)
        high = np.max([body.vertices.max(axis=(0, 1)) for body in self.bodies], axis=0)
        return low, high

    @cached_property
    def origin(self) -> Floats:
        """Middle (4,) of all keys, and 0: boxes lie about it."""
        low, high = self._limits
        return np.append(0.5 * low + 0.5 * high, 0.0)

    @cached_property
    def reach(self) -> float:
        """How far the farthest vertex is ever from the origin along an axis."""
        low, high = self._limits
        return float((0.5 * high - 0.5 * low).max())

    @cached_property
    def stack_size(self) -> int:
        """Entries that any descent needs: three wait at each of the levels of both sides."""
        return 3 * 2 * (int(self.tree.depths().max()) + 2) + 4

    def vertices(self, key: int, into: Floats | None = None) -> Floats:
        """Vertices (n, 4) of all bodies at a key, `into` an array of an earlier call: x, y, z and 0, so that a row is loaded
        at once."""
        t = float(self.times[key])
        rows = np.zeros((int(self.first_vertex[-1]), 4)) if into is None else into
        for k, body in enumerate(self.bodies):
            _place_into(_at_key(body, t), rows[self.first_vertex[k] : self.first_vertex[k + 1]])
        return rows

    def body_of(self, faces: NDArray[np.int64]) -> NDArray[np.int64]:
        """Body that each of these triangles belongs to."""
        return np.searchsorted(self.first_face, faces, side="right") - 1


@lean_kernel
def _place_into(places, rows):
    """Places (n, 3) into the first three columns of rows (n, 4), which NumPy takes four times as long for."""
    for v in range(len(rows)):
        rows[v, 0] = places[v, 0]
        rows[v, 1] = places[v, 1]
        rows[v, 2] = places[v, 2]


def _at_key(body: Deforming, t: float) -> Floats:
    """The body's own key at t where it has one, untouched by rounding."""
    k = int(np.searchsorted(body.times, t))
    if k < len(body.times) and body.times[k] == t:
        return body.vertices[k]
    return body.vertices_at(t)


def _own_tree(body: Deforming) -> MeshTree:
    return build_tree(body.vertices[0][body.faces].mean(axis=1))


def assemble(bodies: Sequence[Deforming], until: float, *, itself: bool, each_other: bool) -> Assembly:
    """Join bodies up to time `until`. itself: look for contacts of each body with itself; each_other: between bodies.

    Keys of one body become keys of all; a body that has none there gets one on its straight way, rounded, or where it rests
    before its first and after its last. Pairs of bodies that never move are `still`, not in `start`.
    """
    faces, first_face, first_vertex = [], [0], [0]
    trees: list[MeshTree] = []
    start: list[NDArray[np.int32]] = []
    still: list[NDArray[np.int32]] = []
    neighbours: list[NDArray[np.int32]] = []
    roots = []
    nodes = 0
    for body in bodies:
        tree = _own_tree(body)
        trees.append(tree)
        roots.append(nodes)
        if itself:
            adjacency = adjacency_of(tree, body.faces)
            (still if body.is_still else start).append(adjacency.start + np.int32(nodes))
            if not body.is_still:
                neighbours.append(adjacency.neighbours + np.int32(first_face[-1]))
        faces.append(body.faces + np.int32(first_vertex[-1]))
        nodes += len(tree)
        first_face.append(first_face[-1] + len(body.faces))
        first_vertex.append(first_vertex[-1] + body.vertices.shape[1])
    if each_other:
        for a, b in combinations(range(len(bodies)), 2):
            resting = bodies[a].is_still and bodies[b].is_still
            (still if resting else start).append(np.array([[roots[a], roots[b]]], np.int32))
    none = np.empty((0, 2), np.int32)
    return Assembly(
        tuple(bodies),
        np.concatenate(faces),
        np.array(first_face),
        np.array(first_vertex),
        _all_times(bodies, until),
        join_trees(trees),
        np.concatenate([none, *start]),
        np.concatenate([none, *neighbours]),
        np.concatenate([none, *still]),
    )


def _all_times(bodies: Sequence[Deforming], until: float) -> Floats:
    """All keys of all bodies, cut off at the first key after `until`."""
    keys = np.unique(np.concatenate([body.times for body in bodies]))
    wanted = int(np.searchsorted(keys, until, side="right")) + 1
    return keys[:wanted]
