"""Searches that start with one rotating shape inside a solid, or with intersecting surfaces.

The rules are those of carom.narrow.toi.interior.inside: two solids decide by the side of least depth, anything with a mesh by
the line of centres. Approaching is a contact at once, parting is none.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from carom._compile.jit import inner_kernel, kernel
from carom.maths.vector import length, rotated, rotated_back
from carom.narrow.convex.gjk import GJK_LOWER, GJK_OVERLAP, GJK_STATE, gjk
from carom.narrow.toi.advancement import scratch as sc
from carom.narrow.toi.advancement.scratch import pose_at
from carom.narrow.toi.interior.solids import highest, nearest_side
from carom.narrow.toi.interior.stay import convex_core
from carom.narrow.toi.shape_table import H_CENTRE, H_HULL, H_N_HULL, H_N_PLANES, H_PLANES, HEADER, HULL_ROW, PLANE_ROW
from carom.narrow.toi.status import NOT_YET, OVERLAPPING
from carom.narrow.toi.workspace import FEATURE_A, FEATURE_B, NORMAL, POINT, STATUS, TOUCH
from carom.shapes.parts.core_layout import MARGIN
from carom.tables.body_columns import NO_ID
from carom.tolerances import ADVANCE_STEPS


@inner_kernel
def spun(space, s, x, y, z):
    """Velocity that the spin at `s` (SPIN_A, SPIN_B) gives a point at (x, y, z) from the body's origin."""
    return (
        space[s + 1] * z - space[s + 2] * y,
        space[s + 2] * x - space[s] * z,
        space[s] * y - space[s + 1] * x,
    )


@inner_kernel
def overlap_step(space, depth, turning):
    """Seconds too short for bodies that overlap by `depth` to part and meet again; -1.0 for bodies at rest.

    `turning`: what spin adds to the speed of any point, at most.
    """
    speed = length(space[sc.NOW_V], space[sc.NOW_V + 1], space[sc.NOW_V + 2]) + turning
    pull = length(space[sc.ACC], space[sc.ACC + 1], space[sc.ACC + 2])
    if speed == 0.0 and pull == 0.0:
        return -1.0
    deep = max(depth, space[sc.GAP])
    return 2.0 * deep / (speed + sqrt(speed * speed + 2.0 * pull * deep))


@inner_kernel
def turning_inside(floats, ints, shape_a, shape_b, space):
    """Is the first hull vertex of either shape deeper inside the other, a solid, than a touch?"""
    for which in range(2):
        solid, other = (shape_b, shape_a) if which else (shape_a, shape_b)
        if ints[HEADER * solid + H_N_PLANES] == 0:
            continue
        p = ints[HEADER * other + H_HULL]
        own, opposite = (sc.NOW_B, sc.NOW_A) if which else (sc.NOW_A, sc.NOW_B)
        x, y, z = rotated(space, opposite, floats[p], floats[p + 1], floats[p + 2])
        sign = -1.0 if which else 1.0
        x, y, z = x + sign * space[sc.NOW_D], y + sign * space[sc.NOW_D + 1], z + sign * space[sc.NOW_D + 2]
        x, y, z = rotated_back(space, own, x, y, z)
        height, _ = nearest_side(floats, ints, solid, x, y, z, -space[TOUCH])
        if height < -space[TOUCH]:
            return True
    return False


