"""Comparison of one box with eight by vector instructions; LLVM splits vectors that the machine does not support."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._compile.lanes import bits_of, in_all_lanes, load_eight

LANES = 8
"""Number of boxes compared at once: columns must have as many places after the last box."""

_INT64 = ir.IntType(64)


@intrinsic
def meeting(typingctx: Any, ends: Any, room: Any, first: Any, box: Any) -> Any:
    """meeting(ends, room, first, box): bit mask of the eight boxes from place `first` on that overlap `box`.

    ends: float64 array of six columns of `room` numbers each: lower ends along x, y, z, then upper ends. box: tuple of six
    numbers in the same order.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        ends, room, first, box = args
        mask = None
        for k in range(6):
            place = builder.add(builder.mul(room, ir.Constant(_INT64, k)), first)
            lanes = load_eight(context, builder, signature.args[0], ends, place)
            mine = in_all_lanes(builder, builder.extract_value(box, (k + 3) % 6))
            test = builder.fcmp_ordered("<=" if k < 3 else ">=", lanes, mine)
            mask = test if mask is None else builder.and_(mask, test)
        return bits_of(builder, mask)

    return types.int64(ends, types.int64, types.int64, box), generate


@intrinsic
def number_below(typingctx: Any, keys: Any, first: Any, value: Any) -> Any:
    """number_below(keys, first, value): number of keys[first : first + 8] before the first that is at least value."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        lanes = load_eight(context, builder, signature.args[0], args[0], args[1])
        below = builder.fcmp_ordered("<", lanes, in_all_lanes(builder, args[2]))
        others = builder.xor(bits_of(builder, below), ir.Constant(_INT64, (1 << LANES + 1) - 1))
        return builder.cttz(others, ir.Constant(ir.IntType(1), 1))

    return types.int64(keys, types.int64, types.float64), generate
