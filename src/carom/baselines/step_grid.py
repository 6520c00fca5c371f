"""Turk's uniform subdivision: cubes at one instant, step after step, in the cells of a hashed grid.

The usual method for bodies with unknown motion: every step starts from scratch. A cube is entered into the cells that it
touches (at most eight, because cells are not smaller than cubes) and compared with those that are there already.
"""

from __future__ import annotations

import math

import numpy as np

from carom._compile.clock import ticks
from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.tables.body_columns import NO_ID


@inline_kernel
def cubes_overlap(centres, half, i, j):
    """Return whether cubes i and j of half side `half` overlap or touch."""
    for d in range(3):
        if centres[i, d] - half > centres[j, d] + half or centres[j, d] - half > centres[i, d] + half:
            return False
    return True


@inline_kernel
def bucket_of(x, y, z, mask):
    """Hash bucket of a cell."""
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791)) & mask


@inline_kernel
def enter_cell(bucket, corner, heads, following):
    """Insert a corner of a body at the front of a bucket."""
    following[corner] = heads[bucket]
    heads[bucket] = corner


@inline_kernel
def clear_cells(heads, entered, n_entered):
    """Empty the buckets that were used."""
    for k in range(n_entered):
        heads[entered[k]] = NO_ID


@inner_kernel
def lowest_overlap(centres, half, cell, heads, following, entered):
    """Return the overlapping pair of lowest rows, or (-1, -1). cell: side of a cell, at least 2 * half.

    heads (a power of two,): all NO_ID, before and after; following, entered (8n,): room.
    """
    best_i, best_j = NO_ID, NO_ID
    mask = len(heads) - 1
    inverse = 1.0 / cell
    n_entered = 0
    for j in range(centres.shape[0]):
        x0, x1 = math.floor((centres[j, 0] - half) * inverse), math.floor((centres[j, 0] + half) * inverse)
        y0, y1 = math.floor((centres[j, 1] - half) * inverse), math.floor((centres[j, 1] + half) * inverse)
        z0, z1 = math.floor((centres[j, 2] - half) * inverse), math.floor((centres[j, 2] + half) * inverse)
        corner = 8 * j
        for x in range(np.int64(x0), np.int64(x1) + 1):
            for y in range(np.int64(y0), np.int64(y1) + 1):
                for z in range(np.int64(z0), np.int64(z1) + 1):
                    bucket = bucket_of(x, y, z, mask)
                    member = heads[bucket]
                    while member != NO_ID:
                        i = member >> 3
                        lower = best_i == NO_ID or i < best_i or (i == best_i and j < best_j)
                        if lower and i != j and cubes_overlap(centres, half, i, j):
                            best_i, best_j = i, j
                        member = following[member]
                    enter_cell(bucket, corner, heads, following)
                    entered[n_entered] = bucket
                    n_entered += 1
                    corner += 1
    clear_cells(heads, entered, n_entered)
    return best_i, best_j


@lean_kernel
def first_overlap_by_steps(positions, half, cell, heads, following, entered, spent):
    """Return the first step at which two cubes overlap, and the pair of lowest rows; or the number of steps and (-1, -1).

    positions (steps, n, 3). spent (steps,) or empty: clock ticks of each step.
    """
    timed = len(spent) > 0
    for step in range(positions.shape[0]):
        begin = ticks() if timed else 0
        i, j = lowest_overlap(positions[step], half, cell, heads, following, entered)
        if timed:
            spent[step] = ticks() - begin
        if i != NO_ID:
            return step, i, j
    return positions.shape[0], NO_ID, NO_ID
