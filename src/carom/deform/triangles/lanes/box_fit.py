"""Boxes around triangles and around two boxes, all sides at once, in vector instructions.

A box is eight single precision numbers, the last two 0: see carom.deform.chord_front.chord_boxes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._compile.formula import Lanes, Vectors, data_of, pick

_BOX = 8
_OUTWARDS = 1.2e-7
"""Relative. Rounding to single precision moves a number by at most 6e-8 of itself, the shift of origin by 1.2e-16."""
_TINY = 1e-37
"""Added to a side: below the normal range of single precision rounding is no longer relative. Sides are far from overflow
as long as coordinates are below 1e38; beyond, they become infinite and the boxes meet all others."""
_MIDDLE_STEP = 1 << 14
_PART_OF_STEP = 1e-6
"""Steps. Counting them in double precision is off by less than 1e-11 of one."""
_SIX_AND_NOTHING = (0, 1, 2, 4, 5, 6, 8, 8)
"""x, y, z of the lower and of the upper side, each four lanes, then twice the first of another vector."""

_FLOAT = ir.FloatType()
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)


def _triangle(builder: Any, lows: Any, highs: Any, corners: list[Any], origin: Any) -> list[Lanes]:
    """Sides of the box around three corners, rows of lows and highs: minus the lower ends, then the upper ones; four each."""
    code = Vectors(builder, ir.DoubleType(), 4)

    def row(data: Any, n: Any) -> Lanes:
        return code.load(builder.gep(data, [builder.mul(n, ir.Constant(_INT64, 4))]), 0)

    first, second, third = (row(lows, n) for n in corners)
    lowest = first
    for other in (second, third):
        lowest = code.choose(lowest.is_above(other), other, lowest)
    first, second, third = (row(highs, n) for n in corners)
    highest = code.larger(third, code.larger(second, first))
    middle = code.load(origin, 0)
    return [middle - lowest, highest - middle]


def _singles(builder: Any, sides: list[Lanes]) -> list[Any]:
    """Sides in single precision, rounded outwards."""
    rounded = []
    for side in sides:
        outwards = side + (abs(side) * side.code.constant(_OUTWARDS) + side.code.constant(_TINY))
        rounded.append(builder.fptrunc(outwards.value, ir.VectorType(_FLOAT, 4)))
    return rounded


def _whole_steps(builder: Any, sides: list[Lanes], steps: Any) -> list[Any]:
    """Sides in whole steps, rounded outwards."""
    whole, sixteen = ir.VectorType(_INT32, 4), ir.VectorType(ir.IntType(16), 4)
    rounded = []
    for side in sides:
        # From a number above 0 the cut to a whole one is downwards, and one more is upwards.
        counted = side * side.code.spread(steps) + side.code.constant(_MIDDLE_STEP + _PART_OF_STEP)
        count = builder.trunc(builder.fptosi(counted.value, whole), sixteen)
        rounded.append(builder.sub(count, ir.Constant(sixteen, [_MIDDLE_STEP - 1] * 4)))
    return rounded


def _store_box(builder: Any, sides: list[Any], place: Any) -> None:
    """Three of each four sides, and twice 0, to `place`."""
    both = pick(builder, sides[0], sides[1], tuple(range(_BOX)))
    nothing = ir.Constant(both.type, [0] * _BOX)
    box = pick(builder, both, nothing, _SIX_AND_NOTHING)
    align = 4 if isinstance(box.type.element, ir.FloatType) else 2
    builder.store(box, builder.bitcast(place, box.type.as_pointer()), align=align)


@intrinsic
def fit_triangle(typingctx: Any, low: Any, high: Any, i: Any, j: Any, k: Any, origin: Any, boxes: Any, at: Any) -> Any:
    """fit_triangle(low, high, i, j, k, origin, boxes, at): the box around rows i, j, k to boxes[at : at + 8], rounded outwards.

    low, high (n, 4): lowest and highest places of vertices, x, y, z and 0 (one array where they rest); origin (4,), its last 0;
    boxes: float32, C order, of which `at` counts single numbers.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lows, highs, origin, boxes = (data_of(context, builder, signature.args[n], args[n]) for n in (0, 1, 5, 6))
        sides = _triangle(builder, lows, highs, list(args[2:5]), origin)
        _store_box(builder, _singles(builder, sides), builder.gep(boxes, [args[7]]))
        return context.get_dummy_value()

    row = types.int64
    return types.void(low, high, row, row, row, origin, boxes, row), generate


@intrinsic
def fit_corners(
    typingctx: Any, places: Any, i: Any, j: Any, k: Any, origin: Any, steps: Any, boxes: Any, at: Any
) -> Any:
    """fit_corners(places, i, j, k, origin, steps, boxes, at): the same for one array of places, and boxes of float32 or int16.

    int16: in whole steps, `steps` of them a metre; no place is farther from the origin than 2^14 - 2 of them.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        places, origin, boxes = (data_of(context, builder, signature.args[n], args[n]) for n in (0, 4, 6))
        sides = _triangle(builder, places, places, list(args[1:4]), origin)
        single = signature.args[6].dtype == types.float32
        rounded = _singles(builder, sides) if single else _whole_steps(builder, sides, args[5])
        _store_box(builder, rounded, builder.gep(boxes, [args[7]]))
        return context.get_dummy_value()

    row = types.int64
    return types.void(places, row, row, row, origin, types.float64, boxes, row), generate


def _larger_of(lanes: int) -> Any:
    """How an intrinsic writes the larger of `lanes` numbers each."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        element, align = (_FLOAT, 4) if kind.dtype == types.float32 else (ir.IntType(16), 2)
        place = ir.VectorType(element, lanes).as_pointer()
        boxes = data_of(context, builder, kind, args[0])
        pointers = [builder.bitcast(builder.gep(boxes, [n]), place) for n in args[1:4]]
        one, other = (builder.load(pointer, align=align) for pointer in pointers[:2])
        above = builder.fcmp_ordered(">", one, other) if element is _FLOAT else builder.icmp_signed(">", one, other)
        builder.store(builder.select(above, one, other), pointers[2], align=align)
        return context.get_dummy_value()

    return generate


@intrinsic
def fit_two(typingctx: Any, boxes: Any, one: Any, other: Any, at: Any) -> Any:
    """fit_two(boxes, one, other, at): the box around those at boxes[one : one + 8] and [other : other + 8] to [at : at + 8]."""
    return types.void(boxes, types.int64, types.int64, types.int64), _larger_of(_BOX)


@intrinsic
def fit_two_rows(typingctx: Any, boxes: Any, one: Any, other: Any, at: Any) -> Any:
    """fit_two_rows(boxes, one, other, at): the same for the boxes of eight keys, which follow each other."""
    return types.void(boxes, types.int64, types.int64, types.int64), _larger_of(8 * _BOX)
