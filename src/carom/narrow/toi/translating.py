"""First contact of any two shapes that move without rotating, under constant relative acceleration: exact times.

Pairs are tested in kind order (then by body id), so that both orders of asking give the same time, bit for bit.
"""

from __future__ import annotations

import functools
from math import inf, sqrt
from typing import Any

import numpy as np
from numba import carray
from numpy.typing import ArrayLike

from carom import validate
from carom._compile.address_call import as_float64, as_int32, as_int64
from carom._compile.jit import c_callback, compiling, inner_kernel, kernel
from carom.errors import InvalidInputError
from carom.maths.ball import enter_ball, enter_ball_straight
from carom.narrow.toi import workspace as ws
from carom.narrow.toi.pair_answer import (
    OUT_FEATURE_I,
    OUT_FEATURE_J,
    OUT_NORMAL,
    OUT_POINT,
    OUT_SIZE,
    OUT_STATUS,
    Contact,
    clear_answer_into,
    contact_of,
    in_kind_order,
)
from carom.narrow.toi.relative_motion import position_at, relative_motion_into, rotation_into
from carom.narrow.toi.shape_table import H_CENTRE, H_PARAM, HEADER, ShapeTable
from carom.narrow.toi.status import EXACT, OVERLAPPING
from carom.narrow.toi.straight.box_pair import toi_box_box
from carom.narrow.toi.straight.half_space import toi_any_half_space
from carom.narrow.toi.straight.sphere_surface import toi_sphere_surface
from carom.narrow.toi.straight.surface_pair import toi_surface_surface
from carom.narrow.toi.workspace import pad_at
from carom.shapes import Shape
from carom.shapes.kind import BOX, HALF_SPACE, SPHERE
from carom.tables.body_columns import AX, BODY_COLUMNS, ID, KIND, LINK_COLUMNS, NO_ID, SHAPE, T_REF, VX, X
from carom.tolerances import EPSILON, SEPARATION_PAD, TOUCH_DEPTH, TOUCH_ULPS


@inner_kernel
def _size_and_reach(floats, ints, shape, kind):
    """Radius of a shape's bounding sphere, and how far the shape extends from its origin; inf, 0 for a half-space."""
    if kind == SPHERE:
        radius = floats[ints[HEADER * shape + H_PARAM]]
        return radius, radius
    if kind == HALF_SPACE:
        return inf, 0.0
    at = ints[HEADER * shape + H_CENTRE]
    return floats[at + 3], floats[at + 3] + abs(floats[at]) + abs(floats[at + 1]) + abs(floats[at + 2])


@inner_kernel
def _toi_sphere_sphere(work, radius_a, radius_b, straight, s_from):
    """First contact from s_from on of two balls; inf if never."""
    d, v, h = ws.FROM_A + ws.M_D, ws.FROM_A + ws.M_V, ws.FROM_A + ws.M_H
    radius = radius_a + radius_b
    x, y, z, vx, vy, vz = work[d], work[d + 1], work[d + 2], work[v], work[v + 1], work[v + 2]
    if straight:
        s = enter_ball_straight(x, y, z, vx, vy, vz, radius, s_from)
    else:
        s = enter_ball(x, y, z, vx, vy, vz, work[h], work[h + 1], work[h + 2], radius, s_from)
    if s == inf:
        return inf
    x = work[d] + s * (work[v] + s * work[h])
    y = work[d + 1] + s * (work[v + 1] + s * work[h + 1])
    z = work[d + 2] + s * (work[v + 2] + s * work[h + 2])
    distance = sqrt(x * x + y * y + z * z)
    work[ws.STATUS] = OVERLAPPING if distance < radius - work[ws.TOUCH] else EXACT
    if distance > 0.0:
        x, y, z = x / distance, y / distance, z / distance
    else:  # concentric: any direction serves
        x, y, z = 1.0, 0.0, 0.0
    reach = 0.5 * (radius_a + distance - radius_b)
    work[ws.NORMAL], work[ws.NORMAL + 1], work[ws.NORMAL + 2] = x, y, z
    work[ws.POINT], work[ws.POINT + 1], work[ws.POINT + 2] = reach * x, reach * y, reach * z
    return s


