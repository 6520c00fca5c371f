"""Pairs of a kinetic grid that must be remembered: those with an exact test, and those that touched and changed nothing.

Called by address, so that a gas of elastic balls compiles without it.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numba import carray

from carom._compile.address_call import as_int64
from carom._compile.jit import c_callback, compiling, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.addresses import TABLE_COLUMNS, bodies_at, pairs_at, run_at
from carom.engine.events.contact import due
from carom.engine.events.pairs import free_pair, new_pair, slot_and_next
from carom.engine.events.predict import (
    poll_after,
    poll_interval,
    predict,
    put,
    simple_polynomial,
    test_lead,
)
from carom.engine.events.rearm import arm, disarm, predict_new, stays_told
from carom.engine.events.row_motion import relative_state, same_acceleration
from carom.engine.kinetic_grid.cells import CELL_LEVEL, CELL_X, grid_at
from carom.engine.kinetic_grid.images import bring_near, take_back
from carom.shapes.kind import HALF_SPACE, POLLED
from carom.tables.body_columns import CX, HEAD, KIND, NO_ID, RADIUS
from carom.tables.run_columns import ASK_RESPONSE, DONE, NOW, PAUSE, STATE_LEAVING, STATE_OVERLAP, STATE_REPORTED

# What is asked of the C function
PAIR_DUE = 0
"""The event of the pair in slot a is due."""
BEGIN_TEST = 1
"""Rows a and b need an exact test."""
PASS = 2
"""Rows a and b, the lower id first, touched, and no motion changed."""
KEEP_TOLD = 3
"""Row a has reached a key: forget its pairs, except those whose contact was reported and goes on."""


@inner_kernel
def _straight_parting(bodies, i, j, now):
    """When bounding spheres with one acceleration have parted for good, not before now; inf when they never do."""
    body, link = bodies.body, bodies.link
    if link[i, KIND] == HALF_SPACE or link[j, KIND] == HALF_SPACE:
        g0, g1, _ = simple_polynomial(body, link[i, KIND], link[j, KIND], i, j, now)
        other = j if link[i, KIND] == HALF_SPACE else i
        g0 -= 2.0 * test_lead(body, i, j, abs(body[other, RADIUS]))
        return now + max(0.0, -g0 / g1) if g1 > 0.0 else math.inf
    dx, dy, dz, vx, vy, vz, _, _, _ = relative_state(body, i, j, now)
    dx += body[j, CX] - body[i, CX]
    dy += body[j, CX + 1] - body[i, CX + 1]
    dz += body[j, CX + 2] - body[i, CX + 2]
    r = body[i, RADIUS] + body[j, RADIUS]
    r += 2.0 * test_lead(body, i, j, r)
    b = dx * vx + dy * vy + dz * vz
    vv = vx * vx + vy * vy + vz * vz
    if vv == 0.0:
        return math.inf
    disc = b * b - vv * ((dx * dx + dy * dy + dz * dz) - r * r)
    return max(now + max(0.0, (math.sqrt(max(disc, 0.0)) - b) / vv), _boxes_part(bodies, i, j, now))


@inner_kernel
def _boxes_part(bodies, i, j, now):
    """When the boxes of two bodies with one acceleration have parted for good on an axis, not before now.

    An engine that takes over begins pairs whose boxes overlap: it must learn which of them were reported.
    """
    first = math.inf
    for d in range(3):
        for low, high in ((i, j), (j, i)):
            a0, a1, a2, a = bound_end(bodies, low, d, 1)
            b0, b1, b2, b = bound_end(bodies, high, d, 0)
            gap = (b0 + (now - b) * (b1 + (now - b) * b2)) - (a0 + (now - a) * (a1 + (now - a) * a2))
            rate = (b1 + 2.0 * (now - b) * b2) - (a1 + 2.0 * (now - a) * a2)
            if rate > 0.0:
                first = min(first, now + max(0.0, -gap / rate))
    return first


@inner_kernel
def _settle(bodies, pairs, run, slot):
    """Schedule the end of a pair that has no event to come under its present motions."""
    if pairs.keys[slot] < math.inf:
        return
    i, j = np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0])
    now = run.param[NOW]
    if bodies.link[i, KIND] == POLLED or bodies.link[j, KIND] == POLLED:
        if poll_interval(bodies, i, j) == math.inf:
            return  # what Python predicted holds until a motion changes
        t = poll_after(bodies, i, j, now)
    elif same_acceleration(bodies.body, i, j):
        t = _straight_parting(bodies, i, j, now)
    else:
        return  # they may come back: remembered until a motion changes
    put(bodies, pairs, slot, i, j, t, False)
    pairs.state[slot] |= STATE_LEAVING


@inner_kernel
def _bounds_overlap(bodies, i, j, t):
    """Do the boxes of rows i, j overlap at t?"""
    for d in range(3):
        a0, a1, a2, a = bound_end(bodies, i, d, 0)
        b0, b1, b2, b = bound_end(bodies, j, d, 1)
        if a0 + (t - a) * (a1 + (t - a) * a2) > b0 + (t - b) * (b1 + (t - b) * b2):
            return False
        a0, a1, a2, a = bound_end(bodies, i, d, 1)
        b0, b1, b2, b = bound_end(bodies, j, d, 0)
        if a0 + (t - a) * (a1 + (t - a) * a2) < b0 + (t - b) * (b1 + (t - b) * b2):
            return False
    return True


@inner_kernel
def neighbours(grid, i, j):
    """Are rows i, j in neighbouring cells, or one of them without an end? Not asked of periodic space."""
    level_i, level_j = grid.note[i, CELL_LEVEL], grid.note[j, CELL_LEVEL]
    if level_i < 0 or level_j < 0:
        return True
    level = max(level_i, level_j)
    for d in range(3):
        place_i = math.floor((grid.note[i, CELL_X + d] + 0.5) * grid.width[level_i, d] / grid.width[level, d])
        place_j = math.floor((grid.note[j, CELL_X + d] + 0.5) * grid.width[level_j, d] / grid.width[level, d])
        if abs(place_i - place_j) > 1:
            return False
    return True


@inner_kernel
def _begin_test(bodies, pairs, run, grid, i, j):
    """Rows i, j need an exact test: give them a slot, which has its own events from now on. The pool is not full."""
    slot = new_pair(bodies, pairs, run, i, j)
    moved = bring_near(bodies, run, grid, i, j, run.param[NOW])
    predict_new(bodies, pairs, run, slot, np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0]))
    _settle(bodies, pairs, run, slot)
    take_back(bodies, run, moved)


@inner_kernel
def _pass(bodies, pairs, run, grid, i, j):
    """Rows i, j touched and nothing changed: remember that until they have parted. Row i has the lower id."""
    slot = new_pair(bodies, pairs, run, i, j)
    pairs.state[slot] = STATE_OVERLAP
    moved = bring_near(bodies, run, grid, i, j, run.param[NOW])
    disarm(bodies, pairs, run, slot, i, j, run.param[NOW])
    _settle(bodies, pairs, run, slot)
    take_back(bodies, run, moved)


@inner_kernel
def _keep_told(bodies, pairs, run, grid, row):
    """Row `row` has reached a key: forget its pairs, except those whose contact was reported and goes on."""
    node = bodies.link[row, HEAD]
    while node != NO_ID:
        slot, after = slot_and_next(pairs, node)
        i, j = np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0])
        if stays_told(bodies, pairs, run, slot, i, j):
            moved = bring_near(bodies, run, grid, i, j, run.param[NOW])
            arm(bodies, pairs, run, slot, i, j)
            _settle(bodies, pairs, run, slot)
            take_back(bodies, run, moved)
        else:
            free_pair(bodies, pairs, run, slot)
        node = after


@inner_kernel
def _pair_due(bodies, pairs, run, grid, slot):
    """The event of a pair in the pool is due."""
    i, j = np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0])
    t = run.param[NOW]
    polled = poll_interval(bodies, i, j) < math.inf
    if polled and not _bounds_overlap(bodies, i, j, t):
        if not neighbours(grid, i, j):
            free_pair(bodies, pairs, run, slot)
            return DONE
        pairs.state[slot] &= ~STATE_REPORTED
        pairs.since[slot] = -math.inf
        put(bodies, pairs, slot, i, j, poll_after(bodies, i, j, t), False)
        return DONE
    if pairs.state[slot] & STATE_LEAVING:
        if polled:
            put(bodies, pairs, slot, i, j, math.inf, False)
            _settle(bodies, pairs, run, slot)
        else:
            free_pair(bodies, pairs, run, slot)
        return DONE
    moved = bring_near(bodies, run, grid, i, j, t)
    code = due(bodies, pairs, run, slot, i, j)
    if code == DONE or code == PAUSE or code == ASK_RESPONSE:
        _settle(bodies, pairs, run, slot)
    take_back(bodies, run, moved)
    return code


@lean_kernel
def settle_pairs(bodies, pairs, run, grid, slots):
    """Schedule the ends of pairs that were only remembered; in periodic space those of the images that are near now."""
    for k in range(slots.shape[0]):
        slot = np.int64(slots[k])
        i, j = np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0])
        moved = bring_near(bodies, run, grid, i, j, run.param[NOW])
        if moved != NO_ID:  # predicted so far as if space did not repeat
            predict(bodies, pairs, run, slot, i, j)
        _settle(bodies, pairs, run, slot)
        take_back(bodies, run, moved)


@lean_kernel
def pass_pair(table, i, j):
    """_pass for Python."""
    _pass(bodies_at(table), pairs_at(table), run_at(table), grid_at(table), i, j)


@functools.cache
def _pair_callback() -> Any:
    with compiling("the kinetic grid for pairs that are remembered"):

        @c_callback("int64(int64, int64, int64, int64, int64)")
        def serve(table, n_rows, what, a, b):
            arrays = carray(as_int64(table), (n_rows, TABLE_COLUMNS))
            bodies, pairs, run, grid = bodies_at(arrays), pairs_at(arrays), run_at(arrays), grid_at(arrays)
            if what == PAIR_DUE:
                return _pair_due(bodies, pairs, run, grid, a)
            if what == BEGIN_TEST:
                _begin_test(bodies, pairs, run, grid, a, b)
            elif what == KEEP_TOLD:
                _keep_told(bodies, pairs, run, grid, a)
            else:
                _pass(bodies, pairs, run, grid, a, b)
            return DONE

    return serve


def pair_address() -> int:
    """Address of a C function (table, its rows, what, a, b) -> code as carom.tables.run_columns says. Compiles on first use."""
    return int(_pair_callback().address)
