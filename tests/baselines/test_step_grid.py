"""First overlaps of cubes in steps: Turk's grid and space-time bounds find what all pairs find."""

from __future__ import annotations

import numpy as np
import pytest

from carom.bench.hubbard.first_collision import by_bounds, by_steps
from carom.bench.hubbard.steered_cubes import HALF, STEP, SteeredCubes, apart, steered_cubes


def first_by_all_pairs(positions):
    """Step and lowest pair of the first overlap."""
    n = positions.shape[1]
    i, j = np.triu_indices(n, 1)
    for step, place in enumerate(positions):
        touching = ((place[i] - HALF <= place[j] + HALF) & (place[j] - HALF <= place[i] + HALF)).all(axis=1)
        if touching.any():
            k = int(np.argmax(touching))
            return step, (int(i[k]), int(j[k]))
    return len(positions), (-1, -1)


@pytest.mark.parametrize(("n", "spacing"), [(2, 2.0), (20, 3.0), (60, 5.0), (60, 12.0)])
def test_first_overlap_is_that_of_all_pairs(n, spacing):
    found = 0
    for seed in range(12):
        scene = steered_cubes(seed, n, spacing, 300, speed=2.0, push=3.0)
        expected = first_by_all_pairs(scene.positions)
        found += expected[0] < 300
        for run in (by_bounds(scene), *(by_steps(scene, cell) for cell in (1.01, 3.0, 16.0))):
            assert (run.step, run.pair) == expected, (seed, run)
    assert found > 0 or (n, spacing) == (2, 2.0)


def test_steered_cubes_keep_their_limits():
    scene = steered_cubes(3, 30, 4.0, 400)
    pushes = np.diff(scene.velocities, axis=0) / STEP
    force_set = np.searchsorted(scene.set_ends, np.arange(len(pushes)), side="right")
    strength = np.linalg.norm(pushes, axis=2)
    assert (strength <= scene.limits[force_set] * (1.0 + 1e-9)).all()
    along = np.einsum("snd,snd->sn", pushes, scene.directions[force_set])
    assert (along <= 1e-9).all()


def test_first_overlap_at_the_first_step_and_of_several_pairs():
    places = np.zeros((3, 6, 3))
    places[:, :, 0] = (0.0, 10.0, 11.5, 20.0, 21.0, 21.5)
    still = SteeredCubes(places, np.zeros_like(places), np.array([9]), np.zeros((1, 6)), np.zeros((1, 6, 3)))
    for run in (by_bounds(still), by_steps(still, 4.0)):
        assert (run.step, run.pair) == (0, (1, 2))


def test_apart_leaves_cubes_apart():
    centres = apart(np.random.default_rng(0), 40, 12.0)
    i, j = np.triu_indices(40, 1)
    assert (np.abs(centres[i] - centres[j]).max(axis=1) > 2.0 * HALF).all()
