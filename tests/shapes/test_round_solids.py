"""What capsules, cones and cylinders have in common: a radius and a height, checked and immutable."""

from __future__ import annotations

import pytest

from carom import Capsule, Cone, Cylinder, InvalidInputError

SOLIDS = pytest.mark.parametrize("solid", [Capsule, Cone, Cylinder])


@SOLIDS
def test_round_solid_is_immutable_and_equal_only_to_itself(solid):
    made = solid(1, 2)
    assert made != solid(1, 2)
    for name in ("radius", "height"):
        with pytest.raises(AttributeError):
            setattr(made, name, 3.0)


@SOLIDS
@pytest.mark.parametrize(
    ("radius", "height", "message"),
    [
        (0.0, 1.0, "radius is 0.0; expected a number above 0"), (-1.0, 1.0, "radius is -1.0"), (1.0, 0.0, "height is 0.0"),
        (1.0, -2.0, "height is -2.0"), (1.0, float("inf"), "height is inf"), (float("nan"), 1.0, "radius is nan"),
        ("thick", 1.0, "radius is 'thick'"), (1.0, None, "height is None"),
    ],
)  # fmt: skip
def test_round_solid_bad_input_names_argument_and_value(solid, radius, height, message):
    with pytest.raises(InvalidInputError, match=message):
        solid(radius, height)
