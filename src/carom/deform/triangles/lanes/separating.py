"""Test of a separating direction of two triangles: six corners projected at once, by vector instructions."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._compile.formula import Lanes, Vectors, data_of, pick

AHEAD, BEHIND = 1, 2
"""Answers: the second triangle lies ahead of the first along the direction, or behind it; 0: they are not parted."""

_ROUNDING = 16.0 * 2.0**-53
"""Times (sum of the direction's sizes) times the largest coordinate relative to the first corner: a difference, three products
and two sums take 6 units of 2^-53; two such numbers are compared, 12 units. Twice the product is made first: where a sum might
overflow, so does the product, and nothing is parted."""
_TINY = 1e-300
"""Covers underflow."""

_DOUBLE = ir.DoubleType()
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_WIDTH = 4
"""Numbers a corner: x, y, z and 0."""


def _pairwise(builder: Any, a: Any, b: Any) -> Any:
    """Sums of neighbouring lanes, those of a first."""
    return builder.fadd(pick(builder, a, b, [0, 2, 4, 6]), pick(builder, a, b, [1, 3, 5, 7]))


def _lane(builder: Any, lanes: Any, k: int) -> Any:
    return builder.extract_element(lanes, ir.Constant(_INT32, k))


def _sides(builder: Any, corners: list[Any], direction: Any) -> Any:
    """AHEAD, BEHIND or 0. corners: pointers to x, y, z, 0 of the six corners; direction: three scalars."""
    code = Vectors(builder, _DOUBLE, _WIDTH)
    zero = ir.Constant(_DOUBLE, 0.0)
    axis = ir.Constant(code.type, [0.0] * _WIDTH)
    for k in range(3):
        axis = builder.insert_element(axis, direction[k], ir.Constant(_INT32, k))
    along = Lanes(code, axis)
    origin = code.load(corners[0], 0)
    steps = [code.load(corner, 0) - origin for corner in corners[1:]]
    products = [(step * along).value for step in steps]
    reach = abs(steps[0])
    for step in steps[1:]:
        reach = reach + abs(step)
    first_two = _pairwise(builder, products[0], products[1])
    next_two = _pairwise(builder, products[2], products[3])
    sums = _pairwise(builder, first_two, next_two)
    others = _pairwise(builder, _pairwise(builder, products[4], reach.value), abs(along).value)
    # lanes of `others`: last corner, reach, |x| + |y| and |z| of the direction
    a, b = [_lane(builder, sums, k) for k in (0, 1)], [_lane(builder, sums, k) for k in (2, 3)]
    b.append(_lane(builder, others, 0))
    size = builder.fadd(_lane(builder, others, 2), _lane(builder, others, 3))

    def extreme(values: list[Any], how: str) -> Any:
        found = values[0]
        for value in values[1:]:
            found = builder.select(builder.fcmp_ordered(how, value, found), value, found)
        return found

    low_a, high_a = extreme([zero, *a], "<"), extreme([zero, *a], ">")
    low_b, high_b = extreme(b, "<"), extreme(b, ">")
    twice = builder.fmul(builder.fmul(ir.Constant(_DOUBLE, 2.0), size), _lane(builder, others, 1))
    slack = builder.fadd(builder.fmul(ir.Constant(_DOUBLE, 0.5 * _ROUNDING), twice), ir.Constant(_DOUBLE, _TINY))
    ahead = builder.fcmp_ordered(">", builder.fsub(low_b, high_a), slack)
    behind = builder.fcmp_ordered(">", builder.fsub(low_a, high_b), slack)
    answer = builder.select(ahead, ir.Constant(_INT64, AHEAD), ir.Constant(_INT64, 0))
    return builder.select(behind, ir.Constant(_INT64, BEHIND), answer)


@intrinsic
def parted(typingctx: Any, faces: Any, places: Any, first: Any, a: Any, b: Any, x: Any, y: Any, z: Any) -> Any:
    """parted(faces, places, first, a, b, x, y, z): is triangle b AHEAD of a along the direction (x, y, z), or BEHIND, beyond
    rounding?

    faces (m, 3) int32: rows, counted from row `first` on, of places (n, 4): x, y, z and 0; C order. 0: neither, or not to be
    told for sure.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        rows, data = (data_of(context, builder, signature.args[k], args[k]) for k in (0, 1))
        corners = []
        for triangle in (args[3], args[4]):
            first = builder.gep(rows, [builder.mul(triangle, ir.Constant(_INT64, 3))])
            for k in range(3):
                row = builder.sext(builder.load(builder.gep(first, [ir.Constant(_INT64, k)])), _INT64)
                row = builder.add(args[2], row)
                corners.append(builder.gep(data, [builder.mul(row, ir.Constant(_INT64, _WIDTH))]))
        return _sides(builder, corners, args[5:8])

    number, row = types.float64, types.int64
    return types.int64(faces, places, row, row, row, number, number, number), generate


@intrinsic
def placed_parted(typingctx: Any, floats: Any, first: Any, x: Any, y: Any, z: Any) -> Any:
    """placed_parted(floats, first, x, y, z): the same for the six corners at floats[first : first + 24]."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = data_of(context, builder, signature.args[0], args[0])
        begin = builder.gep(data, [args[1]])
        corners = [builder.gep(begin, [ir.Constant(_INT64, _WIDTH * k)]) for k in range(6)]
        return _sides(builder, corners, args[2:5])

    number = types.float64
    return types.int64(floats, types.int64, number, number, number), generate
