"""What happens when a pair's event is due: the exact test, the log entry, and the response."""

from __future__ import annotations

import math

from carom._compile.jit import inline_kernel, inner_kernel
from carom.engine.events.elastic import collide, spin_speed
from carom.engine.events.narrow_call import advanced_toi, advances, exact_toi, tested_long
from carom.engine.events.predict import poll_after, poll_interval, put, search_start, test_now
from carom.engine.events.rearm import disarm, goes_on
from carom.engine.events.row_motion import place_at, relative_state, speed_at
from carom.narrow.toi.status import EXACT, NOT_YET, OVERLAPPING
from carom.shapes.kind import HALF_SPACE, POLLED, SPHERE
from carom.tables import run_columns as col
from carom.tables.body_columns import CX, INV_MASS, KIND, NO_ID, RADIUS, T_REF, VX, X
from carom.tables.run_columns import (
    ASK_POLL,
    ASK_RESPONSE,
    CALLABLE,
    CHANGED,
    DONE,
    ELASTIC,
    HIT,
    LOG_FULL,
    NO_ANSWER,
    PASSED,
    PAUSE,
    STATE_CONTACT,
    STUCK,
)
from carom.tolerances import EPSILON, SAME_INSTANT, TOUCH_DEPTH, TOUCH_ULPS


@inner_kernel
def touch_depth(body, link, i, j, t):
    """Depth up to which an overlap of two balls, or a ball and a plane, is a touch that rounding deepened."""
    reach, size = 0.0, math.inf
    for row in (i, j):
        size = min(size, body[row, RADIUS]) if link[row, KIND] != HALF_SPACE else size
        for d in range(3):
            reach += abs(body[row, X + d]) + (abs(t) + abs(t - body[row, T_REF])) * abs(body[row, VX + d])
    return (TOUCH_DEPTH * size if size < math.inf else 0.0) + TOUCH_ULPS * EPSILON * reach


@inline_kernel
def _sphere_contact(body, i, j, t, out):
    """Point and normal (from i to j) of two spheres that touch at t; returns the distance of their centres."""
    dx, dy, dz, _, _, _, _, _, _ = relative_state(body, i, j, t)
    distance = math.sqrt(dx * dx + dy * dy + dz * dz)
    if distance > 0.0:
        nx, ny, nz = dx / distance, dy / distance, dz / distance
    else:  # concentric: any direction serves, along the approach is the natural one
        nx, ny, nz = 1.0, 0.0, 0.0
    r = body[i, RADIUS]
    out[col.OUT] = place_at(body, i, 0, t) + r * nx
    out[col.OUT + 1] = place_at(body, i, 1, t) + r * ny
    out[col.OUT + 2] = place_at(body, i, 2, t) + r * nz
    out[col.OUT + 3] = nx
    out[col.OUT + 4] = ny
    out[col.OUT + 5] = nz
    return distance


@inner_kernel
def _plane_contact(body, h, k, t, sign, out):
    """Point and normal of sphere row k touching half-space row h at t; returns the height of its centre over the plane.

    sign: +1 when the half-space has the lower id.
    """
    r = body[k, RADIUS]
    height = -body[h, RADIUS]
    for d in range(3):
        n = body[h, CX + d]
        centre = place_at(body, k, d, t)
        height += n * (centre - place_at(body, h, d, t))
        out[col.OUT + d] = centre - r * n
        out[col.OUT + 3 + d] = sign * n
    return height


@inner_kernel
def _planes_contact(body, i, t, out):
    """Point and normal of half-space row i touching another one at t: any point of its face, the one nearest its origin."""
    for d in range(3):
        n = body[i, CX + d]
        out[col.OUT + d] = place_at(body, i, d, t) + body[i, RADIUS] * n
        out[col.OUT + 3 + d] = n


@inline_kernel
def _describe(bodies, pairs, run, slot, i, j, t):
    """Fill the OUT columns with point, normal, features and status of the contact of rows i, j at t."""
    body, link, out = bodies.body, bodies.link, run.param
    ki = link[i, KIND]
    kj = link[j, KIND]
    if ki == POLLED or kj == POLLED:
        return  # the answer to the poll has filled them
    if (ki == SPHERE or ki == HALF_SPACE) and (kj == SPHERE or kj == HALF_SPACE):
        out[col.OUT + 6] = NO_ID
        out[col.OUT + 7] = NO_ID
        out[col.OUT + 8] = EXACT
        if ki == kj == HALF_SPACE:
            _planes_contact(body, i, t, out)
            return
        if ki == kj:
            touching, size = body[i, RADIUS] + body[j, RADIUS], min(body[i, RADIUS], body[j, RADIUS])
            apart = _sphere_contact(body, i, j, t, out)
        elif ki == HALF_SPACE:
            touching = size = body[j, RADIUS]
            apart = _plane_contact(body, i, j, t, 1.0, out)
        else:
            touching = size = body[i, RADIUS]
            apart = _plane_contact(body, j, i, t, -1.0, out)
        # Most contacts are no deeper than the first part of the depth of a touch.
        if apart < touching - TOUCH_DEPTH * size and apart < touching - touch_depth(body, link, i, j, t):
            out[col.OUT + 8] = OVERLAPPING
    elif advances(bodies, i, j):
        # The search ended here, as near as its tolerance: asked again from here on it usually answers at once. Where it
        # does not, because rounding decides whether the touch closes, the same search once more gives the same answer.
        if advanced_toi(bodies, run, i, j, t) != t or out[col.OUT + 8] == NOT_YET:
            begin = search_start(bodies, pairs, run, slot, i, j)
            if advanced_toi(bodies, run, i, j, begin) != t or out[col.OUT + 8] == NOT_YET:
                _sphere_contact(body, i, j, t, out)
    else:
        t0 = max(body[i, T_REF], body[j, T_REF])
        exact_toi(run, i, j, max(t0, pairs.since[slot]))


