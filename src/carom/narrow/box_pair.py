"""First contact of two moving boxes: 15 separating axes, solved exactly."""

from __future__ import annotations

from math import inf, sqrt

from carom._jit import kernel
from carom.narrow.moving_axes import NO_SIDE, contact_status, leave_axis, settle, start_in_overlap
from carom.narrow.witness import witness_into
from carom.narrow.workspace import (
    A_AHEAD,
    A_BEHIND,
    A_D,
    A_H,
    A_V,
    AXES,
    AXIS_ROW,
    FROM_A,
    M_D,
    M_H,
    M_TURN,
    M_V,
    NORMAL,
    POLYGON_A,
    POLYGON_B,
    STATUS,
    TESTS,
)

_N_AXES = 15
_ONE_DIRECTION = 1e-14
"""Sine. The cross product of edges closer to parallel is rounding only; leaving it out costs as much of the size."""


@kernel
def _put_axis(floats, half_a, half_b, work, k, x, y, z):
    """Write axis k along the unit vector (x, y, z): the boxes' reach and the motion along it."""
    row = AXES + AXIS_ROW * k
    work[row], work[row + 1], work[row + 2] = x, y, z
    reach = floats[half_a] * abs(x) + floats[half_a + 1] * abs(y) + floats[half_a + 2] * abs(z)
    for c in range(3):
        turn = FROM_A + M_TURN + c
        reach += floats[half_b + c] * abs(work[turn] * x + work[turn + 3] * y + work[turn + 6] * z)
    d, v, h = FROM_A + M_D, FROM_A + M_V, FROM_A + M_H
    work[row + A_D] = work[d] * x + work[d + 1] * y + work[d + 2] * z
    work[row + A_V] = work[v] * x + work[v + 1] * y + work[v + 2] * z
    work[row + A_H] = work[h] * x + work[h + 1] * y + work[h + 2] * z
    work[row + A_AHEAD] = -reach
    work[row + A_BEHIND] = -reach


@kernel
def _axis(work, k):
    """Separating axis k of the boxes, in A's axes, of any length: A's axes, B's axes, then their cross products."""
    turn = FROM_A + M_TURN
    if k < 3:
        return (1.0 if k == 0 else 0.0), (1.0 if k == 1 else 0.0), (1.0 if k == 2 else 0.0)
    c = turn + k % 3
    x, y, z = work[c], work[c + 3], work[c + 6]
    if k < 6:
        return x, y, z
    if k < 9:
        return 0.0, -z, y
    if k < 12:
        return z, 0.0, -x
    return -y, x, 0.0


@kernel
def _polygon_into(floats, half, work, turn, sign, slack, px, py, pz, target):
    """Corners of the face, edge or corner of a box that is farthest along sign * NORMAL; returns how many.

    `turn` (9) in `work` takes the box's axes to A's, (px, py, pz) is its centre. Axes nearly square to the normal are free.
    """
    free0, free1 = -1, -1
    x, y, z = px, py, pz
    for c in range(3):
        ux, uy, uz = work[turn + c], work[turn + 3 + c], work[turn + 6 + c]
        size = floats[half + c]
        along = sign * (ux * work[NORMAL] + uy * work[NORMAL + 1] + uz * work[NORMAL + 2])
        if abs(along) * size <= slack and free1 < 0:
            if free0 < 0:
                free0 = c
            else:
                free1 = c
        else:
            step = size if along > 0.0 else -size
            x, y, z = x + step * ux, y + step * uy, z + step * uz
    count = 1 if free0 < 0 else (2 if free1 < 0 else 4)
    for k in range(count):
        # Around the face: --, +-, ++, -+.
        first = 1.0 if k == 1 or k == 2 else -1.0
        second = 1.0 if k >= 2 else -1.0
        p = target + 3 * k
        work[p], work[p + 1], work[p + 2] = x, y, z
        if free0 >= 0:
            for d in range(3):
                work[p + d] += first * floats[half + free0] * work[turn + 3 * d + free0]
        if free1 >= 0:
            for d in range(3):
                work[p + d] += second * floats[half + free1] * work[turn + 3 * d + free1]
    return count


@kernel
def _contact_into(floats, half_a, half_b, work, s, side, touch):
    """Set NORMAL, POINT and STATUS of the contact at s on `side`."""
    row = AXES + AXIS_ROW * (side // 2)
    sign = 1.0 if side % 2 == 0 else -1.0
    for d in range(3):
        work[NORMAL + d] = sign * work[row + d]
    work[STATUS] = contact_status(work, s, side, touch)
    d, v, h = FROM_A + M_D, FROM_A + M_V, FROM_A + M_H
    x = work[d] + s * (work[v] + s * work[h])
    y = work[d + 1] + s * (work[v + 1] + s * work[h + 1])
    z = work[d + 2] + s * (work[v + 2] + s * work[h + 2])
    # The rows of axes are no longer needed: an identity there lets A use the same code as B.
    for k in range(9):
        work[AXES + k] = 1.0 if k % 4 == 0 else 0.0
    n_a = _polygon_into(floats, half_a, work, AXES, 1.0, touch, 0.0, 0.0, 0.0, POLYGON_A)
    n_b = _polygon_into(floats, half_b, work, FROM_A + M_TURN, -1.0, touch, x, y, z, POLYGON_B)
    witness_into(work, n_a, n_b)


@kernel
def toi_box_box(floats, half_a, half_b, work, s_from, pad, touch, speed):
    """First contact from s_from on of two solid boxes with half sizes at `half_a`, `half_b`; inf if never."""
    work[TESTS] += 1.0
    s = s_from
    side = NO_SIDE
    n_axes = 0
    for k in range(_N_AXES):
        x, y, z = _axis(work, k)
        length = sqrt(x * x + y * y + z * z)
        if length < _ONE_DIRECTION:
            continue
        _put_axis(floats, half_a, half_b, work, n_axes, x / length, y / length, z / length)
        s, side = leave_axis(work, n_axes, s, side, pad)
        n_axes += 1
        if s == inf:
            return inf
    if side == NO_SIDE:
        s, side, _ = start_in_overlap(work, n_axes, s_from, speed, touch)
        if s > s_from:
            s, side = settle(work, n_axes, s, side, inf, pad)
    else:
        s, side = settle(work, n_axes, s, side, inf, pad)
    if s < inf:
        _contact_into(floats, half_a, half_b, work, s, side, touch)
    return s
