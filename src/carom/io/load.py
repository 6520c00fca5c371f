"""Rigid meshes from files."""

from __future__ import annotations

import os
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io import mesh_file
from carom.io.formats import collada_file, foreign_mesh, rigid_gltf
from carom.io.frames import one_clear_error
from carom.io.mesh_archive import ARCHIVES, unpacked
from carom.shapes import Mesh

_OWN_FORMATS = (*mesh_file.RIGID_FORMATS, *rigid_gltf.FORMATS, *collada_file.FORMATS)
Parts = tuple[NDArray[np.float64], NDArray[np.int64]]


def load(path: str | PathLike[str]) -> Mesh:
    """Read a mesh file as one `Mesh`.

    Polygons are triangulated in their own planes, so concave polygons keep their shape. Vertices of STL and glTF files
    that agree bit for bit are merged; other vertices stay as they are in the file. The meshes of a scene, and the files
    of an archive in the order of their names, are placed and merged. Nothing is repaired or left out, except vertices
    that are not finite and that no face uses.

    Parameters
    ----------
    path : path-like
        An OBJ, PLY, OFF, STL, glTF or COLLADA file, an archive of such files (.zip, .tar, .tar.gz, .tar.bz2, .tar.xz),
        or any other format that trimesh reads (3MF needs networkx and lxml).

    Returns
    -------
    Mesh
        The surface.

    Raises
    ------
    InvalidInputError
        The file does not exist or cannot be read, holds less or more data than it declares, contains no triangles or a
        vertex that is not finite and in use, or would take too much memory (see the environment variable
        CAROM_UNPACK_LIMIT).
    """
    with one_clear_error():
        return _loaded(path)


def _loaded(path: str | PathLike[str]) -> Mesh:
    try:
        file = Path(path)
    except TypeError:
        raise InvalidInputError(f"path is {path!r}; expected the path of a mesh file") from None
    if not os.path.isfile(file):
        raise InvalidInputError(f"path {str(file)!r} is not a file; expected a mesh file")
    known = (*_OWN_FORMATS, *ARCHIVES, *foreign_mesh.formats())
    if file.suffix.lower() not in known:
        raise InvalidInputError(
            f"path {str(file)!r} has an unknown ending {file.suffix!r}; expected one of {', '.join(dict.fromkeys(known))}"
        )
    vertices, faces = _archived(file) if file.suffix.lower() in ARCHIVES else _parts(file)
    try:
        return Mesh(vertices, faces)
    except InvalidInputError as error:
        raise InvalidInputError(f"{file}: holds a bad mesh: {error}") from None


def _parts(file: Path) -> Parts:
    """Return vertices (n, 3) and triangles (m, 3) of one file."""
    ending = file.suffix.lower()
    if ending in mesh_file.RIGID_FORMATS:
        return mesh_file.read_rigid_mesh(file)
    if ending in rigid_gltf.FORMATS:
        return rigid_gltf.read_rigid_gltf(file)
    if ending in collada_file.FORMATS:
        return collada_file.read_collada(file)
    return foreign_mesh.read_foreign_mesh(file)


def _archived(archive: Path) -> Parts:
    """Return all mesh files of an archive as one mesh."""
    with unpacked(archive) as (folder, files):
        known = {*_OWN_FORMATS, *foreign_mesh.formats()}
        meshes = [file for file in files if file.suffix.lower() in known]
        if not meshes:
            raise InvalidInputError(f"{archive}: holds no mesh file")
        vertices, faces, first = [], [], 0
        for file in meshes:
            try:
                points, triangles = _parts(file)
            except InvalidInputError as error:
                raise InvalidInputError(str(error).replace(str(folder), str(archive))) from None
            vertices.append(points)
            faces.append(triangles + first)
            first += len(points)
    return np.concatenate(vertices), np.concatenate(faces)
