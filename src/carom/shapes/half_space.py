"""Half-spaces: floors and walls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.errors import InvalidInputError
from carom.maths.fixed_order import dot
from carom.shapes.kind import ShapeKind
from carom.shapes.parts.parameters import Parameter, Value
from carom.shapes.parts.ray_span import Span, between_planes
from carom.shapes.shape import Shape, Vectors, freeze, rotation_matrix
from carom.tolerances import PARALLEL_AXIS


@dataclass(frozen=True, eq=False)
class HalfSpace(Shape):
    """All points x with normal . x <= offset in its own frame.

    In a world, a floor or a wall needs ``mass=inf``: a half-space of finite mass is moved by contacts, as any body. Half-spaces
    cannot spin in a world.

    Parameters
    ----------
    normal : array_like of shape (3,)
        Vector that points out of the solid, of any nonzero length. `normal` and `offset` are divided by this length.
    offset : float
        Offset of the boundary plane along the normal, m.

    Raises
    ------
    InvalidInputError
        A value is not finite, or the normal has length 0.
    """

    normal: Sequence[float] | Vectors
    offset: float = 0.0
    kind = ShapeKind.HALF_SPACE
    code = 4
    word = "half-space"
    parameters = (
        Parameter("normal", Value.VECTOR, "points out of the solid; of any length but 0"),
        Parameter("offset", Value.NUMBER, "where the surface is: normal · x = offset", default=0.0),
    )

    def __post_init__(self) -> None:
        normal = validate.vector("normal", self.normal)
        offset = validate.number("offset", self.offset)
        scale = float(np.abs(normal).max())
        if scale == 0.0:
            raise InvalidInputError("normal is (0, 0, 0); expected a vector of non-zero length")
        normal /= scale
        length = float(np.sqrt(dot(normal, normal)))
        normal /= length
        freeze(normal)
        object.__setattr__(self, "normal", normal)
        object.__setattr__(self, "offset", validate.number("offset over the length of normal", offset / scale / length))

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """The origin and an infinite radius."""
        return np.zeros(3), np.inf

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) along world `axes` (k, 3): bounded only on one side of axes along the normal."""
        axes = np.asarray(axes, dtype=np.float64)
        normal = dot(rotation_matrix(quat), np.asarray(self.normal))
        along = dot(axes, normal)
        across = np.abs(axes - along[:, None] * normal).max(axis=1)
        parallel = across <= PARALLEL_AXIS * np.abs(along)
        edge = along * self.offset
        lo = np.where(parallel & (along < 0.0), edge, -np.inf)
        hi = np.where(parallel & (along > 0.0), edge, np.inf)
        return lo, hi

    def straight_row(self) -> Vectors:
        """Unit normal and offset."""
        return np.append(self.normal, self.offset)

    def ray_span(self, origins: Vectors, directions: Vectors) -> Span:
        """Below one plane."""
        return between_planes(origins, directions, self.straight_row()[None], np.array([-1]))

    @classmethod
    def from_record(cls, floats: Vectors, ints: NDArray[np.int64]) -> Self:
        """The half-space with exactly this normal: the constructor normalises, which can change a last bit again."""
        shape = super().from_record(floats, ints)
        normal = floats[:3].copy()
        freeze(normal)
        object.__setattr__(shape, "normal", normal)
        object.__setattr__(shape, "offset", float(floats[3]))
        return shape
