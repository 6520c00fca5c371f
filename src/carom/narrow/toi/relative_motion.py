"""The motion of one body in the frame of another."""

from __future__ import annotations

from carom._compile.jit import inner_kernel, kernel
from carom.narrow.toi.workspace import FROM_A, FROM_B, M_D, M_H, M_TURN, M_V, TURN_A, TURN_B
from carom.tables.body_columns import AX, T_REF, VX, X


@inner_kernel
def rotation_into(quat, row, work, at):
    """Write the rotation (9) of quaternion `row` (w, x, y, z) at `at`: it takes the body's axes to world axes."""
    w, x, y, z = quat[row, 0], quat[row, 1], quat[row, 2], quat[row, 3]
    work[at] = 1.0 - 2.0 * (y * y + z * z)
    work[at + 1] = 2.0 * (x * y - w * z)
    work[at + 2] = 2.0 * (x * z + w * y)
    work[at + 3] = 2.0 * (x * y + w * z)
    work[at + 4] = 1.0 - 2.0 * (x * x + z * z)
    work[at + 5] = 2.0 * (y * z - w * x)
    work[at + 6] = 2.0 * (x * z - w * y)
    work[at + 7] = 2.0 * (y * z + w * x)
    work[at + 8] = 1.0 - 2.0 * (x * x + y * y)


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
