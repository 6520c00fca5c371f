"""Error-free arithmetic and sure signs against rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest

from carom.maths.exact import product_error, sum_error
from carom.maths.polynomial import sign_change, sure_value
from oracles.root_oracle import from_roots, polynomial, value


def sign(x):
    return (x > 0) - (x < 0)


def test_error_terms_are_exact():
    rng = np.random.default_rng(1)
    for a, b in rng.normal(size=(200, 2)) * 10.0 ** rng.uniform(-60, 60, (200, 2)):
        assert Fraction(a) + Fraction(b) == Fraction(a + b) + Fraction(sum_error(a, b))
        assert Fraction(a) * Fraction(b) == Fraction(a * b) + Fraction(product_error(a, b))


@pytest.mark.parametrize("roots", [(1.0, 2.0, 3.0, 4.0), (1.0, 1.0, 2.0, 3.0), (1.0, 1.0, 1.0, 3.0), (1.0,) * 4])
def test_sure_value_has_the_exact_sign_next_to_roots(roots):
    c = from_roots(roots)
    p = polynomial(c)
    s = 1.0
    for _ in range(20):
        s = nextafter(s, inf)
        for t in (s, 2.0 - s):
            assert sign(sure_value(c[0], c[1], c[2], 0.0, c[3], c[4], t)) == sign(value(p, Fraction(t)))


def test_sure_value_sees_the_low_part_of_the_middle_coefficient():
    assert sure_value(-1.0, 0.0, 1.0, 1e-20, 0.0, 0.0, 1.0) == 1e-20
    assert sure_value(-1.0, 0.0, 1.0, -1e-40, 0.0, 0.0, 1.0) == -1e-40


def test_sure_value_keeps_the_sign_where_powers_overflow():
    assert sure_value(1.0, 1.0, 1.0, 0.0, 1.0, -1e-300, 1e280) > 0.0
    assert sure_value(1.0, 1.0, 1.0, 0.0, 1.0, -1e-250, 1e280) < 0.0
    assert sure_value(1.0, 1.0, 1.0, 0.0, -1e-200, 0.0, 1e250) < 0.0


def test_sure_value_keeps_the_sign_where_powers_underflow():
    assert sure_value(0.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1e-310) > 0.0
    assert sure_value(0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 1e-310) < 0.0
    assert sure_value(0.0, -1.0, 1.0, 0.0, 0.0, 0.0, -1e-310) > 0.0
    assert sure_value(0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0) == 0.0


def test_sign_change_gives_neighbours_around_the_root():
    rng = np.random.default_rng(2)
    for root in 10.0 ** rng.uniform(-60, 60, 50):
        c = [-(Fraction(root) ** 3), Fraction(0), Fraction(0), Fraction(1)]
        low, high = sign_change(float(c[0]), 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1e65, -1.0, 0.0)
        assert high == nextafter(low, inf)
        rounded = polynomial([float(c[0]), 0.0, 0.0, 1.0])
        assert value(rounded, Fraction(low)) <= 0 < value(rounded, Fraction(high))
