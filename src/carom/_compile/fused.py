"""Multiply and add with one rounding, in one instruction where the processor has it, else by a slow library function.

The result is the same everywhere, so that what is visited, and in which order, does not depend on the machine.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def fused(typingctx: Any, a: Any, b: Any, c: Any) -> Any:
    """fused(a, b, c): a * b + c of doubles, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        double = ir.DoubleType()
        shape = ir.FunctionType(double, (double, double, double))
        return builder.call(builder.module.declare_intrinsic("llvm.fma", (double,), shape), args)

    return types.float64(types.float64, types.float64, types.float64), generate
