"""First contact of two convex cores that move and rotate: conservative advancement along separating directions.

At each stop the convex walk gives a direction n with a gap. How far either body can come along n while it turns follows from
its support function, which is convex: seen from the body, n turns about the spin axis on an arc that lies in the triangle of
its two ends and of the point where its tangents there meet, and the body reaches nowhere on the arc farther than in those
three directions. The step is as long as both bodies and the path of their origins surely leave a gap; without turning that
is exact along n. So a stop is never after the first contact, and the last one is before it by no more than the tolerance.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.chunks import in_chunks
from carom._compile.jit import compiling, inner_kernel, kernel
from carom.maths.fixed_order import dot, length
from carom.maths.turning_orientation import prepare_turn_into
from carom.maths.vector import rotated
from carom.narrow.convex.distance_convex_surface import core_box
from carom.narrow.convex.gjk import CERTIFICATE, GJK_OVERLAP, GJK_REACH, GJK_STATE, GJK_UPPER, gjk, witness_points
from carom.narrow.toi.advancement.core_space import (
    AT,
    B_ROT,
    B_SHIFT,
    CORE_INSIDE,
    CORE_NOW_A,
    CORE_NOW_B,
    CORE_OUT_SIZE,
    CORE_SPACE,
    CORE_STATUS,
    CORE_STEPS,
    CORE_TIME,
    CORE_TURN_A,
    CORE_TURN_B,
    POINTS_AT,
    RATE,
    approach,
    direction_inside,
    load_flight,
    meet_halfway,
    path_length,
    pose_at,
    search_on,
    to_world,
    touch_into,
)
from carom.narrow.toi.advancement.safe_step import (
    IDLE_STEP,
    depth_at_least,
    height,
    idle_step,
    parting_time,
    safe_step,
)
from carom.narrow.toi.advancement.scratch import F_ACC, F_ROT_A, F_ROT_B, F_SPIN_A, F_SPIN_B
from carom.narrow.toi.status import CONSERVATIVE, NOT_YET
from carom.shapes.parts.core_layout import MARGIN
from carom.tolerances import (
    ADVANCE_ULPS,
    CLOSING_NOISE,
    CORE_ADVANCE_STEPS,
    EPSILON,
    PASS_ULPS,
    SPHERE_SLACK,
)

Floats = NDArray[np.float64]


@inner_kernel
def _stay_apart(space, reach, longest):
    """Do spheres about both origins, their radii `reach` together, surely stay apart for `longest` seconds?

    Bodies that fly apart while they turn would else be followed in steps of an arc each.
    """
    square = along = pull = speed = 0.0
    for d in range(3):
        square += space[AT + d] * space[AT + d]
        along += space[AT + d] * space[RATE + d]
        speed += space[RATE + d] * space[RATE + d]
        pull += space[F_ACC + d] * space[F_ACC + d]
    far = sqrt(square)
    outer = reach * (1.0 + SPHERE_SLACK)
    gap = far - outer
    if gap <= 0.0:
        return False
    if pull == 0.0:
        # The least distance on a straight path lies ahead only while the bodies approach. It is taken from the offset less
        # what of it is along the path: a difference of squares would lose a hit from 1e7 sizes away.
        if along >= 0.0:
            return True
        ahead = -along / speed
        nearest = 0.0
        for d in range(3):
            nearest += (space[AT + d] + ahead * space[RATE + d]) ** 2
        return sqrt(nearest) - PASS_ULPS * EPSILON * far > outer
    return gap + (min(along, 0.0) / far - 0.5 * sqrt(pull) * longest) * longest > 0.0


@inner_kernel
def _step_inside(core_a, core_b, space, state, x, y, z, overlapped, step, speed, pull, turning):
    """`step`, or the longer time in which overlapping cores surely neither come apart nor, unless `overlapped`, close."""
    longest = inf if overlapped else parting_time(space, x, y, z, turning)
    if longest <= step:
        return step
    deep = depth_at_least(core_a, core_b, space, state) + core_a[MARGIN] + core_b[MARGIN]
    return max(step, min(idle_step(0.5 * deep, speed, pull), longest))


@inner_kernel
def advance_cores(core_a, core_b, reach_a, reach_b, start, until, gap, any_touch, space, state, out):
    """First contact in [start, until] of two cores whose flight is in `space`; fills `out`, with time inf if there is none.

    any_touch: closing or not, the first instant as near as `gap` counts. reach: how far a body extends from its origin,
    margin included. gap: the tolerance, m. Ends because every step but those of touching bodies that do not close is as long
    as a gap of `gap` takes to close; those and the rest are limited by CORE_ADVANCE_STEPS, after which the status is NOT_YET
    and the time a lower bound.
    """
    prepare_turn_into(space, F_ROT_A, F_SPIN_A, CORE_TURN_A)
    prepare_turn_into(space, F_ROT_B, F_SPIN_B, CORE_TURN_B)
    margin = core_a[MARGIN] + core_b[MARGIN]
    spin_a = sqrt(space[F_SPIN_A] ** 2 + space[F_SPIN_A + 1] ** 2 + space[F_SPIN_A + 2] ** 2)
    spin_b = sqrt(space[F_SPIN_B] ** 2 + space[F_SPIN_B + 1] ** 2 + space[F_SPIN_B + 2] ** 2)
    arc = 1.5 / max(spin_a, spin_b) if max(spin_a, spin_b) > 0.0 else inf
    turning = spin_a * reach_a + spin_b * reach_b
    s = start
    idle = 0.0
    overlapped = False
    steps = 0
    out[CORE_TIME] = inf
    out[CORE_STATUS] = CONSERVATIVE
    while s <= until:
        if steps == CORE_ADVANCE_STEPS:
            out[CORE_STATUS] = NOT_YET
            break
        steps += 1
        pose_at(space, s)
        ending = gjk(core_a, core_b, space[B_ROT:], space[B_SHIFT:], state, steps > 1, -1.0, inf)
        upper = 0.0 if ending == GJK_OVERLAP else state[GJK_UPPER]
        tolerance = max(gap, ADVANCE_ULPS * EPSILON * (state[GJK_REACH] + path_length(space, s)))
        witness_points(state, space, POINTS_AT)
        if upper > 0.0:
            x, y, z = rotated(space, CORE_NOW_A, -state[CERTIFICATE], -state[CERTIFICATE + 1], -state[CERTIFICATE + 2])
        else:
            x, y, z = direction_inside(space)
        to_world(space, POINTS_AT)
        to_world(space, POINTS_AT + 3)
        high_a = height(core_a, space, CORE_NOW_A, x, y, z)
        high_b = height(core_b, space, CORE_NOW_B, -x, -y, -z)
        free = (x * space[AT] + y * space[AT + 1] + z * space[AT + 2]) - high_a - high_b - margin
        speed = sqrt(space[RATE] ** 2 + space[RATE + 1] ** 2 + space[RATE + 2] ** 2) + turning
        if min(free, upper - margin) <= tolerance:
            px, py, pz = meet_halfway(space, core_a[MARGIN], core_b[MARGIN], x, y, z)
            toward = approach(space, px, py, pz, x, y, z)
            if any_touch or (toward > CLOSING_NOISE * speed and not (overlapped and upper - margin < -tolerance)):
                touch_into(out, s, upper - margin < -2.0 * tolerance, x, y, z, px, py, pz)
                break
            # Touching but not closing: on in small steps, longer while nothing happens.
            overlapped = upper - margin < -tolerance
            pull = sqrt(space[F_ACC] ** 2 + space[F_ACC + 1] ** 2 + space[F_ACC + 2] ** 2)
            if speed == 0.0 and pull == 0.0:
                break
            idle = min(max(2.0 * idle, tolerance), IDLE_STEP * min(reach_a, reach_b))
            if overlapped and upper > 0.0:  # they cannot come apart before they have moved by their depth
                idle = max(idle, -0.5 * free)
            step = idle_step(idle, speed, pull)
            if upper == 0.0:
                step = _step_inside(core_a, core_b, space, state, x, y, z, overlapped, step, speed, pull, turning)
            if upper > 0.0 and free > -tolerance and s + step > s:
                # Another point may come closer: no farther than it may sink unseen.
                sink = free - 0.25 * tolerance
                longest = min(step, arc)
                step = min(step, safe_step(core_a, core_b, False, space, x, y, z, high_a, high_b, free, sink, longest))
            s += step
            continue
        idle = 0.0
        overlapped = False
        if _stay_apart(space, reach_a + reach_b + tolerance, until - s):
            break
        longest = min(until - s, arc)
        tau = safe_step(core_a, core_b, False, space, x, y, z, high_a, high_b, free, 0.5 * tolerance, longest)
        if s + tau >= until:
            if s == until or tau == 0.0:
                break
            s = until
        else:
            s += tau
    if out[CORE_STATUS] == NOT_YET:
        out[CORE_TIME] = s
    out[CORE_STEPS] = steps


@kernel
def _advance_into(core_a, core_b, locals_ab, reach_a, reach_b, flights, inside, untils, gap, out):
    space = np.empty(CORE_SPACE)
    state = np.zeros(GJK_STATE)
    for k in range(flights.shape[0]):
        load_flight(flights[k], locals_ab, space)
        for c in range(3):
            space[CORE_INSIDE + c] = inside[k, c]
        start, steps, undecided = 0.0, 0.0, True
        while undecided:
            advance_cores(core_a, core_b, reach_a, reach_b, start, untils[k], gap, False, space, state, out[k])
            start, steps, undecided = search_on(out[k], start, untils[k], steps)


def core_impacts(
    core_a: Floats,
    core_b: Floats,
    locals_ab: Floats,
    flights: Floats,
    inside: Floats,
    untils: Floats,
    gap: float,
    threads: int | None,
) -> Floats:
    """Answers (n, CORE_OUT_SIZE) for flights (n, FLIGHT_COLUMNS) of two cores posed in their bodies by locals_ab (24,).

    Seconds count from the flight's own epoch. inside (n, 3): directions from a to b for flights that start in overlap, zero
    for others. gap is relative to the smaller body.
    """
    out = np.zeros((len(flights), CORE_OUT_SIZE))
    reach_a, reach_b = core_reach(core_a, locals_ab[:12]), core_reach(core_b, locals_ab[12:])
    absolute = gap * min(reach_a, reach_b)
    with compiling("time of impact of convex shapes"):
        in_chunks(
            lambda cut: _advance_into(
                core_a, core_b, locals_ab, reach_a, reach_b, flights[cut], inside[cut], untils[cut], absolute, out[cut]
            ),
            len(flights),
            threads,
        )
    return out


def core_reach(core: Floats, local: Floats) -> float:
    """How far a core posed by `local` (12,) extends from its body's origin, margin included; an upper bound."""
    box = core_box(core)
    centre = dot(local[:9].reshape(3, 3), box[:3]) + local[9:]
    return float(length(centre) + box[6] + core[MARGIN])
