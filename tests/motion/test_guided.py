"""Guided: limits that a user keeps, and the three ready-made ways to get them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom import Guided, InvalidInputError


def test_guided_course_and_radius():
    body = Guided((1, 2, 3), (2, 0, 0), 4.0, 10.0, start=1.0)
    np.testing.assert_allclose(body.position_at(3.0), (5, 2, 3))
    assert body.radius_at(1.0) == 0.0
    assert body.radius_at(3.0) == pytest.approx(8.0)


def test_guided_radius_is_limited_by_speed():
    body = Guided((0, 0, 0), (1, 0, 0), 100.0, 10.0, max_speed=2.0)
    assert body.radius_at(1.0) == pytest.approx(3.0)
    assert Guided.slower_than((0, 0, 0), 5.0, 1.0).radius_at(0.5) == pytest.approx(2.5)


def test_guided_direction_is_normalised():
    assert Guided((0, 0, 0), (0, 0, 0), 1.0, 1.0, direction=(0, 0, 5)).direction.tolist() == [0.0, 0.0, 1.0]


def test_guided_thrust_pushes_forward_until_a_quarter_turn():
    ship = Guided.thrust(
        (0, 0, 0), (1, 0, 0), axis=(2, 0, 0), acceleration=4.0, turn_rate=math.pi, slack=0.5, start=3.0
    )
    assert ship.max_acceleration == pytest.approx(6.0)
    assert ship.direction.tolist() == [-1.0, 0.0, 0.0]
    assert ship.expires == pytest.approx(3.5)
    assert Guided.thrust((0, 0, 0), (0, 0, 0), (0, 0, 1), 1.0, 0.0, longest=7.0).expires == 7.0


def test_guided_thrust_holds_for_a_ship_that_turns_as_fast_as_it_can():
    rate, push = 2.0, 3.0
    ship = Guided.thrust((0, 0, 0), (0.5, 0, 0), (1, 0, 0), push, rate, slack=0.0)
    for t in np.linspace(0.0, ship.expires, 20):
        angle = rate * t
        place = np.array((1 - math.cos(angle), angle - math.sin(angle), 0.0)) * push / rate**2 + (0.5 * t, 0.0, 0.0)
        moving = np.array((math.sin(angle), 1 - math.cos(angle), 0.0)) * push / rate + (0.5, 0.0, 0.0)
        assert ship.broken_by(place, moving, t) is None
    assert ship.broken_by((0.5 * ship.expires - 0.1, 0.0, 0.0), None, ship.expires)  # the engine does not push backward


def test_guided_vehicle_holds_on_its_smallest_circle():
    speed, radius = 3.0, 2.0
    car = Guided.vehicle((0, 0, 0), (speed, 0, 0), radius, towards=(0, 1, 0))
    assert car.max_acceleration == pytest.approx(4.5)
    assert car.expires == pytest.approx(min(1.0, 0.5 * math.pi * radius / speed))
    for t in np.linspace(0.0, car.expires, 20):
        angle = speed * t / radius
        place = (radius * math.sin(angle), radius * (1 - math.cos(angle)), 0.0)
        moving = (speed * math.cos(angle), speed * math.sin(angle), 0.0)
        assert car.broken_by(place, moving, t) is None
    # It cannot turn the other way.
    assert car.broken_by((radius * math.sin(0.3), -radius * (1 - math.cos(0.3)), 0), None, 0.3 * radius / speed)
    assert Guided.vehicle((0, 0, 0), (speed, 0, 0), radius, brakes=2.0).max_acceleration == pytest.approx(
        math.hypot(4.5, 2)
    )
    assert Guided.vehicle((0, 0, 0), (0, 0, 0), radius).max_acceleration == 0.0


def test_guided_spring_bounds_what_it_pulls():
    body = Guided.spring((0, 0, 0), (0, 0, 0), stiffness=8.0, mass=2.0, longest_stretch=0.5, expires=1.0)
    assert body.max_acceleration == pytest.approx(2.0)
    damped = Guided.spring((0, 0, 0), (0, 0, 0), 8.0, 2.0, 0.5, 1.0, damping=1.0, max_speed=4.0)
    assert damped.max_acceleration == pytest.approx(4.0)
    with pytest.raises(InvalidInputError, match="max_speed is inf"):
        Guided.spring((0, 0, 0), (0, 0, 0), 8.0, 2.0, 0.5, 1.0, damping=1.0)


def test_guided_broken_by_names_the_limit():
    body = Guided((0, 0, 0), (1, 0, 0), 2.0, 5.0, direction=(1, 0, 0), max_speed=3.0, region=((-9, -9, -9), (9, 9, 9)))
    assert body.broken_by((1, 0, 0), (1, 0, 0), 1.0) is None
    assert body.broken_by((1, 1, 0), None, 1.0) is None  # exactly M/2 aside
    assert "away from its course" in body.broken_by((1, 1.001, 0), None, 1.0)
    assert "nothing pushes" in body.broken_by((1.5, 0, 0), None, 1.0)
    assert "at 4 m/s" in body.broken_by((2.0, 0, 0), (0, 4, 0), 2.0)
    assert "from its velocity" in body.broken_by((0.5, 0, 0), (-1, 0, 0), 0.5)
    assert "m/s faster" in body.broken_by((1, 0, 0), (1.5, 0, 0), 1.0)
    still = Guided((8, 0, 0), (0, 0, 0), 2.0, 5.0, region=((-9, -9, -9), (9, 9, 9)))
    assert still.broken_by((9.5, 0, 0), None, 2.0) == "outside of its region"
    fast = Guided((0, 0, 0), (1, 0, 0), math.inf, 5.0, max_speed=1.0)
    assert fast.broken_by((-2, 0, 0), None, 2.0) is None
    assert fast.broken_by((5, 0, 0), None, 2.0) == "5 m from where it was, and could be 2 m from there"
    assert "away from its course" in fast.broken_by((-2.1, 0, 0), None, 2.0)
    confined = Guided.within((0, 0, 0), (-1, -1, -1), (1, 1, 1), 5.0)
    assert confined.broken_by((1, 1, -1), (99, 0, 0), 2.0) is None
    assert confined.broken_by((1.001, 0, 0), None, 2.0) == "outside of its region"
    assert body.broken_by((99, 0, 0), None, 6.0) is None  # expired: nothing was said about then


def test_guided_that_expires_now_and_that_cannot_accelerate():
    assert Guided((0, 0, 0), (1, 0, 0), 0.0, 0.0).radius_at(0.0) == 0.0
    straight = Guided((0, 0, 0), (1, 0, 0), 0.0, 5.0)
    assert straight.broken_by((3, 0, 0), (1, 0, 0), 3.0) is None
    assert straight.broken_by((3, 1e-3, 0), None, 3.0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": (0, 0)}, "position has shape"),
        ({"velocity": (0, math.nan, 0)}, r"velocity\[1\] is nan"),
        ({"max_acceleration": -1.0}, "max_acceleration is -1.0"),
        ({"max_acceleration": math.inf}, "expected a limit, or a region"),
        ({"expires": -1.0}, "expires is -1.0; expected a time not before start = 0.0"),
        ({"expires": math.inf}, "expires is inf"),
        ({"direction": (0, 0, 0)}, "direction is"),
        ({"max_speed": 0.5}, "at most max_speed = 0.5"),
        ({"region": ((1, 1, 1), (0, 0, 0))}, "expected lower <= upper"),
        ({"region": ((1, 1, 1), (2, 2, 2))}, "expected it within the region"),
        ({"region": 3}, "expected two corners"),
        ({"orientation": (0, 0, 0, 0)}, "orientation is"),
    ],
)
def test_guided_bad_input(change, message):
    good = {"position": (0, 0, 0), "velocity": (1, 0, 0), "max_acceleration": 1.0, "expires": 1.0}
    with pytest.raises(InvalidInputError, match=message):
        carom.Guided(**(good | change))
