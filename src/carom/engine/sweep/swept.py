"""Sweep and prune over boxes swept per frame (paper KSP, 2.1 and 5) or over velocity-aligned polytopes (paper VADOP).

Frames are [k*dt, (k+1)*dt]. At the start of a frame every end is swept over it and the lists are sorted; inside, contacts are
processed in time order. Shared axes bound every body; besides, each body is in the lists of those axes of a pool that are
nearly at right angles to its velocity.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, lean_kernel
from carom.bounds.axis_pool import axis_pool
from carom.bounds.velocity_aligned import LEAST_WAY, ZONE, choose_axes
from carom.engine.addresses import bodies_at, pairs_at, run_at
from carom.engine.audit import present_rows
from carom.engine.body_boxes import Boxes, swept_boxes
from carom.engine.contract import BroadPhase, Rows, Settings
from carom.engine.events.pairs import free_pairs_of
from carom.engine.framed.frames import enter_frame, frame_code, frame_time, next_frame
from carom.engine.loop import event_loop
from carom.engine.profile import spent, started
from carom.engine.sweep.axis_lists import (
    N_SHARED,
    SETTLED,
    TO_ENTER,
    AxisLists,
    axis_lists_at,
    close_gaps,
    empty_lists,
    has_axis,
    leave_gaps,
    with_room,
)
from carom.engine.sweep.axis_pool_size import PoolChoice
from carom.engine.sweep.engine import FEW, SweepEngine
from carom.engine.sweep.frame_updates import AT_FRAME, enter_waiting, open_frame, place, settle, wait
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import FRAME_END, FRAME_LENGTH, MOTION_CHANGES, NOW, SORTING, TICKS_SORT, TICKS_UPDATE


@lean_kernel
def _settle_lists(table):
    """Sort, let those that wait enter, and search, as Run.count[SORTING] says."""
    run = run_at(table)
    begin = started(run)
    code = settle(bodies_at(table), pairs_at(table), run, axis_lists_at(table))
    spent(run, TICKS_SORT, begin)
    return code


@lean_kernel
def _sweep_lists(table):
    """Sweep all ends over the frame that begins now."""
    run = run_at(table)
    begin = started(run)
    open_frame(bodies_at(table), run, axis_lists_at(table))
    spent(run, TICKS_UPDATE, begin)


@inline_kernel
def _open_frame(table, bodies, pairs, run, own, t):
    next_frame(run)
    _sweep_lists(table)
    return frame_code(run)


@lean_kernel
def _place_row(table, row, done):
    """The motion of `row` is new: predict its pairs afresh, except that with `done`, and bring it to its places."""
    run = run_at(table)
    begin = started(run)
    place(bodies_at(table), pairs_at(table), run, axis_lists_at(table), row, done)
    spent(run, TICKS_UPDATE, begin)


_run = event_loop(axis_lists_at, frame_time, _open_frame, _settle_lists, _place_row)


@lean_kernel
def _welcome(table, rows):
    """New rows choose their axes and wait to enter the lists."""
    bodies, run, lists = bodies_at(table), run_at(table), axis_lists_at(table)
    t, frame, first = 0.5 * (run.param[NOW] + run.param[FRAME_END]), run.param[FRAME_LENGTH], lists.control[N_SHARED]
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        for w in range(lists.uses.shape[1]):
            lists.uses[row, w] = 0
        choose_axes(bodies, row, t, frame, lists.axes, first, lists.limit, lists.chosen)
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


class SweptEngine(SweepEngine):
    """Lists that are sorted once per frame, on shared axes and on those of a pool that suits the speeds."""

    def __init__(self, tables: Tables, method: str, matrix: bool, choice: PoolChoice) -> None:
        super().__init__(tables, method, matrix)
        self._choice = choice
        self.lists = empty_lists(tables.axes, len(tables.axes))
        enter_frame(tables)
        self.bind()

    def _own_tables(self) -> tuple[AxisLists]:
        return (self.lists,)

    def _boxes(self, rows: Rows) -> Boxes:
        now, end = float(self.param[NOW]), float(self.param[FRAME_END])
        return swept_boxes(self.tables, rows, now, max(now, end))

    def resize(self, capacity: int) -> None:
        """Room for `capacity` bodies in the lists, order kept."""
        self.lists = with_room(self.lists, capacity, self._use_matrix, True)
        self.bind()

    def step(self, until: float) -> float:
        """One call of the compiled loop, after a look whether the axes still suit the speeds."""
        if self.count[MOTION_CHANGES] >= self._choice.look_at:
            self._adopt_pool(present_rows(self.tables))
        return _run(self._table, until)

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
        if len(rows) > FEW:
            _enter_lists(self._table)
            self._begin_partners(rows, everyone)
            self._keep_waiting(rows)
        self.count[SORTING] = AT_FRAME
        self.settle()

    def remove(self, rows: Rows) -> None:
        """Take bodies out of every list; all other predictions stay."""
        bodies, run = self.tables.bodies(), self.tables.run()
        for row in rows:
            free_pairs_of(bodies, self.pairs(), run, row)
        self._keep_waiting(rows)
        _leave_lists(self.lists, rows)

    def motion_changed(self, row: int) -> None:
        """Bring the body's ends to their places, choose its axes and predict its pairs afresh."""
        _place_row(self._table, row, NO_ID)
        self.settle()

    def check(self, tolerance: float) -> None:
        """Prove that the ends in the shared lists hold the swept boxes, unless a sort is still to come."""
        if self.count[SORTING]:
            return
        super().check(tolerance)
        rows = present_rows(self.tables)
        low, high = self._boxes(rows)
        for d in range(low.shape[1]):
            self._check_values(rows, d, low[:, d], high[:, d])

    def _check_values(self, rows: Rows, d: int, low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
        lists = self.lists
        scale = 1e-12 * float(np.abs(low[np.isfinite(low)]).max(initial=1.0))
        below = lists.value[d, lists.place[d, 2 * rows]] > low + scale
        above = lists.value[d, lists.place[d, 2 * rows + 1]] < high - scale
        if (below | above).any():
            row = rows[int(np.argmax(below | above))]
            raise AuditError(f"row {row} sticks out of its interval on axis {d}")


def _vadop(tables: Tables, settings: Settings) -> SweptEngine:
    choice = PoolChoice(settings.pool, settings.zone, settings.slow)
    return SweptEngine(tables, settings.queue, settings.matrix, choice)


SWEPT = BroadPhase(
    "swept",
    "the sweep over boxes swept per frame",
    lambda tables, settings: SweptEngine(tables, settings.queue, settings.matrix, PoolChoice(0, None, None)),
)
VADOP = BroadPhase(
    "vadop",
    "the sweep over velocity-aligned polytopes swept per frame",
    _vadop,
    options=frozenset({"axes", "pool", "zone", "slow"}),
)
