"""First contact of triangles whose corners move linearly with a rigid convex core or surface that moves and rotates.

Conservative advancement: at each stop the convex walk gives a direction n along which the two are apart. Each corner
closes along n at a constant speed, the body's path is known along n, and turning adds at most its spin times its reach.
The step is as long as that surely leaves a gap, so a stop is never after the first contact; the last one is before it
by no more than the tolerance. Bodies that touch and do not close at their nearest points are followed in steps within which
no other point sinks in by more than a part of the tolerance. Where they touch or overlap, so that nearest points give no
direction, the direction is the axis of least overlap. A body that turns close to a triangle without coming closer, such as a cylinder about its
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
from carom.narrow.convex.convex_pair import room
from carom.narrow.convex.epa import B_AXIS, B_UPPER
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
from carom.narrow.convex.penetration import depth_of_overlap
from carom.narrow.convex.support import FIRST_POINT, MARGIN, support
from carom.narrow.convex.triangle_support import TRIANGLE_CORE, triangle_core_into
from carom.narrow.toi.advancement.convex_surface import BOX_CORE, box_core_into
from carom.narrow.toi.status import CONSERVATIVE, OVERLAPPING
from carom.tolerances import ADVANCE_ULPS, CLOSING_NOISE, DEFORM_ADVANCE_STEPS, EPSILON, SHALLOW_TOUCH
from carom.trees.obb.node import NODE_RADIUS

# The rigid body's flight, seconds counted from the window's start
POSITION, VELOCITY, ACCELERATION, QUATERNION, SPIN, BODY_REACH = 0, 3, 6, 9, 13, 16
FLIGHT = 17
"""Position, velocity, acceleration (3 each), orientation w x y z at the start (4), spin (3), how far it extends from its
position (1)."""

# Columns of an answer
TIME, STATUS, WEIGHTS, POINT, NORMAL, FACE, TOUCHES, DEPTH = 0, 1, 2, 5, 8, 11, 12, 13
ANSWER = 14
"""Seconds from the start (inf: none), status, weights of the triangle's corners (3), point (3), unit normal from the triangle
to the body (3), row of the surface's triangle or -1, whether the two touched when the search began, and how much deeper than a touch they
overlap, m (negative: no deeper)."""

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
_CLEAR = 1e-3
"""Relative to the tolerance. Nearest points that are farther apart than this give a direction; that of nearer ones is rounding."""
_SAME_SIDE = 0.5
"""Cosine. A contact tells the side of a plane only if its normal is nearer to that of the plane than this."""
_SINK = 0.25
"""Relative to the tolerance. How far bodies that touch and do not close sink in at most until they are looked at again."""


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
def _touching_point(scratch, margin, x, y, z):
    """The point halfway between the nearest points, from the body's position; (x, y, z): from triangle to body."""
    a, b = _NEAREST, _NEAREST + 3
    return (
        0.5 * (scratch[a] + scratch[b] - margin * x),
        0.5 * (scratch[a + 1] + scratch[b + 1] - margin * y),
        0.5 * (scratch[a + 2] + scratch[b + 2] - margin * z),
    )


@inner_kernel
def _approach(first, last, span, s, flight, weights, scratch, margin, x, y, z):
    """Speed at which the bodies come closer along (x, y, z), from triangle to body, at the point where they touch."""
    total = 0.0
    w = SPIN
    bx, by, bz = _touching_point(scratch, margin, x, y, z)
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
def _time_to_close(rate, pull, room):
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
def _safe_step(first, last, span, s, core, flight, scratch, ahead, x, y, z, free, least, longest):
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
                gap -= n * scratch[_CORNERS + FIRST_POINT + 3 * k + d]
                rate += n * (v - flight[VELOCITY + d] - s * flight[ACCELERATION + d])
            left = min(left, gap + turned - tau * (rate - 0.5 * pull * tau))
        left -= 0.125 * max(pull, 0.0) * tau * tau + bulge
        if left >= least:
            return tau
        tau *= max(min((free - least) / (free - left), 0.9), 0.1)
    return 0.0


