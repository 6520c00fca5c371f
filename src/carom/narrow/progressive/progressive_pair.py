"""Collision test of two meshes within a time budget: level by level through their sphere-trees, triangles last."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.clock import ticks, ticks_per_second
from carom._compile.jit import compiling
from carom._copies import Copyable
from carom.errors import InvalidInputError
from carom.narrow.mesh.mesh_pair import mesh_collide
from carom.narrow.progressive.descent_limits import descent_limits
from carom.narrow.progressive.exact_cost import ExactCost
from carom.narrow.progressive.sphere_arrays import (
    sphere_arrays,
)
from carom.narrow.progressive.sphere_descent import (
    DESCENT_APART,
    DESCENT_CURSOR,
    DESCENT_LEVEL,
    DESCENT_STATE,
    DESCENT_TESTS,
    KEPT,
    NO_LIMIT,
    NO_ROOM,
    OUT_OF_BUDGET,
    SURE,
    Entries,
    descend,
    descend_poses,
    meet_poses,
    moved,
)
from carom.pose import poses, relative
from carom.trees.obb.bvh8 import wide_tree_of
from carom.trees.obb.tree import tree_of
from carom.trees.spheres.sphere_tree import SphereTree

Floats = NDArray[np.float64]

_ROOM = 4096
"""Entries for which there is room at first; it doubles as often as needed."""
_AHEAD = 6.0
"""Queries, moving as the last two did, for which entries are kept with a skin."""
_THICKEST = 0.5
"""A level keeps its entries only with a skin of at most this part of the radii of a pair; thicker, there would be too many."""
_made_ready = False
"""Whether everything has been compiled in this process."""


@dataclass(frozen=True)
class ProgressiveCollision:
    """What is known of a pair when the budget is spent.

    Attributes
    ----------
    hit : bool
        False: they certainly do not touch. True: they may touch, or certainly do if `exact`.
    level : int
        Deepest completed level of the sphere-trees, or one more for the exact test of the triangles. Spheres that prove
        an overlap of solids end the descent early.
    exact : bool
        The answer is final.
    error_bound : float
        If they are reported to touch but do not, their distance is at most this, m. Closed meshes count as solids.
    steps : int
        Pairs of spheres tested since the pose was given.
    """

    hit: bool
    level: int
    exact: bool
    error_bound: float
    steps: int

    def __bool__(self) -> bool:
        return self.hit


class ProgressivePair(Copyable):
    """Repeated collision tests of two meshes with sphere-trees, each within a budget.

    The constructor compiles all kernels and builds all trees. Queries at poses near the last one test again the pairs
    of spheres found there, instead of starting from the roots; this never changes an answer.

    Parameters
    ----------
    tree_a, tree_b : SphereTree
        The trees of the two meshes.
    """

    def __init__(self, tree_a: SphereTree, tree_b: SphereTree) -> None:
        for name, tree in (("tree_a", tree_a), ("tree_b", tree_b)):
            if not isinstance(tree, SphereTree):
                raise InvalidInputError(f"{name} is {validate.shown(tree)}; expected a carom.time_critical.SphereTree")
        self.tree_a = tree_a
        self.tree_b = tree_b
        self.levels = min(tree_a.levels, tree_b.levels)
        """Levels of spheres; the next one is the exact test."""
        self._a, self._b = sphere_arrays(tree_a), sphere_arrays(tree_b)
        self._meshes = tree_of(tree_a.mesh), tree_of(tree_b.mesh)
        for boxes in self._meshes:
            wide_tree_of(boxes)
        self._entries = _no_entries(_ROOM, self.levels)
        self._state = np.zeros(DESCENT_STATE, np.int64)
        self._skins = np.zeros(self.levels + 1)
        self._rot, self._shift = np.eye(3).reshape(9), np.zeros(3)
        self._kept_at: tuple[Floats, Floats] | None = None
        """Pose for which the kept entries were found."""
        self._answer: ProgressiveCollision | None = None
        self._cost = ExactCost()
        self._make_ready()
        self.forget()

    def query(
        self,
        pose_a: ArrayLike | None = None,
        pose_b: ArrayLike | None = None,
        *,
        budget: float | None = None,
        steps: int | None = None,
        level: int | None = None,
    ) -> ProgressiveCollision:
        """Test whether the meshes touch at a pose.

        The search descends level by level until the answer is final or a limit is reached. The exact test of the
        triangles is level `levels` + 1. It cannot be interrupted, and starts only if the remaining budget is twice the
        time that such tests took recently.

        Parameters
        ----------
        pose_a, pose_b : array_like of shape (4, 4), optional
            Rigid transforms, m. Default: the identity.
        budget : float, optional
            Wall-clock time, s. Default: no limit.
        steps : int, optional
            Pairs of spheres tested; up to 72 more may be tested. Default: no limit.
        level : int, optional
            Last level to test. Default: no limit.

        Returns
        -------
        ProgressiveCollision
            The answer of the last completed level.
        """
        begin = time.perf_counter()
        where, there = poses("pose_a", pose_a), poses("pose_b", pose_b)
        if not (where.single and there.single):
            raise InvalidInputError("pose_a and pose_b have to be single 4x4 matrices for a query with a budget")
        rots, shifts = relative(where, there)
        return self.query_placed(rots[0], shifts[0], budget=budget, steps=steps, level=level, begin=begin)

    def query_placed(
        self,
        rot: Floats,
        shift: Floats,
        *,
        budget: float | None = None,
        steps: int | None = None,
        level: int | None = None,
        begin: float | None = None,
    ) -> ProgressiveCollision:
        """As `query`, for b placed in the frame of a by x_a = R x_b + t: rot (9,) by rows, shift (3,), float64.

        Whether it is a rotation is not checked. begin: time.perf_counter() at which the budget began to run; None for now.
        """
        begin = time.perf_counter() if begin is None else begin
        limits = descent_limits(self.levels, budget, steps, level)
        rot = validate.placed("rot", rot, np.float64, (9,)).copy()
        shift = validate.placed("shift", shift, np.float64, (3,)).copy()
        self._keep_entries(rot, shift)
        self._rot, self._shift = rot, shift
        self._state[DESCENT_LEVEL], self._state[DESCENT_TESTS] = -1, 0
        self._state[DESCENT_CURSOR] = 0
        self._answer = None
        return self._go_on(begin, *limits)

    def resume(
        self, *, budget: float | None = None, steps: int | None = None, level: int | None = None
    ) -> ProgressiveCollision:
        """Continue at the pose of the last query with a new budget, without repeating work."""
        begin = time.perf_counter()
        if self._state[DESCENT_LEVEL] < 0:
            raise InvalidInputError("there is nothing to resume; ask query first")
        limits = descent_limits(self.levels, budget, steps, level)
        if self._answer is not None:
            return self._answer
        return self._go_on(begin, *limits)

    def forget(self) -> None:
        """Start the next query from the roots, as the first one does."""
        self._state[:] = 0
        self._state[DESCENT_LEVEL] = -1
        self._skins[:] = 0.0
        self._kept_at = None
        self._answer = None

    def _keep_entries(self, rot: Floats, shift: Floats) -> None:
        """Decide which levels' entries are looked at again at the new pose, and with which skins others are found."""
        found = max(self._state[DESCENT_LEVEL], self._state[KEPT])
        if self._kept_at is None:
            self._kept_at = rot, shift
            self._state[KEPT] = 0
            return
        step = moved(self._b, rot, shift, self._rot, self._shift)
        if step == 0.0:
            self._state[KEPT] = found
            return
        way = moved(self._b, rot, shift, *self._kept_at)
        lasting = int(np.argmin(np.append((self._skins[1:] > 0.0) & (self._skins[1:] >= way), False)))
        self._state[KEPT] = min(found, lasting)
        if self._state[KEPT] == 0:
            skin = _AHEAD * step
            self._skins = np.where(np.logical_and.accumulate(skin <= _THICKEST * self._sizes), skin, 0.0)
            self._kept_at = rot, shift

    @cached_property
    def _sizes(self) -> Floats:
        """Mean sum of the radii of a pair, by level."""
        return np.array(
            [self.tree_a.level(k)[:, 3].mean() + self.tree_b.level(k)[:, 3].mean() for k in range(self.levels + 1)]
        )

    def _make_ready(self) -> None:
        """Compile everything and measure the clock, once, before any budget runs."""
        global _made_ready
        if not _made_ready:
            with compiling("the descent of sphere-trees"):
                ticks_per_second()
                self.query()
                self.query()
                mesh_collide(*self._meshes, self._rot[None], self._shift[None], threads=1)
            self._cost = ExactCost()
            _made_ready = True

    def _go_on(self, begin: float, seconds: float, tests: int, deepest: int) -> ProgressiveCollision:
        """Descend until limits or the end are reached."""
        assert self._kept_at is not None
        clock, rate = ticks(), ticks_per_second()
        left = (seconds - (time.perf_counter() - begin)) * rate
        limit = int(min(max(left, 0.0), NO_LIMIT))
        most_tests = min(tests + int(self._state[DESCENT_TESTS]), NO_LIMIT)
        # Entries found now are to last as long as those found at the pose where keeping began.
        off = moved(self._b, self._rot, self._shift, *self._kept_at)
        skins = np.where(self._skins > 0.0, self._skins + off, 0.0)
        spheres = min(deepest, self.levels)
        while True:
            why = descend(
                self._a, self._b, self._rot, self._shift, skins, spheres, clock, limit, most_tests, self._entries,
                self._state,
            )  # fmt: skip
            if why != NO_ROOM:
                break
            self._entries = _enlarged(self._entries)
        level, counted = int(self._state[DESCENT_LEVEL]), int(self._state[DESCENT_TESTS])
        if why == DESCENT_APART:
            self._answer = ProgressiveCollision(False, level, True, 0.0, counted)
            return self._answer
        left = seconds - (time.perf_counter() - begin)
        if why == OUT_OF_BUDGET or deepest <= self.levels or not self._cost.fits(left):
            bound = 0.0 if why == SURE else float(self._entries.bounds[: level + 1].min())
            return ProgressiveCollision(True, level, False, bound, counted)
        started = time.thread_time()
        hit = bool(mesh_collide(*self._meshes, self._rot[None], self._shift[None], threads=1).hit[0])
        self._cost.took(time.thread_time() - started)
        self._answer = ProgressiveCollision(hit, self.levels + 1, True, 0.0, counted)
        return self._answer


