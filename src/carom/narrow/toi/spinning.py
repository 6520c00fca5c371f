"""First contact of any two shapes that move and may spin: never late, and early by at most a stated gap.

Pairs are tested in kind order (then by body id), as in carom.narrow.toi.translating, whose answers are exact and which is the
test for pairs whose spins do not matter: of balls they never do.
"""

from __future__ import annotations

import functools
from math import inf, sqrt
from typing import Any

import numpy as np
from numba import carray

from carom._compile.address_call import as_float64, as_int32, as_int64
from carom._compile.jit import c_callback, compiling, inner_kernel, kernel
from carom.maths.turning_orientation import rotation_of_into, turned_quaternion
from carom.narrow.toi.advancement.half_space import toi_turning_half_space
from carom.narrow.toi.advancement.scratch import (
    ACC,
    FLIGHT,
    NOW_A,
    NOW_B,
    ROT_A,
    ROT_B,
    SPACE_SIZE,
    SPIN_A,
    SPIN_B,
    STEPS,
    TRIANGLE_TESTS,
    D,
    V,
    pose_at,
)
from carom.narrow.toi.advancement.sphere_surface import toi_turning_balls
from carom.narrow.toi.advancement.surface_surface import prepare_search, toi_turning_surfaces
from carom.narrow.toi.relative_motion import position_at
from carom.narrow.toi.shape_table import H_KIND, HEADER
from carom.narrow.toi.status import EXACT, NOT_YET
from carom.narrow.toi.translating import OUT_SIZE
from carom.narrow.toi.workspace import FEATURE_A, FEATURE_B, NORMAL, POINT, STATUS, TESTS
from carom.shapes.kind import BOX, HALF_SPACE, SPHERE
from carom.tables.body_columns import AX, BODY_COLUMNS, ID, KIND, LINK_COLUMNS, NO_ID, SHAPE, SPIN_COLUMNS, T_REF, VX
from carom.tolerances import SEARCH_WORK


@inner_kernel
def _box_side(space, of_b):
    """Side 0..5 (-x, +x, -y, +y, -z, +z) of box A or B that faces the other most along NORMAL."""
    turn, sign = (NOW_B, -1.0) if of_b else (NOW_A, 1.0)
    best, side = -inf, 0
    for c in range(3):
        along = sign * (
            space[turn + c] * space[NORMAL]
            + space[turn + 3 + c] * space[NORMAL + 1]
            + space[turn + 6 + c] * space[NORMAL + 2]
        )
        if abs(along) > best:
            best, side = abs(along), 2 * c + (1 if along > 0.0 else 0)
    return side


@inner_kernel
def toi_flight(floats, ints, shape_a, shape_b, space, s_from, until, t_from, gap):
    """First contact in [s_from, until] of the FLIGHT in `space`, shapes in kind order; inf if never. Fills the record.

    STATUS NOT_YET at the returned time: no contact before it, and the search ended there (at `until`, or where a flight
    stays within the tolerance for too many steps). `gap` relative to the smaller body; t_from: s_from on the clock.
    """
    kind_a, kind_b = ints[HEADER * shape_a + H_KIND], ints[HEADER * shape_b + H_KIND]
    for kind, spin in ((kind_a, SPIN_A), (kind_b, SPIN_B)):
        if kind == SPHERE:
            space[spin] = space[spin + 1] = space[spin + 2] = 0.0
    prepare_search(floats, ints, shape_a, shape_b, space, s_from, t_from, gap)
    space[STATUS] = EXACT
    space[FEATURE_A] = space[FEATURE_B] = NO_ID
    for k in range(3):
        space[POINT + k] = space[NORMAL + k] = 0.0
    if kind_b == HALF_SPACE:
        s = toi_turning_half_space(floats, ints, shape_a, shape_b, space, s_from, until)
    elif kind_b == SPHERE:
        s = toi_turning_balls(space, s_from, until)
    else:
        s = toi_turning_surfaces(floats, ints, shape_a, shape_b, space, s_from, until)
    if s < inf and space[STATUS] != NOT_YET:
        pose_at(space, s)
        if kind_a == BOX:
            space[FEATURE_A] = _box_side(space, False)
        if kind_b == BOX:
            space[FEATURE_B] = _box_side(space, True)
    return s


@inner_kernel
def _flight_of(body, quat, spin, a, b, t0, space):
    """Fill the FLIGHT of rows a and b as of t0."""
    for row, rot, turn in ((a, ROT_A, SPIN_A), (b, ROT_B, SPIN_B)):
        x, y, z = spin[row, 0], spin[row, 1], spin[row, 2]
        q0, q1, q2, q3 = turned_quaternion(
            quat[row, 0], quat[row, 1], quat[row, 2], quat[row, 3], x, y, z, t0 - body[row, T_REF]
        )
        scale = 1.0 / sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
        rotation_of_into(q0 * scale, q1 * scale, q2 * scale, q3 * scale, space, rot)
        space[turn], space[turn + 1], space[turn + 2] = x, y, z
    for k in range(3):
        space[D + k] = position_at(body, b, k, t0) - position_at(body, a, k, t0)
        at_a = body[a, VX + k] + body[a, AX + k] * (t0 - body[a, T_REF])
        at_b = body[b, VX + k] + body[b, AX + k] * (t0 - body[b, T_REF])
        space[V + k] = at_b - at_a
        space[ACC + k] = body[b, AX + k] - body[a, AX + k]


