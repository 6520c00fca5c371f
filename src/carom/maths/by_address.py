"""The quartic solver behind a C function: it is called by address, and compiled only for worlds with accelerations."""

from __future__ import annotations

import functools

from carom._jit import c_callback, compiling
from carom.maths.quartic import enter_quartic


@functools.cache
def enter_quartic_address() -> int:
    """Address of enter_quartic(c0, c1, c2, c3, c4, s_min)."""

    with compiling("the quartic solver"):

        @c_callback("float64(float64, float64, float64, float64, float64, float64)")
        def solver(c0, c1, c2, c3, c4, s_min):
            return enter_quartic(c0, c1, c2, c3, c4, s_min)

        return int(solver.address)
