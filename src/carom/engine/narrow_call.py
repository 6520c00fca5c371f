"""Calls the exact pair test by address, so that event loops compile without it and worlds of spheres never compile it."""

from __future__ import annotations

import math

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
    SPIN_TABLE_ADDRESS,
    SPINNING_ADDRESS,
)
from carom.layout import KIND
from carom.shapes.kind import SPHERE
from carom.tolerances import ADVANCE_GAP


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


@inner_kernel
def turns(bodies, row):
    """Does the body's spin change what it touches? Not of a ball."""
    if bodies.link[row, KIND] == SPHERE:
        return False
    spin = bodies.spin
    return spin[row, 0] != 0.0 or spin[row, 1] != 0.0 or spin[row, 2] != 0.0


@inner_kernel
def turning_toi(bodies, run, i, j, t_from):
    """First contact of rows i, j, at least one of which turns, at or after t_from; fills the OUT columns of run.param.

    Status NOT_YET in OUT + 8: no contact before the returned time, ask again then. One search covers one revolution of the
    faster body, so that bodies that turn beside each other for ever do not keep it busy for ever.
    """
    count = run.count
    spin = bodies.spin
    rate = 0.0
    for row in (i, j):
        rate = max(rate, spin[row, 0] ** 2 + spin[row, 1] ** 2 + spin[row, 2] ** 2)
    arguments = (
        count[BODY_ADDRESS],
        count[QUAT_ADDRESS],
        count[SPIN_TABLE_ADDRESS],
        count[LINK_ADDRESS],
        count[N_ROWS],
        count[FLOATS_ADDRESS],
        count[N_FLOATS],
        count[INTS_ADDRESS],
        count[N_INTS],
        i,
        j,
        t_from,
        t_from + 2.0 * math.pi / math.sqrt(rate),
        ADVANCE_GAP,
        run.param[OUT:].ctypes.data,
    )
    t = call_float(count[SPINNING_ADDRESS], arguments)
    count[NARROW_TESTS] += 1
    count[PRIMITIVE_TESTS] += int(run.param[OUT + 9])
    return t
