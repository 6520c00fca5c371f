"""Bodies as triangles in world coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from carom.shapes import Capsule, Compound, Cone, Cylinder, HalfSpace, Shape, Sphere, SurfaceShape

Array = NDArray[np.float64]


def shape_triangles(shape: Shape, detail: int = 60) -> Array:
    """Return corners (m, 3, 3) of the outward triangles of a shape in its own frame, about 2 * `detail` for a sphere.

    Half-spaces have none.
    """
    match shape:
        case HalfSpace():
            return np.empty((0, 3, 3))
        case Sphere():
            return shape.radius * _sphere(detail)
        case Capsule():
            ball = shape.radius * _sphere(detail)
            return _hull(ball + (0.0, 0.0, 0.5 * shape.height), ball - (0.0, 0.0, 0.5 * shape.height))
        case Cylinder():
            ring = _ring(shape.radius, -0.5 * shape.height, detail)
            return _hull(ring, ring + (0.0, 0.0, shape.height))
        case Cone():
            return _hull(_ring(shape.radius, -0.5 * shape.height, detail), np.array([(0.0, 0.0, 0.5 * shape.height)]))
        case SurfaceShape():
            return np.asarray(shape.vertices[shape.faces])
        case Compound():
            parts = [shape_triangles(part, detail) @ pose[:3, :3].T + pose[:3, 3] for part, pose in shape.pieces]
            return np.concatenate(parts)
    return np.empty((0, 3, 3))


def shape_mesh(shape: Shape, detail: int = 60) -> tuple[Array, NDArray[np.int64]]:
    """Return the same triangles as vertices (n, 3) and faces (m, 3); those of a mesh unchanged."""
    if isinstance(shape, SurfaceShape):
        return np.asarray(shape.vertices), np.asarray(shape.faces)
    corners = shape_triangles(shape, detail).reshape(-1, 3)
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


def _ring(radius: float, z: float, n: int) -> Array:
    """Return n points of a circle about the z axis."""
    turn = 2.0 * np.pi * np.arange(n) / n
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn), np.full(n, z)])


def _hull(*parts: Array) -> Array:
    """Return outward triangles (m, 3, 3) of the convex hull of points."""
    points = np.concatenate([part.reshape(-1, 3) for part in parts])
    middle = points.mean(axis=0)
    corners = points[ConvexHull(points).simplices]
    inward = np.linalg.det(corners - middle) < 0.0
    corners[inward] = corners[inward][:, ::-1]
    return np.asarray(corners)


def _sphere(n: int) -> Array:
    """Return outward triangles of the hull of n evenly spread points on the unit sphere."""
    k = np.arange(n) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / n), np.pi * (1.0 + np.sqrt(5.0)) * k
    points = np.column_stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)])
    corners = points[ConvexHull(points).simplices]
    inward = np.linalg.det(corners) < 0.0
    corners[inward] = corners[inward][:, ::-1]
    return np.asarray(corners)
