"""The one canonical predictor: when does a pair next need attention?

A pair's contact time is a function of the two bodies' states at their last *physical* events, never of the current time
or of who asks. So every broad phase, queue and polling rate gives the same log bit for bit.
"""

from __future__ import annotations

import math

from carom._compile.address_call import call_float
from carom._compile.clock import ticks
from carom._compile.jit import inline_kernel, inner_kernel
from carom.engine.events.narrow_call import advanced_toi, advances, exact_toi, tested_long
from carom.engine.events.order import pair_tie
from carom.engine.events.row_motion import relative_state
from carom.maths.ball import enter_ball_on_approach
from carom.maths.quadratic import enter_quadratic
from carom.narrow.toi.status import NOT_YET
from carom.queues.in_kernels import queue_set
from carom.shapes.kind import HALF_SPACE, POLLED, SPHERE
from carom.tables import run_columns as col
from carom.tables.body_columns import (
    CX,
    FLAGS,
    GIVEN_BOUNDS,
    ID,
    KIND,
    RADIUS,
    T_REF,
    TRACK,
    VX,
    X,
)
from carom.tables.run_columns import (
    STATE_CONTACT,
    STATE_LEAVING,
)
from carom.tolerances import BOUND_PAD_ULPS, EPSILON, FACING_PLANES, LAZY_TEST_LEAD, REBASE_AFTER


@inner_kernel
def is_guided(link, row):
    """Is the row steered by a user, so that its bounds are wider than its path?"""
    return link[row, FLAGS] == GIVEN_BOUNDS and link[row, KIND] != POLLED


@inner_kernel
def enter_spheres(body, run, i, j, t0, s_from, r, centred):
    """Seconds after t0 at which two spheres of summed radius r start to close into each other, from s_from on."""
    dx, dy, dz, vx, vy, vz, ax, ay, az = relative_state(body, i, j, t0)
    if not centred:
        dx += body[j, CX] - body[i, CX]
        dy += body[j, CX + 1] - body[i, CX + 1]
        dz += body[j, CX + 2] - body[i, CX + 2]
    if ax == 0.0 and ay == 0.0 and az == 0.0:
        if s_from > 0.0:
            return math.inf  # armed again after parting: on a straight line they never come back
        b = dx * vx + dy * vy + dz * vz
        c = (dx * dx + dy * dy + dz * dz) - r * r
        return enter_ball_on_approach(dx, dy, dz, vx, vy, vz, r, b, c, vx * vx + vy * vy + vz * vz)
    path = (dx, dy, dz, vx, vy, vz, 0.5 * ax, 0.5 * ay, 0.5 * az, r, s_from, 1)
    return call_float(run.count[col.BALL_ADDRESS], path)


@inner_kernel
def _plane_polynomial(body, h, j, t0):
    """Gap between half-space row h and the bounding sphere of row j as g0 + g1 s + g2 s^2, s = t - t0."""
    dx, dy, dz, vx, vy, vz, ax, ay, az = relative_state(body, h, j, t0)
    nx = body[h, CX]
    ny = body[h, CX + 1]
    nz = body[h, CX + 2]
    g0 = nx * (dx + body[j, CX]) + ny * (dy + body[j, CX + 1]) + nz * (dz + body[j, CX + 2])
    g0 -= body[h, RADIUS] + body[j, RADIUS]
    return g0, nx * vx + ny * vy + nz * vz, 0.5 * (nx * ax + ny * ay + nz * az)


@inner_kernel
def _planes_polynomial(body, i, j, t0):
    """Gap between two half-spaces as g0 + g1 s + g2 s^2; those that do not face each other exactly never have one."""
    nx = body[i, CX]
    ny = body[i, CX + 1]
    nz = body[i, CX + 2]
    if nx * body[j, CX] + ny * body[j, CX + 1] + nz * body[j, CX + 2] > -1.0 + FACING_PLANES:
        return math.inf, 0.0, 0.0
    dx, dy, dz, vx, vy, vz, ax, ay, az = relative_state(body, i, j, t0)
    g0 = nx * dx + ny * dy + nz * dz - (body[i, RADIUS] + body[j, RADIUS])
    return g0, nx * vx + ny * vy + nz * vz, 0.5 * (nx * ax + ny * ay + nz * az)


