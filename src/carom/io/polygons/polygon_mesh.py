"""Meshes of files: vertices, and faces of three and more corners."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError


class PolygonMesh(NamedTuple):
    """Vertices (n, 3) and m polygons, whose corners are concatenated rows of vertices."""

    vertices: NDArray[np.float64]
    sizes: NDArray[np.int64]  # (m,) number of corners of each polygon
    corners: NDArray[np.int64]  # (sum of sizes,) corners, polygon by polygon
    vertex_lines: Sequence[int] = ()  # (n,) line of each vertex in a text file; empty for a binary one
    face_lines: Sequence[int] = ()  # (m,) line of each polygon

    @property
    def first(self) -> NDArray[np.int64]:
        """(m,) first corner of each polygon in `corners`."""
        return np.cumsum(self.sizes) - self.sizes

    def difference(self, other: PolygonMesh) -> int | None:
        """Return the first polygon that differs from that of another mesh with as many polygons; None if all are equal."""
        sizes = np.flatnonzero(self.sizes != other.sizes)
        shared = min(len(self.corners), len(other.corners))
        corners = np.flatnonzero(self.corners[:shared] != other.corners[:shared])
        rows = [int(sizes[0])] if len(sizes) else []
        if len(corners):
            rows.append(int(np.searchsorted(self.first, corners[0], side="right")) - 1)
        return min(rows, default=None)

    def polygon(self, row: int) -> list[int]:
        """Return the corners of one polygon."""
        begin = int(self.first[row])
        return [int(corner) for corner in self.corners[begin : begin + self.sizes[row]]]


def check_polygons(path: Path, mesh: PolygonMesh) -> None:
    """Raise InvalidInputError unless the mesh has faces of three or more corners that are vertices."""
    if len(mesh.sizes) == 0:
        raise InvalidInputError(f"{path}: holds no triangles")
    if mesh.sizes.min() < 3:
        row = int(mesh.sizes.argmin())
        raise InvalidInputError(
            f"{path}: {_at(mesh.face_lines, row)}face {row} has {mesh.sizes[row]} corners; expected 3 or more"
        )
    wrong = (mesh.corners < 0) | (mesh.corners >= len(mesh.vertices))
    if wrong.any():
        row = int(np.searchsorted(mesh.first, np.argmax(wrong), side="right")) - 1
        shown = mesh.polygon(row)
        joined = str(shown) if len(shown) <= 12 else f"[{', '.join(map(str, shown[:12]))}, ...]"
        held = f"rows from 0 to {len(mesh.vertices) - 1}" if len(mesh.vertices) else "vertices, but there are none"
        raise InvalidInputError(
            f"{path}: {_at(mesh.face_lines, row)}face {row} joins vertices {joined}; expected {held}"
        )


def check_finite(path: Path, mesh: PolygonMesh) -> None:
    """Raise InvalidInputError if a coordinate is NaN or infinite."""
    finite = np.isfinite(mesh.vertices)
    if not finite.all():
        row, axis = (int(k) for k in np.argwhere(~finite)[0])
        raise InvalidInputError(
            f"{path}: {_at(mesh.vertex_lines, row)}vertex {row} has {'xyz'[axis]} = {mesh.vertices[row, axis]}; expected a "
            "finite number"
        )


def without_unused_gaps(mesh: PolygonMesh) -> PolygonMesh:
    """Drop vertices that are not finite and not used by a face, with which range scans mark missing points."""
    finite = np.isfinite(mesh.vertices)
    if finite.all():
        return mesh
    used = np.zeros(len(mesh.vertices), dtype=bool)
    used[mesh.corners] = True
    kept = np.flatnonzero(used | finite.all(axis=1))
    rows = np.searchsorted(kept, mesh.corners)
    lines = [mesh.vertex_lines[k] for k in kept.tolist()] if mesh.vertex_lines else ()
    return mesh._replace(vertices=mesh.vertices[kept], corners=rows, vertex_lines=lines)


def _at(lines: Sequence[int], row: int) -> str:
    return f"line {lines[row]}: " if lines else ""
