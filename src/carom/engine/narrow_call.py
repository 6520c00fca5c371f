"""Calls the exact pair test by address, so that event loops compile without it and worlds of spheres never compile it."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from carom._jit import kernel
from carom.engine.state import (
    BODY_ADDRESS,
    FLOATS_ADDRESS,
    INTS_ADDRESS,
    LINK_ADDRESS,
    N_FLOATS,
    N_INTS,
    N_ROWS,
    NARROW_ADDRESS,
    NARROW_TESTS,
    OUT,
    PRIMITIVE_TESTS,
    QUAT_ADDRESS,
)

_N_INTEGERS = 10
"""Integer arguments before t_from: four tables with their lengths, and the two rows."""


@intrinsic
def _call(typingctx: Any, address: Any, arguments: Any, t_from: Any, out: Any) -> Any:
    """address(*arguments, t_from, out) with the C signature of carom.narrow.translating."""
    signature = types.float64(types.int64, types.UniTuple(types.int64, _N_INTEGERS), types.float64, types.int64)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        int64, double = ir.IntType(64), ir.DoubleType()
        function_type = ir.FunctionType(double, [int64] * _N_INTEGERS + [double, int64])
        integers = [builder.extract_value(args[1], k) for k in range(_N_INTEGERS)]
        return builder.call(builder.inttoptr(args[0], function_type.as_pointer()), [*integers, args[2], args[3]])

    return signature, generate


@kernel
def exact_toi(run, i, j, t_from):
    """First contact of rows i, j at or after t_from; fills the OUT columns of run.param."""
    count = run.count
    arguments = (
        count[BODY_ADDRESS],
        count[QUAT_ADDRESS],
        count[LINK_ADDRESS],
        count[N_ROWS],
        count[FLOATS_ADDRESS],
        count[N_FLOATS],
        count[INTS_ADDRESS],
        count[N_INTS],
        i,
        j,
    )
    t = _call(count[NARROW_ADDRESS], arguments, t_from, run.param[OUT:].ctypes.data)
    count[NARROW_TESTS] += 1
    count[PRIMITIVE_TESTS] += int(run.param[OUT + 9])
    return t
