"""Collisions of steered cubes in steps, by space-time bounds: nothing is done until they can meet (Hubbard, figure 9).

At the time of a step nothing is known of the next ones but limits on the accelerations, which expire. Bounds are built
from the present state. Pairs whose bounds meet soon are compared themselves at every step; until the bounds of another
pair meet, no other needs a look. The first steps are looked at one by one (carom.baselines.step_grid): bounds pay only
after some steps, so what is over at once takes no longer than without them.
"""

from __future__ import annotations

import numpy as np

from carom._compile.clock import ticks
from carom._compile.jit import inner_kernel, lean_kernel
from carom.baselines.step_grid import cubes_overlap, lowest_overlap
from carom.bounds.meetings.near_pairs import look_ahead
from carom.bounds.space_time import PLANE_OFFSET, PLANE_SPEED
from carom.tables.body_columns import NO_ID
from carom.tolerances import GUIDED_SLACK

_ONE_BY_ONE = 4
"""First steps that take no bounds: about as long as it takes to build them."""
_SOON = 24
"""Steps within which a pair whose bounds meet is compared at every step from now on."""
_LEAST_REACH = 16
"""Steps that bounds are built for at least."""


@inner_kernel
def build_bounds(position, velocity, limit, direction, half, span, sides, planes):
    """Space-time bounds over `span` seconds of cubes (n, 3) that do not turn; a direction of zero cuts nothing off."""
    for i in range(position.shape[0]):
        growth = 0.5 * limit[i] * span * (1.0 + GUIDED_SLACK)
        offset, speed, widest = 0.0, 0.0, 0.0
        for d in range(3):
            x, v = position[i, d], velocity[i, d]
            sides[i, 4 * d] = x - half
            sides[i, 4 * d + 1] = v - growth
            sides[i, 4 * d + 2] = x + half
            sides[i, 4 * d + 3] = v + growth
            n = direction[i, d]
            planes[i, d] = n
            offset += n * x
            speed += n * v
            widest += abs(n)
        planes[i, PLANE_OFFSET] = offset + half * widest + GUIDED_SLACK * (half + abs(offset))
        planes[i, PLANE_SPEED] = speed


@inner_kernel
def _lowest_near(position, half, near, n_near):
    """The overlapping one of the near pairs with the lowest rows, or (-1, -1)."""
    best_i, best_j = NO_ID, NO_ID
    for k in range(n_near):
        i, j = near[k, 0], near[k, 1]
        lower = best_i == NO_ID or i < best_i or (i == best_i and j < best_j)
        if lower and cubes_overlap(position, half, i, j):
            best_i, best_j = i, j
    return best_i, best_j


@lean_kernel
def first_overlap_by_bounds(scene, half, cell, room, grid, spent):
    """First step at which two cubes overlap, the pair of lowest rows, and how often bounds were built.

    The number of steps and (-1, -1) where none do. scene: positions, velocities (steps, n, 3), of which a step knows only its
    own, seconds of a step, and set_ends (s,), the steps at which each set of limits (s, n) and directions (s, n, 3) expires.
    room: sides (n, 12), planes (n, 5), order (n,), starts (n + 1,), swept (6, n), near (m, 2). cell, grid: as `lowest_overlap`
    has them.
    spent (steps,) or empty: ticks of the clock that each step took.
    """
    positions, velocities, step_time, set_ends, limits, directions = scene
    sides, planes, order, starts, swept, near = room
    heads, following, entered = grid
    n_steps, n_builds, n_near = positions.shape[0], 0, 0
    timed = len(spent) > 0
    force_set, reach, built_to = 0, n_steps, 0
    i, j = NO_ID, NO_ID
    for step in range(n_steps):
        begin = ticks() if timed else 0
        if step < _ONE_BY_ONE:
            i, j = lowest_overlap(positions[step], half, cell, heads, following, entered)
            built_to = step + 1
        else:
            if step == built_to:
                while set_ends[force_set] <= step:
                    force_set += 1
                ahead = min(reach, set_ends[force_set] - step)
                span = ahead * step_time
                build_bounds(
                    positions[step],
                    velocities[step],
                    limits[force_set],
                    directions[force_set],
                    half,
                    span,
                    sides,
                    planes,
                )
                n_builds += 1
                soon = _SOON * step_time
                last, n_near = look_ahead(sides, planes, True, soon, span, order, starts, swept, near)
                on = ahead if last >= span else max(1, np.int64(last / step_time * (1.0 - GUIDED_SLACK)))
                # Bounds over a shorter span are tighter: the span follows the time at which they last met.
                reach = 2 * reach if on == ahead else max(_LEAST_REACH, 2 * on)
                built_to = step + on
            if n_near > 0:
                i, j = _lowest_near(positions[step], half, near, n_near)
        if timed:
            spent[step] = ticks() - begin
        if i != NO_ID:
            return step, i, j, n_builds
    return n_steps, NO_ID, NO_ID, n_builds
