"""Cones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from carom import validate
from carom.maths.fixed_order import length, product
from carom.shapes.kind import ShapeKind
from carom.shapes.shape import Shape, Vectors, rotation_matrix


@dataclass(frozen=True, eq=False)
class Cone(Shape):
    """A solid cone along local z: the base at z = -height/2, the apex at z = +height/2.

    Parameters
    ----------
    radius : float
        Radius of the base, m, above 0.
    height : float
        Height, m, above 0.

    Raises
    ------
    InvalidInputError
        A value is not a finite number above 0.
    """

    radius: float
    height: float
    kind = ShapeKind.CONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", validate.size("radius", self.radius))
        object.__setattr__(self, "height", validate.size("height", self.height))

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) and radius of the smallest sphere around rim and apex."""
        half = 0.5 * self.height
        # As far from the apex as from the rim; a flat cone's smallest sphere sits on its base.
        z = max(-0.5 * self.radius * (self.radius / self.height), -half)
        return np.array([0.0, 0.0, z]), max(half - z, math.sqrt(self.radius * self.radius + (half + z) * (half + z)))

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz."""
        local = product(np.asarray(axes, dtype=np.float64), rotation_matrix(quat))
        apex = 0.5 * self.height * local[:, 2]
        rim = self.radius * length(local[:, :2])
        return np.minimum(apex, -apex - rim), np.maximum(apex, -apex + rim)
