"""The event loop over space-time bounds: nothing is looked at until two of them can meet (Hubbard, figure 9).

Time is cut into stretches. At the start of one the sides of all kinetic bounds are made straight over a span ahead. Pairs that
meet within the minimum temporal resolution (FRAME_LENGTH) become active, as those do that a frame of another broad phase finds;
the stretch ends when the next pair meets, or with the span. Until then no pair but the active ones can touch, so the loop
processes their events alone. A body whose motion changes on the way is compared with all others to the end of the stretch.
Where users steer bodies that nothing pushes in some direction, cutting planes take away from their boxes what lies ahead.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.bounds.meetings.meeting import is_cut, meeting_from
from carom.bounds.meetings.neighbours import overlap_aside, sweep_box
from carom.bounds.meetings.sorting import insertion_sort, shell_sort
from carom.bounds.space_time import PLANE_COLUMNS, PLANE_OFFSET, PLANE_SPEED, SIDE_COLUMNS
from carom.engine.addresses import OWN, bodies_at, pairs_at, run_at, unpacker
from carom.engine.contract import BroadPhase, Rows
from carom.engine.events.pairs import (
    begin_pair,
    collide_groups,
    end_slot,
    find_pair,
    free_pairs_of,
    pool_full,
    retest_pairs,
)
from carom.engine.framed.frames import be_patient, frame_code, frame_time
from carom.engine.loop import clock_to, event_loop
from carom.engine.pair_engine import PooledEngine
from carom.engine.profile import spent, started
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.tables import run_columns as col
from carom.tables.arrays import DoubleRows, Doubles, Longs
from carom.tables.body_columns import FLAGS, GIVEN_BOUNDS, NO_ID, TRACK
from carom.tables.run_columns import DONE, GIVEN_HEAD, PAIRS_FULL, STATE_OVERLAP, TICKS_SORT


class Stretch(NamedTuple):
    """Space-time bounds of all bodies over the present stretch of time."""

    sides: DoubleRows
    """float64 (capacity, SIDE_COLUMNS): sides of the bounds, see carom.bounds.space_time"""
    planes: DoubleRows
    """float64 (capacity, PLANE_COLUMNS): cutting planes"""
    swept: DoubleRows
    """float64: boxes swept over the stretch"""
    order: Longs
    """int64 (capacity,): rows by the lower end of their boxes, first control[_N_PRESENT] entries"""
    control: Longs
    """int64: see below"""
    stretch: Doubles
    """float64 (2,): where the stretch began, and its length"""


_stretch_at = unpacker(Stretch, OWN)

# Columns of `control`, int64
_N_PRESENT = 0
"""Bodies in `order`."""
_CUT = 1
"""1 where a body of the present stretch has a cutting plane; else planes are not looked at."""
# Columns of `stretch`, float64
_BUILT = 0
"""When the present stretch began; times of `sides` count from it."""
_SPAN = 1
"""Seconds that sides are made straight for."""

_AHEAD = 2
"""Followers along the first axis that each body is first compared with."""
_SHORTEST_SPAN = 2.0
_LONGEST_SPAN = 4096.0
"""In minimum temporal resolutions."""


@inner_kernel
def _straighten(bodies, row, t, span, built, sides, out):
    """Write sides of `row` that move straight and hold its bounds from t to t + span into sides[out]; places at `built`."""
    n_axes = min(3, bodies.axes.shape[0])
    for d in range(3):
        for side in range(2):
            column = 4 * d + 2 * side
            if d >= n_axes:
                sides[out, column] = math.inf if side else -math.inf
                sides[out, column + 1] = 0.0
                continue
            c0, c1, c2, epoch = bound_end(bodies, row, d, side)
            s = t - epoch
            speed = c1 + 2.0 * s * c2
            # c2 s^2 is within [0, c2 span s] for s up to the span.
            bend = c2 * span
            speed += max(bend, 0.0) if side else min(bend, 0.0)
            sides[out, column] = (c0 + s * (c1 + s * c2)) - speed * (t - built)
            sides[out, column + 1] = speed


@lean_kernel
def straight_sides(bodies, rows, t, span, sides):
    """Sides (n, 12) that move straight and hold the bounds of rows from t to t + span; places at t."""
    for k in range(len(rows)):
        _straighten(bodies, rows[k], t, span, t, sides, k)


@inner_kernel
def _cut(bodies, row, built, planes):
    """Write the cutting plane of `row` into planes[row], with its offset at `built`, or zeros; returns whether it has one."""
    for k in range(PLANE_COLUMNS):
        planes[row, k] = 0.0
    if bodies.link[row, FLAGS] != GIVEN_BOUNDS:
        return False
    given = bodies.given[bodies.link[row, TRACK]]
    first = GIVEN_HEAD + 6 * bodies.axes.shape[0]
    for k in range(PLANE_COLUMNS):
        planes[row, k] = given[first + k]
    planes[row, PLANE_OFFSET] += planes[row, PLANE_SPEED] * (built - given[1])
    return is_cut(planes, row)


@inner_kernel
def _end_parted(bodies, pairs, run, sides, planes, cut, soon):
    """End the active pairs that do not meet until `soon`."""
    for slot in range(run.count[col.N_PAIRS]):
        a = np.int64(pairs.node[2 * slot, 0])
        if a != NO_ID and pairs.state[slot] & STATE_OVERLAP:
            b = np.int64(pairs.node[2 * slot + 1, 0])
            if meeting_from(sides, planes, cut, a, b, 0.0, soon) == math.inf:
                end_slot(bodies, pairs, run, np.int64(slot), a, b)


@inner_kernel
def _first_of_neighbours(bodies, sides, planes, cut, order, soon, last):
    """A time in (soon, last] at which two bodies meet that follow each other in `order`, else `last`."""
    n = len(order)
    for a in range(n):
        for b in range(a + 1, min(n, a + 1 + _AHEAD)):
            if collide_groups(bodies, order[a], order[b]):
                first = meeting_from(sides, planes, cut, order[a], order[b], 0.0, last)
                if soon < first < last:
                    last = first
    return last


@inner_kernel
def _enter_stretch(bodies, pairs, run, sides, planes, swept, order, control, stretch):
    """Begin a stretch now; PAIRS_FULL asks to be called again with more room."""
    now = run.param[col.NOW]
    soon = run.param[col.FRAME_LENGTH]
    span = stretch[_SPAN]
    stretch[_BUILT] = now
    low = swept[0]
    cut = False
    for k in range(len(order)):
        row = order[k]
        _straighten(bodies, row, now, span, now, sides, row)
        cut = _cut(bodies, row, now, planes) or cut
        low[row] = sides[row, 0]
    control[_CUT] = cut
    _end_parted(bodies, pairs, run, sides, planes, cut, soon)
    shell_sort(order, low)
    last = _first_of_neighbours(bodies, sides, planes, cut, order, soon, span)
    for k in range(len(order)):
        sweep_box(sides, order[k], last, swept)
    insertion_sort(order, low)
    for a in range(len(order)):
        one = order[a]
        end = swept[3, one]
        for b in range(a + 1, len(order)):
            other = order[b]
            if low[other] > end:
                break
            if not overlap_aside(swept, one, other):
                continue
            first = meeting_from(sides, planes, cut, one, other, 0.0, last)
            if first > last or not collide_groups(bodies, one, other):
                continue
            if first > soon:
                last = first
            elif pool_full(pairs, run):
                return PAIRS_FULL
            else:
                begin_pair(bodies, pairs, run, one, other)
    run.count[col.FRAME] += 1
    run.param[col.FRAME_END] = now + last
    # Straight sides over a shorter span are tighter: the span follows the time at which bounds last met.
    stretch[_SPAN] = min(2.0 * span, _LONGEST_SPAN * soon) if last == span else max(_SHORTEST_SPAN * soon, 4.0 * last)
    return DONE


@inner_kernel
def _meet_all(bodies, pairs, run, sides, planes, order, control, stretch, row):
    """The bounds of `row` are new: make it active with all that it meets until the end of the stretch."""
    now, built = run.param[col.NOW], stretch[_BUILT]
    _straighten(bodies, row, now, run.param[col.FRAME_END] - now, built, sides, row)
    if _cut(bodies, row, built, planes):
        control[_CUT] = 1
    cut = control[_CUT] == 1
    for k in range(len(order)):
        other = order[k]
        if other == row or not collide_groups(bodies, row, other):
            continue
        # Sides that were made straight now may be too narrow before.
        if meeting_from(sides, planes, cut, row, other, now - built, run.param[col.FRAME_END] - built) < math.inf:
            if pool_full(pairs, run):
                return PAIRS_FULL
            begin_pair(bodies, pairs, run, row, other)
    return DONE


@lean_kernel
def _place(table, row, done):
    """The motion of `row` is new: predict its pairs afresh, save that with `done`, and find whom it meets now."""
    bodies, pairs, run = bodies_at(table), pairs_at(table), run_at(table)
    retest_pairs(bodies, pairs, run, row, done)
    sides, planes, _, order, control, stretch = _stretch_at(table)
    order = order[: control[_N_PRESENT]]
    full = False
    if run.count[col.SORTING] == 0:
        full = _meet_all(bodies, pairs, run, sides, planes, order, control, stretch, row) != DONE
    if full:
        run.count[col.SORTING] = 1  # a new stretch, when there is room, finds the rest


@lean_kernel
def _take_out(table, row):
    """Forget the pairs of `row`."""
    free_pairs_of(bodies_at(table), pairs_at(table), run_at(table), row)


@lean_kernel
def _settle_stretch(table):
    """Begin a stretch now; PAIRS_FULL asks to be called again with more room."""
    run = run_at(table)
    sides, planes, swept, order, control, stretch = _stretch_at(table)
    order = order[: control[_N_PRESENT]]
    begin = started(run)
    code = _enter_stretch(bodies_at(table), pairs_at(table), run, sides, planes, swept, order, control, stretch)
    spent(run, TICKS_SORT, begin)
    if code == DONE:
        run.count[col.SORTING] = 0
    return code


@inline_kernel
def _end_stretch(table, bodies, pairs, run, own, t):
    clock_to(run, run.param[col.FRAME_END])
    run.count[col.SORTING] = 1
    run.count[col.FRAMES_LEFT] -= 1
    return frame_code(run)


_run = event_loop(_stretch_at, frame_time, _end_stretch, _settle_stretch, _place)


@lean_kernel
def _missing_pair(bodies, pairs, run, sides, planes, cut, order, stretch, tolerance):
    """Place in `order` of a body that meets another before the stretch ends without being an active pair with it; -1: none."""
    begin = run.param[col.NOW] - stretch[_BUILT]
    end = run.param[col.FRAME_END] - stretch[_BUILT] - tolerance
    for a in range(len(order)):
        for b in range(a):
            if not collide_groups(bodies, order[a], order[b]):
                continue
            if meeting_from(sides, planes, cut, order[a], order[b], begin, end) < end:
                slot = find_pair(bodies, pairs, order[a], order[b])
                if slot == NO_ID or not pairs.state[slot] & STATE_OVERLAP:
                    return a
    return -1


class SpaceTimeEngine(PooledEngine):
    """Space-time bounds of all bodies, built anew when two of them meet."""

    def __init__(self, tables: Tables, method: str) -> None:
        super().__init__(tables, method)
        self.sides = np.zeros((0, SIDE_COLUMNS))
        self.planes = np.zeros((0, PLANE_COLUMNS))
        self.swept = np.zeros((6, 0))
        self.order = np.zeros(0, np.int64)
        self.control = np.zeros(2, np.int64)
        resolution = float(tables.param[col.FRAME_LENGTH])
        self.stretch = np.array((float(tables.param[col.NOW]), 16.0 * resolution))
        be_patient(tables)
        self._new_stretch()

    def _own_tables(self) -> tuple[Stretch]:
        return (Stretch(self.sides, self.planes, self.swept, self.order, self.control, self.stretch),)

    def _new_stretch(self) -> None:
        self.count[col.SORTING] = 1
        self.param[col.FRAME_END] = self.param[col.NOW]

    def resize(self, capacity: int) -> None:
        """Room for `capacity` bodies."""
        grown = capacity - len(self.sides)
        self.sides = np.concatenate((self.sides, np.zeros((grown, SIDE_COLUMNS))))
        self.planes = np.concatenate((self.planes, np.zeros((grown, PLANE_COLUMNS))))
        self.swept = np.zeros((6, capacity))
        self.order = np.concatenate((self.order, np.zeros(grown, np.int64)))
        self.bind()

    def step(self, until: float) -> float:
        """One call of the compiled loop."""
        return _run(self._table, until)

    def insert(self, rows: Rows) -> None:
        """New bodies begin a new stretch."""
        n = int(self.control[_N_PRESENT])
        self.order[n : n + len(rows)] = rows
        self.control[_N_PRESENT] = n + len(rows)
        self._new_stretch()
        self.settle()

    def remove(self, rows: Rows) -> None:
        """Take bodies out; all other predictions stay."""
        for row in rows:
            _take_out(self._table, int(row))
        left = self.order[: int(self.control[_N_PRESENT])]
        left = left[~np.isin(left, rows)]
        self.order[: len(left)] = left
        self.control[_N_PRESENT] = len(left)

    def motion_changed(self, row: int) -> None:
        """Predict the body's pairs afresh and find whom it meets before the stretch ends."""
        _place(self._table, row, NO_ID)
        if self.count[col.SORTING]:
            self._new_stretch()
            self.settle()

    def check(self, tolerance: float) -> None:
        """Prove that every pair that meets before the stretch ends is active."""
        if self.count[col.SORTING]:
            return
        super().check(tolerance)
        order = self.order[: int(self.control[_N_PRESENT])]
        run = self.tables.run()
        cut = bool(self.control[_CUT])
        missing = _missing_pair(
            self.tables.bodies(), self.pairs(), run, self.sides, self.planes, cut, order, self.stretch, tolerance
        )
        if missing >= 0:
            raise AuditError(
                f"row {order[missing]} meets another before the stretch ends but is no active pair with it"
            )


SPACE_TIME = BroadPhase(
    "space-time",
    "the search for the first meeting of space-time bounds",
    lambda tables, settings: SpaceTimeEngine(tables, settings.queue),
)
