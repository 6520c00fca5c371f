"""The event loop over all pairs with cached predictions: no pruning, work only when a motion changes (paper KSP, 5).

Memory grows with n^2; the base line of the paper, and the fastest choice for a few dozen bodies.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, lean_kernel
from carom.engine.addresses import bodies_at, pairs_at, run_at
from carom.engine.all_pairs.slots import pair_slot, slot_rows
from carom.engine.broad_phase_cost import pair_seconds
from carom.engine.contract import BroadPhase, Census, Engine, Rows
from carom.engine.events.pairs import collide_groups
from carom.engine.events.predict import predict
from carom.engine.events.rearm import arm, predict_new
from carom.engine.loop import event_loop, no_tables
from carom.engine.profile import spent, started
from carom.engine.tables import Tables
from carom.queues.in_kernels import queue_set
from carom.tables.body_columns import FLAGS, FREE_ROW, ID, NO_ID
from carom.tables.run_columns import DONE, SORTING, STATE_OVERLAP, STATE_REPORTED, TICKS_UPDATE


@lean_kernel
def _arm_row(bodies, pairs, run, row, done):
    """Predict all pairs of `row` afresh, save that with `done`."""
    begin = started(run)
    link = bodies.link
    for other in range(link.shape[0]):
        if other == row or other == done or link[other, FLAGS] == FREE_ROW or not collide_groups(bodies, row, other):
            continue
        i, j = (row, other) if link[row, ID] < link[other, ID] else (other, row)
        slot = pair_slot(row, other)
        pairs.state[slot] |= STATE_OVERLAP
        arm(bodies, pairs, run, slot, i, j)
    spent(run, TICKS_UPDATE, begin)


@lean_kernel
def _arm_new(bodies, pairs, run, rows, is_new):
    """Predict the pairs of new bodies, each pair once."""
    link = bodies.link
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        for other in range(link.shape[0]):
            if other == row or link[other, FLAGS] == FREE_ROW or (is_new[other] and other > row):
                continue
            if collide_groups(bodies, row, other):
                i, j = (row, other) if link[row, ID] < link[other, ID] else (other, row)
                slot = pair_slot(row, other)
                predict_new(bodies, pairs, run, slot, i, j)


@lean_kernel
def _remember(bodies, pairs, run, first, second, since):
    """Mark pairs (lower id first) as reported and armed again only from `since` on."""
    for k in range(first.shape[0]):
        slot = pair_slot(np.int64(first[k]), np.int64(second[k]))
        pairs.state[slot] |= STATE_REPORTED
        pairs.since[slot] = since[k]
        predict(bodies, pairs, run, slot, np.int64(first[k]), np.int64(second[k]))


@lean_kernel
def _drop_row(bodies, pairs, row):
    """Forget all pairs of `row`."""
    for other in range(bodies.link.shape[0]):
        if other != row:
            slot = pair_slot(row, other)
            pairs.state[slot] = 0
            queue_set(pairs.keys, pairs.ties, pairs.links, slot, math.inf, 0)


@inline_kernel
def _no_time(run, own):
    return math.inf


@inline_kernel
def _no_event(table, bodies, pairs, run, own, t):
    return np.int64(DONE)


@inline_kernel
def _nothing_left(table):
    run_at(table).count[SORTING] = 0
    return np.int64(DONE)


@inline_kernel
def _place(table, row, done):
    _arm_row(bodies_at(table), pairs_at(table), run_at(table), row, done)


@inline_kernel
def _rows_of(bodies, pairs, slot):
    low, high = slot_rows(slot)
    return (low, high) if bodies.link[low, ID] < bodies.link[high, ID] else (high, low)


_run = event_loop(no_tables, _no_time, _no_event, _nothing_left, _place, _rows_of)


class AllPairsEngine(Engine):
    """Cached all-pairs: every pair has a prediction."""

    _linked = False

    def __init__(self, tables: Tables, method: str) -> None:
        super().__init__(tables, method)
        self.bind()

    def _own_tables(self) -> tuple[()]:
        return ()

    def resize(self, capacity: int) -> None:
        """Room for all pairs of `capacity` bodies."""
        self.grow_pairs(capacity * (capacity - 1) // 2)
        self.bind()

    def step(self, until: float) -> float:
        """One call of the compiled loop."""
        return _run(self._table, until)

    def insert(self, rows: Rows) -> None:
        """Predict the pairs of new bodies."""
        is_new = np.zeros(self.tables.capacity, np.bool_)
        is_new[rows] = True
        _arm_new(self.tables.bodies(), self.pairs(), self.tables.run(), rows, is_new)

    def remove(self, rows: Rows) -> None:
        """Forget the pairs of bodies that leave."""
        for row in rows:
            _drop_row(self.tables.bodies(), self.pairs(), row)

    def motion_changed(self, row: int) -> None:
        """Predict all pairs of `row` afresh."""
        _arm_row(self.tables.bodies(), self.pairs(), self.tables.run(), row, NO_ID)

    def remember(self, first: Rows, second: Rows, since: NDArray[np.float64]) -> None:
        """Mark pairs as reported."""
        _remember(self.tables.bodies(), self.pairs(), self.tables.run(), first, second, since)

    def pair_rows(self) -> tuple[NDArray[np.int64], Rows, Rows]:
        """Slots of all pairs that may collide, and their rows."""
        slots = np.flatnonzero(self.state)
        first_slots = np.arange(self.tables.capacity + 1)
        first_slots = first_slots * (first_slots - 1) // 2  # of the pairs with each row as their higher one
        high = np.searchsorted(first_slots, slots, side="right") - 1
        rows = np.column_stack((slots - first_slots[high], high)).astype(np.int32)
        ids = self.tables.link[:, ID]
        flip = ids[rows[:, 0]] > ids[rows[:, 1]]
        rows[flip] = rows[flip][:, ::-1]
        return slots, rows[:, 0], rows[:, 1]

    def rows_of(self, slot: int) -> tuple[int, int]:
        """Rows of the pair in a slot, lower id first."""
        low, high = slot_rows(slot)
        ids = self.tables.link[:, ID]
        return (int(low), int(high)) if ids[low] < ids[high] else (int(high), int(low))


_AHEAD = 10.0
"""Seconds of the world over which the first prediction of all pairs is spread."""
_MOST = 1000
"""Bodies beyond which all pairs would take too much memory."""


def _cost(census: Census) -> float:
    if census.n > _MOST:
        return math.inf
    return (census.changes * census.n + 0.5 * census.n**2 / _AHEAD) * pair_seconds(census)


ALL_PAIRS = BroadPhase(
    "all-pairs",
    "the cache of all pairs",
    lambda tables, settings: AllPairsEngine(tables, settings.queue),
    frames=False,
    cost=_cost,
)
