"""Arithmetic as kernels compile it: nothing raises; what has no value is infinite or NaN, integers wrap around."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np

_LOWEST = -(2**63)


def divide(a, b):
    """a / b; infinite or NaN where b is 0."""
    try:
        return a / b
    except ZeroDivisionError:
        return np.float64(a) / np.float64(b)


_WIDE = dict.fromkeys((np.int8, np.int16, np.int32, np.uint8, np.uint16, np.uint32), np.int64) | {
    np.float32: np.float64
}


def widened(x):
    """A number as wide as kernels compute with; anything else as it is."""
    kind = type(x)
    return _WIDE[kind](x) if kind in _WIDE else x


def integer(x):
    """int(x); the lowest integer where x is too large or NaN."""
    try:
        return int(x)
    except (OverflowError, ValueError):
        return _LOWEST


def int64(x):
    """np.int64(x), modulo 2^64."""
    x = integer(x)
    return np.int64((x - _LOWEST) % 2**64 + _LOWEST)


def uint64(x):
    """np.uint64(x), modulo 2^64."""
    return np.uint64(integer(x) % 2**64)


def _sqrt(x):
    return np.float64(math.sqrt(x)) if x >= 0.0 else np.float64(np.nan)


def _or_nan(function):
    def twin(x):
        try:
            return np.float64(function(x))
        except ValueError:
            return np.float64(np.nan)

    return twin


def _or_lowest(function):
    def twin(x):
        return function(x) if math.isfinite(x) else _LOWEST

    return twin


def _ldexp(x, exponent):
    return np.ldexp(np.float64(x), int(exponent))


functions = {math.sqrt: _sqrt, math.ldexp: _ldexp}
functions |= {f: _or_nan(f) for f in (math.sin, math.cos, math.tan, math.acos, math.asin)}
functions |= {f: _or_lowest(f) for f in (math.floor, math.ceil)}
"""Functions of `math` that raise where compiled ones do not, and their twins."""

plain_math = SimpleNamespace(**vars(math) | {f.__name__: twin for f, twin in functions.items()})
"""The module `math` with these twins."""
