"""The engine against a slow event loop in plain Python that shares no code with it."""

from __future__ import annotations

import math

import numpy as np

import carom
from oracles.naive import first_sphere_contact, simulate_spheres
from scenarios.worlds import directions, lattice


def test_world_agrees_with_a_plain_python_simulation() -> None:
    rng = np.random.default_rng(4)
    n, size = 25, 12.0
    positions = lattice(n, size, 0.15, rng)
    velocities = directions(n, rng) * rng.uniform(0.5, 1.5, (n, 1))
    masses = rng.uniform(0.5, 2.0, n)
    expected = simulate_spheres(positions, velocities, masses, 1.0, 25.0)
    world = carom.World(response=carom.Elastic())
    world.add_many(carom.Sphere(1.0), positions, velocities, masses=masses)
    log = world.advance(25.0)
    assert len(expected) > 5
    assert [(a, b) for _, a, b in expected] == list(zip(log.a.tolist(), log.b.tolist(), strict=True))
    np.testing.assert_allclose(log.times, [t for t, _, _ in expected], rtol=1e-9)


def test_spheres_under_relative_acceleration_touch_when_exact_arithmetic_says() -> None:
    rng = np.random.default_rng(12)
    hits = 0
    for _ in range(800):
        offset = rng.uniform(-6.0, 6.0, 3)
        velocity = rng.uniform(-2.0, 2.0, 3)
        acceleration = rng.uniform(-1.0, 1.0, 3)
        if float(offset @ offset) <= 4.0:
            continue
        expected = first_sphere_contact(offset, velocity, acceleration, 2.0, 20.0)
        world = carom.World()
        world.add(carom.Sphere(1.0))
        world.add(carom.Sphere(1.0), carom.Motion(offset, velocity, acceleration))
        log = world.advance(20.0)
        if math.isinf(expected):
            assert len(log) == 0
        else:
            hits += 1
            assert log.times[0] <= expected + 1e-12
            assert log.times[0] >= expected - 1e-9
    assert hits > 30
