"""First contact of two moving triangles: 11 separating axes, and those in the plane if the planes are parallel."""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel, kernel
from carom.narrow.toi import workspace as ws
from carom.narrow.toi.straight.moving_axes import all_sides_closed, leave_axis_first, meet, open_and_close
from carom.narrow.toi.workspace import pad_at
from carom.tolerances import FLAT_TRIANGLE, PARALLEL_PLANES, TINY

_CROSSED = 11
_COPLANAR = 17
_DEGENERATE = 23
"""Numbers of axes: two normals and nine cross products of edges; with six normals of edges in the plane; with six edges."""


@inner_kernel
def load_triangles(floats, a, b, work):
    """Copy the triangles at `a` and `b` to TRI_A and TRI_B, the second turned into A's axes."""
    turn = ws.FROM_A + ws.M_TURN
    for c in range(0, 9, 3):
        for d in range(3):
            work[ws.TRI_A + c + d] = floats[a + c + d]
            row = turn + 3 * d
            work[ws.TRI_B + c + d] = (
                work[row] * floats[b + c] + work[row + 1] * floats[b + c + 1] + work[row + 2] * floats[b + c + 2]
            )


@kernel
def _cross(work, p, q):
    """Cross product of vectors p and q of VECTORS."""
    a, b = ws.VECTORS + 3 * p, ws.VECTORS + 3 * q
    return (
        work[a + 1] * work[b + 2] - work[a + 2] * work[b + 1],
        work[a + 2] * work[b] - work[a] * work[b + 2],
        work[a] * work[b + 1] - work[a + 1] * work[b],
    )


@kernel
def _prepare(work):
    """Fill VECTORS and N_AXES from TRI_A and TRI_B. A segment or point gets a normal of the other, or any square to it."""
    n_axes = _CROSSED
    for t in range(2):
        longest = 0.0
        for k in range(3):
            p, q = ws.TRI_A + 9 * t + 3 * k, ws.TRI_A + 9 * t + 3 * ((k + 1) % 3)
            edge = ws.VECTORS + 6 + 9 * t + 3 * k
            x, y, z = work[q] - work[p], work[q + 1] - work[p + 1], work[q + 2] - work[p + 2]
            work[edge], work[edge + 1], work[edge + 2] = x, y, z
            longest = max(longest, x * x + y * y + z * z)
        x, y, z = _cross(work, 2 + 3 * t, 3 + 3 * t)
        length = sqrt(x * x + y * y + z * z)
        scale = 1.0 / length if length > FLAT_TRIANGLE * longest else 0.0
        normal = ws.VECTORS + 3 * t
        work[normal], work[normal + 1], work[normal + 2] = x * scale, y * scale, z * scale
        if scale == 0.0:
            n_axes = _DEGENERATE
    if n_axes == _DEGENERATE:
        _stand_in_normals(work)
    else:
        a, b = ws.VECTORS, ws.VECTORS + 3
        cosine = work[a] * work[b] + work[a + 1] * work[b + 1] + work[a + 2] * work[b + 2]
        if cosine * cosine > 1.0 - PARALLEL_PLANES * PARALLEL_PLANES:
            n_axes = _COPLANAR
    work[ws.N_AXES] = n_axes


