"""Capsules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom import validate
from carom.maths.fixed_order import product
from carom.shapes.kind import ShapeKind
from carom.shapes.shape import Shape, Vectors, rotation_matrix


@dataclass(frozen=True, eq=False)
class Capsule(Shape):
    """A solid capsule along local z, centred on its position: all points within `radius` of a segment.

    From end to end a capsule measures height + 2 radius.

    Parameters
    ----------
    radius : float
        Radius, m, above 0.
    height : float
        Length of the segment, which is the distance between the centres of the two caps, m, above 0.

    Raises
    ------
    InvalidInputError
        A value is not a finite number above 0.
    """

    radius: float
    height: float
    kind = ShapeKind.CAPSULE

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", validate.size("radius", self.radius))
        object.__setattr__(self, "height", validate.size("height", self.height))

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) at the origin and the radius that reaches the tips of the caps."""
        return np.zeros(3), 0.5 * self.height + self.radius

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz."""
        local = product(np.asarray(axes, dtype=np.float64), rotation_matrix(quat))
        reach = 0.5 * self.height * np.abs(local[:, 2]) + self.radius * np.sqrt((local**2).sum(axis=1))
        return -reach, reach
