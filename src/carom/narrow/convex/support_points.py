"""Support points of a core in many directions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, kernel
from carom.narrow.convex.support import support
from carom.shapes.parts.core_layout import MARGIN

Floats = NDArray[np.float64]


@kernel
def _farthest_into(core, directions, points, rows):
    for k in range(directions.shape[0]):
        dx, dy, dz = directions[k, 0], directions[k, 1], directions[k, 2]
        x, y, z, rows[k] = support(core, dx, dy, dz)
        points[k, 0] = x + core[MARGIN] * dx
        points[k, 1] = y + core[MARGIN] * dy
        points[k, 2] = z + core[MARGIN] * dz


def farthest_points(core: Floats, directions: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Farthest points (n, 3) of the core, margin included, along unit directions (n, 3), and their rows (n,), -1 if round."""
    points, rows = np.empty_like(directions), np.empty(len(directions), np.int64)
    with compiling("support points"):
        _farthest_into(core, np.ascontiguousarray(directions), points, rows)
    return points, rows