@inner_kernel
def turning_centres_close(floats, ints, shape_a, shape_b, space):
    """Do the centres of two shapes approach each other now? Fills NORMAL, POINT and STATUS if so."""
    p, q = ints[HEADER * shape_a + H_CENTRE], ints[HEADER * shape_b + H_CENTRE]
    ax, ay, az = rotated(space, sc.NOW_A, floats[p], floats[p + 1], floats[p + 2])
    bx, by, bz = rotated(space, sc.NOW_B, floats[q], floats[q + 1], floats[q + 2])
    ux, uy, uz = spun(space, sc.SPIN_A, ax, ay, az)
    vx, vy, vz = spun(space, sc.SPIN_B, bx, by, bz)
    bx, by, bz = bx + space[sc.NOW_D], by + space[sc.NOW_D + 1], bz + space[sc.NOW_D + 2]
    x, y, z = bx - ax, by - ay, bz - az
    vx, vy, vz = vx - ux + space[sc.NOW_V], vy - uy + space[sc.NOW_V + 1], vz - uz + space[sc.NOW_V + 2]
    far = length(x, y, z)
    closing = -(x * vx + y * vy + z * vz)
    pull = -(x * space[sc.ACC] + y * space[sc.ACC + 1] + z * space[sc.ACC + 2])
    noise = space[sc.NOISE] * far
    if far == 0.0 or closing < -noise or (closing <= noise and pull <= 0.0):
        return False
    space[NORMAL], space[NORMAL + 1], space[NORMAL + 2] = x / far, y / far, z / far
    space[POINT], space[POINT + 1], space[POINT + 2] = 0.5 * (ax + bx), 0.5 * (ay + by), 0.5 * (az + bz)
    space[STATUS] = OVERLAPPING
    return True


@inner_kernel
def _least_depth(floats, ints, shape_a, shape_b, space):
    """The side by which two overlapping solids are nearest to part: (height of the other over it, place, is it B's?)."""
    best, best_plane, of_b = -inf, 0, False
    for which in range(2):
        solid, other = (shape_b, shape_a) if which else (shape_a, shape_b)
        sign = -1.0 if which else 1.0
        own, opposite = (sc.NOW_B, sc.NOW_A) if which else (sc.NOW_A, sc.NOW_B)
        plane = ints[HEADER * solid + H_PLANES]
        for k in range(ints[HEADER * solid + H_N_PLANES]):
            p = plane + PLANE_ROW * k
            x, y, z = rotated(space, own, floats[p], floats[p + 1], floats[p + 2])
            off = sign * (x * space[sc.NOW_D] + y * space[sc.NOW_D + 1] + z * space[sc.NOW_D + 2]) - floats[p + 3]
            ox, oy, oz = rotated_back(space, opposite, -x, -y, -z)
            height = off - highest(floats, ints, other, ox, oy, oz)
            if height > best:
                best, best_plane, of_b = height, p, which == 1
    return best, best_plane, of_b


@inner_kernel
def _side_rate(floats, ints, other, space, plane, of_b):
    """How fast the lowest corners of `other` leave the side at `plane` of B or of A. Sets POINT to their middle.

    (rate of the fastest to sink, the acceleration of the bodies along the side, height, row of a face there)
    """
    own, own_spin, opposite, spin = (
        (sc.NOW_B, sc.SPIN_B, sc.NOW_A, sc.SPIN_A) if of_b else (sc.NOW_A, sc.SPIN_A, sc.NOW_B, sc.SPIN_B)
    )
    nx, ny, nz = rotated(space, own, floats[plane], floats[plane + 1], floats[plane + 2])
    mx, my, mz = spun(space, own_spin, nx, ny, nz)
    sign = -1.0 if of_b else 1.0
    dx, dy, dz = sign * space[sc.NOW_D], sign * space[sc.NOW_D + 1], sign * space[sc.NOW_D + 2]
    off = nx * dx + ny * dy + nz * dz - floats[plane + 3]
    drift = sign * (nx * space[sc.NOW_V] + ny * space[sc.NOW_V + 1] + nz * space[sc.NOW_V + 2])
    ox, oy, oz = rotated_back(space, opposite, nx, ny, nz)
    low = off - highest(floats, ints, other, -ox, -oy, -oz)
    rate, face, count = inf, 0.0, 0
    for k in range(3):
        space[POINT + k] = 0.0
    hull = ints[HEADER * other + H_HULL]
    for k in range(ints[HEADER * other + H_N_HULL]):
        p = hull + HULL_ROW * k
        height = off + ox * floats[p] + oy * floats[p + 1] + oz * floats[p + 2]
        if height > low + space[TOUCH]:
            continue
        x, y, z = rotated(space, opposite, floats[p], floats[p + 1], floats[p + 2])
        vx, vy, vz = spun(space, spin, x, y, z)
        x, y, z = x + dx, y + dy, z + dz
        rate = min(rate, drift + nx * vx + ny * vy + nz * vz + mx * x + my * y + mz * z)
        face = floats[p + 3]
        count += 1
        space[POINT], space[POINT + 1], space[POINT + 2] = space[POINT] + x, space[POINT + 1] + y, space[POINT + 2] + z
    for k in range(3):
        space[POINT + k] /= count
    pull = sign * (nx * space[sc.ACC] + ny * space[sc.ACC + 1] + nz * space[sc.ACC + 2])
    return rate, pull, low, face


