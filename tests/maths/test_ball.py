"""Balls from far away: entries of moving points into balls against rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from math import inf, sqrt

import numpy as np
import pytest

from carom._compile.jit import kernel
from carom.maths.ball import enter_ball, enter_ball_straight
from carom.tolerances import EPSILON


@kernel
def enter(x, v, h, r):
    return enter_ball(x[0], x[1], x[2], v[0], v[1], v[2], h[0], h[1], h[2], r, 0.0)


@kernel
def enter_straight(x, v, r, s_from):
    return enter_ball_straight(x[0], x[1], x[2], v[0], v[1], v[2], r, s_from)


def gap(x, v, h, r, s: Fraction) -> Fraction:
    """|x + s (v + s h)|^2 - r^2, exactly."""
    places = (
        Fraction(float(a)) + s * (Fraction(float(b)) + s * Fraction(float(c))) for a, b, c in zip(x, v, h, strict=True)
    )
    return sum((p * p for p in places), Fraction(0)) - Fraction(r) ** 2


def shot(rng: np.random.Generator, curved: bool):
    """A path that enters the ball after a long way, told from its beginning: x, v, h, r, duration, speed of approach, way."""
    r = 10.0 ** rng.uniform(-6.0, 3.0)
    duration = 10.0 ** rng.uniform(-3.0, 6.0)
    normal, u = rng.normal(size=(2, 3))
    normal /= np.linalg.norm(normal)
    u /= np.linalg.norm(u)
    if u @ normal > 0.0:
        u = -u
    way = r * 10.0 ** rng.uniform(0.0, 9.0)
    u *= way / duration
    h = rng.normal(size=3) * rng.choice([1.0, 1e-3, 10.0]) * way / duration**2 if curved else np.zeros(3)
    x = r * normal - duration * u + duration**2 * h
    v = u - 2.0 * duration * h
    return (
        x,
        v,
        h,
        r,
        duration,
        -float(u @ normal),
        float(np.abs(x).sum() + duration * np.abs(v).sum() + duration**2 * np.abs(h).sum()),
    )


@pytest.mark.parametrize("curved", [False, True])
def test_ball_from_afar_is_entered_when_rational_arithmetic_says(curved: bool):
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(400):
        x, v, h, r, duration, approach, reach = shot(rng, curved)
        slack = 16.0 * EPSILON * (reach / approach + duration)
        # Only paths that enter surely, and whose first entry it is.
        before, after = Fraction(duration - slack), Fraction(duration + slack)
        times = np.linspace(0.0, duration * (1.0 - 1e-3), 300)
        places = x + times[:, None] * (v + times[:, None] * h)
        first = (np.linalg.norm(places, axis=1) > 1.5 * r).all()
        if not (first and gap(x, v, h, r, before) > 0 > gap(x, v, h, r, after)):
            continue
        hits += 1
        found = enter(x, v, h, r)
        assert duration - 2.0 * slack <= found <= duration + 2.0 * slack
        if not curved:
            found = enter_straight(x, v, r, 0.0)
            assert duration - 2.0 * slack <= found <= duration + 2.0 * slack
    assert hits > 200


@pytest.mark.parametrize("ratio", [1e2, 1e5, 1e8, 1e12])
@pytest.mark.parametrize("acceleration", [0.0, 1e-30, 1e-3])
def test_ball_that_is_hit_in_its_centre_is_not_missed_and_one_that_is_passed_is_not_entered(
    ratio: float, acceleration: float
):
    x, v = np.array([0.6, -0.64, 0.48]) * ratio, np.array([-0.6, 0.64, -0.48]) * 7.0
    h = 0.5 * acceleration * v / 7.0
    # |x| - r = 7 s + a s^2 / 2
    way = 2.0 * (ratio - 1.0)
    assert enter(x, v, h, 1.0) == pytest.approx(way / (7.0 + sqrt(49.0 + acceleration * way)), rel=1e-12)
    aside = np.array([0.8, 0.48, -0.36]) * (1.01 + 16.0 * EPSILON * ratio)
    assert enter(x + aside, v, h, 1.0) == inf
    if acceleration == 0.0:
        assert enter_straight(x, v, 1.0, 0.0) == pytest.approx((ratio - 1.0) / 7.0, rel=1e-12)
        assert enter_straight(x + aside, v, 1.0, 0.0) == inf
        assert enter_straight(x, v, 1.0, ratio / 7.0) == inf  # it leaves then


def test_thrown_ball_that_comes_back_from_afar_is_entered_when_it_does():
    # up from the surface at 1e4 radii a second, down again; g = 0.01: it is gone for 2e6 s, 5e9 radii high
    x, v, h = np.array([0.0, 0.0, 1.0 + 1e-9]), np.array([0.0, 0.0, 1e4]), np.array([0.0, 0.0, -0.005])
    assert enter(x, v, h, 1.0) == pytest.approx(2e6, rel=1e-13)
    aside = np.array([1.001, 0.0, 0.0])
    assert enter(x + aside, v, h, 1.0) == inf
