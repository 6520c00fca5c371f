"""How fine the cells of a hierarchical grid are, how many levels it has, and how large their tables."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.engine.kinetic_grid.cells import LEVEL_COLUMNS, LEVEL_FIRST, LEVEL_SHIFT, LEVEL_SIZE
from carom.errors import InvalidInputError
from carom.tolerances import CELL_SLACK, LEVEL_SLACK

Floats = NDArray[np.float64]

_BODIES_PER_CELL = 0.8
"""Where bodies are sparse, cells are as large as to hold this many: crossing a wall costs as much then as the neighbours
found behind it."""
_SMALLEST_TABLE = 4
"""Cells of a table along each axis, so that the neighbours of a cell are in different buckets."""
_BUCKETS_PER_BODY = 4
_PERIODIC_BUCKETS_PER_BODY = 32
"""Beyond so many, tables of periodic sides are folded as well, for which the number of cells must be divisible."""
_MOST_LEVELS = 40


@dataclass(frozen=True)
class GridLayout:
    """Levels of a grid. widths (levels, 3); levels (levels, LEVEL_COLUMNS); corner (3,) of cell (0, 0, 0), which moves."""

    widths: Floats
    levels: NDArray[np.int64]
    corner: Floats
    velocity: Floats

    @property
    def n_buckets(self) -> int:
        """Buckets of all levels."""
        last = self.levels[-1]
        return int(last[LEVEL_FIRST] + np.prod(last[LEVEL_SIZE : LEVEL_SIZE + 3]))

    def level_of(self, sizes: Floats) -> NDArray[np.int64]:
        """Finest level (n,) whose cells hold bounds of these sizes; the number of levels where none does."""
        narrowest = self.widths.min(axis=1)
        return np.searchsorted(narrowest * (1.0 + LEVEL_SLACK), sizes * (1.0 + CELL_SLACK))


def _doublings(needed: Floats, finest: float) -> NDArray[np.int64]:
    """How often (n,) cells of width `finest` must be doubled at least to hold bounds of widths `needed`.

    Only half of what `GridLayout.level_of` allows for rounding is used, so that it finds a level for each of them.
    """
    finest *= 1.0 + 0.5 * LEVEL_SLACK
    doublings = np.ceil(np.log2(np.maximum(needed / finest, 1.0))).astype(np.int64)
    doublings -= (doublings > 0) & (np.ldexp(finest, doublings - 1) >= needed)
    return doublings + (np.ldexp(finest, doublings) < needed)


def crowded_width(centres: Floats, smallest: float, count: int) -> float:
    """Edge of cubes that hold _BODIES_PER_CELL of `count` points each, however flat their cloud; centres (n, 3): a sample."""
    low, high = np.quantile(centres, (0.02, 0.98), axis=0)
    extent = np.sort(np.maximum((high - low) / 0.96, smallest))
    for flat in range(3):  # along an axis shorter than a cell there is only one
        edge = float(_BODIES_PER_CELL * np.prod(extent[flat:]) / count) ** (1.0 / (3 - flat))
        if edge <= extent[flat] or flat == 2:
            return edge
    return smallest


def stream_velocity(velocities: Floats) -> Floats:
    """Velocity (3,) common to most of the bodies (n, 3), 0 along coordinates in which they do not stream."""
    if not len(velocities):
        return np.zeros(3)
    low, common, high = np.quantile(velocities, (0.25, 0.5, 0.75), axis=0)
    return np.asarray(np.where(np.abs(common) > high - low, common, 0.0))


def lay_out(
    centres: Floats,
    velocities: Floats,
    sizes: Floats,
    periods: Floats,
    scale: float = 1.0,
    count: int | None = None,
) -> GridLayout:
    """Cells for bounds of finite `sizes` (n,) about `centres` (n, 3) with `velocities` (n, 3).

    periods (3,), 0 where space does not repeat. count: how many bodies these stand for, where they are a sample.
    scale: factor on the width that sparse bodies get. InvalidInputError where a period is shorter than `least_period` of the
    largest size.
    """
    needed = sizes * (1.0 + CELL_SLACK)
    largest = float(needed.max()) if len(sizes) else 1.0
    smallest = max(float(needed.min()) if len(sizes) else 1.0, largest * 2.0**-_MOST_LEVELS, 1e-300)
    finest = smallest
    if len(sizes) > 1:
        folded = np.where(periods > 0.0, centres % np.where(periods > 0.0, periods, 1.0), centres)
        finest = max(smallest, scale * crowded_width(folded, smallest, count or len(sizes)))
    coarsest_shift = int(_doublings(needed, finest).max(initial=0))
    for d in np.flatnonzero(periods):
        if len(sizes) and periods[d] < 3.0 * largest:
            raise InvalidInputError(f"periodic[{d}] is {periods[d]}; expected at least three bodies in a row")
        # Three cells of the coarsest level, which holds the largest body still.
        finest = min(finest, math.ldexp(periods[d] / 3.0, -coarsest_shift))
    shifts = np.unique(_doublings(needed, finest)) if len(sizes) else np.zeros(1, np.int64)
    widths = finest * np.exp2(shifts)[:, None] * np.ones(3)
    corner = centres.min(axis=0) if len(sizes) else np.zeros(3)
    extent = np.ptp(centres, axis=0) if len(sizes) else np.zeros(3)
    repeats = periods > 0.0
    counts = np.ceil(np.minimum(extent / widths, 2.0**30)).astype(np.int64) + 3
    counts = np.clip(counts, _SMALLEST_TABLE, 2**30)
    coarsest = np.maximum(np.floor(periods / widths[-1]), 3.0)
    if np.prod(np.where(repeats, coarsest * 2.0 ** float(shifts[-1] - shifts[0]), 1.0)) > _periodic_buckets(len(sizes)):
        coarsest = np.array([_divisible(cells) for cells in coarsest])
    subdivided = coarsest * np.exp2(shifts[-1] - shifts)[:, None]
    widths[:, repeats] = periods[repeats] / subdivided[:, repeats]
    counts[:, repeats] = _fold_periods(subdivided[:, repeats], _periodic_buckets(len(sizes)))
    _fold_large(counts, repeats, max(64, _BUCKETS_PER_BODY * len(sizes)))
    levels = np.zeros((len(shifts), LEVEL_COLUMNS), np.int64)
    levels[:, LEVEL_SHIFT] = shifts
    levels[:, LEVEL_SIZE : LEVEL_SIZE + 3] = counts
    levels[1:, LEVEL_FIRST] = np.cumsum(np.prod(counts, axis=1))[:-1]
    velocity = np.where(repeats, 0.0, stream_velocity(velocities))
    return GridLayout(widths, levels, corner, velocity)


def least_period(size: float) -> float:
    """The shortest period in which a bound of this size has cells: three in a row."""
    return 3.0 * (size * (1.0 + CELL_SLACK))


def _periodic_buckets(n: int) -> int:
    """As many buckets as n bodies are worth in periodic space."""
    return max(512, _PERIODIC_BUCKETS_PER_BODY * n)


def _divisible(cells: float) -> float:
    """At most `cells`, and at least 4/5 of them: 4 to 7 times a power of two where they are more than 7."""
    fraction, exponent = math.frexp(cells)
    return cells if cells < 8.0 else math.ldexp(math.floor(8.0 * fraction), exponent - 3)


def _fold_periods(cells: Floats, most: int) -> NDArray[np.int64]:
    """Table sizes (levels, k) that divide the numbers of cells along k periods, halved until `most` buckets suffice."""
    counts = cells.copy()
    for row in counts:
        while np.prod(row) > most:
            side = np.where((row % 2.0 == 0.0) & (row >= 2.0 * _SMALLEST_TABLE), row, 0.0)
            if not side.any():
                break
            row[np.argmax(side)] /= 2.0
    return counts.astype(np.int64)


def _fold_large(counts: NDArray[np.int64], fixed: NDArray[np.bool_], most: int) -> None:
    """Halve the longest sides of tables with more than `most` buckets; periodic sides keep their length."""
    for row in counts:
        while math.prod(int(c) for c in row) > most:
            side = np.where(fixed | (row <= _SMALLEST_TABLE), 0, row)
            longest = int(np.argmax(side))
            if side[longest] == 0:
                break
            row[longest] = max(_SMALLEST_TABLE, (row[longest] + 1) // 2)
