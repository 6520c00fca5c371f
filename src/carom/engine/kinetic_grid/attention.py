"""When a pair in a kinetic grid needs attention, for all but balls that move straight and planes at rest.

Called by address, so that a gas compiles without it.
"""

from __future__ import annotations

import functools
from math import inf
from typing import Any

from numba import carray

from carom._compile.address_call import as_int64
from carom._compile.jit import c_callback, compiling, inline_kernel, inner_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.addresses import TABLE_COLUMNS, bodies_at, run_at
from carom.engine.events.predict import bounds_touch, enter_spheres, poll_interval, simple_polynomial
from carom.engine.events.row_motion import relative_state, same_acceleration
from carom.engine.kinetic_grid.cells import grid_at
from carom.engine.kinetic_grid.images import image_into
from carom.maths.quadratic import enter_quadratic
from carom.shapes.kind import HALF_SPACE, POLLED, SPHERE
from carom.tables.body_columns import FLAGS, GIVEN_BOUNDS, ID, KIND, RADIUS, T_REF, VX, X
from carom.tables.run_columns import LAZY, NOW, PERIODIC, SHIFT
from carom.tolerances import BOUND_PAD_ULPS, EPSILON, REBASE_AFTER


@inline_kernel
def meets_at_contact(link, i, j):
    """Does the plan of a pair name its contact, rather than the time of an exact test?"""
    return (link[i, KIND] == SPHERE or link[i, KIND] == HALF_SPACE) and (
        link[j, KIND] == SPHERE or link[j, KIND] == HALF_SPACE
    )


@inline_kernel
def _narrowed(first, last, gap, rate, now):
    """The part of [first, last] in which a gap that is `gap` now and changes at `rate` is negative; (inf, -inf) for none."""
    if rate < 0.0:
        return max(first, now - gap / rate), last
    if gap > 0.0:
        return inf, -inf
    return first, min(last, now - gap / rate) if rate > 0.0 else last


@inner_kernel
def _given_boxes_overlap(bodies, i, j, now):
    """_boxes_overlap_during where a bound does not move as its body does."""
    first, last = now, inf
    for d in range(3):
        for side in range(2):
            a0, a1, a2, a = bound_end(bodies, i, d, 1 - side)
            b0, b1, b2, b = bound_end(bodies, j, d, side)
            if abs(a0) == inf or abs(b0) == inf:
                continue
            # The gap between facing ends, which is linear; they overlap where it is negative.
            gap = (b0 + (now - b) * (b1 + (now - b) * b2)) - (a0 + (now - a) * (a1 + (now - a) * a2))
            rate = (b1 + 2.0 * (now - b) * b2) - (a1 + 2.0 * (now - a) * a2)
            if side == 1:
                gap, rate = -gap, -rate
            first, last = _narrowed(first, last, gap, rate, now)
    return (first, last) if first <= last else (inf, -inf)


@inline_kernel
def _boxes_overlap_during(bodies, i, j, now, latest):
    """From when until when, from now on, the boxes of two bodies with one acceleration overlap; (inf, -inf) for never.

    What begins after `latest` may be called never.
    """
    body, axes, extent = bodies.body, bodies.axes, bodies.extent
    if bodies.link[i, FLAGS] == GIVEN_BOUNDS or bodies.link[j, FLAGS] == GIVEN_BOUNDS:
        return _given_boxes_overlap(bodies, i, j, now)
    dx, dy, dz, vx, vy, vz, _, _, _ = relative_state(body, i, j, now)
    size = 0.0
    for d in range(3):
        size += abs(body[i, X + d]) + abs(body[j, X + d]) + REBASE_AFTER * (abs(body[i, VX + d]) + abs(body[j, VX + d]))
    pad = BOUND_PAD_ULPS * EPSILON * size  # as for the ends of bounds, all axes at once
    first, last = now, inf
    for d in range(3):
        step = axes[d, 0] * dx + axes[d, 1] * dy + axes[d, 2] * dz
        rate = axes[d, 0] * vx + axes[d, 1] * vy + axes[d, 2] * vz
        ahead = (step + extent[j, 2 * d]) - extent[i, 2 * d + 1] - pad
        behind = (extent[i, 2 * d] - step) - extent[j, 2 * d + 1] - pad
        if ahead > -inf:
            first, last = _narrowed(first, last, ahead, rate, now)
        if behind > -inf:
            first, last = _narrowed(first, last, behind, -rate, now)
        if first > min(last, latest):
            return inf, -inf
    return first, last


