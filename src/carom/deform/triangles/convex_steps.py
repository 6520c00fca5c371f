"""A triangle and a convex body that move: where they are, along which direction they are apart, and for how long surely.

What carom.deform.triangles.convex_advancement is made of.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inline_kernel, inner_kernel
from carom.maths.trigonometry import sine_cosine
from carom.maths.turning_orientation import rotation_of_into, turned_quaternion
from carom.narrow.convex.gjk import GJK_COUNT, R_A, R_ID, ROW, WEIGHT
from carom.narrow.convex.support import support
from carom.narrow.convex.triangle_support import TRIANGLE_CORE
from carom.shapes.parts.core_layout import FIRST_POINT, MARGIN

# The rigid body's flight, seconds counted from the window's start
POSITION, VELOCITY, ACCELERATION, QUATERNION, SPIN, BODY_REACH = 0, 3, 6, 9, 13, 16
FLIGHT = 17
"""Position, velocity, acceleration (3 each), orientation w x y z at the start (4), spin (3), how far it extends from its
position (1)."""

# Scratch: the triangle as a core, the body's rotation by rows, the zero shift, nearest points of both
CORNERS = 0
ROTATION = TRIANGLE_CORE
SHIFT = ROTATION + 9
NEAREST_POINTS = SHIFT + 3
SCRATCH = NEAREST_POINTS + 6

_WIDEST_TURN = 1.5
"""Radians that a body turns at most in a step that its support function bounds."""
_TRIES = 64
_SAME_SIDE = 0.5
"""Cosine. A contact tells the side of a plane only if its normal is nearer to that of the plane than this."""


@inner_kernel
def place_at(first, last, span, s, flight, scratch):
    """Corners at s seconds as seen from the body's position, and the body's rotation."""
    core = scratch[CORNERS:]
    share = s / span
    for d in range(3):
        x = flight[POSITION + d] + s * (flight[VELOCITY + d] + 0.5 * s * flight[ACCELERATION + d])
        for k in range(3):
            at = 3 * k + d
            core[FIRST_POINT + at] = ((1.0 - share) * first[at] + share * last[at]) - x
    q, w = QUATERNION, SPIN
    a, b, c, e = turned_quaternion(
        flight[q], flight[q + 1], flight[q + 2], flight[q + 3], flight[w], flight[w + 1], flight[w + 2], s
    )
    scale = 1.0 / sqrt(a * a + b * b + c * c + e * e)
    rotation_of_into(a * scale, b * scale, c * scale, e * scale, scratch, ROTATION)


@inner_kernel
def least_along(core, scratch, x, y, z):
    """Least coordinate of the turned core along the world direction (x, y, z)."""
    r = ROTATION
    dx = -(scratch[r] * x + scratch[r + 3] * y + scratch[r + 6] * z)
    dy = -(scratch[r + 1] * x + scratch[r + 4] * y + scratch[r + 7] * z)
    dz = -(scratch[r + 2] * x + scratch[r + 5] * y + scratch[r + 8] * z)
    px, py, pz, _ = support(core, dx, dy, dz)
    return -(px * dx + py * dy + pz * dz)


@inner_kernel
def triangle_weights_into(state, weights):
    """Weights of the triangle's corners at its nearest point."""
    for k in range(3):
        weights[k] = 0.0
    for i in range(int(state[GJK_COUNT])):
        weights[int(state[ROW * i + R_ID])] += state[WEIGHT + i]


@inner_kernel
def follow_triangle(state, triangle):
    """Bring the triangle's points of the last walk's simplex to where its corners are now: the next walk starts there."""
    for i in range(int(state[GJK_COUNT])):
        corner = FIRST_POINT + 3 * int(state[ROW * i + R_ID])
        for d in range(3):
            state[ROW * i + R_A + d] = triangle[corner + d]


@inner_kernel
def touching_point(scratch, margin, x, y, z):
    """The point halfway between the nearest points, from the body's position; (x, y, z): from triangle to body."""
    a, b = NEAREST_POINTS, NEAREST_POINTS + 3
    return (
        0.5 * (scratch[a] + scratch[b] - margin * x),
        0.5 * (scratch[a + 1] + scratch[b + 1] - margin * y),
        0.5 * (scratch[a + 2] + scratch[b + 2] - margin * z),
    )


