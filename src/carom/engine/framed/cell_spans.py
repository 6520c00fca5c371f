"""Which cells a box touches: a span of integer coordinates on each axis, at the resolution that fits the box.

A grid has cells of size base * 2^level; level 0 is the finest. Where one body's span at level l is [lo, hi], that at level
l + 1 is [lo >> 1, hi >> 1]. Two bodies are *close* when they touch the same cell at the coarser of their levels, which
their spans tell: the close counter of a pair, the number of cells that both touch, is the product of the overlaps of their
spans, so that it needs no table of pairs.

There is one grid over all axes, or one for each axis; in the latter case bodies are close when they are so on every axis.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel
from carom.engine.body_boxes import ends_at, extreme
from carom.tables.arrays import Bytes, DoubleRows, Doubles, IntRows, LongRows, Longs
from carom.tolerances import CELL_LEAD

# Spans.kind values
ABSENT = 0
CELLED = 1
WIDE_SPAN = 2
"""Infinite, or in too many cells: in no cell at all, but compared with every other body by its span."""

MOST_CELLS = 64
"""A box in more cells of its level than this is wide."""

TOP_LEVEL = 40
"""The coarsest level there can be."""

LIMIT = 1 << 50
"""Cell coordinates end here: what lies beyond shares the outermost cells."""

_LOOK_AHEAD = 16.0
"""Frames for which the speed of an accelerated end is bounded when its next change of cell is looked for."""


class Spans(NamedTuple):
    """Where every body is. a axes in g grids of a/g axes each."""

    span: LongRows
    """int64 (capacity, 2a): lowest and highest coordinate on each axis, at the body's level"""
    level: IntRows
    """int32 (capacity, g): the body's level in each grid; 0 where it is wide"""
    kind: Bytes
    """int8 (capacity,): ABSENT, CELLED or WIDE_SPAN"""
    fineness: Doubles
    """float64 (g,): cells a metre at level 0"""
    levels: Longs
    """int64 (g,): bit l says whether level l is in use"""
    new_span: Longs
    """int64 (2a,): where the body under work is now"""
    new_level: Longs
    """int64 (g,)"""
    ends: DoubleRows
    """float64 (2a, 3): scratch: position, speed and half the acceleration of every end of that body"""


@inner_kernel
def level_for(spans, g, row, size):
    """The level of a box of `size` metres in grid g: the finest in use whose cells are no smaller, or else the coarsest.

    A body keeps its level until its box is four times smaller than a cell there. NO_LEVEL (-1) for an infinite box.
    """
    levels = spans.levels[g]
    in_cells = size * spans.fineness[g]
    if not in_cells < math.inf:
        return -1
    if spans.kind[row] == CELLED:
        kept = np.int64(spans.level[row, g])
        cell = float(1 << kept)
        if (levels >> kept) & 1 and in_cells <= cell < 4.0 * in_cells:
            return kept
    best = 0
    for level in range(TOP_LEVEL + 1):
        if (levels >> level) & 1:
            best = level
            if float(1 << level) >= in_cells:
                break
    return best


@inline_kernel
def _coordinate(position, fineness):
    """Cell coordinate of a position at level 0, within LIMIT."""
    return np.int64(math.floor(min(max(position * fineness, -float(LIMIT)), float(LIMIT))))


@inner_kernel
def _time_to_leave(spans, e, fineness, frame):
    """Seconds for which the end e of the body under work surely causes no change of the span that was just found."""
    here = spans.ends[e, 0] * fineness
    speed = spans.ends[e, 1] * fineness
    gain = 2.0 * abs(spans.ends[e, 2]) * fineness * _LOOK_AHEAD * frame
    edge = spans.new_span[e]
    inside = math.floor(here)
    if e & 1:
        up = math.inf if edge >= LIMIT else edge + 1.0 - here
        down = here - min(inside, float(edge))
    else:
        up = max(inside, float(edge)) + 1.0 - here
        down = math.inf if edge <= -LIMIT else here - edge
    slack = CELL_LEAD + 1e-15 * abs(here)
    time = math.inf if gain == 0.0 else _LOOK_AHEAD * frame
    if speed + gain > 0.0:
        time = min(time, (up - slack) / (speed + gain))
    if gain - speed > 0.0:
        time = min(time, (down - slack) / (gain - speed))
    return time


