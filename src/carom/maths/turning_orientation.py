"""Orientation of a body that spins at a constant rate, at any later time, from its orientation now.

Angles are rate times local time, so that no error adds up from step to step. Sine and 1 - cosine of the whole angle come
from half the angle: accurate for tiny angles, and for large ones as far as the angle itself is (its last place).
"""

from __future__ import annotations

from math import sqrt

from carom._compile.jit import inner_kernel
from carom.maths.trigonometry import sine_cosine
from carom.maths.vector import cross

TURN_SIZE = 19
"""Numbers of a prepared turn: [k] R (9) and [k][k] R (9) for the unit spin axis k and the rotation R, and the rate, rad/s."""
T_FIRST = 0
T_SECOND = 9
T_RATE = 18


@inner_kernel
def turned_quaternion(w, x, y, z, sx, sy, sz, dt):
    """Quaternion (w, x, y, z) after dt seconds of spin (sx, sy, sz), rad/s in world axes; a unit one stays one."""
    rate = sqrt(sx * sx + sy * sy + sz * sz)
    half = 0.5 * rate * dt
    s, c = sine_cosine(half)
    scale = s / rate if rate > 0.0 else 0.0
    a, b, d = sx * scale, sy * scale, sz * scale
    return (
        c * w - a * x - b * y - d * z,
        c * x + a * w + b * z - d * y,
        c * y + b * w + d * x - a * z,
        c * z + d * w + a * y - b * x,
    )


@inner_kernel
def prepare_turn_into(space, rot, spin, turn):
    """Fill the prepared turn at `turn` of `space` for the rotation at `rot` (9, rows) and the spin at `spin` (3)."""
    x, y, z = space[spin], space[spin + 1], space[spin + 2]
    rate = sqrt(x * x + y * y + z * z)
    space[turn + T_RATE] = rate
    if rate > 0.0:
        x, y, z = x / rate, y / rate, z / rate
    for c in range(3):
        a, b, d = space[rot + c], space[rot + 3 + c], space[rot + 6 + c]
        for k in range(2):
            a, b, d = cross(x, y, z, a, b, d)
            at = turn + T_FIRST + (T_SECOND - T_FIRST) * k + c
            space[at], space[at + 3], space[at + 6] = a, b, d


@inner_kernel
def turned_into(space, rot, turn, s, target):
    """Write the rotation (9, rows) at s seconds to `target`: Rodrigues' formula on a prepared turn."""
    half = 0.5 * space[turn + T_RATE] * s
    d, c = sine_cosine(half)
    first, second = 2.0 * c * d, 2.0 * d * d
    for k in range(9):
        space[target + k] = space[rot + k] + first * space[turn + T_FIRST + k] + second * space[turn + T_SECOND + k]


@inner_kernel
def rotation_of_into(w, x, y, z, space, at):
    """Write the rotation (9, rows) of a unit quaternion at `at`: it takes the body's axes to world axes."""
    space[at] = 1.0 - 2.0 * (y * y + z * z)
    space[at + 1] = 2.0 * (x * y - w * z)
    space[at + 2] = 2.0 * (x * z + w * y)
    space[at + 3] = 2.0 * (x * y + w * z)
    space[at + 4] = 1.0 - 2.0 * (x * x + z * z)
    space[at + 5] = 2.0 * (y * z - w * x)
    space[at + 6] = 2.0 * (x * z - w * y)
    space[at + 7] = 2.0 * (y * z + w * x)
    space[at + 8] = 1.0 - 2.0 * (x * x + y * y)
