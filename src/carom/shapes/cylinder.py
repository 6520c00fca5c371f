"""Cylinders."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from carom import validate
from carom.maths.fixed_order import length, product
from carom.shapes.kind import ShapeKind
from carom.shapes.shape import Shape, Vectors, rotation_matrix


@dataclass(frozen=True, eq=False)
class Cylinder(Shape):
    """A solid cylinder along local z, centred on its position.

    Parameters
    ----------
    radius : float
        Radius, m, above 0.
    height : float
        Height, m, above 0.

    Raises
    ------
    InvalidInputError
        A value is not a finite number above 0.
    """

    radius: float
    height: float
    kind = ShapeKind.CYLINDER

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", validate.size("radius", self.radius))
        object.__setattr__(self, "height", validate.size("height", self.height))

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) at the origin and the radius that reaches both rims."""
        return np.zeros(3), math.sqrt(0.25 * self.height * self.height + self.radius * self.radius)

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz."""
        local = product(np.asarray(axes, dtype=np.float64), rotation_matrix(quat))
        reach = 0.5 * self.height * np.abs(local[:, 2]) + self.radius * length(local[:, :2])
        return -reach, reach
