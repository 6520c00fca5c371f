"""Cones."""

from __future__ import annotations

import numpy as np
import pytest

from carom import Cone, InvalidInputError
from shape_samples import check_bounds, rim


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


def test_cone_is_immutable_and_equal_only_to_itself():
    cone = Cone(1, 2)
    assert cone != Cone(1, 2)
    with pytest.raises(AttributeError):
        cone.height = 3.0


@pytest.mark.parametrize(
    ("radius", "height", "message"),
    [(0.0, 1.0, "radius is 0.0"), (1.0, -2.0, "height is -2.0"), (1.0, None, "height is None")],
)
def test_cone_bad_input_names_argument_and_value(radius, height, message):
    with pytest.raises(InvalidInputError, match=message):
        Cone(radius, height)
