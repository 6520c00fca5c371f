"""First contact of triangles whose corners move linearly with a rigid convex core or surface that moves and rotates.

Conservative advancement: at each stop the convex walk gives a direction n along which the two are apart. Each corner
closes along n at a constant speed, the body's path is known along n, and turning adds at most its spin times its reach.
The step is as long as that surely leaves a gap, so a stop is never after the first contact; the last one is before it
by no more than the tolerance. A body that turns close to a triangle without coming closer, such as a cylinder about its
own axis, would take steps without end: after _CRAWL of them its reach along n is bounded by its support function, as in
carom.narrow.toi.advancement.convex_convex. A surface is searched through its tree of boxes, each a core of eight
corners.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from carom._compile.jit import inner_kernel, kernel
from carom.maths.trigonometry import sine_cosine
from carom.maths.turning_orientation import rotation_of_into, turned_quaternion
from carom.narrow.convex.gjk import (
    CERTIFICATE,
    COUNT,
    GJK_STATE,
    OVERLAP,
    R_A,
    R_ID,
    REACH,
    ROW,
    UPPER,
    WEIGHT,
    gjk,
    witness_points,
)
from carom.narrow.convex.support import support
from carom.narrow.convex.triangle_support import TRIANGLE_CORE, triangle_core_into
from carom.narrow.toi.advancement.convex_surface import BOX_CORE, box_core_into
from carom.narrow.toi.status import CONSERVATIVE, OVERLAPPING
from carom.shapes.parts.core_layout import FIRST_POINT, MARGIN
from carom.tolerances import ADVANCE_ULPS, CLOSING_NOISE, DEFORM_ADVANCE_STEPS, EPSILON
from carom.trees.obb.node import NODE_RADIUS

# The rigid body's flight, seconds counted from the window's start
POSITION, VELOCITY, ACCELERATION, QUATERNION, SPIN, BODY_REACH = 0, 3, 6, 9, 13, 16
FLIGHT = 17
"""Position, velocity, acceleration (3 each), orientation w x y z at the start (4), spin (3), how far it extends from its
position (1)."""

# Columns of an answer
TIME, STATUS, WEIGHTS, POINT, NORMAL, FACE, TOUCHES = 0, 1, 2, 5, 8, 11, 12
ANSWER = 13
"""Seconds from the start (inf: none), status, weights of the triangle's corners (3), point (3), unit normal from the triangle
to the body (3), row of the surface's triangle or -1, and whether the two touched when the search began."""

# Scratch: the triangle as a core, the body's rotation by rows, the zero shift, nearest points of both
_CORNERS = 0
_ROTATION = TRIANGLE_CORE
_SHIFT = _ROTATION + 9
_NEAREST = _SHIFT + 3
_SCRATCH = _NEAREST + 6

_DEEPEST = 128
"""Room for the stack: trees that halve have at most 64 levels and leave one entry waiting a level."""
_BOX_GAP = 1e-3
"""Relative to a box's radius: how near counts as reaching the box. Coarse, because children look closer."""
_CRAWL = 64
"""Steps after which they are worth more work each; few searches take as many."""
_WIDEST_TURN = 1.5
"""Radians that a body turns at most in a step that its support function bounds."""
_TRIES = 64


@inner_kernel
def _place(first, last, span, s, flight, scratch):
    """Corners at s seconds as seen from the body's position, and the body's rotation."""
    core = scratch[_CORNERS:]
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
    rotation_of_into(a * scale, b * scale, c * scale, e * scale, scratch, _ROTATION)


@inner_kernel
def _depth_along(core, scratch, x, y, z):
    """Least coordinate of the turned core along the world direction (x, y, z)."""
    r = _ROTATION
    dx = -(scratch[r] * x + scratch[r + 3] * y + scratch[r + 6] * z)
    dy = -(scratch[r + 1] * x + scratch[r + 4] * y + scratch[r + 7] * z)
    dz = -(scratch[r + 2] * x + scratch[r + 5] * y + scratch[r + 8] * z)
    px, py, pz, _ = support(core, dx, dy, dz)
    return -(px * dx + py * dy + pz * dz)


