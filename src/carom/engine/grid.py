"""The event loop over a kinetic hash grid: cell crossings are events, and every body plans its own next one.

Balls and planes need no pair at all until they touch. Pairs enter the pool only where they must be remembered: when an
exact test is due because bounding spheres touch, or when a reported contact changed no motion.
"""

from __future__ import annotations

import math

import numpy as np

from carom._clock import ticks
from carom._jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.broad.kinetic_grid import (
    ABSENT,
    CELL_LEVEL,
    CELL_X,
    FARTHEST,
    OUTGROWN,
    PLAN_CHANGES,
    PLAN_CROSSING,
    PLAN_PAIR,
    PLAN_PARTNER,
    PLAN_SEEN,
    PLAN_WALL,
    WIDE,
    cross_wall,
    displace_row,
    place_row,
)
from carom.engine.address_table import bodies_at, grid_at, pairs_at, run_at
from carom.engine.contact import due, touch
from carom.engine.grid_plan import meets_at_contact, plan_row, plan_rows, warm_row
from carom.engine.pool import find_pair, free_pair, free_pairs_of, new_pair, pool_full
from carom.engine.predict import disarm, poll_after, predict, put, relative_state, same_acceleration, simple_polynomial
from carom.engine.state import (
    ASK_RESPONSE,
    CALLABLE,
    CHANGED,
    CHANGED_I,
    CHANGED_J,
    CROSSINGS_LEFT,
    DONE,
    LOG_FULL,
    MOTION_CHANGES,
    N_LOG,
    N_WIDE,
    NOW,
    PAIRS_FULL,
    PASSED,
    PERIODIC,
    PLANS,
    PROFILE,
    REGRID,
    RESPONSE,
    SHIFT,
    STATE_LEAVING,
    STATE_OVERLAP,
    STATE_REPORTED,
    SWAPS,
    TICKS_NARROW,
    TICKS_SORT,
    TICKS_UPDATE,
)
from carom.engine.timers import answer, clock_to, finish, fire_timer
from carom.layout import CX, HEAD, ID, KIND, NO_ID, RADIUS, T_REF, VX, X
from carom.queues.in_kernels import queue_set, queue_top, queue_top_time
from carom.shapes.kind import HALF_SPACE, POLLED
from carom.tolerances import LAZY_TEST_LEAD


@inner_kernel
def _straight_parting(bodies, i, j, now):
    """When bounding spheres with one acceleration have parted for good, not before now; inf when they never do."""
    body, link = bodies.body, bodies.link
    if link[i, KIND] == HALF_SPACE or link[j, KIND] == HALF_SPACE:
        g0, g1, _ = simple_polynomial(body, link[i, KIND], link[j, KIND], i, j, now)
        other = j if link[i, KIND] == HALF_SPACE else i
        g0 -= 2.0 * LAZY_TEST_LEAD * abs(body[other, RADIUS])
        return now + max(0.0, -g0 / g1) if g1 > 0.0 else math.inf
    dx, dy, dz, vx, vy, vz, _, _, _ = relative_state(body, i, j, now)
    dx += body[j, CX] - body[i, CX]
    dy += body[j, CX + 1] - body[i, CX + 1]
    dz += body[j, CX + 2] - body[i, CX + 2]
    r = (body[i, RADIUS] + body[j, RADIUS]) * (1.0 + 2.0 * LAZY_TEST_LEAD)
    b = dx * vx + dy * vy + dz * vz
    vv = vx * vx + vy * vy + vz * vz
    if vv == 0.0:
        return math.inf
    disc = b * b - vv * ((dx * dx + dy * dy + dz * dz) - r * r)
    return now + max(0.0, (math.sqrt(max(disc, 0.0)) - b) / vv)


@inner_kernel
def _settle(bodies, pairs, run, slot):
    """Schedule the end of a pair that has no event to come under its present motions."""
    if pairs.keys[slot] < math.inf:
        return
    i, j = np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0])
    now = run.param[NOW]
    if bodies.link[i, KIND] == POLLED or bodies.link[j, KIND] == POLLED:
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
def _neighbours(grid, i, j):
    """Are rows i, j in neighbouring cells, or one of them without an end? Not asked of periodic space."""
    level_i, level_j = grid.cell[i, CELL_LEVEL], grid.cell[j, CELL_LEVEL]
    if level_i < 0 or level_j < 0:
        return True
    level = max(level_i, level_j)
    for d in range(3):
        place_i = math.floor((grid.cell[i, CELL_X + d] + 0.5) * grid.width[level_i, d] / grid.width[level, d])
        place_j = math.floor((grid.cell[j, CELL_X + d] + 0.5) * grid.width[level_j, d] / grid.width[level, d])
        if abs(place_i - place_j) > 1:
            return False
    return True


