"""Pairs of steered balls that can meet soon, where bodies are so close that some always can: by the cells of a grid.

What a body can reach until then lies in a ball of its own; these balls are compared, each with those in the cells around it.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from carom._compile.jit import inner_kernel, lean_kernel
from carom.tolerances import BOUND_PAD, BOUND_PAD_ULPS, EPSILON, GUIDED_SLACK

CELLS_A_BODY = 8
"""Cells that a grid has at most, for each body."""
_FULL = -1


@inner_kernel
def _balls_until(position, velocity, radius, acceleration, speed, soon, balls):
    """What each body can reach until `soon`, into balls (n, 4), centre and radius; the largest radius."""
    largest = 0.0
    for i in range(len(radius)):
        x, y, z = position[i, 0], position[i, 1], position[i, 2]
        vx, vy, vz = velocity[i, 0], velocity[i, 1], velocity[i, 2]
        # Unpushed it flies along a stretch: a ball about its middle. If only speed is limited: about where it is.
        drift = 0.5 * soon * sqrt(vx * vx + vy * vy + vz * vz) + (
            0.5 * acceleration[i] * soon * soon if soon > 0.0 else 0.0
        )
        run = speed[i] * soon if soon > 0.0 else 0.0
        if drift < run:
            x, y, z = x + 0.5 * soon * vx, y + 0.5 * soon * vy, z + 0.5 * soon * vz
        grown = radius[i] + min(drift, run) * (1.0 + GUIDED_SLACK)
        farthest = abs(x) + abs(y) + abs(z) + grown
        balls[i, 0], balls[i, 1], balls[i, 2] = x, y, z
        balls[i, 3] = grown + BOUND_PAD * radius[i] + BOUND_PAD_ULPS * EPSILON * farthest
        largest = max(largest, balls[i, 3])
    return largest


@inner_kernel
def _spread(balls, d):
    """Least centre along an axis, and how far the others reach beyond."""
    low, high = np.inf, -np.inf
    for i in range(len(balls)):
        low, high = min(low, balls[i, d]), max(high, balls[i, d])
    return low, high - low


@inner_kernel
def _sort_by_cells(balls, largest, cells, starts, rows, ordered):
    """Put balls into `ordered` cell by cell, their rows into `rows`; returns cells along each axis.

    Cells are not smaller than the largest ball, so balls that touch lie in cells that do. Cell k holds places starts[k] to
    starts[k + 1] - 1.
    """
    n = len(balls)
    x0, wide = _spread(balls, 0)
    y0, deep = _spread(balls, 1)
    z0, high = _spread(balls, 2)
    side = max(2.0 * largest, 1e-300)
    nx, ny, nz = wide // side + 1.0, deep // side + 1.0, high // side + 1.0
    while nx * ny * nz > CELLS_A_BODY * n:  # ends: there is one cell in the end
        side *= 1.25
        nx, ny, nz = wide // side + 1.0, deep // side + 1.0, high // side + 1.0
    mx, my, mz = np.int64(nx), np.int64(ny), np.int64(nz)
    for k in range(mx * my * mz + 1):
        starts[k] = 0
    for i in range(n):
        x = min(mx - 1, np.int64((balls[i, 0] - x0) / side))
        y = min(my - 1, np.int64((balls[i, 1] - y0) / side))
        z = min(mz - 1, np.int64((balls[i, 2] - z0) / side))
        cells[i] = (x * my + y) * mz + z
        starts[cells[i] + 1] += 1
    for k in range(mx * my * mz):
        starts[k + 1] += starts[k]
    for i in range(n - 1, -1, -1):
        # starts[cell + 1] runs down to the first place of the cell, where starts[cell] will be.
        starts[cells[i] + 1] -= 1
        place = starts[cells[i] + 1]
        rows[place] = i
        for d in range(4):
            ordered[place, d] = balls[i, d]
    for k in range(mx * my * mz):
        starts[k] = starts[k + 1]
    starts[mx * my * mz] = n
    return mx, my, mz


@inner_kernel
def _gather(ordered, rows, place, first, last, near, n):
    """Balls at places first .. last - 1 that touch the one at `place`, from near[n] on; the new n. There must be room."""
    x, y, z, r = ordered[place, 0], ordered[place, 1], ordered[place, 2], ordered[place, 3]
    one = rows[place]
    for other in range(first, last):
        dx, dy, dz = ordered[other, 0] - x, ordered[other, 1] - y, ordered[other, 2] - z
        reach = ordered[other, 3] + r
        # Written in any case, kept if it counts: no branch that cannot be foreseen.
        row = rows[other]
        near[n, 0], near[n, 1] = min(one, row), max(one, row)
        n += dx * dx + dy * dy + dz * dz <= reach * reach
    return n


@lean_kernel
def find_near_in_cells(position, velocity, radius, acceleration, speed, soon, room, near):
    """Pairs of balls that can meet until `soon`, into near (m, 2), the lower row first; how many, or -1 where near is full.

    Limits as find_near has them. room: balls, ordered (n, 4), rows, cells (n,), starts (8n + 2,).
    """
    balls, ordered, rows, cells, starts = room
    largest = _balls_until(position, velocity, radius, acceleration, speed, soon, balls)
    mx, my, mz = _sort_by_cells(balls, largest, cells, starts, rows, ordered)
    n = 0
    for place in range(len(rows)):
        if n + len(rows) > len(near):
            return _FULL
        cell = cells[rows[place]]
        z = cell % mz
        y = (cell // mz) % my
        x = cell // (mz * my)
        z_first, z_last = max(z - 1, 0), min(z + 1, mz - 1)
        # The rest of its own cell and the next one along z, then rows of three cells ahead along y and x.
        n = _gather(ordered, rows, place, place + 1, starts[cell + z_last - z + 1], near, n)
        for step in range(4):
            xx = x if step == 0 else x + 1
            yy = y + 1 if step == 0 else y + step - 2
            if xx < mx and 0 <= yy < my:
                row = (xx * my + yy) * mz
                n = _gather(ordered, rows, place, starts[row + z_first], starts[row + z_last + 1], near, n)
    return n
