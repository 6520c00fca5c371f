"""First contact of triangles whose corners move linearly with a rigid convex core or surface that moves and rotates.

Conservative advancement: at each stop the convex walk gives a direction n along which the two are apart. Each corner
closes along n at a constant speed, the body's path is known along n, and turning adds at most its spin times its reach.
The step is as long as that surely leaves a gap, so a stop is never after the first contact; the last one is before it
by no more than the tolerance. Bodies that touch and do not close at their nearest points are followed in steps within
which no other point sinks in by more than a part of the tolerance. Where they touch or overlap, so that nearest points give
no direction, the direction is the axis of least overlap. A body that turns close to a triangle without coming closer, such as
a cylinder about its own axis, would take steps without end: the direction may turn with the body, and after _CRAWL steps the
body's reach along a fixed one is bounded by its support function, as in carom.narrow.toi.advancement.convex_convex. A surface
is searched through its tree of boxes, each a core of eight corners.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, kernel
from carom.deform.triangles.convex_steps import (
    ACCELERATION,
    BODY_REACH,
    CORNERS,
    NEAREST_POINTS,
    POSITION,
    ROTATION,
    SCRATCH,
    SHIFT,
    SPIN,
    VELOCITY,
    approach,
    faces_away,
    follow_triangle,
    least_along,
    place_at,
    riding_step,
    safe_step,
    time_apart,
    touching_point,
    triangle_weights_into,
)
from carom.narrow.convex.convex_pair import room
from carom.narrow.convex.epa import B_AXIS, B_UPPER
from carom.narrow.convex.gjk import (
    CERTIFICATE,
    GJK_OVERLAP,
    GJK_REACH,
    GJK_STATE,
    GJK_UPPER,
    gjk,
    witness_points,
)
from carom.narrow.convex.penetration import depth_of_overlap
from carom.narrow.convex.triangle_support import TRIANGLE_CORE, triangle_core_into
from carom.narrow.toi.advancement.convex_surface import BOX_CORE, box_core_into
from carom.narrow.toi.status import CONSERVATIVE, OVERLAPPING
from carom.shapes.parts.core_layout import MARGIN
from carom.tolerances import ADVANCE_ULPS, CLOSING_NOISE, DEFORM_ADVANCE_STEPS, EPSILON, SHALLOW_TOUCH
from carom.trees.obb.node import NODE_RADIUS

# Columns of an answer
HIT_TIME, HIT_STATUS, HIT_WEIGHTS, HIT_POINT, HIT_NORMAL, HIT_FACE, HIT_TOUCHES, DEPTH = 0, 1, 2, 5, 8, 11, 12, 13
ANSWER = 14
"""Seconds from the start (inf: none), status, weights of the triangle's corners (3), point (3), unit normal from the triangle
to the body (3), row of the surface's triangle or -1, whether the two touched when the search began, and how much deeper than a
touch they overlap, m (negative: no deeper)."""

_DEEPEST = 128
"""Room for the stack: trees that halve have at most 64 levels and leave one entry waiting a level."""
_BOX_GAP = 1e-3
"""Relative to a box's radius: how near counts as reaching the box. Coarse, because children look closer."""
_CRAWL = 64
"""Steps after which they are worth more work each; few searches take as many."""
_CLEAR = 1e-3
"""Relative to the tolerance. Nearest points farther apart than this give a direction; that of nearer ones is rounding."""
_SINK = 0.25
"""Relative to the tolerance. How far bodies that touch and do not close sink in at most until they are looked at again."""


