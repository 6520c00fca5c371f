"""Multiply and add in one instruction where the machine has it.

Only for bounds: the last bit then depends on the machine, which may change what is visited but never an answer.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def fused(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """fused(a, b, c): a * b + c of doubles, rounded once or twice."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        double = ir.DoubleType()
        shape = ir.FunctionType(double, (double, double, double))
        return builder.call(builder.module.declare_intrinsic("llvm.fmuladd", (double,), shape), args)

    return types.float64(types.float64, types.float64, types.float64), generate
