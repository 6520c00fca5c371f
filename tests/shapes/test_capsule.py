"""Capsules."""

from __future__ import annotations

import numpy as np
import pytest

from carom import Capsule
from geometry.shape_samples import check_bounds


@pytest.mark.parametrize(("radius", "height"), [(1.0, 2.0), (0.1, 30.0), (30.0, 0.1), (1e-6, 2e-6), (1e6, 5e6)])
def test_capsule_bounds_are_exact(radius, height):
    check_bounds(Capsule(radius, height), np.array([[0.0, 0.0, -0.5], [0.0, 0.0, 0.5]]) * height, swell=radius)


def test_capsule_measures_height_and_two_radii_along_z():
    lo, hi = Capsule(0.5, 3.0).extents_along(np.eye(3), np.array([1.0, 0.0, 0.0, 0.0]))
    assert lo.tolist() == [-0.5, -0.5, -2.0]
    assert hi.tolist() == [0.5, 0.5, 2.0]
