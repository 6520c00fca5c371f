"""Conversion from fractions of an interval to times."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_HALVES = 2.0**27 + 1.0
"""Times this, a double is cut into two halves of 26 bits, whose products are exact."""
_TAIL = 4.0 * 2.0**-53
"""Relative to the sum of their magnitudes: four small terms are added with three roundings."""
_FAINT, _LONG = 2.0**-900, 2.0**900
"""Seconds. What a product lacks is exact between these."""
_ROUGH = 4.0 * 2.0**-53
"""Relative to where an interval begins and the way from there: a difference, a product and a sum."""


def _sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a + b rounded, and what that lacks, exactly."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """a b rounded, and what that lacks, exactly where nothing underflows."""
    p = a * b
    a_high = _HALVES * a - (_HALVES * a - a)
    b_high = _HALVES * b - (_HALVES * b - b)
    a_low, b_low = a - a_high, b - b_high
    return p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low


def times_of(begin: Floats | float, end: Floats | float, fractions: Floats) -> Floats:
    """Times at fractions (n,), 0 to 1, of intervals from `begin` to `end`, one for all or (n,), never late.

    begin + fraction (end - begin), exact where that is a double, else one or two units in the last place early at most.
    """
    first, last = np.broadcast_to(begin, fractions.shape), np.broadcast_to(end, fractions.shape)
    length, length_tail = _sum(last, -first)
    way, more = fractions * length, fractions * length_tail
    exact = (way > _FAINT) & (length < _LONG) & ((length_tail == 0.0) | (np.abs(more) > _FAINT))
    when = np.nextafter(first + way - _ROUGH * (np.abs(first) + way), -inf)
    when[exact] = _floor(first[exact], length[exact], length_tail[exact], fractions[exact])
    return np.where(fractions >= 1.0, last, np.where(fractions > 0.0, np.maximum(first, when), first))


def _floor(first: Floats, length: Floats, length_tail: Floats, fractions: Floats) -> Floats:
    """first + fractions (length + length_tail), rounded down."""
    way, way_tail = _product(fractions, length)
    more, more_tail = _product(fractions, length_tail)
    near, near_tail = _sum(first, way)
    tail = ((near_tail + way_tail) + more) + more_tail
    error = _TAIL * (np.abs(near_tail) + np.abs(way_tail) + np.abs(more) + np.abs(more_tail))
    when, left = _sum(near, tail)
    return np.where(left < error, np.nextafter(when - error, -inf), when)


def last_fraction(begin: float, end: float, until: float) -> float:
    """The largest fraction of an interval whose time, as `times_of` has it, is not after `until`, from begin to before end."""
    fraction = (float(np.nextafter(until, inf)) - begin) / (end - begin)
    # Off by some roundings at most: times are doubles, and there are many fractions to each, or few.
    while fraction > 0.0 and _time_of(begin, end, fraction) > until:
        fraction = float(np.nextafter(fraction, -inf))
    while fraction < 1.0 and _time_of(begin, end, float(np.nextafter(fraction, inf))) <= until:
        fraction = float(np.nextafter(fraction, inf))
    return fraction


def _time_of(begin: float, end: float, fraction: float) -> float:
    return float(times_of(begin, end, np.array([fraction]))[0])
