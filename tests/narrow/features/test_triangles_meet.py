"""Two triangles at rest: whether they meet, against rational arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

from carom.narrow.features.triangles_meet import VOLUME, surely_meet, triangles_meet
from oracles.exact_triangles import exact_square_distance


def lattice(rng, n):
    """Small integers: touching, flat and repeated corners are common."""
    return rng.integers(-2, 3, (n, 2, 3, 3)).astype(float)


def coplanar(rng, n):
    """Both triangles in the plane z = 2 x - y, exactly."""
    corners = rng.integers(-4, 5, (n, 2, 3, 3)).astype(float)
    corners[..., 2] = 2.0 * corners[..., 0] - corners[..., 1]
    return corners


def nudged(rng, n):
    """A lattice moved far away and turned, some numbers by one unit in the last place off: touches become hits or gaps."""
    corners = lattice(rng, n) + 1000.0 * rng.integers(0, 2, (n, 1, 1, 1))
    turned = rng.random(n) < 0.5
    corners[turned] = corners[turned] @ np.linalg.qr(rng.normal(size=(turned.sum(), 1, 3, 3)))[0]
    towards = np.where(rng.random(corners.shape) < 0.5, np.inf, -np.inf)
    return np.where(rng.random(corners.shape) < 0.2, np.nextafter(corners, towards), corners)


def generic(rng, n):
    return rng.normal(size=(n, 2, 3, 3))


FAMILIES = (lattice, coplanar, nudged, generic)


def truth(corners):
    return np.array([exact_square_distance(a.ravel(), b.ravel()) == 0 for a, b in corners])


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_triangles_meet_as_the_oracle_says(family):
    corners = family(np.random.default_rng(1), 600)
    expected = truth(corners)
    assert 0.1 < expected.mean() < 0.95
    np.testing.assert_array_equal(triangles_meet(corners[:, 0], corners[:, 1]), expected)
    np.testing.assert_array_equal(triangles_meet(corners[:, 1], corners[:, 0, ::-1]), expected)


@pytest.mark.parametrize("size", [2.0**-1070, 2.0**-600, 2.0**600, 2.0**1020])
def test_triangles_meet_at_any_size(size):
    corners = lattice(np.random.default_rng(2), 200)
    np.testing.assert_array_equal(
        triangles_meet(size * corners[:, 0], size * corners[:, 1]), triangles_meet(corners[:, 0], corners[:, 1])
    )


def sure(corners, volume=VOLUME):
    return np.array([surely_meet(a.ravel(), b.ravel(), volume) for a, b in corners])


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_surely_meet_is_never_wrong(family):
    corners = family(np.random.default_rng(3), 2000)
    seen = sure(corners)
    assert triangles_meet(corners[seen, 0], corners[seen, 1]).all()


def test_surely_meet_sees_almost_all_that_meet():
    corners = generic(np.random.default_rng(4), 2000)
    meet = triangles_meet(corners[:, 0], corners[:, 1])
    assert meet.sum() > 200
    np.testing.assert_array_equal(sure(corners), meet)


def one_plane(rng, n):
    """Two triangles in a plane that is not along the axes, apart in it: rounding alone lets them pierce each other."""
    flat = rng.uniform(-1.0, 1.0, (n, 2, 3, 2))
    flat[:, 1, :, 0] += 2.0 * np.sign(rng.uniform(-1.0, 1.0, (n, 1)))
    u, v, place = rng.normal(size=(3, n, 1, 1, 3))
    return place + flat[..., :1] * u + flat[..., 1:] * v


def test_surely_meet_goes_wrong_without_its_bound():
    corners = np.concatenate([nudged(np.random.default_rng(5), 20_000), one_plane(np.random.default_rng(6), 2000)])
    meet = triangles_meet(corners[:, 0], corners[:, 1])
    assert not (sure(corners) & ~meet).any()
    assert (sure(corners, volume=0.0) & ~meet).any()


def test_triangles_meet_takes_no_pairs():
    assert triangles_meet(np.empty((0, 3, 3)), np.empty((0, 3, 3))).shape == (0,)
