"""The event loop over kinetic lists on velocity-aligned axes: kinetic sweep and prune whose lists hold only their users."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom._compile.clock import ticks
from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.axis_pool import AxisPool, axis_pool
from carom.bounds.kinetic import rounding_pad
from carom.bounds.velocity_aligned import ZONE, choose_axes
from carom.boxes.still_boxes import find_pairs
from carom.engine.addresses import OWN, bodies_at, pairs_at, run_at, unpacker
from carom.engine.audit import present_rows
from carom.engine.base import Rows
from carom.engine.contact import fire_or_due
from carom.engine.loop import answer, clock_to, finish, first_due
from carom.engine.pair_engine import PooledEngine
from carom.engine.pairs import begin_pair, find_pair, free_pairs_of, pool_full, retest_pairs
from carom.engine.sweep.engine import bounds_of
from carom.engine.sweep.kinetic_lists import Swaps
from carom.engine.sweep.sorted_lists import BEGIN, END
from carom.engine.tables import Tables
from carom.engine.vadop.axis_lists import (
    N_SHARED,
    N_WAITING,
    SETTLED,
    TO_SEARCH,
    AxisLists,
    axis_lists_at,
    count_apart,
    empty_lists,
    first_disorder,
    with_room,
)
from carom.engine.vadop.axis_pool_size import KINETIC_WIDTH
from carom.engine.vadop.kinetic_axis_lists import (
    exchange_neighbours,
    follow_choice,
    positions_now,
    worst_event,
    write_lists,
)
from carom.engine.vadop.list_order import end_close
from carom.engine.vadop.list_updates import IN_FRAME, end_parted, search, wait
from carom.engine.vadop.swept import missing_pair
from carom.errors import AuditError
from carom.queues.event_queue import EventQueue
from carom.queues.in_kernels import queue_top, queue_top_time
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import (
    CHANGED,
    CHANGED_I,
    CHANGED_J,
    DONE,
    FRAME_LENGTH,
    MOTION_CHANGES,
    NOW,
    PAIRS_FULL,
    PROFILE,
    SORTING,
    SWAPS,
    TICKS_SORT,
    TICKS_UPDATE,
)

_FEW = 16
"""New bodies up to this many enter one by one; more of them by sorting all lists anew."""


_swaps_at = unpacker(Swaps, OWN + len(AxisLists._fields))


@inline_kernel
def _swap(bodies, pairs, run, lists, swaps):
    """Process the next exchange of the lists."""
    begin = ticks() if run.count[PROFILE] else 0
    slot = queue_top(swaps.keys, swaps.none, swaps.links)
    stride = swaps.poly.shape[1]
    run.count[SWAPS] += 1
    left, right, effect = exchange_neighbours(lists, swaps, slot // stride, slot % stride, run.param[NOW])
    if run.count[PROFILE]:
        run.param[TICKS_SORT] += ticks() - begin
    if effect == BEGIN:
        begin_pair(bodies, pairs, run, np.int64(left) >> 1, np.int64(right) >> 1)
    elif effect == END:
        pair = find_pair(bodies, pairs, np.int64(left) >> 1, np.int64(right) >> 1)
        if pair != NO_ID:
            end_close(bodies, pairs, run, pair)


@inner_kernel
def _search_waiting(bodies, pairs, run, lists):
    """Find the partners of all that wait for it; PAIRS_FULL asks to be called again with more room."""
    while lists.control[N_WAITING] > 0:
        row = np.int64(lists.waiting[lists.control[N_WAITING] - 1])
        if search(bodies, pairs, run, lists, row, False) == PAIRS_FULL:
            return PAIRS_FULL
        lists.stage[row] = SETTLED
        lists.control[N_WAITING] -= 1
    run.count[SORTING] = 0
    return DONE


@inner_kernel
def _follow(bodies, pairs, run, lists, swaps, row, done, jumps):
    """The motion of `row` is new: choose its axes, change lists, end and begin pairs, predict the others afresh."""
    begin = ticks() if run.count[PROFILE] else 0
    now = run.param[NOW]
    first = lists.control[N_SHARED]
    choose_axes(bodies, row, now, run.param[FRAME_LENGTH], lists.axes, first, lists.limit, lists.chosen)
    follow_choice(bodies, lists, swaps, row, jumps, now)
    if lists.apart.shape[0] > 0:
        count_apart(lists, row)
    if run.count[PROFILE]:
        run.param[TICKS_UPDATE] += ticks() - begin
    end_parted(bodies, pairs, run, lists, row)
    retest_pairs(bodies, pairs, run, row, done)
    if search(bodies, pairs, run, lists, row, False) == PAIRS_FULL:
        wait(lists, row, TO_SEARCH)
        run.count[SORTING] = IN_FRAME


@lean_kernel
def _run(table, until):
    """Process all events up to `until`; returns as carom.tables.run_columns says."""
    bodies = bodies_at(table)
    pairs = pairs_at(table)
    run = run_at(table)
    lists = axis_lists_at(table)
    swaps = _swaps_at(table)
    nobody = np.int64(NO_ID)
    while True:
        if run.count[SORTING] and _search_waiting(bodies, pairs, run, lists) == PAIRS_FULL:
            return answer(PAIRS_FULL)
        t_swap = queue_top_time(swaps.keys, swaps.none, swaps.links)
        t_timer, t_pair = first_due(bodies, pairs, run)
        t_next = min(t_swap, t_timer, t_pair)
        if t_next > until:
            return finish(run, until, t_next)
        clock_to(run, t_next)
        if t_swap == t_next:
            if pool_full(pairs, run):
                return answer(PAIRS_FULL)
            _swap(bodies, pairs, run, lists, swaps)
            continue
        code = fire_or_due(bodies, pairs, run, t_timer == t_next)
        if code == CHANGED:
            done = nobody
            for row in (run.count[CHANGED_I], run.count[CHANGED_J]):
                if row != NO_ID:
                    run.count[MOTION_CHANGES] += 1
                    _follow(bodies, pairs, run, lists, swaps, row, done, False)
                    done = row
        elif code != DONE:
            return answer(code)


@lean_kernel
def _follow_row(table, row):
    """The motion of `row` is new and may have jumped, or the row is new."""
    run = run_at(table)
    swaps = _swaps_at(table)
    _follow(bodies_at(table), pairs_at(table), run, axis_lists_at(table), swaps, np.int64(row), np.int64(NO_ID), True)


@lean_kernel
def _choose(table, rows):
    """Let rows choose their axes."""
    bodies = bodies_at(table)
    run = run_at(table)
    lists = axis_lists_at(table)
    first = lists.control[N_SHARED]
    for k in range(rows.shape[0]):
        choose_axes(
            bodies,
            np.int64(rows[k]),
            run.param[NOW],
            run.param[FRAME_LENGTH],
            lists.axes,
            first,
            lists.limit,
            lists.chosen,
        )


class KineticVadopEngine(PooledEngine):
    """Kinetic lists over a pool of axes, of which each body uses those that suit its velocity."""

    def __init__(self, tables: Tables, method: str, matrix: bool, size: int, zone: float | None, share: bool) -> None:
        """size: axes of the pool; share: use the axes of the tables too, as without a pool."""
        super().__init__(tables, method)
        self._use_matrix = matrix
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

    def resize(self, capacity: int) -> None:
        """Room for `capacity` bodies in the lists, order kept."""
        self.lists = with_room(self.lists, capacity, self._use_matrix, False)
        self._make_swaps()
        self._write_lists()

    def _write_lists(self) -> None:
        """The order of ends is new: write everything that follows from it."""
        self._swaps.keys[: self._swaps.poly.shape[0] * self._swaps.poly.shape[1]] = math.inf
        write_lists(self.tables.bodies(), self.lists, self._swaps, float(self.param[NOW]))
        self.swap_queue.build()
        self.bind()

    def step(self, until: float) -> float:
        """One call of the compiled loop."""
        return float(_run(self._table, until))

    def insert(self, rows: Rows) -> None:
        """Find the places and the partners of new bodies."""
        if len(rows) > _FEW:
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
        self.lists.waiting[: len(rows)] = rows
        self.lists.control[N_WAITING] = len(rows)
        self._search_partners()

    def _search_partners(self) -> None:
        """Find the partners of all that wait for it, with as much room as it takes."""
        self.count[SORTING] = IN_FRAME
        now = float(self.param[NOW])
        self.advance(-np.inf)
        self.param[NOW] = now

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

    def motion_renewed(self, row: int) -> None:
        """Axes of the pool are chosen by the motion, and bounds along them are those of a sphere that follows it."""
        self.motion_changed(row)

    def motion_changed(self, row: int) -> None:
        """Bring the body into the lists of its new axes and predict its pairs afresh."""
        _follow_row(self._table, row)
        if self.count[SORTING]:
            self._search_partners()

    def check(self, tolerance: float) -> None:
        """Prove that every list is sorted at this instant, has the right events, and that every close pair is known."""
        super().check(tolerance)
        wrong = first_disorder(self.lists)
        if wrong >= 0:
            raise AuditError(f"the places or members of the list of axis {wrong} are wrong")
        now = float(self.param[NOW])
        disorder, delay = worst_event(self.lists, self._swaps, now)
        if disorder > tolerance + rounding_pad(
            self.tables.body[present_rows(self.tables)], self.tables.speed_between_keys()
        ):
            raise AuditError(f"neighbours of a kinetic list are out of order by {disorder} m")
        if delay > tolerance or not self.swap_queue.check():
            raise AuditError(f"a swap event is scheduled {delay} s too late, or their queue has lost its order")
        rows = present_rows(self.tables)
        low, high = bounds_of(self.tables, rows, now)
        candidates: NDArray[np.int32] = rows[find_pairs(low, high)].reshape(-1, 2)
        missing = missing_pair(self._table, candidates)
        if missing >= 0:
            a, b = candidates[missing]
            raise AuditError(f"rows {a} and {b} are close but not an active pair")
