"""STL files, text and binary: separate triangles. Normals and colours are ignored."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.errors import InvalidInputError
from carom.io.frames import read_bytes
from carom.io.polygons.polygon_mesh import PolygonMesh
from carom.io.text_rows import Row, number_table, text_lines, wrong_line

_HEAD = 84  # Bytes before the first triangle of a binary file: 80 arbitrary ones, and the number of triangles
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_LINES = (["outer", "loop"], ["vertex"], ["vertex"], ["vertex"], ["endloop"], ["endfacet"])
"""First words of the lines after `facet`."""

_VERTEX = ["vertex", "*", "*", "*"]
_FACET = ["facet", "normal", "*", "*", "*", "outer", "loop", *_VERTEX, *_VERTEX, *_VERTEX, "endloop", "endfacet"]
_COORDINATES = [8, 9, 10, 12, 13, 14, 16, 17, 18]  # Offset of the corners in it


def read_stl(path: Path) -> PolygonMesh:
    """Return the triangles of the file, each with its own three vertices; InvalidInputError if it is truncated or wrong."""
    data = read_bytes(path)
    count = struct.unpack_from("<I", data, _HEAD - 4)[0] if len(data) >= _HEAD else -1
    # Binary files may begin with "solid" too, but their length must agree with their count.
    if 0 <= count == (len(data) - _HEAD) / _TRIANGLE.itemsize:
        corners = np.frombuffer(data, _TRIANGLE, count, _HEAD)["corners"].reshape(-1, 3)
        return PolygonMesh(corners.astype(np.float64), np.full(count, 3), np.arange(3 * count))
    if data.lstrip()[:5].lower() == b"solid":
        return _text(path, data)
    if count < 0:
        raise InvalidInputError(f"{path}: not an STL file: it neither begins with solid nor has {_HEAD} bytes")
    raise InvalidInputError(
        f"{path}: says that it holds {count} triangles, which take {_HEAD + count * _TRIANGLE.itemsize} bytes, but has "
        f"{len(data)}: it is cut off, or its count is wrong"
    )


def _text(path: Path, data: bytes) -> PolygonMesh:
    lines = text_lines(data)
    points = _evenly_written(lines)
    if points is not None and np.isfinite(points).all():
        return PolygonMesh(points, np.full(len(points) // 3, 3), np.arange(len(points)))
    return _line_by_line(path, lines)


def _evenly_written(lines: list[str]) -> NDArray[np.float64] | None:
    """Read the corners (n, 3) of a file of the usual form at once; None for other forms and for errors."""
    marks = [k for k, line in enumerate(lines) if line.lstrip()[:5] in ("solid", "endso")]
    begins, ends = marks[::2], marks[1::2]
    if len(begins) != len(ends) or "".join(lines[ends[-1] + 1 :] if ends else ()).strip():
        return None
    numbers: list[str] = []
    last = -1
    for begin, end in zip(begins, ends, strict=True):
        between = "".join(lines[last + 1 : begin]).strip()
        is_solid = lines[begin].lstrip().startswith("solid") and lines[end].lstrip().startswith("endsolid")
        text = " ".join(lines[begin + 1 : end])
        words = text.split()
        if between or not is_solid or "_" in text or len(words) % len(_FACET):
            return None
        for k, word in enumerate(_FACET):
            here = words[k :: len(_FACET)]
            if word != "*" and here.count(word) != len(here):
                return None
        corners = [words[column :: len(_FACET)] for column in _COORDINATES]
        numbers += [word for facet in zip(*corners, strict=True) for word in facet]
        last = end
    try:
        return np.array(numbers, dtype=np.float64).reshape(-1, 3)
    except ValueError:
        return None


def _line_by_line(path: Path, lines: list[str]) -> PolygonMesh:
    rows: list[Row] = []
    step = len(_LINES)
    solids = 0
    number = 0
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        word = words[0].lower()
        if step < len(_LINES):
            expected = _LINES[step]
            if [part.lower() for part in words[: len(expected)]] != expected or (word == "vertex") != (len(words) == 4):
                raise wrong_line(path, number, words, f"{' '.join(expected)}{' x y z' * (expected == ['vertex'])}")
            if word == "vertex":
                rows.append(Row(number, words[1:]))
            step += 1
        elif word == "facet" and solids == 1:
            step = 0
        elif word == "solid" and solids == 0:
            solids = 1
        elif word == "endsolid" and solids == 1:
            solids = 0
        else:
            raise wrong_line(path, number, words, "facet or endsolid" if solids else "solid")
    if step < len(_LINES) or solids:
        raise InvalidInputError(f"{path}: is cut off: it ends at line {number} without endsolid")
    points = number_table(path, rows, 3, "vertex, then numbers x, y and z")
    numbers = [row.line for row in rows]
    return PolygonMesh(points, np.full(len(points) // 3, 3), np.arange(len(points)), numbers, numbers[::3])
