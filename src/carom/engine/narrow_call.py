"""Calls the exact pair test by address, so that event loops compile without it and worlds of spheres never compile it."""

from __future__ import annotations

from carom._call import call_float
from carom._jit import inner_kernel
from carom.engine.state import (
    BODY_ADDRESS,
    FLOATS_ADDRESS,
    INTS_ADDRESS,
    LINK_ADDRESS,
    N_FLOATS,
    N_INTS,
    N_ROWS,
    NARROW_ADDRESS,
    NARROW_TESTS,
    OUT,
    PRIMITIVE_TESTS,
    QUAT_ADDRESS,
)


@inner_kernel
def exact_toi(run, i, j, t_from):
    """First contact of rows i, j at or after t_from; fills the OUT columns of run.param."""
    count = run.count
    arguments = (
        count[BODY_ADDRESS],
        count[QUAT_ADDRESS],
        count[LINK_ADDRESS],
        count[N_ROWS],
        count[FLOATS_ADDRESS],
        count[N_FLOATS],
        count[INTS_ADDRESS],
        count[N_INTS],
        i,
        j,
        t_from,
        run.param[OUT:].ctypes.data,
    )
    t = call_float(count[NARROW_ADDRESS], arguments)
    count[NARROW_TESTS] += 1
    count[PRIMITIVE_TESTS] += int(run.param[OUT + 9])
    return t
