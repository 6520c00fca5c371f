"""Meshes from files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import trimesh

from carom.errors import InvalidInputError
from carom.shapes.mesh import Mesh


def load(path: str | PathLike[str]) -> Mesh:
    """Read any mesh file that trimesh reads (OBJ, STL, PLY, OFF, GLB ...) as one Mesh; scenes are merged.

    Raises InvalidInputError where there is no file, it cannot be read, or it holds no triangles.
    """
    file = Path(path)
    if not file.is_file():
        raise InvalidInputError(f"path {str(file)!r} is not a file; expected a mesh file")
    try:
        loaded = trimesh.load_mesh(file)
    except Exception as error:
        raise InvalidInputError(f"path {str(file)!r} cannot be read as a mesh: {error}") from error
    faces = getattr(loaded, "faces", ())
    if len(faces) == 0:
        raise InvalidInputError(f"path {str(file)!r} holds no triangles; expected a triangle mesh")
    return Mesh(loaded.vertices, faces)
