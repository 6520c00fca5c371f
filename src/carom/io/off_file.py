"""OFF files (Geomview's text form): counts, a line for each vertex, a line for each face."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from carom.errors import InvalidInputError
from carom.io.frames import read_bytes
from carom.io.polygons import PolygonMesh
from carom.io.text_rows import Row, number_table, rows_of, text_lines, whole_numbers, wrong_line

_KEYWORD = re.compile(r"(?:ST)?C?N?OFF$")
"""Textures, colours and normals follow the position of a vertex; forms with four or more coordinates are not read."""


def read_off(path: Path) -> PolygonMesh:
    """The mesh of the file; InvalidInputError where its counts and its lines disagree, or a line is wrong."""
    rows = rows_of([line.partition("#")[0] for line in text_lines(read_bytes(path))])
    if not rows or not _KEYWORD.match(rows[0].words[0]):
        raise InvalidInputError(f"{path}: not an OFF file: it does not begin with OFF")
    keyword, *rest = rows[0].words
    rows = [Row(rows[0].line, rest), *rows[1:]] if rest else rows[1:]
    if not rows:
        raise InvalidInputError(f"{path}: is cut off: nothing follows {keyword}")
    n_vertices, n_faces = _counts(path, rows[0])
    body = rows[1:]
    if len(body) != n_vertices + n_faces:
        raise InvalidInputError(
            f"{path}: says that it holds {n_vertices} vertices and {n_faces} faces, a line each, but {len(body)} lines follow: "
            f"{'it is cut off, or ' if len(body) < n_vertices + n_faces else ''}its counts are wrong"
        )
    vertices = number_table(path, body[:n_vertices], 3, "numbers x, y and z")
    sizes: list[int] = []
    corners: list[int] = []
    for row in body[n_vertices:]:
        expected = "the number of corners, then as many vertices"
        (size,) = whole_numbers(path, row, row.words[:1], expected)
        if not 0 <= size < len(row.words):
            raise wrong_line(path, row.line, row.words, expected)
        sizes.append(size)
        corners += whole_numbers(path, row, row.words[1 : size + 1], expected)
    return PolygonMesh(vertices, np.array(sizes, dtype=np.int64), np.array(corners, dtype=np.int64))


def _counts(path: Path, row: Row) -> tuple[int, int]:
    expected = "the numbers of vertices, faces and edges"
    counts = whole_numbers(path, row, row.words, expected)
    if len(counts) not in (2, 3) or min(counts) < 0:
        raise wrong_line(path, row.line, row.words, expected)
    return counts[0], counts[1]