@inner_kernel
def test_lead(body, i, j, size):
    """Distance of two bounding spheres at which an exact test is due. size: the sum of their radii.

    It covers what rounding can take from their distance, which depends on the coordinates and not on the size.
    """
    reach = 0.0
    for d in range(3):
        reach += abs(body[i, X + d]) + abs(body[j, X + d])
        reach += REBASE_AFTER * (abs(body[i, VX + d]) + abs(body[j, VX + d]))
    return LAZY_TEST_LEAD * size + BOUND_PAD_ULPS * EPSILON * reach


@inner_kernel
def simple_polynomial(body, ki, kj, i, j, t0):
    """Gap polynomial of a pair with at least one half-space and otherwise bounding spheres."""
    if ki == kj:
        return _planes_polynomial(body, i, j, t0)
    return _plane_polynomial(body, i, j, t0) if ki == HALF_SPACE else _plane_polynomial(body, j, i, t0)


@inner_kernel
def bounds_touch(body, link, run, i, j, t0, t_from):
    """First time at or after t_from at which the slightly enlarged bounding spheres overlap: never after a contact."""
    return spheres_touch(body, link, run, i, j, t0, t_from, 1.0)


@inner_kernel
def spheres_touch(body, link, run, i, j, t0, t_from, share):
    """First time at or after t_from at which the bounding spheres are as near as `share` of their test_lead."""
    s_from = t_from - t0
    if link[i, KIND] == HALF_SPACE or link[j, KIND] == HALF_SPACE:
        h, k = (i, j) if link[i, KIND] == HALF_SPACE else (j, i)
        g0, g1, g2 = _plane_polynomial(body, h, k, t0)
        g0 -= share * test_lead(body, h, k, body[k, RADIUS])
        if g0 + s_from * (g1 + s_from * g2) <= 0.0:
            return t_from
        return t0 + enter_quadratic(g0, g1, g2, s_from)
    r = body[i, RADIUS] + body[j, RADIUS]
    r += share * test_lead(body, i, j, r)
    dx, dy, dz, vx, vy, vz, ax, ay, az = relative_state(body, i, j, t0)
    px = dx + body[j, CX] - body[i, CX] + s_from * (vx + 0.5 * ax * s_from)
    py = dy + body[j, CX + 1] - body[i, CX + 1] + s_from * (vy + 0.5 * ay * s_from)
    pz = dz + body[j, CX + 2] - body[i, CX + 2] + s_from * (vz + 0.5 * az * s_from)
    if px * px + py * py + pz * pz <= r * r:
        return t_from
    return t0 + enter_spheres(body, run, i, j, t0, s_from, r, False)


@inner_kernel
def poll_interval(bodies, i, j):
    """Seconds between polls of a pair: the shorter interval of the two bodies.

    inf: neither is polled. Python is asked about the pair at once, and says itself when to be asked again.
    """
    interval = math.inf
    for row in (i, j):
        if bodies.link[row, FLAGS] == GIVEN_BOUNDS:
            interval = min(interval, bodies.given[bodies.link[row, TRACK], 0])
    return interval


@inner_kernel
def poll_from(bodies, i, j, t):
    """First polling instant (a multiple of the poll interval) at or after t; t itself for a pair that is not polled."""
    interval = poll_interval(bodies, i, j)
    return math.ceil(t / interval) * interval if interval < math.inf else t


@inner_kernel
def poll_after(bodies, i, j, t):
    """The polling instant after the polling instant t."""
    interval = poll_interval(bodies, i, j)
    return (math.floor(t / interval + 0.5) + 1.0) * interval


@inline_kernel
def sphere_path(body, i, j, t):
    """Offset, velocity and acceleration at t of the bounding sphere of row j from that of i, and how near they touch."""
    dx, dy, dz, vx, vy, vz, ax, ay, az = relative_state(body, i, j, t)
    dx += body[j, CX] - body[i, CX]
    dy += body[j, CX + 1] - body[i, CX + 1]
    dz += body[j, CX + 2] - body[i, CX + 2]
    r = body[i, RADIUS] + body[j, RADIUS]
    return dx, dy, dz, vx, vy, vz, ax, ay, az, r + test_lead(body, i, j, r)


