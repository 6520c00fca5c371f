"""OFF files (Geomview's text form): counts, one line per vertex, one line per face."""

from __future__ import annotations

import re
from pathlib import Path

from carom.errors import InvalidInputError
from carom.io.frames import read_bytes
from carom.io.polygons.polygon_mesh import PolygonMesh
from carom.io.text_rows import Row, index_lists, number_table, rows_of, text_lines, whole_numbers, wrong_line

_KEYWORD = re.compile(r"((?:ST)?C?N?OFF)(\d*)")
"""Textures, colours and normals follow the position of a vertex; forms with four or more coordinates are not supported.
Some collections have no space between the keyword and the first count.
"""


def read_off(path: Path) -> PolygonMesh:
    """Return the mesh of the file; InvalidInputError if its counts and its lines disagree, or a line is wrong."""
    rows = rows_of([line.partition("#")[0] for line in text_lines(read_bytes(path))])
    found = _KEYWORD.fullmatch(rows[0].words[0]) if rows else None
    if found is None:
        raise InvalidInputError(f"{path}: not an OFF file: it does not begin with OFF")
    keyword, rest = found[1], [*found.groups()[1:], *rows[0].words[1:]] if found[2] else rows[0].words[1:]
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
    sizes, corners = index_lists(path, body[n_vertices:], "the number of corners, then as many vertices")
    lines = [row.line for row in body]
    return PolygonMesh(vertices, sizes, corners, lines[:n_vertices], lines[n_vertices:])


def _counts(path: Path, row: Row) -> tuple[int, int]:
    expected = "the numbers of vertices, faces and edges"
    counts = whole_numbers(path, row, row.words, expected)
    if len(counts) not in (2, 3) or min(counts) < 0:
        raise wrong_line(path, row.line, row.words, expected)
    return counts[0], counts[1]
