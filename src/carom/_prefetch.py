"""Asking the processor for a line of memory before it is needed."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_INT32 = ir.IntType(32)
_FOR_READING, _KEEP, _DATA = (ir.Constant(_INT32, k) for k in (0, 3, 1))


@intrinsic
def prefetch_row(typingctx: Any, rows: Any, row: Any) -> Any:
    """prefetch_row(rows, row): bring the first line of rows[row] of a C-ordered (n, k) array near; never faults."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        table = context.make_array(signature.args[0])(context, builder, args[0])
        length = builder.extract_value(table.shape, 1)
        place = builder.gep(table.data, [builder.mul(args[1], length)])
        byte = builder.bitcast(place, ir.IntType(8).as_pointer())
        takes = ir.FunctionType(ir.VoidType(), [byte.type, _INT32, _INT32, _INT32])
        fetch = cgutils.get_or_insert_function(builder.module, takes, "llvm.prefetch.p0")
        builder.call(fetch, [byte, _FOR_READING, _KEEP, _DATA])
        return context.get_dummy_value()

    return types.void(rows, types.int64), generate
