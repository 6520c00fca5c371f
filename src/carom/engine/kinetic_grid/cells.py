"""A hierarchical hash grid made kinetic: a body that crosses a wall of its cell is an event.

Each body is a point, the centre of its bound, in a cell of the finest level whose cells are as wide as the bound. Two
bounds that overlap have their points in the same or in neighbouring cells of the coarser of their two levels (slides
"Hierarchical Hash Tables"). A level is an infinite grid folded onto a table: cell (x, y, z) is kept in bucket
(x mod gx, y mod gy, z mod gz). Cells that share a bucket only cost a few tests more, unless the space is periodic, where
they are one cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.addresses import OWN, unpacker
from carom.tables.arrays import DoubleRows, Doubles, IntRows, Ints, LongRows, Longs
from carom.tables.body_columns import AX, CX, FLAGS, GIVEN_BOUNDS, NO_ID, RADIUS, T_REF, VX, X


class Grid(NamedTuple):
    """Cells, their bodies, and the next event of every body."""

    hot: DoubleRows
    """float64 (capacity, 16), aligned, see HOT_* columns: all about a body that its events need, in two cache lines"""
    note: IntRows
    """int32 (capacity, 32): the same memory, see CELL_* and PLAN_* columns"""
    bucket: IntRows
    """int32 (buckets, 4): the first three bodies whose own level this is, and how many there are"""
    chain: IntRows
    """int32 (capacity, 2): next and previous of the further bodies of a bucket"""
    heads: Ints
    """int32 (buckets,): first of the further bodies"""
    small_chain: IntRows
    """int32 (levels * capacity, 2): next and previous body of a finer level in a bucket; row level * capacity + body"""
    small_heads: Ints
    """int32 (buckets,) or (1,): first body of a finer level"""
    width: DoubleRows
    """float64 (levels, 3): cell sizes"""
    level: LongRows
    """int64 (levels, 8), see LEVEL_* columns"""
    frame: Doubles
    """float64 (14,): corner of cell (0, 0, 0), periods (0 where space does not repeat), velocity of the cells, and the time
    at which the corner is there; in a stream, cells that move with it are crossed less often. 10 to 12: the acceleration
    that most bodies share, under which they move straight relative to each other; 13: 1 where that is not zero"""
    wide: Ints
    """int32 (capacity + 1,): rows without an end, first count[N_WIDE] entries"""
    near: Ints
    """int32 (capacity + 8,): scratch, room for every body"""
    keys: Doubles
    ties: Longs
    links: Ints


grid_at = unpacker(Grid, OWN)

COMMON = 10
FALLS = 13
"""Grid.frame: the acceleration that most bodies share, and whether there is one."""

# Grid.hot columns. 0 to 6: centre, velocity, epoch of a body that moves straight, or falls like most.
HOT_RADIUS = 7
"""Radius of a ball that moves straight; minus the radius of the bounding sphere of another body that does, or that falls like
most; see carom.engine.kinetic_grid.plan for planes and the rest."""
PLAN_PAIR = 14
"""Time of the next event with a partner."""
PLAN_CROSSING = 15
"""Time at which the body next crosses a wall of its cell."""

# Grid.note columns, those of its first cache line left out
CELL_X = 16
CELL_LEVEL = 19
"""Level of the body, WIDE for one without an end, ABSENT for none."""
NAME = 20
"""Twice the id of the body, and 1 more for balls and half-spaces, whose plans name contacts; the others' name exact tests."""
CELL_FOLDED = 21
"""x, y, z folded onto the table of the body's own level."""
WIDE = -1
ABSENT = -2
PLAN_PARTNER = 24
PLAN_SEEN = 25
"""Number of motion changes of the partner when the plan was made."""
PLAN_WALL = 26
"""Wall that is crossed next: 2 d for the lower and 2 d + 1 for the upper one of axis d, OUTGROWN, or NO_ID."""
PLAN_CHANGES = 27
"""Motion changes of the body itself; also counts when its row gets another body."""
OUTGROWN = 6

IN_BUCKET = 3
"""Bodies that stand in Grid.bucket itself, and the column that holds how many there are in all."""

# Grid.level columns
LEVEL_SHIFT = 0
"""log2 of the cell size over that of level 0."""
LEVEL_SIZE = 1
"""gx, gy, gz: size of the table."""
LEVEL_FIRST = 4
"""Index of the level's first bucket."""
LEVEL_NATIVES = 5
"""Bodies whose own level this is."""
LEVEL_COLUMNS = 8

