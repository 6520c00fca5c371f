"""Error-free sums and products of two doubles (Knuth; Dekker and Veltkamp), the building blocks of sure signs."""

from __future__ import annotations

from carom._compile.jit import kernel

_SPLITTER = 134217729.0
"""2^27 + 1: splits a double into two halves of 26 bits whose products are exact."""


@kernel
def split(a: float) -> tuple[float, float]:
    """a = high + low, each with at most 26 significant bits; |a| below 1e300."""
    c = _SPLITTER * a
    high = c - (c - a)
    return high, a - high


@kernel
def sum_error(a: float, b: float) -> float:
    """The rounding error of a + b: the rounded sum and this are together exact."""
    total = a + b
    part = total - a
    return (a - (total - part)) + (b - part)


@kernel
def product_error(a: float, b: float) -> float:
    """The rounding error of a * b: exact as long as the product is between 1e-290 and 1e300."""
    a_high, a_low = split(a)
    b_high, b_low = split(b)
    return a_low * b_low - (((a * b - a_high * b_high) - a_low * b_high) - a_high * b_low)