@inline_kernel
def _write(run, i, j, t, speed):
    """Append the contact to the log; rows stand in for ids until Python takes the log over."""
    row = run.log[run.count[col.N_LOG]]
    run.count[col.N_LOG] += 1
    run.count[col.CONTACTS] += 1
    row[col.LOG_TIME] = t
    row[col.LOG_A] = i
    row[col.LOG_B] = j
    for d in range(3):
        row[col.LOG_POINT + d] = run.param[col.OUT + d]
        row[col.LOG_NORMAL + d] = run.param[col.OUT + 3 + d]
    row[col.LOG_SPEED] = speed
    row[col.LOG_FEATURE_A] = run.param[col.OUT + 6]
    row[col.LOG_FEATURE_B] = run.param[col.OUT + 7]
    row[col.LOG_STATUS] = run.param[col.OUT + 8]


@inline_kernel
def touch(bodies, pairs, run, slot, i, j, t):
    """Log the contact of rows i, j at t and respond to it: CHANGED, STUCK, or PASSED where no motion changed.

    slot is NO_ID for two balls, or a ball and a plane, that have none.
    """
    count = run.count
    _describe(bodies, pairs, run, slot, i, j, t)
    body = bodies.body
    u = 0.0
    for d in range(3):
        v = speed_at(body, i, d, t) - speed_at(body, j, d, t)
        u += v * run.param[col.OUT + 3 + d]
    u += spin_speed(bodies, run, i, t) - spin_speed(bodies, run, j, t)
    _write(run, i, j, t, u)
    if t > run.param[col.SAME_AT] + SAME_INSTANT * t:
        run.param[col.SAME_AT] = t
        count[col.SAME_TIME] = 0
    count[col.SAME_TIME] += 1
    if count[col.RESPONSE] == ELASTIC and collide(bodies, i, j, t, u, run):
        count[col.CHANGED_I] = i if body[i, INV_MASS] > 0.0 else NO_ID
        count[col.CHANGED_J] = j if body[j, INV_MASS] > 0.0 else NO_ID
        return STUCK if count[col.SAME_TIME] > count[col.SAME_TIME_LIMIT] else CHANGED
    return PASSED


@inner_kernel
def _touch_and_disarm(bodies, pairs, run, slot, i, j, t):
    """touch for a pair with a slot, which stays disarmed where nothing changed."""
    code = touch(bodies, pairs, run, slot, i, j, t)
    if code != PASSED:
        return code
    disarm(bodies, pairs, run, slot, i, j, t)
    return ASK_RESPONSE if run.count[col.RESPONSE] == CALLABLE else DONE


@inner_kernel
def _touch_polled(bodies, pairs, run, slot, i, j, t):
    """_touch_and_disarm for a pair that was found to touch when it was polled.

    Bodies that a response may move are polled on: they may come together again without having parted.
    """
    body = bodies.body
    movable = run.count[col.RESPONSE] == ELASTIC and body[i, INV_MASS] + body[j, INV_MASS] > 0.0
    if not movable or poll_interval(bodies, i, j) == math.inf:
        return _touch_and_disarm(bodies, pairs, run, slot, i, j, t)
    code = touch(bodies, pairs, run, slot, i, j, t)
    if code != PASSED:
        return code
    put(bodies, pairs, slot, i, j, poll_after(bodies, i, j, t), False)
    return DONE


@inner_kernel
def due(bodies, pairs, run, slot, i, j):
    """Process the pair event that is due in `slot` at run.param[NOW]; row i has the lower id.

    Returns DONE, CHANGED (motions of CHANGED_I, CHANGED_J are new), or a reason to return to Python.
    """
    if run.count[col.N_LOG] == run.log.shape[0]:
        return LOG_FULL
    t = run.param[col.NOW]
    if pairs.state[slot] & STATE_CONTACT:
        if goes_on(bodies, pairs, slot, i, j, t):
            disarm(bodies, pairs, run, slot, i, j, t)
            return DONE
        return _touch_and_disarm(bodies, pairs, run, slot, i, j, t)
    if bodies.link[i, KIND] == POLLED or bodies.link[j, KIND] == POLLED:
        answer = run.count[col.PENDING]
        run.count[col.PENDING] = NO_ANSWER
        if answer == NO_ANSWER:
            run.count[col.SLOT] = slot
            return ASK_POLL
        if answer == HIT:
            return _touch_polled(bodies, pairs, run, slot, i, j, t)
        put(bodies, pairs, slot, i, j, poll_after(bodies, i, j, t), False)
        return DONE
    test_now(bodies, pairs, run, slot, i, j)
    return PAUSE if tested_long(run) else DONE
