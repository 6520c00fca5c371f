"""First contact of two moving triangles: 11 separating axes, and those in the plane where the planes are parallel."""

from __future__ import annotations

from math import inf, sqrt

from carom._jit import kernel
from carom.narrow.moving_axes import NO_SIDE, leave_axis, settle, start_in_overlap
from carom.narrow.workspace import (
    A_AHEAD,
    A_BEHIND,
    A_D,
    A_H,
    A_V,
    AXES,
    AXIS_ROW,
    DEEP,
    FROM_A,
    M_D,
    M_H,
    M_V,
    TRI_A,
    TRI_B,
)
from carom.tolerances import PARALLEL_PLANES

_FLAT_HEIGHT = 1e-12
"""A triangle lower than this share of its longest side has no normal worth the name; it is tested as a segment."""

_CROSSED = 11
_COPLANAR = 17
_DEGENERATE = 23
"""Numbers of axes: two normals and nine cross products of edges; with six normals of edges in the plane; with six edges."""


@kernel
def _cross(ax, ay, az, bx, by, bz):
    """a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def _edge(work, tri, k):
    """Edge k of the triangle at `tri`, from corner k to the next."""
    p = tri + 3 * k
    q = tri + 3 * ((k + 1) % 3)
    return work[q] - work[p], work[q + 1] - work[p + 1], work[q + 2] - work[p + 2]


@kernel
def _normal(work, tri):
    """Unit normal of the triangle at `tri`; zero for one that is a segment or a point."""
    ux, uy, uz = _edge(work, tri, 0)
    vx, vy, vz = _edge(work, tri, 1)
    wx, wy, wz = _edge(work, tri, 2)
    nx, ny, nz = _cross(ux, uy, uz, vx, vy, vz)
    longest = max(ux * ux + uy * uy + uz * uz, max(vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz))
    length = sqrt(nx * nx + ny * ny + nz * nz)
    if length <= _FLAT_HEIGHT * longest:
        return 0.0, 0.0, 0.0
    return nx / length, ny / length, nz / length


@kernel
def _stand_in_normal(work):
    """A unit vector square to the longest edge of both triangles: the normal of the plane of two segments."""
    ex, ey, ez = 1.0, 0.0, 0.0
    longest = 0.0
    for k in range(6):
        x, y, z = _edge(work, TRI_A if k < 3 else TRI_B, k % 3)
        if x * x + y * y + z * z > longest:
            longest = x * x + y * y + z * z
            ex, ey, ez = x, y, z
    best, nx, ny, nz = 0.0, 0.0, 0.0, 0.0
    for k in range(9):
        if k < 6:
            x, y, z = _edge(work, TRI_A if k < 3 else TRI_B, k % 3)
        else:
            scale = 1e-3 * sqrt(longest) if longest > 0.0 else 1.0
            x, y, z = (scale if k == 6 else 0.0), (scale if k == 7 else 0.0), (scale if k == 8 else 0.0)
        cx, cy, cz = _cross(ex, ey, ez, x, y, z)
        square = cx * cx + cy * cy + cz * cz
        if square > best:
            best, nx, ny, nz = square, cx, cy, cz
    length = sqrt(best)
    return nx / length, ny / length, nz / length


@kernel
def _put_axis(work, k, x, y, z):
    """Write axis k along (x, y, z), of any length: its projections and the motion along it; a zero axis separates nothing."""
    row = AXES + AXIS_ROW * k
    length = sqrt(x * x + y * y + z * z)
    scale = 1.0 / length if length > 1e-150 else 0.0
    x, y, z = x * scale, y * scale, z * scale
    work[row], work[row + 1], work[row + 2] = x, y, z
    min_a = min_b = inf
    max_a = max_b = -inf
    for c in range(0, 9, 3):
        a = work[TRI_A + c] * x + work[TRI_A + c + 1] * y + work[TRI_A + c + 2] * z
        b = work[TRI_B + c] * x + work[TRI_B + c + 1] * y + work[TRI_B + c + 2] * z
        min_a, max_a = min(min_a, a), max(max_a, a)
        min_b, max_b = min(min_b, b), max(max_b, b)
    d = FROM_A + M_D
    v = FROM_A + M_V
    h = FROM_A + M_H
    work[row + A_D] = work[d] * x + work[d + 1] * y + work[d + 2] * z
    work[row + A_V] = work[v] * x + work[v + 1] * y + work[v + 2] * z
    work[row + A_H] = work[h] * x + work[h + 1] * y + work[h + 2] * z
    work[row + A_AHEAD] = min_b - max_a
    work[row + A_BEHIND] = min_a - max_b
    if scale == 0.0:
        work[row + A_AHEAD] = work[row + A_BEHIND] = -inf


@kernel
def _axis_count(ax, ay, az, bx, by, bz):
    """How many axes the triangles with unit normals a, b need; a zero normal marks a segment."""
    if (ax == 0.0 and ay == 0.0 and az == 0.0) or (bx == 0.0 and by == 0.0 and bz == 0.0):
        return _DEGENERATE
    cx, cy, cz = _cross(ax, ay, az, bx, by, bz)
    return _COPLANAR if cx * cx + cy * cy + cz * cz < PARALLEL_PLANES * PARALLEL_PLANES else _CROSSED


@kernel
def toi_triangle_triangle(work, s_from, s_max, pad, touch, speed):
    """First contact in [s_from, s_max] of the triangles at TRI_A and TRI_B: (time or inf, side of the axis).

    Sets DEEP where they overlap by more than `touch` at s_from. Rows of axes in `work` stay valid for the answer.
    """
    ax, ay, az = _normal(work, TRI_A)
    bx, by, bz = _normal(work, TRI_B)
    n_axes = _axis_count(ax, ay, az, bx, by, bz)
    if n_axes == _DEGENERATE:
        if ax == 0.0 and ay == 0.0 and az == 0.0:
            ax, ay, az = bx, by, bz
        if ax == 0.0 and ay == 0.0 and az == 0.0:
            ax, ay, az = _stand_in_normal(work)
        if bx == 0.0 and by == 0.0 and bz == 0.0:
            bx, by, bz = ax, ay, az
    s = s_from
    side = NO_SIDE
    for k in range(n_axes):
        if k == 0:
            x, y, z = ax, ay, az
        elif k == 1:
            x, y, z = bx, by, bz
        elif k < _CROSSED:
            ux, uy, uz = _edge(work, TRI_A, (k - 2) // 3)
            vx, vy, vz = _edge(work, TRI_B, (k - 2) % 3)
            x, y, z = _cross(ux, uy, uz, vx, vy, vz)
        else:
            first = (k - _CROSSED) % 6 < 3
            x, y, z = _edge(work, TRI_A if first else TRI_B, (k - _CROSSED) % 3)
            if k < _COPLANAR:
                if first:
                    x, y, z = _cross(ax, ay, az, x, y, z)
                else:
                    x, y, z = _cross(bx, by, bz, x, y, z)
        _put_axis(work, k, x, y, z)
        s, side = leave_axis(work, k, s, side, pad)
        if not s <= s_max or s == inf:
            return inf, side
    if side == NO_SIDE:
        s, side, deep = start_in_overlap(work, n_axes, s_from, speed, touch)
        if deep:
            work[DEEP] = 1.0
        if s == s_from:
            return s, side
    return settle(work, n_axes, s, side, s_max, pad)
