"""Capsules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carom.maths.fixed_order import product
from carom.shapes.parts.along_z import AlongZ
from carom.shapes.parts.cores import capsule_core
from carom.shapes.parts.parameters import Parameter, Value
from carom.shapes.parts.ray_span import Span, between_caps, in_both, in_quadric
from carom.shapes.parts.triangles import hull, unit_sphere
from carom.shapes.shape import Vectors, rotation_matrix


@dataclass(frozen=True, eq=False)
class Capsule(AlongZ):
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

    code = 6
    word = "capsule"
    parameters = (
        Parameter("radius", Value.SIZE, "m"),
        Parameter("height", Value.SIZE, "along z, between the centres of the caps, m"),
    )

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) at the origin and the radius that reaches the tips of the caps."""
        return np.zeros(3), 0.5 * self.height + self.radius

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz."""
        local = product(np.asarray(axes, dtype=np.float64), rotation_matrix(quat))
        reach = 0.5 * self.height * np.abs(local[:, 2]) + self.radius * np.sqrt((local**2).sum(axis=1))
        return -reach, reach

    def bounding_balls(self) -> tuple[Vectors, float]:
        """The caps."""
        return np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * self.height, self.radius

    def support_core(self) -> Vectors:
        """A segment with a margin."""
        return capsule_core(self.radius, self.height)

    def ray_span(self, origins: Vectors, directions: Vectors) -> Span:
        """The union of a cylinder and two balls, which is convex: from the first entry to the last exit."""
        side = in_both(
            in_quadric(origins, directions, np.array([1.0, 1.0, 0.0]), self.radius * self.radius),
            between_caps(origins, directions, self.height),
        )
        parts = [side]
        for sign in (-1.0, 1.0):
            centre = np.array([0.0, 0.0, sign * 0.5 * self.height])
            parts.append(in_quadric(origins - centre, directions, np.ones(3), self.radius * self.radius))
        enter = np.stack([np.where(p.enter <= p.leave, p.enter, np.inf) for p in parts])
        leave = np.stack([np.where(p.enter <= p.leave, p.leave, -np.inf) for p in parts])
        first = enter.argmin(axis=0)
        normal = np.stack([p.normal for p in parts])[first, np.arange(len(origins))]
        return Span(enter.min(axis=0), leave.max(axis=0), normal, side.feature)

    def triangles(self, detail: int) -> Vectors:
        """The hull of both caps."""
        ball = self.radius * unit_sphere(detail)
        return hull(ball + (0.0, 0.0, 0.5 * self.height), ball - (0.0, 0.0, 0.5 * self.height))
