"""How long a gap between two convex cores surely lasts along a direction, from the support functions of turning bodies."""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel, kernel
from carom.maths.trigonometry import sine_cosine
from carom.maths.vector import cross, length
from carom.narrow.convex.convex_pair import room
from carom.narrow.convex.epa import B_LOWER, epa
from carom.narrow.convex.support import support
from carom.narrow.toi.advancement.core_space import AT, B_ROT, B_SHIFT, CORE_INSIDE, CORE_NOW_A, CORE_NOW_B, RATE
from carom.narrow.toi.advancement.scratch import F_ACC, F_SPIN_A, F_SPIN_B

IDLE_STEP = 1e-4
"""Relative to the smaller body. Longest way of a step of bodies that touch and do not close."""
_TRIES = 128
_SHARES = 64
"""Tries that shorten a step by the share of the gap; later ones halve it, since the share of a gap that hardly changes with
the step ends nowhere."""
_FAR_TOO_SHORT = 0.25
"""Share of a step below which longer ones are tried again."""
_DEPTH_GAP = 0.5
"""Relative distance of the bounds of a depth that only limits a step."""


@inner_kernel
def height(core, space, rot, x, y, z):
    """How far the core, posed as at `rot`, reaches from its body's origin along the world direction (x, y, z)."""
    dx = space[rot] * x + space[rot + 3] * y + space[rot + 6] * z
    dy = space[rot + 1] * x + space[rot + 4] * y + space[rot + 7] * z
    dz = space[rot + 2] * x + space[rot + 5] * y + space[rot + 8] * z
    px, py, pz, _ = support(core, dx, dy, dz)
    return (px * dx + py * dy + pz * dz) + (space[rot + 9] * x + space[rot + 10] * y + space[rot + 11] * z)


@inner_kernel
def turned_height(core, space, rot, wx, wy, wz, before, x, y, z, tau):
    """(end, bulge): how far the core reaches along (x, y, z) after tau seconds, now `before`, and a bound of how far it reaches
    in between beyond the straight line from before to end; tau |(wx, wy, wz)|, of the spin, at most 1.5.

    Seen from the body the direction moves on an arc of the angle 2 b about the axis k. With h the reach, convex in the
    direction, h0 and h1 at the ends and hm where the tangents meet, an arc point at the angle f from the middle has
    h <= (h0 + h1) / 2 + sin f / sin b (h1 - h0) / 2 + c (hm - (h0 + h1) / 2), c <= 1/2. Time goes as f / b, from which
    sin f / sin b differs by less than 0.1 b^2 (b <= 0.75).
    """
    rate = sqrt(wx * wx + wy * wy + wz * wz)
    if rate == 0.0:
        return before, 0.0
    kx, ky, kz = wx / rate, wy / rate, wz / rate
    along = kx * x + ky * y + kz * z
    # p + along k -> cos p - sin k x p + along k.
    px, py, pz = x - along * kx, y - along * ky, z - along * kz
    qx, qy, qz = cross(kx, ky, kz, x, y, z)
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
    p, q = F_SPIN_A, F_SPIN_B
    end_a, bulge_a = turned_height(
        core_a, space, CORE_NOW_A, space[p], space[p + 1], space[p + 2], high_a, x, y, z, tau
    )
    end_b, bulge_b = high_b, 0.0
    if not flat:
        end_b, bulge_b = turned_height(
            core_b, space, CORE_NOW_B, space[q], space[q + 1], space[q + 2], high_b, -x, -y, -z, tau
        )
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
def idle_step(idle, speed, pull):
    """Seconds in which bodies at this relative speed, under this acceleration, move by no more than about `idle`."""
    return min(idle / speed if speed > 0.0 else inf, sqrt(2.0 * idle / pull) if pull > 0.0 else inf)


@kernel
def depth_at_least(core_a, core_b, space, state):
    """A lower bound of the depth of two cores without margins, posed as in `space`, whose walk left `state` in overlap."""
    corners, planes, links, stack, rim, _, _, _, _, best = room(0)
    rot, shift = space[B_ROT : B_ROT + 9], space[B_SHIFT : B_SHIFT + 3]
    epa(core_a, core_b, rot, shift, state, _DEPTH_GAP, corners, planes, links, stack, rim, best)
    return best[B_LOWER]


@inner_kernel
def parting_time(space, x, y, z, turning):
    """Seconds within which cores that overlap surely do not close along (x, y, z), as `direction_inside` gives it.

    turning: what spin adds to the speed of any point, at most. The speed of parting, times the distance of the origins where
    the direction follows these, lies above c0 + c1 t + c2 t^2.
    """
    speed = length(space[RATE], space[RATE + 1], space[RATE + 2])
    pull = length(space[F_ACC], space[F_ACC + 1], space[F_ACC + 2])
    c0 = x * space[RATE] + y * space[RATE + 1] + z * space[RATE + 2] - turning
    c1 = x * space[F_ACC] + y * space[F_ACC + 1] + z * space[F_ACC + 2]
    c2 = 0.0
    if space[CORE_INSIDE] == 0.0 and space[CORE_INSIDE + 1] == 0.0 and space[CORE_INSIDE + 2] == 0.0:
        dx = space[AT] + space[CORE_NOW_B + 9] - space[CORE_NOW_A + 9]
        dy = space[AT + 1] + space[CORE_NOW_B + 10] - space[CORE_NOW_A + 10]
        dz = space[AT + 2] + space[CORE_NOW_B + 11] - space[CORE_NOW_A + 11]
        far = length(dx, dy, dz)
        along = space[RATE] * space[F_ACC] + space[RATE + 1] * space[F_ACC + 1] + space[RATE + 2] * space[F_ACC + 2]
        c0 *= far
        c1 = far * c1 + speed * speed - turning * speed
        c2 = min(1.5 * along - 0.5 * turning * pull, 0.0)
    if c0 < 0.0:
        return 0.0
    if c1 >= 0.0:
        return inf if c2 == 0.0 else (c1 + sqrt(c1 * c1 - 4.0 * c0 * c2)) / (-2.0 * c2)
    return 2.0 * c0 / (sqrt(c1 * c1 - 4.0 * c0 * c2) - c1)
