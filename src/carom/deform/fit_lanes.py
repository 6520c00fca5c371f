"""Boxes around triangles and around two boxes, all sides at once, in vector instructions.

A box is eight single precision numbers, the last two 0: see carom.deform.chord_boxes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._vector import Lanes, Vectors, data_of, pick

_BOX = 8
_OUTWARDS = 1.2e-7
"""Relative. Rounding to single precision moves a number by at most 6e-8 of itself, the shift of origin by 1.2e-16."""
_TINY = 1e-37
"""Added to a side: below the normal range of single precision rounding is no longer relative. Sides are far from overflow
as long as coordinates are below 1e38; beyond, they become infinite and the boxes meet all others."""
_SIX_AND_NOTHING = (0, 1, 2, 4, 5, 6, 8, 8)
"""x, y, z of the lower and of the upper side, each four lanes, then twice the first of another vector."""

_FLOAT = ir.FloatType()
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)


@intrinsic
def fit_triangle(typingctx: Any, low: Any, high: Any, i: Any, j: Any, k: Any, origin: Any, boxes: Any, at: Any) -> Any:
    """fit_triangle(low, high, i, j, k, origin, boxes, at): the box around rows i, j, k to boxes[at : at + 8], rounded outwards.

    low, high (n, 4): lowest and highest places of vertices, x, y, z and 0 (one array where they rest); origin (4,), its last 0;
    boxes: float32, C order, of which `at` counts single numbers.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Vectors(builder, ir.DoubleType(), 4)
        lows, highs, middle, boxes = (data_of(context, builder, signature.args[n], args[n]) for n in (0, 1, 5, 6))

        def row(data: Any, n: Any) -> Lanes:
            return code.load(builder.gep(data, [builder.mul(n, ir.Constant(_INT64, 4))]), 0)

        first, second, third = (row(lows, n) for n in args[2:5])
        lowest = first
        for other in (second, third):
            lowest = code.choose(lowest.is_above(other), other, lowest)
        first, second, third = (row(highs, n) for n in args[2:5])
        highest = code.larger(third, code.larger(second, first))
        origin = code.load(middle, 0)
        single = ir.VectorType(_FLOAT, 4)
        sides = []
        for side in (origin - lowest, highest - origin):
            outwards = side + (abs(side) * code.constant(_OUTWARDS) + code.constant(_TINY))
            sides.append(builder.fptrunc(outwards.value, single))
        both = pick(builder, sides[0], sides[1], tuple(range(_BOX)))
        nothing = ir.Constant(both.type, [0.0] * _BOX)
        Vectors(builder, _FLOAT, _BOX).store(
            Lanes(code, pick(builder, both, nothing, _SIX_AND_NOTHING)), builder.gep(boxes, [args[7]])
        )
        return context.get_dummy_value()

    row = types.int64
    return types.void(low, high, row, row, row, origin, boxes, row), generate


@intrinsic
def fit_two(typingctx: Any, boxes: Any, one: Any, other: Any, at: Any) -> Any:
    """fit_two(boxes, one, other, at): the box around those at boxes[one : one + 8] and [other : other + 8] to [at : at + 8]."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Vectors(builder, _FLOAT, _BOX)
        boxes = data_of(context, builder, signature.args[0], args[0])
        one, other = (code.load(builder.gep(boxes, [args[n]]), 0) for n in (1, 2))
        code.store(code.larger(one, other), builder.gep(boxes, [args[3]]))
        return context.get_dummy_value()

    return types.void(boxes, types.int64, types.int64, types.int64), generate
