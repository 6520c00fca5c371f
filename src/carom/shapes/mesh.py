"""Triangle meshes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.shapes.kind import ShapeKind
from carom.shapes.parts.parameters import Parameter, Value
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
    code = 3
    word = "mesh"
    parameters = (
        Parameter("file", Value.MESH_FILE, "a mesh file, instead of vertices and faces", default=None),
        Parameter("vertices", Value.POINTS, "m", default=None),
        Parameter("faces", Value.TRIANGLES, "triangles: three rows of vertices each, from 0", default=None),
        Parameter("scale", Value.SIZE, "what vertices are multiplied with", default=1.0),
    )
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

    def record(self) -> tuple[Vectors, NDArray[np.int64]]:
        """Vertices and faces."""
        return np.ravel(self.vertices), np.ravel(self.faces)

    @classmethod
    def from_record(cls, floats: Vectors, ints: NDArray[np.int64]) -> Self:
        """The mesh with these vertices and faces."""
        return cls(floats.reshape(-1, 3), ints.reshape(-1, 3))

    @classmethod
    def why_not(cls, given: Collection[str]) -> str:
        """A mesh comes from a file or is written out."""
        parts = {"file", "vertices", "faces"} & set(given)
        right = parts in ({"file"}, {"vertices", "faces"})
        return "" if right else "is a mesh; expected either a file, or both vertices and faces"

    @classmethod
    def from_scene(cls, values: Mapping[str, Any]) -> Mesh:
        """The mesh of the file, or that of vertices and faces, scaled."""
        mesh, scale = values["file"], values["scale"]
        if mesh is not None:
            return mesh if scale == 1.0 else cls(mesh.vertices * scale, mesh.faces)
        return cls(values["vertices"] * scale, values["faces"])
