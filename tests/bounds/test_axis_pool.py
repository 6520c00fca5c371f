"""Pools of axes: covering angles are exact, small, and those of the shipped file."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom.bench.vadop.pools import least_covering
from carom.bounds import axis_pool as pools
from carom.bounds.axis_cover import cover, covering_angle
from carom.bounds.axis_pool import SHIPPED, axis_pool

KNOWN = {3: math.acos(1.0 / math.sqrt(3.0)), 6: math.radians(37.3773681406497)}
"""The octahedron's and the icosahedron's corners: the best that 6 and 12 points can do."""


@pytest.mark.parametrize("m", KNOWN)
def test_axis_pool_of_a_regular_solid_is_the_solid(m: int) -> None:
    assert axis_pool(m).covering == pytest.approx(KNOWN[m], abs=1e-9)


def test_covering_angle_of_a_cube_is_that_of_its_corners() -> None:
    corners = np.array([(1, 1, 1), (1, 1, -1), (1, -1, 1), (-1, 1, 1)]) / math.sqrt(3.0)
    assert covering_angle(corners) == pytest.approx(math.acos(1.0 / math.sqrt(3.0)), abs=1e-12)


def test_covering_angle_is_the_largest_over_all_directions() -> None:
    rng = np.random.default_rng(0)
    probes = rng.normal(size=(200_000, 3))
    probes /= np.linalg.norm(probes, axis=1)[:, None]
    for m in (5, 16, 65):
        pool = axis_pool(m)
        farthest = math.acos(float(np.abs(probes @ pool.axes.T).max(axis=1).min()))
        assert farthest <= pool.covering + 1e-12
        assert farthest >= pool.covering - 0.02


@pytest.mark.parametrize("m", SHIPPED)
def test_axis_pool_has_unit_axes_near_the_bound(m: int) -> None:
    pool = axis_pool(m)
    assert pool.axes.shape == (m, 3)
    np.testing.assert_allclose(np.linalg.norm(pool.axes, axis=1), 1.0, atol=1e-14)
    assert len(np.unique(np.round(pool.axes, 9), axis=0)) == m
    assert least_covering(2 * m) - 1e-12 <= pool.covering <= 1.16 * least_covering(2 * m)


def test_axis_pools_of_other_sizes_are_searched_for_and_the_same_again() -> None:
    assert 33 not in SHIPPED
    np.testing.assert_array_equal(axis_pool(33).axes, cover(33, 1))
    assert axis_pool(33).covering < axis_pool(16).covering


def test_axis_pools_grow_finer_with_the_number_of_axes() -> None:
    angles = [axis_pool(m).covering for m in (3, 6, 16, 32, 65, 130, 300)]
    assert angles == sorted(angles, reverse=True)


@pytest.mark.parametrize("m", [0, 2, 1001])
def test_axis_pool_rejects_other_sizes(m: int) -> None:
    with pytest.raises(carom.InvalidInputError, match=f"a pool has {m} axes"):
        axis_pool(m)


def test_write_pools_writes_what_axis_pool_reads(tmp_path, monkeypatch) -> None:
    shipped = [axis_pool(m).axes for m in (3, 4)]
    monkeypatch.setattr(pools, "_FILE", tmp_path / "pools.npy")
    monkeypatch.setattr(pools, "SHIPPED", (3, 4))
    pools.write_pools()
    for m, axes in zip((3, 4), shipped, strict=True):
        assert axis_pool.__wrapped__(m).covering == pytest.approx(covering_angle(axes), abs=1e-9)
