"""Corners of a pair of triangles over a window, eight directions and fifteen features at once, in vector instructions."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._compile.formula import Lanes, Vectors, data_of

DIRECTIONS = 8
"""Directions tried at once: `directions` (3, 8) holds their x, then y, then z."""

_PLACE_ROUNDING = 8.0 * 2.0**-53
"""A position in the window: difference (1 unit of 2^-53), two weights and their sum (3 units); two are compared: 8 units."""
_ROUNDING = 16.0 * 2.0**-53
"""The same projected on a direction, 3 units more: two such projections are compared, 14 units. Twice the largest projection is
made first and then multiplied by half of this: where a projection might overflow, so does the bound, and nothing is apart."""
_TINY = 1e-300
"""Added to error bounds so that underflow (below 5e-324 an operation) is covered."""

_INT64 = ir.IntType(64)
_DOUBLE = ir.DoubleType()


def _row(builder: Any, data: Any, row: Any) -> Any:
    """Pointer to row `row` of an array with four columns."""
    return builder.gep(data, [builder.mul(row, ir.Constant(_INT64, 4))])


@intrinsic
def place_corners(
    typingctx: Any, start: Any, end: Any, corners: Any, first: Any, last: Any, moved: Any, reach: Any
) -> Any:
    """place_corners(start, end, corners, first, last, moved, reach): six corners at both ends of a window.

    start, end (n, 4): vertices at the ends of the interval, x, y, z and 0; corners (6,) int64 their rows, those of a first;
    [first, last] the window. moved (12, 4): corners relative to the first corner of a, at the window's beginning in rows 0 to
    5, at its end in rows 6 to 11; reach (4,): the largest coordinate of any of them over the whole interval. C order.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Vectors(builder, _DOUBLE, 4)
        kinds = signature.args
        start, end, corners, moved, reach = (data_of(context, builder, kinds[k], args[k]) for k in (0, 1, 2, 5, 6))
        one = ir.Constant(_DOUBLE, 1.0)
        shares = [(code.spread(builder.fsub(one, args[k])), code.spread(args[k])) for k in (3, 4)]
        rows = [builder.load(builder.gep(corners, [ir.Constant(_INT64, k)])) for k in range(6)]
        origin = [code.load(_row(builder, data, rows[0]), 0) for data in (start, end)]
        most = code.constant(0.0)
        for k, row in enumerate(rows):
            u = code.load(_row(builder, start, row), 0) - origin[0]
            v = code.load(_row(builder, end, row), 0) - origin[1]
            most = code.larger(code.larger(abs(u), abs(v)), most)
            for half, (before, after) in enumerate(shares):
                place = builder.gep(moved, [ir.Constant(_INT64, 4 * (6 * half + k))])
                code.store(before * u + after * v, place)
        code.store(most, reach)
        return context.get_dummy_value()

    number = types.float64
    return types.void(start, end, corners, number, number, moved, reach), generate


@intrinsic
def parting_directions(typingctx: Any, moved: Any, reach: Any, directions: Any) -> Any:
    """parting_directions(moved, reach, directions): mask of the directions along which the triangles stay strictly apart.

    On the same side at both ends of the window, beyond rounding; positions move linearly, so in between as well.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Vectors(builder, _DOUBLE, DIRECTIONS)
        moved, reach, directions = (data_of(context, builder, signature.args[k], args[k]) for k in range(3))
        axes = [code.load(directions, DIRECTIONS * d) for d in range(3)]

        def along(row: int) -> Lanes:
            x, y, z = (code.spread(code.scalar(moved, 4 * row + d)) * axes[d] for d in range(3))
            return (x + y) + z

        def ends(first: int) -> tuple[Lanes, Lanes]:
            one, two, three = along(first), along(first + 1), along(first + 2)
            high = code.larger(code.larger(one, two), three)
            low = code.smaller(code.smaller(one, two), three)
            return low, high

        twice = [abs(axes[d]) * (code.spread(code.scalar(reach, d)) * code.constant(2.0)) for d in range(3)]
        pad = (twice[0] + twice[1] + twice[2]) * code.constant(0.5 * _ROUNDING) + code.constant(_TINY)
        ahead = behind = None
        for first in (0, 6):
            low_a, high_a = ends(first)
            low_b, high_b = ends(first + 3)
            b_above, a_above = (low_b - high_a).is_above(pad), (low_a - high_b).is_above(pad)
            ahead = b_above if ahead is None else builder.and_(ahead, b_above)
            behind = a_above if behind is None else builder.and_(behind, a_above)
        return code.mask_bits(builder.or_(ahead, behind))

    return types.int64(moved, reach, directions), generate


@intrinsic
def meeting_features(typingctx: Any, moved: Any, reach: Any) -> Any:
    """meeting_features(moved, reach): mask of the features (bit k: code k) whose two parts' boxes meet within the window."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        code = Vectors(builder, _DOUBLE, 4)
        moved, reach = (data_of(context, builder, signature.args[k], args[k]) for k in range(2))
        pad = code.load(reach, 0) * code.constant(_PLACE_ROUNDING) + code.constant(_TINY)

        ends = [(code.load(moved, 4 * k), code.load(moved, 4 * (6 + k))) for k in range(6)]
        points = [(code.smaller(u, v), code.larger(u, v)) for u, v in ends]

        def around(*boxes: tuple[Lanes, Lanes]) -> tuple[Lanes, Lanes]:
            low, high = boxes[0]
            for other_low, other_high in boxes[1:]:
                low, high = code.smaller(low, other_low), code.larger(high, other_high)
            return low, high

        def meet(a: tuple[Lanes, Lanes], b: tuple[Lanes, Lanes]) -> Any:
            apart = builder.or_(a[0].is_above(b[1] + pad), b[0].is_above(a[1] + pad))
            none = ir.Constant(ir.IntType(4), 0)
            return builder.icmp_unsigned("==", builder.bitcast(apart, ir.IntType(4)), none)

        edges = [around(points[3 * s + k], points[3 * s + (k + 1) % 3]) for s in range(2) for k in range(3)]
        face_a, face_b = around(edges[0], points[2]), around(edges[3], points[5])
        tests = [meet(points[k], face_b) for k in range(3)]
        tests += [meet(points[3 + k], face_a) for k in range(3)]
        tests += [meet(edges[k], edges[3 + l]) for k in range(3) for l in range(3)]
        mask = ir.Constant(_INT64, 0)
        for k, test in enumerate(tests):
            mask = builder.or_(mask, builder.shl(builder.zext(test, _INT64), ir.Constant(_INT64, k)))
        return mask

    return types.int64(moved, reach), generate
