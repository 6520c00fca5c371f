"""The elastic response: how two bodies part that touch, without friction (response=carom.Elastic)."""

from __future__ import annotations

import math

from carom._compile.jit import inline_kernel, inner_kernel
from carom.engine.events.narrow_call import turns
from carom.engine.events.row_motion import advance_row, place_at, speed_at, turn_row
from carom.maths.exact import product_error, sum_error
from carom.maths.vector import cross
from carom.narrow.toi.status import CONSERVATIVE
from carom.tables.body_columns import AX, INV_INERTIA, INV_MASS, LAST_HIT, RADIUS, T_REF, VX
from carom.tables.run_columns import (
    COLLAPSE,
    OUT,
    RESTITUTION,
)
from carom.tolerances import REBOUND_SPEED, ROLLING_SPEED, SPEED_NOISE


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
        speed += (speed_at(body, j, d, t) - speed_at(body, i, d, t)) ** 2
    speed = math.sqrt(speed)
    for row in (i, j):
        if turns(bodies, row):
            rate = math.sqrt(spin[row, 0] ** 2 + spin[row, 1] ** 2 + spin[row, 2] ** 2)
            arm = 0.0
            for d in range(3):
                arm += (run.param[OUT + d] - place_at(body, row, d, t)) ** 2
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
    x = run.param[OUT] - place_at(body, row, 0, t)
    y = run.param[OUT + 1] - place_at(body, row, 1, t)
    z = run.param[OUT + 2] - place_at(body, row, 2, t)
    nx, ny, nz = run.param[OUT + 3], run.param[OUT + 4], run.param[OUT + 5]
    return cross(x, y, z, nx, ny, nz)


@inline_kernel
def spin_speed(bodies, run, row, t):
    """Speed of the contact point along the normal that the spin of `row` adds: none for a ball."""
    if not turns(bodies, row):
        return 0.0
    spin = bodies.spin
    x, y, z = _lever(bodies.body, run, row, t)
    return spin[row, 0] * x + spin[row, 1] * y + spin[row, 2] * z


@inline_kernel
def collide(bodies, i, j, t, u, run):
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
