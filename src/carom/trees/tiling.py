"""Triangles divided into small pieces, so that small spheres tile a surface (Quinlan 1994)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inner_kernel, lean_kernel
from carom.bounds.volumes.contents import far_from
from carom.bounds.volumes.sphere import smallest_circle_centre

_MOST_PIECES = 8
"""Pieces a triangle on average, about, when no size is asked for: each costs a leaf."""

_DEPTH = 128
"""Cuts above one another: each halves the area, and two halve the size. Only sizes 1e-19 of a triangle's would need more."""


def default_tile(tris: NDArray[np.float64]) -> float:
    """Radius of tiles for triangles (m, 9): that of the median triangle, or more where a few large ones would take too many."""
    radius = np.empty(len(tris))
    _radii_into(tris, np.arange(len(tris)), radius)
    return float(max(np.median(radius), np.sqrt((radius**2).sum() * 2.0 / (_MOST_PIECES * len(tris)))))


def tile_triangles(tris: NDArray[np.float64], radius: float) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Cut triangles (m, 9) until every piece fits in a circle of `radius`: pieces (n, 9) and the triangle of each (n,)."""
    none = np.empty((0, 9)), np.empty(0, np.int64)
    stack = np.empty((_DEPTH, 9))
    one = np.zeros(1, np.int64)
    n_pieces = _tile_into(tris, radius, stack, one, *none)
    pieces, owner = np.empty((n_pieces, 9)), np.empty(n_pieces, np.int64)
    _tile_into(tris, radius, stack, one, pieces, owner)
    return pieces, owner


@inner_kernel
def _radius(tris, order, row):
    x, y, z = smallest_circle_centre(tris[order[row]])
    far, _, _ = far_from(tris, order, row, 1, x, y, z)
    return far


@lean_kernel
def _radii_into(tris, order, radius):
    """Radius (m,) of the smallest circle around each triangle."""
    for k in range(len(radius)):
        radius[k] = _radius(tris, order, k)


@lean_kernel
def _tile_into(tris, radius, stack, top, pieces, owner):
    """Cut along longest edges, one triangle after another; fills `pieces` unless it is empty, and returns their number.

    `stack` (n, 9) holds the pieces still to be judged; `top` (1,) is scratch. A full stack leaves a piece as it is.
    """
    n = 0
    for row in range(len(tris)):
        for d in range(9):
            stack[0, d] = tris[row, d]
        size = 1
        while size > 0:
            t = stack[size - 1]
            top[0] = size - 1
            if size == len(stack) or _radius(stack, top, 0) <= radius:
                if len(pieces) > 0:
                    for d in range(9):
                        pieces[n, d] = t[d]
                    owner[n] = row
                n += 1
                size -= 1
            else:
                cut_into(t, stack[size], t)
                size += 1
    return n


@inner_kernel
def cut_into(t, first, second):
    """Cut the triangle t (9,) in the middle of its longest edge into `first` and `second` (9,), which may be t."""
    a = (t[3] - t[0]) ** 2 + (t[4] - t[1]) ** 2 + (t[5] - t[2]) ** 2
    b = (t[6] - t[3]) ** 2 + (t[7] - t[4]) ** 2 + (t[8] - t[5]) ** 2
    c = (t[0] - t[6]) ** 2 + (t[1] - t[7]) ** 2 + (t[2] - t[8]) ** 2
    start = 0 if a >= b and a >= c else (3 if b >= c else 6)
    end, apex = (start + 3) % 9, (start + 6) % 9
    for d in range(3):
        p, q, r = t[start + d], t[end + d], t[apex + d]
        middle = 0.5 * (p + q)
        first[d], first[3 + d], first[6 + d] = p, middle, r
        second[d], second[3 + d], second[6 + d] = middle, q, r
