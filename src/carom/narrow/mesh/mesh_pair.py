"""Batched queries of two surfaces through their trees: collide, gap, all contacts, distance.

Poses place b in the frame of a, x_a = R x_b + t: rots (n, 9) by rows, orthonormal, and shifts (n, 3), both C-contiguous
float64. Answers are in a's frame; triangles are rows of `tris` of the trees. The two trees are of one kind: ObbTree, or any
with nodes, links, sizes (radii), leaf_tri and tris, whose bound of the distance is called by `address` (see
carom.narrow.mesh.tree_pair). `threads`: None for all cores where there are many poses. `wide`: False searches trees of oriented
boxes one box at a time in double precision, which gives the same answers and counts single tests.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling
from carom.narrow.mesh.search_choice import BinarySearch, Scratch, WideSearch, search_of
from carom.narrow.mesh.tree_pair import N_TESTS
from carom.narrow.mesh.triangle_distance import WITNESS

_FEWEST_FOR_THREADS = 64
"""Poses from which on a batch is shared among threads."""
_CHUNKS = 4
"""Parts of a batch for each thread, so that none waits long for the last."""
_PAIRS = 64
"""Contacts for which there is room at first."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class MeshHits(NamedTuple):
    """Of n poses: hit (n,) bool; pair (n, 2) triangles that met first, -1 without; tests (n, 2) of volumes and triangles."""

    hit: NDArray[np.bool_]
    pair: Ints
    tests: Ints


class MeshContacts(NamedTuple):
    """Every pair (c, 2) of triangles that meet in one pose; tests (2,) of volumes and triangles."""

    pairs: Ints
    tests: Ints


class MeshDistances(NamedTuple):
    """Of n poses: distance (n,), inf beyond `within`; nearest points (n, 3), features (n, 2), pair (n, 2), tests (n, 2).

    Features as in triangle_distance: corner 0-2, edge 3-5, face 6. Where surfaces meet the distance is 0 and both points are
    the middle of what the pair of triangles shares. Without an answer points are inf, features and pair -1.
    """

    distance: Floats
    point_a: Floats
    point_b: Floats
    feature: Ints
    pair: Ints
    tests: Ints


def _run(
    search: Callable[[tuple[int, int], Scratch], tuple[int, int]], n_poses: int, threads: int | None, tiled: bool
) -> None:
    """Let `search(span, scratch)` answer all poses, on threads where there are many, growing scratch as it asks."""

    def part(span: tuple[int, int]) -> None:
        scratch = Scratch(tiled)
        first, last = span
        while first < last:
            first, code = search((first, last), scratch)
            scratch.grow(code)

    if threads is None:
        threads = os.cpu_count() or 1 if n_poses >= _FEWEST_FOR_THREADS else 1
    if threads <= 1 or n_poses < 2:
        part((0, n_poses))
        return
    cuts = np.linspace(0, n_poses, min(threads * _CHUNKS, n_poses) + 1).astype(int).tolist()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(part, pairwise(cuts)))


def _compiling(what: str, search: BinarySearch | WideSearch) -> Any:
    return compiling(f"the mesh {what} search" + (" over wide trees" if isinstance(search, WideSearch) else ""))


def mesh_collide(
    tree_a: Any,
    tree_b: Any,
    rots: Floats,
    shifts: Floats,
    *,
    margin: float = 0.0,
    address: int = 0,
    threads: int | None = None,
    wide: bool = True,
) -> MeshHits:
    """Do the surfaces meet in each pose, or with a `margin` above 0: is there no gap of that size between them?"""
    search = search_of(tree_a, tree_b, address, wide)
    n = len(rots)
    found, pairs, tests = np.zeros(n, np.int64), np.full((n, 2), -1), np.zeros((n, N_TESTS), np.int64)

    def collide(span: tuple[int, int], scratch: Scratch) -> tuple[int, int]:
        return search.collide((rots, shifts), (margin, 1), span, scratch, (found, pairs, tests))

    with _compiling("collision", search):
        _run(collide, n, threads, search.tiled)
    return MeshHits(found > 0, pairs, tests)


def mesh_contacts(
    tree_a: Any,
    tree_b: Any,
    rot: Floats,
    shift: Floats,
    *,
    margin: float = 0.0,
    address: int = 0,
    wide: bool = True,
) -> MeshContacts:
    """Every pair of triangles that meet, or come nearer than `margin`, with b at the one pose rot (9,), shift (3,)."""
    rots, shifts = rot.reshape(1, 9), shift.reshape(1, 3)
    search = search_of(tree_a, tree_b, address, wide)
    found, tests = np.zeros(1, np.int64), np.zeros((1, N_TESTS), np.int64)
    pairs = np.empty((_PAIRS, 2), np.int64)
    everything = len(tree_a.tris) * len(tree_b.tris) + 1

    def collide(span: tuple[int, int], scratch: Scratch) -> tuple[int, int]:
        return search.collide((rots, shifts), (margin, everything), span, scratch, (found, pairs, tests))

    with _compiling("collision", search):
        _run(collide, 1, 1, search.tiled)
        if found[0] > len(pairs):
            pairs = np.empty((found[0], 2), np.int64)
            _run(collide, 1, 1, search.tiled)
    return MeshContacts(pairs[: found[0]], tests[0])


def mesh_distance(
    tree_a: Any,
    tree_b: Any,
    rots: Floats,
    shifts: Floats,
    *,
    start: Ints | None = None,
    within: float = inf,
    address: int = 0,
    threads: int | None = None,
    wide: bool = True,
) -> MeshDistances:
    """Distance of the surfaces in each pose, with nearest points; inf where it exceeds `within`.

    `start`, (2,) for all or (n, 2): a pair of triangles likely to be near, such as the nearest of the last instant; -1 for
    none. It speeds the search up and never changes the distance.
    """
    search = search_of(tree_a, tree_b, address, wide)
    n = len(rots)
    starts = np.empty((0, 2), np.int64) if start is None else np.ascontiguousarray(start, np.int64).reshape(-1, 2)
    distances, witnesses = np.empty(n), np.empty((n, WITNESS))
    pairs, tests = np.empty((n, 2), np.int64), np.zeros((n, N_TESTS), np.int64)

    def distance(span: tuple[int, int], scratch: Scratch) -> tuple[int, int]:
        return search.distance((rots, shifts), (starts, within), span, scratch, (distances, witnesses, pairs, tests))

    with _compiling("distance", search):
        _run(distance, n, threads, search.tiled)
    known = pairs[:, :1] >= 0
    feature = np.where(known, witnesses[:, 6:8], -1.0).astype(np.int64)
    return MeshDistances(
        distances,
        np.ascontiguousarray(witnesses[:, 0:3]),
        np.ascontiguousarray(witnesses[:, 3:6]),
        feature,
        pairs,
        tests,
    )
