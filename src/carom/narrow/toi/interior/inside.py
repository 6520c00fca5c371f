"""Searches that start with one shape inside a solid: approach is an immediate contact, separation is none.

Boxes and convex shapes are solids; a mesh is a surface, and counts as inside when its first hull vertex is.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel
from carom.maths.roots import enter_quadratic, enter_quartic
from carom.narrow.toi import workspace as ws
from carom.narrow.toi.interior.solids import least_depth_side, lowest_into, nearest_side
from carom.narrow.toi.interior.stay import stay_until
from carom.narrow.toi.shape_table import H_CENTRE, H_HULL, H_N_PLANES, HEADER
from carom.narrow.toi.status import OVERLAPPING


@inner_kernel
def starts_inside(floats, ints, solid, other, work, motion, s):
    """Is the first hull vertex of `other` deeper inside `solid` than a touch at s? `motion`: that of other, seen from solid."""
    if ints[HEADER * solid + H_N_PLANES] == 0:
        return False
    p = ints[HEADER * other + H_HULL]
    turn, d, v, h = motion + ws.M_TURN, motion + ws.M_D, motion + ws.M_V, motion + ws.M_H
    x = work[d] + s * (work[v] + s * work[h])
    y = work[d + 1] + s * (work[v + 1] + s * work[h + 1])
    z = work[d + 2] + s * (work[v + 2] + s * work[h + 2])
    x += work[turn] * floats[p] + work[turn + 1] * floats[p + 1] + work[turn + 2] * floats[p + 2]
    y += work[turn + 3] * floats[p] + work[turn + 4] * floats[p + 1] + work[turn + 5] * floats[p + 2]
    z += work[turn + 6] * floats[p] + work[turn + 7] * floats[p + 1] + work[turn + 8] * floats[p + 2]
    height, _ = nearest_side(floats, ints, solid, x, y, z, -work[ws.TOUCH])
    return height < -work[ws.TOUCH]


@inner_kernel
def press_solids(floats, ints, shape_a, shape_b, work, straight, s_from):
    """When do two overlapping solids next move into each other along the side of least depth, and when are they apart?

    (now, later or inf; inf or a time). Later means without having parted, by whichever side: where the gap over that side
    turns while they are still in each other. Fills the record for the first.
    """
    height, plane, by_a = -inf, 0, True
    for solid, other, motion in ((shape_a, shape_b, ws.FROM_A), (shape_b, shape_a, ws.FROM_B)):
        least, side = least_depth_side(floats, ints, solid, other, work, motion, s_from)
        if least > height:
            height, plane, by_a = least, side, motion == ws.FROM_A
    motion = ws.FROM_A if by_a else ws.FROM_B
    nx, ny, nz = floats[plane], floats[plane + 1], floats[plane + 2]
    d, v, h = motion + ws.M_D, motion + ws.M_V, motion + ws.M_H
    g1 = nx * work[v] + ny * work[v + 1] + nz * work[v + 2]
    g2 = nx * work[h] + ny * work[h + 1] + nz * work[h + 2]
    g0 = height - s_from * (g1 + s_from * g2)
    s = enter_quadratic(g0, g1, g2, s_from)
    if s > s_from:
        if straight:  # out of a solid, and never back
            return inf, inf
        if s < inf and g0 + s * (g1 + s * g2) > -work[ws.TOUCH]:
            s = inf
        s, parted = stay_until(floats, ints, shape_a, shape_b, work, s_from, s)
        if s == inf:
            return inf, parted
    # The lowest corners of the other solid over that side, in the axes of the side's owner at s.
    other = shape_b if by_a else shape_a
    turn = motion + ws.M_TURN
    ox = work[turn] * nx + work[turn + 3] * ny + work[turn + 6] * nz
    oy = work[turn + 1] * nx + work[turn + 4] * ny + work[turn + 7] * nz
    oz = work[turn + 2] * nx + work[turn + 5] * ny + work[turn + 8] * nz
    _, face = lowest_into(floats, ints, other, ox, oy, oz, work)
    x, y, z = work[ws.POINT], work[ws.POINT + 1], work[ws.POINT + 2]
    lift = -0.5 * (g0 + s * (g1 + s * g2))
    px = work[turn] * x + work[turn + 1] * y + work[turn + 2] * z + lift * nx
    py = work[turn + 3] * x + work[turn + 4] * y + work[turn + 5] * z + lift * ny
    pz = work[turn + 6] * x + work[turn + 7] * y + work[turn + 8] * z + lift * nz
    px += work[d] + s * (work[v] + s * work[h])
    py += work[d + 1] + s * (work[v + 1] + s * work[h + 1])
    pz += work[d + 2] + s * (work[v + 2] + s * work[h + 2])
    work[ws.STATUS] = OVERLAPPING
    if by_a:
        work[ws.POINT], work[ws.POINT + 1], work[ws.POINT + 2] = px, py, pz
        work[ws.NORMAL], work[ws.NORMAL + 1], work[ws.NORMAL + 2] = nx, ny, nz
        work[ws.FEATURE_A], work[ws.FEATURE_B] = floats[plane + 4], face
        return s, inf
    for r in range(3):
        row = ws.FROM_A + ws.M_TURN + 3 * r
        shift = work[ws.FROM_A + ws.M_D + r] + s * (work[ws.FROM_A + ws.M_V + r] + s * work[ws.FROM_A + ws.M_H + r])
        work[ws.POINT + r] = work[row] * px + work[row + 1] * py + work[row + 2] * pz + shift
        work[ws.NORMAL + r] = -(work[row] * nx + work[row + 1] * ny + work[row + 2] * nz)
    work[ws.FEATURE_A], work[ws.FEATURE_B] = face, floats[plane + 4]
    return s, inf


@inner_kernel
def centres_close(floats, ints, shape_a, shape_b, work, s):
    """Do the centres of two shapes, at least one of them a mesh, approach each other at s? Fills the record if so."""
    centre_a, centre_b = ints[HEADER * shape_a + H_CENTRE], ints[HEADER * shape_b + H_CENTRE]
    for attempt in range(2):
        closing, pull, square = 0.0, 0.0, 0.0
        for r in range(3):
            row = ws.FROM_A + ws.M_TURN + 3 * r
            b = (
                work[row] * floats[centre_b]
                + work[row + 1] * floats[centre_b + 1]
                + work[row + 2] * floats[centre_b + 2]
            )
            v, h = work[ws.FROM_A + ws.M_V + r], work[ws.FROM_A + ws.M_H + r]
            a, b = floats[centre_a + r], b + work[ws.FROM_A + ws.M_D + r] + s * (v + s * h)
            closing -= (b - a) * (v + 2.0 * s * h)
            pull -= (b - a) * h
            square += (b - a) * (b - a)
            if attempt == 1:
                work[ws.NORMAL + r], work[ws.POINT + r] = b - a, 0.5 * (a + b)
        if closing < 0.0 or (closing == 0.0 and pull <= 0.0):
            return False
        if attempt == 1:
            for r in range(3):
                work[ws.NORMAL + r] /= sqrt(square)
    work[ws.STATUS] = OVERLAPPING
    return True


@inner_kernel
def spheres_part(floats, ints, shape_a, shape_b, work, s):
    """First time from s on at which the bounding spheres of two shapes part; inf if never."""
    centre_a, centre_b = ints[HEADER * shape_a + H_CENTRE], ints[HEADER * shape_b + H_CENTRE]
    dd = dv = vv = dh = vh = hh = 0.0
    for r in range(3):
        row = ws.FROM_A + ws.M_TURN + 3 * r
        d = work[row] * floats[centre_b] + work[row + 1] * floats[centre_b + 1] + work[row + 2] * floats[centre_b + 2]
        d += work[ws.FROM_A + ws.M_D + r] - floats[centre_a + r]
        v, h = work[ws.FROM_A + ws.M_V + r], work[ws.FROM_A + ws.M_H + r]
        dd, dv, vv = dd + d * d, dv + d * v, vv + v * v
        dh, vh, hh = dh + d * h, vh + v * h, hh + h * h
    reach = floats[centre_a + 3] + floats[centre_b + 3]
    return enter_quartic(reach * reach - dd, -2.0 * dv, -(vv + 2.0 * dh), -2.0 * vh, -hh, s)
