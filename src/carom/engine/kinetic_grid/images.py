"""Bodies in periodic space: which image of one is near another."""

from __future__ import annotations

import math

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel
from carom.engine.kinetic_grid.cells import CELL_LEVEL, CELL_X
from carom.tables.body_columns import CX, ID, NO_ID, T_REF, VX, X
from carom.tables.run_columns import PERIODIC, SHIFT


@inline_kernel
def apart(grid, i, j):
    """Are two rows not in neighbouring cells, unless space repeats?"""
    cell = grid.note
    near = cell[i, CELL_LEVEL] == cell[j, CELL_LEVEL]
    for d in range(3):
        near &= abs(cell[i, CELL_X + d] - cell[j, CELL_X + d]) <= 1
    return not near


@inner_kernel
def image_into(bodies, grid, i, j, shift):
    """Write into `shift` (3,) by how much to move the one with the higher id of two neighbours in periodic space.

    It is always the higher id that is moved, so that the pair's contact time does not depend on who asks.
    """
    sign = 1.0 if bodies.link[i, ID] < bodies.link[j, ID] else -1.0
    level_i, level_j = grid.note[i, CELL_LEVEL], grid.note[j, CELL_LEVEL]
    for d in range(3):
        shift[d] = 0.0
        period = grid.frame[3 + d]
        if period > 0.0 and level_i >= 0 and level_j >= 0:
            place_i = (grid.note[i, CELL_X + d] + 0.5) * grid.width[level_i, d]
            place_j = (grid.note[j, CELL_X + d] + 0.5) * grid.width[level_j, d]
            shift[d] = sign * period * np.floor((place_i - place_j) / period + 0.5)


@inner_kernel
def bring_near(bodies, run, grid, i, j, t):
    """Move the row with the higher id to its image nearest the other at t; returns that row, NO_ID where space is plain.

    run.param[SHIFT:] holds the move.
    """
    if not run.count[PERIODIC] or grid.note[i, CELL_LEVEL] < 0 or grid.note[j, CELL_LEVEL] < 0:
        return NO_ID
    body = bodies.body
    low, high = (i, j) if bodies.link[i, ID] < bodies.link[j, ID] else (j, i)
    for d in range(3):
        period = grid.frame[3 + d]
        run.param[SHIFT + d] = 0.0
        if period > 0.0:
            there = body[high, X + d] + body[high, CX + d] + body[high, VX + d] * (t - body[high, T_REF])
            here = body[low, X + d] + body[low, CX + d] + body[low, VX + d] * (t - body[low, T_REF])
            run.param[SHIFT + d] = period * math.floor((here - there) / period + 0.5)
            body[high, X + d] += run.param[SHIFT + d]
    return high


@inner_kernel
def take_back(bodies, run, row):
    """Undo bring_near."""
    if row != NO_ID:
        for d in range(3):
            bodies.body[row, X + d] -= run.param[SHIFT + d]