@inner_kernel
def _bring_near(bodies, run, grid, i, j, t):
    """Move the row with the higher id to its image nearest the other at t; returns that row, NO_ID where space is plain.

    run.param[SHIFT:] holds the move.
    """
    if not run.count[PERIODIC] or grid.cell[i, CELL_LEVEL] < 0 or grid.cell[j, CELL_LEVEL] < 0:
        return NO_ID
    body = bodies.body
    low, high = (i, j) if bodies.link[i, ID] < bodies.link[j, ID] else (j, i)
    for d in range(3):
        period = grid.frame[3 + d]
        run.param[SHIFT + d] = 0.0
        if period > 0.0:
            there = body[high, X + d] + body[high, CX + d] + body[high, VX + d] * (t - body[high, T_REF])
            here = body[low, X + d] + body[low, CX + d] + body[low, VX + d] * (t - body[low, T_REF])
            run.param[SHIFT + d] = period * math.floor((here - there) / period + 0.5)
            body[high, X + d] += run.param[SHIFT + d]
    return high


@inner_kernel
def _take_back(bodies, run, row):
    """Undo _bring_near."""
    if row != NO_ID:
        for d in range(3):
            bodies.body[row, X + d] -= run.param[SHIFT + d]


@inner_kernel
def _begin_test(bodies, pairs, run, grid, i, j):
    """Rows i, j need an exact test: give them a slot, which has its own events from now on. The pool is not full."""
    slot = new_pair(bodies, pairs, run, i, j)
    pairs.state[slot] = STATE_OVERLAP
    pairs.since[slot] = -math.inf
    moved = _bring_near(bodies, run, grid, i, j, run.param[NOW])
    predict(bodies, pairs, run, slot, np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0]))
    _settle(bodies, pairs, run, slot)
    _take_back(bodies, run, moved)


@inner_kernel
def _pass(bodies, pairs, run, grid, i, j):
    """Rows i, j touched and nothing changed: remember that until they have parted. Row i has the lower id."""
    slot = new_pair(bodies, pairs, run, i, j)
    pairs.state[slot] = STATE_OVERLAP
    moved = _bring_near(bodies, run, grid, i, j, run.param[NOW])
    disarm(bodies, pairs, run, slot, i, j, run.param[NOW])
    _settle(bodies, pairs, run, slot)
    _take_back(bodies, run, moved)


@inner_kernel
def _renew_wide(bodies, pairs, run, grid, row):
    """The motion of a row without an end is new: all others plan with it."""
    one = grid.wide[run.count[N_WIDE] :]  # behind the rows without an end there is room for one more
    one[0] = row
    plan_rows(bodies, pairs, run, grid, one[:1])


@inline_kernel
def _forget_pairs(bodies, pairs, run, grid, row):
    """The motion of `row` is new: its pairs and all plans with it are outdated."""
    run.count[MOTION_CHANGES] += 1
    if bodies.link[row, HEAD] != NO_ID:
        free_pairs_of(bodies, pairs, run, row)
    grid.plan[row, PLAN_CHANGES] += 1
    warm_row(bodies, grid, row)


@inline_kernel
def _meet(bodies, pairs, run, grid, a):
    """The event that row a has planned with its partner is due; PLANS asks to plan row a afresh."""
    b = np.int64(grid.plan[a, PLAN_PARTNER])
    if grid.plan[b, PLAN_CHANGES] != grid.plan[a, PLAN_SEEN]:
        return PLANS
    if bodies.link[a, HEAD] != NO_ID and find_pair(bodies, pairs, a, b) != NO_ID:
        return PLANS
    if pool_full(pairs, run):
        return PAIRS_FULL
    if not meets_at_contact(bodies.link, a, b):
        _begin_test(bodies, pairs, run, grid, a, b)
        return PLANS
    if run.count[N_LOG] == run.log.shape[0]:
        return LOG_FULL
    i, j = (a, b) if bodies.link[a, ID] < bodies.link[b, ID] else (b, a)
    moved = _bring_near(bodies, run, grid, a, b, run.param[NOW]) if run.count[PERIODIC] else NO_ID
    code = touch(bodies, pairs, run, NO_ID, i, j, run.param[NOW])
    if moved != NO_ID:
        _take_back(bodies, run, moved)
    if code == PASSED:
        _pass(bodies, pairs, run, grid, i, j)
    return code


@inner_kernel
def _pair_due(bodies, pairs, run, grid, slot):
    """The event of a pair in the pool is due."""
    i, j = np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0])
    t = run.param[NOW]
    polled = bodies.link[i, KIND] == POLLED or bodies.link[j, KIND] == POLLED
    if polled and not _bounds_overlap(bodies, i, j, t):
        if not _neighbours(grid, i, j):
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
    moved = _bring_near(bodies, run, grid, i, j, t)
    code = due(bodies, pairs, run, slot, i, j)
    if code == DONE or code == ASK_RESPONSE:
        _settle(bodies, pairs, run, slot)
    _take_back(bodies, run, moved)
    return code


