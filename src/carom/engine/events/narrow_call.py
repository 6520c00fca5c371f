"""Calls the exact pair test by address, so that event loops compile without it and worlds of spheres never compile it."""

from __future__ import annotations

import math

from carom._compile.address_call import call_float
from carom._compile.jit import inline_kernel, inner_kernel
from carom.shapes.kind import HALF_SPACE, ROUND, SPHERE
from carom.tables import run_columns as col
from carom.tables.body_columns import AX, KIND, RADIUS, T_REF, VX
from carom.tolerances import ADVANCE_GAP

_LEAST_SHARE = 1.0 / 64.0
"""Of the larger of two bodies, whose spheres pass each other in 16 searches of so much. Smaller: more searches for a tiny body
beside a large one. Larger: logs of bodies of like size are other ones in the last bit."""


@inline_kernel
def _shapes(count):
    """Addresses and sizes of the tables that say what shapes the bodies have."""
    floats, ints = (count[col.FLOATS_ADDRESS], count[col.N_FLOATS]), (count[col.INTS_ADDRESS], count[col.N_INTS])
    return count[col.LINK_ADDRESS], count[col.N_ROWS], *floats, *ints


@inner_kernel
def exact_toi(run, i, j, t_from):
    """First contact of rows i, j at or after t_from; fills the OUT columns of run.param."""
    count = run.count
    arguments = (
        count[col.BODY_ADDRESS],
        count[col.QUAT_ADDRESS],
        *_shapes(count),
        i,
        j,
        t_from,
        run.param[col.OUT :].ctypes.data,
    )
    t = call_float(count[col.NARROW_ADDRESS], arguments)
    count[col.NARROW_TESTS] += 1
    count[col.PRIMITIVE_TESTS] += int(run.param[col.OUT + 9])
    return t


@inline_kernel
def tested_long(run):
    """Have exact tests taken so long that the loop is to pause? Also tests that end before their first step take time."""
    return run.count[col.PRIMITIVE_TESTS] + run.count[col.NARROW_TESTS] >= run.count[col.PAUSE_AT]


@inner_kernel
def turns(bodies, row):
    """Does the body's spin change what it touches? Not of a ball."""
    if bodies.link[row, KIND] == SPHERE:
        return False
    spin = bodies.spin
    return spin[row, 0] != 0.0 or spin[row, 1] != 0.0 or spin[row, 2] != 0.0


@inner_kernel
def is_round(bodies, row):
    """Is the body known by its support core alone?"""
    return bodies.link[row, KIND] == ROUND


@inner_kernel
def advances(bodies, i, j):
    """Is the contact of rows i, j searched by conservative advancement, stretch by stretch?"""
    return is_round(bodies, i) or is_round(bodies, j) or turns(bodies, i) or turns(bodies, j)


@inner_kernel
def _stretch(bodies, i, j):
    """Seconds that one search covers: a revolution of the faster body, or the time in which the pair moves past itself.

    inf for bodies at rest relative to each other. So bodies that stay beside each other for ever do not keep a search busy
    for ever. The first step that a search tries is its whole stretch, so that the stretch has its say in the last bit of a
    contact. It goes by the smaller body, but covers enough of the larger one that few searches follow one another.
    """
    body, spin = bodies.body, bodies.spin
    rate, speed, pull, smaller, larger = 0.0, 0.0, 0.0, math.inf, 0.0
    t0 = max(body[i, T_REF], body[j, T_REF])
    for row in (i, j):
        if turns(bodies, row):
            rate = max(rate, spin[row, 0] ** 2 + spin[row, 1] ** 2 + spin[row, 2] ** 2)
        if bodies.link[row, KIND] != HALF_SPACE:
            smaller, larger = min(smaller, body[row, RADIUS]), max(larger, body[row, RADIUS])
    size = max(smaller, _LEAST_SHARE * larger)
    for d in range(3):
        vi = body[i, VX + d] + body[i, AX + d] * (t0 - body[i, T_REF])
        vj = body[j, VX + d] + body[j, AX + d] * (t0 - body[j, T_REF])
        speed += (vj - vi) ** 2
        pull += (body[j, AX + d] - body[i, AX + d]) ** 2
    longest = 2.0 * math.pi / math.sqrt(rate) if rate > 0.0 else math.inf
    if speed > 0.0:
        longest = min(longest, 8.0 * size / math.sqrt(speed)) if rate == 0.0 else longest
    if pull > 0.0 and rate == 0.0:
        longest = min(longest, math.sqrt(16.0 * size / math.sqrt(pull)))
    return longest


@inner_kernel
def advanced_toi(bodies, run, i, j, t_from):
    """First contact of rows i, j, found by advancement, at or after t_from; fills the OUT columns of run.param.

    Status NOT_YET in OUT + 8: no contact before the returned time, ask again then.
    """
    count = run.count
    stretch = _stretch(bodies, i, j)
    if stretch == math.inf:
        return math.inf
    arguments = (
        count[col.BODY_ADDRESS],
        count[col.QUAT_ADDRESS],
        count[col.SPIN_TABLE_ADDRESS],
        *_shapes(count),
        i,
        j,
        t_from,
        t_from + stretch,
        ADVANCE_GAP,
        run.param[col.OUT :].ctypes.data,
    )
    address = count[col.ROUND_ADDRESS] if is_round(bodies, i) or is_round(bodies, j) else count[col.SPINNING_ADDRESS]
    t = call_float(address, arguments)
    count[col.NARROW_TESTS] += 1
    count[col.PRIMITIVE_TESTS] += int(run.param[col.OUT + 9])
    return t
