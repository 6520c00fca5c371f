"""Products of rotations and vectors, row by row, the same whatever the number of rows.

Matrix products of NumPy round differently with the size of a batch, so that a batch would not give the answers of its rows.
Here every number comes from the same operations in the same order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, kernel

Floats = NDArray[np.float64]


def turned(rotations: Floats, vectors: Floats) -> Floats:
    """R v for rotations (n, 3, 3) or (n, 9) by rows and vectors (n, 3); one row of either may stand for all."""
    rots, given = _rows(rotations, 9), _rows(vectors, 3)
    out = np.empty((_common(rots, given), 3))
    with compiling("rotations"):
        _turn_into(rots, given, out)
    return out


def turned_back(rotations: Floats, vectors: Floats) -> Floats:
    """R^T v, as `turned`."""
    return turned(_rows(rotations, 9).reshape(-1, 3, 3).transpose(0, 2, 1), vectors)


def composed(first: Floats, second: Floats) -> Floats:
    """Products (n, 3, 3) of rotations (n, 3, 3) or (n, 9) by rows; one row of either may stand for all."""
    a, b = _rows(first, 9), _rows(second, 9)
    out = np.empty((_common(a, b), 9))
    with compiling("rotations"):
        _compose_into(a, b, out)
    return out.reshape(-1, 3, 3)


def levels(vectors: Floats, directions: Floats) -> Floats:
    """Scalar products (n, k) of vectors (n, 3) with directions (k, 3)."""
    given, along = _rows(vectors, 3), _rows(directions, 3)
    out = np.empty((len(given), len(along)))
    with compiling("rotations"):
        _levels_into(given, along, out)
    return out


@kernel
def _turn_into(rots, vectors, out):
    for k in range(len(out)):
        r, v = k if len(rots) > 1 else 0, k if len(vectors) > 1 else 0
        x, y, z = vectors[v, 0], vectors[v, 1], vectors[v, 2]
        for d in range(3):
            out[k, d] = rots[r, 3 * d] * x + rots[r, 3 * d + 1] * y + rots[r, 3 * d + 2] * z


@kernel
def _compose_into(first, second, out):
    for k in range(len(out)):
        a, b = k if len(first) > 1 else 0, k if len(second) > 1 else 0
        for i in range(3):
            x, y, z = first[a, 3 * i], first[a, 3 * i + 1], first[a, 3 * i + 2]
            for j in range(3):
                out[k, 3 * i + j] = x * second[b, j] + y * second[b, 3 + j] + z * second[b, 6 + j]


@kernel
def _levels_into(vectors, directions, out):
    for k in range(len(vectors)):
        x, y, z = vectors[k, 0], vectors[k, 1], vectors[k, 2]
        for j in range(len(directions)):
            out[k, j] = x * directions[j, 0] + y * directions[j, 1] + z * directions[j, 2]


def _rows(values: Floats, width: int) -> Floats:
    """The same as rows (n, width) in an array of the one type that kernels are compiled for: in C order, writeable."""
    rows = np.ascontiguousarray(values, dtype=np.float64).reshape(-1, width)
    return rows if rows.flags.writeable else rows.copy()


def _common(a: Floats, b: Floats) -> int:
    """Length of two tables of rows, of which one may be a single row for all of the other."""
    return max(len(a), len(b)) if len(a) and len(b) else 0
