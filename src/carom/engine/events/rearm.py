"""The rule of re-arming: when may a pair whose contact was reported be reported again?

A new motion arms a pair (`arm`), except at a key from which its motions only go on (`stays_told`, `goes_on`). A contact that
changed no motion disarms it until its bounding spheres have parted (`disarm`, `parting_time`). The rule depends on the motions
alone, not on the broad phase: `carom.engine.events.pairs.end_slot` remembers the pairs that may come back (`may_come_back`).
The others are forgotten as soon as their bounds part. Bounds of another broad phase, or the same ones later, may overlap then
all the same; `predict_new` knows that contacts of bodies that have parted for good are no events.
"""

from __future__ import annotations

import math

from carom._compile.address_call import call_float
from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.events.predict import is_guided, predict, put, simple_polynomial, sphere_path, test_lead
from carom.engine.events.row_motion import same_acceleration
from carom.maths.quadratic import enter_quadratic
from carom.shapes.kind import HALF_SPACE, POLLED
from carom.tables.body_columns import FLAGS, INV_MASS, KEYED, KIND, RADIUS, T_REF
from carom.tables.run_columns import (
    AT_KEY,
    BALL_ADDRESS,
    ELASTIC,
    EVEN_KEY,
    NO_KEY,
    NOW,
    PASS_THROUGH,
    RESPONSE,
    STATE_OVERLAP,
    STATE_REPORTED,
    STATE_TOLD,
)
from carom.tolerances import KEY_SLACK, PARTING_NOISE


@inner_kernel
def stays_told(bodies, pairs, run, slot, i, j):
    """Was the contact of a pair reported, and do its motions go on from a key such that it need not be reported again there?

    It must be where bodies begin to close at the key and a response may act on them.
    """
    if not pairs.state[slot] & STATE_REPORTED or run.count[AT_KEY] == NO_KEY:
        return False
    if run.count[AT_KEY] == EVEN_KEY or run.count[RESPONSE] == PASS_THROUGH:
        return True
    return run.count[RESPONSE] == ELASTIC and bodies.body[i, INV_MASS] == 0.0 and bodies.body[j, INV_MASS] == 0.0


@inner_kernel
def arm(bodies, pairs, run, slot, i, j):
    """The motions of the pair are new: forget what was reported and predict afresh."""
    told = STATE_TOLD if stays_told(bodies, pairs, run, slot, i, j) else 0
    pairs.since[slot] = -math.inf
    pairs.state[slot] = (pairs.state[slot] & STATE_OVERLAP) | told
    predict(bodies, pairs, run, slot, i, j)


@inner_kernel
def goes_on(bodies, pairs, slot, i, j, t):
    """Is the contact of a pair at t the same touch that was reported before the key at which its motions began?"""
    if not pairs.state[slot] & STATE_TOLD:
        return False
    body, link = bodies.body, bodies.link
    t0 = max(body[i, T_REF], body[j, T_REF])
    slack = 0.0
    for row in (i, j):
        if link[row, FLAGS] == KEYED and bodies.timer_keys[row] < math.inf:
            slack = max(slack, KEY_SLACK * (bodies.timer_keys[row] - body[row, T_REF]))
    return t <= t0 + slack


@inner_kernel
def parting_time(body, link, run, i, j, t):
    """First time at or after t at which the bounding spheres of rows i, j have parted; inf when they never do.

    By their test_lead: what only touches has not parted, or a touch of spheres that part would be one again at once.
    """
    t0 = max(body[i, T_REF], body[j, T_REF])
    if link[i, KIND] == HALF_SPACE or link[j, KIND] == HALF_SPACE:
        g0, g1, g2 = simple_polynomial(body, link[i, KIND], link[j, KIND], i, j, t0)
        size = 0.0
        for row in (i, j):
            size = body[row, RADIUS] if link[row, KIND] != HALF_SPACE else size
        g0 -= test_lead(body, i, j, size)
        return t0 + enter_quadratic(-g0, -g1, -g2, t - t0)
    dx, dy, dz, vx, vy, vz, ax, ay, az, r = sphere_path(body, i, j, t0)
    path = (dx, dy, dz, vx, vy, vz, 0.5 * ax, 0.5 * ay, 0.5 * az, r, t - t0, 0)
    return t0 + call_float(run.count[BALL_ADDRESS], path)