@inner_kernel
def _stand_in_normals(work):
    """Give a triangle without a normal that of the other; both one square to their longest edge where neither has one."""
    either = 0.0
    for d in range(6):
        either += abs(work[ws.VECTORS + d])
    if either == 0.0:
        longest, far = 0, -1.0
        for k in range(6):
            p = ws.VECTORS + 6 + 3 * k
            square = work[p] ** 2 + work[p + 1] ** 2 + work[p + 2] ** 2
            if square > far:
                longest, far = k, square
        best, bx, by, bz = 0.0, 1.0, 0.0, 0.0
        for k in range(7, -2, -1):
            # The six edges first; if all are parallel, the three coordinate axes in place of B's normal.
            if k < 2:
                if best > FLAT_TRIANGLE * FLAT_TRIANGLE * far * far:
                    break
                for d in range(3):
                    work[ws.VECTORS + 3 + d] = sqrt(far) if d == k + 1 else 0.0
            x, y, z = _cross(work, 2 + longest, max(k, 1))
            square = x * x + y * y + z * z
            if square > best:
                best, bx, by, bz = square, x / sqrt(square), y / sqrt(square), z / sqrt(square)
        work[ws.VECTORS], work[ws.VECTORS + 1], work[ws.VECTORS + 2] = bx, by, bz
        work[ws.VECTORS + 3] = work[ws.VECTORS + 4] = work[ws.VECTORS + 5] = 0.0
    for d in range(3):
        # One of the two is zero here, so that the sum is the other.
        work[ws.VECTORS + d] += work[ws.VECTORS + 3 + d]
        work[ws.VECTORS + 3 + d] = work[ws.VECTORS + d]


@inner_kernel
def _put_axis(work, k):
    """Write axis k: unit direction, projections of both triangles and of the motion. A zero axis separates nothing."""
    if k < 2 or k >= _COPLANAR:
        p = ws.VECTORS + 3 * (k if k < 2 else k - _COPLANAR + 2)
        x, y, z = work[p], work[p + 1], work[p + 2]
    else:
        crossed = k < _CROSSED
        m = k - 2 if crossed else k - _CROSSED
        x, y, z = _cross(work, 2 + m // 3 if crossed else m // 3, 5 + m % 3 if crossed else 2 + m)
    row = ws.AXES + ws.AXIS_ROW * k
    length = sqrt(x * x + y * y + z * z)
    scale = 1.0 / length if length > TINY else 0.0
    x, y, z = x * scale, y * scale, z * scale
    work[row], work[row + 1], work[row + 2] = x, y, z
    min_a = min_b = inf
    max_a = max_b = -inf
    for c in range(0, 9, 3):
        a = work[ws.TRI_A + c] * x + work[ws.TRI_A + c + 1] * y + work[ws.TRI_A + c + 2] * z
        b = work[ws.TRI_B + c] * x + work[ws.TRI_B + c + 1] * y + work[ws.TRI_B + c + 2] * z
        min_a, max_a = min(min_a, a), max(max_a, a)
        min_b, max_b = min(min_b, b), max(max_b, b)
    d, v, h = ws.FROM_A + ws.M_D, ws.FROM_A + ws.M_V, ws.FROM_A + ws.M_H
    work[row + ws.A_D] = work[d] * x + work[d + 1] * y + work[d + 2] * z
    work[row + ws.A_V] = work[v] * x + work[v + 1] * y + work[v + 2] * z
    work[row + ws.A_H] = work[h] * x + work[h + 1] * y + work[h + 2] * z
    work[row + ws.A_AHEAD] = min_b - max_a if scale > 0.0 else -inf
    work[row + ws.A_BEHIND] = min_a - max_b if scale > 0.0 else -inf


@inner_kernel
def toi_triangle_triangle(work, s_from, s_max):
    """First contact in [s_from, s_max] of the triangles at TRI_A and TRI_B; inf if none.

    Sets DEEP where they overlap by more than a touch at s_from. The rows of axes and SIDE describe the contact.
    """
    _prepare(work)
    s = s_from
    for k in range(int(work[ws.N_AXES])):
        _put_axis(work, k)
        s = leave_axis_first(work, k, s, s_from)
        if s > s_max or s == inf:
            return inf
    return meet(work, s_from, s, s_max)


@inner_kernel
def triangles_part(work, s):
    """When the triangles at TRI_A and TRI_B, if they touch at s, next part: inf for never, s where they do not touch."""
    _prepare(work)
    for k in range(int(work[ws.N_AXES])):
        _put_axis(work, k)
    if not all_sides_closed(work, s, pad_at(work, s)):
        return s
    opened, _ = open_and_close(work, s)
    return opened
