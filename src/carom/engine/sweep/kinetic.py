"""Kinetic sweep and prune (paper KSP, 3 to 5), also over velocity-aligned axes: exchanges in sorted lists are events."""

from __future__ import annotations

import math

import numpy as np

from carom._compile.jit import inline_kernel, lean_kernel
from carom.bounds.axis_pool import AxisPool, axis_pool
from carom.bounds.kinetic import rounding_pad
from carom.bounds.velocity_aligned import ZONE, choose_axes
from carom.engine.addresses import bodies_at, pairs_at, run_at
from carom.engine.audit import present_rows
from carom.engine.body_boxes import Boxes, bounds_at
from carom.engine.broad_phase_cost import pair_seconds
from carom.engine.contract import BroadPhase, Census, Rows, Settings
from carom.engine.events.pairs import free_pairs_of, pool_full, retest_pairs
from carom.engine.loop import clock_to, event_loop
from carom.engine.profile import spent, started
from carom.engine.sweep.axis_lists import (
    N_SHARED,
    N_WAITING,
    NOTHING,
    SETTLED,
    TO_SEARCH,
    AxisLists,
    axis_lists_at,
    count_apart,
    empty_lists,
    with_room,
)
from carom.engine.sweep.axis_pool_size import KINETIC_POOL, KINETIC_WIDTH
from carom.engine.sweep.engine import FEW, SweepEngine
from carom.engine.sweep.frame_updates import IN_FRAME, end_parted, search, wait
from carom.engine.sweep.kinetic_lists import (
    Swaps,
    exchange_neighbours,
    follow_choice,
    positions_now,
    swaps_at,
    worst_event,
    write_lists,
)
from carom.engine.sweep.list_order import apply_effect
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.queues.event_queue import EventQueue
from carom.queues.in_kernels import queue_top, queue_top_time
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import DONE, FRAME_LENGTH, NOW, PAIRS_FULL, SORTING, SWAPS, TICKS_SORT, TICKS_UPDATE


@inline_kernel
def _own_at(table):
    return axis_lists_at(table), swaps_at(table)


@inline_kernel
def _swap_time(run, own):
    swaps = own[1]
    return queue_top_time(swaps.keys, swaps.none, swaps.links)


