"""What the uniform grid and the hierarchical hash grid share: bodies in cells as the structure of a framed engine.

Bodies are members of the cells that their swept boxes touch: at their own level in the list HOME, at every coarser level
in use in the list PASSING. A pair begins when the bodies come to touch a common cell at the coarser of their levels, and
ends when they touch none. A body that stays in its cells costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from carom.engine.audit import present_rows
from carom.engine.contract import Rows
from carom.engine.framed.cell_audit import far_pair, wrong_place
from carom.engine.framed.cell_spans import ABSENT, WIDE_SPAN, Spans
from carom.engine.framed.cell_update import MOST_ENTERED, Entered, grid_move_address
from carom.engine.framed.hash_cells import Cells, empty_cells, members_consistent, more_room
from carom.engine.framed.loop import N_WIDE, WORK, WORK_LIMIT, FramedEngine
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import FRAME_LENGTH, NOW, ROOM_WANTED, SORTING, code_of

CellChoice = Callable[[NDArray[np.float64], float], tuple[float, int]]
"""Of boxes of sizes (n,), m, with neighbours that far apart, m: cells a metre at level 0, and the levels as a bit mask."""

_PATIENCE = 512
"""Comparisons a body after which it is looked whether the cells still fit the boxes."""

_KEPT = 0.7
"""Cells whose size is at least this share of the best, and no larger than its inverse, are kept."""


def _spacing(centres: NDArray[np.float64]) -> float:
    """Distance of neighbours, m, if all but the outermost points (n, a) were spread evenly."""
    if len(centres) < 2:
        return 0.0
    low, high = np.quantile(centres, (0.05, 0.95), axis=0)
    return float(np.prod((high - low) / 0.9) / len(centres)) ** (1.0 / centres.shape[1])


class GridEngine(FramedEngine):
    """Bodies in the cells of an infinite grid, of one resolution or of several."""

    def __init__(self, tables: Tables, method: str, choose: CellChoice, each_axis: bool) -> None:
        """choose: the sizes of the cells. each_axis: three grids of one axis instead of one of three."""
        super().__init__(tables, method)
        self._choose = choose
        a = self._n_axes
        n_grids = a if each_axis else 1
        self.spans = Spans(
            np.zeros((0, 2 * a), np.int64),
            np.zeros((0, n_grids), np.int32),
            np.zeros(0, np.int8),
            np.ones(n_grids),
            np.ones(n_grids, np.int64),
            np.zeros(2 * a, np.int64),
            np.zeros(n_grids, np.int64),
            np.zeros((2 * a, 3)),
        )
        self._entered = np.zeros(MOST_ENTERED, np.int64)
        self._fitted_to = 0
        self.cells = self._no_members()

    def _move_address(self) -> int:
        return grid_move_address()

    def _structure(self) -> tuple[Spans, Cells, Entered]:
        return self.spans, self.cells, Entered(self._entered)

    def _resize_structure(self, capacity: int) -> None:
        grown = capacity - len(self.spans.kind)
        span, level, kind = (
            np.concatenate((array, np.zeros((grown, *array.shape[1:]), array.dtype))) for array in self.spans[:3]
        )
        self.spans = Spans(span, level, kind, *self.spans[3:])
        own = np.concatenate((self.cells.own, np.full(grown, NO_ID, np.int32)))
        self.cells = self.cells._replace(own=own)

    def _clear(self) -> None:
        """No body has a place."""
        self.spans.kind[:] = ABSENT
        self.control[N_WIDE] = 0
        self.cells = self._no_members()

    def _no_members(self) -> Cells:
        return empty_cells(1 << (2 * MOST_ENTERED).bit_length(), MOST_ENTERED, len(self.spans.kind))

    def step(self, until: float) -> float:
        """One call of the compiled loop, and again after the cells were given what they asked for."""
        while code_of(result := super().step(until)) == ROOM_WANTED:
            if self.control[WORK] > self.control[WORK_LIMIT]:
                self._fit()
            else:
                self.cells = more_room(self.cells, MOST_ENTERED)
            self.bind()
        return result

    def insert(self, rows: Rows) -> None:
        """Find the places and the partners of new bodies, in cells that fit most of them."""
        if len(present_rows(self.tables)) >= 2 * self._fitted_to:
            self._fit()
        super().insert(rows)

    def _fit(self) -> None:
        """Choose the cells that fit the boxes now; where they are others, every body finds its place anew."""
        rows = present_rows(self.tables)
        self._fitted_to = len(rows)
        self.control[WORK] = 0
        self.control[WORK_LIMIT] = _PATIENCE * (len(rows) + 64)
        now = float(self.param[NOW])
        low, high = self.swept(rows, now, now + float(self.param[FRAME_LENGTH]))
        finite = np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1)
        low, high = low[finite], high[finite]
        width = high - low
        n_grids = len(self.spans.levels)
        spacing = _spacing(0.5 * (low + high)) if n_grids == 1 else 0.0
        changed = False
        for g, sizes in enumerate(width.T if n_grids > 1 else [width.max(axis=1, initial=0.0)]):
            fineness, levels = self._choose(sizes, spacing)
            ratio = fineness / self.spans.fineness[g]
            if levels != self.spans.levels[g] or not _KEPT < ratio < 1.0 / _KEPT:
                self.spans.fineness[g] = fineness
                self.spans.levels[g] = levels
                changed = True
        if changed:
            self._clear()
            self.stay[rows] = -np.inf
            self.count[SORTING] = 1
            self.bind()

    def check(self, tolerance: float) -> None:
        """Prove that cells hold exactly those bodies that touch them, and that the pairs are those that are close."""
        if self.count[SORTING]:
            return
        super().check(tolerance)
        if not members_consistent(self.cells):
            raise AuditError("cells and their members disagree")
        rows = present_rows(self.tables)
        wrong = wrong_place(self.tables.bodies(), self.tables.run(), self.spans, self.cells, rows)
        if wrong >= 0:
            raise AuditError(f"row {rows[wrong]} is not in the cells that its box touches")
        wide = np.sort(self.wide[: int(self.control[N_WIDE])])
        if not np.array_equal(wide, np.flatnonzero(self.spans.kind == WIDE_SPAN)):
            raise AuditError("the list of wide bodies is not that of the bodies that are wide")
        slots, first, second = self.pair_rows()
        far = far_pair(self.pairs(), self.spans, slots, first, second)
        if far >= 0:
            raise AuditError(f"rows {first[far]} and {second[far]} are an active pair but not close")
