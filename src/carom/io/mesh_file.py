"""One mesh from or to a file: OBJ, PLY, OFF and STL."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.io.formats.obj_file import read_obj
from carom.io.formats.off_file import read_off
from carom.io.formats.ply_file import read_ply
from carom.io.formats.stl_file import read_stl
from carom.io.polygons.polygon_mesh import PolygonMesh, check_finite, check_polygons, without_unused_gaps
from carom.io.polygons.triangulate import triangulated
from carom.io.polygons.welding import welded_rows

Array = NDArray[np.float64]
Faces = NDArray[np.int64]

_SHARED = {".obj": read_obj, ".ply": read_ply, ".off": read_off}
_READERS = {**_SHARED, ".stl": read_stl}
FORMATS = tuple(_SHARED)
"""Endings of files whose triangles share vertices, as those of a mesh that deforms have to."""
RIGID_FORMATS = tuple(_READERS)


def read_polygons(path: Path) -> PolygonMesh:
    """The mesh of the file as it is: nothing is merged, split or left out. Its faces and coordinates are checked."""
    mesh = _READERS[path.suffix.lower()](path)
    check_polygons(path, mesh)
    check_finite(path, mesh)
    return mesh


def read_mesh(path: Path) -> tuple[Array, Faces]:
    """Vertices (n, 3) as they are in the file, and triangles (m, 3): polygons of more corners are cut."""
    mesh = read_polygons(path)
    return mesh.vertices, triangulated(mesh)


def read_rigid_mesh(path: Path) -> tuple[Array, Faces]:
    """The same for a mesh that need not keep its vertices: unused ones may be NaN, and those of an STL file are welded."""
    mesh = _READERS[path.suffix.lower()](path)
    check_polygons(path, mesh)
    mesh = without_unused_gaps(mesh)
    check_finite(path, mesh)
    faces = triangulated(mesh)
    if path.suffix.lower() != ".stl":
        return mesh.vertices, faces
    kept, rank = welded_rows(mesh.vertices)
    return mesh.vertices[kept], rank[faces]


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
