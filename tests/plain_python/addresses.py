"""Twins of carom._compile.address_call, of C callbacks and of engine.address_table: functions and arrays found by a number."""

from __future__ import annotations

import ctypes
import functools
import re
from types import SimpleNamespace

import numpy as np

_C_TYPES = {"float64": ctypes.c_double, "int64": ctypes.c_int64}
_functions: dict = {}
_from_c: list = []


def is_called_from_c() -> bool:
    """Whether a callback runs that C has called, from which no exception gets out."""
    return bool(_from_c)


def _entered_from_c(function):
    def entry(*arguments):
        _from_c.append(function)
        try:
            return function(*arguments)
        finally:
            _from_c.pop()

    return entry


def c_callback(signature):
    """A decorator like carom._compile.jit.c_callback: `address` can be called from C, and is known to `call`."""
    names = re.findall(r"\w+", signature)

    def decorate(function):
        callback = ctypes.CFUNCTYPE(*(_C_TYPES[name] for name in names))(_entered_from_c(function))
        address = ctypes.cast(callback, ctypes.c_void_p).value
        _functions[address] = callback, function
        return SimpleNamespace(address=address)

    return decorate


def call(address, arguments):
    """Call of a function by its address; not by way of C, which would swallow exceptions."""
    return _functions[int(address)][1](*arguments)


@functools.lru_cache(4096)
def _array(address, shape, dtype):
    """The memory at `address`, not owned. The same view serves whatever lies there later."""
    n = int(np.prod(shape)) * dtype.itemsize
    memory = (ctypes.c_char * n).from_address(address) if n else b""
    return np.frombuffer(memory, dtype).reshape(shape)


def array_at(address, shape, dtype):
    """Writable array over the memory at an address (int)."""
    return _array(int(address), tuple(int(n) for n in shape), np.dtype(dtype))


def pointer_to(item):
    """Twin of carom._compile.address_call.as_...: an address as a ctypes pointer, which numba.carray takes."""

    def as_pointer(address):
        return ctypes.cast(int(address), ctypes.POINTER(item))

    return as_pointer


def array_in_table(dtype, ndim):
    """Twin of an intrinsic (table, row) -> array, as engine.address_table makes them."""

    def array(table, row):
        return array_at(table[row, 0], table[row, 1 : 1 + ndim], dtype)

    return array
