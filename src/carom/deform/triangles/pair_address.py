"""The test of one pair of triangles as a C function: kernels call it by address and are compiled without it."""

from __future__ import annotations

import functools

import numba
import numpy as np

from carom._compile.address_call import as_float64, as_int64, call_int
from carom._compile.jit import c_callback, compiling, inner_kernel
from carom.deform.model.pair_set import NO_PAIR
from carom.deform.triangles.features import FEATURES
from carom.deform.triangles.lanes.coplanarity import CUBIC_ROWS, LANES
from carom.deform.triangles.lanes.window_pairs import DIRECTIONS
from carom.deform.triangles.triangle_pairs import LEAVES_NEXT, LEAVES_UNDECIDED, test_pairs
from carom.narrow.features.differences import FILTER_WORK

LEAF_WIDTH = 4
"""Numbers a corner: x, y, z and 0."""
LEAF_START, LEAF_END, WINDOW, LEAF_TIME, LEAF_WITNESS = (
    0,
    6 * LEAF_WIDTH,
    12 * LEAF_WIDTH,
    12 * LEAF_WIDTH + 2,
    12 * LEAF_WIDTH + 3,
)
"""Places in the floats of a pair: its six corners at both ends of the interval, window, first contact, a direction that parts
it over the window (0: none is known). Then work space."""
_MOVED = LEAF_WITNESS + 3
_REACH = _MOVED + 12 * LEAF_WIDTH
_DIRECTIONS = _REACH + LEAF_WIDTH
_CUBICS = _DIRECTIONS + 3 * DIRECTIONS
_POINTS = _CUBICS + CUBIC_ROWS * LANES
_WORK = _POINTS + 24
LEAF_N_FLOATS = _WORK + FILTER_WORK

LEAF_FACES, LEAF_CODE = 0, 6
"""Places in the ints of a pair: its triangles as rows of corners, feature in contact. Then work space."""
_PAIR = LEAF_CODE + 1
_PROGRESS = _PAIR + 2
_CORNERS = _PROGRESS + 4
_UNDECIDED = _CORNERS + 6
_NOBODY = _UNDECIDED + 2 * FEATURES
LEAF_N_INTS = _NOBODY + 1


@functools.cache
def pair_test_address() -> int:
    """Address of f(floats, ints, neighbours): tests one pair, returns the number of features left to exact arithmetic."""
    with compiling("contacts of pairs of triangles"):

        @c_callback("int64(int64, int64, int64)")
        def test_pair(floats, ints, neighbours):
            progress = numba.carray(as_int64(ints + 8 * _PROGRESS), (4,))
            progress[LEAVES_NEXT] = 0
            progress[LEAVES_UNDECIDED] = 0
            test_pairs(
                numba.carray(as_int64(ints + 8 * LEAF_FACES), (2, 3)),
                numba.carray(as_float64(floats + 8 * LEAF_START), (6, LEAF_WIDTH)),
                numba.carray(as_float64(floats + 8 * LEAF_END), (6, LEAF_WIDTH)),
                numba.carray(as_int64(ints + 8 * _PAIR), (1, 2)),
                numba.carray(as_float64(floats + 8 * WINDOW), (1, 2)),
                1,
                neighbours != 0,
                numba.carray(as_int64(ints + 8 * _NOBODY), (1,)),
                numba.carray(as_float64(floats + 8 * LEAF_TIME), (1,)),
                numba.carray(as_int64(ints + 8 * LEAF_CODE), (1,)),
                numba.carray(as_float64(floats + 8 * LEAF_WITNESS), (1, 3)),
                numba.carray(as_int64(ints + 8 * _UNDECIDED), (FEATURES, 2)),
                progress,
                numba.carray(as_int64(ints + 8 * _CORNERS), (6,)),
                numba.carray(as_float64(floats + 8 * _MOVED), (12, LEAF_WIDTH)),
                numba.carray(as_float64(floats + 8 * _REACH), (LEAF_WIDTH,)),
                numba.carray(as_float64(floats + 8 * _DIRECTIONS), (3, DIRECTIONS)),
                numba.carray(as_float64(floats + 8 * _CUBICS), (CUBIC_ROWS, LANES)),
                numba.carray(as_float64(floats + 8 * _POINTS), (8, 3)),
                numba.carray(as_float64(floats + 8 * _WORK), (FILTER_WORK,)),
            )
            return progress[LEAVES_UNDECIDED]

        return int(test_pair.address)


def pair_ints() -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The ints of a pair."""
    ints = np.zeros(LEAF_N_INTS, np.int64)
    ints[_PAIR + 1] = 1
    ints[_NOBODY] = NO_PAIR
    return ints


@inner_kernel
def test_placed_pair(address, floats, ints, neighbours):
    """Test the pair that was written into floats and ints; returns whether the answer there is sure."""
    arguments = (floats.ctypes.data, ints.ctypes.data, 1 if neighbours else 0)
    return call_int(address, arguments) == 0
