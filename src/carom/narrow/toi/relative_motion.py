"""The motion of one body in the frame of another."""

from __future__ import annotations

from math import sqrt

from carom._compile.jit import inner_kernel, kernel
from carom.maths.turning_orientation import rotation_of_into, turned_quaternion
from carom.narrow.toi.advancement.scratch import F_ACC, F_D, F_ROT_A, F_ROT_B, F_SPIN_A, F_SPIN_B, F_V
from carom.narrow.toi.workspace import FROM_A, FROM_B, M_D, M_H, M_TURN, M_V, TURN_A, TURN_B
from carom.tables.body_columns import AX, T_REF, VX, X


@inner_kernel
def rotation_into(quat, row, work, at):
    """Write the rotation (9) of quaternion `row` (w, x, y, z) at `at`: it takes the body's axes to world axes."""
    rotation_of_into(quat[row, 0], quat[row, 1], quat[row, 2], quat[row, 3], work, at)


@kernel
def position_at(body, row, d, t):
    """World coordinate d of a body at time t."""
    dt = t - body[row, T_REF]
    v = body[row, VX + d]
    return body[row, X + d] + 0.5 * (v + (v + body[row, AX + d] * dt)) * dt


@inner_kernel
def relative_motion_into(body, a, b, t0, work):
    """Fill the motion blocks FROM_A and FROM_B of rows a, b as of t0, from the rotations at TURN_A and TURN_B."""
    for block, turn, own, other, turn_other in ((FROM_A, TURN_A, a, b, TURN_B), (FROM_B, TURN_B, b, a, TURN_A)):
        for r in range(3):
            d = v = h = 0.0
            for k in range(3):
                axis = work[turn + 3 * k + r]
                d += axis * (position_at(body, other, k, t0) - position_at(body, own, k, t0))
                at_own = body[own, VX + k] + body[own, AX + k] * (t0 - body[own, T_REF])
                at_other = body[other, VX + k] + body[other, AX + k] * (t0 - body[other, T_REF])
                v += axis * (at_other - at_own)
                h += axis * (0.5 * (body[other, AX + k] - body[own, AX + k]))
            work[block + M_D + r] = d
            work[block + M_V + r] = v
            work[block + M_H + r] = h
            for c in range(3):
                total = 0.0
                for k in range(3):
                    total += work[turn + 3 * k + r] * work[turn_other + 3 * k + c]
                work[block + M_TURN + 3 * r + c] = total


@inner_kernel
def flight_into(body, quat, spin, a, b, t0, flight):
    """Fill a flight (FLIGHT_COLUMNS,) of rows a and b as of t0. A zero quaternion stands for no rotation."""
    for row, rot, turn in ((a, F_ROT_A, F_SPIN_A), (b, F_ROT_B, F_SPIN_B)):
        x, y, z = spin[row, 0], spin[row, 1], spin[row, 2]
        w, qx, qy, qz = quat[row, 0], quat[row, 1], quat[row, 2], quat[row, 3]
        if w == 0.0 and qx == 0.0 and qy == 0.0 and qz == 0.0:
            w = 1.0
        q0, q1, q2, q3 = turned_quaternion(w, qx, qy, qz, x, y, z, t0 - body[row, T_REF])
        scale = 1.0 / sqrt(q0 * q0 + q1 * q1 + q2 * q2 + q3 * q3)
        rotation_of_into(q0 * scale, q1 * scale, q2 * scale, q3 * scale, flight, rot)
        flight[turn], flight[turn + 1], flight[turn + 2] = x, y, z
    for k in range(3):
        flight[F_D + k] = position_at(body, b, k, t0) - position_at(body, a, k, t0)
        at_a = body[a, VX + k] + body[a, AX + k] * (t0 - body[a, T_REF])
        at_b = body[b, VX + k] + body[b, AX + k] * (t0 - body[b, T_REF])
        flight[F_V + k] = at_b - at_a
        flight[F_ACC + k] = body[b, AX + k] - body[a, AX + k]
