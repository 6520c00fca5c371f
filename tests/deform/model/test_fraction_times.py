"""Times of fractions of an interval, against rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.deform.model.fraction_times import times_of


def exact(begin, end, fraction):
    return Fraction(begin) + Fraction(fraction) * (Fraction(end) - Fraction(begin))


@pytest.mark.parametrize(
    ("begin", "end", "fraction", "time"), [(0.5, 1.0, 1.0, 1.0), (1.0, 1.5, 0.125, 1.0625), (0.1, 0.3, 0.0, 0.1)]
)
def test_times_of_are_exact_where_they_can_be(begin, end, fraction, time):
    assert times_of(begin, end, np.array([fraction]))[0] == time


def spans(scale):
    number = st.floats(-scale, scale, allow_subnormal=True)
    return st.tuples(number, number).filter(lambda span: span[0] < span[1])


@given(st.one_of(spans(1e3), spans(1e-300), spans(1e-5), spans(8e307)), st.floats(0.0, 1.0), st.booleans())
def test_times_of_are_never_late_and_hardly_early(span, fraction, rounded):
    begin, end = span
    fraction = np.floor(fraction * 2.0**33) * 2.0**-33 if rounded else fraction
    when = float(times_of(begin, end, np.array([fraction]))[0])
    true = exact(begin, end, fraction)
    assert begin <= when <= true
    unit = Fraction(float(np.spacing(max(abs(begin), abs(end)))))
    assert true - Fraction(when) <= 8 * unit


def test_times_of_many_intervals_at_once():
    rng = np.random.default_rng(1)
    begin = rng.uniform(-10.0, 10.0, 20_000)
    end = begin + 10.0 ** rng.uniform(-12.0, 3.0, len(begin))
    fractions = np.floor(rng.random(len(begin)) * 2.0**33) * 2.0**-33
    times = times_of(begin, end, fractions)
    early = [exact(*row[:3]) - Fraction(row[3]) for row in zip(begin, end, fractions, times.tolist(), strict=True)]
    assert min(early) >= 0
    assert all(gap <= Fraction(float(np.spacing(abs(time)))) for gap, time in zip(early, times, strict=True))


def test_times_of_are_not_late_where_all_but_the_last_digits_cancel():
    # begin = -f, end = 1 and the fraction f: the time is f^2, which no double is.
    rng = np.random.default_rng(2)
    for f in (rng.integers(2**52, 2**53, 50) | 1) * 2.0**-113:
        when = float(times_of(-f, 1.0, np.array([f]))[0])
        assert when <= exact(-f, 1.0, f)
        assert when > 0.999 * f * f
