"""What lies behind a pair: contacts of bodies that have parted for good are no events, whoever begins the pair, and when.

Pools forget a pair whose contact was reported as soon as its bounds part under motions that never bring it back. Bounds of
another broad phase, or the same ones later, may overlap then all the same, and the contact would be found once more.
"""

from __future__ import annotations

import math

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.events.predict import is_guided, predict, put, sphere_path
from carom.engine.events.row_motion import same_acceleration
from carom.shapes.kind import HALF_SPACE, POLLED
from carom.tables.body_columns import KIND
from carom.tables.run_columns import NOW, STATE_OVERLAP
from carom.tolerances import PARTING_NOISE


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