FARTHEST = 1 << 30
"""Cells from the corner up to which a body may be; beyond, the grid is made anew around the bodies."""


@inner_kernel
def centre_polynomial(bodies, row, d):
    """c0, c1, c2 of the centre of a body's bound along coordinate d, about the body's own epoch."""
    body = bodies.body
    if bodies.link[row, FLAGS] == GIVEN_BOUNDS:
        a0, a1, a2, _ = bound_end(bodies, row, d, 0)
        b0, b1, b2, _ = bound_end(bodies, row, d, 1)
        return 0.5 * (a0 + b0), 0.5 * (a1 + b1), 0.5 * (a2 + b2)
    return body[row, X + d] + body[row, CX + d], body[row, VX + d], 0.5 * body[row, AX + d]


@lean_kernel
def bound_sizes(bodies, rows, now, centres, sizes):
    """Centres (n, 3) and largest extents (n,) of the bounds of rows at `now`; extents may be infinite."""
    for k in range(rows.shape[0]):
        row = np.int64(rows[k])
        s = now - bodies.body[row, T_REF]
        sizes[k] = 0.0
        for d in range(3):
            c0, c1, c2 = centre_polynomial(bodies, row, d)
            centres[k, d] = c0 + s * (c1 + s * c2)
            if bodies.link[row, FLAGS] == GIVEN_BOUNDS:
                a0, a1, a2, _ = bound_end(bodies, row, d, 0)
                b0, b1, b2, _ = bound_end(bodies, row, d, 1)
                sizes[k] = max(sizes[k], (b0 + s * (b1 + s * b2)) - (a0 + s * (a1 + s * a2)))
            else:
                sizes[k] = 2.0 * bodies.body[row, RADIUS]


@inline_kernel
def folded(place, size):
    """`place` folded onto a table of `size`."""
    left = place % size
    return left + size if left < 0 else left


@inner_kernel
def bucket_above(grid, row, level):
    """Bucket of a coarser `level` that holds the point of `row`."""
    up = grid.level[level, LEVEL_SHIFT] - grid.level[grid.note[row, CELL_LEVEL], LEVEL_SHIFT]
    at = np.int64(0)
    for d in range(3):
        size = grid.level[level, LEVEL_SIZE + d]
        at = at * size + folded(np.int64(grid.note[row, CELL_X + d]) >> up, size)
    return grid.level[level, LEVEL_FIRST] + at


@inline_kernel
def _push(heads, chain, bucket, row, at):
    """Put `row` first into a bucket; its links are in chain[at], and those of any other row r in chain[at - row + r]."""
    first = heads[bucket]
    chain[at, 0] = first
    chain[at, 1] = NO_ID
    if first != NO_ID:
        chain[at - row + first, 1] = row
    heads[bucket] = row


@inline_kernel
def _pull(heads, chain, bucket, row, at):
    """Take `row` out of a bucket; places as in _push."""
    after, before = chain[at, 0], chain[at, 1]
    if before == NO_ID:
        heads[bucket] = after
    else:
        chain[at - row + before, 0] = after
    if after != NO_ID:
        chain[at - row + after, 1] = before


@inline_kernel
def _enter_bucket(grid, bucket, row):
    """Put a body into a bucket of its own level."""
    count = grid.bucket[bucket, IN_BUCKET]
    grid.bucket[bucket, IN_BUCKET] = count + 1
    if count < IN_BUCKET:
        grid.bucket[bucket, count] = row
    else:
        _push(grid.heads, grid.chain, bucket, row, row)


@inline_kernel
def _leave_bucket(grid, bucket, row):
    """Take a body out of a bucket of its own level; the first three places stay filled."""
    count = grid.bucket[bucket, IN_BUCKET] - 1
    grid.bucket[bucket, IN_BUCKET] = count
    # Which place it has cannot be foreseen: all three are looked at, without a branch.
    place = 2 if grid.bucket[bucket, 2] == row else IN_BUCKET
    place = 1 if grid.bucket[bucket, 1] == row else place
    place = 0 if grid.bucket[bucket, 0] == row else place
    if place == IN_BUCKET:
        _pull(grid.heads, grid.chain, bucket, row, row)
    elif count < IN_BUCKET:
        grid.bucket[bucket, place] = grid.bucket[bucket, count]
    else:
        other = grid.heads[bucket]
        _pull(grid.heads, grid.chain, bucket, other, other)
        grid.bucket[bucket, place] = other


