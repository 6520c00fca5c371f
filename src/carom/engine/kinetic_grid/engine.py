"""The kinetic grid as an engine: its arrays, bodies that enter and leave, and cells that are made anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.engine.body_queries import velocities_at
from carom.engine.broad_phase_cost import CURVED
from carom.engine.contract import BroadPhase, Census, Rows
from carom.engine.events.pairs import free_pairs_of
from carom.engine.kinetic_grid.attention import attention_address
from carom.engine.kinetic_grid.cell_audit import misplaced_row, unlisted_row
from carom.engine.kinetic_grid.cells import ABSENT, CELL_LEVEL, PLAN_CHANGES, PLAN_PARTNER, WIDE, Grid, bound_sizes
from carom.engine.kinetic_grid.layout import GridLayout, lay_out
from carom.engine.kinetic_grid.loop import enter_rows, leave_row, run_grid
from carom.engine.kinetic_grid.pairs import pair_address, pass_pair, settle_pairs
from carom.engine.kinetic_grid.plan import plan_rows, unplanned_pair
from carom.engine.pair_engine import PooledEngine
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.queues.event_queue import EventQueue
from carom.queues.order import aligned_times
from carom.shapes.kind import (
    HALF_SPACE,
    SPHERE,
)
from carom.tables import run_columns as col
from carom.tables.body_columns import (
    AX,
    FLAGS,
    GIVEN_BOUNDS,
    ID,
    INV_MASS,
    KIND,
    NO_ID,
    PLAIN,
    VX,
)
from carom.tables.run_columns import ASK_PAIRS, ASK_PASS, ASK_WIDE, ELASTIC, REGRID

Floats = NDArray[np.float64]

_LOOK_AFTER = 16
"""Crossings a body, on average, after which the cells are compared with the bodies."""
_ROOM_TO_GROW = 1.5
"""User-given bounds get cells this much larger than they are."""
_CROWDED = 40.0
_LONELY = 0.5
"""Neighbours found in nine cells, on average, beyond which cells are made smaller, and below which larger."""

_NONE = np.zeros(3)


def _most_common(accelerations: Floats) -> Floats:
    """The acceleration (3,) that most of the bodies (n, 3) have."""
    if not accelerations.any():
        return _NONE
    values, counts = np.unique(accelerations, axis=0, return_counts=True)
    return np.asarray(values[np.argmax(counts)])


class KineticGridEngine(PooledEngine):
    """Hierarchical hash grid whose cell crossings are events."""

    one_level = False
    """Whether all bodies share cells of one size, as large as the largest needs: to measure what the levels are worth."""

    def __init__(self, tables: Tables, method: str) -> None:
        super().__init__(tables, method)
        self.periods = periods = tables.periods
        self._scale = 1.0
        self._marks = (0, 0)
        self._events = -1
        tables.count[col.PERIODIC] = int(periods.any())
        tables.count[col.FILTERED] = int((tables.masks != np.iinfo(np.uint64).max).any())
        self._fitted_for = 0
        self._allocate(0)
        self._use(lay_out(np.empty((0, 3)), np.empty((0, 3)), np.empty(0), periods))

    def _allocate(self, capacity: int) -> None:
        """Arrays with one row a body, empty."""
        self.hot = aligned_times(16 * capacity).reshape(capacity, 16)
        self.note = self.hot.view(np.int32)
        self.note[:, CELL_LEVEL] = ABSENT
        self.note[:, PLAN_PARTNER] = NO_ID
        self.note[:, PLAN_CHANGES] = 0
        self.chain = np.full((capacity, 2), NO_ID, np.int32)
        self.wide = np.zeros(capacity + 1, np.int32)
        self.near = np.zeros(capacity + 8, np.int32)
        self.plans = EventQueue(capacity, self.method, with_ties=True)

    def _use(self, layout: GridLayout, common: Floats = _NONE) -> None:
        """Empty cells of a layout, with no body in any. common: acceleration (3,) that most bodies share."""
        self.layout = layout
        self.levels = layout.levels.copy()
        n_levels = len(self.levels)
        self.bucket = np.zeros((layout.n_buckets, 4), np.int32)
        self.heads = np.full(layout.n_buckets, NO_ID, np.int32)
        self.small_heads = np.full(layout.n_buckets if n_levels > 1 else 1, NO_ID, np.int32)
        self.small_chain = np.full((n_levels * len(self.note) if n_levels > 1 else 1, 2), NO_ID, np.int32)
        falls = [float(common.any())]
        self.frame = np.concatenate(
            (layout.corner, self.periods, layout.velocity, [self.param[col.NOW]], common, falls)
        )
        self.note[:, CELL_LEVEL] = ABSENT
        self.count[col.N_WIDE] = 0
        self.bind()

    def grid(self) -> Grid:
        """The grid as kernels see it."""
        return Grid(
            self.hot, self.note, self.bucket, self.chain, self.heads, self.small_chain, self.small_heads,
            self.layout.widths, self.levels, self.frame, self.wide, self.near,
            self.plans.keys, self.plans.ties, self.plans.links,
        )  # fmt: skip

    def _own_tables(self) -> tuple[Grid]:
        return (self.grid(),)

    def resize(self, capacity: int) -> None:
        """Room for `capacity` bodies; those present are placed anew."""
        changes = self.note[:, PLAN_CHANGES].copy()
        self._allocate(capacity)
        self.note[: len(changes), PLAN_CHANGES] = changes
        self._fitted_for = 0
        self._use(self.layout)

    def step(self, until: float) -> float:
        """One call of the compiled loop."""
        return run_grid(self._table, until)

    def serve(self, code: int) -> bool:
        """Make room, other cells, or what is not compiled yet. REGRID is for the world too where nothing else has happened."""
        changed = self.count[[col.CHANGED_I, col.CHANGED_J]].astype(np.int32)
        if code == REGRID:
            self._look()
            before, self._events = self._events, int(self.count[[col.CONTACTS, col.TIMERS, col.MOTION_CHANGES]].sum())
            return self._events != before
        elif code == ASK_PAIRS:
            self.count[col.PAIR_EVENT_ADDRESS] = pair_address()
        elif code == ASK_PASS:
            self.count[col.PAIR_EVENT_ADDRESS] = pair_address()
            pass_pair(self._table, *changed.astype(np.int64))
            plan_rows(self._table, changed)
        elif code == ASK_WIDE:
            present = changed[changed != NO_ID]
            plan_rows(self._table, present[self.note[present, CELL_LEVEL] == WIDE])
        else:
            return super().serve(code)
        return True

    def _prepare(self, rows: Rows) -> None:
        """Compile what bodies other than elastic balls between walls at rest need, before the first of them enters."""
        link, body = self.tables.link[rows], self.tables.body[rows]
        straight = ~body[:, AX : AX + 3].any(axis=1) & (link[:, FLAGS] != GIVEN_BOUNDS)
        rests = ~body[:, VX : VX + 3].any(axis=1) & (body[:, INV_MASS] == 0.0) & (link[:, FLAGS] == PLAIN)
        plain = straight & ((link[:, KIND] == SPHERE) | ((link[:, KIND] == HALF_SPACE) & rests))
        if not plain.all() and self.count[col.ATTENTION_ADDRESS] == 0:
            self.count[col.ATTENTION_ADDRESS] = attention_address()
        if (not plain.all() or self.count[col.RESPONSE] != ELASTIC) and self.count[col.PAIR_EVENT_ADDRESS] == 0:
            self.count[col.PAIR_EVENT_ADDRESS] = pair_address()

    # ---- cells

    def _look(self) -> None:
        """Make the cells anew where a body has left them for good, or where they proved too large or too small."""
        searched, found = self._counted()
        looked = searched > _LOOK_AFTER * self._fitted_for
        if looked and _LONELY * searched <= found <= _CROWDED * searched:
            self._start_count()
            return
        if looked:
            self._scale *= 0.7 if found > _CROWDED * searched else 1.4
        self._fit(self._others(np.empty(0, np.int32)))

    def _counted(self) -> tuple[int, int]:
        """Nines of cells searched since the cells were made, and neighbours found in them."""
        return int(self.count[col.SEARCHED]) - self._marks[0], int(self.count[col.FOUND]) - self._marks[1]

    def _start_count(self) -> None:
        self.count[col.CROSSINGS_LEFT] = _LOOK_AFTER * max(64, self._fitted_for) + 1
        self._marks = (int(self.count[col.SEARCHED]), int(self.count[col.FOUND]))

    def _sizes(self, rows: Rows) -> tuple[Floats, Floats]:
        """Centres and sizes of bounds; infinite size for those without an end."""
        centres, sizes = np.empty((len(rows), 3)), np.empty(len(rows))
        bound_sizes(self.tables.bodies(), rows, float(self.param[col.NOW]), centres, sizes)
        sizes[self.tables.link[rows, FLAGS] == GIVEN_BOUNDS] *= _ROOM_TO_GROW
        endless = ~np.isfinite(centres).all(axis=1) | ~np.isfinite(sizes) | (self.tables.link[rows, KIND] == HALF_SPACE)
        sizes[endless] = np.inf
        return centres, sizes

    def _fit(self, rows: Rows) -> None:
        """Lay out cells for all bodies, place them, and plan them afresh."""
        centres, sizes = self._sizes(rows)
        ended = np.isfinite(sizes)
        velocities = velocities_at(self.tables, rows[ended], float(self.param[col.NOW]))
        fitted = np.full_like(sizes[ended], sizes[ended].max(initial=0.0)) if self.one_level else sizes[ended]
        common = _most_common(self.tables.body[rows[ended], AX : AX + 3])
        layout = lay_out(centres[ended], velocities, fitted, self.periods, self._scale)
        self._use(layout, common)
        self._fitted_for = len(rows)
        levels = np.full(len(rows), WIDE, np.int64)
        levels[ended] = self.layout.level_of(sizes[ended])
        done = 0
        while done < len(rows):
            done += self._enter(rows[done:], levels[done:])
            if done < len(rows):  # farther away than cells can be numbered
                levels[done] = WIDE
        plan_rows(self._table, rows)
        self._start_count()

    def _enter(self, rows: Rows, levels: NDArray[np.int64]) -> int:
        """Put rows into cells of these levels, or of WIDE; returns how many were done before one that is too far away."""
        validate.bounded("a row", rows, 0, len(self.note))
        validate.bounded("a level of cells", levels, WIDE, len(self.levels))
        return int(enter_rows(self.tables.bodies(), self.pairs(), self.tables.run(), self.grid(), rows, levels))

    # ---- bodies

    def insert(self, rows: Rows) -> None:
        """Place new bodies and plan them; the cells are laid out anew when bodies have become many more or of other sizes."""
        self._prepare(rows)
        if len(self._others(rows)) + len(rows) > 2 * self._fitted_for or not self._place(rows):
            self._fit(self._others(np.empty(0, np.int32)))
            return
        plan_rows(self._table, rows)

    def _place(self, rows: Rows) -> bool:
        """Put bodies into the cells there are; False where some need others."""
        _, sizes = self._sizes(rows)
        ended = np.isfinite(sizes)
        levels = np.full(len(rows), WIDE, np.int64)
        levels[ended] = self.layout.level_of(sizes[ended])
        return bool((levels < len(self.levels)).all()) and self._enter(rows, levels) == len(rows)

    def remove(self, rows: Rows) -> None:
        """Take bodies out of the cells; plans with them are found outdated when they come due."""
        bodies, pairs, run, grid = self.tables.bodies(), self.pairs(), self.tables.run(), self.grid()
        for row in rows:
            free_pairs_of(bodies, pairs, run, row)
            leave_row(run, grid, row)

    def motion_renewed(self, row: int) -> None:
        """Plans are made from motions, so a new one is a change."""
        self.motion_changed(row)

    def motion_changed(self, row: int) -> None:
        """Place the body anew and plan it."""
        rows = np.array([row], np.int32)
        self.remove(rows)
        self.insert(rows)

    def remember(self, first: Rows, second: Rows, since: Floats) -> None:
        """Mark pairs as reported, near each other or not."""
        super().remember(first, second, since)
        if len(first):
            settle_pairs(self.tables.bodies(), self.pairs(), self.tables.run(), self.grid(), self.pair_rows()[0])

    # ---- proofs

    def check(self, tolerance: float) -> None:
        """Prove that every body is in its cell and that no event of two neighbours comes before the plans of both."""
        super().check(tolerance)
        rows = self._others(np.empty(0, np.int32))
        grid, bodies = self.grid(), self.tables.bodies()
        if not self.plans.check():
            raise AuditError("the queue of plans has lost its order")
        absent = np.flatnonzero(self.note[rows, CELL_LEVEL] == ABSENT)
        if len(absent):
            raise AuditError(f"body {self.tables.link[rows[absent[0]], ID]} is in no cell")
        for problem, k in (
            ("is outside its cell", misplaced_row(bodies, grid, rows, float(self.param[col.NOW]))),
            ("is missing from its bucket", unlisted_row(grid, rows)),
        ):
            if k >= 0:
                raise AuditError(f"body {self.tables.link[rows[k], ID]} {problem}")
        found = np.zeros(2, np.int64)
        counters = self.count.copy()
        unplanned = unplanned_pair(self._table, rows, tolerance, found)
        self.count[:] = counters
        if unplanned:
            a, b = self.tables.link[found, ID]
            raise AuditError(f"no plan is early enough for bodies {a} and {b}")


_CROSSING = 120e-9
_PLAN = 350e-9
_NEIGHBOUR = 9e-9
"""Seconds: a cell crossing; a plan; a neighbour looked at whose relative motion is straight."""


def _cost(census: Census) -> float:
    look = (1.0 - census.curved) * _NEIGHBOUR + census.curved * CURVED
    crossing = _CROSSING + 9.0 * census.per_cell * look
    return census.crossings * crossing + census.changes * (_PLAN + (27.0 * census.per_cell + census.n_wide) * look)


KINETIC_GRID = BroadPhase(
    "kinetic-grid",
    "the kinetic grid",
    lambda tables, settings: KineticGridEngine(tables, settings.queue),
    options=frozenset({"periodic"}),
    frames=False,
    cost=_cost,
)
