"""First contact of a half-space with any shape: the gap along its normal is one quadratic."""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel
from carom.maths.roots import enter_quadratic
from carom.narrow.toi import workspace as ws
from carom.narrow.toi.interior.solids import lowest_into
from carom.narrow.toi.shape_table import H_KIND, H_PARAM, HEADER
from carom.narrow.toi.standing import stand_on_corner
from carom.narrow.toi.status import EXACT, OVERLAPPING
from carom.shapes.kind import HALF_SPACE, SPHERE
from carom.tolerances import FACING_PLANES


@inner_kernel
def toi_any_half_space(floats, ints, shape_a, shape_b, work, s_from):
    """First contact from s_from on of any shape A with half-space B; inf if never."""
    b = ints[HEADER * shape_b + H_PARAM]
    turn = ws.FROM_A + ws.M_TURN
    x, y, z = floats[b], floats[b + 1], floats[b + 2]
    nx = work[turn] * x + work[turn + 1] * y + work[turn + 2] * z
    ny = work[turn + 3] * x + work[turn + 4] * y + work[turn + 5] * z
    nz = work[turn + 6] * x + work[turn + 7] * y + work[turn + 8] * z
    kind = ints[HEADER * shape_a + H_KIND]
    a = ints[HEADER * shape_a + H_PARAM]
    if kind == SPHERE:
        low = -floats[a]
        work[ws.POINT], work[ws.POINT + 1], work[ws.POINT + 2] = low * nx, low * ny, low * nz
    elif kind == HALF_SPACE:
        # Half-spaces that do not face each other always overlap: they have no first contact.
        if floats[a] * nx + floats[a + 1] * ny + floats[a + 2] * nz > -1.0 + FACING_PLANES:
            return inf
        low = -floats[a + 3]
        work[ws.POINT], work[ws.POINT + 1], work[ws.POINT + 2] = low * nx, low * ny, low * nz
    else:
        low, work[ws.FEATURE_A] = lowest_into(floats, ints, shape_a, nx, ny, nz, work)
    d, v, h = ws.FROM_A + ws.M_D, ws.FROM_A + ws.M_V, ws.FROM_A + ws.M_H
    g0 = low - floats[b + 3] - (nx * work[d] + ny * work[d + 1] + nz * work[d + 2])
    g1 = -(nx * work[v] + ny * work[v + 1] + nz * work[v + 2])
    g2 = -(nx * work[h] + ny * work[h + 1] + nz * work[h + 2])
    s = enter_quadratic(g0, g1, g2, s_from)
    if s < inf:
        gap = g0 + s * (g1 + s * g2)
        work[ws.STATUS] = OVERLAPPING if gap < -work[ws.TOUCH] else EXACT
        work[ws.NORMAL], work[ws.NORMAL + 1], work[ws.NORMAL + 2] = -nx, -ny, -nz
        if kind != SPHERE and kind != HALF_SPACE:
            stand_on_corner(floats, ints, shape_a, nx, ny, nz, low, work)
        shift = low - 0.5 * gap - (nx * work[ws.POINT] + ny * work[ws.POINT + 1] + nz * work[ws.POINT + 2])
        work[ws.POINT] += shift * nx
        work[ws.POINT + 1] += shift * ny
        work[ws.POINT + 2] += shift * nz
    return s
