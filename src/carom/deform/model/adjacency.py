"""Neighbours in a mesh: triangles that share a vertex, and the start pairs of a search for self-contact.

Neighbours touch all the time, and so do all boxes that hold neighbours (paper KSL, section 5.3). A search that starts at
the root therefore walks the same overlapping pairs of boxes down to every pair of neighbours, every time. That part of
the search never changes: what hangs off it are pairs of nodes that share no vertex, and those are the start pairs. With
the pairs of neighbours they cover all pairs of triangles, each once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from carom.deform.model.mesh_tree import MeshTree

Rows = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Adjacency:
    """start (p, 2) pairs of nodes that share no vertex; neighbours (q, 2) pairs of triangles that share one, lower first."""

    start: Rows
    neighbours: Rows


def neighbours_of(faces: Rows) -> NDArray[np.int64]:
    """Pairs (q, 2) of triangles that share a vertex, lower first, in order."""
    rows = np.repeat(np.arange(len(faces)), 3)
    holds = sparse.csr_matrix((np.ones(rows.size, np.int8), (rows, faces.ravel())))
    shared = sparse.triu(holds @ holds.T, k=1, format="csr")
    shared.sort_indices()
    lower = np.repeat(np.arange(len(faces)), np.diff(shared.indptr))
    return np.stack([lower, shared.indices.astype(np.int64)], axis=1)


def adjacency_of(tree: MeshTree, faces: Rows) -> Adjacency:
    """Where to search a mesh for contact with itself. faces (m, 3): rows of vertices of the tree's triangles."""
    n = len(tree)
    neighbours = neighbours_of(faces)
    leaves = tree.leaves()
    joined = _with_fathers(tree, _as_keys(leaves[neighbours[:, 0]], leaves[neighbours[:, 1]], n))
    below = _children(tree, joined // n, joined % n)
    inner = np.flatnonzero(tree.left >= 0)
    halves = _as_keys(tree.left[inner].astype(np.int64), tree.right[inner].astype(np.int64), n)
    start = _without(_distinct(np.concatenate([below, halves])), joined)
    return Adjacency(np.stack([start // n, start % n], axis=1).astype(np.int32), neighbours.astype(np.int32))


def _as_keys(a: NDArray[np.int64], b: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Distinct unordered pairs of nodes as one number each, in order."""
    return _distinct(np.minimum(a, b) * n + np.maximum(a, b))


def _distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Each number once, in order; by sorting, which is several times faster than the hashing of np.unique."""
    keys = np.sort(keys)
    first = np.ones(len(keys), bool)
    first[1:] = keys[1:] != keys[:-1]
    return keys[first]


def _without(keys: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Those of `keys` that are not among `others`; both in order."""
    at = np.searchsorted(others, keys)
    at[at == len(others)] = 0
    return keys[others[at] != keys] if len(others) else keys


def _with_fathers(tree: MeshTree, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """The pairs and all pairs above them in the descent, up to pairs of a node with itself (left out)."""
    n = len(tree)
    depths, parent = tree.depths(), tree.parent.astype(np.int64)
    levels = [pairs]
    while len(levels[-1]):
        a, b = levels[-1] // n, levels[-1] % n
        above_a = np.where(depths[a] >= depths[b], parent[a], a)
        above_b = np.where(depths[b] >= depths[a], parent[b], b)
        apart = above_a != above_b
        levels.append(_as_keys(above_a[apart], above_b[apart], n))
    return _distinct(np.concatenate(levels))


def _children(tree: MeshTree, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.int64]:
    """What the descent makes of each pair (a, b): both sides are opened, or the one that is not a leaf."""
    n = len(tree)
    sides = (tree.left.astype(np.int64), tree.right.astype(np.int64))
    leaf_a, leaf_b = tree.left[a] < 0, tree.left[b] < 0
    found = []
    for side_a in sides:
        for side_b in sides:
            both = ~leaf_a & ~leaf_b
            found.append(_as_keys(side_a[a[both]], side_b[b[both]], n))
    for side in sides:
        found.append(_as_keys(a[leaf_a & ~leaf_b], side[b[leaf_a & ~leaf_b]], n))
        found.append(_as_keys(side[a[~leaf_a & leaf_b]], b[~leaf_a & leaf_b], n))
    return _distinct(np.concatenate(found))
