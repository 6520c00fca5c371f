"""Cylinders."""

from __future__ import annotations

import numpy as np
import pytest

from carom import Cylinder, InvalidInputError
from shape_samples import check_bounds, rim


@pytest.mark.parametrize(("radius", "height"), [(1.0, 2.0), (0.1, 30.0), (30.0, 0.1), (1e-6, 2e-6), (1e6, 5e6)])
def test_cylinder_bounds_are_exact(radius, height):
    check_bounds(Cylinder(radius, height), np.vstack([rim(radius, -0.5 * height), rim(radius, 0.5 * height)]))


def test_cylinder_stands_along_z():
    half = np.sqrt(0.5)
    lo, hi = Cylinder(1.0, 6.0).extents_along(np.eye(3), np.array([half, half, 0.0, 0.0]))
    np.testing.assert_allclose(hi, [1.0, 3.0, 1.0], atol=1e-14)
    np.testing.assert_array_equal(lo, -hi)


def test_cylinder_is_immutable_and_equal_only_to_itself():
    cylinder = Cylinder(1, 2)
    assert cylinder != Cylinder(1, 2)
    with pytest.raises(AttributeError):
        cylinder.height = 3.0


@pytest.mark.parametrize(
    ("radius", "height", "message"),
    [(-1.0, 1.0, "radius is -1.0"), (1.0, 0.0, "height is 0.0"), (float("nan"), 1.0, "radius is nan")],
)
def test_cylinder_bad_input_names_argument_and_value(radius, height, message):
    with pytest.raises(InvalidInputError, match=message):
        Cylinder(radius, height)
