"""Triangle meshes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.shapes.kind import ShapeKind
from carom.shapes.shape import SurfaceShape, Vectors, freeze


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Mesh(SurfaceShape):
    """A triangle surface. The triangles need not be connected, closed or consistently oriented.

    A mesh is a surface: a body inside a closed mesh touches nothing until it reaches the surface. Use Convex for a
    solid.

    Parameters
    ----------
    vertices : array_like of shape (n, 3)
        Vertices, m.
    faces : array_like of int, shape (m, 3)
        Triangles, as rows of vertices.

    Raises
    ------
    InvalidInputError
        A value is not finite, or a face refers to a vertex that does not exist.
    """

    vertices: Vectors
    faces: NDArray[np.int64]
    kind = ShapeKind.MESH
    solid = False

    def __init__(self, vertices: ArrayLike, faces: ArrayLike) -> None:
        clean = validate.array("vertices", vertices, (None, 3))
        validate.spread("vertices", clean)
        rows = validate.face_rows("faces", faces, len(clean))
        freeze(clean)
        freeze(rows)
        object.__setattr__(self, "vertices", clean)
        object.__setattr__(self, "faces", rows)

    def __repr__(self) -> str:
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces)"
