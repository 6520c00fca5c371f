"""What happens when a pair's event is due: the exact test, the log entry, and the response."""

from __future__ import annotations

import math

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.engine.narrow_call import advanced_toi, advances, exact_toi, tested_long, turns
from carom.engine.predict import disarm, goes_on, poll_after, poll_interval, put, relative_state, search_start, test_now
from carom.maths.exact import product_error, sum_error
from carom.maths.turning_orientation import turned_quaternion
from carom.narrow.toi.status import CONSERVATIVE, EXACT, NOT_YET, OVERLAPPING
from carom.shapes.kind import HALF_SPACE, POLLED, SPHERE
from carom.tables.body_columns import AX, CX, INV_INERTIA, INV_MASS, KIND, LAST_HIT, NO_ID, RADIUS, T_REF, VX, X
from carom.tables.run_columns import (
    ASK_POLL,
    ASK_RESPONSE,
    CALLABLE,
    CHANGED,
    CHANGED_I,
    CHANGED_J,
    COLLAPSE,
    CONTACTS,
    DONE,
    ELASTIC,
    HIT,
    LOG_A,
    LOG_B,
    LOG_FEATURE_A,
    LOG_FEATURE_B,
    LOG_FULL,
    LOG_NORMAL,
    LOG_POINT,
    LOG_SPEED,
    LOG_STATUS,
    LOG_TIME,
    N_LOG,
    NO_ANSWER,
    NOW,
    OUT,
    PASSED,
    PAUSE,
    PENDING,
    RESPONSE,
    RESTITUTION,
    SAME_AT,
    SAME_TIME,
    SAME_TIME_LIMIT,
    SLOT,
    STATE_CONTACT,
    STUCK,
)
from carom.tolerances import EPSILON, REBOUND_SPEED, ROLLING_SPEED, SAME_INSTANT, SPEED_NOISE, TOUCH_DEPTH, TOUCH_ULPS


@lean_kernel
def advance_row(body, i, t):
    """Move row i's epoch to t."""
    h = t - body[i, T_REF]
    for d in range(3):
        v = body[i, VX + d]
        w = v + body[i, AX + d] * h
        body[i, X + d] += 0.5 * (v + w) * h
        body[i, VX + d] = w
    body[i, T_REF] = t


@lean_kernel
def turn_row(body, quat, spin, i, t):
    """Bring the orientation of row i to time t, before its epoch follows."""
    x, y, z = spin[i, 0], spin[i, 1], spin[i, 2]
    if x != 0.0 or y != 0.0 or z != 0.0:
        a, b, c, d = turned_quaternion(quat[i, 0], quat[i, 1], quat[i, 2], quat[i, 3], x, y, z, t - body[i, T_REF])
        length = math.sqrt(a * a + b * b + c * c + d * d)
        quat[i, 0], quat[i, 1], quat[i, 2], quat[i, 3] = a / length, b / length, c / length, d / length


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
    h = t - body[i, T_REF]
    r = body[i, RADIUS]
    out[OUT] = body[i, X] + h * (body[i, VX] + 0.5 * body[i, AX] * h) + r * nx
    out[OUT + 1] = body[i, X + 1] + h * (body[i, VX + 1] + 0.5 * body[i, AX + 1] * h) + r * ny
    out[OUT + 2] = body[i, X + 2] + h * (body[i, VX + 2] + 0.5 * body[i, AX + 2] * h) + r * nz
    out[OUT + 3] = nx
    out[OUT + 4] = ny
    out[OUT + 5] = nz
    return distance


@inner_kernel
def _plane_contact(body, h, k, t, sign, out):
    """Point and normal of sphere row k touching half-space row h at t; returns the height of its centre over the plane.

    sign: +1 when the half-space has the lower id.
    """
    s = t - body[k, T_REF]
    at = t - body[h, T_REF]
    r = body[k, RADIUS]
    height = -body[h, RADIUS]
    for d in range(3):
        n = body[h, CX + d]
        centre = body[k, X + d] + s * (body[k, VX + d] + 0.5 * body[k, AX + d] * s)
        height += n * (centre - (body[h, X + d] + at * (body[h, VX + d] + 0.5 * body[h, AX + d] * at)))
        out[OUT + d] = centre - r * n
        out[OUT + 3 + d] = sign * n
    return height