@inner_kernel
def approach(first, last, span, s, flight, weights, scratch, margin, x, y, z):
    """Speed at which the bodies come closer along (x, y, z), from triangle to body, at the point where they touch."""
    total = 0.0
    w = SPIN
    bx, by, bz = touching_point(scratch, margin, x, y, z)
    turn_x = flight[w + 1] * bz - flight[w + 2] * by
    turn_y = flight[w + 2] * bx - flight[w] * bz
    turn_z = flight[w] * by - flight[w + 1] * bx
    for d in range(3):
        n = x if d == 0 else (y if d == 1 else z)
        turn = turn_x if d == 0 else (turn_y if d == 1 else turn_z)
        v = -(flight[VELOCITY + d] + s * flight[ACCELERATION + d] + turn)
        for k in range(3):
            v += weights[k] * (last[3 * k + d] - first[3 * k + d]) / span
        total += n * v
    return total


@inner_kernel
def time_to_close(rate, pull, room):
    """First time at which rate s + pull s^2 / 2 has grown to room > 0; inf if never."""
    if pull == 0.0:
        return room / rate if rate > 0.0 else inf
    disc = rate * rate + 2.0 * pull * room
    if disc < 0.0:
        return inf
    if rate < 0.0:  # what parts first and comes back: the other form would cancel
        return (sqrt(disc) - rate) / pull if pull > 0.0 else inf
    below = rate + sqrt(disc)
    return 2.0 * room / below if below > 0.0 else inf


@inline_kernel
def time_apart(first, last, span, s, flight, triangle, ahead, least, turning, x, y, z):
    """Along (x, y, z): the gap, the seconds for which it surely stays at least `least`, and a bound of the relative speed.

    ahead: least coordinate of the body along (x, y, z) now. turning: bound of the speed at which turning moves its points.
    """
    rate_b = pull_b = speed = 0.0
    for d in range(3):
        n = x if d == 0 else (y if d == 1 else z)
        v = flight[VELOCITY + d] + s * flight[ACCELERATION + d]
        rate_b += n * v
        pull_b += n * flight[ACCELERATION + d]
    free, tau = inf, inf
    for k in range(3):
        height = rate = fast = 0.0
        for d in range(3):
            n = x if d == 0 else (y if d == 1 else z)
            v = (last[3 * k + d] - first[3 * k + d]) / span
            height += n * triangle[FIRST_POINT + 3 * k + d]
            rate += n * v
            fast += (v - flight[VELOCITY + d] - s * flight[ACCELERATION + d]) ** 2
        speed = max(speed, sqrt(fast))
        free = min(free, ahead - height)
        clearance = ahead - height - least
        if clearance > 0.0:
            tau = min(tau, time_to_close(rate - rate_b + turning, -pull_b, clearance))
    return free, tau, speed + turning


@inner_kernel
def _turned_depth(core, flight, scratch, before, x, y, z, tau):
    """(end, bulge): least coordinate of the core along (x, y, z) after tau seconds of turning, now `before`, and how far it
    falls below the straight line from before to end in between, at most. See _turned_height in
    carom.narrow.toi.advancement.convex_convex."""
    wx, wy, wz = flight[SPIN], flight[SPIN + 1], flight[SPIN + 2]
    rate = sqrt(wx * wx + wy * wy + wz * wz)
    kx, ky, kz = wx / rate, wy / rate, wz / rate
    along = kx * x + ky * y + kz * z
    px, py, pz = x - along * kx, y - along * ky, z - along * kz
    qx, qy, qz = ky * z - kz * y, kz * x - kx * z, kx * y - ky * x
    angle = rate * tau
    s, c = sine_cosine(angle)
    end = least_along(
        core, scratch, x + (c - 1.0) * px - s * qx, y + (c - 1.0) * py - s * qy, z + (c - 1.0) * pz - s * qz
    )
    meet = s / (1.0 + c)
    middle = least_along(core, scratch, x - meet * qx, y - meet * qy, z - meet * qz)
    sag = 0.5 * max(0.5 * (before + end) - middle, 0.0)
    return end, sag + 0.0125 * angle * angle * abs(end - before)


