"""Cylinders."""

from __future__ import annotations

import numpy as np
import pytest

from carom import Cylinder
from geometry.shape_samples import check_bounds, rim


@pytest.mark.parametrize(("radius", "height"), [(1.0, 2.0), (0.1, 30.0), (30.0, 0.1), (1e-6, 2e-6), (1e6, 5e6)])
def test_cylinder_bounds_are_exact(radius, height):
    check_bounds(Cylinder(radius, height), np.vstack([rim(radius, -0.5 * height), rim(radius, 0.5 * height)]))


def test_cylinder_stands_along_z():
    half = np.sqrt(0.5)
    lo, hi = Cylinder(1.0, 6.0).extents_along(np.eye(3), np.array([half, half, 0.0, 0.0]))
    np.testing.assert_allclose(hi, [1.0, 3.0, 1.0], atol=1e-14)
    np.testing.assert_array_equal(lo, -hi)