@lean_kernel
def run_grid(table, until):
    """Process all events up to `until`; returns as carom.engine.state says."""
    bodies = bodies_at(table)
    pairs = pairs_at(table)
    run = run_at(table)
    grid = grid_at(table)
    while True:
        t_body = queue_top_time(grid.keys, grid.ties, grid.links)
        t_timer = queue_top_time(bodies.timer_keys, run.none, bodies.timer_links)
        t_pair = queue_top_time(pairs.keys, pairs.ties, pairs.links)
        t_next = min(t_body, t_timer, t_pair)
        if t_next > until:
            return finish(run, until, t_next)
        clock_to(run, t_next)
        begin = ticks() if run.count[PROFILE] else 0
        narrow = run.param[TICKS_NARROW]
        row = queue_top(grid.keys, grid.ties, grid.links) if t_body == t_next else NO_ID
        slot = queue_top(pairs.keys, pairs.ties, pairs.links) if t_pair == t_next else NO_ID
        first, second, d, step = row, NO_ID, -1, 0
        if row != NO_ID and grid.plan_time[row, PLAN_CROSSING] <= grid.plan_time[row, PLAN_PAIR]:
            wall = grid.plan[row, PLAN_WALL]
            far = wall == OUTGROWN or abs(grid.cell[row, CELL_X + (wall >> 1)]) >= FARTHEST
            if far or run.count[CROSSINGS_LEFT] <= 0:
                run.count[CROSSINGS_LEFT] = 0
                return answer(REGRID)
            run.count[SWAPS] += 1
            run.count[CROSSINGS_LEFT] -= 1
            d, step = cross_wall(grid, row, wall)
            code = PLANS
        elif t_timer == t_next:
            code = fire_timer(bodies, run, queue_top(bodies.timer_keys, run.none, bodies.timer_links))
        elif row != NO_ID and (slot == NO_ID or grid.ties[row] < pairs.ties[slot]):
            code = _meet(bodies, pairs, run, grid, row)
        else:
            code = _pair_due(bodies, pairs, run, grid, slot)
        if code == CHANGED:
            first, second = run.count[CHANGED_I], run.count[CHANGED_J]
            if first != NO_ID:
                _forget_pairs(bodies, pairs, run, grid, first)
            if second != NO_ID:
                _forget_pairs(bodies, pairs, run, grid, second)
        elif code != PLANS and code != PASSED:
            if code != DONE:
                return answer(code)
            first = NO_ID
        # The one place where plans are made: the whole of it is merged into this loop.
        for _ in range(2):
            if first != NO_ID:
                if code == CHANGED and grid.cell[first, CELL_LEVEL] == WIDE:
                    _renew_wide(bodies, pairs, run, grid, first)
                else:
                    plan_row(bodies, pairs, run, grid, first, d, step, first)
            first, second = second, NO_ID
        if run.count[PROFILE]:
            spent = ticks() - begin - (run.param[TICKS_NARROW] - narrow)
            run.param[TICKS_SORT if d >= 0 else TICKS_UPDATE] += spent
        if code == PASSED and run.count[RESPONSE] == CALLABLE:
            return answer(ASK_RESPONSE)


@lean_kernel
def enter_rows(bodies, pairs, run, grid, rows, levels):
    """Put bodies that are in no cell into the grid, at `levels` (WIDE for those without an end), without plans yet.

    Returns the number of rows done: less than all where one is too far away.
    """
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        warm_row(bodies, grid, row)
        grid.plan[row, PLAN_CHANGES] += 1
        if levels[k] == WIDE:
            grid.cell[row, CELL_LEVEL] = WIDE
            grid.wide[run.count[N_WIDE]] = row
            run.count[N_WIDE] += 1
        elif not place_row(bodies, grid, row, levels[k], run.param[NOW]):
            return k
    return rows.shape[0]


@lean_kernel
def leave_row(run, grid, row):
    """Take a body out of the grid; plans with it are outdated."""
    if grid.cell[row, CELL_LEVEL] == WIDE:
        last = run.count[N_WIDE] - 1
        for k in range(last):
            if grid.wide[k] == row:
                grid.wide[k] = grid.wide[last]
        run.count[N_WIDE] = last
        grid.cell[row, CELL_LEVEL] = ABSENT
    elif grid.cell[row, CELL_LEVEL] >= 0:
        displace_row(grid, row)
    grid.plan[row, PLAN_CHANGES] += 1
    grid.plan[row, PLAN_PARTNER] = NO_ID
    grid.plan_time[row, PLAN_PAIR] = math.inf
    grid.plan_time[row, PLAN_CROSSING] = math.inf
    queue_set(grid.keys, grid.ties, grid.links, row, math.inf, 0)


@lean_kernel
def settle_pairs(bodies, pairs, run, slots):
    """Schedule the ends of pairs that were only remembered."""
    for k in range(slots.shape[0]):
        _settle(bodies, pairs, run, slots[k])
