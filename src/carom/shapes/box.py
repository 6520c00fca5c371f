"""Boxes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.errors import InvalidInputError
from carom.shapes.kind import ShapeKind
from carom.shapes.parts.cores import box_core
from carom.shapes.parts.parameters import Parameter, Value
from carom.shapes.parts.ray_span import Span, between_planes
from carom.shapes.shape import Polyhedral, Vectors

_SIGNS = np.array([[x, y, z] for z in (-1.0, 1.0) for y in (-1.0, 1.0) for x in (-1.0, 1.0)])
"""Corner k has sign + along axis d where bit d of k is set."""

_SIDE_NAMES = ("-x", "+x", "-y", "+y", "-z", "+z")

_FACES = np.array(
    [
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
    ],
    dtype=np.int64,
)
"""Two outward triangles for each side, sides in the order -x, +x, -y, +y, -z, +z: triangle // 2 is the side."""


@dataclass(frozen=True, eq=False)
class Box(Polyhedral):
    """A solid box centred on its position.

    Parameters
    ----------
    extents : array_like of shape (3,)
        Full side lengths along x, y and z, m, each above 0. InvalidInputError otherwise.
    """

    extents: Sequence[float] | Vectors
    vertices: Vectors = field(init=False, repr=False)
    faces: NDArray[np.int64] = field(init=False, repr=False)
    planes: Vectors = field(init=False, repr=False)
    """Outward unit normal and offset (6, 4) of the sides -x, +x, -y, +y, -z, +z; inside where normal . x <= offset."""
    plane_faces: NDArray[np.int64] = field(init=False, repr=False)
    """One row of `faces` (6,) on each side."""
    kind = ShapeKind.BOX
    code = 1
    word = "box"
    parameters = (Parameter("extents", Value.SIZES, "full side lengths along x, y and z, m", typed="X,Y,Z"),)

    def __post_init__(self) -> None:
        extents = validate.vector("extents", self.extents)
        if (extents <= 0.0).any():
            row = int(np.argmax(extents <= 0.0))
            raise InvalidInputError(f"extents[{row}] is {extents[row]}; expected a side length above 0")
        for row, extent in enumerate(extents):
            validate.size(f"extents[{row}]", extent)
        vertices = 0.5 * extents * _SIGNS
        faces = _FACES.copy()
        planes = np.column_stack([np.kron(np.eye(3), [[-1.0], [1.0]]), np.repeat(0.5 * extents, 2)])
        plane_faces = np.arange(0, 12, 2)
        self._settle(extents=extents, vertices=vertices, faces=faces, planes=planes, plane_faces=plane_faces)

    def support_core(self) -> Vectors:
        """Half sizes, and the table of sides and edges."""
        return box_core(self.extents)

    def straight_row(self) -> Vectors:
        """Half sizes."""
        return 0.5 * np.asarray(self.extents)

    def ray_span(self, origins: Vectors, directions: Vectors) -> Span:
        """Between six planes."""
        half = 0.5 * np.asarray(self.extents)
        planes = np.array([[*(sign * np.eye(3)[k]), half[k]] for k in range(3) for sign in (-1.0, 1.0)])
        return between_planes(origins, directions, planes, np.arange(6))

    def side_along(self, normals: Vectors) -> NDArray[np.int64]:
        """Sides 0 to 5, in the order of `planes`; -1 for a normal of zeros."""
        axis = np.abs(normals).argmax(axis=1)
        sign = np.take_along_axis(normals, axis[:, None], 1)[:, 0] > 0.0
        return np.where((normals != 0.0).any(axis=1), 2 * axis + sign, -1)

    def feature_name(self, feature: int) -> str:
        """A side by its axis."""
        return f"side {_SIDE_NAMES[feature]}"
