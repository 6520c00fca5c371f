"""First contact of a moving and rotating convex core with a half-space that does not rotate: one direction decides."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.chunks import in_chunks
from carom._compile.jit import compiling, inner_kernel, kernel
from carom.maths.turning_orientation import prepare_turn_into
from carom.narrow.convex.support import support
from carom.narrow.toi.advancement.convex_convex import core_reach
from carom.narrow.toi.advancement.core_space import (
    AT,
    CORE_NOW_A,
    CORE_OUT_SIZE,
    CORE_SPACE,
    CORE_STATUS,
    CORE_STEPS,
    CORE_TIME,
    CORE_TURN_A,
    POINTS_AT,
    RATE,
    approach,
    load_flight,
    path_length,
    pose_at,
    search_on,
    touch_into,
)
from carom.narrow.toi.advancement.safe_step import IDLE_STEP, height, idle_step, safe_step
from carom.narrow.toi.advancement.scratch import F_ACC, F_ROT_A, F_SPIN_A
from carom.narrow.toi.status import CONSERVATIVE, NOT_YET
from carom.shapes.parts.core_layout import MARGIN
from carom.tolerances import ADVANCE_ULPS, CLOSING_NOISE, CORE_ADVANCE_STEPS, EPSILON

Floats = NDArray[np.float64]


@inner_kernel
def _lowest_into(core, space, x, y, z):
    """Put the point of the core farthest along (x, y, z), margin included, at POINTS_AT as both nearest points."""
    row = CORE_NOW_A
    dx = space[row] * x + space[row + 3] * y + space[row + 6] * z
    dy = space[row + 1] * x + space[row + 4] * y + space[row + 7] * z
    dz = space[row + 2] * x + space[row + 5] * y + space[row + 8] * z
    px, py, pz, _ = support(core, dx, dy, dz)
    for d in range(3):
        place = space[row + 9 + d] + (
            space[row + 3 * d] * px + space[row + 3 * d + 1] * py + space[row + 3 * d + 2] * pz
        )
        place += core[MARGIN] * (x if d == 0 else (y if d == 1 else z))
        space[POINTS_AT + d] = space[POINTS_AT + 3 + d] = place


@inner_kernel
def _stays_above(space, x, y, z, gap, longest):
    """Does a sphere about a's origin, `gap` above the plane, stay above it for `longest` seconds? (x, y, z): from a to b."""
    if gap <= 0.0:
        return False
    rate = x * space[RATE] + y * space[RATE + 1] + z * space[RATE + 2]
    pull = x * space[F_ACC] + y * space[F_ACC + 1] + z * space[F_ACC + 2]
    if rate >= 0.0 and pull >= 0.0:
        return True
    if pull > 0.0:
        return (
            2.0 * pull * gap > rate * rate
            or gap + (rate + 0.5 * pull * longest) * longest > 0.0 > rate + pull * longest
        )
    return gap + (rate + 0.5 * pull * longest) * longest > 0.0


