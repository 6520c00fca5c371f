"""First contact of two moving boxes: 15 separating axes, solved exactly."""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel
from carom.narrow.toi import workspace as ws
from carom.narrow.toi.contact_witness import witness_into
from carom.narrow.toi.straight.moving_axes import face_contact, leave_axis_first, meet
from carom.tolerances import PARALLEL_BOXES

_MOST_AXES = 15


@inner_kernel
def _put_axis(floats, half_a, half_b, work, k):
    """Write axis k, in A's axes: A's axes, B's axes, their cross products; the boxes' reach and the motion along it.

    A cross product of parallel edges separates nothing.
    """
    turn = ws.FROM_A + ws.M_TURN + k % 3
    x, y, z = work[turn], work[turn + 3], work[turn + 6]
    if k < 3:
        x, y, z = (1.0 if k == 0 else 0.0), (1.0 if k == 1 else 0.0), (1.0 if k == 2 else 0.0)
    elif k >= 12:
        x, y, z = -y, x, 0.0
    elif k >= 9:
        x, y, z = z, 0.0, -x
    elif k >= 6:
        x, y, z = 0.0, -z, y
    length = sqrt(x * x + y * y + z * z)
    parallel = length < PARALLEL_BOXES
    scale = 0.0 if parallel else 1.0 / length
    x, y, z = x * scale, y * scale, z * scale
    row = ws.AXES + ws.AXIS_ROW * k
    work[row], work[row + 1], work[row + 2] = x, y, z
    reach = floats[half_a] * abs(x) + floats[half_a + 1] * abs(y) + floats[half_a + 2] * abs(z)
    for c in range(3):
        turn = ws.FROM_A + ws.M_TURN + c
        reach += floats[half_b + c] * abs(work[turn] * x + work[turn + 3] * y + work[turn + 6] * z)
    d, v, h = ws.FROM_A + ws.M_D, ws.FROM_A + ws.M_V, ws.FROM_A + ws.M_H
    work[row + ws.A_D] = work[d] * x + work[d + 1] * y + work[d + 2] * z
    work[row + ws.A_V] = work[v] * x + work[v + 1] * y + work[v + 2] * z
    work[row + ws.A_H] = work[h] * x + work[h + 1] * y + work[h + 2] * z
    work[row + ws.A_AHEAD] = work[row + ws.A_BEHIND] = -inf if parallel else -reach


@inner_kernel
def _polygon_into(floats, half, work, which, s):
    """Fill the polygon of box `which` (0: A, 1: B) with the corners of its face, edge or corner that faces the other at s.

    TURNED holds the axes of both boxes, in columns. Axes nearly square to the normal are free.
    """
    sign = 1.0 - 2.0 * which
    turn, target = ws.TURNED + 9 * which, ws.POLYGON_A + (ws.POLYGON_B - ws.POLYGON_A) * which
    for d in range(3):
        work[target + d] = which * (
            work[ws.FROM_A + ws.M_D + d] + s * (work[ws.FROM_A + ws.M_V + d] + s * work[ws.FROM_A + ws.M_H + d])
        )
    count = 1
    for c in range(3):
        size = floats[half + c]
        along = sign * (
            work[turn + c] * work[ws.NORMAL]
            + work[turn + 3 + c] * work[ws.NORMAL + 1]
            + work[turn + 6 + c] * work[ws.NORMAL + 2]
        )
        free = abs(along) * size <= work[ws.TOUCH] and count < 4
        step = size if along > 0.0 and not free else -size
        for k in range(count):
            for d in range(3):
                p = target + 3 * k + d
                # The copy goes back around: -- , +-, ++, -+.
                if free:
                    work[target + 3 * (2 * count - 1 - k) + d] = work[p] + size * work[turn + 3 * d + c]
                work[p] += step * work[turn + 3 * d + c]
        if free:
            count *= 2
    work[ws.N_CORNERS + which] = count


@inner_kernel
def toi_box_box(floats, half_a, half_b, work, s_from):
    """First contact from s_from on of two solid boxes with half sizes at `half_a`, `half_b`; inf if never."""
    work[ws.TESTS] += 1.0
    work[ws.N_AXES] = _MOST_AXES
    s = s_from
    for k in range(_MOST_AXES):
        _put_axis(floats, half_a, half_b, work, k)
        s = leave_axis_first(work, k, s, s_from)
        if s == inf:
            return inf
    s = meet(work, s_from, s, inf)
    if s == inf:
        return inf
    face_contact(work, s)
    for k in range(9):
        work[ws.TURNED + k] = 1.0 if k % 4 == 0 else 0.0
        work[ws.TURNED + 9 + k] = work[ws.FROM_A + ws.M_TURN + k]
    for which in range(2):
        _polygon_into(floats, half_b if which else half_a, work, which, s)
    witness_into(work)
    return s