@inner_kernel
def _planes_contact(body, i, t, out):
    """Point and normal of half-space row i touching another one at t: any point of its face, the one nearest its origin."""
    s = t - body[i, T_REF]
    for d in range(3):
        n = body[i, CX + d]
        out[OUT + d] = body[i, X + d] + s * (body[i, VX + d] + 0.5 * body[i, AX + d] * s) + body[i, RADIUS] * n
        out[OUT + 3 + d] = n


@inline_kernel
def _describe(bodies, pairs, run, slot, i, j, t):
    """Fill the OUT columns with point, normal, features and status of the contact of rows i, j at t."""
    body, link, out = bodies.body, bodies.link, run.param
    ki = link[i, KIND]
    kj = link[j, KIND]
    if ki == POLLED or kj == POLLED:
        return  # the answer to the poll has filled them
    if (ki == SPHERE or ki == HALF_SPACE) and (kj == SPHERE or kj == HALF_SPACE):
        out[OUT + 6] = NO_ID
        out[OUT + 7] = NO_ID
        out[OUT + 8] = EXACT
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
            out[OUT + 8] = OVERLAPPING
    elif advances(bodies, i, j):
        # The search ended here, as near as its tolerance: asked again from here on it usually answers at once. Where it
        # does not, because rounding decides whether the touch closes, the same search once more gives the same answer.
        if advanced_toi(bodies, run, i, j, t) != t or out[OUT + 8] == NOT_YET:
            begin = search_start(bodies, pairs, run, slot, i, j)
            if advanced_toi(bodies, run, i, j, begin) != t or out[OUT + 8] == NOT_YET:
                _sphere_contact(body, i, j, t, out)
    else:
        t0 = max(body[i, T_REF], body[j, T_REF])
        exact_toi(run, i, j, max(t0, pairs.since[slot]))


@inline_kernel
def _write(run, i, j, t, speed):
    """Append the contact to the log; rows stand in for ids until Python takes the log over."""
    row = run.log[run.count[N_LOG]]
    run.count[N_LOG] += 1
    run.count[CONTACTS] += 1
    row[LOG_TIME] = t
    row[LOG_A] = i
    row[LOG_B] = j
    for d in range(3):
        row[LOG_POINT + d] = run.param[OUT + d]
        row[LOG_NORMAL + d] = run.param[OUT + 3 + d]
    row[LOG_SPEED] = speed
    row[LOG_FEATURE_A] = run.param[OUT + 6]
    row[LOG_FEATURE_B] = run.param[OUT + 7]
    row[LOG_STATUS] = run.param[OUT + 8]


@inline_kernel
def _hit_just_now(body, i, j, t, run):
    """Was one of the bodies hit so short a time ago that restitution does not count (the TC model)?"""
    return t - max(body[i, LAST_HIT], body[j, LAST_HIT]) < run.param[COLLAPSE]


@inner_kernel
def _turning_pull(bodies, run, i, j, t, u):
    """How fast a contact that hardly closes accelerates into itself because bodies turn; an upper bound, 0 for other contacts.

    A point of a body that turns at w, at a distance r from its position, accelerates by w^2 r, and the normal, which may
    turn with either body, by 2 w times the speed along the surfaces.
    """
    if run.param[OUT + 8] != CONSERVATIVE or not (turns(bodies, i) or turns(bodies, j)):
        return 0.0
    body, spin = bodies.body, bodies.spin
    speed, bend, rates = 0.0, 0.0, 0.0
    for d in range(3):
        v = body[j, VX + d] + body[j, AX + d] * (t - body[j, T_REF])
        speed += (v - (body[i, VX + d] + body[i, AX + d] * (t - body[i, T_REF]))) ** 2
    speed = math.sqrt(speed)
    for row in (i, j):
        if turns(bodies, row):
            rate = math.sqrt(spin[row, 0] ** 2 + spin[row, 1] ** 2 + spin[row, 2] ** 2)
            arm, h = 0.0, t - body[row, T_REF]
            for d in range(3):
                arm += (
                    run.param[OUT + d] - (body[row, X + d] + h * (body[row, VX + d] + 0.5 * body[row, AX + d] * h))
                ) ** 2
            arm = math.sqrt(arm)
            speed, bend, rates = speed + rate * arm, bend + rate * rate * arm, rates + rate
    rolls = u <= ROLLING_SPEED * speed or (run.param[RESTITUTION] < 1.0 and _hit_just_now(body, i, j, t, run))
    return bend + 2.0 * rates * speed if rolls else 0.0


