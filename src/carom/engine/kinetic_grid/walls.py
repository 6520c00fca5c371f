"""When a body of a kinetic grid leaves its cell, and through which wall."""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.kinetic_grid.cells import CELL_LEVEL, CELL_X, FALLS, HOT_RADIUS, OUTGROWN, centre_polynomial, corner
from carom.maths.quadratic import enter_quadratic
from carom.tables.body_columns import FLAGS, GIVEN_BOUNDS, NO_ID, T_REF


@inner_kernel
def _outgrows(bodies, row, width, now):
    """When a user-given bound becomes wider than `width` (its smallest cell), not before now."""
    first = np.inf
    epoch = bodies.body[row, T_REF]
    for d in range(3):
        a0, a1, a2, _ = bound_end(bodies, row, d, 0)
        b0, b1, b2, _ = bound_end(bodies, row, d, 1)
        t = epoch + enter_quadratic(width - (b0 - a0), a1 - b1, a2 - b2, now - epoch)
        first = min(first, t)
    return first


@inner_kernel
def _next_wall_curved(bodies, grid, row, now):
    """next_wall for a body that accelerates or has user-given bounds."""
    level = grid.note[row, CELL_LEVEL]
    epoch = bodies.body[row, T_REF]
    first, wall = np.inf, NO_ID
    for d in range(3):
        c0, c1, c2 = centre_polynomial(bodies, row, d)
        origin = corner(grid, d, epoch)
        low = origin + grid.width[level, d] * grid.note[row, CELL_X + d]
        high = origin + grid.width[level, d] * (grid.note[row, CELL_X + d] + 1)
        c1 -= grid.frame[6 + d]
        t = epoch + enter_quadratic(c0 - low, c1, c2, now - epoch)
        if t < first:
            first, wall = t, 2 * d
        t = epoch + enter_quadratic(high - c0, -c1, -c2, now - epoch)
        if t < first:
            first, wall = t, 2 * d + 1
    if bodies.link[row, FLAGS] == GIVEN_BOUNDS:
        width = min(grid.width[level, 0], grid.width[level, 1], grid.width[level, 2])
        t = _outgrows(bodies, row, width, now)
        if t < first:
            first, wall = t, OUTGROWN
    return first, wall


@inline_kernel
def next_wall(bodies, grid, row, now):
    """Time, not before now, and number of the wall at which a body leaves its cell; (inf, NO_ID) when it never does."""
    hot = grid.hot
    if abs(hot[row, HOT_RADIUS]) == np.inf or grid.frame[FALLS] != 0.0:
        return _next_wall_curved(bodies, grid, row, now)
    level = grid.note[row, CELL_LEVEL]
    epoch = hot[row, 6]
    first, wall = np.inf, NO_ID
    for d in range(3):
        v = hot[row, 3 + d] - grid.frame[6 + d]
        up = 1 if v > 0.0 else 0
        # A body at rest along d: dividing by zero gives an infinity or NaN, neither of which is earlier than anything.
        face = corner(grid, d, epoch) + grid.width[level, d] * (grid.note[row, CELL_X + d] + up)
        s = (face - hot[row, d]) / v
        if v != 0.0 and s < first:
            first, wall = s, 2 * d + up
    return max(epoch + first, now), wall
