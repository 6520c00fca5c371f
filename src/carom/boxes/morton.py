"""Order of points along a space-filling curve, which mostly keeps neighbours together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_BITS = 10


def morton_order(points: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return indices (n,) that sort points (n, 3) along the Z-order curve of their bounding box, with 1024 steps per axis."""
    low = points.min(axis=0)
    extent = np.ptp(points, axis=0)
    steps = (2**_BITS - 1) / np.where(extent > 0.0, extent, 1.0)
    code = np.zeros(len(points), np.int32)
    for d in range(3):
        place = ((points[:, d] - low[d]) * steps[d]).astype(np.int32)
        for bit in range(_BITS):
            code |= ((place >> bit) & 1) << (3 * bit + d)
    return np.argsort(code, kind="stable")