@inner_kernel
def _weigh(state, weights):
    """Weights of the triangle's corners at its nearest point."""
    for k in range(3):
        weights[k] = 0.0
    for i in range(int(state[COUNT])):
        weights[int(state[ROW * i + R_ID])] += state[WEIGHT + i]


@inner_kernel
def _follow(state, triangle):
    """Bring the triangle's points of the last walk's simplex to where its corners are now: the next walk starts there."""
    for i in range(int(state[COUNT])):
        corner = FIRST_POINT + 3 * int(state[ROW * i + R_ID])
        for d in range(3):
            state[ROW * i + R_A + d] = triangle[corner + d]


@inner_kernel
def _approach(first, last, span, s, flight, weights, scratch, x, y, z):
    """Speed at which the nearest points come closer along (x, y, z), from triangle to body."""
    total = 0.0
    w, b = SPIN, _NEAREST + 3
    turn_x = flight[w + 1] * scratch[b + 2] - flight[w + 2] * scratch[b + 1]
    turn_y = flight[w + 2] * scratch[b] - flight[w] * scratch[b + 2]
    turn_z = flight[w] * scratch[b + 1] - flight[w + 1] * scratch[b]
    for d in range(3):
        n = x if d == 0 else (y if d == 1 else z)
        turn = turn_x if d == 0 else (turn_y if d == 1 else turn_z)
        v = -(flight[VELOCITY + d] + s * flight[ACCELERATION + d] + turn)
        for k in range(3):
            v += weights[k] * (last[3 * k + d] - first[3 * k + d]) / span
        total += n * v
    return total


@inner_kernel
def _time_to_close(rate, pull, room):
    """First time at which rate s + pull s^2 / 2 has grown to room > 0; inf if never."""
    if pull == 0.0:
        return room / rate if rate > 0.0 else inf
    disc = rate * rate + 2.0 * pull * room
    if disc < 0.0:
        return inf
    below = rate + sqrt(disc)
    return 2.0 * room / below if below > 0.0 else inf


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
    end = _depth_along(
        core, scratch, x + (c - 1.0) * px - s * qx, y + (c - 1.0) * py - s * qy, z + (c - 1.0) * pz - s * qz
    )
    meet = s / (1.0 + c)
    middle = _depth_along(core, scratch, x - meet * qx, y - meet * qy, z - meet * qz)
    sag = 0.5 * max(0.5 * (before + end) - middle, 0.0)
    return end, sag + 0.0125 * angle * angle * abs(end - before)


@inner_kernel
def _turning_step(first, last, span, s, core, flight, scratch, before, x, y, z, free, least, longest):
    """Seconds, at most `longest`, within which the gap `free` along (x, y, z) surely stays at least `least`, from the support
    function of the turning body. before: least coordinate of the core along (x, y, z) now."""
    w = SPIN
    spin = sqrt(flight[w] ** 2 + flight[w + 1] ** 2 + flight[w + 2] ** 2)
    if spin == 0.0 or free <= least:
        return 0.0
    closing, pull = -inf, 0.0
    for k in range(3):
        rate = 0.0
        for d in range(3):
            n = x if d == 0 else (y if d == 1 else z)
            v = (last[3 * k + d] - first[3 * k + d]) / span
            rate += n * (v - flight[VELOCITY + d] - s * flight[ACCELERATION + d])
        closing = max(closing, rate)
    for d in range(3):
        n = x if d == 0 else (y if d == 1 else z)
        pull += n * flight[ACCELERATION + d]
    tau = min(longest, _WIDEST_TURN / spin)
    for _ in range(_TRIES):
        after, bulge = _turned_depth(core, flight, scratch, before, x, y, z, tau)
        end = free + (after - before) - tau * (closing - 0.5 * pull * tau)
        left = min(free, end) - 0.125 * max(pull, 0.0) * tau * tau - bulge
        if left >= least:
            return tau
        tau *= max(min((free - least) / (free - left), 0.9), 0.1)
    return 0.0


