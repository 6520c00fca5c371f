"""Worlds that run for very long: contacts come when rational arithmetic says, whoever looks, and when."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nextafter, ulp

import numpy as np
import pytest

import carom
from carom.tolerances import EPSILON, REBASE_AFTER
from carom.world.clock.time_origin import after_steps, passed_stretches

DURATIONS = [1e6, 1e9, 1e11, 1e13, 9e14]


def test_after_steps_are_the_sums_that_a_loop_gives():
    rng = np.random.default_rng(0)
    for _ in range(500):
        value = float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-8.0, 14.0))
        step, times = float(rng.choice([-REBASE_AFTER, REBASE_AFTER])), int(rng.integers(0, 2000))
        expected = value
        for _ in range(times):
            expected += step
        assert after_steps(value, step, times) == expected
    assert after_steps(0.0, REBASE_AFTER, 10**10) == 10**10 * REBASE_AFTER
    assert after_steps(1e300, -REBASE_AFTER, 10**10) == 1e300
    assert after_steps(inf, -REBASE_AFTER, 10**10) == inf
    assert after_steps(-inf, -REBASE_AFTER, 10**10) == -inf


def test_passed_stretches_are_those_that_a_loop_passes():
    rng = np.random.default_rng(1)
    for _ in range(300):
        origin = float(rng.choice([-1.0, 1.0]) * 10.0 ** rng.uniform(-8.0, 13.0))
        time = origin + REBASE_AFTER * float(rng.choice([rng.uniform(0.0, 2000.0), rng.integers(0, 2000)]))
        if rng.random() < 0.3:
            time = nextafter(time, rng.choice([-inf, inf]))
        expected, times = origin, 0
        while time - expected > REBASE_AFTER:
            expected, times = expected + REBASE_AFTER, times + 1
        assert passed_stretches(origin, time) == (expected, times)


@pytest.mark.compiled
@pytest.mark.parametrize("duration", DURATIONS)
@pytest.mark.parametrize("speed", [1e-3, 0.1, 3.3])
def test_contact_after_a_very_long_flight_is_exact_to_the_resolution_of_time(duration: float, speed: float):
    place = -0.9 * speed * duration - 0.7
    world = carom.World()
    world.add(carom.Sphere(0.5))
    world.add(carom.Sphere(0.25), carom.Motion((place, 0, 0), (speed, 0, 0)))
    log = world.advance(duration)
    expected = (-Fraction(0.75) - Fraction(place)) / Fraction(speed)
    assert len(log) == 1
    resolution = ulp(float(expected)) + 2.0 * ulp(place) / speed
    assert abs(float(Fraction(float(log.times[0])) - expected)) <= resolution
    world.audit()


@pytest.mark.compiled
@pytest.mark.parametrize("duration", DURATIONS)
def test_contact_of_a_body_that_accelerates_for_very_long_is_exact_to_the_resolution_of_time(duration: float):
    a, v = 2.0**-60, 2.0**-20
    depth = float(round(v * duration + 0.5 * a * duration**2))
    world = carom.World()
    world.add(carom.HalfSpace((0, 0, 1), -depth - 1.0), mass=inf)
    world.add(carom.Sphere(1.0), carom.Motion((0, 0, 0), (0, 0, -v), (0, 0, -a)))
    log = world.advance(1.1 * duration)
    assert len(log) == 1
    t = Fraction(float(log.times[0]))
    gap = Fraction(depth) - t * (Fraction(v) + Fraction(a) * t / 2)
    assert abs(float(gap)) <= (v + a * float(t)) * ulp(float(t)) + 4.0 * ulp(depth)


@pytest.mark.compiled
@pytest.mark.parametrize("duration", [1e6, 1e9])
def test_contact_of_a_box_that_turned_for_very_long_is_that_of_its_angle_then(duration: float):
    # A needle that turns about z, and a ball that arrives where one of its ends will be.
    spin, reach = 0.37, 5.0
    speed = 1.0
    turned = spin * duration
    end = reach * np.array([np.cos(turned), np.sin(turned), 0.0])
    world = carom.World()
    world.add(carom.Box((2.0 * reach, 1e-3, 1e-3)), carom.Motion(spin=(0, 0, spin)))
    ball = carom.Motion(end + (0, 0, speed * duration), (0, 0, -speed))
    world.add(carom.Sphere(0.01), ball)
    log = world.advance(duration + 1.0)
    hit = carom.time_of_impact(
        carom.Box((2.0 * reach, 1e-3, 1e-3)),
        carom.Sphere(0.01),
        carom.Motion(spin=(0, 0, spin)),
        ball,
        until=duration + 1.0,
    )
    assert hit is not None
    assert hit.time == pytest.approx(duration, abs=0.02)
    assert log.times[0] == pytest.approx(hit.time, abs=1e-9 + 256.0 * EPSILON * duration)


@pytest.mark.compiled
@pytest.mark.parametrize("start", [0.0, 0.1, -3.7e5, 1e9 + 0.3])
def test_log_of_a_long_time_does_not_depend_on_where_it_is_cut_or_saved(start: float):
    def scene() -> carom.World:
        world = carom.World(response=carom.Elastic(), start=start)
        for d in range(3):
            for sign in (-1.0, 1.0):
                world.add(carom.HalfSpace(sign * np.eye(3)[d], -3e4), mass=inf)
        rng = np.random.default_rng(4)
        for k in range(4):
            shape = (carom.Sphere(300.0), carom.Box((300.0, 200.0, 400.0)))[k % 2]
            spin = rng.normal(size=3) * 1e-3 if k == 1 else (0.0, 0.0, 0.0)
            fall = (0.0, 0.0, -1e-7) if k > 1 else (0.0, 0.0, 0.0)
            world.add(shape, carom.Motion(rng.uniform(-2e4, 2e4, 3), rng.normal(size=3), fall, spin=spin, start=start))
        return world

    end = start + 20.3 * REBASE_AFTER
    whole = scene()
    expected = whole.advance(end)
    assert len(expected) > 30
    world, logs = scene(), []
    cuts = np.sort(np.random.default_rng(5).uniform(start, end, 60))
    for k, t in enumerate((*cuts, end)):
        logs.append(world.advance(float(t)))
        if k % 10 == 3:
            world.positions()
        if k % 20 == 7:
            shapes = [world.shape(body) for body in world.bodies]
            world = carom.World.restore(world.snapshot(), shapes, carom.Elastic())
    assert carom.ContactLog.concatenate(logs).identical(expected)
    assert np.array_equal(world.positions(), whole.positions())


@pytest.mark.compiled
def test_snapshot_without_departures_goes_on_from_the_present_state():
    world = carom.World()
    world.add(carom.Sphere(1.0), carom.Motion((0, 0, 0), (0.1, 0, 0)))
    world.add(carom.Sphere(1.0), carom.Motion((2e5, 0, 0)))
    world.advance(1e6)
    saved = world.snapshot()
    assert saved["departure"].any()
    del saved["departure"]
    restored = carom.World.restore(saved, [carom.Sphere(1.0)] * 2)
    assert restored.advance(3e6).times == pytest.approx(world.advance(3e6).times, rel=1e-14)
    saved["departure"] = np.full((saved["body"].shape[0], 18), np.nan)
    with pytest.raises(carom.InvalidInputError, match="departure"):
        carom.World.restore(saved, [carom.Sphere(1.0)] * 2)
