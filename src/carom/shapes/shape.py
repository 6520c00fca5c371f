"""What every shape offers, and what the shapes with a triangulated surface share."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from carom._copies import Immutable
from carom.maths.fixed_order import product
from carom.shapes.kind import ShapeKind
from carom.tolerances import BOUNDING_SPHERE_STEPS

Vectors = NDArray[np.float64]
"""float64 array; the docstring that uses it states the shape."""


class Shape(Immutable, ABC):
    """A rigid shape about the origin of its own frame. Immutable, and equal only to itself."""

    kind: ShapeKind

    @abstractmethod
    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) in the shape's frame and radius of a sphere around the shape; the radius may be inf."""

    @abstractmethod
    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz.

        Infinite where the shape is unbounded.
        """


class SurfaceShape(Shape):
    """A shape with a triangulated surface: vertices (n, 3) and faces (m, 3)."""

    vertices: Vectors
    faces: NDArray[np.int64]

    solid: bool
    """True: the inside belongs to the shape (which is then convex). False: the shape is its surface only."""

    @cached_property
    def hull_vertices(self) -> NDArray[np.int64]:
        """Rows of `vertices` that carry every extreme point; all used rows where the surface is flat."""
        rows = np.unique(self.faces)
        with contextlib.suppress(QhullError, ValueError):
            rows = rows[np.sort(ConvexHull(self.vertices[rows]).vertices)]
        freeze(rows)
        return rows

    @cached_property
    def _sphere(self) -> tuple[Vectors, float]:
        return _small_sphere(self.vertices[self.hull_vertices])

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) in the shape's frame and radius of a nearly smallest sphere around the surface."""
        return self._sphere

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz."""
        along = product(product(np.asarray(axes), rotation_matrix(quat)), self.vertices[self.hull_vertices].T)
        return along.min(axis=1), along.max(axis=1)


def rotation_matrix(quat: Vectors) -> Vectors:
    """Rotation (3, 3) of the unit quaternion `quat` (4,) wxyz; it takes shape axes to world axes."""
    w, x, y, z = (float(q) for q in quat)
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def freeze(array: NDArray[np.generic]) -> None:
    """Make `array` read-only: shapes are shared between bodies and worlds."""
    array.setflags(write=False)


def _small_sphere(points: Vectors) -> tuple[Vectors, float]:
    """Sphere around `points` (n, 3), within a percent of the smallest.

    Badoiu and Clarkson's walk towards the farthest point, from the centre of the box around the points; the best centre
    seen is kept, so the result is never worse than that box's sphere.
    """
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    best, best_radius = centre, np.inf
    for step in range(BOUNDING_SPHERE_STEPS):
        distance = np.sqrt(((points - centre) ** 2).sum(axis=1))
        farthest = int(distance.argmax())
        if distance[farthest] < best_radius:
            best, best_radius = centre, float(distance[farthest])
        centre = centre + (points[farthest] - centre) / (step + 2.0)
    radius = best_radius * (1.0 + 4.0 * np.finfo(np.float64).eps) + 4.0 * np.spacing(np.abs(points).max())
    best.setflags(write=False)
    return best, float(radius)
