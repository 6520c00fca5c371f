"""Products of small vectors and matrices whose sums have a fixed order: the same bits on every machine.

NumPy's matrix product and `einsum` add in an order, and round as often, as suits the processor.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def dot(a: Any, b: Any) -> Any:
    """Sum of products over the last axis, of the same length in both; the others are broadcast.

    `dot(points, normal)` takes rows (n, 3) to (n,); `dot(matrix, vector)` is the matrix times the vector.
    """
    total = a[..., 0] * b[..., 0]
    for k in range(1, a.shape[-1]):
        total = total + a[..., k] * b[..., k]
    return total


def length(vector: Any) -> Any:
    """Euclidean length over the last axis."""
    return np.sqrt(dot(vector, vector))


def product(a: Any, b: Any) -> Any:
    """Matrix product (..., m, k) times (..., k, n)."""
    total = a[..., :, 0, None] * b[..., None, 0, :]
    for k in range(1, a.shape[-1]):
        total = total + a[..., :, k, None] * b[..., None, k, :]
    return total
