"""Cones."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np

from carom._compile.jit import inline_kernel
from carom.maths.fixed_order import length, product
from carom.maths.rotations import levels
from carom.shapes.parts.along_z import AlongZ
from carom.shapes.parts.core_layout import SIZE
from carom.shapes.parts.cores import curved_core
from carom.shapes.parts.parameters import Parameter, Value
from carom.shapes.parts.ray_span import Span, between_planes, in_both, point_at, roots, unit_rows
from carom.shapes.parts.triangles import hull, ring
from carom.shapes.shape import Vectors, rotation_matrix


@inline_kernel
def _support(core, dx, dy, dz):
    """Farthest point of a cone of radius core[SIZE] and half height core[SIZE + 1], and its row: 0 for the apex."""
    radius, top = core[SIZE], core[SIZE + 1]
    flat = sqrt(dx * dx + dy * dy)
    if 2.0 * top * dz >= radius * flat:
        return 0.0, 0.0, top, 0
    # Straight down every point of the disc is highest: its centre will do.
    scale = radius / flat if flat > 0.0 else 0.0
    return scale * dx, scale * dy, -top, -1


@dataclass(frozen=True, eq=False)
class Cone(AlongZ):
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

    code = 8
    word = "cone"
    support_kernel = staticmethod(_support)
    parameters = (Parameter("radius", Value.SIZE, "of the base, m"), Parameter("height", Value.SIZE, "along z, m"))

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) and radius of the smallest sphere around rim and apex."""
        half = 0.5 * self.height
        # As far from the apex as from the rim; a flat cone's smallest sphere sits on its base.
        z = max(-0.5 * self.radius * (self.radius / self.height), -half)
        return np.array([0.0, 0.0, z]), max(half - z, sqrt(self.radius * self.radius + (half + z) * (half + z)))

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz."""
        local = product(np.asarray(axes, dtype=np.float64), rotation_matrix(quat))
        apex = 0.5 * self.height * local[:, 2]
        rim = self.radius * length(local[:, :2])
        return np.minimum(apex, -apex - rim), np.maximum(apex, -apex + rim)

    def support_core(self) -> Vectors:
        """The sizes that the support kernel reads."""
        return curved_core(self.code, (self.radius, 0.5 * self.height))

    def ray_span(self, origins: Vectors, directions: Vectors) -> Span:
        """Inside the lower half of the endless double cone, above its base."""
        base = between_planes(origins, directions, np.array([[0.0, 0.0, -1.0, 0.5 * self.height]]), np.array([-1]))
        return in_both(_nappe(self, origins, directions), base)

    def triangles(self, detail: int) -> Vectors:
        """The hull of rim and apex."""
        return hull(ring(self.radius, -0.5 * self.height, detail), np.array([(0.0, 0.0, 0.5 * self.height)]))


def _nappe(shape: Cone, origins: Vectors, directions: Vectors) -> Span:
    """Inside the lower half of the endless double cone with its apex at z = height/2."""
    slope = shape.radius / shape.height
    weights = np.array([1.0, 1.0, -slope * slope])
    from_apex = origins - (0.0, 0.0, 0.5 * shape.height)
    # Seen from the point of its line nearest to the apex, since the squares of a far origin would lose the radius.
    ahead = -levels(from_apex * directions, np.ones(3))[:, 0]
    from_apex = from_apex + ahead[:, None] * directions
    a = levels(directions * directions, weights)[:, 0]
    b = levels(from_apex * directions, weights)[:, 0]
    c = levels(from_apex * from_apex, weights)[:, 0]
    low, high = roots(a, b, c)
    down = directions[:, 2] < 0.0
    # Flatter than the side: both crossings lie on one half. Steeper: one on each, and the lower half is an endless stretch.
    steep = a < 0.0
    enter = np.where(steep, np.where(down, high, -np.inf), low)
    leave = np.where(steep, np.where(down, np.inf, low), high)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        once = -0.5 * c / b
    level = (a == 0.0) & (b != 0.0)
    enter = np.where(level, np.where(b < 0.0, once, -np.inf), enter)
    leave = np.where(level, np.where(b < 0.0, np.inf, once), leave)
    with np.errstate(invalid="ignore"):
        middle = np.where(
            np.isfinite(enter), np.where(np.isfinite(leave), 0.5 * (enter + leave), enter + 1.0), leave - 1.0
        )
        above = from_apex[:, 2] + middle * directions[:, 2] > 0.0
    enter = np.where(above & ~steep, np.inf, enter)
    leave = np.where(above & ~steep, -np.inf, leave)
    normal = unit_rows(point_at(from_apex, directions, enter) * weights)
    return Span(ahead + enter, ahead + leave, normal, np.full(len(a), -1))
