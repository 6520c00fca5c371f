"""The contract of a broad phase: what it is given, what it must report and when, and how it is registered.

Given
    `Tables`: bodies in rows, their motions, kinetic bounds and timers, and the clock tables.param[NOW]. A lower and an upper
    end of a body's bounds along an axis, as polynomials of time, come from carom.bounds.kinetic.bound_end; boxes from
    carom.engine.body_boxes. `Engine.insert`, `remove` and `motion_changed` say what has changed, `resize` that there is more
    room. The kernels of the loop get the same tables by address (carom.engine.addresses), and behind them its own
    (`Engine._own_tables`).

To be reported
    Every pair of rows whose shapes may touch, by `begin_pair` of carom.engine.events.pairs, before the clock passes the time
    at which their bounds begin to overlap: at the event of the structure that finds it, which comes before all others of that
    time (carom.engine.events.order). It may report more pairs, and a pair more than once. `end_pair` says that the bounds have
    parted; a pair may also stay. Nothing else is asked: `begin_pair` predicts the pair, groups that do not collide are left
    out there, and contacts are found, logged and answered by code that all broad phases share.

When a motion changes
    `place`, a hook of carom.engine.loop.event_loop, predicts the pairs of the row afresh (`retest_pairs`) and then reports
    those that its new bounds have begun. From Python `motion_changed` does the same.

Where there is no room
    A kernel asks `pool_full` before it begins a pair, and returns PAIRS_FULL in a state from which it can be called again;
    `Engine.serve` makes room.

What proves it
    `Engine.check` proves every certificate of the structure, and that no overlapping pair is missing. tests/engine/
    test_broad_phases.py compares the logs of all registered broad phases bit for bit, tests/engine/test_contract.py those of
    a complete small one, which is the example to follow; every further test over carom.world.BROAD_PHASES takes part.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.engine.addresses import address_table
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.queues.event_queue import EventQueue
from carom.tables import run_columns as col
from carom.tables.run_columns import PAIRS_FULL, PAUSE, QUIET, STATE_REPORTED, Pairs, code_of

Rows = NDArray[np.int32]

_STINT = 20_000
"""Exact and primitive tests after which a loop pauses, about 10 ms. Smaller: pauses cost time. Larger: budgets are overrun."""


@dataclass(frozen=True)
class Settings:
    """The options of a world that broad phases read; each broad phase ignores what it does not know."""

    queue: str = "tournament"
    """Method of event queues."""
    matrix: bool = False
    """Is there to be a matrix of pairs, instead of comparing ranks?"""
    own_axes: bool = False
    """Were axes given?"""
    by_axes: bool = False
    """Is there to be a grid per axis?"""
    pool: int | None = None
    zone: float | None = None
    slow: float | None = None


@dataclass(frozen=True)
class Census:
    """What the bodies of a world do, as far as it decides what a broad phase costs."""

    n: int
    """Bodies with an end."""
    n_wide: int
    """Bodies without one."""
    per_cell: float
    """Bodies in a cell of the grid that suits them."""
    crossings: float
    """Walls of such cells that are crossed, per second."""
    swaps: float
    """Exchanges in sorted lists, per second."""
    changes: float
    """Changes of motions, per second."""
    curved: float
    """Share of the pairs whose relative motion is not straight."""
    levels: int
    """Levels of that grid."""


@dataclass(frozen=True)
class BroadPhase:
    """A broad phase as it is registered in carom.engine.broad_phases."""

    name: str
    """What World(broad=...) and the command line call it."""
    title: str
    """What it is, with its article, for World.explain and benches."""
    make: Callable[[Tables, Settings], Engine]
    options: frozenset[str] = frozenset({"axes"})
    """Options of World that it takes and others may not: "axes", "periodic", "pool", "zone", "slow"."""
    frames: bool = True
    """Does it work frame by frame?"""
    cost: Callable[[Census], float] | None = None
    """Seconds of one core per second of the world; None where `auto` is not to choose it."""


class Engine(ABC):
    """A broad phase with its event loop. Rows are those of `tables`; the clock is tables.param[NOW]."""

    def __init__(self, tables: Tables, method: str) -> None:
        self.tables = tables
        self.method = method
        self.count = tables.count
        self.param = tables.param
        self.node = np.full((0, 3), -1, np.int32)
        self.state = np.zeros(0, np.int8)
        self.since = np.zeros(0)
        self.queue = EventQueue(0, method, with_ties=True)

    def pairs(self) -> Pairs:
        """The pair store as kernels see it."""
        return Pairs(self.node, self.state, self.since, self.queue.keys, self.queue.ties, self.queue.links)

    def grow_pairs(self, capacity: int) -> None:
        """Make room for `capacity` pairs, events kept."""
        old = len(self.state)
        if capacity <= old:
            return
        self.state = np.concatenate((self.state, np.zeros(capacity - old, np.int8)))
        self.since = np.concatenate((self.since, np.zeros(capacity - old)))
        if self._linked:
            self.node = np.concatenate((self.node, np.full((2 * (capacity - old), 3), -1, np.int32)))
        self.queue.grow(capacity)
        self.bind()

    _linked = True
    """Does each body keep a list of its pairs? Not when every pair always exists."""

    def more_pairs(self) -> None:
        """Double the pair store."""
        self.grow_pairs(max(64, 2 * len(self.state)))

    def bind(self) -> None:
        """Tell the kernel where the arrays are; to be called after any of them was replaced."""
        tables = (self.tables.bodies(), self.pairs(), self.tables.run(), *self._own_tables())
        self._table = address_table(tables)
        self._alive = tables  # the addresses keep nothing alive

    @abstractmethod
    def _own_tables(self) -> tuple[tuple[Any, ...], ...]:
        """Tables, named tuples of arrays, behind the common ones: what `unpacker` finds from row OWN on."""

    @abstractmethod
    def step(self, until: float) -> float:
        """One call of the compiled loop, up to `until` (local time); the result is explained in carom.tables.run_columns."""

    def advance(self, until: float) -> int:
        """Process all events up to `until` with as much room for pairs as it takes; returns why the loop stopped."""
        while self.serve(code := code_of(self.step(until))):
            pass
        return code

    def settle(self) -> None:
        """Do what is left to do before the next event, with as much room as it takes; the clock stays."""
        if self.count[col.SORTING]:
            now = float(self.param[col.NOW])
            self.advance(-np.inf)
            self.param[col.NOW] = now

    def serve(self, code: int) -> bool:
        """Do what the loop asks of its engine; False where the request is for the world."""
        if code == PAIRS_FULL:
            self.more_pairs()
        elif code == QUIET:  # where the world has no better answer, it is asked half as often
            self.count[col.PATIENCE] *= 2
            self.count[col.FRAMES_LEFT] = self.count[col.PATIENCE]
        elif code == PAUSE:
            self.count[col.PAUSE_AT] = self.count[col.PRIMITIVE_TESTS] + self.count[col.NARROW_TESTS] + _STINT
        return code == PAIRS_FULL

    @abstractmethod
    def insert(self, rows: Rows) -> None:
        """Bodies in `rows` are new."""

    @abstractmethod
    def remove(self, rows: Rows) -> None:
        """Bodies in `rows` leave; their table rows are still intact."""

    @abstractmethod
    def motion_changed(self, row: int) -> None:
        """The motion of `row` is new at the current time, and may have jumped."""

    def motion_renewed(self, row: int) -> None:
        """The motion of `row` is new at the current time, but its bounds are what they were."""
        self.motion_changed(row)

    @abstractmethod
    def resize(self, capacity: int) -> None:
        """The tables have room for `capacity` bodies now."""

    @abstractmethod
    def pair_rows(self) -> tuple[NDArray[np.int64], Rows, Rows]:
        """Slots of all stored pairs and their rows (lower id first)."""

    def rows_of(self, slot: int) -> tuple[int, int]:
        """Rows of the pair in a slot, lower id first."""
        return int(self.node[2 * slot, 0]), int(self.node[2 * slot + 1, 0])

    def reported(self) -> tuple[Rows, Rows, NDArray[np.float64]]:
        """Pairs whose contact was reported under their present motions: rows, and the time they are armed again."""
        slots, first, second = self.pair_rows()
        chosen = (self.state[slots] & STATE_REPORTED) != 0
        return first[chosen], second[chosen], self.since[slots[chosen]]

    @abstractmethod
    def remember(self, first: Rows, second: Rows, since: NDArray[np.float64]) -> None:
        """Mark pairs as reported: the inverse of `reported`."""

    def check(self, tolerance: float) -> None:
        """Raise AuditError when a certificate does not hold; `tolerance` in seconds and metres."""
        if not self.queue.check():
            raise AuditError("the queue of pair events has lost its order")
        if not self.tables.timers.check():
            raise AuditError("the queue of timers has lost its order")
        if self.count[col.N_PAIRS] > len(self.state):
            raise AuditError("more pairs than the pair store holds")
