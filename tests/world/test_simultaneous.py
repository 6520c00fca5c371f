"""Many contacts at one instant: one order, and an end."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import carom


def _struck_grid(broad: str, restitution: float, spacing: float) -> carom.ContactLog:
    world = carom.World(broad, response=carom.Elastic(restitution))
    cells = np.array(list(itertools.product(range(3), repeat=3)), float)
    for place in np.random.default_rng(1).permutation(cells) * spacing:
        world.add(carom.Sphere(1.0), carom.Motion(place), mass=1.0)
    world.add(carom.Sphere(1.0), carom.Motion((0.5 * spacing, 0.5 * spacing, -5.0), (0.0, 0.0, 4.0)), mass=1.0)
    return world.advance(2.0)


@pytest.mark.parametrize("restitution", [1.0, 0.5])
def test_grid_of_spheres_struck_in_the_middle_of_four_gives_one_log(restitution: float) -> None:
    """Four contacts at one instant, told apart by their ids alone."""
    for spacing in (2.001, 2.01, 2.05, 2.1, 2.2, 2.3):
        log = _struck_grid("all-pairs", restitution, spacing)
        assert len(log) > 3
        assert _struck_grid("kinetic-grid", restitution, spacing).identical(log)


def test_box_packed_between_immovable_ones_rests_where_rounding_moves_it() -> None:
    """A speed of 1e-15 m/s is none beside one of 80 m/s; it took the box to and fro at one instant for ever."""
    world = carom.World(response=carom.Elastic())
    for x, velocity, mass in (
        (0.0, (0.0, 0.0, 0.0), np.inf),
        (1.0, (1e-15, 80.0, 0.0), 1.0),
        (2.0, (0.0, 0.0, 0.0), np.inf),
    ):
        world.add(carom.Box((1.0, 1.0, 1.0)), carom.Motion((x, 0.0, 0.0), velocity), mass=mass)
    assert len(world.advance(1.0)) == 2


@pytest.mark.parametrize("seed", [675, 978, 1030, 2394])
def test_spheres_left_in_touch_by_a_contact_without_restitution_part_under_an_acceleration(seed: int) -> None:
    """They touch at a speed of 0 and part: told once, not at the same instant for ever."""
    rng = np.random.default_rng(seed)
    world = carom.World(response=carom.Elastic(0.0))
    away = rng.normal(size=3)
    away /= np.linalg.norm(away)
    velocity = -5.0 * away + rng.normal(size=3)
    world.add(carom.Sphere(1.0), mass=1.0)
    pulled = carom.Motion(3.0 * away, velocity, rng.uniform(0.0, 1.0) * away)
    world.add(carom.Sphere(1.0), pulled, mass=float(rng.choice([0.5, 1.0, 2.0])))
    log = world.advance(1.0, budget=5.0)
    assert log.reached == 1.0
    assert 1 <= len(log) <= 3