@inline_kernel
def _nearest(core, gap, outline, side, size, farthest, warm, scratch, state, space, weights):
    """Nearest points, into `scratch` and `weights`; returns (x, y, z, upper, tolerance, shallow).

    (x, y, z): unit direction from triangle to core along which they are apart, or overlap least. upper: their distance along
    it, without the margin. tolerance: distance that counts as touching. shallow: depth that counts as a touch. warm: `state`
    is that of the last stop.
    """
    shift = scratch[SHIFT : SHIFT + 3]
    triangle = scratch[CORNERS : CORNERS + TRIANGLE_CORE]
    aside, best = space[-2], space[-1]
    ending = gjk(triangle, core, scratch[ROTATION : ROTATION + 9], shift, state, warm, -1.0, inf)
    upper = 0.0 if ending == GJK_OVERLAP else state[GJK_UPPER]
    tolerance = max(gap, ADVANCE_ULPS * EPSILON * (state[GJK_REACH] + farthest))
    shallow = max(SHALLOW_TOUCH * size, tolerance)
    if upper > _CLEAR * tolerance or outline:
        x, y, z = -state[CERTIFICATE], -state[CERTIFICATE + 1], -state[CERTIFICATE + 2]
        triangle_weights_into(state, weights)
        witness_points(state, scratch, NEAREST_POINTS)
    else:
        depth_of_overlap(
            triangle, core, scratch[ROTATION : ROTATION + 9], shift, state, -inf, space, scratch, NEAREST_POINTS
        )
        x, y, z, upper = best[B_AXIS], best[B_AXIS + 1], best[B_AXIS + 2], -best[B_UPPER]
        if faces_away(core, scratch, side, tolerance, x, y, z):
            x, y, z = -x, -y, -z
        triangle_weights_into(aside, weights)
    return x, y, z, upper, tolerance, shallow


@inline_kernel
def _contact_into(s, flight, scratch, margin, x, y, z, upper, tolerance, shallow, out):
    """Write the contact at s seconds."""
    out[HIT_TIME] = s
    if upper - margin < -2.0 * tolerance:
        out[HIT_STATUS] = OVERLAPPING
    out[DEPTH] = margin - upper - shallow
    out[HIT_NORMAL], out[HIT_NORMAL + 1], out[HIT_NORMAL + 2] = x, y, z
    out[HIT_POINT], out[HIT_POINT + 1], out[HIT_POINT + 2] = touching_point(scratch, margin, x, y, z)
    for d in range(3):
        out[HIT_POINT + d] += flight[POSITION + d] + s * (flight[VELOCITY + d] + 0.5 * s * flight[ACCELERATION + d])


