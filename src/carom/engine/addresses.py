"""All tables of a world behind one argument: a poll then costs 0.3 microseconds to enter a kernel, not 3.

Passing an array from Python to a kernel takes about 0.1 microseconds, and an event loop needs 27 of them. Instead Python
writes their addresses and shapes into one small table, and kernels make the arrays from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, inner_kernel
from carom.engine.kinetic_grid.cells import Grid
from carom.engine.sweep.kinetic_lists import Swaps
from carom.engine.sweep.sorted_lists import Lists
from carom.engine.vadop.axis_lists import AxisLists
from carom.tables.run_columns import Bodies, Pairs, Run

_MAX_AXES = 3
TABLE_COLUMNS = 1 + _MAX_AXES

# Rows of the table at which the groups begin, in the order in which `address_table` gets the arrays.
_BODIES = 0
_PAIRS = _BODIES + len(Bodies._fields)
_RUN = _PAIRS + len(Pairs._fields)
_LISTS = _RUN + len(Run._fields)
_POSITIONS = _LISTS + len(Lists._fields)


def address_table(arrays: Sequence[NDArray[np.generic]]) -> NDArray[np.int64]:
    """Rows of address and shape, padded with zeros. The caller keeps the arrays alive, and makes a new table when one moves."""
    table = np.zeros((len(arrays), 1 + _MAX_AXES), np.int64)
    for row, array in zip(table, arrays, strict=True):
        assert array.flags.c_contiguous
        row[0] = array.ctypes.data
        row[1 : 1 + array.ndim] = array.shape
    return table


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


@inline_kernel
def bodies_at(table):
    """The bodies."""
    k = _BODIES
    return Bodies(
        _float_rows(table, k),
        _int_rows(table, k + 1),
        _float_rows(table, k + 2),
        _float_rows(table, k + 3),
        _float_rows(table, k + 4),
        _floats(table, k + 5),
        _float_rows(table, k + 6),
        _long_rows(table, k + 7),
        _masks(table, k + 8),
        _floats(table, k + 9),
        _ints(table, k + 10),
        _float_rows(table, k + 11),
        _float_rows(table, k + 12),
        _float_rows(table, k + 13),
    )


@inline_kernel
def pairs_at(table):
    """The pairs."""
    k = _PAIRS
    return Pairs(
        _int_rows(table, k),
        _bytes(table, k + 1),
        _floats(table, k + 2),
        _floats(table, k + 3),
        _longs(table, k + 4),
        _ints(table, k + 5),
    )


@inline_kernel
def run_at(table):
    """Log, counters and parameters."""
    k = _RUN
    return Run(_float_rows(table, k), _longs(table, k + 1), _floats(table, k + 2), _longs(table, k + 3))


@inner_kernel
def lists_at(table):
    """The sorted lists."""
    k = _LISTS
    return Lists(_int_rows(table, k), _int_rows(table, k + 1), _byte_rows(table, k + 2))


@inner_kernel
def swaps_at(table):
    """Positions of kinetic ends and the queue of their exchanges."""
    k = _POSITIONS
    return Swaps(_float_blocks(table, k), _floats(table, k + 1), _ints(table, k + 2), _longs(table, _RUN + 3))


@inner_kernel
def grid_at(table):
    """The kinetic grid."""
    k = _LISTS
    return Grid(
        _float_rows(table, k),
        _int_rows(table, k + 1),
        _int_rows(table, k + 2),
        _int_rows(table, k + 3),
        _ints(table, k + 4),
        _int_rows(table, k + 5),
        _ints(table, k + 6),
        _float_rows(table, k + 7),
        _long_rows(table, k + 8),
        _floats(table, k + 9),
        _ints(table, k + 10),
        _ints(table, k + 11),
        _floats(table, k + 12),
        _longs(table, k + 13),
        _ints(table, k + 14),
    )


@inner_kernel
def axis_lists_at(table):
    """The sorted lists over a pool of axes."""
    k = _LISTS
    return AxisLists(
        _float_rows(table, k),
        _int_rows(table, k + 1),
        _float_rows(table, k + 2),
        _float_rows(table, k + 3),
        _float_rows(table, k + 4),
        _longs(table, k + 5),
        _int_rows(table, k + 6),
        _long_rows(table, k + 7),
        _long_rows(table, k + 8),
        _ints(table, k + 9),
        _bytes(table, k + 10),
        _bytes(table, k + 11),
        _longs(table, k + 12),
        _float_rows(table, k + 13),
        _ints(table, k + 14),
        _short_rows(table, k + 15),
        _longs(table, k + 16),
        _floats(table, k + 17),
    )


poly_in = _float_blocks
values_in = _float_rows
POSITIONS = _POSITIONS
"""poly_in(table, POSITIONS), values_in(table, POSITIONS + 1): polynomials and positions of swept ends."""

OWN = _LISTS
"""First row behind the common tables, for the arrays of engines without sorted lists."""
floats_in, float_rows_in = _floats, _float_rows
bytes_in, ints_in, int_rows_in = _bytes, _ints, _int_rows
longs_in, long_rows_in = _longs, _long_rows
