"""Spheres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom import validate
from carom.shapes.kind import ShapeKind
from carom.shapes.parts.cores import sphere_core
from carom.shapes.parts.parameters import Parameter, Value
from carom.shapes.parts.ray_span import Span, in_quadric
from carom.shapes.parts.triangles import unit_sphere
from carom.shapes.shape import Shape, Vectors


@dataclass(frozen=True, eq=False)
class Sphere(Shape):
    """A solid sphere centred on its position.

    Parameters
    ----------
    radius : float
        Radius, m, above 0. InvalidInputError otherwise.
    """

    radius: float
    kind = ShapeKind.SPHERE
    code = 0
    word = "sphere"
    parameters = (Parameter("radius", Value.SIZE, "m"),)
    oriented = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", validate.size("radius", self.radius))

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """The sphere itself: centre (3,) at the origin, and its radius."""
        return np.zeros(3), self.radius

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) along world `axes` (k, 3): plus and minus the radius times the axis length."""
        reach = self.radius * np.sqrt((np.asarray(axes, dtype=np.float64) ** 2).sum(axis=1))
        return -reach, reach

    def support_core(self) -> Vectors:
        """A point with a margin."""
        return sphere_core(self.radius)

    def straight_row(self) -> Vectors:
        """The radius."""
        return np.array([self.radius])

    def ray_span(self, origins: Vectors, directions: Vectors) -> Span:
        """Inside the quadric."""
        return in_quadric(origins, directions, np.ones(3), self.radius * self.radius)

    def triangles(self, detail: int) -> Vectors:
        """The hull of evenly spread points."""
        return self.radius * unit_sphere(detail)
