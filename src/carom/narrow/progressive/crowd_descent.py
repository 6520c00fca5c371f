"""Interruptible descent of many pairs of sphere-trees together, level by level.

All trees lie in one forest of arrays. Entries (sphere of a, sphere of b, pair) of the level that is done stand in the order of
the pairs; the next level is found pair by pair, so that whenever time runs out the pairs before are one level deeper than
those after.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.clock import ticks
from carom._compile.jit import inline_kernel, lean_kernel
from carom._compile.lanes import lowest_place, spheres_touching
from carom.narrow.progressive.sphere_arrays import (
    SPHERE_LANES,
    SPHERE_WIDTH,
    placed,
    placed_back,
    pose_slack,
    square_apart,
)
from carom.narrow.progressive.sphere_descent import DESCENT_DEEPEST, NO_ROOM, OUT_OF_BUDGET

# Places in the state of a descent
CROWD_LEVEL = 0
"""Level that is done for all pairs that touch there; -1 before the first."""
CROWD_CURSOR = 1
"""Entry, or on level -1 pair, to go on from; the first of a pair."""
CROWD_COUNT = 2
"""Entries of the level that is done."""
CROWD_FOUND = 3
"""Entries so far of the level that is being found."""
CROWD_TESTS = 4
CROWD_STATE = 5


class Forest(NamedTuple):
    """Sphere-trees one after the other: rows as in SphereArrays, children counted through; roots (t,) and reaches (t,)."""

    spheres: NDArray[np.float64]
    depths: NDArray[np.float64]
    child_start: NDArray[np.int32]
    child_end: NDArray[np.int32]
    lanes: NDArray[np.float64]
    roots: NDArray[np.int64]
    reaches: NDArray[np.float64]


class Crowd(NamedTuple):
    """Bodies: tree (n,) of each, rotations (n, 9) by rows and positions (n, 3), x_world = R x + p; pairs (m, 2) of bodies."""

    tree: NDArray[np.int64]
    rotations: NDArray[np.float64]
    positions: NDArray[np.float64]
    pairs: NDArray[np.int64]


class PairAnswers(NamedTuple):
    """Of m pairs: levels (m,) done, -1 for none; hits (m,): do spheres touch there; bounds (m,): see ProgressiveCollision."""

    levels: NDArray[np.int64]
    hits: NDArray[np.bool_]
    bounds: NDArray[np.float64]


@inline_kernel
def relative_into(crowd, pair, rot, shift):
    """Place the second body of a pair in the frame of the first: x_a = R x_b + t."""
    a, b = crowd.pairs[pair, 0], crowd.pairs[pair, 1]
    for r in range(3):
        shift[r] = 0.0
        for k in range(3):
            shift[r] += crowd.rotations[a, 3 * k + r] * (crowd.positions[b, k] - crowd.positions[a, k])
        for c in range(3):
            total = 0.0
            for k in range(3):
                total += crowd.rotations[a, 3 * k + r] * crowd.rotations[b, 3 * k + c]
            rot[3 * r + c] = total


@inline_kernel
def _begin(forest, crowd, entries, answers, begin, limit, state, rot, shift):
    """Level 0: the roots of all pairs; False if time ran out."""
    n = state[CROWD_FOUND]
    for pair in range(state[CROWD_CURSOR], len(crowd.pairs)):
        state[CROWD_CURSOR], state[CROWD_FOUND] = pair, n
        if pair % 64 == 0 and ticks() - begin > limit:
            return False
        a, b = crowd.tree[crowd.pairs[pair, 0]], crowd.tree[crowd.pairs[pair, 1]]
        i, j = forest.roots[a], forest.roots[b]
        relative_into(crowd, pair, rot, shift)
        slack = pose_slack(forest.reaches[a], forest.reaches[b], shift)
        x, y, z = placed(forest.spheres, j, rot, shift)
        square = square_apart(forest.spheres, i, x, y, z)
        reach = forest.spheres[i, 3] + (forest.spheres[j, 3] + slack)
        state[CROWD_TESTS] += 1
        answers.levels[pair] = 0
        answers.hits[pair] = square <= reach * reach
        if answers.hits[pair]:
            answers.bounds[pair] = max(0.0, sqrt(square) - forest.depths[i] - forest.depths[j] + slack)
            if answers.bounds[pair] > 0.0:
                entries[n, 0], entries[n, 1], entries[n, 2] = i, j, pair
                n += 1
    state[CROWD_FOUND] = n
    return True


@inline_kernel
def _open_pair(forest, entries, first, last, found, n, rot, shift, slack, pair):
    """Children that touch of the entries first .. last - 1 of one pair, from found[n] on: (entries there are, tests, bound).

    Entries there are: -1 where `found` is full. Stops at a pair that proves that the solids overlap, with a bound of 0.
    """
    n_tests, bound = 0, inf
    for k in range(first, last):
        if n + SPHERE_WIDTH * SPHERE_WIDTH > len(found):
            return -1, n_tests, bound
        a, b = np.int64(entries[k, 0]), np.int64(entries[k, 1])
        first_a, first_b = np.int64(forest.child_start[a]), np.int64(forest.child_start[b])
        x, y, z = placed_back(forest.spheres, a, rot, shift)
        near = spheres_touching(forest.lanes, SPHERE_LANES * b, x, y, z, forest.spheres[a, 3] + slack)
        n_tests += forest.child_end[b] - first_b
        while near != 0:
            j = first_b + lowest_place(near)
            near &= near - 1
            x, y, z = placed(forest.spheres, j, rot, shift)
            close = spheres_touching(forest.lanes, SPHERE_LANES * a, x, y, z, forest.spheres[j, 3] + slack)
            n_tests += forest.child_end[a] - first_a
            while close != 0:
                i = first_a + lowest_place(close)
                close &= close - 1
                found[n, 0], found[n, 1], found[n, 2] = i, j, pair
                n += 1
                apart = sqrt(square_apart(forest.spheres, i, x, y, z))
                bound = min(bound, apart - forest.depths[i] - forest.depths[j] + slack)
        if bound <= 0.0:
            break
    return n, n_tests, max(0.0, bound)


@lean_kernel
def descend_crowd(forest, crowd, deepest, begin, limit, most_tests, even, odd, answers, state, rot, shift):
    """Go on from where `state` stands to level `deepest`, or until time or tests run out; returns why it came back.

    even and odd (c, 3): entries of even and of odd levels. A pair is tried whole or not at all, and every turn leaves one
    behind, so it ends. rot (9,) and shift (3,) are scratch.
    """
    if state[CROWD_LEVEL] < 0:
        if len(even) < len(crowd.pairs):
            return NO_ROOM
        if not _begin(forest, crowd, even, answers, begin, limit, state, rot, shift):
            return OUT_OF_BUDGET
        state[CROWD_LEVEL], state[CROWD_CURSOR] = 0, 0
        state[CROWD_COUNT], state[CROWD_FOUND] = state[CROWD_FOUND], 0
    while state[CROWD_LEVEL] < deepest:
        level = state[CROWD_LEVEL]
        entries, found = (even, odd) if level % 2 == 0 else (odd, even)
        while state[CROWD_CURSOR] < state[CROWD_COUNT]:
            if state[CROWD_TESTS] >= most_tests or ticks() - begin > limit:
                return OUT_OF_BUDGET
            first = state[CROWD_CURSOR]
            pair = entries[first, 2]
            last = first + 1
            while last < state[CROWD_COUNT] and entries[last, 2] == pair:
                last += 1
            relative_into(crowd, pair, rot, shift)
            a, b = crowd.tree[crowd.pairs[pair, 0]], crowd.tree[crowd.pairs[pair, 1]]
            slack = pose_slack(forest.reaches[a], forest.reaches[b], shift)
            n, n_tests, bound = _open_pair(
                forest, entries, first, last, found, state[CROWD_FOUND], rot, shift, slack, pair
            )  # fmt: skip
            if n < 0:
                return NO_ROOM
            state[CROWD_TESTS] += n_tests
            answers.levels[pair] = level + 1
            answers.hits[pair] = n > state[CROWD_FOUND]
            answers.bounds[pair] = min(answers.bounds[pair], bound) if n > state[CROWD_FOUND] else 0.0
            state[CROWD_CURSOR] = last
            if answers.bounds[pair] > 0.0:  # else the solids overlap for sure, and spheres can tell no more
                state[CROWD_FOUND] = n
        state[CROWD_LEVEL], state[CROWD_CURSOR] = level + 1, 0
        state[CROWD_COUNT], state[CROWD_FOUND] = state[CROWD_FOUND], 0
    return DESCENT_DEEPEST
