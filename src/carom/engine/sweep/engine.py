"""What the kinetic and the swept sweep share: sorted lists, bodies that enter and leave, proofs."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import lean_kernel
from carom.boxes.still_boxes import find_pairs
from carom.engine.addresses import bodies_at, pairs_at, run_at
from carom.engine.audit import present_rows
from carom.engine.body_boxes import Boxes
from carom.engine.contract import Rows
from carom.engine.events.pairs import begin_pair, collide_groups, find_pair
from carom.engine.pair_engine import PooledEngine
from carom.engine.sweep.axis_lists import (
    N_WAITING,
    SETTLED,
    AxisLists,
    axis_lists_at,
    first_disorder,
    meet_elsewhere,
    meet_on_shared,
)
from carom.engine.sweep.frame_updates import spheres_meet
from carom.engine.sweep.list_order import end_close
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import FRAME_END, N_PAIRS, NOW, STATE_OVERLAP

FEW = 16
"""New bodies up to this many look for partners one by one; more of them by one search over all boxes."""


@lean_kernel
def _begin_candidates(table, candidates):
    """Begin those candidate pairs that are close, end the others; the pool has room for all."""
    bodies, pairs, run, lists = bodies_at(table), pairs_at(table), run_at(table), axis_lists_at(table)
    for c in range(candidates.shape[0]):
        a = np.int64(candidates[c, 0])
        b = np.int64(candidates[c, 1])
        if not (lists.inside[a] and lists.inside[b]):
            continue
        if meet_elsewhere(lists, a, b, np.int64(-1)):
            begin_pair(bodies, pairs, run, a, b)
        else:
            slot = find_pair(bodies, pairs, a, b)
            if slot != NO_ID and pairs.state[slot] & STATE_OVERLAP:
                end_close(bodies, pairs, run, lists, slot)


@lean_kernel
def _missing_pair(table, candidates):
    """First candidate that may collide and should be in the pool, but is not; -1 when none.

    Two settled rows that are close should be there as overlapping. Where one waits to enter lists, the pair should be there
    if shared axes and bounding spheres let the two touch before the end of the frame.
    """
    bodies, pairs, run, lists = bodies_at(table), pairs_at(table), run_at(table), axis_lists_at(table)
    for c in range(candidates.shape[0]):
        a = np.int64(candidates[c, 0])
        b = np.int64(candidates[c, 1])
        if not collide_groups(bodies, a, b):
            continue
        if lists.stage[a] != SETTLED or lists.stage[b] != SETTLED:
            if not (lists.inside[a] and lists.inside[b] and meet_on_shared(lists, a, b)):
                continue
            may_touch = spheres_meet(bodies, a, b, run.param[NOW], run.param[FRAME_END], 0.0)
            if may_touch and find_pair(bodies, pairs, a, b) == NO_ID:
                return c
        elif meet_elsewhere(lists, a, b, np.int64(-1)):
            slot = find_pair(bodies, pairs, a, b)
            if slot == NO_ID or not pairs.state[slot] & STATE_OVERLAP:
                return c
    return -1


class SweepEngine(PooledEngine):
    """Sorted lists of interval ends, on axes that all bodies share and on those that each body chooses from a pool."""

    lists: AxisLists

    def __init__(self, tables: Tables, method: str, matrix: bool) -> None:
        super().__init__(tables, method)
        self._use_matrix = matrix

    @property
    def pool_size(self) -> int:
        """Axes beside the shared ones."""
        return len(self.lists.axes) - int(self.lists.control[0])

    @abstractmethod
    def _boxes(self, rows: Rows) -> Boxes:
        """Boxes of rows on the axes of the world, by which partners are looked for."""

    def _begin_partners(self, rows: Rows, everyone: Rows) -> None:
        """Begin the pairs of `rows`, which are many, that are close; all axes of the world are shared."""
        low, high = self._boxes(everyone)
        # Nothing else is kept while pairs are found: with a million bodies every array counts.
        slack = 1e-12 * float(np.abs(low[np.isfinite(low)]).max(initial=1.0))
        low -= slack
        high += slack
        is_new = np.zeros(self.tables.capacity, np.bool_)
        is_new[rows] = True
        candidates = everyone[find_pairs(low, high)].reshape(-1, 2)
        candidates = np.ascontiguousarray(candidates[is_new[candidates].any(axis=1)])
        self.grow_pairs(int(self.count[N_PAIRS]) + len(candidates))
        _begin_candidates(self._table, candidates)

    def _keep_waiting(self, leaving: Rows) -> None:
        """Let rows wait no longer."""
        waiting = self.lists.waiting[: int(self.lists.control[N_WAITING])]
        kept = waiting[~np.isin(waiting, leaving)]
        self.lists.waiting[: len(kept)] = kept
        self.lists.control[N_WAITING] = len(kept)
        self.lists.stage[leaving] = SETTLED

    def motion_renewed(self, row: int) -> None:
        """Axes of the pool are chosen by the motion, and bounds along them are those of a sphere that follows it."""
        if self.pool_size:
            self.motion_changed(row)
        else:
            super().motion_renewed(row)

    def check(self, tolerance: float) -> None:
        """Prove order, places and members of every list, and that every close pair is in the pool."""
        super().check(tolerance)
        wrong = first_disorder(self.lists)
        if wrong >= 0:
            raise AuditError(f"the list of axis {wrong} is out of order, or its places or members are wrong")
        rows = present_rows(self.tables)
        candidates: NDArray[np.int32] = rows[find_pairs(*self._boxes(rows))].reshape(-1, 2)
        missing = _missing_pair(self._table, candidates)
        if missing >= 0:
            a, b = candidates[missing]
            raise AuditError(f"rows {a} and {b} are close but not an active pair")
