"""The event loop over a kinetic hash grid: cell crossings are events, and every body plans its own next one.

Balls and planes need no pair at all until they touch. Pairs enter the pool only where they must be remembered: when an
exact test is due because bounding spheres touch, or when a reported contact changed no motion.
"""

from __future__ import annotations

import math

import numpy as np

from carom._compile.address_call import call_int
from carom._compile.clock import ticks
from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.engine.addresses import bodies_at, pairs_at, run_at
from carom.engine.events.contact import touch
from carom.engine.events.order import before_key, first_times
from carom.engine.events.pairs import find_pair, free_pairs_of, pool_full
from carom.engine.events.timers import fire_timer
from carom.engine.kinetic_grid.attention import meets_at_contact
from carom.engine.kinetic_grid.cells import (
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
    grid_at,
    place_row,
)
from carom.engine.kinetic_grid.images import bring_near, take_back
from carom.engine.kinetic_grid.pairs import BEGIN_TEST, KEEP_TOLD, PAIR_DUE, PASS
from carom.engine.kinetic_grid.plan import plan_row, warm_row
from carom.engine.loop import answer, clock_to, finish
from carom.queues.in_kernels import queue_set, queue_top, queue_top_time
from carom.tables import run_columns as col
from carom.tables.body_columns import HEAD, ID, NO_ID
from carom.tables.run_columns import (
    ASK_PAIRS,
    ASK_PASS,
    ASK_RESPONSE,
    ASK_WIDE,
    CALLABLE,
    CHANGED,
    DONE,
    LOG_FULL,
    NO_KEY,
    PAIRS_FULL,
    PASSED,
    PLANS,
    REGRID,
)


@inline_kernel
def _serve(table, run, what, a, b):
    """Let carom.engine.kinetic_grid.pairs do it; ASK_PAIRS, with nothing done, where that is not compiled yet."""
    if run.count[col.PAIR_EVENT_ADDRESS] == 0:
        return np.int64(ASK_PAIRS)
    return call_int(run.count[col.PAIR_EVENT_ADDRESS], (table.ctypes.data, table.shape[0], what, a, b))


@inline_kernel
def _forget_pairs(table, bodies, pairs, run, grid, row):
    """The motion of `row` is new: its pairs and all plans with it are outdated."""
    run.count[col.MOTION_CHANGES] += 1
    if bodies.link[row, HEAD] != NO_ID:
        if run.count[col.AT_KEY] == NO_KEY:
            free_pairs_of(bodies, pairs, run, row)
        else:
            _serve(table, run, KEEP_TOLD, row, 0)
    grid.note[row, PLAN_CHANGES] += 1
    warm_row(bodies, grid, row)


@inner_kernel
def _touch(table, i, j):
    """touch for two balls, or a ball and a plane, without a slot. Handing over all tables would take longer than itself."""
    run = run_at(table)
    return touch(bodies_at(table), pairs_at(table), run, NO_ID, i, j, run.param[col.NOW])


@inline_kernel
def _meet(table, bodies, pairs, run, grid, a):
    """The event that row a has planned with its partner is due; PLANS asks to plan row a afresh."""
    b = np.int64(grid.note[a, PLAN_PARTNER])
    if grid.note[b, PLAN_CHANGES] != grid.note[a, PLAN_SEEN]:
        return PLANS
    if bodies.link[a, HEAD] != NO_ID and find_pair(bodies, pairs, a, b) != NO_ID:
        return PLANS
    if pool_full(pairs, run):
        return PAIRS_FULL
    if not meets_at_contact(bodies.link, a, b):
        code = _serve(table, run, BEGIN_TEST, a, b)
        return PLANS if code == DONE else code
    if run.count[col.N_LOG] == run.log.shape[0]:
        return LOG_FULL
    i, j = (a, b) if bodies.link[a, ID] < bodies.link[b, ID] else (b, a)
    moved = bring_near(bodies, run, grid, a, b, run.param[col.NOW]) if run.count[col.PERIODIC] else NO_ID
    code = _touch(table, i, j)
    if moved != NO_ID:
        take_back(bodies, run, moved)
    if code == PASSED and _serve(table, run, PASS, i, j) == ASK_PAIRS:
        run.count[col.CHANGED_I], run.count[col.CHANGED_J] = i, j
        return ASK_PASS
    return code


