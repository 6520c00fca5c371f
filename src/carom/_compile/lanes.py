"""Eight neighbouring doubles in a few vector instructions: their minimum, and eight spheres against one.

LLVM splits the vectors where a machine has none so wide. Numba never turns such loops into vector code by itself: without
fastmath the order of comparisons is fixed.
"""

from __future__ import annotations

from math import inf
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_EIGHT = ir.VectorType(ir.DoubleType(), 8)
_INT32 = ir.IntType(32)
_INT64 = ir.IntType(64)
_ANSWER = types.Tuple((types.float64, types.int64))


def _places(first: int, n: int) -> ir.Constant:
    return ir.Constant(ir.VectorType(_INT32, n), list(range(first, first + n)))


def in_all_lanes(builder: Any, value: Any) -> Any:
    """A vector of eight times the value."""
    nothing = ir.Constant(ir.VectorType(value.type, 8), ir.Undefined)
    one = builder.insert_element(nothing, value, ir.Constant(_INT32, 0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(_INT32, 8), [0] * 8))


def load_eight(context: Any, builder: Any, array_type: Any, array: Any, first: Any) -> Any:
    """The eight doubles of an array from place `first` on, as a vector."""
    data = context.make_array(array_type)(context, builder, array).data
    pointer = builder.bitcast(builder.gep(data, [first]), _EIGHT.as_pointer())
    return builder.load(pointer, align=8)


def bits_of(builder: Any, lanes: Any) -> Any:
    """An int64 whose lowest eight bits are those of a vector of truths."""
    return builder.zext(builder.bitcast(lanes, ir.IntType(8)), _INT64)


def _least(context: Any, builder: Any, lanes: Any) -> Any:
    """The pair (least lane, bit mask of the lanes equal to it)."""
    half, n = lanes, 8
    while n > 1:
        n //= 2
        nothing = ir.Constant(half.type, ir.Undefined)
        low = builder.shuffle_vector(half, nothing, _places(0, n))
        high = builder.shuffle_vector(half, nothing, _places(n, n))
        half = builder.select(builder.fcmp_ordered("<", low, high), low, high)
    least = builder.extract_element(half, ir.Constant(_INT32, 0))
    equal = builder.fcmp_ordered("==", lanes, in_all_lanes(builder, least))
    mask = bits_of(builder, equal)
    return context.make_tuple(builder, _ANSWER, [least, mask])


@intrinsic
def least_of_eight(typingctx: Any, keys: Any, first: Any) -> Any:
    """least_of_eight(keys, first): (least of keys[first : first + 8], mask of the places that hold it). No NaN."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _least(context, builder, load_eight(context, builder, signature.args[0], args[0], args[1]))

    return _ANSWER(keys, types.int64), generate


@intrinsic
def least_of_seven(typingctx: Any, keys: Any, first: Any, without: Any) -> Any:
    """least_of_seven(keys, first, without): least_of_eight with inf at place `without` instead of what stands there."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = load_eight(context, builder, signature.args[0], args[0], args[1])
        numbers = ir.Constant(ir.VectorType(_INT64, 8), list(range(8)))
        left_out = builder.icmp_signed("==", numbers, in_all_lanes(builder, args[2]))
        return _least(context, builder, builder.select(left_out, ir.Constant(_EIGHT, [inf] * 8), lanes))

    return _ANSWER(keys, types.int64, types.int64), generate


@intrinsic
def spheres_touching(typingctx: Any, lanes: Any, first: Any, x: Any, y: Any, z: Any, radius: Any) -> Any:
    """spheres_touching(lanes, first, x, y, z, radius): mask of the eight spheres at lanes[first : first + 32] that touch one.

    lanes: x of all eight, then y, z and radius. Sphere k touches if (dx dx + dy dy) + dz dz <= (radius_k + radius)^2, rounded
    as this formula is elsewhere; one with a centre at infinity never does.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        columns = [
            load_eight(context, builder, signature.args[0], args[0], builder.add(args[1], ir.Constant(_INT64, 8 * k)))
            for k in range(4)
        ]
        offsets = [builder.fsub(columns[k], in_all_lanes(builder, args[2 + k])) for k in range(3)]
        squares = [builder.fmul(offset, offset) for offset in offsets]
        apart = builder.fadd(builder.fadd(squares[0], squares[1]), squares[2])
        reach = builder.fadd(columns[3], in_all_lanes(builder, args[5]))
        touching = builder.fcmp_ordered("<=", apart, builder.fmul(reach, reach))
        return bits_of(builder, touching)

    number = types.float64
    return types.int64(lanes, types.int64, number, number, number, number), generate


@intrinsic
def lowest_place(typingctx: Any, mask: Any) -> Any:
    """lowest_place(mask): number of the lowest bit set in an int64 that is not 0."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate
