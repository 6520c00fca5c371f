"""Eight doubles by vector instructions, against plain Python."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom._compile.jit import lean_kernel
from carom._compile.lanes import least_of_eight, least_of_seven, lowest_place, spheres_touching

LANES = st.lists(
    st.sampled_from([-math.inf, -1.5, -0.0, 0.0, 5e-324, 1.0, 2.0, 1e308, math.inf]), min_size=8, max_size=8
)


@lean_kernel
def _eight(keys, first):
    return least_of_eight(keys, first)


@lean_kernel
def _seven(keys, first, without):
    return least_of_seven(keys, first, without)


@lean_kernel
def _lowest(mask):
    return lowest_place(mask)


@lean_kernel
def _touching(lanes, first, x, y, z, radius):
    return spheres_touching(lanes, first, x, y, z, radius)


def _expected(lanes):
    return min(lanes), sum(1 << k for k, value in enumerate(lanes) if value == min(lanes))


@given(LANES, st.integers(0, 5))
def test_least_of_eight_finds_the_least_value_and_all_its_places(lanes, first):
    keys = np.full(16, -9.0)
    keys[first : first + 8] = lanes
    assert _eight(keys, first) == _expected(lanes)


@given(LANES, st.integers(0, 7))
def test_least_of_seven_counts_the_place_left_out_as_never(lanes, without):
    keys = np.array(lanes)
    lanes[without] = math.inf
    assert _seven(keys, 0, without) == _expected(lanes)


@pytest.mark.parametrize("mask", [1, 2, 0b10100, 128, 255])
def test_lowest_place_is_the_first_bit_set(mask):
    assert _lowest(mask) == (mask & -mask).bit_length() - 1


@pytest.mark.parametrize("first", [0, 3])
@pytest.mark.parametrize("seed", range(20))
def test_spheres_touching_rounds_as_the_formula_does(seed, first):
    rng = np.random.default_rng(seed)
    lanes = np.full(40, np.nan)
    spheres = np.round(rng.uniform(-2.0, 2.0, (4, 8)), 1)  # coarse numbers: many touch to the last bit
    spheres[3] = np.abs(spheres[3])
    lanes[first : first + 32] = spheres.ravel()
    x, y, z, radius = np.round(rng.uniform(0.0, 1.5, 4), 1)
    dx, dy, dz = spheres[0] - x, spheres[1] - y, spheres[2] - z
    expected = (dx * dx + dy * dy) + dz * dz <= (spheres[3] + radius) * (spheres[3] + radius)
    assert _touching(lanes, first, x, y, z, radius) == sum(1 << k for k in range(8) if expected[k])


def test_spheres_touching_leaves_out_spheres_at_infinity():
    lanes = np.zeros(32)
    lanes[3:8], lanes[11:16], lanes[19:24] = math.inf, math.inf, math.inf
    assert _touching(lanes, 0, 0.0, 0.0, 0.0, 1e100) == 0b111