@inner_kernel
def disarm(bodies, pairs, run, slot, i, j, t):
    """A contact at t was reported and no motion changed: the pair may touch again only after its spheres have parted.

    On a straight relative path bodies that have parted never come back.
    """
    pairs.state[slot] = (pairs.state[slot] & ~STATE_TOLD) | STATE_REPORTED
    if same_acceleration(bodies.body, i, j):
        pairs.since[slot] = math.inf
    else:
        pairs.since[slot] = parting_time(bodies.body, bodies.link, run, i, j, t)
    predict(bodies, pairs, run, slot, i, j)


@inner_kernel
def may_come_back(bodies, a, b):
    """May rows a and b, whose bounds cease to overlap, touch again under the same motions?

    Bounds of guided bodies are wider than their paths, and may part and meet again while they follow the same path.
    """
    return is_guided(bodies.link, a) or is_guided(bodies.link, b) or not same_acceleration(bodies.body, a, b)


@inner_kernel
def _boxes_part(bodies, a, b, now):
    """Are the boxes of rows a and b apart on an axis at `now`, and moving further apart there?"""
    for d in range(bodies.axes.shape[0]):
        for low, high in ((a, b), (b, a)):
            c0, c1, c2, epoch = bound_end(bodies, low, d, 1)
            s = now - epoch
            top = c0 + s * (c1 + s * c2)
            speed = c1 + 2.0 * s * c2
            c0, c1, c2, epoch = bound_end(bodies, high, d, 0)
            s = now - epoch
            noise = PARTING_NOISE * (abs(speed) + abs(c1 + 2.0 * s * c2))
            if c0 + s * (c1 + s * c2) > top and (c1 + 2.0 * s * c2) - speed > noise:
                return True
    return False


@inner_kernel
def _spheres_part(bodies, a, b, now):
    """Are the bounding spheres of rows a and b apart at `now`, by more than rounding, and moving further apart?"""
    body, link = bodies.body, bodies.link
    if link[a, KIND] == HALF_SPACE or link[b, KIND] == HALF_SPACE:
        return False
    dx, dy, dz, vx, vy, vz, _, _, _, r = sphere_path(body, a, b, now)
    return dx * vx + dy * vy + dz * vz > 0.0 and dx * dx + dy * dy + dz * dz > r * r


@inner_kernel
def _part_for_good(bodies, a, b, now):
    """Are rows a and b apart at `now`, and surely so until a motion changes?

    On straight relative paths convex bounds that part never meet again. Bounds of guided bodies follow no such path, but their
    spheres do.
    """
    if bodies.link[a, KIND] == POLLED or bodies.link[b, KIND] == POLLED:
        return False
    if not same_acceleration(bodies.body, a, b):
        return False
    if _spheres_part(bodies, a, b, now):
        return True
    return not (is_guided(bodies.link, a) or is_guided(bodies.link, b)) and _boxes_part(bodies, a, b, now)


@lean_kernel
def _forget_past(bodies, pairs, run, slot, i, j):
    """Take the event of a pair, which is past, where the pair parts for good. Apart from what begins pairs, as it is rare."""
    if _part_for_good(bodies, i, j, run.param[NOW]):
        pairs.since[slot] = math.inf
        put(bodies, pairs, slot, i, j, math.inf, True)


@inline_kernel
def predict_new(bodies, pairs, run, slot, i, j):
    """Arm a pair that nobody remembers, and schedule its next event; row i has the lower id.

    An event in the past of bodies that part for good is none. Most pairs have theirs still to come: only the others are looked
    at more closely.
    """
    pairs.state[slot] = STATE_OVERLAP
    pairs.since[slot] = -math.inf
    predict(bodies, pairs, run, slot, i, j)
    if pairs.keys[slot] <= run.param[NOW]:
        _forget_past(bodies, pairs, run, slot, i, j)