class SphereHits(NamedTuple):
    """Of n poses: level (n,) at which the descent ended; hit (n,): do spheres touch there; bound (n,) of the error if so."""

    level: NDArray[np.int64]
    hit: NDArray[np.bool_]
    bound: Floats


def sphere_collide(tree_a: SphereTree, tree_b: SphereTree, rots: Floats, shifts: Floats, level: int) -> SphereHits:
    """Do the spheres of two trees touch, level by level down to `level`, at each of n poses? One thread, no budget.

    rots (n, 9) and shifts (n, 3) place b in the frame of a.
    """
    n, levels = len(rots), min(tree_a.levels, tree_b.levels)
    found = SphereHits(np.zeros(n, np.int64), np.zeros(n, np.bool_), np.zeros(n))
    entries, state = _no_entries(_ROOM, levels), np.zeros(DESCENT_STATE, np.int64)
    arrays = sphere_arrays(tree_a), sphere_arrays(tree_b)
    first = 0
    with compiling("the descent of sphere-trees over poses"):
        while first < n:
            first = descend_poses(*arrays, rots, shifts, np.zeros(levels + 1), level, first, entries, state, *found)
            if first < n:
                entries = _enlarged(entries)
    return found


def spheres_touch(
    tree_a: SphereTree, tree_b: SphereTree, rots: Floats, shifts: Floats, level: int
) -> NDArray[np.bool_]:
    """Do any spheres of `level` touch, at each of n poses? Yes or no, depth first: the `hit` of sphere_collide, sooner.

    rots (n, 9) and shifts (n, 3) place b in the frame of a.
    """
    hits = np.zeros(len(rots), np.bool_)
    stack = np.empty((64 * (level + 1), 2), np.int64)
    with compiling("the sphere filter"):
        meet_poses(
            sphere_arrays(tree_a), sphere_arrays(tree_b), rots, shifts, int(tree_a.level_start[level]), stack, hits
        )
    return hits


