"""Roots and entering times against known answers and an exact rational oracle."""

from __future__ import annotations

from fractions import Fraction
from math import inf, isnan, nextafter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carom.maths.roots import (
    earliest_root_cubic,
    earliest_root_linear,
    earliest_root_quadratic,
    earliest_root_quartic,
    enter_linear,
    enter_quadratic,
    enter_quartic,
)
from carom.tolerances import ROOT_TOUCH
from oracles.root_oracle import earliest_root, entering_time, from_roots, polynomial, terms, ulps, value

ALLOWED_ULPS = 4
UNDERFLOW = Fraction(1, 10**300)
"""Around a root at 0 the values of tiny times are zero."""


def enter(coefficients, s_min):
    """The kernel for the number of coefficients given."""
    kernels = {2: enter_linear, 3: enter_quadratic, 5: enter_quartic}
    return kernels[len(coefficients)](*coefficients, s_min)


def first_root(coefficients, s0, s1):
    """The kernel for the number of coefficients given."""
    kernels = {
        2: earliest_root_linear,
        3: earliest_root_quadratic,
        4: earliest_root_cubic,
        5: earliest_root_quartic,
    }
    return kernels[len(coefficients)](*coefficients, s0, s1)


def assert_enters_exactly(coefficients, s_min):
    """The kernel's answer is the oracle's within a few ulps, never where the other is inf."""
    found = enter(coefficients, s_min)
    expected = entering_time(polynomial(coefficients), s_min)
    assert not isnan(found)
    if expected == inf or found == inf:
        assert found == expected, (coefficients, s_min)
        return
    assert found >= s_min
    assert abs(Fraction(found) - expected) <= ulps(found, ALLOWED_ULPS), (coefficients, s_min)


def assert_first_root_is_never_late(coefficients, s0, s1):
    """No root is missed or late; an early answer is a touch up to ROOT_TOUCH."""
    found = first_root(coefficients, s0, s1)
    p = polynomial(coefficients)
    expected = earliest_root(p, s0, s1)
    assert not isnan(found)
    if expected != inf:
        assert found != inf, (coefficients, s0, s1)
        assert Fraction(found) - expected <= ulps(found, ALLOWED_ULPS) + UNDERFLOW, (coefficients, s0, s1)
    if found == inf:
        return
    assert s0 <= found <= s1
    if expected == inf or expected - Fraction(found) > ulps(found, ALLOWED_ULPS):
        assert abs(value(p, Fraction(found))) <= Fraction(ROOT_TOUCH) * terms(p, Fraction(found))


@pytest.mark.parametrize(
    ("gap", "s_min", "expected"),
    [
        ((2.0, -1.0), 0.0, 2.0),
        ((2.0, -1.0), 3.0, 3.0),
        ((-2.0, -1.0), 0.0, 0.0),
        ((-2.0, 1.0), 0.0, inf),
        ((0.0, 0.0), 0.0, inf),
        ((-1.0, 0.0), 0.0, inf),
        ((0.0, -1.0), 0.0, 0.0),
        ((1e300, -1e-300), 0.0, inf),
        ((inf, -1.0), 0.0, inf),
    ],
)
def test_enter_linear_known_answers(gap, s_min, expected):
    assert enter(gap, s_min) == expected