@inner_kernel
def _are_apart(core_a, core_b, space, state, rot, shift):
    """Are two convex shapes, as cores, farther apart now than the tolerance? Also past an edge, where no side parts them."""
    for r in range(3):
        shift[r] = 0.0
        for k in range(3):
            shift[r] += space[sc.NOW_A + 3 * k + r] * space[sc.NOW_D + k]
        for c in range(3):
            rot[3 * r + c] = 0.0
            for k in range(3):
                rot[3 * r + c] += space[sc.NOW_A + 3 * k + r] * space[sc.NOW_B + 3 * k + c]
    reach = core_a[MARGIN] + core_b[MARGIN] + space[sc.GAP]
    return gjk(core_a, core_b, rot, shift, state, False, reach, reach) != GJK_OVERLAP and state[GJK_LOWER] > reach


@kernel
def press_turning_solids(floats, ints, shape_a, shape_b, space, s, until):
    """When do two overlapping solids next move into each other by the side of least depth, and when are they apart?

    (time or inf; inf or a time). They are followed in steps too short to part and meet again. Fills the record for the
    first, NOT_YET where it cannot be told.
    """
    reach = space[sc.RATE_A] * space[sc.REACH_A] + space[sc.RATE_B] * space[sc.REACH_B]
    core_a, core_b = convex_core(floats, ints, shape_a), convex_core(floats, ints, shape_b)
    state, rot, shift = np.zeros(GJK_STATE), np.zeros(9), np.zeros(3)
    for _ in range(ADVANCE_STEPS):
        pose_at(space, s)
        height, plane, of_b = _least_depth(floats, ints, shape_a, shape_b, space)
        if height >= 0.0 or _are_apart(core_a, core_b, space, state, rot, shift):
            return inf, s
        rate, pull, _, face = _side_rate(floats, ints, shape_a if of_b else shape_b, space, plane, of_b)
        if rate < -space[sc.NOISE] or (rate <= space[sc.NOISE] and pull < 0.0):
            own = sc.NOW_B if of_b else sc.NOW_A
            nx, ny, nz = rotated(space, own, floats[plane], floats[plane + 1], floats[plane + 2])
            sign = -1.0 if of_b else 1.0
            for k in range(3):
                n = nx if k == 0 else (ny if k == 1 else nz)
                # From the side's owner to A's origin, and up to halfway.
                space[POINT + k] += (space[sc.NOW_D + k] if of_b else 0.0) - 0.5 * height * n
                space[NORMAL + k] = sign * n
            space[FEATURE_A], space[FEATURE_B] = (face, floats[plane + 4]) if of_b else (floats[plane + 4], face)
            space[STATUS] = OVERLAPPING
            return s, inf
        step = overlap_step(space, -height, reach)
        if step < 0.0:
            return inf, inf
        s += step
        if s >= until:
            return inf, until
    space[STATUS] = NOT_YET
    space[FEATURE_A] = space[FEATURE_B] = NO_ID
    return s, inf