@inline_kernel
def _swap(table, bodies, pairs, run, own, t):
    """Process the next exchange of the lists."""
    lists, swaps = own
    clock_to(run, t)
    if pool_full(pairs, run):
        return PAIRS_FULL
    begin = started(run)
    slot = queue_top(swaps.keys, swaps.none, swaps.links)
    stride = swaps.poly.shape[1]
    run.count[SWAPS] += 1
    left, right, effect = exchange_neighbours(lists, swaps, slot // stride, slot % stride, run.param[NOW])
    spent(run, TICKS_SORT, begin)
    if effect != NOTHING:
        apply_effect(bodies, pairs, run, lists, effect, np.int64(left) >> 1, np.int64(right) >> 1)
    return DONE


@lean_kernel
def _search_waiting(table):
    """Find the partners of all that wait for it; PAIRS_FULL asks to be called again with more room."""
    bodies, pairs, run, lists = bodies_at(table), pairs_at(table), run_at(table), axis_lists_at(table)
    while lists.control[N_WAITING] > 0:
        row = np.int64(lists.waiting[lists.control[N_WAITING] - 1])
        if search(bodies, pairs, run, lists, row, False) == PAIRS_FULL:
            return PAIRS_FULL
        lists.stage[row] = SETTLED
        lists.control[N_WAITING] -= 1
    run.count[SORTING] = 0
    return DONE


@lean_kernel
def _follow(table, row, done, jumps):
    """The motion of `row` is new: choose its axes, change lists, end and begin pairs, predict the others afresh.

    jumps: it may be somewhere else. done: a row whose pair with this one need not be predicted afresh, NO_ID for none.
    """
    bodies, pairs, run = bodies_at(table), pairs_at(table), run_at(table)
    lists, swaps = axis_lists_at(table), swaps_at(table)
    begin = started(run)
    now = run.param[NOW]
    first = lists.control[N_SHARED]
    choose_axes(bodies, row, now, run.param[FRAME_LENGTH], lists.axes, first, lists.limit, lists.chosen)
    moved = follow_choice(bodies, lists, swaps, row, jumps, now)
    if moved and lists.apart.shape[0] > 0:
        count_apart(lists, row)
    spent(run, TICKS_UPDATE, begin)
    if moved:
        end_parted(bodies, pairs, run, lists, row)
    retest_pairs(bodies, pairs, run, row, done)
    if moved and search(bodies, pairs, run, lists, row, False) == PAIRS_FULL:
        wait(lists, row, TO_SEARCH)
        run.count[SORTING] = IN_FRAME


@inline_kernel
def _place(table, row, done):
    _follow(table, row, done, False)


_run = event_loop(_own_at, _swap_time, _swap, _search_waiting, _place)


@lean_kernel
def _choose(table, rows):
    """Let rows choose their axes."""
    bodies, run, lists = bodies_at(table), run_at(table), axis_lists_at(table)
    t, frame, first = run.param[NOW], run.param[FRAME_LENGTH], lists.control[N_SHARED]
    for k in range(rows.shape[0]):
        choose_axes(bodies, np.int64(rows[k]), t, frame, lists.axes, first, lists.limit, lists.chosen)


class KineticEngine(SweepEngine):
    """Kinetic lists on the axes of the world, on those of a pool of which each body uses some, or on both."""

    def __init__(
        self, tables: Tables, method: str, matrix: bool, size: int = 0, zone: float | None = None, share: bool = True
    ) -> None:
        """size: axes of the pool; zone: rad, None to choose; share: use the axes of the world too, as without a pool."""
        super().__init__(tables, method, matrix)
        shared = tables.axes if share or size == 0 else np.zeros((0, 3))
        pool = axis_pool(size) if size else AxisPool(np.zeros((0, 3)), 0.0)
        self.lists = empty_lists(np.concatenate((shared, pool.axes)), len(shared))
        self.lists.limit[ZONE] = math.sin(min(KINETIC_WIDTH * pool.covering if zone is None else zone, 0.5 * math.pi))
        self._make_swaps()
        self.bind()

    def _make_swaps(self) -> None:
        poly = np.zeros((*self.lists.end_id.shape, 4))
        self.swap_queue = EventQueue(max(1, poly.shape[0] * poly.shape[1]), self.method)
        self._swaps = Swaps(poly, self.swap_queue.keys, self.swap_queue.links, self.tables.none)

    def _own_tables(self) -> tuple[AxisLists, Swaps]:
        return self.lists, self._swaps

    def _boxes(self, rows: Rows) -> Boxes:
        return bounds_at(self.tables, rows, float(self.param[NOW]))

    def resize(self, capacity: int) -> None:
        """Room for `capacity` bodies in the lists, order kept."""
        self.lists = with_room(self.lists, capacity, self._use_matrix, False)
        self._make_swaps()
        self._write_lists()
        self.bind()

    def _write_lists(self) -> None:
        """The order of ends is new: write everything that follows from it."""
        self._swaps.keys[: self._swaps.poly.shape[0] * self._swaps.poly.shape[1]] = math.inf
        write_lists(self.tables.bodies(), self.lists, self._swaps, float(self.param[NOW]))
        self.swap_queue.build()

    def step(self, until: float) -> float:
        """One call of the compiled loop."""
        return _run(self._table, until)

    def insert(self, rows: Rows) -> None:
        """Find the places and the partners of new bodies."""
        if len(rows) > FEW:
            self._sort_in(rows, present_rows(self.tables))
            return
        for row in rows:
            self.lists.uses[row] = 0
            self.motion_changed(int(row))

    def _sort_in(self, rows: Rows, everyone: Rows) -> None:
        """Sort all lists anew, with `rows` in them, and find their partners among everyone."""
        _choose(self._table, rows)
        self.lists.uses[rows] = self.lists.chosen[rows]
        self.lists.inside[rows] = 1
        now = float(self.param[NOW])
        bodies = self.tables.bodies()
        for d in range(len(self.lists.axes)):
            inside = (self.lists.uses[everyone, d // 64] >> (d % 64)) & 1 == 1
            users = everyone[inside]
            values = np.empty(2 * len(users))
            positions_now(bodies, self.lists, users, d, now, values)
            codes = np.concatenate((2 * users, 2 * users + 1)).astype(np.int32)
            self.lists.used[d] = len(codes)
            self.lists.end_id[d, : len(codes)] = codes[np.lexsort((codes, values))]
        self._write_lists()
        if self._use_matrix:
            for row in rows:
                count_apart(self.lists, int(row))
        if self.lists.control[N_SHARED] == len(self.tables.axes):
            self._begin_partners(rows, everyone)
            return
        # Bodies that have no axis in common count as close, wherever they are.
        self.lists.waiting[: len(rows)] = rows
        self.lists.control[N_WAITING] = len(rows)
        self.count[SORTING] = IN_FRAME
        self.settle()

    def remove(self, rows: Rows) -> None:
        """Take bodies out of every list; all other predictions stay."""
        bodies, run = self.tables.bodies(), self.tables.run()
        for row in rows:
            free_pairs_of(bodies, self.pairs(), run, row)
        leaving = np.zeros(self.tables.capacity, np.bool_)
        leaving[rows] = True
        for d in range(len(self.lists.axes)):
            codes = self.lists.end_id[d, : self.lists.used[d]]
            kept = codes[~leaving[codes >> 1]]
            self.lists.end_id[d, : len(kept)] = kept
            self.lists.used[d] = len(kept)
        self.lists.uses[rows] = 0
        self.lists.inside[rows] = 0
        self._write_lists()

    def motion_changed(self, row: int) -> None:
        """Bring the body into the lists of its new axes and predict its pairs afresh."""
        _follow(self._table, row, NO_ID, True)
        self.settle()

    def check(self, tolerance: float) -> None:
        """Prove that every list is sorted at this instant and has the right events."""
        super().check(tolerance)
        disorder, delay = worst_event(self.lists, self._swaps, float(self.param[NOW]))
        if disorder > tolerance + rounding_pad(
            self.tables.body[present_rows(self.tables)], self.tables.speed_between_keys()
        ):
            raise AuditError(f"neighbours of a kinetic list are out of order by {disorder} m")
        if delay > tolerance or not self.swap_queue.check():
            raise AuditError(f"a swap event is scheduled {delay} s too late, or their queue has lost its order")


_SWAP = 75e-9
_RENEWED = 1.0e-6
"""Seconds: an exchange in a sorted list; a motion change there."""


def _cost(census: Census) -> float:
    return census.swaps * _SWAP + census.changes * (_RENEWED + census.per_cell * pair_seconds(census))


def _vadop(tables: Tables, settings: Settings) -> KineticEngine:
    size = KINETIC_POOL if settings.pool is None else settings.pool
    return KineticEngine(tables, settings.queue, settings.matrix, size, settings.zone, settings.own_axes)


KINETIC = BroadPhase(
    "kinetic",
    "the kinetic sweep",
    lambda tables, settings: KineticEngine(tables, settings.queue, settings.matrix),
    frames=False,
    cost=_cost,
)
KINETIC_VADOP = BroadPhase(
    "kinetic-vadop",
    "the kinetic sweep over velocity-aligned axes",
    _vadop,
    options=frozenset({"axes", "pool", "zone"}),
    frames=False,
)
