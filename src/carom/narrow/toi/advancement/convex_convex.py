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
from carom.maths.trigonometry import sine_cosine
from carom.maths.turning_orientation import TURN_SIZE, prepare_turn_into, turned_into
from carom.narrow.convex.distance_convex_surface import core_box
from carom.narrow.convex.gjk import CERTIFICATE, GJK_STATE, OVERLAP, REACH, UPPER, gjk, witness_points
from carom.narrow.convex.support import support
from carom.narrow.toi.advancement.scratch import F_ACC, F_D, F_ROT_A, F_ROT_B, F_SPIN_A, F_SPIN_B, F_V, FLIGHT_COLUMNS
from carom.narrow.toi.status import CONSERVATIVE, NOT_YET, OVERLAPPING
from carom.shapes.parts.core_layout import MARGIN
from carom.tolerances import (
    ADVANCE_ULPS,
    CLOSING_NOISE,
    CORE_ADVANCE_STEPS,
    EPSILON,
    PASS_ULPS,
    SEARCH_WORK,
    SPHERE_SLACK,
)

Floats = NDArray[np.float64]

# Scratch of one search: the flight, then
LOCAL_A = FLIGHT_COLUMNS
LOCAL_B = LOCAL_A + 12
"""Pose of each core in its body: rotation by rows (9), shift (3). Bodies turn about their own origin."""
INSIDE = LOCAL_B + 12
"""Direction (3) from a to b, world axes, that counts while the cores overlap; zero: the line of their origins."""
LOCAL_END = INSIDE + 3
TURN_A = LOCAL_END
TURN_B = TURN_A + TURN_SIZE
_BODY = TURN_B + TURN_SIZE
"""Rotation of a body now (9, rows): in passing."""
NOW_A = _BODY + 9
NOW_B = NOW_A + 12
"""Pose of each core now from its body's origin: rotation to world axes by rows (9), shift (3)."""
_ROT = NOW_B + 12
_SHIFT = _ROT + 9
"""Pose of core b in the frame of core a now."""
AT = _SHIFT + 3
"""Offset and velocity of b's origin from a's now (3 + 3), world axes."""
RATE = AT + 3
POINTS_AT = RATE + 3
"""Nearest points of a and of b now (3 + 3) from a's origin, in its frame, then in world axes."""
SPACE = POINTS_AT + 6

# What an answer holds
O_TIME = 0
O_POINT = 1
"""From a's origin at that time, world axes (3)."""
O_NORMAL = 4
O_STATUS = 7
O_STEPS = 8
OUT_SIZE = 9

IDLE_STEP = 1e-4
"""Relative to the smaller body. Longest way of a step of bodies that touch and do not close."""
_TRIES = 128
_SHARES = 64
"""Tries that shorten a step by the share of the gap; later ones halve it, since the share of a gap that hardly changes with
the step ends nowhere."""
_FAR_TOO_SHORT = 0.25
"""Share of a step below which longer ones are tried again."""


@inner_kernel
def _place(space, rot, turn, s, local, now):
    """Pose of a core at time s from its body's origin."""
    turned_into(space, rot, turn, s, _BODY)
    for r in range(3):
        x, y, z = space[_BODY + 3 * r], space[_BODY + 3 * r + 1], space[_BODY + 3 * r + 2]
        for c in range(3):
            space[now + 3 * r + c] = x * space[local + c] + y * space[local + 3 + c] + z * space[local + 6 + c]
        space[now + 9 + r] = x * space[local + 9] + y * space[local + 10] + z * space[local + 11]


@inner_kernel
def pose_at(space, s):
    """Bring poses, offset and velocity to time s."""
    _place(space, F_ROT_A, TURN_A, s, LOCAL_A, NOW_A)
    _place(space, F_ROT_B, TURN_B, s, LOCAL_B, NOW_B)
    for d in range(3):
        space[AT + d] = space[F_D + d] + s * (space[F_V + d] + 0.5 * s * space[F_ACC + d])
        space[RATE + d] = space[F_V + d] + s * space[F_ACC + d]
    for r in range(3):
        for c in range(3):
            total = 0.0
            for k in range(3):
                total += space[NOW_A + 3 * k + r] * space[NOW_B + 3 * k + c]
            space[_ROT + 3 * r + c] = total
        total = 0.0
        for k in range(3):
            total += space[NOW_A + 3 * k + r] * (space[AT + k] + space[NOW_B + 9 + k] - space[NOW_A + 9 + k])
        space[_SHIFT + r] = total


