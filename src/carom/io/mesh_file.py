"""Reading and writing of one mesh: OBJ, PLY, OFF and STL."""

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
"""Endings of formats whose triangles share vertices, as deforming meshes need."""
RIGID_FORMATS = tuple(_READERS)


def read_polygons(path: Path) -> PolygonMesh:
    """Return the mesh of the file, without merging, splitting or dropping anything. Faces and coordinates are checked."""
    mesh = _READERS[path.suffix.lower()](path)
    check_polygons(path, mesh)
    check_finite(path, mesh)
    return mesh


def read_mesh(path: Path) -> tuple[Array, Faces]:
    """Return vertices (n, 3) as in the file, and triangles (m, 3): larger polygons are cut."""
    mesh = read_polygons(path)
    return mesh.vertices, triangulated(mesh)


def read_rigid_mesh(path: Path) -> tuple[Array, Faces]:
    """Return the same for a rigid mesh: unused vertices may be NaN, and those of an STL file are merged."""
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
    """Write an OBJ or a binary PLY file, exact to the last bit."""
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
