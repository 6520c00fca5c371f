"""One mesh from or to a file whose triangles share vertices: OBJ, PLY or OFF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.obj_file import read_obj
from carom.io.off_file import read_off
from carom.io.ply_file import read_ply
from carom.io.polygons import PolygonMesh
from carom.io.triangulate import triangulated

Array = NDArray[np.float64]
Faces = NDArray[np.int64]

_READERS = {".obj": read_obj, ".ply": read_ply, ".off": read_off}
FORMATS = tuple(_READERS)
"""STL is not among them: it would tear a mesh into loose triangles."""


def read_polygons(path: Path) -> PolygonMesh:
    """The mesh of the file as it is: nothing is merged, split or left out. Its faces and coordinates are checked."""
    try:
        mesh = _READERS[path.suffix.lower()](path)
    except OverflowError:
        raise InvalidInputError(f"{path}: a face joins a vertex whose number is too large for any mesh") from None
    if len(mesh.sizes) == 0:
        raise InvalidInputError(f"{path}: holds no triangles")
    if mesh.sizes.min() < 3:
        row = int(mesh.sizes.argmin())
        raise InvalidInputError(f"{path}: face {row} has {mesh.sizes[row]} corners; expected 3 or more")
    wrong = (mesh.corners < 0) | (mesh.corners >= len(mesh.vertices))
    if wrong.any():
        row = int(np.searchsorted(mesh.first, np.argmax(wrong), side="right")) - 1
        raise InvalidInputError(
            f"{path}: face {row} joins vertices {mesh.polygon(row)}; expected rows from 0 to {len(mesh.vertices) - 1}"
        )
    if not np.isfinite(mesh.vertices).all():
        row, axis = np.argwhere(~np.isfinite(mesh.vertices))[0]
        raise InvalidInputError(
            f"{path}: vertex {row} has {'xyz'[axis]} = {mesh.vertices[row, axis]}; expected a finite number"
        )
    return mesh


def read_mesh(path: Path) -> tuple[Array, Faces]:
    """Vertices (n, 3) as they are in the file, and triangles (m, 3): polygons of more corners are cut."""
    mesh = read_polygons(path)
    return mesh.vertices, triangulated(mesh)


def write_mesh(path: Path, vertices: Array, faces: NDArray[np.integer]) -> None:
    """Write an OBJ or a binary PLY file; coordinates keep their last bit."""
    if path.suffix.lower() == ".obj":
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
        lines += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
        path.write_text("\n".join(lines) + "\n", encoding="ascii")
        return
    head = (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {len(vertices)}\nproperty double x\nproperty double y\n"
        f"property double z\nelement face {len(faces)}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    rows = np.empty(len(faces), dtype=[("corners", "u1"), ("rows", "<i4", 3)])
    rows["corners"], rows["rows"] = 3, faces
    path.write_bytes(head.encode("ascii") + vertices.astype("<f8").tobytes() + rows.tobytes())
