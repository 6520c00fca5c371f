from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from carom.errors import SceneError
from carom.scenes import placement


def smallest_gap(centre, radii):
    i, j = np.triu_indices(len(radii), 1)
    return float((np.linalg.norm(centre[i] - centre[j], axis=1) - radii[i] - radii[j]).min())


@pytest.mark.parametrize("density", [0.001, 0.01, 0.1])
def test_scatter_places_without_overlap_inside_the_box(density):
    rng = np.random.default_rng(3)
    radii = rng.uniform(0.5, 1.5, 400)
    side = placement.box_side(radii, density)
    centre = placement.scatter(rng, radii, side)
    assert smallest_gap(centre, radii) > 0.0
    assert (centre - radii[:, None]).min() >= 0.0
    assert (centre + radii[:, None]).max() <= side


def test_box_side_gives_the_stated_density():
    radii = np.random.default_rng(1).uniform(0.5, 1.5, 50)
    side = placement.box_side(radii, 0.01)
    assert 4.0 / 3.0 * math.pi * np.sum(radii**3) / side**3 == pytest.approx(0.01, rel=1e-12)


def test_scatter_of_one_body_fills_any_box_that_holds_it():
    centre = placement.scatter(np.random.default_rng(0), np.ones(1), 2.5)
    assert ((centre >= 1.0) & (centre <= 1.5)).all()


def test_scatter_infeasible_raises_instead_of_looping():
    radii = np.ones(60)
    with pytest.raises(
        SceneError, match=r"do not fit at random at a density of .*; expected 0.15 or less, or fewer bodies"
    ):
        placement.scatter(np.random.default_rng(0), radii, placement.box_side(radii, 0.6))


def test_scatter_body_larger_than_the_box_raises():
    with pytest.raises(SceneError, match="cannot hold a body of radius 3"):
        placement.scatter(np.random.default_rng(0), np.array([1.0, 3.0]), 5.0)


@pytest.mark.parametrize(("n", "packing"), [(1, 0.3), (100, 0.5), (1000, 0.5), (1000, 0.6), (300, 0.25)])
def test_lattice_places_without_overlap_inside_the_box(n, packing):
    side = placement.box_side(np.ones(n), packing)
    centre = placement.lattice(np.random.default_rng(5), n, 1.0, side)
    assert centre.shape == (n, 3)
    assert n == 1 or pdist(centre).min() > 2.0
    assert centre.min() > 1.0
    assert centre.max() < side - 1.0


def test_lattice_too_full_raises_with_the_number_that_fits():
    side = placement.box_side(np.ones(50), 0.5)
    assert placement.lattice_capacity(1.0, side) == 32
    with pytest.raises(SceneError, match="expected at most 32"):
        placement.lattice(np.random.default_rng(0), 50, 1.0, side)


def test_lattice_capacity_of_a_box_smaller_than_a_sphere_is_zero():
    assert placement.lattice_capacity(1.0, 1.9) == 0


def test_random_directions_and_orientations_are_unit_and_spread():
    rng = np.random.default_rng(2)
    direction, quat = placement.random_directions(rng, 4000), placement.random_orientations(rng, 4000)
    assert np.allclose(np.linalg.norm(direction, axis=1), 1.0)
    assert np.allclose(np.linalg.norm(quat, axis=1), 1.0)
    assert (quat[:, 0] >= 0.0).all()
    assert np.abs(direction.mean(axis=0)).max() < 0.05