@inner_kernel
def advance_plane(core, reach, nx, ny, nz, offset, start, until, gap, space, out):
    """First contact in [start, until] of core a and half-space b: normal (world axes) and offset from b's origin.

    The flight is in `space`; fills out (CORE_OUT_SIZE,). Steps and endings as in
    carom.narrow.toi.advancement.convex_convex.advance_cores.
    """
    prepare_turn_into(space, F_ROT_A, F_SPIN_A, CORE_TURN_A)
    for c in range(CORE_OUT_SIZE):
        out[c] = 0.0
    spin = sqrt(space[F_SPIN_A] ** 2 + space[F_SPIN_A + 1] ** 2 + space[F_SPIN_A + 2] ** 2)
    arc = 1.5 / spin if spin > 0.0 else inf
    pull = sqrt(space[F_ACC] ** 2 + space[F_ACC + 1] ** 2 + space[F_ACC + 2] ** 2)
    x, y, z = -nx, -ny, -nz
    s, idle, steps, below = start, 0.0, 0, False
    out[CORE_TIME], out[CORE_STATUS] = inf, CONSERVATIVE
    while s <= until:
        if steps == CORE_ADVANCE_STEPS:
            out[CORE_TIME], out[CORE_STATUS] = s, NOT_YET
            break
        steps += 1
        pose_at(space, s)
        high = height(core, space, CORE_NOW_A, x, y, z)
        level = x * space[AT] + y * space[AT + 1] + z * space[AT + 2]
        free = level - high - core[MARGIN] - offset
        tolerance = max(gap, ADVANCE_ULPS * EPSILON * (abs(level) + reach + abs(offset) + path_length(space, s)))
        speed = sqrt(space[RATE] ** 2 + space[RATE + 1] ** 2 + space[RATE + 2] ** 2) + spin * reach
        if free <= tolerance:
            _lowest_into(core, space, x, y, z)
            toward = approach(space, space[POINTS_AT], space[POINTS_AT + 1], space[POINTS_AT + 2], x, y, z)
            if toward > CLOSING_NOISE * speed and not below:
                k = POINTS_AT
                touch_into(out, s, free < -2.0 * tolerance, x, y, z, space[k], space[k + 1], space[k + 2])
                break
            if speed == 0.0 and pull == 0.0:
                break
            # Deeper than steps of touching bodies may bring it: one that sank a little and closes is in contact.
            below = free < -max(tolerance, 2.0 * IDLE_STEP * reach)
            idle = min(max(2.0 * idle, tolerance), IDLE_STEP * reach)
            if free < -tolerance:  # it cannot come out before it has moved by its depth
                idle = max(idle, -0.5 * free)
            step = idle_step(idle, speed, pull)
            if free > -tolerance and s + step > s:
                # Another point may come down: no farther than it may sink unseen.
                sink = free - 0.25 * tolerance
                step = min(step, safe_step(core, core, True, space, x, y, z, high, 0.0, free, sink, min(step, arc)))
            s += step
            continue
        idle, below = 0.0, False
        if _stays_above(space, x, y, z, level - reach - offset - tolerance, until - s):
            break
        tau = safe_step(core, core, True, space, x, y, z, high, 0.0, free, 0.5 * tolerance, min(until - s, arc))
        if s == until:
            break
        s = min(s + tau, until)
    out[CORE_STEPS] = steps


@kernel
def _advance_into(core, reach, normals, offset, locals_ab, flights, untils, gap, out):
    space = np.empty(CORE_SPACE)
    for k in range(flights.shape[0]):
        load_flight(flights[k], locals_ab, space)
        x, y, z = normals[k, 0], normals[k, 1], normals[k, 2]
        start, steps, undecided = 0.0, 0.0, True
        while undecided:
            advance_plane(core, reach, x, y, z, offset, start, untils[k], gap, space, out[k])
            start, steps, undecided = search_on(out[k], start, untils[k], steps)


def core_plane_impacts(
    core: Floats,
    normals: Floats,
    offset: float,
    locals_ab: Floats,
    flights: Floats,
    untils: Floats,
    gap: float,
    threads: int | None,
) -> Floats:
    """Answers (n, CORE_OUT_SIZE) for flights (n, FLIGHT_COLUMNS) of a core (a) and a half-space (b) that does not turn.

    normals (n, 3) in world axes, offset from b's origin; the core is posed in its body by the first half of locals_ab (24,).
    """
    out = np.zeros((len(flights), CORE_OUT_SIZE))
    reach = core_reach(core, locals_ab[:12])
    with compiling("time of impact of convex shapes with half-spaces"):
        in_chunks(
            lambda cut: _advance_into(
                core, reach, normals[cut], offset, locals_ab, flights[cut], untils[cut], gap * reach, out[cut]
            ),
            len(flights),
            threads,
        )
    return out