@inner_kernel
def _advance(first, last, span, begin, until, core, flight, gap, any_touch, scratch, state, out):
    """First contact in [begin, until] of one triangle (corners first and last (9,), `span` seconds apart) with a core.

    any_touch: closing or not, the first instant as near as `gap` counts. Ends because every step but those of touching bodies
    that do not close is as long as a gap of half the tolerance takes to close; after DEFORM_ADVANCE_STEPS steps the time
    reached stands as the contact: nothing touched before it.
    """
    shift = scratch[_SHIFT : _SHIFT + 3]
    shift[0] = shift[1] = shift[2] = 0.0
    triangle = scratch[_CORNERS : _CORNERS + TRIANGLE_CORE]
    margin = core[MARGIN]
    w = SPIN
    turning = sqrt(flight[w] ** 2 + flight[w + 1] ** 2 + flight[w + 2] ** 2) * flight[BODY_REACH]
    farthest = size = 0.0
    for k in range(9):
        farthest = max(farthest, max(abs(first[k]), abs(last[k])))
        size = max(size, abs(first[k] - first[k % 3]))
    size = min(size, flight[BODY_REACH]) if size > 0.0 else flight[BODY_REACH]
    weights = out[WEIGHTS : WEIGHTS + 3]
    out[TIME] = inf
    out[STATUS] = CONSERVATIVE
    out[TOUCHES] = 0.0
    s = begin
    idle = 0.0
    overlapped = False
    for step in range(DEFORM_ADVANCE_STEPS):
        if s > until:
            return
        _place(first, last, span, s, flight, scratch)
        if step > 0:
            _follow(state, triangle)
        ending = gjk(triangle, core, scratch[_ROTATION : _ROTATION + 9], shift, state, step > 0, -1.0, inf)
        upper = 0.0 if ending == OVERLAP else state[UPPER]
        tolerance = max(gap, ADVANCE_ULPS * EPSILON * (state[REACH] + farthest))
        _weigh(state, weights)
        witness_points(state, scratch, _NEAREST)
        if upper > 0.0:
            x, y, z = -state[CERTIFICATE], -state[CERTIFICATE + 1], -state[CERTIFICATE + 2]
        else:  # inside: away from the middle of the triangle
            x = y = z = 0.0
            for k in range(3):
                at = FIRST_POINT + 3 * k
                x, y, z = x - triangle[at], y - triangle[at + 1], z - triangle[at + 2]
            length = sqrt(x * x + y * y + z * z)
            x, y, z = (x / length, y / length, z / length) if length > 0.0 else (1.0, 0.0, 0.0)
        ahead = _depth_along(core, scratch, x, y, z) - margin
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
            room = ahead - height - 0.5 * tolerance
            if room > 0.0:
                tau = min(tau, _time_to_close(rate - rate_b + turning, -pull_b, room))
        speed += turning
        if min(free, upper - margin) <= tolerance:
            if step == 0:
                out[TOUCHES] = 1.0
            toward = _approach(first, last, span, s, flight, weights, scratch, x, y, z)
            if any_touch or (toward > CLOSING_NOISE * speed and not (overlapped and upper - margin < -tolerance)):
                break
            # Touching but not closing: on in small steps, longer while nothing happens.
            overlapped = upper - margin < -tolerance or ending == OVERLAP
            pull = sqrt(flight[ACCELERATION] ** 2 + flight[ACCELERATION + 1] ** 2 + flight[ACCELERATION + 2] ** 2)
            if speed == 0.0 and pull == 0.0:
                return
            idle = max(min(2.0 * idle, 1e-4 * size), tolerance)
            if overlapped:  # they cannot come apart before they have moved by their depth
                idle = max(idle, -0.5 * free)
            s += min(idle / speed if speed > 0.0 else inf, sqrt(2.0 * idle / pull) if pull > 0.0 else inf)
            continue
        idle = 0.0
        overlapped = False
        if s == until:
            return
        if step >= _CRAWL and s + tau < until:
            longer = _turning_step(
                first, last, span, s, core, flight, scratch, ahead + margin, x, y, z, free, 0.5 * tolerance, until - s
            )
            tau = max(tau, longer)
        s = min(s + tau, until)
    out[TIME] = s
    if ending == OVERLAP or upper - margin < -2.0 * tolerance:
        out[STATUS] = OVERLAPPING
    for d in range(3):
        n = x if d == 0 else (y if d == 1 else z)
        origin = flight[POSITION + d] + s * (flight[VELOCITY + d] + 0.5 * s * flight[ACCELERATION + d])
        out[NORMAL + d] = n
        out[POINT + d] = origin + 0.5 * (scratch[_NEAREST + d] + scratch[_NEAREST + 3 + d] - margin * n)