@inner_kernel
def safe_step(first, last, span, s, core, flight, scratch, ahead, x, y, z, free, least, longest):
    """Seconds, at most `longest`, within which the gap `free` along (x, y, z) surely stays at least `least`, from the support
    function of the turning body; 0 where nothing proves it. ahead: least coordinate of the body along (x, y, z) now."""
    w = SPIN
    spin = sqrt(flight[w] ** 2 + flight[w + 1] ** 2 + flight[w + 2] ** 2)
    if free <= least:
        return 0.0
    pull = 0.0
    for d in range(3):
        n = x if d == 0 else (y if d == 1 else z)
        pull += n * flight[ACCELERATION + d]
    tau = min(longest, _WIDEST_TURN / spin) if spin > 0.0 else longest
    for _ in range(_TRIES):
        turned, bulge = 0.0, 0.0
        if spin > 0.0:
            before = ahead + core[MARGIN]
            after, bulge = _turned_depth(core, flight, scratch, before, x, y, z, tau)
            turned = after - before
        left = free
        for k in range(3):
            gap, rate = ahead, 0.0
            for d in range(3):
                n = x if d == 0 else (y if d == 1 else z)
                v = (last[3 * k + d] - first[3 * k + d]) / span
                gap -= n * scratch[CORNERS + FIRST_POINT + 3 * k + d]
                rate += n * (v - flight[VELOCITY + d] - s * flight[ACCELERATION + d])
            left = min(left, gap + turned - tau * (rate - 0.5 * pull * tau))
        left -= 0.125 * max(pull, 0.0) * tau * tau + bulge
        if left >= least:
            return tau
        tau *= max(min((free - least) / (free - left), 0.9), 0.1)
    return 0.0


@inner_kernel
def faces_away(core, scratch, side, tolerance, x, y, z):
    """Is (x, y, z), the axis of least overlap from triangle to body, the wrong way round?

    Only where both lie in one plane, to the tolerance, so that the axis has no sign of its own. side: direction (3,) towards
    the body, or zeros where it is not known.
    """
    lowest = inf
    middle = 0.0
    for k in range(3):
        at = CORNERS + FIRST_POINT + 3 * k
        height = x * scratch[at] + y * scratch[at + 1] + z * scratch[at + 2]
        lowest = min(lowest, height)
        middle += height
    if lowest + least_along(core, scratch, -x, -y, -z) < -tolerance:
        return False
    along = x * side[0] + y * side[1] + z * side[2]
    # Nothing else tells the side but where the body's position is.
    return along < 0.0 if abs(along) > _SAME_SIDE else middle > 0.0


@inner_kernel
def riding_step(first, last, span, s, flight, scratch, ahead, x, y, z, least, longest):
    """Seconds, at most `longest`, within which the gap along (x, y, z) surely stays at least `least`, where the direction turns
    with the body: the corners come closer while the body's side stands still. ahead: least coordinate of the body.

    A round body or an edge that rolls over a corner closes much more slowly along such a direction than along a fixed one. The
    height of a corner at v, at the distance r from the body's position, changes at its rate now but for at most
    w^2 r + 2 w |v| + |a| per second, for a spin of w.
    """
    spin = sqrt(flight[SPIN] ** 2 + flight[SPIN + 1] ** 2 + flight[SPIN + 2] ** 2)
    if spin == 0.0:
        return 0.0
    tau = min(longest, 1.0 / spin)
    pull = sqrt(flight[ACCELERATION] ** 2 + flight[ACCELERATION + 1] ** 2 + flight[ACCELERATION + 2] ** 2)
    turn_x = flight[SPIN + 1] * z - flight[SPIN + 2] * y
    turn_y = flight[SPIN + 2] * x - flight[SPIN] * z
    turn_z = flight[SPIN] * y - flight[SPIN + 1] * x
    shortest = tau
    for k in range(3):
        gap, rate, square, fast = ahead, 0.0, 0.0, 0.0
        for d in range(3):
            n = x if d == 0 else (y if d == 1 else z)
            turn = turn_x if d == 0 else (turn_y if d == 1 else turn_z)
            place = scratch[CORNERS + FIRST_POINT + 3 * k + d]
            v = (last[3 * k + d] - first[3 * k + d]) / span - flight[VELOCITY + d] - s * flight[ACCELERATION + d]
            gap -= n * place
            rate += n * v + turn * place
            square += place * place
            fast += v * v
        speed = sqrt(fast) + pull * tau
        bend = spin * (spin * (sqrt(square) + speed * tau) + 2.0 * speed) + pull
        shortest = min(shortest, time_to_close(rate, bend, gap - least) if gap > least else 0.0)
    return shortest