def filtered_collide(
    tree_a: SphereTree, tree_b: SphereTree, rots: Floats, shifts: Floats, *, threads: int | None = None
) -> NDArray[np.bool_]:
    """Do the meshes touch at each of n poses: spheres first, down to the leaves, and triangles only where those touch.

    rots (n, 9) and shifts (n, 3) place b in the frame of a. The answers are those of mesh_collide.
    """
    hits = spheres_touch(tree_a, tree_b, rots, shifts, min(tree_a.levels, tree_b.levels))
    near = np.flatnonzero(hits)
    trees = tree_of(tree_a.mesh), tree_of(tree_b.mesh)
    hits[near] = mesh_collide(*trees, rots[near], shifts[near], threads=threads).hit
    return hits


def _no_entries(room: int, levels: int) -> Entries:
    return Entries(
        np.empty((room, 3), np.int32), np.empty(room, np.bool_), np.zeros(levels + 2, np.int64),
        np.zeros(levels + 1, np.int64), np.full(levels + 1, np.inf),
    )  # fmt: skip


def _enlarged(entries: Entries) -> Entries:
    """The same entries with twice the room."""
    room = 2 * len(entries.rows)
    rows, hits = np.empty((room, 3), np.int32), np.empty(room, np.bool_)
    rows[: len(entries.rows)], hits[: len(entries.hits)] = entries.rows, entries.hits
    return entries._replace(rows=rows, hits=hits)
