"""Sine, cosine and arc tangent against integer arithmetic of 1,200 bits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.maths.trigonometry import arc_tangent, quarter_arc, sine_cosine, sines_cosines

BITS = 1300
"""Bits after the binary point that the oracle computes with; arguments have up to 1,024 before it."""


def _pi() -> int:
    """pi 2^2600 by Gauss's formula, which shares no series with carom's."""
    power = 2 * BITS + 64

    def arc_cotangent(x):
        total, term, n = 0, (1 << power) // x, 1
        while term:
            total, term, n = total + (term // n if n % 4 == 1 else -(term // n)), term // (x * x), n + 2
        return total

    return 4 * (12 * arc_cotangent(18) + 8 * arc_cotangent(57) - 5 * arc_cotangent(239)) >> 64


PI = _pi()


def exact_sine_cosine(x: float) -> tuple[Fraction, Fraction]:
    """Sine and cosine of a double with an error below 1e-100, by Taylor's series in integers."""
    exact = Fraction(x)
    turn = (exact.numerator * (1 << 2 * BITS) // exact.denominator) % (2 * PI)
    if turn > PI:
        turn -= 2 * PI
    one = 1 << 400
    angle = turn >> (2 * BITS - 400)
    sums, term, n = [0, 0], one, 0
    while term:
        sums[n % 2] += term * (-1) ** (n // 2)
        n += 1
        term = abs(term) * abs(angle) // (one * n)
    return Fraction(sums[1] * (1 if angle >= 0 else -1), one), Fraction(sums[0], one)


def arguments():
    rng = np.random.default_rng(1)
    small = rng.uniform(-1.0, 1.0, 150)
    medium = rng.uniform(-(2.0**19), 2.0**19, 150)
    any_size = rng.uniform(0.5, 1.0, 300) * 2.0 ** rng.integers(-100, 1023, 300)
    multiples = np.arange(1.0, 60.0) * (0.5 * np.pi)
    # Doubles that are nearly multiples of pi / 2, and 2^19, where the reduction changes.
    hard = [6381956970095103.0 * 2.0**797, 5.319372648326541e255, 1e22, 2.0**19, np.nextafter(2.0**19, 1e9), 1.7e308]
    return np.concatenate([small, medium, any_size, multiples, -multiples, hard, [0.0]])


def ulps(got: float, true: Fraction) -> float:
    return float(abs(Fraction(got) - true) / Fraction(math.ulp(float(true))))


def test_sine_cosine_are_right_to_the_last_place_for_every_size_of_argument():
    x = arguments()
    sines, cosines = sines_cosines(x)
    for angle, sine, cosine in zip(x.tolist(), sines.tolist(), cosines.tolist(), strict=True):
        s, c = exact_sine_cosine(angle)
        assert ulps(sine, s) < 0.8, angle
        assert ulps(cosine, c) < 0.8, angle


def test_sine_cosine_in_kernels_and_in_python_agree_bit_for_bit():
    @lean_kernel
    def in_kernel(x, out):
        for k in range(len(x)):
            out[k, 0], out[k, 1] = sine_cosine(x[k])

    x = arguments()
    compiled = np.empty((len(x), 2))
    in_kernel(x, compiled)
    one_by_one = np.array([np.concatenate(sines_cosines(np.array([angle]))) for angle in x])
    assert (compiled == one_by_one).all()
    assert (compiled == np.column_stack(sines_cosines(x))).all()


def test_sine_of_a_tiny_angle_is_the_angle():
    tiny = 10.0 ** -np.linspace(9.0, 323.0, 500)
    sines, cosines = sines_cosines(np.concatenate([tiny, -tiny]))
    assert (sines == np.concatenate([tiny, -tiny])).all()
    assert (cosines == 1.0).all()


def test_sine_cosine_of_what_is_not_finite_is_nan():
    assert np.isnan(sines_cosines(np.array([np.nan, np.inf, -np.inf]))).all()


def test_sine_cosine_keep_the_shape_and_odd_and_even_symmetry():
    x = arguments()[:100].reshape(4, 25)
    sines, cosines = sines_cosines(x)
    assert sines.shape == cosines.shape == (4, 25)
    mirrored = sines_cosines(-x)
    assert (mirrored[0] == -sines).all()
    assert (mirrored[1] == cosines).all()


def test_arc_tangent_is_right_to_two_places():
    @lean_kernel
    def in_kernel(y, x, out):
        for k in range(len(x)):
            out[k] = arc_tangent(y[k], x[k])

    rng = np.random.default_rng(2)
    y, x = rng.normal(size=(2, 3000)) * 10.0 ** rng.uniform(-12.0, 3.0, (2, 3000))
    y[:4], x[:4] = (0.0, 1.0, -1.0, 0.0), (1.0, 0.0, 0.0, -1.0)
    got = np.empty(len(x))
    in_kernel(y, x, got)
    true = np.arctan2(y, x)
    assert (np.abs(got - true) <= 2.5 * np.spacing(np.abs(true))).all()
    assert quarter_arc(1.0, 1.0) == pytest.approx(0.25 * math.pi, abs=2e-16)
    in_kernel(np.zeros(1), np.zeros(1), got)
    assert got[0] == 0.0
