"""Chord boxes of two nodes against each other, all sides at both keys at once, in vector instructions."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._vector import data_of, pick

_KEY = 8
"""Columns from one key's sides to the other's; two of them are padding, always 0."""
_FACING = (3, 4, 5, 0, 1, 2, 6, 7)
"""The side of another box that faces each side."""
_SLACK = 16.0 * 2.0**-53
"""Relative. A window's end is a quotient of two exact sums, the lower one rounded once: off by at most 3 units of 2^-53, so
this much outwards is on the safe side."""

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_WINDOW = types.UniTuple(types.float64, 2)


def _row(context: Any, builder: Any, kind: Any, boxes: Any, node: Any) -> Any:
    """Both keys of a node: 16 single precision numbers."""
    sixteen = ir.VectorType(ir.FloatType(), 2 * _KEY)
    data = data_of(context, builder, kind, boxes)
    place = builder.gep(data, [builder.mul(node, ir.Constant(_INT64, 2 * _KEY))])
    return builder.load(builder.bitcast(place, sixteen.as_pointer()), align=4)


def _half(builder: Any, lanes: Any, places: Any) -> Any:
    return pick(builder, lanes, ir.Constant(lanes.type, ir.Undefined), places)


def _splat(kind: Any, value: float) -> ir.Constant:
    return ir.Constant(kind, [value] * kind.count)


@intrinsic
def sides_apart(typingctx: Any, boxes: Any, a: Any, b: Any) -> Any:
    """sides_apart(boxes, a, b): mask of the sides of node a along which it is apart from node b at both keys.

    boxes (n, 16) float32, C order. The sign of a sum of two numbers is exact, so any bit proves the boxes apart all the way.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        one, two = (_row(context, builder, kind, args[0], args[k]) for k in (1, 2))
        sums = builder.fadd(one, _half(builder, two, [*_FACING, *(_KEY + k for k in _FACING)]))
        below = builder.fcmp_ordered("<", sums, _splat(sums.type, 0.0))
        bits = builder.bitcast(below, ir.IntType(2 * _KEY))
        both = builder.and_(bits, builder.lshr(bits, ir.Constant(bits.type, _KEY)))
        return builder.zext(builder.and_(both, ir.Constant(bits.type, 0xFF)), _INT64)

    return types.int64(boxes, types.int64, types.int64), generate


@intrinsic
def boxes_meet(typingctx: Any, boxes: Any, a: Any, b: Any) -> Any:
    """boxes_meet(boxes, a, b): do the boxes of nodes a and b meet? boxes (n, 8) float32, C order, one key."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        eight = ir.VectorType(ir.FloatType(), _KEY)
        data = data_of(context, builder, signature.args[0], args[0])
        rows = []
        for k in (1, 2):
            place = builder.gep(data, [builder.mul(args[k], ir.Constant(_INT64, _KEY))])
            rows.append(builder.load(builder.bitcast(place, eight.as_pointer()), align=4))
        sums = builder.fadd(rows[0], _half(builder, rows[1], _FACING))
        below = builder.fcmp_ordered("<", sums, _splat(eight, 0.0))
        return builder.icmp_unsigned("==", builder.bitcast(below, ir.IntType(_KEY)), ir.Constant(ir.IntType(_KEY), 0))

    return types.boolean(boxes, types.int64, types.int64), generate


@intrinsic
def meeting_window(typingctx: Any, boxes: Any, a: Any, b: Any, odd: Any) -> Any:
    """meeting_window(boxes, a, b, odd): (first, last) times in [0, 1] outside which the chord boxes of a and b are apart.

    odd: 0 where the interval begins at the key in columns 0 to 7, 1 where it begins at the other. For nodes that no side
    shows apart at both keys; first > last: never together.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        double = ir.VectorType(ir.DoubleType(), _KEY)
        one, two = (_row(context, builder, kind, args[0], args[k]) for k in (1, 2))
        keys = []
        for first in (0, _KEY):
            mine = builder.fpext(_half(builder, one, range(first, first + _KEY)), double)
            other = builder.fpext(_half(builder, two, [first + k for k in _FACING]), double)
            keys.append(builder.fadd(mine, other))
        turned = builder.icmp_signed("!=", args[3], ir.Constant(_INT64, 0))
        begin, end = builder.select(turned, keys[1], keys[0]), builder.select(turned, keys[0], keys[1])
        zero = _splat(double, 0.0)
        crossing = builder.fdiv(begin, builder.fsub(begin, end))
        apart_first = builder.fcmp_ordered("<", begin, zero)
        apart_last = builder.fcmp_ordered("<", end, zero)
        early = builder.fmul(crossing, _splat(double, 1.0 - _SLACK))
        late = builder.fmul(crossing, _splat(double, 1.0 + _SLACK))
        first = _most(builder, builder.select(apart_first, early, zero))
        last = _most(builder, builder.fneg(builder.select(apart_last, late, _splat(double, 1.0))))
        return context.make_tuple(builder, _WINDOW, [first, builder.fneg(last)])

    return _WINDOW(boxes, types.int64, types.int64, types.int64), generate


def _most(builder: Any, lanes: Any) -> Any:
    """The largest of eight numbers."""
    n = _KEY
    while n > 1:
        n //= 2
        low, high = _half(builder, lanes, range(n)), _half(builder, lanes, range(n, 2 * n))
        lanes = builder.select(builder.fcmp_ordered(">", low, high), low, high)
    return builder.extract_element(lanes, ir.Constant(_INT32, 0))