@inner_kernel
def height(core, space, rot, x, y, z):
    """How far the core, posed as at `rot`, reaches from its body's origin along the world direction (x, y, z)."""
    dx = space[rot] * x + space[rot + 3] * y + space[rot + 6] * z
    dy = space[rot + 1] * x + space[rot + 4] * y + space[rot + 7] * z
    dz = space[rot + 2] * x + space[rot + 5] * y + space[rot + 8] * z
    px, py, pz, _ = support(core, dx, dy, dz)
    return (px * dx + py * dy + pz * dz) + (space[rot + 9] * x + space[rot + 10] * y + space[rot + 11] * z)


@inner_kernel
def _turned_height(core, space, rot, spin, before, x, y, z, tau):
    """(end, bulge): how far the core reaches along (x, y, z) after tau seconds, now `before`, and a bound of how far it reaches
    in between beyond the straight line from before to end; tau |spin| at most 1.5.

    Seen from the body the direction moves on an arc of the angle 2 b about the axis k. With h the reach, convex in the
    direction, h0 and h1 at the ends and hm where the tangents meet, an arc point at the angle f from the middle has
    h <= (h0 + h1) / 2 + sin f / sin b (h1 - h0) / 2 + c (hm - (h0 + h1) / 2), c <= 1/2. Time goes as f / b, from which
    sin f / sin b differs by less than 0.1 b^2 (b <= 0.75).
    """
    wx, wy, wz = space[spin], space[spin + 1], space[spin + 2]
    rate = sqrt(wx * wx + wy * wy + wz * wz)
    if rate == 0.0:
        return before, 0.0
    kx, ky, kz = wx / rate, wy / rate, wz / rate
    along = kx * x + ky * y + kz * z
    # p + along k -> cos p - sin k x p + along k.
    px, py, pz = x - along * kx, y - along * ky, z - along * kz
    qx, qy, qz = ky * z - kz * y, kz * x - kx * z, kx * y - ky * x
    angle = rate * tau
    s, c = sine_cosine(angle)
    end = height(
        core, space, rot, x + (c - 1.0) * px - s * qx, y + (c - 1.0) * py - s * qy, z + (c - 1.0) * pz - s * qz
    )
    meet = s / (1.0 + c)
    middle = height(core, space, rot, x - meet * qx, y - meet * qy, z - meet * qz)
    sag = 0.5 * max(middle - 0.5 * (before + end), 0.0)
    return end, sag + 0.0125 * angle * angle * abs(end - before)


@inner_kernel
def _least_free(core_a, core_b, flat, space, x, y, z, high_a, high_b, free, tau):
    """The least that is left of the gap `free` along (x, y, z) within tau seconds, or less. flat: b is a half-space.

    Ways of turning and of flying are added up before they are bounded: a body that rolls or rocks on another closes slowly,
    though its parts move fast. The sum of a parabola and straight lines lies over the lesser end, or sags by pull tau^2 / 8.
    """
    end_a, bulge_a = _turned_height(core_a, space, NOW_A, F_SPIN_A, high_a, x, y, z, tau)
    end_b, bulge_b = high_b, 0.0
    if not flat:
        end_b, bulge_b = _turned_height(core_b, space, NOW_B, F_SPIN_B, high_b, -x, -y, -z, tau)
    rate = x * space[RATE] + y * space[RATE + 1] + z * space[RATE + 2]
    pull = x * space[F_ACC] + y * space[F_ACC + 1] + z * space[F_ACC + 2]
    end = free + tau * (rate + 0.5 * pull * tau) - (end_a - high_a) - (end_b - high_b)
    return min(free, end) - 0.125 * max(pull, 0.0) * tau * tau - bulge_a - bulge_b


@inner_kernel
def safe_step(core_a, core_b, flat, space, x, y, z, high_a, high_b, free, least, longest):
    """Seconds, at most `longest`, within which the gap `free` along (x, y, z) surely stays at least `least`."""
    tau = longest
    share = 1.0
    for attempt in range(_TRIES):
        if tau <= 0.0:
            return 0.0
        left = _least_free(core_a, core_b, flat, space, x, y, z, high_a, high_b, free, tau)
        if left >= least:
            break
        # Exact where the gap closes in proportion to time; where it closes faster this falls short, which is safe.
        share = (free - least) / (free - left) * (1.0 - 1e-12)
        tau *= min(share, 0.9999 if attempt < _SHARES else 0.5)
    else:
        return 0.0
    # A body that flies up and comes down later: the share of a long way is far too short.
    while share < _FAR_TOO_SHORT and tau < longest:
        longer = min(tau / _FAR_TOO_SHORT, longest)
        if _least_free(core_a, core_b, flat, space, x, y, z, high_a, high_b, free, longer) < least:
            break
        tau = longer
    return tau