@inline_kernel
def own_bucket(grid, row):
    """The bucket of a body on its own level."""
    level, note = grid.level, grid.note
    own = note[row, CELL_LEVEL]
    line = note[row, CELL_FOLDED] * level[own, LEVEL_SIZE + 1] + note[row, CELL_FOLDED + 1]
    return level[own, LEVEL_FIRST] + line * level[own, LEVEL_SIZE + 2] + note[row, CELL_FOLDED + 2]


@inner_kernel
def link_row(grid, row):
    """Put a body into the bucket of its own level and those of all coarser ones."""
    level = grid.note[row, CELL_LEVEL]
    _enter_bucket(grid, own_bucket(grid, row), row)
    capacity = grid.note.shape[0]
    for h in range(level + 1, grid.level.shape[0]):
        _push(grid.small_heads, grid.small_chain, bucket_above(grid, row, h), row, h * capacity + row)


@inner_kernel
def unlink_row(grid, row):
    """Take a body out of all its buckets."""
    level = grid.note[row, CELL_LEVEL]
    _leave_bucket(grid, own_bucket(grid, row), row)
    capacity = grid.note.shape[0]
    for h in range(level + 1, grid.level.shape[0]):
        _pull(grid.small_heads, grid.small_chain, bucket_above(grid, row, h), row, h * capacity + row)


@inline_kernel
def corner(grid, d, t):
    """Coordinate d of the corner of cell (0, 0, 0) at time t."""
    return grid.frame[d] + grid.frame[6 + d] * (t - grid.frame[9])


@inner_kernel
def place_row(bodies, grid, row, level, now):
    """Put a body that is in no cell into that of its centre at `now`; False where that is too far away."""
    s = now - bodies.body[row, T_REF]
    for d in range(3):
        c0, c1, c2 = centre_polynomial(bodies, row, d)
        place = np.floor((c0 + s * (c1 + s * c2) - corner(grid, d, now)) / grid.width[level, d])
        if not abs(place) < FARTHEST:
            return False
        grid.note[row, CELL_X + d] = np.int32(place)
        grid.note[row, CELL_FOLDED + d] = folded(np.int64(place), grid.level[level, LEVEL_SIZE + d])
    grid.note[row, CELL_LEVEL] = level
    grid.level[level, LEVEL_NATIVES] += 1
    link_row(grid, row)
    return True


@inner_kernel
def displace_row(grid, row):
    """Take a body out of the grid."""
    level = grid.note[row, CELL_LEVEL]
    if level >= 0:
        unlink_row(grid, row)
        grid.level[level, LEVEL_NATIVES] -= 1
    grid.note[row, CELL_LEVEL] = ABSENT


@inline_kernel
def cross_wall(grid, row, wall):
    """Move a body into the neighbouring cell behind `wall`; returns the coordinate (0 to 2) and the step, -1 or 1."""
    d = wall >> 1
    step = 1 if wall & 1 else -1
    cell = grid.note
    level = cell[row, CELL_LEVEL]
    capacity = cell.shape[0]
    old = np.int64(cell[row, CELL_X + d])
    n_levels = grid.level.shape[0]
    changed = level + 1  # the first coarser level in which the body stays in its cell
    while changed < n_levels:
        up = grid.level[changed, LEVEL_SHIFT] - grid.level[level, LEVEL_SHIFT]
        if old >> up == (old + step) >> up:
            break
        _pull(grid.small_heads, grid.small_chain, bucket_above(grid, row, changed), row, changed * capacity + row)
        changed += 1
    _leave_bucket(grid, own_bucket(grid, row), row)
    cell[row, CELL_X + d] = old + step
    size = grid.level[level, LEVEL_SIZE + d]
    folded = cell[row, CELL_FOLDED + d] + step
    if folded < 0:
        folded = size - 1
    elif folded == size:
        folded = 0
    cell[row, CELL_FOLDED + d] = folded
    _enter_bucket(grid, own_bucket(grid, row), row)
    for h in range(level + 1, changed):
        _push(grid.small_heads, grid.small_chain, bucket_above(grid, row, h), row, h * capacity + row)
    return d, step
