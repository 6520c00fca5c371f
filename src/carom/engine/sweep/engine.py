"""What kinetic and swept sweep and prune share: sorted lists, bodies that enter and leave, the pool of active pairs."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import lean_kernel
from carom.bounds.kinetic import bound_end
from carom.boxes.still_boxes import find_pairs
from carom.engine.base import Rows
from carom.engine.pair_engine import PooledEngine
from carom.engine.pairs import begin_pair, collide_groups, find_pair, free_pairs_of
from carom.engine.sweep.sorted_lists import Lists, count_overlaps, lists_consistent, overlap_on_all
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import N_ENDS, N_PAIRS, NOW, PAIRS_FULL, STATE_OVERLAP

_FEW = 16
"""New bodies up to this many look for partners by ranks alone; more of them by a static search first."""


@lean_kernel
def _bounds_at(bodies, rows, now, low, high):
    """Bounds (n, k) of rows at time `now`."""
    for r in range(rows.shape[0]):
        for d in range(low.shape[1]):
            c0, c1, c2, epoch = bound_end(bodies, np.int64(rows[r]), d, 0)
            s = now - epoch
            low[r, d] = c0 + s * (c1 + s * c2)
            c0, c1, c2, epoch = bound_end(bodies, np.int64(rows[r]), d, 1)
            s = now - epoch
            high[r, d] = c0 + s * (c1 + s * c2)


@lean_kernel
def _overlapping(lists, rows, others, out):
    """Pairs of a row in `rows` with one in `others` that overlap by rank; counts only where `out` is full."""
    n = 0
    for row in rows:
        for other in others:
            if other != row and overlap_on_all(lists.rank, np.int64(row), np.int64(other)):
                if n < out.shape[0]:
                    out[n, 0] = row
                    out[n, 1] = other
                n += 1
    return n


@lean_kernel
def _begin_candidates(bodies, pairs, run, lists, candidates):
    """Begin those candidate pairs that overlap by rank; the pool has room for all."""
    for c in range(candidates.shape[0]):
        a = np.int64(candidates[c, 0])
        b = np.int64(candidates[c, 1])
        if overlap_on_all(lists.rank, a, b):
            begin_pair(bodies, pairs, run, a, b)


@lean_kernel
def _missing_pair(bodies, pairs, lists, candidates):
    """First candidate that overlaps by rank, may collide, and is not in the pool as overlapping; -1 when none."""
    for c in range(candidates.shape[0]):
        a = np.int64(candidates[c, 0])
        b = np.int64(candidates[c, 1])
        if overlap_on_all(lists.rank, a, b) and collide_groups(bodies, a, b):
            slot = find_pair(bodies, pairs, a, b)
            if slot == NO_ID or not pairs.state[slot] & STATE_OVERLAP:
                return c
    return -1


def bounds_of(tables: Tables, rows: Rows, now: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Kinetic bounds (n, k) of rows at one instant: lower and upper ends."""
    low = np.empty((len(rows), len(tables.axes)))
    high = np.empty_like(low)
    _bounds_at(tables.bodies(), rows, now, low, high)
    return low, high