@inner_kernel
def _advance_surface(
    first,
    last,
    span,
    begin,
    until,
    nodes,
    links,
    tris,
    flight,
    gap,
    scratch,
    state,
    box,
    corner,
    stack,
    times,
    near,
    any_touch,
    out,
):
    """As _advance with the nearest in time of a surface's triangles."""
    best = until
    out[TIME], out[FACE], out[TOUCHES] = inf, -1.0, 0.0
    stack[0], times[0] = 0, begin
    size = 1
    while size > 0:
        size -= 1
        node, start = stack[size], times[size]
        if start > best:
            continue
        right = int(links[node])
        if right < 0:
            triangle_core_into(tris[-1 - right], corner)
            _advance(first, last, span, start, best, corner, flight, gap, any_touch, scratch, state, near)
            if start == begin:
                out[TOUCHES] = max(out[TOUCHES], near[TOUCHES])
            if near[TIME] < best or (near[TIME] == best and out[TIME] == inf):
                touches = out[TOUCHES]
                best = near[TIME]
                for c in range(ANSWER):
                    out[c] = near[c]
                out[FACE], out[TOUCHES] = -1 - right, touches
            continue
        for child in range(2):
            at = node + 1 if child == 0 else right
            box_core_into(nodes, at, box)
            slack = max(gap, _BOX_GAP * nodes[at, NODE_RADIUS])
            _advance(first, last, span, start, best, box, flight, slack, True, scratch, state, near)
            if near[TIME] <= best:
                stack[size], times[size] = at, near[TIME]
                size += 1
        if size >= 2 and times[size - 1] > times[size - 2]:
            stack[size - 1], stack[size - 2] = stack[size - 2], stack[size - 1]
            times[size - 1], times[size - 2] = times[size - 2], times[size - 1]


@kernel
def core_contacts_into(first, last, span, until, core, flight, gap, any_touch, answers):
    """_advance for triangles first, last (n, 9) from 0 to `until` seconds; answers (n, ANSWER)."""
    scratch, state = np.zeros(_SCRATCH), np.zeros(GJK_STATE)
    triangle_core_into(first[0], scratch)
    for k in range(len(first)):
        answers[k, FACE] = -1.0
        _advance(first[k], last[k], span, 0.0, until, core, flight, gap, any_touch, scratch, state, answers[k])


@kernel
def surface_contacts_into(first, last, span, until, nodes, links, tris, flight, gap, any_touch, answers):
    """_advance_surface for triangles first, last (n, 9) from 0 to `until` seconds; answers (n, ANSWER)."""
    scratch, state = np.zeros(_SCRATCH), np.zeros(GJK_STATE)
    box, corner, near = np.zeros(BOX_CORE), np.zeros(TRIANGLE_CORE), np.zeros(ANSWER)
    stack, times = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST)
    triangle_core_into(first[0], scratch)
    for k in range(len(first)):
        _advance_surface(
            first[k], last[k], span, 0.0, until, nodes, links, tris, flight, gap,
            scratch, state, box, corner, stack, times, near, any_touch, answers[k],
        )  # fmt: skip
