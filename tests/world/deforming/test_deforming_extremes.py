"""Deforming bodies beside rigid ones that turn or fly very fast, are very small, or hardly move at all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import carom

CORNERS = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)])
LAST = 1e15


def resting(corners: Any, keys: Any = (0.0, 1.0)) -> carom.Deforming:
    return carom.Deforming([(0, 1, 2)], keys, [corners] * len(keys))


@pytest.mark.parametrize("scale", [1.0, 1e-6, 1e-10, 1e-20])
def test_world_deforming_rigid_body_put_into_it_is_reported_whatever_its_size(scale: float) -> None:
    world = carom.World()
    world.add(resting(CORNERS * scale))
    ball = world.add(carom.Sphere(0.3 * scale), carom.Motion((0.2 * scale, 0.2 * scale, scale)))
    assert not len(world.advance(0.5))
    world.set_motion(ball, carom.Motion((0.2 * scale, 0.2 * scale, 0.1 * scale), start=0.5))
    assert world.advance(2.0).times.tolist() == [0.5]


def test_world_deforming_negated_quaternion_is_no_jump() -> None:
    world = carom.World()
    world.add(resting(CORNERS))
    ball = world.add(carom.Cone(0.3, 1.0), carom.Motion((0.2, 0.2, 0.1), orientation=(0.6, 0.8, 0.0, 0.0)))
    assert len(world.advance(0.5)) == 1
    world.set_motion(ball, carom.Motion((0.2, 0.2, 0.1), orientation=(-0.6, -0.8, 0.0, 0.0), start=0.5))
    assert not len(world.advance(2.0))


@pytest.mark.parametrize("gap", [1e-3, 1e-5, 1e-6, 1e-7])
@pytest.mark.parametrize("push", [0.0, 0.5])
def test_world_deforming_round_body_that_turns_about_its_axis_touches_nothing(gap: float, push: float) -> None:
    corner = np.array([(1.0 + gap, 0.0, 0.0), (2.0, 0.5, 0.1), (2.0, -0.5, 0.1)])
    away = carom.Motion(velocity=(-push, 0, 0), acceleration=(-push, 0, 0), spin=(0, 0, 1))
    for motion in (carom.Motion(spin=(0, 0, 1)), carom.Motion((0.5, 0, 0), spin=(0, 0, 9)), away):
        world = carom.World()
        world.add(resting(corner + motion.position))
        world.add(carom.Cylinder(1.0, 2.0), motion)
        assert not len(world.advance(3.0))


@pytest.mark.parametrize("shape", [carom.Cylinder(1.0, 2.0), carom.Cone(1.0, 2.0), carom.Box((1.2, 1.6, 2.0))], ids=str)
def test_world_deforming_body_that_turns_close_by_touches_when_it_would_touch_a_mesh(shape: carom.Shape) -> None:
    rng = np.random.default_rng(3)
    met = 0
    for _ in range(12):
        tilt = rng.normal(size=3) * 10.0 ** rng.uniform(-7.0, -2.0)
        motion = carom.Motion(spin=(0, 0, 2.0) + tilt, velocity=rng.normal(size=3) * 10.0 ** rng.uniform(-5.0, -3.0))
        below = np.array([(0.1, 0.2, -1.0), (0.5, 0.3, -1.1), (0.2, 0.7, -1.2)]) - (
            0,
            0,
            10.0 ** rng.uniform(-6.0, -3.0),
        )
        first = []
        for body in (resting(below), carom.Mesh(below, [(0, 1, 2)])):
            world = carom.World()
            world.add(body)
            world.add(shape, motion)
            first.append(world.advance(5.0).times[:1].tolist())
        met += len(first[0])
        assert len(first[0]) == len(first[1])
        assert np.allclose(*first, rtol=0.0, atol=1e-3)
    assert met


def test_world_deforming_fast_spin_leaves_a_budget_in_force() -> None:
    world = carom.World()
    world.add(resting(CORNERS))
    world.add(carom.Box((0.3, 0.3, 0.3)), carom.Motion((0.2, 0.2, 0.2), spin=(0, 0, 1e20)))
    assert 0.0 < world.advance(1.0, budget=0.0).reached < 1.0


@pytest.mark.parametrize("speed", [1e9, 1e20, 1e30])
def test_world_deforming_flight_takes_few_pieces_however_fast_it_is(speed: float) -> None:
    world = carom.World()
    cloth = world.add(resting(CORNERS))
    wall = world.add(carom.HalfSpace((-1, 0, 0), -(2.0 + 0.5 * speed)))
    world.advance(1.5)
    world.set_flightplan(cloth, (speed, 0, 0))
    (contact,) = world.advance(2.5)
    assert {contact.a, contact.b} == {cloth, wall}
    assert contact.time == pytest.approx(2.0, abs=1e-6)


def test_world_deforming_motion_can_be_asked_for_whenever_it_ends() -> None:
    for start, speed, now in ((0.0, 1e-18, 0.5), (0.0, 1e-300, 5.0), (LAST - 8, 1.0, LAST - 2), (LAST - 8, 0.0, LAST)):
        world = carom.World(start=start)
        cloth = world.add(resting(CORNERS, (start, start + 1.0)))
        world.advance(now)
        world.set_flightplan(cloth, (speed, 0, 0))
        way = world.deforming(cloth)
        later = min(now + 0.25, LAST)
        assert np.allclose(way.vertices_at(later), world.vertices(cloth, later), rtol=0.0, atol=1e-15)