@inner_kernel
def _advance(first, last, span, begin, until, core, flight, gap, any_touch, outline, side, scratch, state, space, out):
    """First contact in [begin, until] of one triangle (corners first and last (9,), `span` seconds apart) with a core.

    any_touch: closing or not, the first instant as near as `gap` counts. outline: only the time is wanted. side: as faces_away
    takes it. space: as carom.narrow.convex.convex_pair.room makes it. Ends because every step but those of touching bodies
    that do not close is as long as a gap of half the tolerance takes to close; after DEFORM_ADVANCE_STEPS steps the time
    reached stands as the contact: nothing touched before it.
    """
    shift = scratch[SHIFT : SHIFT + 3]
    shift[0] = shift[1] = shift[2] = 0.0
    triangle = scratch[CORNERS : CORNERS + TRIANGLE_CORE]
    margin = core[MARGIN]
    w = SPIN
    turning = sqrt(flight[w] ** 2 + flight[w + 1] ** 2 + flight[w + 2] ** 2) * flight[BODY_REACH]
    farthest = size = 0.0
    for k in range(9):
        farthest = max(farthest, max(abs(first[k]), abs(last[k])))
        size = max(size, abs(first[k] - first[k % 3]))
    size = min(size, flight[BODY_REACH]) if size > 0.0 else flight[BODY_REACH]
    weights = out[HIT_WEIGHTS : HIT_WEIGHTS + 3]
    out[HIT_TIME] = inf
    out[HIT_STATUS] = CONSERVATIVE
    out[HIT_TOUCHES] = 0.0
    s = begin
    idle = 0.0
    overlapped = False
    for count in range(DEFORM_ADVANCE_STEPS):
        if s > until:
            return
        place_at(first, last, span, s, flight, scratch)
        if count > 0:
            follow_triangle(state, triangle)
        x, y, z, upper, tolerance, shallow = _nearest(
            core, gap, outline, side, size, farthest, count > 0, scratch, state, space, weights
        )
        ahead = least_along(core, scratch, x, y, z) - margin
        free, tau, speed = time_apart(first, last, span, s, flight, triangle, ahead, 0.5 * tolerance, turning, x, y, z)
        if min(free, upper - margin) <= tolerance:
            if count == 0:
                out[HIT_TOUCHES] = 1.0
            toward = approach(first, last, span, s, flight, weights, scratch, margin, x, y, z)
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
                riding = riding_step(first, last, span, s, flight, scratch, ahead, x, y, z, sunk, step)
                if riding < step:
                    step = safe_step(first, last, span, s, core, flight, scratch, ahead, x, y, z, free, sunk, step)
                    step = max(step, riding)
            s += step
            continue
        idle = 0.0
        overlapped = False
        if s == until:
            return
        if s + tau < until:
            riding = riding_step(first, last, span, s, flight, scratch, ahead, x, y, z, 0.5 * tolerance, until - s)
            tau = max(tau, riding)
        if count >= _CRAWL and s + tau < until:
            longer = safe_step(
                first, last, span, s, core, flight, scratch, ahead, x, y, z, free, 0.5 * tolerance, until - s
            )
            tau = max(tau, longer)
        s = min(s + tau, until)
    _contact_into(s, flight, scratch, margin, x, y, z, upper, tolerance, shallow, out)


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
    out[HIT_TIME], out[HIT_FACE], out[HIT_TOUCHES] = inf, -1.0, 0.0
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
                out[HIT_TOUCHES] = max(out[HIT_TOUCHES], near[HIT_TOUCHES])
            if near[HIT_TIME] < best or (near[HIT_TIME] == best and out[HIT_TIME] == inf):
                touches = out[HIT_TOUCHES]
                best = near[HIT_TIME]
                for c in range(ANSWER):
                    out[c] = near[c]
                out[HIT_FACE], out[HIT_TOUCHES] = -1 - right, touches
            continue
        for child in range(2):
            at = node + 1 if child == 0 else right
            box_core_into(nodes, at, box)
            slack = max(gap, _BOX_GAP * nodes[at, NODE_RADIUS])
            _advance(first, last, span, start, best, box, flight, slack, True, True, side, scratch, state, space, near)
            if near[HIT_TIME] <= best:
                stack[size], times[size] = at, near[HIT_TIME]
                size += 1
        if size >= 2 and times[size - 1] > times[size - 2]:
            stack[size - 1], stack[size - 2] = stack[size - 2], stack[size - 1]
            times[size - 1], times[size - 2] = times[size - 2], times[size - 1]


@kernel
def core_contacts_into(first, last, span, until, core, flight, gap, any_touch, side, answers):
    """_advance for triangles first, last (n, 9) from 0 to `until` seconds; answers (n, ANSWER)."""
    scratch, state = np.zeros(SCRATCH), np.zeros(GJK_STATE)
    space = room(0)
    triangle_core_into(first[0], scratch)
    for k in range(len(first)):
        answers[k, HIT_FACE] = -1.0
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
    scratch, state = np.zeros(SCRATCH), np.zeros(GJK_STATE)
    box, corner, near = np.zeros(BOX_CORE), np.zeros(TRIANGLE_CORE), np.zeros(ANSWER)
    stack, times, space = np.empty(_DEEPEST, np.int64), np.empty(_DEEPEST), room(0)
    triangle_core_into(first[0], scratch)
    for k in range(len(first)):
        _advance_surface(
            first[k], last[k], span, 0.0, until, nodes, links, tris, flight, gap,
            scratch, state, box, corner, stack, times, near, space, any_touch, side, answers[k],
        )  # fmt: skip
