"""The six corners of a pair of triangles in vector lanes, one vector per coordinate, for intrinsics on pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir

from carom._compile.formula import Lanes, Vectors, pick

CORNER_LANES = 8
"""Lanes of a vector of one coordinate of all corners, those of a first; the last two repeat the last two corners."""
NEXT_CORNER = (1, 2, 0, 4, 5, 3, 6, 7)
"""The next corner of the same triangle: edge k goes from corner k there."""


def corner_columns(builder: Any, moved: Any, first: int) -> list[Lanes]:
    """x, y and z of the six corners in rows first to first + 5 of `moved` (12, 4): see pair_lanes.place_corners."""
    row = Vectors(builder, ir.DoubleType(), 4)
    # Loads as long as the stores before them: a load across two stores would wait until both are in the cache.
    rows = [row.load(moved, 4 * (first + k)).value for k in range(6)]
    two_rows = [pick(builder, rows[k], rows[k + 1], range(CORNER_LANES)) for k in (0, 2, 4)]
    code = Vectors(builder, ir.DoubleType(), CORNER_LANES)
    columns = []
    for d in range(3):
        four = pick(builder, two_rows[0], two_rows[1], [d, 4 + d, 8 + d, 12 + d] * 2)
        columns.append(Lanes(code, pick(builder, four, two_rows[2], [0, 1, 2, 3, 8 + d, 12 + d, 8 + d, 12 + d])))
    return columns


def chosen(lanes: Lanes, places: Sequence[int]) -> Lanes:
    """A vector of the lanes at `places`, any number of them."""
    code = Vectors(lanes.code.builder, lanes.code.element, len(places))
    return Lanes(code, pick(code.builder, lanes.value, lanes.value, places))


def cross(a: list[Lanes], b: list[Lanes]) -> list[Lanes]:
    """Cross products in each lane; a, b: x, y and z."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a: list[Lanes], b: list[Lanes]) -> Lanes:
    """Dot products in each lane; a, b: x, y and z."""
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]