@inner_kernel
def path_length(space, s):
    """An upper bound of how far b's origin has been from a's, and come, by time s: what rounds the offset at s."""
    far = 0.0
    for d in range(3):
        far += abs(space[F_D + d]) + abs(s) * (abs(space[F_V + d]) + abs(s * space[F_ACC + d]))
    return far


@inner_kernel
def meet_halfway(space, margin_a, margin_b, x, y, z):
    """The point halfway between the nearest points at POINTS_AT, world axes, along (x, y, z), from a to b: where they touch."""
    k = POINTS_AT
    return (
        0.5 * ((space[k] + margin_a * x) + (space[k + 3] - margin_b * x)),
        0.5 * ((space[k + 1] + margin_a * y) + (space[k + 4] - margin_b * y)),
        0.5 * ((space[k + 2] + margin_a * z) + (space[k + 5] - margin_b * z)),
    )


@inner_kernel
def approach(space, px, py, pz, x, y, z):
    """Speed at which the bodies come closer along (x, y, z), from a to b, at the point (px, py, pz) from a's origin.

    One point for both: nearest points are known to some 1e-6 only along the surfaces, so that each body taken at its own
    could seem to close where a response, which knows the point of contact, finds them parting.
    """
    bx, by, bz = px - space[AT], py - space[AT + 1], pz - space[AT + 2]
    p, q = F_SPIN_A, F_SPIN_B
    vx = space[RATE] + (space[q + 1] * bz - space[q + 2] * by) - (space[p + 1] * pz - space[p + 2] * py)
    vy = space[RATE + 1] + (space[q + 2] * bx - space[q] * bz) - (space[p + 2] * px - space[p] * pz)
    vz = space[RATE + 2] + (space[q] * by - space[q + 1] * bx) - (space[p] * py - space[p + 1] * px)
    return -(x * vx + y * vy + z * vz)


@inner_kernel
def _turned_out(space, x, y, z):
    """The direction (x, y, z) of the frame of core a in world axes."""
    row = NOW_A
    return (
        space[row] * x + space[row + 1] * y + space[row + 2] * z,
        space[row + 3] * x + space[row + 4] * y + space[row + 5] * z,
        space[row + 6] * x + space[row + 7] * y + space[row + 8] * z,
    )


@inner_kernel
def _to_world(space, at):
    """Take the point at `at` from the frame of core a to world axes about a's origin."""
    x, y, z = space[at], space[at + 1], space[at + 2]
    for d in range(3):
        row = NOW_A + 3 * d
        space[at + d] = space[row] * x + space[row + 1] * y + space[row + 2] * z + space[NOW_A + 9 + d]


@inner_kernel
def _direction_inside(space):
    """A unit direction from a to b, world axes, for cores that overlap: the given one, or between their origins."""
    x, y, z = space[INSIDE], space[INSIDE + 1], space[INSIDE + 2]
    if x == 0.0 and y == 0.0 and z == 0.0:
        x = space[AT] + space[NOW_B + 9] - space[NOW_A + 9]
        y = space[AT + 1] + space[NOW_B + 10] - space[NOW_A + 10]
        z = space[AT + 2] + space[NOW_B + 11] - space[NOW_A + 11]
    length = sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return 1.0, 0.0, 0.0
    return x / length, y / length, z / length


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
def go_on_advancing(out, before, until, steps):
    """Is an undecided search, its answer in `out`, worth asking again from the time reached? `steps`: of all so far."""
    return out[O_STATUS] == NOT_YET and before < out[O_TIME] < until and steps < SEARCH_WORK


