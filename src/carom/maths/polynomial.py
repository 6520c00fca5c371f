"""Polynomials up to degree 4 at double times: values whose sign is sure, and the last time before a sign change.

The middle coefficient is a pair c2 + c2_low: the derivative of a quartic has one there (3 c3) that no double holds.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from carom._compile.jit import inner_kernel, kernel
from carom.maths.exact import product_error, sum_error

Parts = tuple[float, float, float, float, float, float]

LARGEST = float(np.finfo(np.float64).max)

_HORNER_ERROR = 1.3e-15
"""Bound on the rounding error of Horner's rule at degree 4 (12 half ulps), relative to the sum of absolute terms."""
_COMPENSATED_ERROR = 1e-30
"""The same bound for compensated Horner: (8 half ulps)^2, rounded up."""
TINY_TERMS = 1e-200
_HUGE_TERMS = 1e280
"""Where the absolute terms sum up to less or more, error-free products could underflow or overflow."""
_TINY_TIME = 1e-300
"""A shorter time, whose reciprocal could overflow, counts as this one, except zero."""
_MAX_STEPS = 500
"""More than bisection needs from LARGEST down to the smallest double; even then the early end would be returned."""


@inner_kernel
def sum_of_terms(c0: float, c1: float, c2: float, c3: float, c4: float, s: float) -> float:
    """|c0| + |c1 s| + ... + |c4 s^4|: what rounding errors are relative to."""
    a = abs(s)
    return (((abs(c4) * a + abs(c3)) * a + abs(c2)) * a + abs(c1)) * a + abs(c0)


@kernel
def sure_value(c0: float, c1: float, c2: float, c2_low: float, c3: float, c4: float, s: float) -> float:
    """c0 + c1 s + (c2 + c2_low) s^2 + c3 s^3 + c4 s^4 with the right sign, s finite.

    Where powers of s could under- or overflow it is the value over s^2, whose sign is right up to a few ulps of s.
    """
    plain = (((c4 * s + c3) * s + c2) * s + c1) * s + c0
    terms = sum_of_terms(c0, c1, c2, c3, c4, s)
    if abs(plain) > _HORNER_ERROR * terms and terms > TINY_TERMS:
        return plain
    return _careful_value(c0, c1, c2, c2_low, c3, c4, s, terms)


@inner_kernel
def _careful_value(
    c0: float, c1: float, c2: float, c2_low: float, c3: float, c4: float, s: float, terms: float
) -> float:
    """sure_value by compensated Horner (Graillat, Langlois, Louvet), and exactly where even that is not sure."""
    if s == 0.0:
        return c0
    if not TINY_TERMS < terms < _HUGE_TERMS:
        if abs(s) < _TINY_TIME:
            s = _TINY_TIME if s > 0.0 else -_TINY_TIME
        u = 1.0 / s
        return (c4 * s + c3) * s + ((c0 * u + c1) * u + c2)
    first = c4 * s
    high = first + c3
    low = product_error(c4, s) + sum_error(first, c3)
    product = high * s
    low = low * s + (product_error(high, s) + sum_error(product, c2) + c2_low)
    high = product + c2
    product = high * s
    low = low * s + (product_error(high, s) + sum_error(product, c1))
    high = product + c1
    product = high * s
    low = low * s + (product_error(high, s) + sum_error(product, c0))
    value = (product + c0) + low
    if abs(value) > _COMPENSATED_ERROR * terms:
        return value
    return _exact_value(c0, c1, c2, c2_low, c3, c4, s)


@inner_kernel
def _exact_value(c0: float, c1: float, c2: float, c2_low: float, c3: float, c4: float, s: float) -> float:
    """The value by Horner's rule on sums of six doubles, 318 bits: only terms of very different size need more."""
    parts = (c4, 0.0, 0.0, 0.0, 0.0, 0.0)
    for c, c_low in ((c3, 0.0), (c2, c2_low), (c1, 0.0), (c0, 0.0)):
        total = (c, c_low, 0.0, 0.0, 0.0, 0.0)
        for part in parts:
            total = _add(_add(total, part * s), product_error(part, s))
        parts = total
    # The parts may still cancel each other: sum them up anew until the first is the rounded value.
    for _ in range(3):
        total = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for part in parts:
            total = _add(total, part)
        parts = total
    return parts[0]


@inner_kernel
def _add(parts: Parts, extra: float) -> Parts:
    """Add a double to a sum of six; each rounding error goes down to the next part."""
    a, b, c, d, e, f = parts
    error = sum_error(a, extra)
    a, extra = a + extra, error
    error = sum_error(b, extra)
    b, extra = b + extra, error
    error = sum_error(c, extra)
    c, extra = c + extra, error
    error = sum_error(d, extra)
    d, extra = d + extra, error
    error = sum_error(e, extra)
    return a, b, c, d, e + extra, f + error


@kernel
def _between(low: float, high: float) -> float:
    """A double between two others that halves the range: of values where they are close, of exponents where not."""
    if low > 0.0 and high > 4.0 * low:
        return sqrt(low) * sqrt(high)
    if high < 0.0 and low < 4.0 * high:
        return -sqrt(-low) * sqrt(-high)
    if low < 0.0 < high:
        return 0.0
    if low == 0.0:
        return high * 2.0**-10
    if high == 0.0:
        return low * 2.0**-10
    return 0.5 * low + 0.5 * high


@kernel
def sign_change(
    c0: float,
    c1: float,
    c2: float,
    c2_low: float,
    c3: float,
    c4: float,
    low: float,
    high: float,
    sign: float,
    width: float,
) -> tuple[float, float]:
    """Times around the sign change in [low, high], closer than `width` relative; neighbouring doubles if width is 0.

    The polynomial has `sign` (1 or -1), or is zero, at low and the other sign at high. Zero counts as not yet changed,
    so a root that a double can hold is returned as the first of the two. Newton inside a bracket, aimed a little past
    the root so that both ends close in; bisection when that is slow.
    """
    x = 0.5 * low + 0.5 * high
    lead = max(4e-16, 0.25 * width)
    slow = 0
    for _ in range(_MAX_STEPS):
        range_before = high - low
        if not low < x < high or range_before <= width * abs(low):
            return low, high
        value = sure_value(c0, c1, c2, c2_low, c3, c4, x)
        ahead = lead * abs(x)
        if value * sign < 0.0:
            high = x
            ahead = -ahead
        else:
            low = x
        slope = ((4.0 * c4 * x + 3.0 * c3) * x + 2.0 * c2) * x + c1
        step = value / slope if slope != 0.0 else range_before
        # Halving is slow, too, while the ends are not yet of one size: the root may be hundreds of halvings away.
        slow = slow + 1 if high - low > min(0.5 * range_before, 0.75 * max(abs(low), abs(high))) else 0
        x = x - step + ahead
        if not low < x < high or slow > 3:
            x = _between(low, high)
            slow = 0
    return low, high


@inner_kernel
def sign_change_after(
    c0: float, c1: float, c2: float, c2_low: float, c3: float, c4: float, low: float, sign: float, width: float
) -> tuple[float, float]:
    """sign_change after `low`, if the polynomial ends with the other sign; (LARGEST, LARGEST) if beyond all doubles."""
    reach = max(1.0, abs(low))
    while True:
        high = min(low + reach, LARGEST)
        if sure_value(c0, c1, c2, c2_low, c3, c4, high) * sign < 0.0:
            return sign_change(c0, c1, c2, c2_low, c3, c4, low, high, sign, width)
        if high == LARGEST:
            return LARGEST, LARGEST
        low = high
        reach = 4.0 * reach * reach
