"""What a test of a pair of rows answers, and the C function that event loops call it by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numba import carray

from carom._compile.address_call import as_float64, as_int32, as_int64
from carom._compile.jit import c_callback, compiling, inner_kernel
from carom.narrow.toi.status import Status
from carom.shapes.shape import Vectors
from carom.tables.body_columns import BODY_COLUMNS, ID, KIND, LINK_COLUMNS, NO_ID, SPIN_COLUMNS

OUT_POINT = 0
"""Contact point (3), world axes."""
OUT_NORMAL = 3
"""Unit normal (3), world axes, from row i to row j."""
OUT_FEATURE_I = 6
OUT_FEATURE_J = 7
"""Row of a face of a mesh or convex shape, side 0..5 (-x, +x, -y, +y, -z, +z) of a box, NO_ID otherwise."""
OUT_STATUS = 8
OUT_TESTS = 9
"""Tests of boxes and primitives."""
OUT_SIZE = 10

_ADVANCED_SIGNATURE = f"float64({11 * 'int64, '}float64, float64, float64, int64)"


@inner_kernel
def clear_answer_into(out, tests):
    """Make `out` (OUT_SIZE,) an answer without a contact."""
    for k in range(OUT_SIZE):
        out[k] = 0.0
    out[OUT_FEATURE_I] = out[OUT_FEATURE_J] = NO_ID
    out[OUT_TESTS] = tests


@inner_kernel
def in_kind_order(link, i, j):
    """Rows i and j in the order in which they are tested: by kind, then by id, then by row."""
    if link[i, KIND] != link[j, KIND]:
        swap = link[i, KIND] > link[j, KIND]
    elif link[i, ID] != link[j, ID]:
        swap = link[i, ID] > link[j, ID]
    else:
        swap = i > j
    return (j, i) if swap else (i, j)


def advanced_toi_address(test: Any, what: str) -> int:
    """Compile a pair test of bodies that may spin behind a C signature, so that event loops compile without it.

    The test is a kernel (body, quat, spin, link, floats, ints, i, j, t_from, until, gap, out) -> time, as
    carom.narrow.toi.spinning.toi_spinning; `what` is said to be compiled. Returns the address of the C function

    double toi(int64 body, int64 quat, int64 spin, int64 link, int64 n_rows, int64 floats, int64 n_floats, int64 ints,
               int64 n_ints, int64 i, int64 j, double t_from, double until, double gap, int64 out)

    which is the test on the tables at those addresses.
    """

    def toi(body, quat, spin, link, n_rows, floats, n_floats, ints, n_ints, i, j, t_from, until, gap, out):
        return test(
            carray(as_float64(body), (n_rows, BODY_COLUMNS)),
            carray(as_float64(quat), (n_rows, 4)),
            carray(as_float64(spin), (n_rows, SPIN_COLUMNS)),
            carray(as_int32(link), (n_rows, LINK_COLUMNS)),
            carray(as_float64(floats), n_floats),
            carray(as_int64(ints), n_ints),
            i,
            j,
            t_from,
            until,
            gap,
            carray(as_float64(out), OUT_SIZE),
        )

    # Compiled code is named after the function: each needs a name of its own.
    toi.__name__ = toi.__qualname__ = f"{test.__name__}_at"
    with compiling(what):
        return int(c_callback(_ADVANCED_SIGNATURE)(toi).address)


@dataclass(frozen=True)
class Contact:
    """When and where two shapes first touch."""

    time: float
    """Seconds since the given state."""
    point: Vectors
    """(3,), world axes."""
    normal: Vectors
    """(3,) unit, from a to b."""
    feature_a: int
    """Row of the face of a mesh or convex shape, side 0..5 (-x, +x, -y, +y, -z, +z) of a box, -1 otherwise."""
    feature_b: int
    status: Status
    tests: int
    """Tests of boxes and primitives that it took."""


def contact_of(time: float, out: Vectors) -> Contact:
    """A contact at this time from an answer (OUT_SIZE,)."""
    return Contact(
        float(time),
        out[OUT_POINT : OUT_POINT + 3].copy(),
        out[OUT_NORMAL : OUT_NORMAL + 3].copy(),
        int(out[OUT_FEATURE_I]),
        int(out[OUT_FEATURE_J]),
        Status(int(out[OUT_STATUS])),
        int(out[OUT_TESTS]),
    )
