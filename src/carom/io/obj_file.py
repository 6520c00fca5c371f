"""OBJ files: positions and faces alone, as they are in the file.

Textures and normals have numbers of their own there; readers that split vertices where these meet tear a cloth at its seams.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from carom.io.frames import read_bytes
from carom.io.polygons import PolygonMesh
from carom.io.text_rows import text_lines, wrong_line


def read_obj(path: Path) -> PolygonMesh:
    """The mesh of the file; InvalidInputError names the line that is wrong."""
    points: list[list[float]] = []
    sizes: list[int] = []
    corners: list[int] = []
    for number, line in _logical_lines(text_lines(read_bytes(path))):
        words = line.split()
        if not words or words[0] not in ("v", "f"):
            continue
        try:
            if words[0] == "v":
                x, y, z = map(float, words[1:4])
                points.append([x, y, z])
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
        # Numbers count from 1, or backwards from the last vertex so far.
        corners += [k - 1 if k > 0 else len(points) + k for k in rows]
    return PolygonMesh(
        np.array(points, dtype=np.float64).reshape(-1, 3),
        np.array(sizes, dtype=np.int64),
        np.array(corners, dtype=np.int64),
    )


def _logical_lines(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Lines with the number of their first part; a backslash at the end of one joins the next to it."""
    begun, parts = 0, ""
    for number, line in enumerate(lines, start=1):
        begun = begun or number
        if line.rstrip().endswith("\\"):
            parts += line.rstrip()[:-1] + " "
            continue
        yield begun, parts + line
        begun, parts = 0, ""
    if parts:
        yield begun, parts