@inner_kernel
def aim(bodies, spans, row, now, end, frame):
    """Find the span of the box of `row` swept from `now` to `end`: into new_span and new_level.

    Returns its kind, and until when span and kind surely stay as they are, at least `end`. The level is that of a box
    swept over a whole frame.
    """
    n_axes = spans.new_span.shape[0] >> 1
    n_grids = spans.new_level.shape[0]
    dims = n_axes // n_grids
    ends = spans.ends
    ends_at(bodies, row, now, ends)
    kind = CELLED
    for g in range(n_grids):
        size = 0.0
        for d in range(g * dims, (g + 1) * dims):
            top = extreme(ends[2 * d + 1, 0], ends[2 * d + 1, 1], ends[2 * d + 1, 2], 0.0, frame, 1)
            size = max(size, top - extreme(ends[2 * d, 0], ends[2 * d, 1], ends[2 * d, 2], 0.0, frame, 0))
        spans.new_level[g] = level_for(spans, g, row, size)
        if spans.new_level[g] < 0:
            kind = WIDE_SPAN
    for e in range(2 * n_axes):
        g = (e >> 1) // dims
        position = extreme(ends[e, 0], ends[e, 1], ends[e, 2], 0.0, end - now, e & 1)
        spans.new_span[e] = _coordinate(position, spans.fineness[g])
    for g in range(n_grids):
        n_cells = 1
        for d in range(g * dims, (g + 1) * dims):
            up = max(spans.new_level[g], 0)
            across = (spans.new_span[2 * d + 1] >> up) - (spans.new_span[2 * d] >> up) + 1
            n_cells *= min(across, MOST_CELLS + 1)
        if n_cells > MOST_CELLS:
            kind = WIDE_SPAN
    stay = math.inf
    for g in range(n_grids):
        if kind == WIDE_SPAN:
            spans.new_level[g] = 0
        up = spans.new_level[g]
        for e in range(2 * g * dims, 2 * (g + 1) * dims):
            spans.new_span[e] >>= up
            stay = min(stay, _time_to_leave(spans, e, spans.fineness[g] / float(1 << up), frame))
    return kind, max(now + stay, end)


@inner_kernel
def same_place(spans, row, kind):
    """Is the body still where its table row says?"""
    if spans.kind[row] != kind:
        return False
    for g in range(spans.new_level.shape[0]):
        if spans.level[row, g] != spans.new_level[g]:
            return False
    for e in range(spans.new_span.shape[0]):
        if spans.span[row, e] != spans.new_span[e]:
            return False
    return True


@inner_kernel
def settle(spans, row, kind):
    """Write the new place of the body into its table row."""
    spans.kind[row] = kind
    for g in range(spans.new_level.shape[0]):
        spans.level[row, g] = spans.new_level[g]
    for e in range(spans.new_span.shape[0]):
        spans.span[row, e] = spans.new_span[e]


@inner_kernel
def spans_meet(span, level, other_span, other_level):
    """Are two bodies close in every grid? Rows of Spans.span and Spans.level, or new_span and new_level."""
    dims = (span.shape[0] >> 1) // level.shape[0]
    for g in range(level.shape[0]):
        up = max(np.int64(other_level[g]) - np.int64(level[g]), 0)
        other_up = max(np.int64(level[g]) - np.int64(other_level[g]), 0)
        for d in range(g * dims, (g + 1) * dims):
            if span[2 * d] >> up > other_span[2 * d + 1] >> other_up:
                return False
            if other_span[2 * d] >> other_up > span[2 * d + 1] >> up:
                return False
    return True
