"""Meshes from files."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import trimesh

from carom.errors import InvalidInputError
from carom.shapes.mesh import Mesh


def load(path: str | PathLike[str]) -> Mesh:
    """Read any mesh file that trimesh reads (OBJ, STL, PLY, OFF, glTF, archives ...) as one Mesh.

    All meshes of a scene are placed and merged; faces with more corners are cut into triangles. Some formats need a
    package of their own (3MF: networkx and lxml, COLLADA: pycollada); the error then says which.

    Raises InvalidInputError where there is no file, it cannot be read, or it holds no triangles.
    """
    try:
        file = Path(path)
    except TypeError:
        raise InvalidInputError(f"path is {path!r}; expected the path of a mesh file") from None
    shown = f"path {str(file)!r}"
    if not file.is_file():
        raise InvalidInputError(f"{shown} is not a file; expected a mesh file")
    try:
        loaded = trimesh.load_mesh(file)
    except ImportError as error:
        raise InvalidInputError(f"{shown} cannot be read: its format needs a package ({error})") from error
    except NotImplementedError as error:
        known = ", ".join(sorted(trimesh.exchange.load.mesh_formats()))
        raise InvalidInputError(f"{shown} has an unknown ending {file.suffix!r}; expected one of {known}") from error
    except Exception as error:
        raise InvalidInputError(
            f"{shown} cannot be read as a mesh: it is damaged, cut off, or not of the format that its ending says"
        ) from error
    faces = getattr(loaded, "faces", ())
    if len(faces) == 0:
        raise InvalidInputError(f"{shown} holds no triangles; expected a triangle mesh")
    try:
        return Mesh(loaded.vertices, faces)
    except InvalidInputError as error:
        raise InvalidInputError(f"{shown} holds a bad mesh: {error}") from error
