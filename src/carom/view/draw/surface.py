"""Bodies as triangles in world coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.shapes import Shape, SurfaceShape

Array = NDArray[np.float64]


def shape_mesh(shape: Shape, detail: int = 60) -> tuple[Array, NDArray[np.int64]]:
    """The triangles of a shape as vertices (n, 3) and faces (m, 3); those of a mesh as they are, in their order."""
    if isinstance(shape, SurfaceShape):
        return np.asarray(shape.vertices), np.asarray(shape.faces)
    corners = shape.triangles(detail).reshape(-1, 3)
    vertices, rows = np.unique(corners, axis=0, return_inverse=True)
    return vertices, rows.reshape(-1, 3)


def rotations(quat: Array) -> Array:
    """Return matrices (n, 3, 3) from shape axes to world axes, from unit quaternions (n, 4) wxyz."""
    w, x, y, z = quat.T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)