@inline_kernel
def _speed_noise(body, i, j, t):
    """Relative speed below which the velocities of two bodies do not tell whether they close."""
    noise = 0.0
    for row in (i, j):
        for d in range(3):
            noise += abs(body[row, VX + d]) + abs(body[row, AX + d] * (t - body[row, T_REF]))
    return noise * SPEED_NOISE


@inline_kernel
def _rebound(body, i, j, t, u, pull, noise, run):
    """Speed at which two bodies part that met at speed u, under a relative acceleration `pull` into the contact.

    Restitution counts only after a pause (the TC model), and never leaves less than a hop that takes finite time. A speed that
    velocities hardly resolve is what rounding left of a contact without restitution: it leaves as one that they do resolve.
    """
    speed = u if _hit_just_now(body, i, j, t, run) else run.param[RESTITUTION] * u
    if u <= noise:
        speed = max(speed, noise)
    if pull > 0.0:
        size = math.inf
        for row in (i, j):
            if body[row, INV_MASS] > 0.0:
                size = min(size, abs(body[row, RADIUS]))
        if size < math.inf:  # polled bodies have no size of which a hop could be a part
            speed = max(speed, REBOUND_SPEED * math.sqrt(2.0 * pull * size))
    return speed


@inline_kernel
def _excess_length(x, y, z):
    """x^2 + y^2 + z^2 - 1 for a vector whose length is 1 but for rounding, to full relative precision."""
    xx = x * x
    yy = y * y
    zz = z * z
    xy = xx + yy
    lost = sum_error(xx, yy) + sum_error(xy, zz) + product_error(x, x) + product_error(y, y) + product_error(z, z)
    return ((xy + zz) - 1.0) + lost


@inline_kernel
def _kick(body, row, kick, excess, run):
    """Add `kick` times the contact normal to the velocity of `row`, the normal's length corrected by `excess`.

    The correction is far below the last bit of a velocity; it decides only how the sum is rounded. Without it the length
    of the normal, which rounding leaves on one side of 1 more often than on the other, would make a gas gain energy.
    """
    for d in range(3):
        n = run.param[OUT + 3 + d]
        step = kick * n
        before = body[row, VX + d]
        after = before + step
        body[row, VX + d] = after + (sum_error(before, step) + (product_error(kick, n) - step * excess))


@inner_kernel
def _lever(body, run, row, t):
    """Lever arm x normal of the contact about the body's position: what its spin turns with."""
    h = t - body[row, T_REF]
    x = run.param[OUT] - (body[row, X] + h * (body[row, VX] + 0.5 * body[row, AX] * h))
    y = run.param[OUT + 1] - (body[row, X + 1] + h * (body[row, VX + 1] + 0.5 * body[row, AX + 1] * h))
    z = run.param[OUT + 2] - (body[row, X + 2] + h * (body[row, VX + 2] + 0.5 * body[row, AX + 2] * h))
    nx, ny, nz = run.param[OUT + 3], run.param[OUT + 4], run.param[OUT + 5]
    return y * nz - z * ny, z * nx - x * nz, x * ny - y * nx


@inline_kernel
def _spin_speed(bodies, run, row, t):
    """Speed of the contact point along the normal that the spin of `row` adds: none for a ball."""
    if not turns(bodies, row):
        return 0.0
    spin = bodies.spin
    x, y, z = _lever(bodies.body, run, row, t)
    return spin[row, 0] * x + spin[row, 1] * y + spin[row, 2] * z


