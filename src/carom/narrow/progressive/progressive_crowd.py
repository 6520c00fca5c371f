"""Collision tests of many pairs of bodies within one time budget; an articulated body is one body per part."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.clock import ticks, ticks_per_second
from carom._compile.jit import compiling
from carom._copies import Copyable
from carom.errors import InvalidInputError
from carom.narrow.mesh.mesh_pair import mesh_collide
from carom.narrow.progressive.crowd_descent import (
    CROWD_LEVEL,
    CROWD_STATE,
    CROWD_TESTS,
    Crowd,
    Forest,
    PairAnswers,
    descend_crowd,
)
from carom.narrow.progressive.descent_limits import descent_limits
from carom.narrow.progressive.exact_cost import ExactCost
from carom.narrow.progressive.sphere_arrays import sphere_arrays
from carom.narrow.progressive.sphere_descent import NO_LIMIT, NO_ROOM
from carom.pose import Poses, poses, relative
from carom.trees.obb.bvh8 import wide_tree_of
from carom.trees.obb.tree import tree_of
from carom.trees.spheres.sphere_tree import SphereTree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROOM = 8192
_CHUNK = 4
"""Exact tests between two looks at the clock."""


@dataclass(frozen=True, eq=False)
class ProgressiveCollisions:
    """What is known of m pairs when the budget is spent; the fields of ProgressiveCollision as arrays (m,).

    `level` is -1 if there was no time to test even the roots: the pair is then reported to touch, with an error bound
    of inf. `steps` is the number of pairs of spheres tested for all pairs together.
    """

    hit: NDArray[np.bool_]
    level: Ints
    exact: NDArray[np.bool_]
    error_bound: Floats
    steps: int

    def __len__(self) -> int:
        return len(self.hit)


class ProgressiveCrowd(Copyable):
    """Collision tests of many pairs of bodies with sphere-trees, all within one budget.

    All pairs are tested at one level before any pair is tested at the next. Within a level, pairs are tested in the
    order of the list, so the most important pairs should come first. Exact tests of triangles come last.

    Parameters
    ----------
    trees : sequence of SphereTree
        One tree per body; bodies of one shape may share a tree.
    """

    def __init__(self, trees: Sequence[SphereTree]) -> None:
        self.trees = validate.several("trees", trees, "a sequence of carom.time_critical.SphereTree")
        for row, tree in enumerate(self.trees):
            if not isinstance(tree, SphereTree):
                raise InvalidInputError(
                    f"trees[{row}] is {validate.shown(tree)}; expected a carom.time_critical.SphereTree"
                )
        if not self.trees:
            raise InvalidInputError("trees is empty; expected a carom.time_critical.SphereTree for each body")
        different = list(dict.fromkeys(self.trees))
        place = {tree: row for row, tree in enumerate(different)}
        self.levels = min(tree.levels for tree in different)
        """Levels of spheres; the next one is the exact test."""
        self._tree = np.array([place[tree] for tree in self.trees])
        self._forest = _forest(different)
        self._meshes = [tree_of(tree.mesh) for tree in different]
        for mesh in self._meshes:
            wide_tree_of(mesh)
        self._even, self._odd = np.empty((_ROOM, 3), np.int32), np.empty((_ROOM, 3), np.int32)
        self._state = np.zeros(CROWD_STATE, np.int64)
        self._crowd: Crowd | None = None
        self._answers = _no_answers(0)
        self._exact = np.zeros(0, np.bool_)
        self._cost = ExactCost()
        """Of the exact tests between two looks at the clock."""
        self._make_ready()

    def query(
        self,
        pairs: ArrayLike,
        poses_of: ArrayLike,
        *,
        budget: float | None = None,
        steps: int | None = None,
        level: int | None = None,
    ) -> ProgressiveCollisions:
        """Test whether the bodies of each pair touch.

        For many bodies the validation of the poses takes a share of the budget; `query_placed` does not validate them.

        Parameters
        ----------
        pairs : array_like of int, shape (m, 2)
            Pairs of bodies.
        poses_of : array_like of shape (n, 4, 4)
            Poses of all bodies, m.
        budget, steps, level
            Limits as for `ProgressivePair.query`.

        Returns
        -------
        ProgressiveCollisions
            The answers, one per pair.
        """
        begin = time.perf_counter()
        where = poses("poses_of", poses_of)
        if where.single or len(where) != len(self.trees):
            raise InvalidInputError(f"poses_of has {len(where)} poses; expected {len(self.trees)}, one for each body")
        checked = validate.table_of_rows("pairs", pairs, 2, len(self.trees), "bodies")
        rotations = np.ascontiguousarray(where.rotations.reshape(-1, 9))
        return self.query_placed(
            checked, rotations, where.positions, budget=budget, steps=steps, level=level, begin=begin
        )

    def query_placed(
        self,
        pairs: Ints,
        rotations: Floats,
        positions: Floats,
        *,
        budget: float | None = None,
        steps: int | None = None,
        level: int | None = None,
        begin: float | None = None,
    ) -> ProgressiveCollisions:
        """As `query` for pairs (m, 2) int64, rotations (n, 9) by rows and positions (n, 3) float64, x_world = R x + p.

        Whether the rotations are any is not checked. They and the positions must not change before the last `resume`. begin:
        time.perf_counter() at which the budget began to run.
        """
        begin = time.perf_counter() if begin is None else begin
        limits = descent_limits(self.levels, budget, steps, level)
        n = len(self.trees)
        known = validate.placed("pairs", pairs, np.int64, (None, 2)).copy()
        if len(known) and not (known.min() >= 0 and known.max() < n):
            validate.table_of_rows("pairs", known, 2, n, "bodies")
        self._crowd = Crowd(
            self._tree,
            validate.placed("rotations", rotations, np.float64, (n, 9)),
            validate.placed("positions", positions, np.float64, (n, 3)),
            known,
        )
        self._answers, self._exact = _no_answers(len(known)), np.zeros(len(known), np.bool_)
        self._state[:] = 0
        self._state[CROWD_LEVEL] = -1
        return self._go_on(begin, *limits)

    def resume(
        self, *, budget: float | None = None, steps: int | None = None, level: int | None = None
    ) -> ProgressiveCollisions:
        """Continue with the pairs and poses of the last query and a new budget."""
        begin = time.perf_counter()
        if self._crowd is None:
            raise InvalidInputError("there is nothing to resume; ask query first")
        return self._go_on(begin, *descent_limits(self.levels, budget, steps, level))

    def _go_on(self, begin: float, seconds: float, tests: int, deepest: int) -> ProgressiveCollisions:
        """Descend until limits or the end are reached, then test triangles while there is time."""
        assert self._crowd is not None
        clock = ticks()
        left = (seconds - (time.perf_counter() - begin)) * ticks_per_second()
        limit = int(min(max(left, 0.0), NO_LIMIT))
        most_tests = min(tests + int(self._state[CROWD_TESTS]), NO_LIMIT)
        rot, shift = np.empty(9), np.empty(3)
        while True:
            why = descend_crowd(
                self._forest, self._crowd, min(deepest, self.levels), clock, limit, most_tests, self._even, self._odd,
                self._answers, self._state, rot, shift,
            )  # fmt: skip
            if why != NO_ROOM:
                break
            self._even, self._odd = _enlarged(self._even), _enlarged(self._odd)
        if deepest > self.levels and self._state[CROWD_LEVEL] == self.levels:
            self._test_triangles(self._crowd, begin, seconds)
        answers = self._answers
        exact = self._exact | ~answers.hits
        level = np.where(self._exact, self.levels + 1, answers.levels)
        return ProgressiveCollisions(
            answers.hits.copy(), level, exact, np.where(exact, 0.0, answers.bounds), int(self._state[CROWD_TESTS])
        )

    def _test_triangles(self, crowd: Crowd, begin: float, seconds: float) -> None:
        """Exact tests of the pairs that are left, in their order as far as shapes allow, while the budget lasts."""
        if not self._cost.fits(seconds - (time.perf_counter() - begin)):
            return
        done = (self._answers.levels == self.levels) | (self._answers.bounds == 0.0)
        open_pairs = np.flatnonzero(self._answers.hits & ~self._exact & done)
        shapes = self._tree[crowd.pairs[open_pairs]]
        kinds, first = np.unique(shapes[:, 0] * len(self._meshes) + shapes[:, 1], return_index=True)
        for kind in kinds[np.argsort(first)]:
            a, b = divmod(int(kind), len(self._meshes))
            rows = open_pairs[(shapes[:, 0] == a) & (shapes[:, 1] == b)]
            for start in range(0, len(rows), _CHUNK):
                if not self._cost.fits(seconds - (time.perf_counter() - begin)):
                    return
                started = time.thread_time()
                some = rows[start : start + _CHUNK]
                rots, shifts = _relative(crowd, some)
                found = mesh_collide(self._meshes[a], self._meshes[b], rots, shifts, threads=1)
                self._answers.hits[some] = found.hit
                self._exact[some] = True
                self._cost.took(time.thread_time() - started)

    def _make_ready(self) -> None:
        """Compile everything and measure the clock, once, before any budget runs."""
        global _made_ready
        if not _made_ready:
            with compiling("the descent of a crowd of sphere-trees"):
                ticks_per_second()
                n = len(self.trees)
                still = np.tile(np.eye(3).reshape(9), (n, 1)), np.zeros((n, 3))
                self.query_placed(np.zeros((1, 2), np.int64), *still)
            self._crowd, self._cost = None, ExactCost()
            _made_ready = True


_made_ready = False
"""Whether everything has been compiled in this process."""


def _relative(crowd: Crowd, rows: Ints) -> tuple[Floats, Floats]:
    a, b = crowd.pairs[rows, 0], crowd.pairs[rows, 1]
    return relative(
        Poses(crowd.rotations[a].reshape(-1, 3, 3), crowd.positions[a], False),
        Poses(crowd.rotations[b].reshape(-1, 3, 3), crowd.positions[b], False),
    )


def _forest(trees: Sequence[SphereTree]) -> Forest:
    firsts = np.cumsum([0, *(len(tree.spheres) for tree in trees[:-1])])
    return Forest(
        np.concatenate([tree.spheres for tree in trees]),
        np.concatenate([tree.depths for tree in trees]),
        np.concatenate([tree.child_start[:-1] + first for tree, first in zip(trees, firsts, strict=True)]).astype(
            np.int32
        ),
        np.concatenate([tree.child_start[1:] + first for tree, first in zip(trees, firsts, strict=True)]).astype(
            np.int32
        ),
        np.concatenate([sphere_arrays(tree).lanes for tree in trees]),
        firsts.astype(np.int64),
        np.array([sphere_arrays(tree).reach for tree in trees]),
    )


def _no_answers(n: int) -> PairAnswers:
    return PairAnswers(np.full(n, -1), np.ones(n, np.bool_), np.full(n, np.inf))


def _enlarged(entries: NDArray[np.int32]) -> NDArray[np.int32]:
    """The same entries with twice the room."""
    larger = np.empty((2 * len(entries), 3), np.int32)
    larger[: len(entries)] = entries
    return larger