@lean_kernel
def run_grid(table, until):
    """Process all events up to `until`; returns as carom.tables.run_columns says."""
    bodies, pairs, run, grid = bodies_at(table), pairs_at(table), run_at(table), grid_at(table)
    while True:
        t_body = queue_top_time(grid.keys, grid.ties, grid.links)
        t_timer, t_pair = first_times(bodies, pairs, run)
        t_event = min(t_body, t_pair)
        if t_timer < math.inf and before_key(bodies, run, t_timer, t_event):
            due = min(t_event, t_timer)
            t_body = due if t_body == t_event else t_body
            t_pair = due if t_pair == t_event else t_pair
            t_timer = math.inf
        t_next = min(t_body, t_timer, t_pair)
        if t_next > until:
            return finish(run, until, t_next)
        clock_to(run, t_next)
        begin = ticks() if run.count[col.PROFILE] else 0
        narrow = run.param[col.TICKS_NARROW]
        row = queue_top(grid.keys, grid.ties, grid.links) if t_body == t_next else NO_ID
        slot = queue_top(pairs.keys, pairs.ties, pairs.links) if t_pair == t_next else NO_ID
        first, second, d, step, wide = row, NO_ID, -1, 0, NO_ID
        if row != NO_ID and grid.hot[row, PLAN_CROSSING] <= grid.hot[row, PLAN_PAIR]:
            wall = grid.note[row, PLAN_WALL]
            far = wall == OUTGROWN or abs(grid.note[row, CELL_X + (wall >> 1)]) >= FARTHEST
            if far or run.count[col.CROSSINGS_LEFT] <= 0:
                run.count[col.CROSSINGS_LEFT] = 0
                return answer(REGRID)
            run.count[col.SWAPS] += 1
            run.count[col.CROSSINGS_LEFT] -= 1
            d, step = cross_wall(grid, row, wall)
            code = PLANS
        elif t_timer == t_next:
            code = fire_timer(bodies, run, queue_top(bodies.timer_keys, run.none, bodies.timer_links))
        elif row != NO_ID and (slot == NO_ID or grid.ties[row] < pairs.ties[slot]):
            code = _meet(table, bodies, pairs, run, grid, row)
        else:
            code = _serve(table, run, PAIR_DUE, slot, 0)
        if code == CHANGED:
            first, second = run.count[col.CHANGED_I], run.count[col.CHANGED_J]
            if first != NO_ID:
                _forget_pairs(table, bodies, pairs, run, grid, first)
            if second != NO_ID:
                _forget_pairs(table, bodies, pairs, run, grid, second)
        elif code != PLANS and code != PASSED:
            if code != DONE:
                return answer(code)
            first = NO_ID
        # The one place where plans are made: the whole of it is merged into this loop.
        for _ in range(2):
            if first != NO_ID:
                plan_row(table, bodies, pairs, run, grid, first, d, step, first)
                if code == CHANGED and grid.note[first, CELL_LEVEL] == WIDE:
                    wide = first
            first, second = second, NO_ID
        if wide != NO_ID:
            return answer(ASK_WIDE)
        if run.count[col.PROFILE]:
            spent = ticks() - begin - (run.param[col.TICKS_NARROW] - narrow)
            run.param[col.TICKS_SORT if d >= 0 else col.TICKS_UPDATE] += spent
        if code == PASSED and run.count[col.RESPONSE] == CALLABLE:
            return answer(ASK_RESPONSE)


@lean_kernel
def enter_rows(bodies, pairs, run, grid, rows, levels):
    """Put bodies that are in no cell into the grid, at `levels` (WIDE for those without an end), without plans yet.

    Returns the number of rows done: less than all where one is too far away.
    """
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        warm_row(bodies, grid, row)
        grid.note[row, PLAN_CHANGES] += 1
        if levels[k] == WIDE:
            grid.note[row, CELL_LEVEL] = WIDE
            grid.wide[run.count[col.N_WIDE]] = row
            run.count[col.N_WIDE] += 1
        elif not place_row(bodies, grid, row, levels[k], run.param[col.NOW]):
            return k
    return rows.shape[0]


@lean_kernel
def leave_row(run, grid, row):
    """Take a body out of the grid; plans with it are outdated."""
    if grid.note[row, CELL_LEVEL] == WIDE:
        last = run.count[col.N_WIDE] - 1
        for k in range(last):
            if grid.wide[k] == row:
                grid.wide[k] = grid.wide[last]
        run.count[col.N_WIDE] = last
        grid.note[row, CELL_LEVEL] = ABSENT
    elif grid.note[row, CELL_LEVEL] >= 0:
        displace_row(grid, row)
    grid.note[row, PLAN_CHANGES] += 1
    grid.note[row, PLAN_PARTNER] = NO_ID
    grid.hot[row, PLAN_PAIR] = math.inf
    grid.hot[row, PLAN_CROSSING] = math.inf
    queue_set(grid.keys, grid.ties, grid.links, row, math.inf, 0)
