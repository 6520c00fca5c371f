"""Which bodies of a kinetic grid may touch one of them: those in its cell and in the neighbours of it."""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inline_kernel
from carom.engine.kinetic_grid.cells import (
    CELL_FOLDED,
    CELL_LEVEL,
    CELL_X,
    IN_BUCKET,
    LEVEL_FIRST,
    LEVEL_NATIVES,
    LEVEL_SHIFT,
    LEVEL_SIZE,
    folded,
)
from carom.tables.body_columns import NO_ID


@inline_kernel
def _gather_bucket(grid, bucket, level, with_small, near, n):
    """Append the bodies of a bucket to near[:n]; returns their new number."""
    # How many there are cannot be foreseen: four numbers are always copied, and those that are none overwritten.
    for place in range(4):
        near[n + place] = grid.bucket[bucket, place]
    count = grid.bucket[bucket, IN_BUCKET]
    n += min(count, IN_BUCKET)
    if count > IN_BUCKET:
        other = grid.heads[bucket]
        while other != NO_ID:
            near[n] = other
            n += 1
            other = grid.chain[other, 0]
    if with_small:
        base = level * grid.note.shape[0]
        other = grid.small_heads[bucket]
        while other != NO_ID:
            near[n] = other
            n += 1
            other = grid.small_chain[base + other, 0]
    return n


@inline_kernel
def _three(place, size, stride):
    """What cells place - 1, place and place + 1 of a table's side of `size` add to the number of a bucket."""
    before = size - 1 if place == 0 else place - 1
    after = 0 if place + 1 == size else place + 1
    return before * stride, place * stride, after * stride


@inline_kernel
def _gather_nine(grid, first, rows, columns, level, with_small, near, n):
    """Append the bodies of the nine buckets first + rows + columns. No count here depends on where the body goes."""
    for across in rows:
        for along in columns:
            n = _gather_bucket(grid, first + across + along, level, with_small, near, n)
    return n


@inline_kernel
def gather_near(grid, row, d, step):
    """Write into grid.near the bodies that may touch `row`; returns their number.

    d < 0: those in its cell, itself among them, and in all neighbours. Else those in cells that became neighbours by a step
    along d.
    """
    cell, near = grid.note, grid.near
    own = cell[row, CELL_LEVEL]
    n = 0
    for h in range(own, grid.level.shape[0]):
        up = grid.level[h, LEVEL_SHIFT] - grid.level[own, LEVEL_SHIFT]
        if d >= 0 and up > 0:
            place = np.int64(cell[row, CELL_X + d])
            if place >> up == (place - step) >> up:
                break
        with_small = h == own and h > 0
        if grid.level[h, LEVEL_NATIVES] == 0 and not with_small:
            continue
        gx, gy, gz = grid.level[h, LEVEL_SIZE], grid.level[h, LEVEL_SIZE + 1], grid.level[h, LEVEL_SIZE + 2]
        if up == 0:
            x, y, z = (
                np.int64(cell[row, CELL_FOLDED]),
                np.int64(cell[row, CELL_FOLDED + 1]),
                np.int64(cell[row, CELL_FOLDED + 2]),
            )
        else:
            x = folded(np.int64(cell[row, CELL_X]) >> up, gx)
            y = folded(np.int64(cell[row, CELL_X + 1]) >> up, gy)
            z = folded(np.int64(cell[row, CELL_X + 2]) >> up, gz)
        xs, ys, zs = _three(x, gx, gy * gz), _three(y, gy, gz), _three(z, gz, 1)
        first = grid.level[h, LEVEL_FIRST]
        if d < 0:
            for at in xs:
                n = _gather_nine(grid, first + at, ys, zs, h, with_small, near, n)
        elif d == 0:
            n = _gather_nine(grid, first + xs[step + 1], ys, zs, h, with_small, near, n)
        elif d == 1:
            n = _gather_nine(grid, first + ys[step + 1], xs, zs, h, with_small, near, n)
        else:
            n = _gather_nine(grid, first + zs[step + 1], xs, ys, h, with_small, near, n)
    return n