@inner_kernel
def _tolerances_into(floats, ints, shape_a, kind_a, shape_b, kind_b, work, s_from, t_from):
    """Set PAD and TOUCH for shapes whose motion is in `work`; returns whether that motion is straight."""
    dd = vv = hh = 0.0
    for k in range(3):
        dd += work[ws.FROM_A + ws.M_D + k] ** 2
        vv += work[ws.FROM_A + ws.M_V + k] ** 2
        hh += work[ws.FROM_A + ws.M_H + k] ** 2
    size_a, reach_a = _size_and_reach(floats, ints, shape_a, kind_a)
    size_b, reach_b = _size_and_reach(floats, ints, shape_b, kind_b)
    speed = sqrt(vv) + 2.0 * s_from * sqrt(hh)
    # On a straight path the motion up to a contact is no longer than what it starts with.
    work[ws.PAD] = SEPARATION_PAD * (reach_a + reach_b + sqrt(dd)) * (2.0 if hh == 0.0 else 1.0)
    work[ws.PAD + 1] = 0.0 if hh == 0.0 else SEPARATION_PAD * sqrt(vv)
    work[ws.PAD + 2] = SEPARATION_PAD * sqrt(hh)
    size = min(size_a, size_b)
    touch = (TOUCH_DEPTH * size if size < inf else 0.0) + TOUCH_ULPS * EPSILON * abs(t_from) * speed
    work[ws.TOUCH] = max(touch, 4.0 * pad_at(work, s_from))
    return hh == 0.0


@inner_kernel
def _box_side(work, which):
    """Side 0..5 (-x, +x, -y, +y, -z, +z) of box `which` (0: A, 1: B) that faces the other most."""
    best, side = -inf, 0
    for c in range(3):
        along = work[ws.NORMAL + c]
        if which == 1:
            turn = ws.FROM_A + ws.M_TURN + c
            along = -(
                work[turn] * work[ws.NORMAL]
                + work[turn + 3] * work[ws.NORMAL + 1]
                + work[turn + 6] * work[ws.NORMAL + 2]
            )
        if abs(along) > best:
            best, side = abs(along), 2 * c + (1 if along > 0.0 else 0)
    return side


@kernel
def toi_general(body, quat, link, floats, ints, i, j, t_from, out):
    """Absolute time of the first contact at or after t_from of rows i, j; inf if never. Fills `out` (OUT_SIZE,).

    t_from is at least both epochs; everything is computed from the state at the later epoch, so that the answer does
    not depend on when it is asked. Tables as in carom.tables.body_columns; `floats`, `ints` of a ShapeTable.
    """
    a, b = in_kind_order(link, i, j)
    kind_a, kind_b = link[a, KIND], link[b, KIND]
    shape_a, shape_b = np.int64(link[a, SHAPE]), np.int64(link[b, SHAPE])
    work = np.empty(ws.WORK_SIZE)
    t0 = max(body[a, T_REF], body[b, T_REF])
    s_from = t_from - t0
    straight = prepare_pair(body, quat, floats, ints, a, b, kind_a, kind_b, shape_a, shape_b, t0, s_from, t_from, work)
    param_a, param_b = ints[HEADER * shape_a + H_PARAM], ints[HEADER * shape_b + H_PARAM]
    if kind_b == HALF_SPACE:
        s = toi_any_half_space(floats, ints, shape_a, shape_b, work, s_from)
    elif kind_b == SPHERE:
        s = _toi_sphere_sphere(work, floats[param_a], floats[param_b], straight, s_from)
    elif kind_a == SPHERE:
        s = toi_sphere_surface(floats, ints, shape_a, shape_b, work, straight, s_from)
    elif kind_b == BOX:
        s = toi_box_box(floats, param_a, param_b, work, s_from)
    else:
        s = toi_surface_surface(floats, ints, shape_a, shape_b, work, straight, s_from)
    return tell_contact(body, i, a, b, kind_a, kind_b, s, s_from, t0, t_from, work, out)


@inner_kernel
def prepare_pair(body, quat, floats, ints, a, b, kind_a, kind_b, shape_a, shape_b, t0, s_from, t_from, work):
    """Fill `work` (WORK_SIZE,) for a search of rows a and b, in kind order; returns whether their path is straight."""
    for k in range(2):
        rotation_into(quat, b if k == 1 or kind_a == SPHERE else a, work, ws.TURN_A + (ws.TURN_B - ws.TURN_A) * k)
        work[ws.FEATURE_A + k] = NO_ID
    for k in range(3):
        work[ws.POINT + k] = work[ws.NORMAL + k] = 0.0
    relative_motion_into(body, a, b, t0, work)
    straight = _tolerances_into(floats, ints, shape_a, kind_a, shape_b, kind_b, work, s_from, t_from)
    work[ws.TESTS] = 1.0
    return straight


