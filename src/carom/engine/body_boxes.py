"""Boxes of bodies: their kinetic bounds at one instant, and swept over an interval of time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.tables import Tables

Boxes = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Lower and upper ends (n, k) of n boxes on k axes."""


@inline_kernel
def extreme(c0, c1, c2, s0, s1, side):
    """Lowest (side 0) or highest (side 1) value of c0 + c1 s + c2 s^2 over [s0, s1]."""
    a = c0 + s0 * (c1 + s0 * c2)
    b = c0 + s1 * (c1 + s1 * c2)
    extreme = max(a, b) if side else min(a, b)
    if c2 != 0.0 and (c2 < 0.0) == (side == 1):
        s = -0.5 * c1 / c2
        if s0 < s < s1:
            extreme = c0 + 0.5 * s * c1
    return extreme


@inner_kernel
def ends_at(bodies, row, now, ends):
    """Position, speed and half acceleration at `now` of each end of the body's bounds, into ends (2a, 3): on a axes."""
    for e in range(ends.shape[0]):
        c0, c1, c2, epoch = bound_end(bodies, row, e >> 1, e & 1)
        s = now - epoch
        ends[e, 0] = c0 + s * (c1 + s * c2)
        ends[e, 1] = c1 + 2.0 * s * c2
        ends[e, 2] = c2


@lean_kernel
def _sweep_boxes(bodies, rows, t0, t1, ends):
    """Extreme positions over [t0, t1] of the lower ends (n, k) and the upper ends of rows, into ends (2, n, k)."""
    for r in range(rows.shape[0]):
        for d in range(ends.shape[2]):
            for side in range(2):
                c0, c1, c2, epoch = bound_end(bodies, np.int64(rows[r]), d, side)
                ends[side, r, d] = extreme(c0, c1, c2, t0 - epoch, t1 - epoch, side)


def swept_boxes(tables: Tables, rows: NDArray[np.int32], t0: float, t1: float, n_axes: int | None = None) -> Boxes:
    """Boxes of rows swept over [t0, t1]; n_axes: on so many of the axes, None for all."""
    ends = np.empty((2, len(rows), len(tables.axes) if n_axes is None else n_axes))
    _sweep_boxes(tables.bodies(), rows, t0, t1, ends)
    return ends[0], ends[1]


def bounds_at(tables: Tables, rows: NDArray[np.int32], now: float) -> Boxes:
    """Boxes of rows at one instant."""
    return swept_boxes(tables, rows, now, now)
