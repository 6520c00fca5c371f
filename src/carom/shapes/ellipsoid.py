"""Ellipsoids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from carom import validate
from carom._compile.jit import inline_kernel
from carom.errors import InvalidInputError
from carom.maths.fixed_order import length, product
from carom.shapes.kind import ShapeKind
from carom.shapes.parts.core_layout import SIZE
from carom.shapes.parts.cores import curved_core, sphere_core
from carom.shapes.parts.parameters import Parameter, Value
from carom.shapes.parts.ray_span import Span, in_quadric
from carom.shapes.parts.triangles import unit_sphere
from carom.shapes.shape import Shape, Vectors, freeze, rotation_matrix


@inline_kernel
def _support(core, dx, dy, dz):
    """Farthest point of an ellipsoid with semi-axes core[SIZE : SIZE + 3], and its row."""
    # With R = diag(semi-axes): the farthest point of the unit ball along R d is u = R d / |R d|, and the answer is R u.
    x, y, z = core[SIZE] * dx, core[SIZE + 1] * dy, core[SIZE + 2] * dz
    # Divided by the largest, since the square of a small number would be 0.
    largest = max(abs(x), abs(y), abs(z))
    if not largest > 0.0:
        return core[SIZE], 0.0, 0.0, -1
    x, y, z = x / largest, y / largest, z / largest
    scale = 1.0 / sqrt(x * x + y * y + z * z)
    return core[SIZE] * (scale * x), core[SIZE + 1] * (scale * y), core[SIZE + 2] * (scale * z), -1


@dataclass(frozen=True, eq=False)
class Ellipsoid(Shape):
    """A solid ellipsoid centred on its position.

    Parameters
    ----------
    radii : array_like of shape (3,)
        Semi-axes along x, y and z, m, each above 0. InvalidInputError otherwise.
    """

    radii: Sequence[float] | Vectors
    kind = ShapeKind.ROUND
    code = 10
    word = "ellipsoid"
    parameters = (Parameter("radii", Value.SIZES, "semi-axes along x, y and z, m", typed="RX,RY,RZ"),)
    support_kernel = staticmethod(_support)

    def __post_init__(self) -> None:
        radii = validate.vector("radii", self.radii)
        for row, radius in enumerate(radii):
            if radius <= 0.0:
                raise InvalidInputError(f"radii[{row}] is {radius}; expected a semi-axis above 0")
            validate.size(f"radii[{row}]", radius)
        freeze(radii)
        object.__setattr__(self, "radii", radii)

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) at the origin and the largest semi-axis."""
        return np.zeros(3), float(np.max(self.radii))

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz."""
        reach = length(product(np.asarray(axes, dtype=np.float64), rotation_matrix(quat)) * self.radii)
        return -reach, reach

    def support_core(self) -> Vectors:
        """The semi-axes; the core of a sphere where they are equal."""
        radii = np.asarray(self.radii)
        if (radii == radii[0]).all():
            return sphere_core(float(radii[0]))
        return curved_core(self.code, radii)

    def ray_span(self, origins: Vectors, directions: Vectors) -> Span:
        """Inside the quadric, scaled such that its smallest semi-axis keeps its length."""
        radii = np.asarray(self.radii)
        shares = radii.min() / radii
        return in_quadric(origins, directions, shares * shares, float(radii.min() * radii.min()))

    def triangles(self, detail: int) -> Vectors:
        """Those of a unit sphere, scaled along the axes."""
        return unit_sphere(detail) * self.radii
