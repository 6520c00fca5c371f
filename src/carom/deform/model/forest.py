"""Trees over the live triangles of several bodies in one table, and the start pairs of a separation list over them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.deform.kinetic_tree.faces import TREE_FACES
from carom.deform.model.adjacency import adjacency_of
from carom.deform.model.changed_fans import FanTables, fan_tables
from carom.deform.model.mesh_tree import build_tree
from carom.deform.model.neighbour_search import NeighbourSearch
from carom.deform.model.vertex_fans import Fans, fans_of

Floats = NDArray[np.float64]


class Around(NamedTuple):
    """Leaves around vertices: those of vertex v are held[first[v] : first[v + 1]].

    Work space of a change of flightplans: leaves, those that it concerns; links, of lists of pairs to go through.
    """

    first: NDArray[np.int64]
    held: NDArray[np.int64]
    leaves: NDArray[np.int64]
    links: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Forest:
    """node (n, 4): left, right, parent, triangle (-1: none), children after parents; start (p, 2) pairs of nodes; neighbours
    (q, 2) pairs of triangles; stack: entries that a descent needs; faces (m, 3) of all triangles, which keep their numbers;
    live: numbers of those that are compared with others of their body, and how these share vertices."""

    node: NDArray[np.int32]
    start: NDArray[np.int32]
    neighbours: NDArray[np.int64]
    stack: int
    faces: NDArray[np.int32]
    live: NDArray[np.int64]
    _fans: Fans | None

    @cached_property
    def leaves(self) -> NDArray[np.int64]:
        """Leaf of every triangle by number; triangles that are in no tree have -1."""
        nodes = np.flatnonzero(self.node[:, 3] >= 0)
        of_face = np.full(int(self.node[:, 3].max()) + 1, -1, np.int64)
        of_face[self.node[nodes, 3]] = nodes
        return of_face

    @cached_property
    def around(self) -> Around:
        """Which leaves are around which vertex."""
        nodes = np.flatnonzero(self.node[:, 3] >= 0)
        corners = self.faces[self.node[nodes, 3]].ravel()
        order = np.argsort(corners, kind="stable")
        first = np.searchsorted(corners[order], np.arange(int(corners.max()) + 2))
        n = len(self.node)
        return Around(first, nodes[order // 3], np.empty(n, np.int64), np.empty(TREE_FACES * n, np.int32))

    def fan_tables(self, n_vertices: int) -> FanTables:
        """What a look at single fans needs."""
        return fan_tables(self._fans, self.faces[self.live], n_vertices)

    @cached_property
    def neighbour_search(self) -> NeighbourSearch | None:
        """Candidates among neighbours, which it numbers as `live` does; None where there are none."""
        return None if self._fans is None else NeighbourSearch(self.faces[self.live], self._fans)

    def proved(self, start: Floats, end: Floats) -> NDArray[np.uint8]:
        """Which vertices (n,) have a fan without contact while all move straight from `start` to `end`, (n, 3)."""
        if self.neighbour_search is None:
            return np.zeros(len(start), np.uint8)
        begin, finish = (np.pad(places, ((0, 0), (0, 1))) for places in (start, end))
        return self.neighbour_search.proved(begin, finish)


def plant(
    faces: NDArray[np.int32],
    owner: NDArray[np.int64],
    alive: NDArray[np.bool_],
    positions: Floats,
    searched: NDArray[np.bool_],
    each_other: bool,
) -> Forest:
    """One tree for the live triangles of each body. owner (m,): body of every triangle; positions (v, 3), now.

    searched: is a body to be compared with itself? each_other: are bodies to be compared with each other?
    """
    tables, start, neighbours, roots = [], [np.empty((0, 2), np.int32)], [np.empty((0, 2), np.int64)], []
    n, depth = 0, 0
    for body, itself in enumerate(searched.tolist()):
        rows = np.flatnonzero((owner == body) & alive)
        tree = build_tree(positions[faces[rows]].mean(axis=1))
        links = np.stack([tree.left, tree.right, tree.parent], axis=1)
        triangle = np.where(tree.face >= 0, rows[tree.face], -1)
        tables.append(np.column_stack([np.where(links >= 0, links + n, -1), triangle]).astype(np.int32))
        if itself:
            adjacency = adjacency_of(tree, faces[rows])
            start.append(adjacency.start + np.int32(n))
            neighbours.append(rows[adjacency.neighbours])
        roots.append(n)
        n += len(tree)
        depth = max(depth, int(tree.depths().max()))
    if each_other:
        pairs = [(a, b) for k, a in enumerate(roots) for b in roots[k + 1 :]]
        start.append(np.array(pairs, np.int32).reshape(-1, 2))
    near = np.concatenate(neighbours)
    live = np.flatnonzero(alive & searched[owner])
    place = np.full(len(faces), -1, np.int64)
    place[live] = np.arange(len(live))
    fans = fans_of(faces[live], len(positions), place[near].astype(np.int32)) if len(near) else None
    stack = 3 * 2 * (depth + 2) + 4
    return Forest(np.concatenate(tables), np.concatenate(start), near, stack, faces, live, fans)
