"""Cylinders."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from carom._compile.jit import inline_kernel
from carom.maths.fixed_order import length, product
from carom.shapes.parts.along_z import AlongZ
from carom.shapes.parts.core_layout import SIZE
from carom.shapes.parts.cores import curved_core
from carom.shapes.parts.parameters import Parameter, Value
from carom.shapes.parts.ray_span import Span, between_caps, in_both, in_quadric
from carom.shapes.parts.triangles import hull, ring
from carom.shapes.shape import Vectors, rotation_matrix


@inline_kernel
def _support(core, dx, dy, dz):
    """Farthest point of a cylinder of radius core[SIZE] and half height core[SIZE + 1], and its row."""
    radius, top = core[SIZE], core[SIZE + 1]
    flat = sqrt(dx * dx + dy * dy)
    if dz < 0.0:
        top = -top
    # Straight up or down every point of the disc is highest: its centre will do.
    scale = radius / flat if flat > 0.0 else 0.0
    return scale * dx, scale * dy, top, -1


@dataclass(frozen=True, eq=False)
class Cylinder(AlongZ):
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

    code = 7
    word = "cylinder"
    support_kernel = staticmethod(_support)
    parameters = (Parameter("radius", Value.SIZE, "m"), Parameter("height", Value.SIZE, "along z, m"))

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) at the origin and the radius that reaches both rims."""
        return np.zeros(3), sqrt(0.25 * self.height * self.height + self.radius * self.radius)

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz."""
        local = product(np.asarray(axes, dtype=np.float64), rotation_matrix(quat))
        reach = 0.5 * self.height * np.abs(local[:, 2]) + self.radius * length(local[:, :2])
        return -reach, reach

    def support_core(self) -> Vectors:
        """The sizes that the support kernel reads."""
        return curved_core(self.code, (self.radius, 0.5 * self.height))

    def ray_span(self, origins: Vectors, directions: Vectors) -> Span:
        """Inside the endless cylinder, between its ends."""
        side = in_quadric(origins, directions, np.array([1.0, 1.0, 0.0]), self.radius * self.radius)
        return in_both(side, between_caps(origins, directions, self.height))

    def triangles(self, detail: int) -> Vectors:
        """The hull of both rims."""
        rim = ring(self.radius, -0.5 * self.height, detail)
        return hull(rim, rim + (0.0, 0.0, self.height))
