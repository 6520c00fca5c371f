"""A complete small broad phase: intervals on the first axis, swept over each frame, every one compared with every other.

CONTRIBUTING.md explains it part by part under "Adding a broad phase".
"""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.addresses import bodies_at, pairs_at, run_at
from carom.engine.body_boxes import extreme
from carom.engine.contract import BroadPhase, Rows
from carom.engine.events.pairs import begin_pair, end_pair, free_pairs_of, pool_full, retest_pairs
from carom.engine.framed.frames import enter_frame, frame_code, frame_time, next_frame
from carom.engine.loop import event_loop, no_tables
from carom.engine.pair_engine import PooledEngine
from carom.engine.tables import Tables
from carom.tables.body_columns import FLAGS, FREE_ROW, NO_ID
from carom.tables.run_columns import DONE, FRAME_END, NOW, PAIRS_FULL, SORTING


@inner_kernel
def _end(bodies, run, row, side):
    """Lowest (side 0) or highest (side 1) place of a row on the first axis from now to the end of the frame."""
    c0, c1, c2, epoch = bound_end(bodies, row, 0, side)
    return extreme(c0, c1, c2, run.param[NOW] - epoch, run.param[FRAME_END] - epoch, side)


@lean_kernel
def _compare(table, row, first):
    """Begin or end the pairs of `row` with the rows from `first` on; PAIRS_FULL asks to be called again."""
    bodies, pairs, run = bodies_at(table), pairs_at(table), run_at(table)
    low, high = _end(bodies, run, row, 0), _end(bodies, run, row, 1)
    for other in range(first, bodies.link.shape[0]):
        if other == row or bodies.link[row, FLAGS] == FREE_ROW or bodies.link[other, FLAGS] == FREE_ROW:
            continue
        if _end(bodies, run, other, 0) <= high and low <= _end(bodies, run, other, 1):
            if pool_full(pairs, run):
                return PAIRS_FULL
            begin_pair(bodies, pairs, run, row, other)
        else:
            end_pair(bodies, pairs, run, row, other)
    return DONE


@inline_kernel
def _settle(table):
    for row in range(bodies_at(table).link.shape[0]):
        if _compare(table, np.int64(row), np.int64(row + 1)) != DONE:
            return PAIRS_FULL
    run_at(table).count[SORTING] = 0
    return DONE


@inline_kernel
def _open_frame(table, bodies, pairs, run, own, t):
    next_frame(run)
    run.count[SORTING] = 1
    return frame_code(run)


@lean_kernel
def _place(table, row, done):
    """The motion of `row` is new."""
    run = run_at(table)
    retest_pairs(bodies_at(table), pairs_at(table), run, row, done)
    if _compare(table, row, np.int64(0)) != DONE:
        run.count[SORTING] = 1


_run = event_loop(no_tables, frame_time, _open_frame, _settle, _place)


class OneAxisEngine(PooledEngine):
    """Swept intervals on one axis."""

    def __init__(self, tables: Tables, method: str) -> None:
        super().__init__(tables, method)
        enter_frame(tables)

    def _own_tables(self) -> tuple[()]:
        return ()

    def resize(self, capacity: int) -> None:
        """There is nothing to grow but what the tables say."""
        self.bind()

    def step(self, until: float) -> float:
        """One call of the compiled loop."""
        return _run(self._table, until)

    def insert(self, rows: Rows) -> None:
        """New bodies are compared with all others now."""
        self.count[SORTING] = 1
        self.settle()

    def remove(self, rows: Rows) -> None:
        """Bodies that leave take their pairs with them."""
        for row in rows:
            free_pairs_of(self.tables.bodies(), self.pairs(), self.tables.run(), row)

    def motion_changed(self, row: int) -> None:
        """The same as in the loop."""
        _place(self._table, row, NO_ID)
        self.settle()


ONE_AXIS = BroadPhase(
    "one-axis",
    "the comparison of intervals on one axis",
    lambda tables, settings: OneAxisEngine(tables, settings.queue),
)
