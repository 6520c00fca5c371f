"""What a type of bounding volume offers to trees and searches.

A volume is a row of numbers. Two C functions work on it, so that builders and searches are compiled once for all types:

fit(tris, n, order, first, count, node, space) -> size. Fills the row at `node` with a volume around the triangles
order[first : first + count]; tris (n, 9), order (n,), space (SPACE,). space[SPLIT : SPLIT + 3] gets the direction along which
the volume is longest. The size is the radius of a sphere around the triangles: no two of their points are farther apart than
twice the size.

bound(nodes_a, a, nodes_b, b, placing) -> a signed lower bound of the distance between what rows a and b hold, never above
it; at most 0 where they may overlap. placing: 12 numbers, rotation by rows and shift, that take b's frame to a's.

All arrays are given by their address.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FIT_SIGNATURE = "float64(int64, int64, int64, int64, int64, int64, int64)"
BOUND_SIGNATURE = "float64(int64, int64, int64, int64, int64)"

# Where a fit finds what in its scratch array
SPLIT = 0
"""Direction 3 of the longest extent; its length does not matter."""
LO = 3
HI = 6
"""Corners 3 + 3 of the box around the triangles."""
MEAN = 9
AXES = 12
"""Principal axes 9, in rows, longest spread first, and the mean point 3 before them."""
SPREAD = 21
"""Variance 3 along each axis."""
FREE = 24
SPACE = 48


class VolumeType(NamedTuple):
    """One type: numbers in a row, addresses of its two functions (compiled when first asked for), and a slow proof."""

    columns: int
    fit: Callable[[], int]
    bound: Callable[[], int]
    holds: Callable[[Floats, Floats], NDArray[np.bool_]]
    """holds(row, tris): which triangles (m, 3, 3) are inside the volume? Computed apart from the fit, to check it."""
    tiled: bool = False
    """True: leaves are pieces of triangles, several a triangle."""