@pytest.mark.parametrize(
    ("gap", "s_min", "expected"),
    [
        ((2.0, -3.0, 1.0), 0.0, 1.0),  # falls through zero at 1, rises through it at 2
        ((2.0, -3.0, 1.0), 1.25, 1.25),  # overlapping and approaching is now
        ((2.0, -3.0, 1.0), 1.5, inf),  # at the deepest point it parts
        ((2.0, -3.0, 1.0), 1.75, inf),
        ((-2.0, 3.0, -1.0), 0.0, 2.0),  # overlapping and parting, apart at 1, back at 2
        ((-2.0, 3.0, -1.0), 5.0, 5.0),
        ((-2.0, 2.0, -1.0), 0.0, 1.0),  # parts until its peak at -1, then turns round
        ((-1.0, 2.0, -1.0), 0.0, 1.0),  # the peak just touches zero
        ((1.0, -2.0, 1.0), 0.0, inf),  # touching and parting is not a contact
        ((1.0, -2.0, 2.0), 0.0, inf),
        ((0.0, -1.0, 1.0), 0.0, 0.0),
        ((0.0, 1.0, -1.0), 0.0, 1.0),
        ((0.0, 0.0, -1.0), 0.0, 0.0),
        ((0.0, 0.0, 1.0), 0.0, inf),
        ((0.0, 0.0, 0.0), 0.0, inf),
        ((1.0, -1.0, 0.0), 0.0, 1.0),
        ((1.0, -1.0, 1e-320), 0.0, 1.0),
        ((1.0, -1.0, -1e-320), 0.0, 1.0),
        ((1e300, -3e300, 2e300), 0.0, 0.5),
        ((1e-300, -3e-300, 2e-300), 0.0, 0.5),
        ((inf, -1.0, -1.0), 0.0, inf),
    ],
)
def test_enter_quadratic_known_answers(gap, s_min, expected):
    assert enter(gap, s_min) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("roots", "sign", "s_min", "expected"),
    [
        ((1.0, 2.0, 3.0, 4.0), 1.0, 0.0, 1.0),
        ((1.0, 2.0, 3.0, 4.0), 1.0, 1.0, 1.0),
        ((1.0, 2.0, 3.0, 4.0), 1.0, 1.75, 3.0),
        ((1.0, 2.0, 3.0, 4.0), 1.0, 3.25, 3.25),
        ((1.0, 2.0, 3.0, 4.0), 1.0, 3.75, inf),
        ((1.0, 2.0, 3.0, 4.0), -1.0, 0.0, 2.0),
        ((1.0, 2.0, 3.0, 4.0), -1.0, 5.0, 5.0),
        ((1.0, 1.0, 2.0, 2.0), 1.0, 0.0, inf),  # touches twice, parts twice
        ((1.0, 1.0, 2.0, 2.0), -1.0, 0.0, 1.0),  # two peaks at zero
        ((1.0, 1.0, 2.0, 2.0), -1.0, 1.25, 1.25),
        ((1.0, 1.0, 2.0, 2.0), -1.0, 1.75, 2.0),
        ((1.0, 1.0, 1.0, 2.0), 1.0, 0.0, 1.0),  # a triple root is a crossing
        ((1.0, 2.0, 2.0, 3.0), 1.0, 1.75, 2.0),  # rises to zero inside, then falls again
        ((1.0, 1.0, 1.0, 1.0), 1.0, 0.0, inf),
        ((1.0, 1.0, 1.0, 1.0), -1.0, 0.0, 1.0),
        ((0.0, 0.0, 0.0, 0.0), -1.0, 0.0, 0.0),
        ((0.0, 0.0, 0.0, 0.0), 1.0, 0.0, inf),
    ],
)
def test_enter_quartic_known_roots_are_exact(roots, sign, s_min, expected):
    assert enter([sign * c for c in from_roots(roots)], s_min) == expected


def test_enter_quartic_of_lower_degree_agrees_with_the_quadratic():
    rng = np.random.default_rng(1)
    for g0, g1, g2 in rng.normal(size=(50, 3)):
        assert enter((g0, g1, g2, 0.0, 0.0), 0.5) == enter((g0, g1, g2), 0.5)


def test_enter_quartic_tiny_times_do_not_underflow():
    assert enter((0.0, 0.0, 0.001953125, -1e100, 0.001953125), 0.0) == pytest.approx(1.953125e-103, rel=1e-15)
    assert enter((1e-300, 0.0, -1e300, 1e-300, 1e-300), 0.0) == pytest.approx(1e-300, rel=1e-15)


def test_enter_quartic_infinite_gap_is_never_entered():
    assert enter((inf, -1.0, -1.0, -1.0, -1.0), 0.0) == inf


def normal(rng, n):
    return rng.normal(size=n)


def small_integers(rng, n):
    return rng.integers(-4, 5, n).astype(float)


def integer_roots(rng, n):
    return rng.choice([-1.0, 1.0]) * np.array(from_roots(rng.integers(-3, 6, n - 1).astype(float)))


def double_root(rng, n):
    roots = rng.normal(size=n - 2)
    return rng.choice([-1.0, 1.0]) * np.array(from_roots([roots[0], *roots]))


def clustered_roots(rng, n):
    return rng.choice([-1.0, 1.0]) * np.array(from_roots(rng.normal() * (1.0 + 10.0 ** rng.uniform(-16, -3, n - 1))))


def missing_terms(rng, n):
    return rng.normal(size=n) * (rng.random(n) < 0.6)


def tiny_leading_terms(rng, n):
    return rng.normal(size=n) * 10.0 ** -np.append(np.zeros(n - 2), rng.uniform(0, 150, 2))


def mixed_scales(rng, n):
    return rng.normal(size=n) * 10.0 ** rng.uniform(-30, 30, n)


def extreme_scale(rng, n):
    """One shape of gap over 300 powers of ten of size and 60 of time."""
    unit = 10.0 ** rng.uniform(-30, 30)
    return 10.0 ** rng.uniform(-150, 150) * np.array(from_roots(rng.normal(size=n - 1))) * unit ** -np.arange(float(n))


FAMILIES = [
    normal,
    small_integers,
    integer_roots,
    double_root,
    clustered_roots,
    missing_terms,
    tiny_leading_terms,
    mixed_scales,
    extreme_scale,
]


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("length", [3, 5])
def test_enter_agrees_with_the_exact_oracle(family, length):
    rng = np.random.default_rng(length)
    for _ in range(40):
        s_min = float(rng.choice([0.0, 0.5, 1.0, rng.exponential()]))
        assert_enters_exactly(family(rng, length).tolist(), s_min)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("length", [3, 4, 5])