@inline_kernel
def _collide(bodies, i, j, t, u, run):
    """Exchange momentum along the contact normal, without friction; returns whether a motion changed."""
    body, spin = bodies.body, bodies.spin
    weight = body[i, INV_MASS] + body[j, INV_MASS]
    for row in (i, j):
        if spin[row, INV_INERTIA] > 0.0:
            x, y, z = _lever(body, run, row, t)
            weight += spin[row, INV_INERTIA] * (x * x + y * y + z * z)
    if weight == 0.0:
        return False
    pull = 0.0
    for d in range(3):
        pull += (body[i, AX + d] - body[j, AX + d]) * run.param[OUT + 3 + d]
    pull = max(pull, 0.0) + _turning_pull(bodies, run, i, j, t, u)
    noise = _speed_noise(body, i, j, t)
    # Among contacts at one instant, such as of bodies packed without a gap, those that rounding makes would have no end.
    least = noise if body[i, LAST_HIT] == t or body[j, LAST_HIT] == t else 0.0
    if u <= least and pull <= 0.0:
        return False
    impulse = (u + _rebound(body, i, j, t, u, pull, noise, run)) / weight
    if impulse <= 0.0:  # they part already, faster than the bodies would bounce
        return False
    excess = _excess_length(run.param[OUT + 3], run.param[OUT + 4], run.param[OUT + 5])
    for row, sign in ((i, -1.0), (j, 1.0)):
        if spin[row, INV_INERTIA] > 0.0:
            x, y, z = _lever(body, run, row, t)
            turn_row(body, bodies.quat, spin, row, t)
            kick = sign * impulse * spin[row, INV_INERTIA]
            spin[row, 0] += kick * x
            spin[row, 1] += kick * y
            spin[row, 2] += kick * z
        elif body[row, INV_MASS] > 0.0:
            turn_row(body, bodies.quat, spin, row, t)
        if body[row, INV_MASS] > 0.0:
            advance_row(body, row, t)
            _kick(body, row, sign * impulse * body[row, INV_MASS], excess, run)
            body[row, LAST_HIT] = t
    return True


@inline_kernel
def touch(bodies, pairs, run, slot, i, j, t):
    """Log the contact of rows i, j at t and respond to it: CHANGED, STUCK, or PASSED where no motion changed.

    slot is NO_ID for two balls, or a ball and a plane, that have none.
    """
    count = run.count
    _describe(bodies, pairs, run, slot, i, j, t)
    body = bodies.body
    hi = t - body[i, T_REF]
    hj = t - body[j, T_REF]
    u = 0.0
    for d in range(3):
        v = (body[i, VX + d] + body[i, AX + d] * hi) - (body[j, VX + d] + body[j, AX + d] * hj)
        u += v * run.param[OUT + 3 + d]
    u += _spin_speed(bodies, run, i, t) - _spin_speed(bodies, run, j, t)
    _write(run, i, j, t, u)
    if t > run.param[SAME_AT] + SAME_INSTANT * t:
        run.param[SAME_AT] = t
        count[SAME_TIME] = 0
    count[SAME_TIME] += 1
    if count[RESPONSE] == ELASTIC and _collide(bodies, i, j, t, u, run):
        count[CHANGED_I] = i if body[i, INV_MASS] > 0.0 else NO_ID
        count[CHANGED_J] = j if body[j, INV_MASS] > 0.0 else NO_ID
        return STUCK if count[SAME_TIME] > count[SAME_TIME_LIMIT] else CHANGED
    return PASSED


@inner_kernel
def _touch_and_disarm(bodies, pairs, run, slot, i, j, t):
    """touch for a pair with a slot, which stays disarmed where nothing changed."""
    code = touch(bodies, pairs, run, slot, i, j, t)
    if code != PASSED:
        return code
    disarm(bodies, pairs, run, slot, i, j, t)
    return ASK_RESPONSE if run.count[RESPONSE] == CALLABLE else DONE


@inner_kernel
def _touch_polled(bodies, pairs, run, slot, i, j, t):
    """_touch_and_disarm for a pair that was found to touch when it was polled.

    Bodies that a response may move are polled on: they may come together again without having parted.
    """
    body = bodies.body
    movable = run.count[RESPONSE] == ELASTIC and body[i, INV_MASS] + body[j, INV_MASS] > 0.0
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
    if run.count[N_LOG] == run.log.shape[0]:
        return LOG_FULL
    t = run.param[NOW]
    if pairs.state[slot] & STATE_CONTACT:
        if goes_on(bodies, pairs, slot, i, j, t):
            disarm(bodies, pairs, run, slot, i, j, t)
            return DONE
        return _touch_and_disarm(bodies, pairs, run, slot, i, j, t)
    if bodies.link[i, KIND] == POLLED or bodies.link[j, KIND] == POLLED:
        answer = run.count[PENDING]
        run.count[PENDING] = NO_ANSWER
        if answer == NO_ANSWER:
            run.count[SLOT] = slot
            return ASK_POLL
        if answer == HIT:
            return _touch_polled(bodies, pairs, run, slot, i, j, t)
        put(bodies, pairs, slot, i, j, poll_after(bodies, i, j, t), False)
        return DONE
    test_now(bodies, pairs, run, slot, i, j)
    return PAUSE if tested_long(run) else DONE
