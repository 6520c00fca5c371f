"""The event loop over boxes swept per frame: sweep and prune with insertion sort, exact inside the frame.

Frames are [k*dt, (k+1)*dt]. At the start of a frame every box is swept over it and the lists are sorted; inside, contacts
are processed in time order, and a body whose motion changes is swept again from there to the end of the frame.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.clock import ticks
from carom._compile.jit import inner_kernel, lean_kernel
from carom.engine.addresses import OWN, bodies_at, pairs_at, run_at, unpacker
from carom.engine.base import Rows
from carom.engine.contact import fire_or_due
from carom.engine.framed.frames import enter_frame, finish_in_frame, frame_is_over, is_quiet, next_frame
from carom.engine.loop import answer, clock_to, first_due
from carom.engine.pairs import begin_pair, end_pair, pool_full, retest_pairs
from carom.engine.sweep.engine import SweepEngine
from carom.engine.sweep.kinetic_lists import write_ends
from carom.engine.sweep.sorted_lists import BEGIN, END, Lists, lists_at
from carom.engine.sweep.swept_lists import exchange_values, sorted_everywhere, sweep_all, sweep_body, swept_boxes
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.tables.arrays import DoubleBlocks, DoubleRows
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import (
    CHANGED,
    CHANGED_I,
    CHANGED_J,
    DONE,
    FRAME_END,
    MOTION_CHANGES,
    N_ENDS,
    NOW,
    PAIRS_FULL,
    PROFILE,
    QUIET,
    SORTING,
    SWAPS,
    TICKS_SORT,
    TICKS_UPDATE,
)


class SweptEnds(NamedTuple):
    """Where the ends of the lists are."""

    poly: DoubleBlocks
    """float64 (k, 2 capacity, 4): polynomials of the ends, in the order of their codes"""
    value: DoubleRows
    """float64 (k, 2 capacity): positions of the swept ends, in list order"""


_ends_at = unpacker(SweptEnds, OWN + len(Lists._fields))


@inner_kernel
def _exchange(bodies, pairs, run, lists, poly, value, d, p):
    i, j, effect = exchange_values(lists, poly, value, d, p)
    run.count[SWAPS] += 1
    if effect == BEGIN:
        begin_pair(bodies, pairs, run, i, j)
    elif effect == END:
        end_pair(bodies, pairs, run, i, j)


@inner_kernel
def _sort(bodies, pairs, run, lists, poly, value):
    """Insertion sort of every list; PAIRS_FULL asks to be called again with more room, sorted parts stay sorted."""
    n_ends = run.count[N_ENDS]
    for d in range(value.shape[0]):
        values = value[d]
        for q in range(1, n_ends):
            p = q
            while p > 0 and values[p - 1] > values[p]:
                if pool_full(pairs, run):
                    return PAIRS_FULL
                _exchange(bodies, pairs, run, lists, poly, value, d, p - 1)
                p -= 1
    return DONE


@inner_kernel
def _bubble(bodies, pairs, run, lists, poly, value, row):
    """Move the ends of `row` to their places; PAIRS_FULL leaves the rest to a full sort."""
    n_ends = run.count[N_ENDS]
    for d in range(value.shape[0]):
        values = value[d]
        for side in (1, 0, 1):  # the upper end first, so that the lower one finds room when both move up
            p = lists.rank[row, 2 * d + side]
            while p > 0 and values[p - 1] > values[p]:
                if pool_full(pairs, run):
                    return PAIRS_FULL
                _exchange(bodies, pairs, run, lists, poly, value, d, p - 1)
                p -= 1
            while p + 1 < n_ends and values[p + 1] < values[p]:
                if pool_full(pairs, run):
                    return PAIRS_FULL
                _exchange(bodies, pairs, run, lists, poly, value, d, p)
                p += 1
    return DONE


@lean_kernel
def _place(bodies, pairs, run, lists, poly, value, row, done):
    """The motion of `row` is new: predict its pairs afresh and sweep it again to the end of the frame."""
    retest_pairs(bodies, pairs, run, row, done)
    begin = ticks() if run.count[PROFILE] else 0
    sweep_body(bodies, lists, poly, value, row, run.param[NOW], run.param[FRAME_END])
    if run.count[PROFILE]:
        now = ticks()
        run.param[TICKS_UPDATE] += now - begin
        begin = now
    if _bubble(bodies, pairs, run, lists, poly, value, row) == PAIRS_FULL:
        run.count[SORTING] = 1
    if run.count[PROFILE]:
        run.param[TICKS_SORT] += ticks() - begin


@inner_kernel
def _next_frame(run, lists, poly, value):
    """Sweep every box over the frame that begins where the last one ended."""
    begin = ticks() if run.count[PROFILE] else 0
    start = next_frame(run)
    sweep_all(lists, poly, value, run.count[N_ENDS], start, run.param[FRAME_END])
    if run.count[PROFILE]:
        run.param[TICKS_UPDATE] += ticks() - begin
    run.count[SORTING] = 1


@lean_kernel
def _run(table, until):
    """Process all frames and events up to `until`; returns as carom.tables.run_columns says."""
    bodies = bodies_at(table)
    pairs = pairs_at(table)
    run = run_at(table)
    lists = lists_at(table)
    poly, value = _ends_at(table)
    count = run.count
    param = run.param
    while True:
        if count[SORTING]:
            begin = ticks() if count[PROFILE] else 0
            if _sort(bodies, pairs, run, lists, poly, value) == PAIRS_FULL:
                return answer(PAIRS_FULL)
            count[SORTING] = 0
            if count[PROFILE]:
                param[TICKS_SORT] += ticks() - begin
        t_timer, t_pair = first_due(bodies, pairs, run)
        t_next = min(t_timer, t_pair)
        if frame_is_over(run, until, t_next):
            _next_frame(run, lists, poly, value)
            if is_quiet(run):
                return answer(QUIET)
            continue
        if t_next > until:
            return finish_in_frame(run, until, t_next)
        clock_to(run, t_next)
        code = fire_or_due(bodies, pairs, run, t_timer == t_next)
        if code == CHANGED:
            done = NO_ID
            for row in (count[CHANGED_I], count[CHANGED_J]):
                if row != NO_ID:
                    count[MOTION_CHANGES] += 1
                    _place(bodies, pairs, run, lists, poly, value, row, done)
                    done = row
        elif code != DONE:
            return answer(code)


class SweptEngine(SweepEngine):
    """Sweep and prune over boxes swept per frame."""

    def __init__(self, tables: Tables, method: str, matrix: bool) -> None:
        super().__init__(tables, method, matrix)
        self.value = np.zeros((len(tables.axes), 0))
        self.poly = np.zeros((len(tables.axes), 0, 4))
        enter_frame(tables)

    def _resize_positions(self, capacity: int) -> None:
        value = np.zeros((len(self.value), 2 * capacity))
        value[:, : self.value.shape[1]] = self.value
        self.value = value
        poly = np.zeros((len(value), 2 * capacity, 4))
        poly[:, : self.poly.shape[1]] = self.poly
        self.poly = poly

    def _own_tables(self) -> tuple[Lists, SweptEnds]:
        return self.lists, SweptEnds(self.poly, self.value)

    def step(self, until: float) -> float:
        """One call of the compiled loop."""
        return _run(self._table, until)

    def _current_values(self) -> NDArray[np.float64]:
        return self.value[:, : int(self.count[N_ENDS])]

    def _entry_values(self, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        low = np.empty((len(rows), len(self.value)))
        high = np.empty_like(low)
        swept_boxes(self.tables.bodies(), rows, self.param[NOW], self.param[FRAME_END], low, high)
        return low, high

    def _lists_renewed(self) -> None:
        n_ends = self.count[N_ENDS]
        write_ends(self.tables.bodies(), self.lists, self.poly, n_ends)
        sweep_all(self.lists, self.poly, self.value, n_ends, self.param[NOW], self.param[FRAME_END])
        self.count[SORTING] = 1

    def _relocate_kernel(self, row: int) -> int:
        _place(self.tables.bodies(), self.pairs(), self.tables.run(), self.lists, self.poly, self.value, row, NO_ID)
        return DONE

    def check(self, tolerance: float) -> None:
        """Prove that every list is sorted, unless a sort is still to come."""
        if self.count[SORTING]:
            return
        super().check(tolerance)
        if not sorted_everywhere(self.value, self.count[N_ENDS]):
            raise AuditError("a swept list is not sorted")
