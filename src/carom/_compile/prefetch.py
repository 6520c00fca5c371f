"""Asking the processor for a line of memory before it is needed."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_BYTE = ir.IntType(8)
_INT32 = ir.IntType(32)
_FOR_READING, _KEEP, _DATA = (ir.Constant(_INT32, k) for k in (0, 3, 1))


def _fetch(builder: Any, byte: Any) -> None:
    takes = ir.FunctionType(ir.VoidType(), [byte.type, _INT32, _INT32, _INT32])
    fetch = cgutils.get_or_insert_function(builder.module, takes, "llvm.prefetch.p0")
    builder.call(fetch, [byte, _FOR_READING, _KEEP, _DATA])


def _first_byte(context: Any, builder: Any, kind: Any, rows: Any, row: Any) -> tuple[Any, Any]:
    """Pointer to the first byte of a row, and how many bytes there are from one row to the next."""
    table = context.make_array(kind)(context, builder, rows)
    step = builder.extract_value(table.strides, 0)
    start = builder.bitcast(table.data, _BYTE.as_pointer())
    return builder.gep(start, [builder.mul(row, step)]), step


@intrinsic
def prefetch_row(typingctx: Any, rows: Any, row: Any) -> Any:
    """prefetch_row(rows, row): bring the first line of rows[row] of a C-ordered array near; never faults."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, _ = _first_byte(context, builder, signature.args[0], *args)
        _fetch(builder, byte)
        return context.get_dummy_value()

    return types.void(rows, types.int64), generate


@intrinsic
def prefetch_ends(typingctx: Any, rows: Any, row: Any) -> Any:
    """prefetch_ends(rows, row): the same for the first and the last line of a row, which is all of one of up to 65 bytes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte, step = _first_byte(context, builder, signature.args[0], *args)
        _fetch(builder, byte)
        _fetch(builder, builder.gep(byte, [builder.sub(step, ir.Constant(step.type, 1))]))
        return context.get_dummy_value()

    return types.void(rows, types.int64), generate
