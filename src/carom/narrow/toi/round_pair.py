"""First contact of a pair that contains a shape of kind ROUND, moving and possibly rotating: the test of worlds."""

from __future__ import annotations

import functools
from math import inf, sqrt
from typing import Any

import numpy as np
from numba import carray

from carom._compile.address_call import as_float64, as_int32, as_int64
from carom._compile.jit import c_callback, compiling, inner_kernel, kernel
from carom.maths.turning_orientation import rotation_of_into, turned_quaternion
from carom.narrow.convex.gjk import GJK_STATE
from carom.narrow.toi.advancement.convex_convex import (
    INSIDE,
    LOCAL_A,
    LOCAL_B,
    O_NORMAL,
    O_POINT,
    O_STATUS,
    O_STEPS,
    O_TIME,
    SPACE,
    advance_cores,
)
from carom.narrow.toi.advancement.convex_half_space import advance_plane
from carom.narrow.toi.advancement.convex_surface import SURFACE_OUT, TRIANGLE, advance_surface, surface_scratch
from carom.narrow.toi.advancement.scratch import F_ACC, F_D, F_ROT_A, F_ROT_B, F_SPIN_A, F_SPIN_B, F_V
from carom.narrow.toi.relative_motion import position_at
from carom.narrow.toi.shape_table import H_CENTRE, H_CORE, H_FACES, H_LINKS, H_NODES, H_PARAM, H_TRIS, HEADER
from carom.narrow.toi.status import NOT_YET
from carom.narrow.toi.translating import OUT_SIZE
from carom.shapes.kind import HALF_SPACE, MESH, SPHERE
from carom.tables.body_columns import AX, BODY_COLUMNS, KIND, LINK_COLUMNS, NO_ID, SHAPE, SPIN_COLUMNS, T_REF, VX
from carom.trees.obb.node import NODE_COLUMNS


@inner_kernel
def _flight_into(body, quat, spin, a, b, t0, space):
    """Fill the flight of rows a and b as of t0, both cores at their bodies' origins."""
    for row, rot, turn in ((a, F_ROT_A, F_SPIN_A), (b, F_ROT_B, F_SPIN_B)):
        x, y, z = spin[row, 0], spin[row, 1], spin[row, 2]
        w, qx, qy, qz = quat[row, 0], quat[row, 1], quat[row, 2], quat[row, 3]
        if w == 0.0 and qx == 0.0 and qy == 0.0 and qz == 0.0:  # zero stands for no rotation
            w = 1.0
        q0, q1, q2, q3 = turned_quaternion(w, qx, qy, qz, x, y, z, t0 - body[row, T_REF])
        scale = 1.0 / sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
        rotation_of_into(q0 * scale, q1 * scale, q2 * scale, q3 * scale, space, rot)
        space[turn], space[turn + 1], space[turn + 2] = x, y, z
    for k in range(3):
        space[F_D + k] = position_at(body, b, k, t0) - position_at(body, a, k, t0)
        at_a = body[a, VX + k] + body[a, AX + k] * (t0 - body[a, T_REF])
        at_b = body[b, VX + k] + body[b, AX + k] * (t0 - body[b, T_REF])
        space[F_V + k] = at_b - at_a
        space[F_ACC + k] = body[b, AX + k] - body[a, AX + k]
        space[INSIDE + k] = 0.0
    for local in (LOCAL_A, LOCAL_B):
        for k in range(12):
            space[local + k] = 1.0 if k == 0 or k == 4 or k == 8 else 0.0


@inner_kernel
def _reach(floats, ints, shape, kind):
    """How far a shape extends from its origin."""
    if kind == SPHERE:
        return floats[ints[HEADER * shape + H_PARAM]]
    at = ints[HEADER * shape + H_CENTRE]
    return floats[at + 3] + sqrt(floats[at] ** 2 + floats[at + 1] ** 2 + floats[at + 2] ** 2)


