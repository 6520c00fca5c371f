"""The interface of a bounding volume type for trees and searches.

A volume is a row of numbers. Two C functions work on it, so that builders and searches are compiled once for all types:

fit(tris, n, order, first, count, node, space) -> size. Fills the row at `node` with a volume around the triangles
order[first : first + count]; tris (n, 9), order (n,), space (FIT_SPACE,). space[FIT_SPLIT : FIT_SPLIT + 3] gets the direction
along which the volume is longest. The size is the radius of a sphere around the triangles: no two of their points are farther
apart than twice the size.

bound(nodes_a, a, nodes_b, b, placing) -> a signed lower bound of the distance between what rows a and b hold, never above
it; at most 0 where they may overlap. placing: 12 numbers, rotation by rows and shift, that take b's frame to a's.

All arrays are given by their address.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import carray
from numpy.typing import NDArray

from carom._compile.address_call import as_float64, as_int64
from carom._compile.jit import c_callback, compiling

Floats = NDArray[np.float64]

FIT_SIGNATURE = "float64(int64, int64, int64, int64, int64, int64, int64)"
BOUND_SIGNATURE = "float64(int64, int64, int64, int64, int64)"

# Where a fit finds what in its scratch array
FIT_SPLIT = 0
"""Direction 3 of the longest extent; its length does not matter."""
LO = 3
HI = 6
"""Corners 3 + 3 of the box around the triangles."""
MEAN = 9
FIT_AXES = 12
"""Principal axes 9, in rows, longest spread first, and the mean point 3 before them."""
SPREAD = 21
"""Variance 3 along each axis."""
FIT_FREE = 24
FIT_SPACE = 48


class VolumeType(NamedTuple):
    """One type: numbers in a row, addresses of its two functions (compiled when first asked for), and a slow proof."""

    columns: int
    fit: Callable[[], int]
    bound: Callable[[], int]
    holds: Callable[[Floats, Floats], NDArray[np.bool_]]
    """holds(row, tris): which triangles (m, 3, 3) are inside the volume? Computed apart from the fit, to check it."""
    tiled: bool = False
    """True: leaves are pieces of triangles, several a triangle."""


def volume_type(
    name: str,
    columns: int,
    fit_into: Any,
    lower_bound: Any,
    holds: Callable[[Floats, Floats], NDArray[np.bool_]],
    *options: int,
    tiled: bool = False,
) -> VolumeType:
    """A type made of two kernels.

    fit_into(tris, order, first, count, node, space, *options) and lower_bound(nodes_a, a, nodes_b, b, placing), which work on
    arrays. name: what is compiled, in the plural. The two C functions are compiled when their addresses are first asked for.
    """

    def fit(tris_at, n_tris, order_at, first, count, node_at, space_at):
        return fit_into(
            carray(as_float64(tris_at), (n_tris, 9)),
            carray(as_int64(order_at), n_tris),
            first,
            count,
            carray(as_float64(node_at), columns),
            carray(as_float64(space_at), FIT_SPACE),
            *options,
        )

    def bound(nodes_a_at, a, nodes_b_at, b, placing_at):
        nodes_a = carray(as_float64(nodes_a_at), (a + 1, columns))
        nodes_b = carray(as_float64(nodes_b_at), (b + 1, columns))
        return lower_bound(nodes_a, a, nodes_b, b, carray(as_float64(placing_at), 12))

    # Compiled code is named after the function: each needs a name of its own.
    word = re.sub(r"\W", "_", name)
    fit.__name__ = fit.__qualname__ = f"fit_{word}"
    bound.__name__ = bound.__qualname__ = f"bound_{word}"
    return VolumeType(
        columns,
        functools.cache(lambda: _address_of(fit, FIT_SIGNATURE, name)),
        functools.cache(lambda: _address_of(bound, BOUND_SIGNATURE, f"pairs of {name}")),
        holds,
        tiled,
    )


def _address_of(function: Any, signature: str, what: str) -> int:
    with compiling(what):
        return int(c_callback(signature)(function).address)
