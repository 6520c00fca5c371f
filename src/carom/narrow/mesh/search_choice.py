"""Choice of the kernel that searches a pair of trees, and its scratch arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from carom.narrow.mesh.bvh8.collide import wide_collide_poses
from carom.narrow.mesh.bvh8.distance import wide_distance_poses
from carom.narrow.mesh.bvh8.tree_pair import WIDE_WORK, WideArrays, distance_tests, overlap_tests, wide_arrays
from carom.narrow.mesh.collide import collide_poses
from carom.narrow.mesh.distance import distance_poses
from carom.narrow.mesh.tree_pair import OUT_OF_REACH, SEARCH_SEEN_FULL, SEARCH_STACK_FULL, TreeArrays, tree_arrays
from carom.narrow.mesh.triangle_addresses import distance_address, nearer_address, overlap_address
from carom.trees.obb.bvh8 import WIDTH, wide_tree_of
from carom.trees.obb.tree import ObbTree

_STACK = 1024
_SEEN = 1024
"""First sizes of scratch arrays; they double as often as needed. Trees that halve are at most 64 deep each, so that 1024
pairs always suffice for them: a step adds one pair, or seven every three levels in wide trees."""


Span = tuple[int, int]
"""First pose and the one after the last; or the next pose and a code, as kernels return."""


class Scratch:
    """Arrays that kernels write in passing; one set for each thread."""

    def __init__(self, tiled: bool) -> None:
        self.stack = np.empty((_STACK, 2), np.int64)
        self.keys = np.empty(_STACK)
        self.seen = np.zeros((_SEEN if tiled else 0, 2), np.int64)
        self.work = np.empty(WIDE_WORK)
        self.bounds = np.empty(WIDTH, np.float32)

    def grow(self, code: int) -> None:
        """Double what a kernel found too small."""
        if code == SEARCH_STACK_FULL:
            self.stack = np.empty((2 * len(self.stack), 2), np.int64)
            self.keys = np.empty(len(self.stack))
        elif code == SEARCH_SEEN_FULL:
            self.seen = np.zeros((2 * len(self.seen), 2), np.int64)


def _meeting(limits: tuple[float, int]) -> int:
    """Address of the test of triangles that asks for the margin in `limits`."""
    return overlap_address() if limits[0] == 0.0 else nearer_address()


@dataclass(frozen=True)
class BinarySearch:
    """Two trees of any kind, in double precision; `address` of the bound of their volumes, 0 for oriented boxes."""

    a: TreeArrays
    b: TreeArrays
    address: int

    @property
    def tiled(self) -> bool:
        """Has a triangle several leaves?"""
        return any(len(tree.leaf_tri) > len(tree.tris) for tree in (self.a, self.b))

    def collide(self, poses: Any, limits: Any, span: Span, scratch: Scratch, results: Any) -> Span:
        """collide_poses: poses (rots, shifts), limits (margin, most), results (found, pairs, tests); (next pose, code)."""
        own = (scratch.stack, scratch.keys, scratch.seen, scratch.work)
        arguments: Any = (self.a, self.b, self.address, _meeting(limits), *poses, *limits, *span, *own, *results)
        return collide_poses(*arguments)

    def distance(self, poses: Any, limits: Any, span: Span, scratch: Scratch, results: Any) -> Span:
        """distance_poses: poses (rots, shifts), limits (starts, within), results (distances, witnesses, pairs, tests)."""
        own = (scratch.stack, scratch.keys, scratch.seen, scratch.work)
        arguments: Any = (self.a, self.b, self.address, distance_address(), *poses, *limits, *span, *own, *results)
        return distance_poses(*arguments)


@dataclass(frozen=True)
class WideSearch:
    """Two wide trees of oriented boxes, eight at once in single precision; triangles in double precision.

    A pose whose lengths single precision does not span is left to BinarySearch.
    """

    tree_a: ObbTree
    tree_b: ObbTree
    a: WideArrays
    b: WideArrays
    tiled = False

    def collide(self, poses: Any, limits: Any, span: Span, scratch: Scratch, results: Any) -> Span:
        """As BinarySearch.collide."""
        own = (scratch.stack, scratch.keys, scratch.work, scratch.bounds)
        boxes = overlap_tests() if limits[0] == 0.0 else distance_tests()
        arguments: Any = (self.a, self.b, boxes, _meeting(limits), *poses, *limits, *span, *own, *results)
        first, code = wide_collide_poses(*arguments)
        if code == OUT_OF_REACH:
            return self._in_double().collide(poses, limits, (first, first + 1), scratch, results)
        return first, code

    def distance(self, poses: Any, limits: Any, span: Span, scratch: Scratch, results: Any) -> Span:
        """As BinarySearch.distance."""
        own = (scratch.stack, scratch.keys, scratch.work, scratch.bounds)
        arguments: Any = (
            self.a,
            self.b,
            distance_tests(),
            distance_address(),
            *poses,
            *limits,
            *span,
            *own,
            *results,
        )
        first, code = wide_distance_poses(*arguments)
        if code == OUT_OF_REACH:
            return self._in_double().distance(poses, limits, (first, first + 1), scratch, results)
        return first, code

    def _in_double(self) -> BinarySearch:
        return BinarySearch(tree_arrays(self.tree_a), tree_arrays(self.tree_b), 0)


def search_of(tree_a: Any, tree_b: Any, address: int, wide: bool) -> BinarySearch | WideSearch:
    """The search for a pair: wide where it is allowed and both are ObbTrees."""
    if wide and isinstance(tree_a, ObbTree) and isinstance(tree_b, ObbTree):
        return WideSearch(tree_a, tree_b, wide_arrays(wide_tree_of(tree_a)), wide_arrays(wide_tree_of(tree_b)))
    return BinarySearch(tree_arrays(tree_a), tree_arrays(tree_b), address)