@kernel
def toi_spinning(body, quat, spin, link, floats, ints, i, j, t_from, until, gap, out):
    """Absolute time of the first contact in [t_from, until] of rows i, j; inf if never. Fills `out` (OUT_SIZE,).

    As toi_general, with the spins (rows, 3), rad/s in world axes, and orientations that hold at each body's own epoch.
    Status NOT_YET in out[8]: no contact before the returned time, ask again from there. `gap`: see ADVANCE_GAP.
    """
    a, b = i, j
    if link[i, KIND] > link[j, KIND] or (
        link[i, KIND] == link[j, KIND] and (link[i, ID] > link[j, ID] or (link[i, ID] == link[j, ID] and i > j))
    ):
        a, b = j, i
    space = np.empty(SPACE_SIZE)
    t0 = max(body[a, T_REF], body[b, T_REF])
    s_from = t_from - t0
    _flight_of(body, quat, spin, a, b, t0, space)
    s = toi_flight(
        floats, ints, np.int64(link[a, SHAPE]), np.int64(link[b, SHAPE]), space, s_from, until - t0, t_from, gap
    )
    for k in range(OUT_SIZE):
        out[k] = 0.0
    out[6] = out[7] = NO_ID
    out[9] = space[TESTS] + space[TRIANGLE_TESTS]
    if s == inf:
        return inf
    out[8] = space[STATUS]
    if space[STATUS] == NOT_YET:
        return min(max(t0 + s, t_from), until)
    t = t_from if s == s_from else max(t0 + s, t_from)
    sign = 1.0 if a == i else -1.0
    for k in range(3):
        out[k] = position_at(body, a, k, t) + space[POINT + k]
        out[3 + k] = sign * space[NORMAL + k]
    out[6] = space[FEATURE_A] if a == i else space[FEATURE_B]
    out[7] = space[FEATURE_B] if a == i else space[FEATURE_A]
    return t


_SIGNATURE = f"float64({11 * 'int64, '}float64, float64, float64, int64)"


@functools.cache
def _spinning_toi() -> Any:
    """toi_spinning behind a C signature: the tables come as addresses, so that event loops compile without it."""
    with compiling("the pair test for spinning bodies"):

        @c_callback(_SIGNATURE)
        def toi(body, quat, spin, link, n_rows, floats, n_floats, ints, n_ints, i, j, t_from, until, gap, out):
            return toi_spinning(
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


def spinning_toi_address() -> int:
    """Address of the C function

    double toi(int64 body, int64 quat, int64 spin, int64 link, int64 n_rows, int64 floats, int64 n_floats, int64 ints,
               int64 n_ints, int64 i, int64 j, double t_from, double until, double gap, int64 out)

    which is toi_spinning on the tables at those addresses; spin is (n_rows, SPIN_COLUMNS). Compiles on first use.
    """
    return int(_spinning_toi().address)


@kernel
def toi_flights_into(
    floats, ints, shape_a, shape_b, flights, until, gap, times, points, normals, faces, status, counts
):
    """toi_flight for every row of `flights` (n, FLIGHT_COLUMNS), from s = 0 to until[k]; shapes in kind order.

    A search that ends undecided goes on from there. It ends, as each time is later than the one before, and as the work is
    limited by SEARCH_WORK: only then is a status NOT_YET. points and normals (n, 3) in world axes, points from A's origin
    then; counts (n, 3): boxes, triangles, steps.
    """
    space = np.empty(SPACE_SIZE)
    for k in range(len(flights)):
        s, work = 0.0, 0.0
        for c in range(3):
            counts[k, c] = 0
        while True:
            for c in range(flights.shape[1]):
                space[FLIGHT + c] = flights[k, c]
            times[k] = toi_flight(floats, ints, shape_a, shape_b, space, s, until[k], s, gap)
            for c, at in ((0, TESTS), (1, TRIANGLE_TESTS), (2, STEPS)):
                counts[k, c] += int(space[at])
                work += space[at]
            if space[STATUS] != NOT_YET or times[k] >= until[k] or not times[k] > s or work > SEARCH_WORK:
                break
            s = times[k]
        status[k] = space[STATUS]
        for c in range(3):
            points[k, c], normals[k, c] = space[POINT + c], space[NORMAL + c]
        faces[k, 0], faces[k, 1] = int(space[FEATURE_A]), int(space[FEATURE_B])
