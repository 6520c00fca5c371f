"""Cones."""

from __future__ import annotations

import numpy as np
import pytest

from carom import Cone
from geometry.shape_samples import check_bounds, rim


@pytest.mark.parametrize(
    ("radius", "height"), [(1.0, 2.0), (0.1, 30.0), (30.0, 0.1), (1.0, 1.0), (1e-6, 2e-6), (1e6, 5e6)]
)
def test_cone_bounds_are_exact(radius, height):
    check_bounds(Cone(radius, height), np.vstack([[0.0, 0.0, 0.5 * height], rim(radius, -0.5 * height)]))


def test_cone_points_up():
    lo, hi = Cone(1.0, 4.0).extents_along(np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 1.0]]), np.array([1.0, 0.0, 0.0, 0.0]))
    assert lo.tolist() == [-2.0, -3.0]
    assert hi.tolist() == [2.0, 2.0]


def test_cone_bounding_sphere_is_the_smallest():
    centre, radius = Cone(1.0, 2.0).bounding_sphere()
    assert centre.tolist() == [0.0, 0.0, -0.25]
    assert radius == 1.25
    # Flatter than high: the sphere about the base.
    centre, radius = Cone(3.0, 2.0).bounding_sphere()
    assert centre.tolist() == [0.0, 0.0, -1.0]
    assert radius == 3.0
