"""Turk's uniform subdivision at one instant: all pairs of spheres that touch, through the cells of a hashed grid.

See carom.baselines.step_grid, which finds only the first pair. Every step starts from scratch.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import compiling, inline_kernel, lean_kernel
from carom._copies import Copyable
from carom.baselines.step_grid import bucket_of, clear_cells, enter_cell
from carom.errors import InvalidInputError
from carom.tables.body_columns import NO_ID
from carom.tolerances import EPSILON, LARGEST_NUMBER

Floats = NDArray[np.float64]

_CELLS = 8  # Cells that a sphere may touch: cells are not smaller than spheres
_FULL = -1
_ROUNDING = (
    8.0 * EPSILON
)  # Relative to the largest coordinate: twice what rounding adds to the distance of the two ends of a sphere
_ROOM = 1e-9  # Relative to the width of a cell: more than its rounding


@inline_kernel
def _cell(x, inverse):
    return np.int64(math.floor(x * inverse))


@lean_kernel
def _pairs_by_cells(centres, radii, inverse, heads, following, cells, entered, pairs):
    """Write the pairs (i, j), i < j, of spheres that touch into `pairs`; returns their number, or _FULL.

    A pair is counted in one of its common cells: that of the greater of the lower ends. heads (a power of two,): all NO_ID,
    before and after; following (8n,), cells (8n, 3), entered (8n,): room.
    """
    mask = len(heads) - 1
    n, n_entered = 0, 0
    for j in range(len(radii)):
        r = radii[j]
        x0, x1 = _cell(centres[j, 0] - r, inverse), _cell(centres[j, 0] + r, inverse)
        y0, y1 = _cell(centres[j, 1] - r, inverse), _cell(centres[j, 1] + r, inverse)
        z0, z1 = _cell(centres[j, 2] - r, inverse), _cell(centres[j, 2] + r, inverse)
        corner = _CELLS * j
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                for z in range(z0, z1 + 1):
                    bucket = bucket_of(x, y, z, mask)
                    member = heads[bucket]
                    while member != NO_ID and n != _FULL:
                        i = member // _CELLS
                        same = cells[member, 0] == x and cells[member, 1] == y and cells[member, 2] == z
                        if same and i != j:
                            dx, dy, dz = (
                                centres[j, 0] - centres[i, 0],
                                centres[j, 1] - centres[i, 1],
                                centres[j, 2] - centres[i, 2],
                            )
                            reach = r + radii[i]
                            owned = (
                                max(x0, _cell(centres[i, 0] - radii[i], inverse)) == x
                                and max(y0, _cell(centres[i, 1] - radii[i], inverse)) == y
                                and max(z0, _cell(centres[i, 2] - radii[i], inverse)) == z
                            )
                            if owned and dx * dx + dy * dy + dz * dz <= reach * reach:
                                if n == len(pairs):
                                    n = _FULL
                                    break
                                pairs[n, 0], pairs[n, 1] = i, j
                                n += 1
                        member = following[member]
                    enter_cell(bucket, corner, heads, following)
                    cells[corner, 0], cells[corner, 1], cells[corner, 2] = x, y, z
                    entered[n_entered] = bucket
                    n_entered += 1
                    corner += 1
    clear_cells(heads, entered, n_entered)
    return n


class StepPairs(Copyable):
    """Spheres of radii (n,), m, whose touching pairs are found from scratch at every step."""

    def __init__(self, radii: ArrayLike) -> None:
        self._radii = validate.array("radii", radii, (None,))
        n = len(self._radii)
        if n == 0 or (self._radii <= 0.0).any():
            raise InvalidInputError("radii is empty or not positive; expected a radius for each ball")
        self._widest = 2.0 * float(self._radii.max())
        self._heads = np.full(1 << (4 * n).bit_length(), NO_ID)
        self._room = np.empty(_CELLS * n, np.int64), np.empty((_CELLS * n, 3), np.int64), np.empty(_CELLS * n, np.int64)
        self._pairs = np.empty((8 * n, 2), np.int64)

    def at(self, positions: Floats) -> NDArray[np.int64]:
        """Return the pairs (m, 2), lower row first, of spheres with centres (n, 3), m, that touch. The array is reused.

        InvalidInputError for another shape, or for coordinates that are not finite or out of range.
        """
        farthest = float(np.abs(positions).max(initial=0.0))
        if positions.shape != (len(self._radii), 3) or not farthest <= LARGEST_NUMBER:
            positions = validate.array("positions", positions, (len(self._radii), 3))
        # Rounding moves both ends of a sphere: with this margin none touches three cells along an axis, for which the kernel
        # has no room, and cell numbers are far from the limits of integers.
        inverse = 1.0 / ((self._widest + _ROUNDING * farthest) * (1.0 + _ROOM))
        with compiling("a grid at every step"):
            while True:
                count = _pairs_by_cells(
                    positions, self._radii, inverse, self._heads, *self._room, self._pairs
                )  # fmt: skip
                if count != _FULL:
                    return self._pairs[:count]
                self._pairs = np.empty((2 * len(self._pairs), 2), np.int64)
