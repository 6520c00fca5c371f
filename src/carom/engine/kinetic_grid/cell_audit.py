"""Proofs about the cells of a kinetic grid."""

from __future__ import annotations

import numpy as np

from carom._compile.jit import lean_kernel
from carom.engine.kinetic_grid.cells import (
    CELL_LEVEL,
    CELL_X,
    IN_BUCKET,
    WIDE,
    bucket_above,
    centre_polynomial,
    corner,
    own_bucket,
)
from carom.tables.body_columns import NO_ID, T_REF


@lean_kernel
def misplaced_row(bodies, grid, rows, now):
    """First entry of `rows` whose centre at `now` is outside its cell by more than a hundredth of it, -1 when none."""
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        level = grid.note[row, CELL_LEVEL]
        if level == WIDE:
            continue
        s = now - bodies.body[row, T_REF]
        for d in range(3):
            c0, c1, c2 = centre_polynomial(bodies, row, d)
            place = (c0 + s * (c1 + s * c2) - corner(grid, d, now)) / grid.width[level, d] - grid.note[row, CELL_X + d]
            if not -0.01 < place < 1.01:
                return k
    return -1


@lean_kernel
def unlisted_row(grid, rows):
    """First entry of `rows` that its bucket, or one of a coarser level, does not hold; -1 when none."""
    capacity = grid.note.shape[0]
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        level = grid.note[row, CELL_LEVEL]
        if level == WIDE:
            continue
        bucket = own_bucket(grid, row)
        listed = False
        for place in range(min(grid.bucket[bucket, IN_BUCKET], IN_BUCKET)):
            listed |= grid.bucket[bucket, place] == row
        other = grid.heads[bucket]
        while other != NO_ID:
            listed |= other == row
            other = grid.chain[other, 0]
        if not listed:
            return k
        for h in range(level + 1, grid.level.shape[0]):
            other = grid.small_heads[bucket_above(grid, row, h)]
            while other != NO_ID and other != row:
                other = grid.small_chain[h * capacity + other, 0]
            if other == NO_ID:
                return k
    return -1
