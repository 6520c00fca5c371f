"""Calls of compiled functions by address: what is called is neither compiled nor linked with the caller."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _by_address(return_type: Any, llvm_return: Any) -> Any:
    def typed(typingctx: Any, address: Any, arguments: Any) -> Any:
        numbers = [types.float64 if isinstance(t, types.Float) else types.int64 for t in arguments]
        signature = return_type(types.int64, types.Tuple(numbers))

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            llvm_types = [ir.DoubleType() if t is types.float64 else ir.IntType(64) for t in numbers]
            function_type = ir.FunctionType(llvm_return, llvm_types)
            values = [builder.extract_value(args[1], k) for k in range(len(numbers))]
            return builder.call(builder.inttoptr(args[0], function_type.as_pointer()), values)

        return signature, generate

    return intrinsic(typed)


call_float = _by_address(types.float64, ir.DoubleType())
"""call_float(address, arguments): C function of int64 and float64 arguments (a tuple) that returns a float64."""

call_int = _by_address(types.int64, ir.IntType(64))
"""call_int(address, arguments): the same for one that returns an int64."""


def _as_pointer(item: Any) -> Any:
    def typed(typingctx: Any, address: Any) -> Any:
        signature = types.CPointer(item)(types.int64)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], context.get_value_type(sig.return_type))

        return signature, generate

    return intrinsic(typed)


# as_...(address): an address (int64) as a pointer to that type, for numba.carray
as_float64 = _as_pointer(types.float64)
as_int32 = _as_pointer(types.int32)
as_int64 = _as_pointer(types.int64)