@inner_kernel
def _away_from(core, scratch, side, tolerance, x, y, z):
    """Is (x, y, z), the axis of least overlap from triangle to body, the wrong way round? Known from `side` where both lie in one
    plane, to the tolerance, so that the axis has no sign of its own; side: direction (3,) towards the body, or zeros."""
    lowest = inf
    middle = 0.0
    for k in range(3):
        at = _CORNERS + FIRST_POINT + 3 * k
        height = x * scratch[at] + y * scratch[at + 1] + z * scratch[at + 2]
        lowest = min(lowest, height)
        middle += height
    if lowest + _depth_along(core, scratch, -x, -y, -z) < -tolerance:
        return False
    along = x * side[0] + y * side[1] + z * side[2]
    # Nothing else tells the side but where the body's position is.
    return along < 0.0 if abs(along) > _SAME_SIDE else middle > 0.0


@inner_kernel
def _riding_step(first, last, span, s, flight, scratch, ahead, x, y, z, least, longest):
    """Seconds, at most `longest`, within which the gap along (x, y, z) surely stays at least `least`, as the direction turns with
    the body: the corners then come closer while the body's side stands still. ahead: least coordinate of the body.

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
            place = scratch[_CORNERS + FIRST_POINT + 3 * k + d]
            v = (last[3 * k + d] - first[3 * k + d]) / span - flight[VELOCITY + d] - s * flight[ACCELERATION + d]
            gap -= n * place
            rate += n * v + turn * place
            square += place * place
            fast += v * v
        speed = sqrt(fast) + pull * tau
        bend = spin * (spin * (sqrt(square) + speed * tau) + 2.0 * speed) + pull
        shortest = min(shortest, _time_to_close(rate, bend, gap - least) if gap > least else 0.0)
    return shortest


@inner_kernel
def _advance(first, last, span, begin, until, core, flight, gap, any_touch, outline, side, scratch, state, space, out):
    """First contact in [begin, until] of one triangle (corners first and last (9,), `span` seconds apart) with a core.

    any_touch: closing or not, the first instant as near as `gap` counts. outline: only the time is wanted. side: as _away_from
    takes it. space: as
    carom.narrow.convex.convex_pair.room makes it. Ends because every step but those of touching bodies that do not close is
    as long as a gap of half the tolerance takes to close; after DEFORM_ADVANCE_STEPS steps the time reached stands as the
    contact: nothing touched before it.
    """
    aside, best = space[-2], space[-1]
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
    for count in range(DEFORM_ADVANCE_STEPS):
        if s > until:
            return
        _place(first, last, span, s, flight, scratch)
        if count > 0:
            _follow(state, triangle)
        ending = gjk(triangle, core, scratch[_ROTATION : _ROTATION + 9], shift, state, count > 0, -1.0, inf)
        upper = 0.0 if ending == OVERLAP else state[UPPER]
        tolerance = max(gap, ADVANCE_ULPS * EPSILON * (state[REACH] + farthest))
        shallow = max(SHALLOW_TOUCH * size, tolerance)
        if upper > _CLEAR * tolerance or outline:
            x, y, z = -state[CERTIFICATE], -state[CERTIFICATE + 1], -state[CERTIFICATE + 2]
            _weigh(state, weights)
            witness_points(state, scratch, _NEAREST)
        else:
            depth_of_overlap(
                triangle, core, scratch[_ROTATION : _ROTATION + 9], shift, state, -inf, space, scratch, _NEAREST
            )
            x, y, z, upper = best[B_AXIS], best[B_AXIS + 1], best[B_AXIS + 2], -best[B_UPPER]
            if _away_from(core, scratch, side, tolerance, x, y, z):
                x, y, z = -x, -y, -z
            _weigh(aside, weights)
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
            clearance = ahead - height - 0.5 * tolerance
            if clearance > 0.0:
                tau = min(tau, _time_to_close(rate - rate_b + turning, -pull_b, clearance))
        speed += turning
        if min(free, upper - margin) <= tolerance:
            if count == 0:
                out[TOUCHES] = 1.0
            toward = _approach(first, last, span, s, flight, weights, scratch, margin, x, y, z)
            if any_touch or (toward > CLOSING_NOISE * speed and not (overlapped and upper - margin < -shallow)):
                break
            # Touching but not closing: on in small steps, longer while nothing happens.
            overlapped = upper - margin < -shallow
            pull = sqrt(flight[ACCELERATION] ** 2 + flight[ACCELERATION + 1] ** 2 + flight[ACCELERATION + 2] ** 2)
            if speed == 0.0 and pull == 0.0:
                return
            idle = max(min(2.0 * idle, 1e-4 * size), tolerance)
            if overlapped:  # they cannot come apart before they have moved by their depth
                idle = max(idle, -0.5 * free)
            step = min(idle / speed if speed > 0.0 else inf, sqrt(2.0 * idle / pull) if pull > 0.0 else inf)
            if not overlapped and s + step > s:  # another point may come closer
                sunk = free - _SINK * tolerance
                riding = _riding_step(first, last, span, s, flight, scratch, ahead, x, y, z, sunk, step)
                if riding < step:
                    step = _safe_step(first, last, span, s, core, flight, scratch, ahead, x, y, z, free, sunk, step)
                    step = max(step, riding)
            s += step
            continue
        idle = 0.0
        overlapped = False
        if s == until:
            return
        if s + tau < until:
            riding = _riding_step(first, last, span, s, flight, scratch, ahead, x, y, z, 0.5 * tolerance, until - s)
            tau = max(tau, riding)
        if count >= _CRAWL and s + tau < until:
            longer = _safe_step(
                first, last, span, s, core, flight, scratch, ahead, x, y, z, free, 0.5 * tolerance, until - s
            )
            tau = max(tau, longer)
        s = min(s + tau, until)
    out[TIME] = s
    if upper - margin < -2.0 * tolerance:
        out[STATUS] = OVERLAPPING
    out[DEPTH] = margin - upper - shallow
    out[NORMAL], out[NORMAL + 1], out[NORMAL + 2] = x, y, z
    out[POINT], out[POINT + 1], out[POINT + 2] = _touching_point(scratch, margin, x, y, z)
    for d in range(3):
        out[POINT + d] += flight[POSITION + d] + s * (flight[VELOCITY + d] + 0.5 * s * flight[ACCELERATION + d])


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
    space,
    any_touch,
    side,
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
            _advance(
                first, last, span, start, best, corner, flight, gap, any_touch, False, side, scratch, state, space, near
            )
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
            _advance(first, last, span, start, best, box, flight, slack, True, True, side, scratch, state, space, near)
            if near[TIME] <= best:
                stack[size], times[size] = at, near[TIME]
                size += 1
        if size >= 2 and times[size - 1] > times[size - 2]:
            stack[size - 1], stack[size - 2] = stack[size - 2], stack[size - 1]
            times[size - 1], times[size - 2] = times[size - 2], times[size - 1]


@kernel
def core_contacts_into(first, last, span, until, core, flight, gap, any_touch, side, answers):
    """_advance for triangles first, last (n, 9) from 0 to `until` seconds; answers (n, ANSWER)."""
    scratch, state = np.zeros(_SCRATCH), np.zeros(GJK_STATE)
    space = room(0)
    triangle_core_into(first[0], scratch)
    for k in range(len(first)):
        answers[k, FACE] = -1.0
        _advance(
            first[k],
            last[k],
            span,
            0.0,
            until,
            core,
            flight,
            gap,
            any_touch,
            False,
            side,
            scratch,
            state,
            space,
            answers[k],
        )


@kernel
def surface_contacts_into(first, last, span, until, nodes, links, tris, flight, gap, any_touch, side, answers):
    """_advance_surface for triangles first, last (n, 9) from 0 to `until` seconds; answers (n, ANSWER)."""
    scratch, state = np.zeros(_SCRATCH), np.zeros(GJK_STATE)
    box, corner, near = np.zeros(BOX_CORE), np.zeros(TRIANGLE_CORE), np.zeros(ANSWER)
    stack, times, space = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST), room(0)
    triangle_core_into(first[0], scratch)
    for k in range(len(first)):
        _advance_surface(
            first[k], last[k], span, 0.0, until, nodes, links, tris, flight, gap,
            scratch, state, box, corner, stack, times, near, space, any_touch, side, answers[k],
        )  # fmt: skip
