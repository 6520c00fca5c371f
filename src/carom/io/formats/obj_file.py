"""OBJ files: positions and faces as they are in the file.

Textures and normals have their own numbers there; readers that split vertices at their seams cut a cloth apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from carom.errors import InvalidInputError
from carom.io.frames import read_bytes
from carom.io.polygons.polygon_mesh import PolygonMesh
from carom.io.text_rows import text_lines, wrong_line


def read_obj(path: Path) -> PolygonMesh:
    """Return the mesh of the file; InvalidInputError names the line that is wrong."""
    lines = text_lines(read_bytes(path))
    return _evenly_written(lines) or _line_by_line(path, lines)


def _evenly_written(lines: list[str]) -> PolygonMesh | None:
    """Read a file of the usual form at once: faces of one size, with positive numbers. None for other forms and for errors."""
    vertices = [line for line in lines if line.startswith("v ")]
    faces = [line for line in lines if line.startswith("f ")]
    others = (
        sum(line.lstrip()[:2] in ("v ", "f ", "v\t", "f\t", "v", "f") for line in lines) - len(vertices) - len(faces)
    )
    words, corners = " ".join(vertices).split(), " ".join(faces).split()
    width = len(corners) // max(len(faces), 1)
    if others or any(line.rstrip().endswith("\\") for line in lines) or not faces or width < 4:
        return None
    if words[::4].count("v") != len(vertices) or len(words) != 4 * len(vertices):
        return None
    if corners[::width].count("f") != len(faces) or len(corners) != width * len(faces):
        return None
    del words[::4], corners[::width]
    try:
        points = np.array(words, dtype=np.float64).reshape(-1, 3)
        rows = np.array([corner.partition("/")[0] for corner in corners], dtype=np.int64)
    except (ValueError, OverflowError):
        return None
    if (
        not np.isfinite(points).all()
        or rows.min() < 1
        or rows.max() > len(points)
        or any("_" in word for word in words + corners)
    ):
        return None
    return PolygonMesh(points, np.full(len(faces), width - 1), rows - 1)


def _line_by_line(path: Path, lines: list[str]) -> PolygonMesh:
    points: list[list[float]] = []
    sizes: list[int] = []
    corners: list[int] = []
    vertex_lines: list[int] = []
    face_lines: list[int] = []
    for number, line in _logical_lines(lines):
        words = line.split()
        if not words or words[0] not in ("v", "f"):
            continue
        if "#" in line:
            words = line.partition("#")[0].split()
        try:
            if "_" in line:  # Python accepts 1_000 as a number
                raise ValueError
            if words[0] == "v":
                x, y, z = map(float, words[1:4])
                points.append([x, y, z])
                vertex_lines.append(number)
                continue
            rows = [int(word.partition("/")[0]) for word in words[1:]]
        except ValueError:
            expected = "numbers" if words[0] == "f" else "numbers x, y and z"
            raise wrong_line(path, number, words, expected) from None
        if 0 in rows:
            raise wrong_line(path, number, words, "vertices from 1 on: OBJ does not count from 0")
        if len(rows) < 3:
            raise wrong_line(path, number, words, "three corners or more")
        sizes.append(len(rows))
        face_lines.append(number)
        # Numbers count from 1, or backwards from the last vertex so far.
        corners += [k - 1 if k > 0 else len(points) + k for k in rows]
    vertices = np.array(points, dtype=np.float64).reshape(-1, 3)
    try:
        joined = np.array(corners, dtype=np.int64)
    except OverflowError:
        where = next(k for k, corner in enumerate(corners) if abs(corner) >= 1 << 63)
        number = face_lines[int(np.searchsorted(np.cumsum(sizes), where, side="right"))]
        raise InvalidInputError(
            f"{path}: line {number}: a face joins a vertex whose number is too large for any mesh"
        ) from None
    return PolygonMesh(vertices, np.array(sizes, dtype=np.int64), joined, vertex_lines, face_lines)


def _logical_lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Return lines with their numbers; a backslash at the end of a line joins the next one to it."""
    begun, parts = 0, []
    for number, line in enumerate(lines, start=1):
        begun = begun or number
        if line.endswith("\\") or line.rstrip().endswith("\\"):
            parts.append(line.rstrip()[:-1])
            continue
        yield begun, " ".join([*parts, line]) if parts else line
        begun, parts = 0, []
    if parts:
        yield begun, " ".join(parts)
