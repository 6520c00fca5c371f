"""Interruptible descent of two sphere-trees, level by level.

The tree of b is placed in the frame of a (see `carom.narrow.progressive.sphere_arrays`). A pair of spheres of level j may
touch only if the pair of their parents does, and if the child of b meets the parent in a: so a level looks at the children of
the pairs of the level above.
Pairs are kept level by level, as entries (sphere of a, sphere of b, entry above); those of level j are rows starts[j] to
starts[j + 1] - 1, neighbours that share the entry above and the sphere of b side by side.

Entries may be kept with a *skin*: pairs that are apart by less than it too. As long as nothing has moved by more than the skin
the same entries are looked at again, which finds what a descent from the root would, without trying the others.
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

# Places in the state of a descent
DESCENT_LEVEL = 0
"""Deepest level that is done for this pose; -1 before the first."""
DESCENT_CURSOR = 1
"""Entry to go on from."""
KEPT = 2
"""Levels whose entries are from an earlier pose, to be looked at again."""
DESCENT_TESTS = 3
"""Pairs of spheres tested."""
DESCENT_STATE = 4

# Why a descent came back
DESCENT_DEEPEST = 0
"""The level asked for is done."""
DESCENT_APART = 1
"""No pair of the last level done touches."""
OUT_OF_BUDGET = 2
NO_ROOM = 3
"""`entries` is full."""
SURE = 4
"""The solids overlap for sure: spheres can tell no more."""

_WATCHED = 16
"""Entries looked at again between two looks at the tests left."""
NO_LIMIT = 1 << 62
"""Ticks, or tests, that are never reached."""
_UNWATCHED = 256
"""Tests between two looks at the clock, which takes as long as ten of them."""


class Entries(NamedTuple):
    """Pairs of spheres. rows (c, 3): sphere of a, of b, entry above; hits (c,): do they touch, and all pairs above them?

    starts (levels + 2,): first entry of each level; counts (levels + 1,): touching ones; bounds (levels + 1,): least distance
    that touching ones leave the solids.
    """

    rows: NDArray[np.int32]
    hits: NDArray[np.bool_]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    bounds: NDArray[np.float64]


@inline_kernel
def _less_apart(tree_a, tree_b, i, j, square, slack, bound):
    """The bound, or less: balls of the depths about both centres are inside, the solids are no farther apart than these."""
    left = sqrt(square) - tree_a.depths[i] - tree_b.depths[j] + slack
    return max(left, 0.0) if left < bound else bound


@inline_kernel
def _look_again(tree_a, tree_b, rot, shift, slack, level, at, last, entries, state):
    """Test entries at .. last - 1 of a level anew: the same formulas as where it was opened, one sphere at a time."""
    above, child = -1, -1
    x = y = z = radius = ax = ay = az = 0.0
    met = False
    rows, hits = entries.rows, entries.hits
    for k in range(at, last):
        i, j = rows[k, 0], rows[k, 1]
        if rows[k, 2] != above or j != child:
            if rows[k, 2] != above:
                above = rows[k, 2]
                ax, ay, az = placed_back(tree_a.spheres, rows[above, 0], rot, shift)
            child = j
            reach = tree_b.spheres[j, 3] + (tree_a.spheres[rows[above, 0], 3] + slack)
            met = hits[above] and square_apart(tree_b.spheres, j, ax, ay, az) <= reach * reach
            x, y, z = placed(tree_b.spheres, j, rot, shift)
            radius = tree_b.spheres[j, 3] + slack
            state[DESCENT_TESTS] += 1
        hits[k] = False
        if met:
            state[DESCENT_TESTS] += 1
            reach = tree_a.spheres[i, 3] + radius
            square = square_apart(tree_a.spheres, i, x, y, z)
            if square <= reach * reach:
                hits[k] = True
                entries.counts[level] += 1
                entries.bounds[level] = _less_apart(tree_a, tree_b, i, j, square, slack, entries.bounds[level])


@inline_kernel
def _open_touching(tree_a, tree_b, rot, shift, slack, k, bound, entries, n):
    """Add the pairs of children of entry k, which touches, that touch; (entries there are, tests, bound on the distance)."""
    rows, hits = entries.rows, entries.hits
    a, b = np.int64(rows[k, 0]), np.int64(rows[k, 1])
    first_a, first_b = np.int64(tree_a.child_start[a]), np.int64(tree_b.child_start[b])
    x, y, z = placed_back(tree_a.spheres, a, rot, shift)
    near = spheres_touching(tree_b.lanes, SPHERE_LANES * b, x, y, z, tree_a.spheres[a, 3] + slack)
    n_tests = tree_b.child_start[b + 1] - first_b
    while near != 0:
        j = first_b + lowest_place(near)
        near &= near - 1
        x, y, z = placed(tree_b.spheres, j, rot, shift)
        n_tests += tree_a.child_start[a + 1] - first_a
        touching = spheres_touching(tree_a.lanes, SPHERE_LANES * a, x, y, z, tree_b.spheres[j, 3] + slack)
        # A root for each pair would take longer than all else: only those that may lower the bound get one. The slack, which
        # is left out here, is more than rounding.
        closer = touching & spheres_touching(tree_a.deep_lanes, SPHERE_LANES * a, x, y, z, tree_b.depths[j] + bound)
        while closer != 0:
            i = first_a + lowest_place(closer)
            closer &= closer - 1
            bound = _less_apart(tree_a, tree_b, i, j, square_apart(tree_a.spheres, i, x, y, z), slack, bound)
        while touching != 0:
            rows[n, 0], rows[n, 1], rows[n, 2] = first_a + lowest_place(touching), j, k
            touching &= touching - 1
            hits[n] = True
            n += 1
    return n, n_tests, bound


@inline_kernel
def _open_with_skin(tree_a, tree_b, rot, shift, slack, skin, level, k, entries, n):
    """Add the pairs of children of entry k that touch, or are apart by less than the skin; (entries there are, tests)."""
    rows, hits = entries.rows, entries.hits
    a, b = np.int64(rows[k, 0]), np.int64(rows[k, 1])
    first_a, first_b = np.int64(tree_a.child_start[a]), np.int64(tree_b.child_start[b])
    x, y, z = placed_back(tree_a.spheres, a, rot, shift)
    radius = tree_a.spheres[a, 3] + slack
    met = spheres_touching(tree_b.lanes, SPHERE_LANES * b, x, y, z, radius)
    near = spheres_touching(tree_b.lanes, SPHERE_LANES * b, x, y, z, radius + skin)
    if not hits[k]:
        met = 0
    n_tests = tree_b.child_start[b + 1] - first_b
    while near != 0:
        place = lowest_place(near)
        near &= near - 1
        j = first_b + place
        x, y, z = placed(tree_b.spheres, j, rot, shift)
        radius = tree_b.spheres[j, 3] + slack
        n_tests += tree_a.child_start[a + 1] - first_a
        close = spheres_touching(tree_a.lanes, SPHERE_LANES * a, x, y, z, radius + skin)
        while close != 0:
            i = first_a + lowest_place(close)
            close &= close - 1
            rows[n, 0], rows[n, 1], rows[n, 2] = i, j, k
            square = square_apart(tree_a.spheres, i, x, y, z)
            reach = tree_a.spheres[i, 3] + radius
            hits[n] = (met >> place) & 1 == 1 and square <= reach * reach
            if hits[n]:
                entries.counts[level] += 1
                entries.bounds[level] = _less_apart(tree_a, tree_b, i, j, square, slack, entries.bounds[level])
            n += 1
    return n, n_tests


@inline_kernel
def _begin(tree_a, tree_b, rot, shift, slack, entries, state):
    """Level 0: the pair of the roots."""
    entries.rows[0, 0], entries.rows[0, 1], entries.rows[0, 2] = 0, 0, -1
    entries.starts[0], entries.starts[1] = 0, 1
    entries.counts[0], entries.bounds[0] = 0, inf
    x, y, z = placed(tree_b.spheres, 0, rot, shift)
    reach = tree_a.spheres[0, 3] + tree_b.spheres[0, 3] + slack
    square = square_apart(tree_a.spheres, 0, x, y, z)
    entries.hits[0] = square <= reach * reach
    if entries.hits[0]:
        entries.counts[0] = 1
        entries.bounds[0] = _less_apart(tree_a, tree_b, 0, 0, square, slack, inf)
    state[DESCENT_TESTS] += 1
    state[DESCENT_LEVEL] = 0
    state[DESCENT_CURSOR] = 1 if state[KEPT] > 0 else 0


@inline_kernel
def _descend(tree_a, tree_b, rot, shift, skins, deepest, begin, limit, most_tests, entries, state):
    """Go on from where `state` stands to level `deepest`, or until time or tests run out; returns why it came back.

    Every turn of the inner loops leaves an entry behind, and levels are finite: it ends. `begin` and `limit` in ticks of the
    clock. State and entries stay whole whatever the reason, so that the descent can go on.
    """
    slack = pose_slack(tree_a.reach, tree_b.reach, shift)
    seen = state[DESCENT_TESTS] - _UNWATCHED
    if state[DESCENT_LEVEL] < 0:
        _begin(tree_a, tree_b, rot, shift, slack, entries, state)
    starts = entries.starts
    while state[DESCENT_LEVEL] < deepest:
        if entries.counts[state[DESCENT_LEVEL]] == 0:
            return DESCENT_APART
        if entries.bounds[state[DESCENT_LEVEL]] == 0.0:
            return SURE
        level = state[DESCENT_LEVEL] + 1
        if level <= state[KEPT]:
            first, last = starts[level], starts[level + 1]
            if state[DESCENT_CURSOR] == first:
                entries.counts[level], entries.bounds[level] = 0, inf
            while state[DESCENT_CURSOR] < last:
                if state[DESCENT_TESTS] >= most_tests:
                    return OUT_OF_BUDGET
                if state[DESCENT_TESTS] - seen >= _UNWATCHED:
                    seen = state[DESCENT_TESTS]
                    if limit < NO_LIMIT and ticks() - begin > limit:
                        return OUT_OF_BUDGET
                to = min(state[DESCENT_CURSOR] + _WATCHED, last)
                _look_again(tree_a, tree_b, rot, shift, slack, level, state[DESCENT_CURSOR], to, entries, state)
                state[DESCENT_CURSOR] = to
                if entries.bounds[level] == 0.0:
                    return SURE
        else:
            first, last = starts[level - 1], starts[level]
            if state[DESCENT_CURSOR] == first:
                entries.counts[level], entries.bounds[level] = 0, inf
                starts[level + 1] = last
            skin = skins[level]
            n = starts[level + 1]
            for k in range(state[DESCENT_CURSOR], last):
                if not entries.hits[k] and skin == 0.0:
                    continue
                full = n + SPHERE_WIDTH * SPHERE_WIDTH > len(entries.rows)
                spent = state[DESCENT_TESTS] >= most_tests
                if state[DESCENT_TESTS] - seen >= _UNWATCHED and not spent:
                    seen = state[DESCENT_TESTS]
                    spent = limit < NO_LIMIT and ticks() - begin > limit
                if spent or full:
                    state[DESCENT_CURSOR], starts[level + 1] = k, n
                    return OUT_OF_BUDGET if spent else NO_ROOM
                if skin == 0.0:
                    before = n
                    n, n_tests, entries.bounds[level] = _open_touching(
                        tree_a, tree_b, rot, shift, slack, k, entries.bounds[level], entries, n
                    )
                    entries.counts[level] += n - before
                else:
                    n, n_tests = _open_with_skin(tree_a, tree_b, rot, shift, slack, skin, level, k, entries, n)
                state[DESCENT_TESTS] += n_tests
                if entries.bounds[level] == 0.0:
                    state[DESCENT_CURSOR], starts[level + 1] = k + 1, n
                    return SURE
            starts[level + 1] = n
        state[DESCENT_LEVEL] = level
        # What comes next: the entries of the next level, if kept, or the children of this one's.
        state[DESCENT_CURSOR] = starts[level + 1] if level + 1 <= state[KEPT] else starts[level]
    return DESCENT_APART if entries.counts[state[DESCENT_LEVEL]] == 0 else DESCENT_DEEPEST


@lean_kernel
def descend(tree_a, tree_b, rot, shift, skins, deepest, begin, limit, most_tests, entries, state):
    """The descent at one pose; see _descend, merged into both callers: passing all arrays takes longer than level 1."""
    return _descend(tree_a, tree_b, rot, shift, skins, deepest, begin, limit, most_tests, entries, state)


@lean_kernel
def descend_poses(tree_a, tree_b, rots, shifts, skins, deepest, first, entries, state, levels, hits, bounds):
    """Descents from the roots at poses first .. n - 1, without a limit of time; returns the pose at which room ran out, or n.

    levels (n,): the last level looked at; hits (n,): whether spheres touch there; bounds (n,): least distance that touching
    pairs of that level leave.
    """
    for k in range(first, len(rots)):
        state[DESCENT_LEVEL], state[DESCENT_CURSOR], state[KEPT] = -1, 0, 0
        why = _descend(tree_a, tree_b, rots[k], shifts[k], skins, deepest, 0, NO_LIMIT, NO_LIMIT, entries, state)
        if why == NO_ROOM:
            return k
        levels[k] = state[DESCENT_LEVEL]
        hits[k] = entries.counts[state[DESCENT_LEVEL]] > 0
        bounds[k] = 0.0 if why == SURE else entries.bounds[state[DESCENT_LEVEL]]
    return len(rots)


@lean_kernel
def meet_poses(tree_a, tree_b, rots, shifts, first_row, stack, hits):
    """Does any pair of spheres of one level touch, or do the solids overlap for sure, at each pose?

    Depth first, which finds a pair sooner when nothing may interrupt it. first_row: of a, at which the level begins. stack
    (s, 2): 64 rows a level suffice.
    """
    for k in range(len(rots)):
        rot, shift = rots[k], shifts[k]
        slack = pose_slack(tree_a.reach, tree_b.reach, shift)
        x, y, z = placed(tree_b.spheres, 0, rot, shift)
        reach = tree_a.spheres[0, 3] + tree_b.spheres[0, 3] + slack
        hits[k] = False
        if square_apart(tree_a.spheres, 0, x, y, z) > reach * reach:
            continue
        stack[0, 0] = stack[0, 1] = 0
        size = 1
        while size > 0:
            size -= 1
            a, b = stack[size, 0], stack[size, 1]
            if a >= first_row:
                hits[k] = True
                break
            first_a, first_b = np.int64(tree_a.child_start[a]), np.int64(tree_b.child_start[b])
            x, y, z = placed_back(tree_a.spheres, a, rot, shift)
            near = spheres_touching(tree_b.lanes, SPHERE_LANES * b, x, y, z, tree_a.spheres[a, 3] + slack)
            while near != 0 and not hits[k]:
                j = first_b + lowest_place(near)
                near &= near - 1
                x, y, z = placed(tree_b.spheres, j, rot, shift)
                close = spheres_touching(tree_a.lanes, SPHERE_LANES * a, x, y, z, tree_b.spheres[j, 3] + slack)
                while close != 0:
                    i = first_a + lowest_place(close)
                    close &= close - 1
                    stack[size, 0], stack[size, 1] = i, j
                    size += 1
                    inner = tree_a.depths[i] + tree_b.depths[j]
                    if inner > 0.0 and square_apart(tree_a.spheres, i, x, y, z) < inner * inner:
                        hits[k] = True
            if hits[k]:
                break


@lean_kernel
def moved(tree_b, rot, shift, rot_before, shift_before):
    """No centre of a sphere of b has moved farther than this, in the frame of a, since an earlier pose.

    Two rotations move a vector of length 1 apart by less than the root of the squares of their entries' differences.
    """
    x, y, z = tree_b.spheres[0, 0], tree_b.spheres[0, 1], tree_b.spheres[0, 2]
    turned = 0.0
    way = 0.0
    for r in range(3):
        dx, dy, dz = (
            rot[3 * r] - rot_before[3 * r],
            rot[3 * r + 1] - rot_before[3 * r + 1],
            rot[3 * r + 2] - rot_before[3 * r + 2],
        )
        turned += dx * dx + dy * dy + dz * dz
        step = dx * x + dy * y + dz * z + shift[r] - shift_before[r]
        way += step * step
    return sqrt(way) + sqrt(turned) * tree_b.spread