def test_earliest_root_is_never_missed_nor_late(family, length):
    rng = np.random.default_rng(length)
    for _ in range(40):
        s0 = float(rng.choice([0.0, 1.0, rng.normal()]))
        assert_first_root_is_never_late(family(rng, length).tolist(), s0, s0 + float(rng.exponential()) * 2.0)


def test_enter_at_a_root_of_the_gap_starts_there():
    """s_min on, just before and just after a root: where the last event ended."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        gap = from_roots(rng.normal(size=4))
        root = enter(gap, -2.0)
        if root == inf:
            continue
        for s_min in (root, nextafter(root, -inf), nextafter(root, inf)):
            assert_enters_exactly(gap, s_min)
        quadratic = from_roots(rng.normal(size=2))
        turn = -0.5 * quadratic[1]
        for s_min in (turn, nextafter(turn, -inf), nextafter(turn, inf)):
            assert_enters_exactly(quadratic, s_min)


@pytest.mark.parametrize(
    ("coefficients", "s0", "s1", "expected"),
    [
        ((-2.0, 1.0), 0.0, 3.0, 2.0),
        ((-2.0, 1.0), 0.0, 1.0, inf),
        ((-2.0, 1.0), 2.0, 2.0, 2.0),
        ((0.0, 0.0), 1.0, 2.0, 1.0),
        ((1.0, 0.0), 1.0, 2.0, inf),
        ((2.0, -3.0, 1.0), 0.0, 5.0, 1.0),
        ((2.0, -3.0, 1.0), 1.5, 5.0, 2.0),
        ((2.0, -3.0, 1.0), 2.0, 5.0, 2.0),
        ((2.0, -3.0, 1.0), 3.0, 5.0, inf),
        ((2.0, -3.0, 1.0), 0.0, 0.5, inf),
        ((1.0, -2.0, 1.0), 0.0, 5.0, 1.0),
        ((1.0, 0.0, 1.0), -5.0, 5.0, inf),
        ((0.0, 0.0, 0.0), 1.0, 2.0, 1.0),
        ((0.0, 2e-189, 1e170), 0.0, 1.0, 0.0),
        ((-6.0, 11.0, -6.0, 1.0), 0.0, 9.0, 1.0),
        ((-6.0, 11.0, -6.0, 1.0), 1.5, 9.0, 2.0),
        ((-6.0, 11.0, -6.0, 1.0), -9.0, inf, 1.0),
        ((-6.0, 11.0, -6.0, 1.0), 4.0, inf, inf),
        ((4.0, -12.0, 13.0, -6.0, 1.0), 0.0, 9.0, 1.0),
        ((4.0, -12.0, 13.0, -6.0, 1.0), 1.5, 9.0, 2.0),
        ((4.0, -12.0, 13.0, -6.0, 1.0), 2.5, 9.0, inf),
        ((1.0, 0.0, 0.0, 0.0, 1.0), -9.0, 9.0, inf),
        ((2.0, -3.0, 1.0), 5.0, 0.0, inf),
        ((24.0, -50.0, 35.0, -10.0, 1.0), 5.0, 0.0, inf),
    ],
)
def test_earliest_root_known_answers(coefficients, s0, s1, expected):
    assert first_root(coefficients, s0, s1) == expected


def test_earliest_root_finds_touches_hidden_by_rounded_coefficients():
    """(3 s - 1)^2 (s^2 + 1) touches at 1/3, which no double holds; coefficients of its multiples are rounded."""
    for factor in (1.0, 0.1, 1.0 / 3.0, 1e-5):
        found = first_root([factor * c for c in (1.0, -6.0, 10.0, -6.0, 9.0)], 0.0, 1.0)
        assert found == pytest.approx(1.0 / 3.0, abs=1e-7)


def coefficient():
    """Any double of moderate size, often zero, often a small integer."""
    sized = st.floats(1e-60, 1e60) | st.floats(-1e60, -1e-60)
    return st.just(0.0) | st.integers(-3, 3).map(float) | sized


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.lists(coefficient(), min_size=5, max_size=5), st.just(0.0) | st.floats(1e-50, 1e50))
def test_enter_quartic_any_input_is_exact(gap, s_min):
    assert_enters_exactly(gap, s_min)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(st.lists(coefficient(), min_size=3, max_size=3), st.just(0.0) | st.floats(1e-50, 1e50))
def test_enter_quadratic_any_input_is_exact(gap, s_min):
    assert_enters_exactly(gap, s_min)


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=5, max_size=5), st.floats(0.0, 1e300))
def test_roots_of_any_finite_doubles_are_never_nan(c, s):
    assert enter(c[:2], s) >= s
    assert enter(c[:3], s) >= s
    assert enter(c, s) >= s
    for length in (2, 3, 4, 5):
        assert first_root(c[:length], s, 2.0 * s) >= s