class SweepEngine(PooledEngine):
    """Sorted lists of interval ends on each axis."""

    def __init__(self, tables: Tables, method: str, matrix: bool) -> None:
        super().__init__(tables, method)
        n_axes = len(tables.axes)
        self._use_matrix = matrix
        self.lists = Lists(
            np.zeros((n_axes, 0), np.int32), np.zeros((0, 2 * n_axes), np.int32), np.zeros((0, 0), np.uint8)
        )

    def resize(self, capacity: int) -> None:
        """Room for `capacity` bodies in the lists, order kept."""
        old = self.lists
        n_axes, used = old.end_id.shape
        end_id = np.zeros((n_axes, 2 * capacity), np.int32)
        end_id[:, :used] = old.end_id
        rank = np.zeros((capacity, 2 * n_axes), np.int32)
        rank[: len(old.rank)] = old.rank
        matrix = np.zeros((capacity, capacity) if self._use_matrix else (0, 0), np.uint8)
        if self._use_matrix:
            matrix[: len(old.matrix), : len(old.matrix)] = old.matrix
        self.lists = Lists(end_id, rank, matrix)
        self._resize_positions(capacity)
        self.bind()

    @abstractmethod
    def _resize_positions(self, capacity: int) -> None:
        """Room for the positions of 2*capacity ends per axis."""

    @abstractmethod
    def _current_values(self) -> NDArray[np.float64]:
        """Positions (k, n_ends) by which the lists are sorted now."""

    @abstractmethod
    def _lists_renewed(self) -> None:
        """end_id and rank are new: write positions and events for all ends."""

    @abstractmethod
    def _entry_values(self, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper positions (n, k) at which bodies enter the lists."""

    @abstractmethod
    def _relocate_kernel(self, row: int) -> int:
        """Give `row` its new motion; PAIRS_FULL asks to be called again with more room."""

    def motion_changed(self, row: int) -> None:
        """Bring the body's ends to their places and predict its pairs afresh."""
        while self._relocate_kernel(row) == PAIRS_FULL:
            self.more_pairs()

    def insert(self, rows: Rows) -> None:
        """Merge new bodies into every list at once, then find their partners."""
        self._lists_merged(rows)
        if self._use_matrix:
            everyone = np.concatenate((self._others(rows), rows))
            for row in rows:
                count_overlaps(self.lists, row, everyone)
        self._begin_pairs(self._candidates(rows))

    def _lists_merged(self, rows: Rows) -> None:
        low, high = self._entry_values(rows)
        values = self._current_values()
        # One axis at a time, and nothing kept: with a million bodies every array counts.
        used = values.shape[1]
        n_new = 2 * len(rows)
        codes = np.concatenate((2 * rows, 2 * rows + 1)).astype(np.int32)
        for d in range(len(values)):
            fresh = np.concatenate((low[:, d], high[:, d]))
            order = np.argsort(fresh, kind="stable")
            # Rounding may have put neighbours a little out of order; a running maximum keeps the search well defined.
            end_id = self.lists.end_id[d]
            if used:
                place = np.searchsorted(np.maximum.accumulate(values[d]), fresh[order])
                end_id[: used + n_new] = np.insert(end_id[:used], place, codes[order])
            else:
                end_id[:n_new] = codes[order]
        self.count[N_ENDS] = used + n_new
        self._rerank()
        self._lists_renewed()

    def _rerank(self) -> None:
        n_ends = int(self.count[N_ENDS])
        places = np.arange(n_ends, dtype=np.int32)
        for d in range(len(self.lists.end_id)):
            codes = self.lists.end_id[d, :n_ends]
            self.lists.rank[codes >> 1, 2 * d + (codes & 1)] = places

    def _candidates(self, rows: Rows) -> NDArray[np.int32]:
        """Pairs with at least one of `rows` that may overlap by rank (a superset)."""
        others = self._others(rows)
        if len(rows) <= _FEW:
            parts = []
            for k in range(len(rows)):
                partners = np.concatenate((others, rows[:k]))
                found = np.empty((len(partners), 2), np.int32)
                n = _overlapping(self.lists, rows[k : k + 1], partners, found)
                parts.append(found[:n])
            return np.concatenate(parts) if parts else np.empty((0, 2), np.int32)
        everyone = np.concatenate((others, rows))
        low, high = self._entry_values(everyone)
        # Nothing else is kept while pairs are found: with a million bodies every array counts.
        slack = 1e-12 * float(np.abs(low[np.isfinite(low)]).max(initial=1.0))
        low -= slack
        high += slack
        found = find_pairs(low, high)
        found = found[found[:, 1] >= len(others)]
        return everyone[found]

    def _begin_pairs(self, candidates: NDArray[np.int32]) -> None:
        self.grow_pairs(int(self.count[N_PAIRS]) + len(candidates))
        _begin_candidates(self.tables.bodies(), self.pairs(), self.tables.run(), self.lists, candidates)

    def remove(self, rows: Rows) -> None:
        """Take bodies out of every list; all other predictions stay."""
        bodies, run = self.tables.bodies(), self.tables.run()
        for row in rows:
            free_pairs_of(bodies, self.pairs(), run, row)
        leaving = np.zeros(self.tables.capacity, np.bool_)
        leaving[rows] = True
        used = int(self.count[N_ENDS])
        for d in range(len(self.lists.end_id)):
            codes = self.lists.end_id[d, :used]
            kept = codes[~leaving[codes >> 1]]
            self.lists.end_id[d, : len(kept)] = kept
        self.count[N_ENDS] = used - 2 * len(rows)
        self._rerank()
        self._lists_renewed()

    def check(self, tolerance: float) -> None:
        """Prove the ranks, and that every pair of overlapping boxes is in the pool."""
        super().check(tolerance)
        if not lists_consistent(self.lists, self.count[N_ENDS]):
            raise AuditError("ranks and lists disagree, or a lower end lies above its upper end")
        everyone = self._others(np.empty(0, np.int32))
        low, high = bounds_of(self.tables, everyone, float(self.param[NOW]))
        candidates = everyone[find_pairs(low, high)].reshape(-1, 2)
        missing = _missing_pair(self.tables.bodies(), self.pairs(), self.lists, candidates)
        if missing >= 0:
            a, b = candidates[missing]
            raise AuditError(f"rows {a} and {b} overlap but are not an active pair")
