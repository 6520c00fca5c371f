"""The motion of rows of the body table: where they are at a time, relative to each other, and how their epochs move on."""

from __future__ import annotations

import math

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.maths.turning_orientation import turned_quaternion
from carom.tables.body_columns import AX, T_REF, VX, X


@inline_kernel
def place_at(body, row, d, t):
    """Coordinate d of the position of a row at t."""
    h = t - body[row, T_REF]
    return body[row, X + d] + h * (body[row, VX + d] + 0.5 * body[row, AX + d] * h)


@inline_kernel
def speed_at(body, row, d, t):
    """Coordinate d of the velocity of a row at t."""
    return body[row, VX + d] + body[row, AX + d] * (t - body[row, T_REF])


@inner_kernel
def relative_state(body, i, j, t0):
    """Offset, velocity and acceleration of row j relative to row i at t0 >= both epochs."""
    hi = t0 - body[i, T_REF]
    hj = t0 - body[j, T_REF]
    ax = body[j, AX] - body[i, AX]
    ay = body[j, AX + 1] - body[i, AX + 1]
    az = body[j, AX + 2] - body[i, AX + 2]
    wix = body[i, VX] + body[i, AX] * hi
    wiy = body[i, VX + 1] + body[i, AX + 1] * hi
    wiz = body[i, VX + 2] + body[i, AX + 2] * hi
    wjx = body[j, VX] + body[j, AX] * hj
    wjy = body[j, VX + 1] + body[j, AX + 1] * hj
    wjz = body[j, VX + 2] + body[j, AX + 2] * hj
    dx = (body[j, X] + 0.5 * (body[j, VX] + wjx) * hj) - (body[i, X] + 0.5 * (body[i, VX] + wix) * hi)
    dy = (body[j, X + 1] + 0.5 * (body[j, VX + 1] + wjy) * hj) - (body[i, X + 1] + 0.5 * (body[i, VX + 1] + wiy) * hi)
    dz = (body[j, X + 2] + 0.5 * (body[j, VX + 2] + wjz) * hj) - (body[i, X + 2] + 0.5 * (body[i, VX + 2] + wiz) * hi)
    return dx, dy, dz, wjx - wix, wjy - wiy, wjz - wiz, ax, ay, az


@inner_kernel
def accelerates(body, row):
    """Does the row's velocity change by itself?"""
    return body[row, AX] != 0.0 or body[row, AX + 1] != 0.0 or body[row, AX + 2] != 0.0


@inner_kernel
def same_acceleration(body, i, j):
    """Is the relative motion of rows i and j linear?"""
    return body[i, AX] == body[j, AX] and body[i, AX + 1] == body[j, AX + 1] and body[i, AX + 2] == body[j, AX + 2]


@lean_kernel
def advance_row(body, i, t):
    """Move row i's epoch to t."""
    h = t - body[i, T_REF]
    for d in range(3):
        v = body[i, VX + d]
        w = v + body[i, AX + d] * h
        body[i, X + d] += 0.5 * (v + w) * h
        body[i, VX + d] = w
    body[i, T_REF] = t


@lean_kernel
def turn_row(body, quat, spin, i, t):
    """Bring the orientation of row i to time t, before its epoch follows."""
    x, y, z = spin[i, 0], spin[i, 1], spin[i, 2]
    if x != 0.0 or y != 0.0 or z != 0.0:
        a, b, c, d = turned_quaternion(quat[i, 0], quat[i, 1], quat[i, 2], quat[i, 3], x, y, z, t - body[i, T_REF])
        length = math.sqrt(a * a + b * b + c * c + d * d)
        quat[i, 0], quat[i, 1], quat[i, 2], quat[i, 3] = a / length, b / length, c / length, d / length
