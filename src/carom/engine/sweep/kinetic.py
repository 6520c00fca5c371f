"""The event loop over kinetic sorted lists: kinetic sweep and prune (paper KSP, sections 3 to 5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.clock import ticks
from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import rounding_pad
from carom.engine.addresses import OWN, bodies_at, pairs_at, run_at, unpacker
from carom.engine.audit import present_rows
from carom.engine.base import Rows
from carom.engine.contact import fire_or_due
from carom.engine.loop import answer, clock_to, finish, first_due
from carom.engine.pairs import begin_pair, end_pair, pool_full, retest_pairs
from carom.engine.sweep.engine import SweepEngine, bounds_of
from carom.engine.sweep.kinetic_lists import (
    Swaps,
    end_value,
    exchange_ends,
    misplaced,
    renew_ends,
    worst_disorder,
    write_crossings,
    write_ends,
)
from carom.engine.sweep.sorted_lists import BEGIN, END, Lists, lists_at
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.queues.event_queue import EventQueue
from carom.queues.in_kernels import queue_top, queue_top_time
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import (
    CHANGED,
    CHANGED_I,
    CHANGED_J,
    DONE,
    MOTION_CHANGES,
    N_ENDS,
    NOW,
    PAIRS_FULL,
    PROFILE,
    SWAPS,
    TICKS_SORT,
    TICKS_UPDATE,
)

_swaps_at = unpacker(Swaps, OWN + len(Lists._fields))


@inner_kernel
def _apply(bodies, pairs, run, lists, swaps, effect, i, j):
    if effect == BEGIN:
        begin_pair(bodies, pairs, run, i, j)
    elif effect == END:
        end_pair(bodies, pairs, run, i, j)


@inline_kernel
def _swap(bodies, pairs, run, lists, swaps):
    """Process the next exchange of the lists."""
    begin = ticks() if run.count[PROFILE] else 0
    slot = queue_top(swaps.keys, swaps.none, swaps.links)
    stride = swaps.poly.shape[1]
    d = 0
    while slot >= stride:
        slot -= stride
        d += 1
    run.count[SWAPS] += 1
    i, j, effect = exchange_ends(lists, swaps, d, slot, run.count[N_ENDS], run.param[NOW])
    if run.count[PROFILE]:
        run.param[TICKS_SORT] += ticks() - begin
    _apply(bodies, pairs, run, lists, swaps, effect, i, j)


@inner_kernel
def _renew(bodies, pairs, run, lists, swaps):
    """The motions of CHANGED_I and CHANGED_J are new: only their own events change."""
    begin = ticks() if run.count[PROFILE] else 0
    done = NO_ID
    for row in (run.count[CHANGED_I], run.count[CHANGED_J]):
        if row != NO_ID:
            run.count[MOTION_CHANGES] += 1
            renew_ends(bodies, lists, swaps, row, run.count[N_ENDS], run.param[NOW])
    if run.count[PROFILE]:
        run.param[TICKS_UPDATE] += ticks() - begin
    for row in (run.count[CHANGED_I], run.count[CHANGED_J]):
        if row != NO_ID:
            retest_pairs(bodies, pairs, run, row, done)
            done = row


@lean_kernel
def _run(table, until):
    """Process all events up to `until`; returns as carom.tables.run_columns says."""
    bodies = bodies_at(table)
    pairs = pairs_at(table)
    run = run_at(table)
    lists = lists_at(table)
    swaps = _swaps_at(table)
    while True:
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
            _renew(bodies, pairs, run, lists, swaps)
        elif code != DONE:
            return answer(code)


@lean_kernel
def _relocate(bodies, pairs, run, lists, swaps, row):
    """The motion of `row` is new and may have jumped: its ends bubble to their places, then its pairs are retested.

    Returns PAIRS_FULL to be called again with more room: what was done stays done.
    """
    now = run.param[NOW]
    n_ends = run.count[N_ENDS]
    renew_ends(bodies, lists, swaps, row, n_ends, now)
    while True:
        d, p = misplaced(lists, swaps, row, n_ends, now)
        if d < 0:
            break
        if pool_full(pairs, run):
            return PAIRS_FULL
        run.count[SWAPS] += 1
        i, j, effect = exchange_ends(lists, swaps, d, p, n_ends, now)
        _apply(bodies, pairs, run, lists, swaps, effect, i, j)
    retest_pairs(bodies, pairs, run, row, NO_ID)
    return DONE


@lean_kernel
def _values(lists, swaps, n_ends, now, out):
    """Positions of all ends, in list order."""
    for d in range(out.shape[0]):
        for p in range(n_ends):
            out[d, p] = end_value(swaps.poly[d], p, now)


class KineticEngine(SweepEngine):
    """Kinetic sweep and prune: sorted lists whose exchanges are events."""

    def __init__(self, tables: Tables, method: str, matrix: bool) -> None:
        super().__init__(tables, method, matrix)
        self.poly = np.zeros((len(tables.axes), 0, 4))
        self._swap_queue()

    def _swap_queue(self) -> None:
        n_slots = max(1, self.poly.shape[0] * self.poly.shape[1])
        self.swap_queue = EventQueue(n_slots, self.method)
        self._swaps = Swaps(self.poly, self.swap_queue.keys, self.swap_queue.links, self.tables.none)

    def _resize_positions(self, capacity: int) -> None:
        poly = np.zeros((self.poly.shape[0], 2 * capacity, 4))
        poly[:, : self.poly.shape[1]] = self.poly
        self.poly = poly
        self._swap_queue()
        self._fill_queue()

    def _own_tables(self) -> tuple[Lists, Swaps]:
        return self.lists, self._swaps

    def step(self, until: float) -> float:
        """One call of the compiled loop."""
        return _run(self._table, until)

    def _fill_queue(self) -> None:
        write_crossings(self._swaps, self.count[N_ENDS], self.param[NOW])
        self.swap_queue.build()

    def _current_values(self) -> NDArray[np.float64]:
        values = np.empty((len(self.tables.axes), int(self.count[N_ENDS])))
        _values(self.lists, self._swaps, self.count[N_ENDS], self.param[NOW], values)
        return values

    def _entry_values(self, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return bounds_of(self.tables, rows, float(self.param[NOW]))

    def _lists_renewed(self) -> None:
        write_ends(self.tables.bodies(), self.lists, self.poly, self.count[N_ENDS])
        self._fill_queue()

    def _relocate_kernel(self, row: int) -> int:
        code: int = _relocate(self.tables.bodies(), self.pairs(), self.tables.run(), self.lists, self._swaps, row)
        return code

    def check(self, tolerance: float) -> None:
        """Prove that every list is sorted at this instant and every adjacency has the right event."""
        super().check(tolerance)
        worst = worst_disorder(self._swaps, self.count[N_ENDS], self.param[NOW])
        if worst > tolerance + rounding_pad(
            self.tables.body[present_rows(self.tables)], self.tables.speed_between_keys()
        ):
            raise AuditError(f"neighbours of a kinetic list are out of order by {worst} m")
        due_at = np.full_like(self.swap_queue.keys, np.inf)
        write_crossings(self._swaps._replace(keys=due_at), self.count[N_ENDS], self.param[NOW])
        n_slots = self.poly.shape[0] * self.poly.shape[1]
        late = np.flatnonzero(self.swap_queue.keys[:n_slots] > due_at[:n_slots] + tolerance)
        if len(late):
            raise AuditError(f"swap event {int(late[0])} is scheduled too late")