@inner_kernel
def tell_contact(body, i, a, b, kind_a, kind_b, s, s_from, t0, t_from, work, out):
    """Fill `out` (OUT_SIZE,) from the contact in `work` at s, inf for none, with normals from row i; returns its time."""
    clear_answer_into(out, work[ws.TESTS])
    if s == inf:
        return inf
    t = t_from if s == s_from else max(t0 + s, t_from)
    for k in range(2):
        if (kind_b if k else kind_a) == BOX:
            work[ws.FEATURE_A + k] = _box_side(work, k)
    sign = 1.0 if a == i else -1.0
    for k in range(3):
        row = ws.TURN_A + 3 * k
        point = work[row] * work[ws.POINT] + work[row + 1] * work[ws.POINT + 1] + work[row + 2] * work[ws.POINT + 2]
        out[OUT_POINT + k] = position_at(body, a, k, t) + point
        normal = work[row] * work[ws.NORMAL] + work[row + 1] * work[ws.NORMAL + 1] + work[row + 2] * work[ws.NORMAL + 2]
        out[OUT_NORMAL + k] = sign * normal
    out[OUT_FEATURE_I] = work[ws.FEATURE_A] if a == i else work[ws.FEATURE_B]
    out[OUT_FEATURE_J] = work[ws.FEATURE_B] if a == i else work[ws.FEATURE_A]
    out[OUT_STATUS] = work[ws.STATUS]
    return t


_SIGNATURE = "float64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, float64, int64)"


@functools.cache
def _general_toi() -> Any:
    """toi_general behind a C signature: the tables come as addresses, so that event loops compile without it."""
    with compiling("the exact pair test"):

        @c_callback(_SIGNATURE)
        def toi(body, quat, link, n_rows, floats, n_floats, ints, n_ints, i, j, t_from, out):
            return toi_general(
                carray(as_float64(body), (n_rows, BODY_COLUMNS)),
                carray(as_float64(quat), (n_rows, 4)),
                carray(as_int32(link), (n_rows, LINK_COLUMNS)),
                carray(as_float64(floats), n_floats),
                carray(as_int64(ints), n_ints),
                i,
                j,
                t_from,
                carray(as_float64(out), OUT_SIZE),
            )

    return toi


def general_toi_address() -> int:
    """Address of the C function

    double toi(int64 body, int64 quat, int64 link, int64 n_rows, int64 floats, int64 n_floats, int64 ints, int64 n_ints,
               int64 i, int64 j, double t_from, int64 out)

    which is toi_general on the tables at those addresses. Compiles on first use.
    """
    return int(_general_toi().address)


def first_contact(
    a: Shape,
    b: Shape,
    position_a: ArrayLike = (0.0, 0.0, 0.0),
    position_b: ArrayLike = (0.0, 0.0, 0.0),
    velocity_a: ArrayLike = (0.0, 0.0, 0.0),
    velocity_b: ArrayLike = (0.0, 0.0, 0.0),
    acceleration_a: ArrayLike = (0.0, 0.0, 0.0),
    acceleration_b: ArrayLike = (0.0, 0.0, 0.0),
    orientation_a: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    orientation_b: ArrayLike = (1.0, 0.0, 0.0, 0.0),
    start: float = 0.0,
) -> Contact | None:
    """First contact, `start` seconds or more after the given state, of two shapes that do not turn; None if never.

    Vectors (3,) in world axes, orientations (4,) w, x, y, z. Touching and parting is no contact; overlapping and moving
    further into each other is one at `start`.
    """
    table = ShapeTable()
    body = np.zeros((2, BODY_COLUMNS))
    quat = np.zeros((2, 4))
    link = np.zeros((2, LINK_COLUMNS), dtype=np.int32)
    given = (
        (a, "a", position_a, velocity_a, acceleration_a, orientation_a),
        (b, "b", position_b, velocity_b, acceleration_b, orientation_b),
    )
    for row, (shape, name, position, velocity, acceleration, orientation) in enumerate(given):
        body[row, X : X + 3] = validate.vector(f"position_{name}", position)
        body[row, VX : VX + 3] = validate.vector(f"velocity_{name}", velocity)
        body[row, AX : AX + 3] = validate.vector(f"acceleration_{name}", acceleration)
        quat[row] = validate.unit_quaternion(f"orientation_{name}", orientation)
        link[row, SHAPE], link[row, KIND], link[row, ID] = table.add(shape), shape.kind, row
    begin = validate.moment("start", start)
    if begin < 0.0:
        raise InvalidInputError(f"start is {start}; expected 0 or more seconds")
    out = np.zeros(OUT_SIZE)
    with compiling("narrow phase for single pairs"):
        time = toi_general(body, quat, link, table.floats, table.ints, 0, 1, begin, out)
    if time == inf:
        return None
    return contact_of(time, out)