@kernel
def toi_round(body, quat, spin, link, floats, ints, i, j, t_from, until, gap, out):
    """Absolute time of the first contact in [t_from, until] of rows i, j; inf if never. Fills `out` (OUT_SIZE,).

    As carom.narrow.toi.spinning.toi_spinning. At least one of the two is of kind ROUND.
    """
    a, b = (j, i) if link[i, KIND] == MESH or link[i, KIND] == HALF_SPACE else (i, j)
    kind_b = link[b, KIND]
    shape_a, shape_b = np.int64(link[a, SHAPE]), np.int64(link[b, SHAPE])
    t0 = max(body[a, T_REF], body[b, T_REF])
    start, end = t_from - t0, until - t0
    space, state, answer = np.empty(SPACE), np.zeros(GJK_STATE), np.zeros(SURFACE_OUT)
    _flight_into(body, quat, spin, a, b, t0, space)
    core_a = floats[ints[HEADER * shape_a + H_CORE] :]
    reach_a = _reach(floats, ints, shape_a, link[a, KIND])
    answer[TRIANGLE] = -1.0
    if kind_b == HALF_SPACE:
        at = ints[HEADER * shape_b + H_PARAM]
        rot = F_ROT_B
        x, y, z = floats[at], floats[at + 1], floats[at + 2]
        nx = space[rot] * x + space[rot + 1] * y + space[rot + 2] * z
        ny = space[rot + 3] * x + space[rot + 4] * y + space[rot + 5] * z
        nz = space[rot + 6] * x + space[rot + 7] * y + space[rot + 8] * z
        advance_plane(core_a, reach_a, nx, ny, nz, floats[at + 3], start, end, gap * reach_a, space, answer)
    else:
        reach_b = _reach(floats, ints, shape_b, kind_b)
        absolute = gap * min(reach_a, reach_b)
        if kind_b == MESH:
            nodes_at, links_at = ints[HEADER * shape_b + H_NODES], ints[HEADER * shape_b + H_LINKS]
            n = (links_at - nodes_at) // NODE_COLUMNS
            tris_at = ints[HEADER * shape_b + H_TRIS]
            nodes = floats[nodes_at:links_at].reshape((n, NODE_COLUMNS))
            tris = floats[tris_at : tris_at + 9 * ((n + 1) // 2)].reshape(((n + 1) // 2, 9))
            links = floats[links_at : links_at + n]
            scratch = surface_scratch()
            advance_surface(core_a, reach_a, nodes, links, tris, start, end, absolute, space, state, scratch, answer)
        else:
            core_b = floats[ints[HEADER * shape_b + H_CORE] :]
            advance_cores(core_a, core_b, reach_a, reach_b, start, end, absolute, False, space, state, answer)
    return _told(body, floats, ints, link, i, a, b, t0, t_from, until, answer, out)


@inner_kernel
def _told(body, floats, ints, link, i, a, b, t0, t_from, until, answer, out):
    """Write the answer as worlds read it; returns its time on the clock."""
    for k in range(OUT_SIZE):
        out[k] = 0.0
    out[6] = out[7] = NO_ID
    out[9] = answer[O_STEPS]
    s = answer[O_TIME]
    out[8] = answer[O_STATUS]
    if s == inf:
        out[8] = NOT_YET
        return until
    t = max(t0 + s, t_from)
    if answer[O_STATUS] == NOT_YET:
        return min(t, until)
    sign = 1.0 if a == i else -1.0
    for k in range(3):
        out[k] = position_at(body, a, k, t) + answer[O_POINT + k]
        out[3 + k] = sign * answer[O_NORMAL + k]
    if answer[TRIANGLE] >= 0.0:
        face = floats[ints[HEADER * np.int64(link[b, SHAPE]) + H_FACES] + int(answer[TRIANGLE])]
        out[7 if a == i else 6] = face
    return t


_SIGNATURE = f"float64({11 * 'int64, '}float64, float64, float64, int64)"


@functools.cache
def _round_toi() -> Any:
    """toi_round behind a C signature: the tables come as addresses, so that event loops compile without it."""
    with compiling("the pair test for round shapes"):

        @c_callback(_SIGNATURE)
        def toi(body, quat, spin, link, n_rows, floats, n_floats, ints, n_ints, i, j, t_from, until, gap, out):
            return toi_round(
                carray(as_float64(body), (n_rows, BODY_COLUMNS)),
                carray(as_float64(quat), (n_rows, 4)),
                carray(as_float64(spin), (n_rows, SPIN_COLUMNS)),
                carray(as_int32(link), (n_rows, LINK_COLUMNS)),
                carray(as_float64(floats), n_floats),
                carray(as_int64(ints), n_ints),
                i,
                j,
                t_from,
                until,
                gap,
                carray(as_float64(out), OUT_SIZE),
            )

    return toi


def round_toi_address() -> int:
    """Address of the C function with the signature of carom.narrow.toi.spinning.spinning_toi_address. Compiles on first use."""
    return int(_round_toi().address)
