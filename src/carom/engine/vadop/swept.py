"""The event loop over velocity-aligned polytopes swept per frame (paper VADOP), exact inside the frame.

Frames are [k*dt, (k+1)*dt]. Shared axes bound every body as in the sweep over boxes; besides, each body is in the lists of
those axes of a pool that are nearly at right angles to its velocity.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom._compile.clock import ticks
from carom._compile.jit import inner_kernel, lean_kernel
from carom.bounds.axis_pool import axis_pool
from carom.bounds.velocity_aligned import LEAST_WAY, ZONE, choose_axes
from carom.boxes.still_boxes import find_pairs
from carom.engine.addresses import bodies_at, pairs_at, run_at
from carom.engine.audit import present_rows
from carom.engine.base import Rows
from carom.engine.contact import fire_or_due
from carom.engine.framed.frames import enter_frame, finish_in_frame, frame_is_over, is_quiet, next_frame
from carom.engine.loop import answer, clock_to, first_due
from carom.engine.pair_engine import PooledEngine
from carom.engine.pairs import begin_pair, collide_groups, find_pair, free_pairs_of
from carom.engine.sweep.swept_lists import swept_boxes
from carom.engine.tables import Tables
from carom.engine.vadop.axis_lists import (
    N_SHARED,
    N_WAITING,
    SETTLED,
    TO_ENTER,
    AxisLists,
    axis_lists_at,
    close_gaps,
    empty_lists,
    first_disorder,
    has_axis,
    leave_gaps,
    meet_elsewhere,
    meet_on_shared,
    with_room,
)
from carom.engine.vadop.axis_pool_size import PoolChoice
from carom.engine.vadop.list_order import end_close
from carom.engine.vadop.list_updates import AT_FRAME, enter_waiting, open_frame, place, settle, spheres_meet, wait
from carom.errors import AuditError
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import (
    CHANGED,
    CHANGED_I,
    CHANGED_J,
    DONE,
    FRAME_END,
    FRAME_LENGTH,
    MOTION_CHANGES,
    N_PAIRS,
    NOW,
    PAIRS_FULL,
    PROFILE,
    QUIET,
    SORTING,
    STATE_OVERLAP,
    TICKS_NARROW,
    TICKS_SORT,
    TICKS_UPDATE,
)

_FEW = 16
"""New bodies up to this many look for partners one by one; more of them by one search over all boxes."""


@inner_kernel
def _place_timed(bodies, pairs, run, lists, row, done):
    begin = ticks() if run.count[PROFILE] else 0
    narrow = run.param[TICKS_NARROW]
    place(bodies, pairs, run, lists, row, done)
    if run.count[PROFILE]:
        run.param[TICKS_UPDATE] += ticks() - begin - (run.param[TICKS_NARROW] - narrow)


@lean_kernel
def _run(table, until):
    """Process all frames and events up to `until`; returns as carom.tables.run_columns says."""
    bodies = bodies_at(table)
    pairs = pairs_at(table)
    run = run_at(table)
    lists = axis_lists_at(table)
    count = run.count
    param = run.param
    nobody = np.int64(NO_ID)  # a literal would compile what it is passed to a second time
    while True:
        if count[SORTING]:
            begin = ticks() if count[PROFILE] else 0
            narrow = param[TICKS_NARROW]
            code = settle(bodies, pairs, run, lists)
            if count[PROFILE]:
                param[TICKS_SORT] += ticks() - begin - (param[TICKS_NARROW] - narrow)
            if code == PAIRS_FULL:
                return answer(PAIRS_FULL)
        t_timer, t_pair = first_due(bodies, pairs, run)
        t_next = min(t_timer, t_pair)
        if frame_is_over(run, until, t_next):
            begin = ticks() if count[PROFILE] else 0
            next_frame(run)
            open_frame(bodies, run, lists)
            if count[PROFILE]:
                param[TICKS_UPDATE] += ticks() - begin
            if is_quiet(run):
                return answer(QUIET)
            continue
        if t_next > until:
            return finish_in_frame(run, until, t_next)
        clock_to(run, t_next)
        code = fire_or_due(bodies, pairs, run, t_timer == t_next)
        if code == CHANGED:
            done = nobody
            for row in (count[CHANGED_I], count[CHANGED_J]):
                if row != NO_ID:
                    count[MOTION_CHANGES] += 1
                    _place_timed(bodies, pairs, run, lists, row, done)
                    done = row
        elif code != DONE:
            return answer(code)


@lean_kernel
def _welcome(table, rows):
    """New rows choose their axes and wait to enter the lists."""
    bodies = bodies_at(table)
    run = run_at(table)
    lists = axis_lists_at(table)
    t = 0.5 * (run.param[NOW] + run.param[FRAME_END])
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        for w in range(lists.uses.shape[1]):
            lists.uses[row, w] = 0
        choose_axes(
            bodies, row, t, run.param[FRAME_LENGTH], lists.axes, lists.control[N_SHARED], lists.limit, lists.chosen
        )
        wait(lists, row, TO_ENTER)


@lean_kernel
def _enter_lists(table):
    """Let all that wait enter the lists."""
    enter_waiting(bodies_at(table), run_at(table), axis_lists_at(table))


@lean_kernel
def _leave_lists(lists, rows):
    """Take rows out of all lists."""
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        for d in range(lists.end_id.shape[0]):
            if has_axis(lists.uses, row, d):
                leave_gaps(lists, row, d)
        for w in range(lists.uses.shape[1]):
            lists.uses[row, w] = 0
        lists.inside[row] = 0
        lists.stage[row] = SETTLED
    close_gaps(lists)


@lean_kernel
def _begin_candidates(table, candidates):
    """Begin those candidate pairs that are close, end the others; the pool has room for all."""
    bodies = bodies_at(table)
    pairs = pairs_at(table)
    run = run_at(table)
    lists = axis_lists_at(table)
    for c in range(candidates.shape[0]):
        a = np.int64(candidates[c, 0])
        b = np.int64(candidates[c, 1])
        if not (lists.inside[a] and lists.inside[b]):
            continue
        if meet_elsewhere(lists, a, b, np.int64(-1)):
            begin_pair(bodies, pairs, run, a, b)
        else:
            slot = find_pair(bodies, pairs, a, b)
            if slot != NO_ID and pairs.state[slot] & STATE_OVERLAP:
                end_close(bodies, pairs, run, slot)


@lean_kernel
def _place_row(table, row):
    """The motion of `row` is new."""
    place(bodies_at(table), pairs_at(table), run_at(table), axis_lists_at(table), np.int64(row), np.int64(NO_ID))


@lean_kernel
def missing_pair(table, candidates):
    """First candidate that may collide and should be in the pool, but is not; -1 when none.

    Two settled rows that are close should be there as overlapping. Where one waits to enter lists, the pair should be there
    if shared axes and bounding spheres let the two touch before the end of the frame.
    """
    bodies = bodies_at(table)
    pairs = pairs_at(table)
    run = run_at(table)
    lists = axis_lists_at(table)
    for c in range(candidates.shape[0]):
        a = np.int64(candidates[c, 0])
        b = np.int64(candidates[c, 1])
        if not collide_groups(bodies, a, b):
            continue
        if lists.stage[a] != SETTLED or lists.stage[b] != SETTLED:
            if not (lists.inside[a] and lists.inside[b] and meet_on_shared(lists, a, b)):
                continue
            may_touch = spheres_meet(bodies, a, b, run.param[NOW], run.param[FRAME_END], 0.0)
            if may_touch and find_pair(bodies, pairs, a, b) == NO_ID:
                return c
        elif meet_elsewhere(lists, a, b, np.int64(-1)):
            slot = find_pair(bodies, pairs, a, b)
            if slot == NO_ID or not pairs.state[slot] & STATE_OVERLAP:
                return c
    return -1


class VadopEngine(PooledEngine):
    """Sorted lists over a pool of axes, of which each body uses those that suit its velocity."""

    def __init__(self, tables: Tables, method: str, matrix: bool, choice: PoolChoice) -> None:
        super().__init__(tables, method)
        self._use_matrix = matrix
        self._choice = choice
        self.lists = empty_lists(tables.axes, len(tables.axes))
        enter_frame(tables)
        self.bind()

    def _own_tables(self) -> tuple[AxisLists]:
        return (self.lists,)

    @property
    def pool_size(self) -> int:
        """Axes beside the shared ones."""
        return len(self.lists.axes) - len(self.tables.axes)

    def resize(self, capacity: int) -> None:
        """Room for `capacity` bodies in the lists, order kept."""
        self.lists = with_room(self.lists, capacity, self._use_matrix, True)
        self.bind()

    def step(self, until: float) -> float:
        """One call of the compiled loop, after a look whether the axes still suit the speeds."""
        if self.count[MOTION_CHANGES] >= self._choice.look_at:
            self._adopt_pool(present_rows(self.tables))
        return float(_run(self._table, until))

    def _adopt_pool(self, present: Rows) -> None:
        """Where another pool or zone suits the speeds better, let all bodies enter new lists; pairs stay."""
        size, zone = self._choice.look(self.tables, present)
        if size == self.pool_size and (size == 0 or math.isclose(math.sin(zone), self.lists.limit[ZONE])):
            return
        shared = self.tables.axes
        entered = self.lists.inside != 0
        axes = np.concatenate((shared, axis_pool(size).axes)) if size else shared
        self.lists = with_room(empty_lists(axes, len(shared)), self.tables.capacity, self._use_matrix, True)
        self.lists.limit[ZONE] = math.sin(zone)
        self.lists.limit[LEAST_WAY] = self._choice.least_way
        self.bind()
        if entered.any():
            self._enter(np.flatnonzero(entered).astype(np.int32), present)

    def insert(self, rows: Rows) -> None:
        """Find the places and the partners of new bodies."""
        everyone = present_rows(self.tables)
        if self._choice.grown(len(everyone)):
            self._adopt_pool(everyone)
        self._enter(rows, everyone)

    def _enter(self, rows: Rows, everyone: Rows) -> None:
        """Let rows that are in no list enter the lists, and find their partners among everyone in the lists."""
        _welcome(self._table, rows)
        if len(rows) > _FEW:
            _enter_lists(self._table)
            low, high = self._swept(everyone, float(self.param[NOW]), float(self.param[FRAME_END]))
            slack = 1e-12 * float(np.abs(low[np.isfinite(low)]).max(initial=1.0))
            is_new = np.zeros(self.tables.capacity, np.bool_)
            is_new[rows] = True
            candidates = everyone[find_pairs(low - slack, high + slack)].reshape(-1, 2)
            candidates = np.ascontiguousarray(candidates[is_new[candidates].any(axis=1)])
            self.grow_pairs(int(self.count[N_PAIRS]) + len(candidates))
            _begin_candidates(self._table, candidates)
            waiting = self.lists.waiting[: int(self.lists.control[N_WAITING])]
            self._keep_waiting(waiting[~is_new[waiting]])
            self.lists.stage[rows] = SETTLED
        self._settle()

    def _keep_waiting(self, waiting: Rows) -> None:
        kept = waiting.copy()
        self.lists.waiting[: len(kept)] = kept
        self.lists.control[N_WAITING] = len(kept)

    def _settle(self) -> None:
        """Let every body that waits for it find its place and its partners, with as much room as it takes."""
        self.count[SORTING] = AT_FRAME
        now = float(self.param[NOW])
        self.advance(-np.inf)
        self.param[NOW] = now

    def _swept(self, rows: Rows, t0: float, t1: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Boxes (n, k) of rows on the shared axes, swept over [t0, t1]: lower and upper ends."""
        low = np.empty((len(rows), len(self.tables.axes)))
        high = np.empty_like(low)
        swept_boxes(self.tables.bodies(), rows, t0, t1, low, high)
        return low, high

    def remove(self, rows: Rows) -> None:
        """Take bodies out of every list; all other predictions stay."""
        bodies, run = self.tables.bodies(), self.tables.run()
        for row in rows:
            free_pairs_of(bodies, self.pairs(), run, row)
        waiting = self.lists.waiting[: int(self.lists.control[N_WAITING])]
        self._keep_waiting(waiting[~np.isin(waiting, rows)])
        _leave_lists(self.lists, rows)

    def motion_renewed(self, row: int) -> None:
        """Axes of the pool are chosen by the motion, and bounds along them are those of a sphere that follows it."""
        self.motion_changed(row)

    def motion_changed(self, row: int) -> None:
        """Bring the body's ends to their places, choose its axes and predict its pairs afresh."""
        _place_row(self._table, row)
        if self.count[SORTING]:
            now = float(self.param[NOW])
            self.advance(-np.inf)
            self.param[NOW] = now

    def check(self, tolerance: float) -> None:
        """Prove order, places and members of every list, and that every close pair is in the pool."""
        if self.count[SORTING]:
            return
        super().check(tolerance)
        wrong = first_disorder(self.lists)
        if wrong >= 0:
            raise AuditError(f"the list of axis {wrong} is out of order, or its places or members are wrong")
        rows = present_rows(self.tables)
        now, end = float(self.param[NOW]), float(self.param[FRAME_END])
        low, high = self._swept(rows, now, max(now, end))
        self._check_values(rows, low, high)
        candidates = rows[find_pairs(low, high)].reshape(-1, 2)
        missing = missing_pair(self._table, candidates)
        if missing >= 0:
            a, b = candidates[missing]
            raise AuditError(f"rows {a} and {b} are close but not an active pair")

    def _check_values(self, rows: Rows, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        """Prove that the ends in the shared lists hold the boxes (n, k) of `rows` until the end of the frame."""
        lists: AxisLists = self.lists
        for d in range(low.shape[1]):
            scale = 1e-12 * float(np.abs(low[:, d][np.isfinite(low[:, d])]).max(initial=1.0))
            below = lists.value[d, lists.place[d, 2 * rows]] > low[:, d] + scale
            above = lists.value[d, lists.place[d, 2 * rows + 1]] < high[:, d] - scale
            if (below | above).any():
                row = rows[int(np.argmax(below | above))]
                raise AuditError(f"row {row} sticks out of its interval on axis {d}")
