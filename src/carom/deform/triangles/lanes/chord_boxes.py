"""Overlap test of the chord boxes of two nodes, all sides at both keys at once, by vector instructions."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from carom._compile.formula import data_of, pick

_KEY = 8
"""Columns from one key's sides to the other's; two of them are padding, always 0."""
_KEYS = 8
"""Keys in the widest rows."""
_FACING = (3, 4, 5, 0, 1, 2, 6, 7)
"""The side of another box that faces each side."""
_SLACK = 16.0 * 2.0**-24
"""Relative. A window's end is a quotient in single precision: two sums, each rounded once, their difference, which is of two
signs, the quotient and this factor: off by at most 6 units of 2^-24."""

_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_WINDOW = types.UniTuple(types.float64, 2)


def _boxes(builder: Any, kind: Any, data: Any, place: Any, keys: int) -> Any:
    """The boxes of some keys in a row, from `place` on in an array of float32 or int16."""
    element, align = (ir.FloatType(), 4) if kind.dtype == types.float32 else (ir.IntType(16), 2)
    lanes = ir.VectorType(element, _KEY * keys)
    return builder.load(builder.bitcast(builder.gep(data, [place]), lanes.as_pointer()), align=align)


def _sides_below(builder: Any, kind: Any, data: Any, places: list[Any], keys: int) -> Any:
    """An int64, eight bits a key: along which sides of the boxes at the first place are those at the second apart?"""
    mine, theirs = (_boxes(builder, kind, data, place, keys) for place in places)
    theirs = _half(builder, theirs, [_KEY * key + k for key in range(keys) for k in _FACING])
    if kind.dtype == types.float32:
        below = builder.fcmp_ordered("<", builder.fadd(mine, theirs), _splat(mine.type, 0.0))
    else:
        below = builder.icmp_signed("<", builder.add(mine, theirs), _splat(mine.type, 0))
    return builder.zext(builder.bitcast(below, ir.IntType(_KEY * keys)), _INT64)


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
        data = data_of(context, builder, signature.args[0], args[0])
        places = [builder.mul(node, ir.Constant(_INT64, 2 * _KEY)) for node in args[1:]]
        bits = _sides_below(builder, signature.args[0], data, places, 2)
        both = builder.and_(bits, builder.lshr(bits, ir.Constant(_INT64, _KEY)))
        return builder.and_(both, ir.Constant(_INT64, 0xFF))

    return types.int64(boxes, types.int64, types.int64), generate


@intrinsic
def meeting_intervals(typingctx: Any, boxes: Any, a: Any, b: Any) -> Any:
    """meeting_intervals(boxes, a, b): mask with bit 8 k + 7 set if no side shows nodes a and b apart at both keys k and k + 1.

    boxes (n, 16) or (n, 64), float32 or int16, C order: two keys, or up to eight. Bits of intervals that the window does not
    have mean nothing.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = signature.args[0]
        array = context.make_array(kind)(context, builder, args[0])
        width = builder.extract_value(array.shape, 1)
        rows = [builder.mul(node, width) for node in args[1:]]

        def apart_from(key: int, keys: int) -> Any:
            column = ir.Constant(_INT64, key * _KEY)
            bits = _sides_below(builder, kind, array.data, [builder.add(row, column) for row in rows], keys)
            return builder.shl(bits, column)

        at_once = 2 if kind.dtype == types.float32 else 4
        apart = cgutils.alloca_once_value(builder, apart_from(0, 2))
        with builder.if_then(builder.icmp_signed(">", width, ir.Constant(_INT64, 2 * _KEY)), likely=True):
            bits = ir.Constant(_INT64, 0)
            for key in range(0, _KEYS, at_once):
                bits = builder.or_(bits, apart_from(key, at_once))
            builder.store(bits, apart)
        bits = builder.load(apart)
        both = builder.and_(bits, builder.lshr(bits, ir.Constant(_INT64, _KEY)))
        # Six sides take six bits of a byte: 0x7F more reaches the highest where any of them is set.
        any_side = builder.add(both, ir.Constant(_INT64, 0x7F7F7F7F7F7F7F))
        return builder.and_(builder.not_(any_side), ir.Constant(_INT64, 0x80808080808080))

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
    """meeting_window(boxes, a, b, odd): (first, last) times in [0, 1] outside which two chord boxes are apart.

    boxes: float32 or int16, C order; a, b: places of its single numbers where the boxes begin, each those of two keys, one
    after the other. odd: 1 where the interval begins at the second of these keys. For boxes that no side shows apart at both
    keys; first > last: never together.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        data = data_of(context, builder, signature.args[0], args[0])
        single = ir.VectorType(ir.FloatType(), _KEY)
        one, two = (_boxes(builder, signature.args[0], data, place, 2) for place in args[1:3])
        keys = []
        for first in (0, _KEY):
            mine = _half(builder, one, range(first, first + _KEY))
            other = _half(builder, two, [first + k for k in _FACING])
            if isinstance(mine.type.element, ir.FloatType):
                keys.append(builder.fadd(mine, other))
            else:
                keys.append(builder.sitofp(builder.add(mine, other), single))
        turned = builder.icmp_signed("!=", args[3], ir.Constant(_INT64, 0))
        begin, end = builder.select(turned, keys[1], keys[0]), builder.select(turned, keys[0], keys[1])
        zero = _splat(single, 0.0)
        crossing = builder.fdiv(begin, builder.fsub(begin, end))
        apart_first = builder.fcmp_ordered("<", begin, zero)
        apart_last = builder.fcmp_ordered("<", end, zero)
        early = builder.fmul(crossing, _splat(single, 1.0 - _SLACK))
        late = builder.fmul(crossing, _splat(single, 1.0 + _SLACK))
        first = _most(builder, builder.select(apart_first, early, zero))
        last = _most(builder, builder.fneg(builder.select(apart_last, late, _splat(single, 1.0))))
        double = ir.DoubleType()
        return context.make_tuple(
            builder, _WINDOW, [builder.fpext(first, double), builder.fpext(builder.fneg(last), double)]
        )

    return _WINDOW(boxes, types.int64, types.int64, types.int64), generate


def _most(builder: Any, lanes: Any) -> Any:
    """The largest of eight numbers."""
    n = _KEY
    while n > 1:
        n //= 2
        low, high = _half(builder, lanes, range(n)), _half(builder, lanes, range(n, 2 * n))
        lanes = builder.select(builder.fcmp_ordered(">", low, high), low, high)
    return builder.extract_element(lanes, ir.Constant(_INT32, 0))
