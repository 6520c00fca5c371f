"""The event loop of broad phases that keep boxes in a grid or a tree and sweep them per frame, exact inside the frame.

Frames are [k*dt, (k+1)*dt]. At the start of a frame the boxes that may reach a new place in the structure are swept over
it and moved there; pairs begin and end by that. Inside, contacts are processed in time order, and a body whose motion
changes is swept again from there to the end of the frame. The structure is behind one C function, called by address: the
loop, with all that pairs need, is compiled once for all of them.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any, NamedTuple

import numba
import numpy as np

from carom._compile.address_call import as_int64, call_int
from carom._compile.jit import c_callback, inline_kernel, inner_kernel, lean_kernel
from carom.boxes.still_boxes import find_pairs
from carom.engine.addresses import OWN, TABLE_COLUMNS, bodies_at, pairs_at, run_at, unpacker
from carom.engine.audit import present_rows
from carom.engine.body_boxes import Boxes, swept_boxes
from carom.engine.contract import Rows
from carom.engine.events.pairs import (
    begin_pair,
    collide_groups,
    end_slot,
    find_pair,
    free_pairs_of,
    pool_full,
    retest_pairs,
)
from carom.engine.framed.frames import enter_frame, frame_code, frame_time, next_frame
from carom.engine.loop import event_loop
from carom.engine.pair_engine import PooledEngine
from carom.engine.profile import spent, started
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.tables.arrays import Doubles, Ints, Longs
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import (
    DONE,
    FRAME_END,
    NOW,
    PAIRS_FULL,
    SORTING,
    STATE_OVERLAP,
    TICKS_SORT,
)


class Places(NamedTuple):
    """Where bodies are in the structure of a framed engine."""

    stay: Doubles
    """float64 (capacity,): until when a row's place covers its box; inf for rows that are absent"""
    wide: Ints
    """int32 (capacity,): rows that are unbounded, first control[N_WIDE] entries"""
    met: Ints
    """int32 (m,): scratch, see N_MET"""
    apart: Ints
    """int32 (capacity,): scratch, see N_APART"""
    control: Longs
    """int64 (CONTROL_COLUMNS,)"""


places_at = unpacker(Places, OWN)
STRUCTURE = OWN + len(Places._fields)
"""Row of the address table at which the tables of the structure begin."""

# Columns of `control`, int64
MOVE_ADDRESS = 0
"""C function (table address, table rows, row, task): does one of the tasks below for one row; returns DONE or ROOM_WANTED.
0 before the first body."""
N_MET = 1
"""Rows in `met`: bodies that the last one moved has come close to."""
N_APART = 2
"""Pair slots in `apart`: pairs of the last one moved that are no longer close."""
N_WIDE = 3
"""Bodies in the list `wide`."""
MOVED = 4
"""The last body moved."""
WORK = 5
"""Comparisons of bodies since the structure was last fitted to them."""
WORK_LIMIT = 6
"""So many, and the structure asks to be fitted again."""
CONTROL_COLUMNS = 7

# Tasks of the C function
MOVE = 0
"""Bring the row to where its box, swept from now to FRAME_END, belongs; write stay[row], and who meets and who parts."""
LEAVE = 1
"""Take the row out."""


@inner_kernel
def _call(table, row, task):
    """Give the structure a task."""
    address = places_at(table).control[MOVE_ADDRESS]
    if address == 0:
        return DONE
    return call_int(address, (table.ctypes.data, table.shape[0], np.int64(row), np.int64(task)))


@inner_kernel
def _begin_met(bodies, pairs, run, met, control):
    """Begin the pairs of the last body moved; PAIRS_FULL leaves the rest to the next call."""
    while control[N_MET] > 0:
        if pool_full(pairs, run):
            return PAIRS_FULL
        control[N_MET] -= 1
        a = control[MOVED]
        b = np.int64(met[control[N_MET]])
        begin_pair(bodies, pairs, run, a, b)
    return DONE


@inner_kernel
def _update(table, first, last):
    """Move those rows from `first` to before `last` whose places may not cover their boxes until the end of the frame.

    PAIRS_FULL and ROOM_WANTED ask to be called again.
    """
    bodies, pairs, run, places = bodies_at(table), pairs_at(table), run_at(table), places_at(table)
    stay, met, apart, control = places.stay, places.met, places.apart, places.control
    begin = started(run)
    code = _begin_met(bodies, pairs, run, met, control)
    for row in range(first, last):
        if code == DONE and stay[row] < run.param[FRAME_END]:
            code = _call(table, row, MOVE)
            while control[N_APART] > 0:
                control[N_APART] -= 1
                slot = np.int64(apart[control[N_APART]])
                end_slot(
                    bodies, pairs, run, slot, np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0])
                )
            if code == DONE:
                code = _begin_met(bodies, pairs, run, met, control)
    spent(run, TICKS_SORT, begin)
    return code


@lean_kernel
def _place(table, row, done):
    """The motion of `row` is new: predict its pairs afresh, save that with `done`, and sweep it to the frame's end."""
    run = run_at(table)
    retest_pairs(bodies_at(table), pairs_at(table), run, row, done)
    places_at(table).stay[row] = -math.inf
    if _update(table, row, np.int64(row + 1)) != DONE:
        run.count[SORTING] = 1


@lean_kernel
def _take_out(table, row):
    """Forget the pairs of `row` and take it out of the structure."""
    free_pairs_of(bodies_at(table), pairs_at(table), run_at(table), row)
    _call(table, row, LEAVE)
    places_at(table).stay[row] = math.inf