@inner_kernel
def _receding(bodies, i, j, now):
    """Do two balls with one acceleration move apart at `now`? Then they never meet again."""
    if not same_acceleration(bodies.body, i, j):
        return False
    dx, dy, dz, vx, vy, vz, _, _, _ = relative_state(bodies.body, i, j, now)
    return dx * vx + dy * vy + dz * vz >= 0.0


@inline_kernel
def _attention(bodies, run, i, j, now, latest):
    """When rows i and j need attention: the time of their contact or, where that takes an exact test, of that test.

    Of times after `latest` nobody wants to know: they may be inf.
    """
    body, link = bodies.body, bodies.link
    if link[i, ID] > link[j, ID]:
        i, j = j, i
    ki, kj = link[i, KIND], link[j, KIND]
    if meets_at_contact(link, i, j):
        t0 = max(body[i, T_REF], body[j, T_REF])
        if ki == kj == SPHERE:
            t = t0 + enter_spheres(body, run, i, j, t0, 0.0, body[i, RADIUS] + body[j, RADIUS], True)
            # A contact in the past that the pool has forgotten was reported, and the bodies went through each other.
            return inf if t < now and _receding(bodies, i, j, now) else t
        g0, g1, g2 = simple_polynomial(body, ki, kj, i, j, t0)
        return inf if g0 == inf else t0 + enter_quadratic(g0, g1, g2, 0.0)
    if ki == POLLED or kj == POLLED:
        if poll_interval(bodies, i, j) == inf and same_acceleration(body, i, j):
            return _boxes_overlap_during(bodies, i, j, now, latest)[0]
        return now
    first, last = now, inf
    if same_acceleration(body, i, j):
        first, last = _boxes_overlap_during(bodies, i, j, now, latest if run.count[LAZY] else inf)
        if first == inf:
            return inf
    t = bounds_touch(body, link, run, i, j, now, now)
    t = max(t, first) if t <= last else inf
    return now if t < inf and not run.count[LAZY] else t


@inner_kernel
def _shifted_attention(bodies, run, grid, i, j, now, latest, shift):
    """_attention for the images of rows i and j that are neighbours."""
    body = bodies.body
    image_into(bodies, grid, i, j, shift)
    moved = j if bodies.link[i, ID] < bodies.link[j, ID] else i
    x, y, z = body[moved, X], body[moved, X + 1], body[moved, X + 2]
    body[moved, X], body[moved, X + 1], body[moved, X + 2] = x + shift[0], y + shift[1], z + shift[2]
    t = _attention(bodies, run, i, j, now, latest)
    body[moved, X], body[moved, X + 1], body[moved, X + 2] = x, y, z
    return t


@functools.cache
def _attention_callback() -> Any:
    with compiling("the kinetic grid for all shapes"):

        @c_callback("float64(int64, int64, int64, int64, float64)")
        def attention(table, n_rows, i, j, latest):
            arrays = carray(as_int64(table), (n_rows, TABLE_COLUMNS))
            bodies, run = bodies_at(arrays), run_at(arrays)
            if run.count[PERIODIC]:
                grid = grid_at(arrays)
                shift = run.param[SHIFT : SHIFT + 3]
                return _shifted_attention(bodies, run, grid, i, j, run.param[NOW], latest, shift)
            return _attention(bodies, run, i, j, run.param[NOW], latest)

    return attention


def attention_address() -> int:
    """Address of a C function (table, its rows, row i, row j, latest time of interest) -> time. Compiles on first use."""
    return int(_attention_callback().address)
