"""All tables of a world behind one argument: a poll then costs 0.3 microseconds to enter a kernel, not 3.

Passing an array from Python to a kernel takes about 0.1 microseconds, and an event loop needs 27 of them. Instead Python
writes their addresses and shapes into one small table, and kernels make the arrays from it. What lies in which row follows
from the fields of the tables, which are named tuples: the common ones come first, those of an engine (`Engine._own_tables`)
behind them, from row OWN on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, inner_kernel
from carom.errors import CaromError
from carom.tables.arrays import fields_of
from carom.tables.run_columns import Bodies, Pairs, Run

_MAX_AXES = 3
TABLE_COLUMNS = 1 + _MAX_AXES

OWN = len(Bodies._fields) + len(Pairs._fields) + len(Run._fields)
"""First row behind the tables that all engines have."""


def address_table(tables: Sequence[tuple[Any, ...]]) -> NDArray[np.int64]:
    """Rows of address and shape of every array of these tables, padded with zeros.

    The caller keeps the arrays alive, and makes a new table when one moves. An array that is not what its field says would be
    read as something else by kernels: it raises CaromError.
    """
    rows = []
    for group in tables:
        for field, array in zip(fields_of(type(group)), group, strict=True):
            if array.dtype != field.item or array.ndim != field.axes or not array.flags.c_contiguous:
                raise CaromError(
                    f"{type(group).__name__}.{field.name} is {array.dtype} with {array.ndim} axes; expected {field.item} with "
                    f"{field.axes}, in C order. This is a bug in carom: please report it"
                )
            rows.append((array.ctypes.data, *array.shape, *[0] * (_MAX_AXES - array.ndim)))
    return np.array(rows, np.int64).reshape(-1, TABLE_COLUMNS)


def _array_in_table(item: Any, ndim: int) -> Any:
    """An intrinsic (table, row) -> array of `ndim` axes of type `item`, C order, not owned.

    numba.carray would do, but a kernel without reference counting may not return its result.
    """

    def typed(typingctx: Any, table: Any, row: Any) -> Any:
        signature = types.Array(item, ndim, "C")(table, types.int64)

        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            int64 = ir.IntType(64)
            entries = make_array(sig.args[0])(context, builder, args[0]).data
            start = builder.mul(args[1], int64(1 + _MAX_AXES))
            address, *shape = (
                builder.load(builder.gep(entries, [builder.add(start, int64(c))])) for c in range(1 + ndim)
            )
            size = context.get_abi_sizeof(context.get_data_type(item))
            strides = [int64(size)]
            for extent in reversed(shape[1:]):
                strides.insert(0, builder.mul(strides[0], extent))
            array = make_array(sig.return_type)(context, builder)
            data = builder.inttoptr(address, context.get_data_type(item).as_pointer())
            populate_array(array, data=data, shape=shape, strides=strides, itemsize=int64(size), meminfo=None)
            return array._getvalue()

        return signature, generate

    return intrinsic(typed)


_floats = _array_in_table(types.float64, 1)
_float_rows = _array_in_table(types.float64, 2)
_float_blocks = _array_in_table(types.float64, 3)
_bytes = _array_in_table(types.int8, 1)
_byte_rows = _array_in_table(types.uint8, 2)
_short_rows = _array_in_table(types.int16, 2)
_ints = _array_in_table(types.int32, 1)
_int_rows = _array_in_table(types.int32, 2)
_longs = _array_in_table(types.int64, 1)
_long_rows = _array_in_table(types.int64, 2)
_masks = _array_in_table(types.uint64, 1)


_GETTERS = {
    ("float64", 1): "_floats", ("float64", 2): "_float_rows", ("float64", 3): "_float_blocks", ("int8", 1): "_bytes",
    ("uint8", 2): "_byte_rows", ("int16", 2): "_short_rows", ("int32", 1): "_ints", ("int32", 2): "_int_rows",
    ("int64", 1): "_longs", ("int64", 2): "_long_rows", ("uint64", 1): "_masks",
}  # fmt: skip


def unpacker(table: type, first: int, compiled: Callable[[Any], Any] = inner_kernel) -> Any:
    """A kernel (addresses) -> `table`, a named tuple of arrays whose rows begin at `first`; written from its fields.

    Kernels cannot loop over fields of different types, so that its source is made here, as NamedTuple makes its own.
    """
    arrays = ", ".join(
        f"{_GETTERS[field.item, field.axes]}(table, {first + k})" for k, field in enumerate(fields_of(table))
    )
    name = f"{table.__name__}_at_{first}"
    scope = globals()
    scope[table.__name__] = table
    exec(f"def {name}(table):\n    return {table.__name__}({arrays})", scope)
    scope[name] = made = compiled(scope[name])
    return made


bodies_at = unpacker(Bodies, 0, inline_kernel)
pairs_at = unpacker(Pairs, len(Bodies._fields), inline_kernel)
run_at = unpacker(Run, len(Bodies._fields) + len(Pairs._fields), inline_kernel)
