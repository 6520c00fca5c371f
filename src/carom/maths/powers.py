"""Exponentials, logarithms and cube roots from the four operations alone: the same bits on every machine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10
"""ln 2 in two parts; small multiples of the first are exact."""
_TERMS = 14
_ROOT_HALF, _ODD_TERMS = 0.7071067811865476, 23


def exponentials(x: ArrayLike) -> Any:
    """e**x of a number or an array, x from -700 to 700, to some 2 units in the last place."""
    given = np.asarray(x, dtype=np.float64)
    doublings = np.floor(given / _LN2_HIGH + 0.5)
    rest = (given - doublings * _LN2_HIGH) - doublings * _LN2_LOW
    total = np.ones_like(rest)
    for k in range(_TERMS, 0, -1):
        total = 1.0 + rest * total / k
    return np.ldexp(total, doublings.astype(np.int64))[()]


def logarithms(x: ArrayLike) -> Any:
    """Natural logarithms of a number or an array, above 0 and finite, to some 2 units in the last place or 1e-16."""
    fraction, exponent = np.frexp(np.asarray(x, dtype=np.float64))
    small = fraction < _ROOT_HALF
    fraction, exponent = np.where(small, 2.0 * fraction, fraction), exponent - small
    ratio = (fraction - 1.0) / (fraction + 1.0)
    square = ratio * ratio
    total = np.zeros_like(ratio)
    for k in range(_ODD_TERMS, 0, -2):  # of the series of the inverse hyperbolic tangent
        total = total * square + 1.0 / k
    return (exponent * _LN2_HIGH + (2.0 * ratio * total + exponent * _LN2_LOW))[()]


def cube_root(x: float) -> float:
    """The cube root of a finite number of at least 0, to 1 unit in the last place: Newton's method from within 30 %."""
    if x == 0.0:
        return 0.0
    fraction, exponent = math.frexp(x)
    third, left = divmod(exponent, 3)
    fraction *= float(1 << left)
    root = 0.7 + 0.3 * fraction if fraction < 2.0 else 1.0 + 0.15 * fraction
    for _ in range(6):
        root -= (root - fraction / (root * root)) / 3.0
    return math.ldexp(root, third)
