"""Bodies as triangles in world coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from carom.shapes import HalfSpace, Shape, Sphere, SurfaceShape

Array = NDArray[np.float64]


def shape_triangles(shape: Shape, detail: int = 60) -> Array:
    """Corners (m, 3, 3) of the shape's outward triangles in its own frame; a sphere gets about 2 * `detail` of them.

    Half-spaces have none.
    """
    match shape:
        case HalfSpace():
            return np.empty((0, 3, 3))
        case Sphere():
            return shape.radius * _sphere(detail)
        case SurfaceShape():
            return np.asarray(shape.vertices[shape.faces])
    return np.empty((0, 3, 3))


def rotations(quat: Array) -> Array:
    """Matrices (n, 3, 3) that take shape axes to world axes, from unit quaternions (n, 4) wxyz."""
    w, x, y, z = quat.T
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def _sphere(n: int) -> Array:
    """Triangles of the hull of n evenly spread points on the unit sphere, turned outwards."""
    k = np.arange(n) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / n), np.pi * (1.0 + np.sqrt(5.0)) * k
    points = np.column_stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)])
    corners = points[ConvexHull(points).simplices]
    inward = np.linalg.det(corners) < 0.0
    corners[inward] = corners[inward][:, ::-1]
    return np.asarray(corners)
