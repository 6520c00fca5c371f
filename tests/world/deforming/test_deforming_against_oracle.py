"""Random rigid bodies against random deforming ones, triangle by triangle, against samples of certified depth (make fuzz has
more of them)."""

from __future__ import annotations

import pytest

from fuzz.subjects import touched


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_world_rigid_bodies_touch_deforming_ones_when_the_oracle_says(first):
    for seed in range(first, first + 15):
        touched.cases(seed)


@pytest.mark.long
@pytest.mark.parametrize("first", range(10_000, 13_000, 300))
def test_world_rigid_bodies_touch_deforming_ones_in_thousands_of_scenes(first):
    for seed in range(first, first + 300):
        touched.cases(seed)
