"""Spheres as bounding volumes."""

from __future__ import annotations

import numpy as np
import pytest

from carom.bounds.volumes.sphere import SPHERE
from geometry.volume_pairs import bound, fit, random_pose, shifted


def test_sphere_bound_is_the_gap_of_two_spheres():
    a, b = np.array([1.0, 0.0, 0.0, 0.5]), np.array([0.0, 2.0, 0.0, 0.25])
    assert bound(SPHERE, a, b, shifted(4.0, 2.0, 0.0)) == pytest.approx(5.0 - 0.75, rel=1e-12)
    assert bound(SPHERE, a, b, shifted(1.0, -2.0, 0.0)) == pytest.approx(-0.75, rel=1e-12)


def test_sphere_bound_of_touching_spheres_is_not_above_zero():
    unit = np.array([0.0, 0.0, 0.0, 1.0])
    assert -1e-12 < bound(SPHERE, unit, unit, shifted(0.0, 2.0, 0.0)) <= 0.0


@pytest.mark.parametrize(
    ("tri", "centre", "radius"),
    [
        (
            [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, np.sqrt(3.0), 0.0]],
            [0.0, 1.0 / np.sqrt(3.0), 0.0],
            2.0 / np.sqrt(3.0),
        ),
        ([[-2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.5, 0.5, 0.0]], [0.0, 0.0, 0.0], 2.0),
        ([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 4.0, 0.0]], [1.5, 2.0, 0.0], 2.5),
        ([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [3.0, 1.0, 1.0]], [2.0, 1.0, 1.0], 1.0),
    ],
    ids=["equilateral", "obtuse", "right", "segment"],
)
def test_sphere_around_one_triangle_is_the_smallest(tri, centre, radius):
    rng = np.random.default_rng(0)
    for turn in range(3):
        pose = random_pose(rng, 2.0)
        corners = np.roll(np.array(tri), turn, axis=0) @ pose[:3, :3].T + pose[:3, 3]
        node, size = fit(SPHERE, corners[None])
        np.testing.assert_allclose(node[:3], pose[:3, :3] @ centre + pose[:3, 3], atol=1e-12)
        assert node[3] == pytest.approx(radius, rel=1e-11)
        assert size == node[3]


def test_sphere_around_many_triangles_is_nearly_the_smallest():
    rng = np.random.default_rng(1)
    points = rng.normal(size=(900, 3))
    points /= np.linalg.norm(points, axis=1)[:, None]
    node, _ = fit(SPHERE, points.reshape(-1, 3, 3) * 2.0 + 5.0)
    assert 1.99 < node[3] < 2.0 * 1.05
