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
