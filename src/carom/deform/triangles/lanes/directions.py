"""Directions that are likely to separate a pair of triangles, eight at once, by vector instructions.

They are found from corners summed over both ends of a window, and may be anything: parting_directions proves what they part.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._compile.formula import Lanes, Vectors, data_of, pick
from carom.deform.triangles.lanes.corners import NEXT_CORNER, chosen, corner_columns, cross, dot
from carom.deform.triangles.lanes.window_pairs import DIRECTIONS


def _edges(columns: list[tuple[Lanes, Lanes]]) -> list[Lanes]:
    """Edge k of a in lanes 0 to 2, of b in lanes 3 to 5, both ends of the window together."""
    return [(chosen(u, NEXT_CORNER) - u) + (chosen(v, NEXT_CORNER) - v) for u, v in columns]


def _normals(edges: list[Lanes], owners: Sequence[int]) -> list[Lanes]:
    """Normal of triangle `owners[k]` (0: a, 1: b) in lane k."""
    back = [chosen(edge, [3 * owner + 2 for owner in owners]) for edge in edges]
    ahead = [chosen(edge, [3 * owner for owner in owners]) for edge in edges]
    return cross(back, ahead)


def _joined(one: Lanes, other: Lanes, places: Sequence[int]) -> Lanes:
    """Lanes of two vectors of the same length, those of `other` counted behind those of `one`."""
    code = Vectors(one.code.builder, one.code.element, len(places))
    return Lanes(code, pick(code.builder, one.value, other.value, places))


def _store(context: Any, builder: Any, signature: Any, args: Any, ways: list[Lanes]) -> None:
    """x, y and z of the directions into `directions`, which is the second argument."""
    directions = data_of(context, builder, signature.args[1], args[1])
    for d, lanes in enumerate(ways):
        lanes.code.store(lanes, builder.gep(directions, [ir.Constant(ir.IntType(64), DIRECTIONS * d)]))


def _columns(context: Any, builder: Any, signature: Any, args: Any) -> list[tuple[Lanes, Lanes]]:
    """x, y and z of all corners at the beginning and the end of the window; `moved` is the first argument."""
    moved = data_of(context, builder, signature.args[0], args[0])
    return list(zip(corner_columns(builder, moved, 0), corner_columns(builder, moved, 6), strict=True))


@intrinsic
def likely_directions(typingctx: Any, moved: Any, directions: Any) -> Any:
    """likely_directions(moved, directions): eight directions (3, 8) that part most pairs which can be parted.

    moved: see pair_lanes.place_corners. Both normals; centre to centre, also without its part along either normal; square to
    both normals; and square to that in either plane.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        moved = data_of(context, builder, signature.args[0], args[0])
        row = Vectors(builder, ir.DoubleType(), 4)
        rows = [row.load(moved, 4 * k) for k in range(12)]

        def step(p: int, q: int) -> Lanes:
            """From corner p to corner q, x, y, z and 0, both ends of the window together."""
            return (rows[q] - rows[p]) + (rows[q + 6] - rows[p + 6])

        def for_both(of_a: Lanes, of_b: Lanes) -> list[Lanes]:
            """x, y and z of a vector of a in lane 0, of one of b in lane 1."""
            return [_joined(of_a, of_b, [d, 4 + d]) for d in range(3)]

        normals = cross(for_both(step(0, 1), step(3, 4)), for_both(step(0, 2), step(3, 5)))
        centres = (step(0, 3) + step(1, 4)) + step(2, 5)
        centre = for_both(centres, centres)
        code = centre[0].code
        squares, zero = dot(normals, normals), code.constant(0.0)
        share = code.choose(squares.is_above(zero), dot(centre, normals) / squares, zero)
        across = [chosen(way, [0, 0]) for way in cross(normals, [chosen(n, [1, 0]) for n in normals])]
        within = cross(normals, across)
        ways = []
        for d in range(3):
            beside = centre[d] - share * normals[d]
            left = _joined(normals[d], _joined(centre[d], beside, [0, 2]), range(4))
            right = _joined(_joined(beside, across[d], [1, 2]), within[d], range(4))
            ways.append(_joined(left, right, range(DIRECTIONS)))
        _store(context, builder, signature, args, ways)
        return context.get_dummy_value()

    return types.void(moved, directions), generate


@intrinsic
def edge_directions(typingctx: Any, moved: Any, directions: Any) -> Any:
    """edge_directions(moved, directions): square to each edge within its plane, and square to edge 0 of a and 0 or 1 of b."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        edges = _edges(_columns(context, builder, signature, args))
        normals = _normals(edges, [0, 0, 0, 1, 1, 1, 1, 1])
        own = [chosen(edge, [2, 1, 0, 5, 4, 3, 0, 0]) for edge in edges]
        other = [_joined(n, edge, [0, 1, 2, 3, 4, 5, 11, 12]) for n, edge in zip(normals, edges, strict=True)]
        _store(context, builder, signature, args, cross(own, other))
        return context.get_dummy_value()

    return types.void(moved, directions), generate


@intrinsic
def cross_directions(typingctx: Any, moved: Any, directions: Any) -> Any:
    """cross_directions(moved, directions): square to an edge of a and one of b, the seven that edge_directions leaves.

    With the normals and edge_directions these are all directions that can be needed to part two triangles at rest.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        edges = _edges(_columns(context, builder, signature, args))
        crossings = [min(k + 2, 8) for k in range(DIRECTIONS)]
        own = [chosen(edge, [k // 3 for k in crossings]) for edge in edges]
        other = [chosen(edge, [3 + k % 3 for k in crossings]) for edge in edges]
        _store(context, builder, signature, args, cross(own, other))
        return context.get_dummy_value()

    return types.void(moved, directions), generate