@inline_kernel
def _settle(table):
    code = _update(table, np.int64(0), np.int64(bodies_at(table).link.shape[0]))
    if code == DONE:
        run_at(table).count[SORTING] = 0
    return code


@inline_kernel
def _open_frame(table, bodies, pairs, run, own, t):
    next_frame(run)
    run.count[SORTING] = 1
    return frame_code(run)


_run = event_loop(places_at, frame_time, _open_frame, _settle, _place)


@inner_kernel
def report_met(places, other):
    """The body that is being moved has come close to `other`."""
    places.met[places.control[N_MET]] = other
    places.control[N_MET] += 1


@inner_kernel
def report_apart(places, slot):
    """The pair in `slot`, of the body that is being moved, is no longer close."""
    places.apart[places.control[N_APART]] = slot
    places.control[N_APART] += 1


@inner_kernel
def join_wide(places, row):
    """Append `row` to the list of wide bodies."""
    places.wide[places.control[N_WIDE]] = row
    places.control[N_WIDE] += 1


@inner_kernel
def leave_wide(places, row):
    """Take `row` out of the list of wide bodies."""
    wide, control = places.wide, places.control
    for k in range(control[N_WIDE]):
        if wide[k] == row:
            control[N_WIDE] -= 1
            wide[k] = wide[control[N_WIDE]]
            return


def task_address(move: Any, leave: Any) -> int:
    """Address of the C function of a structure that MOVE_ADDRESS asks for. Compiles.

    move, leave: kernels (table, row) for the tasks; `move` returns DONE or ROOM_WANTED.
    """

    @c_callback("int64(int64, int64, int64, int64)")
    def do_task(address, n_rows, row, task):
        table = numba.carray(as_int64(address), (n_rows, TABLE_COLUMNS))
        if task == MOVE:
            return move(table, row)
        leave(table, row)
        return DONE

    return int(do_task.address)


@lean_kernel
def _missing_pair(bodies, pairs, candidates):
    """First candidate that may collide and is not in the pool as overlapping; -1 when none."""
    for c in range(candidates.shape[0]):
        a = np.int64(candidates[c, 0])
        b = np.int64(candidates[c, 1])
        if collide_groups(bodies, a, b):
            slot = find_pair(bodies, pairs, a, b)
            if slot == NO_ID or not pairs.state[slot] & STATE_OVERLAP:
                return c
    return -1


class FramedEngine(PooledEngine):
    """A structure over boxes swept per frame."""

    def __init__(self, tables: Tables, method: str) -> None:
        super().__init__(tables, method)
        self.stay = np.zeros(0)
        """float64 (capacity,): until when a body's place surely covers its box; inf for an empty row"""
        self.wide = np.zeros(0, np.int32)
        """int32 (capacity,): bodies that are compared with all others instead of being in the structure"""
        self.control = np.zeros(CONTROL_COLUMNS, np.int64)
        self._met = np.zeros(0, np.int32)
        self._apart = np.zeros(0, np.int32)
        self._n_axes = min(3, len(tables.axes))
        enter_frame(tables)

    @abstractmethod
    def _move_address(self) -> int:
        """Address of the structure's C function."""

    @abstractmethod
    def _structure(self) -> tuple[tuple[Any, ...], ...]:
        """The structure's tables."""

    @abstractmethod
    def _resize_structure(self, capacity: int) -> None:
        """Room for `capacity` bodies in the structure."""

    def _own_tables(self) -> tuple[tuple[Any, ...], ...]:
        return Places(self.stay, self.wide, self._met, self._apart, self.control), *self._structure()

    def resize(self, capacity: int) -> None:
        """Room for `capacity` bodies."""
        grown = capacity - len(self.stay)
        self.stay = np.concatenate((self.stay, np.full(grown, np.inf)))
        self.wide = np.concatenate((self.wide, np.zeros(grown, np.int32)))
        self._met = np.concatenate((self._met, np.zeros(3 * grown, np.int32)))  # a grid an axis finds some thrice
        self._apart = np.zeros(capacity, np.int32)
        self._resize_structure(capacity)
        self.bind()

    def step(self, until: float) -> float:
        """One call of the compiled loop."""
        return _run(self._table, until)

    def insert(self, rows: Rows) -> None:
        """Find the places and the partners of new bodies: the loop's own update does it."""
        self.control[MOVE_ADDRESS] = self._move_address()
        self.stay[rows] = -np.inf
        self.count[SORTING] = 1
        self.settle()

    def remove(self, rows: Rows) -> None:
        """Take bodies out of the structure; all other predictions stay."""
        for row in rows:
            _take_out(self._table, int(row))

    def motion_changed(self, row: int) -> None:
        """Predict the body's pairs afresh and bring it to its place."""
        _place(self._table, row, NO_ID)
        self.settle()

    def swept(self, rows: Rows, t0: float, t1: float) -> Boxes:
        """Boxes (n, a) of rows swept over [t0, t1], on the axes that the structure uses."""
        return swept_boxes(self.tables, rows, t0, t1, self._n_axes)

    def check(self, tolerance: float) -> None:
        """Prove that every pair of overlapping swept boxes is in the pool; subclasses prove the structure."""
        super().check(tolerance)
        rows = present_rows(self.tables)
        now, end = float(self.param[NOW]), float(self.param[FRAME_END])
        candidates = rows[find_pairs(*self.swept(rows, now, max(now, end)))].reshape(-1, 2)
        missing = _missing_pair(self.tables.bodies(), self.pairs(), candidates)
        if missing >= 0:
            a, b = candidates[missing]
            raise AuditError(f"rows {a} and {b} overlap but are not an active pair")
