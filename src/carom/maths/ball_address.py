"""Balls on curved paths behind a C function: it is called by address, and compiled only for worlds with accelerations."""

from __future__ import annotations

import functools

from carom._compile.jit import c_callback, compiling
from carom.maths.ball import enter_ball, leave_ball

_SIGNATURE = f"float64({11 * 'float64, '}int64)"


@functools.cache
def ball_address() -> int:
    """Address of enter_ball(x, y, z, vx, vy, vz, hx, hy, hz, r, s_from), or leave_ball where a last argument is 0."""

    with compiling("the contacts of balls on curved paths"):

        @c_callback(_SIGNATURE)
        def passage(x, y, z, vx, vy, vz, hx, hy, hz, r, s_from, enters):
            if enters == 0:
                return leave_ball(x, y, z, vx, vy, vz, hx, hy, hz, r, s_from)
            return enter_ball(x, y, z, vx, vy, vz, hx, hy, hz, r, s_from)

        return int(passage.address)
