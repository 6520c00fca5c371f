"""Hierarchical hash grids for boxes of all sizes: one grid per size class, with memory linear in the number of boxes.

A box is in one cell, that of its lower corner, on the lowest level where it reaches at most into the next cell. Overlapping
boxes of a level are therefore in the same or in neighbouring cells, and a box meets those of any other level in few cells.
Both hold for any rounding: a cell is a monotone function of a coordinate, and the level is chosen by cells. Folded grids
repeat: cells one period apart share a slot, which costs comparisons but misses nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, lean_kernel

Floats = NDArray[np.float64]

_SAMPLE = 4096  # Number of sampled boxes that determine the width of cells
_COMMON = 0.9  # Fraction of boxes for which the lowest level is made
_ALIKE = 2.0  # If no box is larger than the common ones by more than this factor, there is one level
_ROOM = 1.0 + 2.0**-20
"""Width of a cell over the size of a box: prevents rounding from lifting boxes of equal size to the next level."""
_FINEST = 2.0**-40  # Least width of a cell relative to the extent of all boxes: cells can be counted in integers
_RATIO = 2.0  # Ratio of the widths of cells of two levels
_FEWEST_SLOTS = 64
_SORTED_SLOTS = 0.25
_SLOTS = 2.0  # Largest number of slots per box
_SHORTEST_PERIOD = 3  # A cell and its two neighbours must be in different slots


class Survey(NamedTuple):
    """Extent and sizes of boxes, from which a grid is made; all (k,)."""

    low: Floats  # least finite end, inf if there is none
    high: Floats  # greatest finite end, -inf if there is none
    size: Floats  # greatest finite size, -1 if there is none


class BoxGrid(NamedTuple):
    """Levels of grids over three axes; slots are sorted along the first."""

    axes: NDArray[np.int64]  # (3,) columns of the boxes; some are repeated if boxes have fewer axes
    base: Floats  # (3,) lower corner of all grids
    scale: Floats  # (levels, 3) cells per unit of length
    top: NDArray[np.int64]  # (levels, 3) highest cell
    period: NDArray[np.int64]  # (levels, 3) cells after which slots repeat; top + 1 where they do not
    first_slot: NDArray[np.int64]  # (levels + 1,) first slot of each level


@lean_kernel
def survey_into(lo, hi, begin, end, out):
    """Survey rows begin to end into out (3, k). Returns the first row with NaN or lo > hi, or -1."""
    n_axes = lo.shape[1]
    wrong = -1
    for d in range(n_axes):
        out[0, d], out[1, d], out[2, d] = np.inf, -np.inf, -1.0
    for i in range(begin, end):
        for d in range(n_axes):
            low, high = lo[i, d], hi[i, d]
            if not low <= high and wrong < 0:
                wrong = i
            if low > -np.inf and low < out[0, d]:
                out[0, d] = low
            if high < np.inf and high > out[1, d]:
                out[1, d] = high
            size = high - low
            if size < np.inf and size > out[2, d]:
                out[2, d] = size
    return wrong


@inner_kernel
def cell_of(grid, level, k, value):
    """Return the cell of a coordinate along axis k of three; -inf and inf are in the first and last one. Monotone."""
    x = (value - grid.base[k]) * grid.scale[level, k]
    if not x > 0.0:
        return np.int64(0)
    if x >= grid.top[level, k]:
        return grid.top[level, k]
    return np.int64(x)


@inner_kernel
def level_of(grid, lo, hi, i):
    """Return the lowest level on which box i reaches at most into the next cell; the last level holds any box."""
    n_levels = grid.scale.shape[0]
    for level in range(n_levels - 1):
        fits = True
        for k in range(3):
            d = grid.axes[k]
            if cell_of(grid, level, k, hi[i, d]) - cell_of(grid, level, k, lo[i, d]) > 1:
                fits = False
                break
        if fits:
            return level
    return n_levels - 1


@inner_kernel
def slot_of(grid, level, x, y, z):
    """Return the slot of a cell."""
    per_x, per_y, per_z = grid.period[level, 0], grid.period[level, 1], grid.period[level, 2]
    if x >= per_x:
        x %= per_x
    if y >= per_y:
        y %= per_y
    if z >= per_z:
        z %= per_z
    return grid.first_slot[level] + (x * per_y + y) * per_z + z


def grid_for(lo: Floats, hi: Floats, survey: Survey, sorted_slots: bool) -> BoxGrid:
    """Make a grid for the boxes [lo, hi] (n, k). With `sorted_slots` a slot is a whole row of cells along the first axis, and
    there are fewer slots than boxes; otherwise more.
    """
    room = int(len(lo) * (_SORTED_SLOTS if sorted_slots else _SLOTS))
    extent = np.array([_extent(float(a), float(b)) for a, b in zip(survey.low, survey.high, strict=True)])
    width = _widths(lo, hi, survey, extent)
    cells = np.where(np.isfinite(extent), np.minimum(extent / width, 1.0 / _FINEST), 0.0)
    axes = np.argsort(-cells, kind="stable")[:3]
    known = len(axes)
    scale: list[list[float]] = []
    top: list[list[int]] = []
    period: list[list[int]] = []
    while True:
        level = len(scale)
        with np.errstate(over="ignore"):  # all in one cell then
            wide = width[axes] * _RATIO**level
        tops = [int(c / _RATIO**level) for c in cells[axes]]
        first = 1 if sorted_slots else 0
        folds = _periods(tops[first:], max(_FEWEST_SLOTS, room >> level))
        # Axes that the boxes lack have one cell.
        beyond = 3 - known
        scale.append([float(s) for s in np.where(np.isfinite(extent[axes]), 1.0 / wide, 0.0)] + [0.0] * beyond)
        top.append(tops + [0] * beyond)
        period.append([1] * first + folds + [1] * beyond)
        if max(tops) <= 1:
            break
    base = np.where(np.isfinite(survey.low) & np.isfinite(extent), survey.low, 0.0)[axes]
    base = np.concatenate((base, np.zeros(3 - known)))
    axes = np.concatenate((axes, np.full(3 - known, axes[-1])))
    first_slot = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.prod(period, axis=1))))
    return BoxGrid(
        axes.astype(np.int64), base, np.array(scale), np.array(top, np.int64), np.array(period, np.int64), first_slot
    )


def _extent(low: float, high: float) -> float:
    """Return the length from the least to the greatest finite end; 0 if one is missing, inf if the length overflows."""
    return max(0.0, high - low) if math.isfinite(low) and math.isfinite(high) else 0.0


def _widths(lo: Floats, hi: Floats, survey: Survey, extent: Floats) -> Floats:
    """Return the widths (k,) of the lowest level's cells: about the size of the common boxes."""
    n, n_axes = lo.shape
    every = max(1, n // _SAMPLE)
    with np.errstate(invalid="ignore", over="ignore"):
        size = hi[::every] - lo[::every]
    size[~np.isfinite(size)] = np.inf
    place = int(_COMMON * (len(size) - 1))
    common = np.partition(size, place, axis=0)[place]
    width = np.empty(n_axes)
    for d in range(n_axes):
        w = float(common[d])
        if survey.size[d] <= _ALIKE * w or math.isinf(w):
            w = float(survey.size[d])
        if w <= 0.0:
            w = extent[d] / math.sqrt(n)
        width[d] = max(w * _ROOM, extent[d] * _FINEST)
    usable = np.isfinite(width) & (width > np.finfo(np.float64).tiny)
    return np.where(usable, width, np.where(np.isfinite(extent), np.maximum(extent, 1.0), 1.0))


def _periods(tops: list[int], budget: int) -> list[int]:
    """Return periods of axes with these highest cells, for at most about `budget` slots."""
    periods = [0] * len(tops)
    for place, k in enumerate(sorted(range(len(tops)), key=tops.__getitem__)):
        share = round(budget ** (1.0 / (len(tops) - place)))
        periods[k] = min(tops[k] + 1, max(_SHORTEST_PERIOD, share))
        budget = max(1, budget // periods[k])
    return periods
