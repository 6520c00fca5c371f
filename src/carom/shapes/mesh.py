"""Triangle meshes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.errors import InvalidInputError
from carom.shapes.kind import ShapeKind
from carom.shapes.shape import SurfaceShape, Vectors, freeze


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Mesh(SurfaceShape):
    """A triangle surface: `vertices` (n, 3) in metres and `faces` (m, 3), rows of vertices. Any soup will do.

    A mesh is its surface: a body inside a closed mesh touches nothing until it reaches the wall. Use Convex for a solid.
    """

    vertices: Vectors
    faces: NDArray[np.int64]
    kind = ShapeKind.MESH
    solid = False

    def __init__(self, vertices: ArrayLike, faces: ArrayLike) -> None:
        clean = validate.array("vertices", vertices, (None, 3))
        rows = _checked_faces(faces, len(clean))
        freeze(clean)
        freeze(rows)
        object.__setattr__(self, "vertices", clean)
        object.__setattr__(self, "faces", rows)

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces)"


def _checked_faces(faces: ArrayLike, n_vertices: int) -> NDArray[np.int64]:
    """`faces` as a clean (m, 3) copy, or the error that names the row."""
    numbers = validate.array("faces", faces, (None, 3))
    rows = numbers.astype(np.int64)
    if len(rows) == 0:
        raise InvalidInputError("faces is empty; expected at least one triangle")
    for wrong, expected in (
        ((rows != numbers).any(axis=1), "whole numbers"),
        (((rows < 0) | (rows >= n_vertices)).any(axis=1), f"rows of vertices, 0 to {n_vertices - 1}"),
    ):
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InvalidInputError(f"faces[{row}] is {numbers[row].tolist()}; expected {expected}")
    return rows