@inner_kernel
def put(bodies, pairs, slot, i, j, t, contact):
    """Set the pair's next event."""
    pairs.state[slot] &= ~STATE_LEAVING
    if contact:
        pairs.state[slot] |= STATE_CONTACT
    else:
        pairs.state[slot] &= ~STATE_CONTACT
    queue_set(pairs.keys, pairs.ties, pairs.links, slot, t, pair_tie(bodies.link[i, ID], bodies.link[j, ID], contact))


@inner_kernel
def search_start(bodies, pairs, run, slot, i, j):
    """Time from which a pair is searched next: where the last search ended, or when the bounding spheres first touch."""
    t0 = max(bodies.body[i, T_REF], bodies.body[j, T_REF])
    since = pairs.since[slot]
    return since if since >= t0 else bounds_touch(bodies.body, bodies.link, run, i, j, t0, t0)


@inner_kernel
def _test_advancing(bodies, pairs, run, slot, i, j):
    """Search for the contact of a pair stretch by stretch, and schedule it or the next search.

    The searches start when the bounding spheres first touch and follow one another without a gap, whoever asks and when:
    since[slot] remembers how far they have come.
    """
    t0 = max(bodies.body[i, T_REF], bodies.body[j, T_REF])
    t = search_start(bodies, pairs, run, slot, i, j)
    contact = True
    while t < math.inf:
        t = advanced_toi(bodies, run, i, j, t)
        contact = t == math.inf or run.param[col.OUT + 8] != NOT_YET
        if contact:
            break
        t = bounds_touch(bodies.body, bodies.link, run, i, j, t0, t)
        contact = t == math.inf
        pairs.since[slot] = t
        # Where the search is behind the clock, as that of a pair which begins late, it goes on at once, but pauses too.
        if t > run.param[col.NOW] or tested_long(run):
            break
    put(bodies, pairs, slot, i, j, t, contact)


@inner_kernel
def test_now(bodies, pairs, run, slot, i, j):
    """Run the exact test of a pair and schedule its contact."""
    begin = ticks() if run.count[col.PROFILE] else 0
    if advances(bodies, i, j):
        _test_advancing(bodies, pairs, run, slot, i, j)
    else:
        t0 = max(bodies.body[i, T_REF], bodies.body[j, T_REF])
        t = exact_toi(run, i, j, max(t0, pairs.since[slot]))
        put(bodies, pairs, slot, i, j, t, True)
    if run.count[col.PROFILE]:
        run.param[col.TICKS_NARROW] += ticks() - begin


@inner_kernel
def predict(bodies, pairs, run, slot, i, j):
    """Schedule the next event of a pair from its motions; row i has the lower id.

    Spheres against spheres and half-spaces are solved here; other shapes wait until their bounding spheres touch (lazy)
    and are tested exactly then, or at once (eager). The contact time is the same either way.
    """
    body, link = bodies.body, bodies.link
    run.count[col.PAIR_TESTS] += 1
    t0 = max(body[i, T_REF], body[j, T_REF])
    t_from = max(t0, pairs.since[slot])
    ki = link[i, KIND]
    kj = link[j, KIND]
    if t_from == math.inf:
        put(bodies, pairs, slot, i, j, math.inf, True)
    elif ki == SPHERE and kj == SPHERE:
        s = enter_spheres(body, run, i, j, t0, t_from - t0, body[i, RADIUS] + body[j, RADIUS], True)
        put(bodies, pairs, slot, i, j, t0 + s, True)
    elif ki == POLLED or kj == POLLED:
        put(bodies, pairs, slot, i, j, poll_from(bodies, i, j, max(t_from, run.param[col.NOW])), False)
    elif (ki == SPHERE or ki == HALF_SPACE) and (kj == SPHERE or kj == HALF_SPACE):
        g0, g1, g2 = simple_polynomial(body, ki, kj, i, j, t0)
        t = math.inf if g0 == math.inf else t0 + enter_quadratic(g0, g1, g2, t_from - t0)
        put(bodies, pairs, slot, i, j, t, True)
    elif run.count[col.LAZY]:
        put(bodies, pairs, slot, i, j, bounds_touch(body, link, run, i, j, t0, t_from), False)
    else:
        test_now(bodies, pairs, run, slot, i, j)