@inner_kernel
def advance_cores(core_a, core_b, reach_a, reach_b, start, until, gap, any_touch, space, state, out):
    """First contact in [start, until] of two cores whose flight is in `space`; fills out (OUT_SIZE,), time inf without one.

    any_touch: closing or not, the first instant as near as `gap` counts. reach: how far a body extends from its origin,
    margin included. gap: the tolerance, m. Ends because every step but those of touching bodies that do not close is as long
    as a gap of `gap` takes to close; those and the rest are limited by CORE_ADVANCE_STEPS, after which the status is NOT_YET
    and the time a lower bound.
    """
    prepare_turn_into(space, F_ROT_A, F_SPIN_A, TURN_A)
    prepare_turn_into(space, F_ROT_B, F_SPIN_B, TURN_B)
    margin = core_a[MARGIN] + core_b[MARGIN]
    spin_a = sqrt(space[F_SPIN_A] ** 2 + space[F_SPIN_A + 1] ** 2 + space[F_SPIN_A + 2] ** 2)
    spin_b = sqrt(space[F_SPIN_B] ** 2 + space[F_SPIN_B + 1] ** 2 + space[F_SPIN_B + 2] ** 2)
    arc = 1.5 / max(spin_a, spin_b) if max(spin_a, spin_b) > 0.0 else inf
    turning = spin_a * reach_a + spin_b * reach_b
    s = start
    idle = 0.0
    overlapped = False
    steps = 0
    out[O_TIME] = inf
    out[O_STATUS] = CONSERVATIVE
    while s <= until:
        if steps == CORE_ADVANCE_STEPS:
            out[O_STATUS] = NOT_YET
            break
        steps += 1
        pose_at(space, s)
        ending = gjk(core_a, core_b, space[_ROT:], space[_SHIFT:], state, steps > 1, -1.0, inf)
        upper = 0.0 if ending == OVERLAP else state[UPPER]
        tolerance = max(gap, ADVANCE_ULPS * EPSILON * (state[REACH] + path_length(space, s)))
        witness_points(state, space, POINTS_AT)
        if upper > 0.0:
            x, y, z = _turned_out(space, -state[CERTIFICATE], -state[CERTIFICATE + 1], -state[CERTIFICATE + 2])
        else:
            x, y, z = _direction_inside(space)
        _to_world(space, POINTS_AT)
        _to_world(space, POINTS_AT + 3)
        high_a = height(core_a, space, NOW_A, x, y, z)
        high_b = height(core_b, space, NOW_B, -x, -y, -z)
        free = (x * space[AT] + y * space[AT + 1] + z * space[AT + 2]) - high_a - high_b - margin
        speed = sqrt(space[RATE] ** 2 + space[RATE + 1] ** 2 + space[RATE + 2] ** 2) + turning
        if min(free, upper - margin) <= tolerance:
            px, py, pz = meet_halfway(space, core_a[MARGIN], core_b[MARGIN], x, y, z)
            toward = approach(space, px, py, pz, x, y, z)
            if any_touch or (toward > CLOSING_NOISE * speed and not (overlapped and upper - margin < -tolerance)):
                out[O_TIME] = s
                if upper - margin < -2.0 * tolerance:
                    out[O_STATUS] = OVERLAPPING
                out[O_NORMAL], out[O_NORMAL + 1], out[O_NORMAL + 2] = x, y, z
                out[O_POINT], out[O_POINT + 1], out[O_POINT + 2] = px, py, pz
                break
            # Touching but not closing: on in small steps, longer while nothing happens.
            overlapped = upper - margin < -tolerance
            pull = sqrt(space[F_ACC] ** 2 + space[F_ACC + 1] ** 2 + space[F_ACC + 2] ** 2)
            if speed == 0.0 and pull == 0.0:
                break
            idle = max(2.0 * idle, tolerance)
            idle = min(idle, IDLE_STEP * min(reach_a, reach_b))
            if overlapped:  # they cannot come apart before they have moved by their depth
                idle = max(idle, -0.5 * free)
            step = min(idle / speed if speed > 0.0 else inf, sqrt(2.0 * idle / pull) if pull > 0.0 else inf)
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
    if out[O_STATUS] == NOT_YET:
        out[O_TIME] = s
    out[O_STEPS] = steps


@inner_kernel
def load_flight(flight, locals_ab, space):
    """Put a flight (FLIGHT_COLUMNS,) and the poses of both cores in their bodies (24,) into `space`."""
    for c in range(FLIGHT_COLUMNS):
        space[c] = flight[c]
    for c in range(24):
        space[LOCAL_A + c] = locals_ab[c]
    for c in range(3):
        space[INSIDE + c] = 0.0


@kernel
def _advance_into(core_a, core_b, locals_ab, reach_a, reach_b, flights, inside, untils, gap, out):
    space = np.empty(SPACE)
    state = np.zeros(GJK_STATE)
    for k in range(flights.shape[0]):
        load_flight(flights[k], locals_ab, space)
        for c in range(3):
            space[INSIDE + c] = inside[k, c]
        start, steps = 0.0, 0.0
        while True:
            advance_cores(core_a, core_b, reach_a, reach_b, start, untils[k], gap, False, space, state, out[k])
            steps += out[k, O_STEPS]
            if not go_on_advancing(out[k], start, untils[k], steps):
                break
            start = out[k, O_TIME]
        out[k, O_STEPS] = steps


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
    """Answers (n, OUT_SIZE) for flights (n, FLIGHT_COLUMNS) of two cores posed in their bodies by locals_ab (24,).

    Seconds count from the flight's own epoch. inside (n, 3): directions from a to b for flights that start in overlap, zero
    for others. gap is relative to the smaller body.
    """
    out = np.zeros((len(flights), OUT_SIZE))
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
