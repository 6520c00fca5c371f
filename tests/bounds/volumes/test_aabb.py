"""Boxes along the axes of their model."""

from __future__ import annotations

import numpy as np
import pytest

from carom.bounds.volumes.aabb import AABB
from carom.bounds.volumes.convex_hull import HULL
from geometry.volume_pairs import bound, box_tris, fit, random_pose, shifted
from oracles.naive_narrow import rotation


def test_aabb_is_the_box_around_its_triangles():
    node, size = fit(AABB, box_tris(1.0, 2.0, 4.0) + [1.0, 2.0, 3.0])
    np.testing.assert_allclose(node, [1.0, 2.0, 3.0, 0.5, 1.0, 2.0], rtol=1e-12)
    assert size == pytest.approx(np.sqrt(5.25))


@pytest.mark.parametrize(
    ("shift", "distance"),
    [((5.0, 0.3, -0.2), 4.0), ((4.0, -5.0, 0.5), 5.0), ((3.0, 3.0, 2.0), 3.0), ((0.5, 0.25, 0.0), -0.5)],
    ids=["side", "edge", "corner", "inside"],
)
def test_aabb_bound_of_parallel_boxes_is_exact(shift, distance):
    cube, _ = fit(AABB, box_tris(1.0, 1.0, 1.0))
    assert bound(AABB, cube, cube, shifted(*shift)) == pytest.approx(distance, rel=1e-12)


def test_aabb_bound_of_parallel_boxes_is_exact_in_any_common_frame():
    # Turned by a right angle, the box of b is again along the axes of a.
    pose = shifted(6.0, 0.0, 0.0)
    pose[:3, :3] = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    long, _ = fit(AABB, box_tris(4.0, 2.0, 2.0))
    assert bound(AABB, long, long, pose) == pytest.approx(3.0, rel=1e-12)


def test_aabb_bound_of_an_edge_over_a_side_is_exact():
    cube, _ = fit(AABB, box_tris(2.0, 2.0, 2.0))
    pose = shifted(5.0, 0.0, 0.0)
    pose[:3, :3] = rotation(np.array([np.cos(np.pi / 8.0), 0.0, 0.0, np.sin(np.pi / 8.0)]))
    assert bound(AABB, cube, cube, pose) == pytest.approx(4.0 - np.sqrt(2.0), rel=1e-12)


def test_aabb_bound_separates_exactly_the_boxes_that_are_apart():
    # The hull of eight corners knows the true distance of two boxes.
    rng = np.random.default_rng(5)
    n_apart = n_overlap = 0
    for _ in range(1000):
        a, b = (box_tris(*rng.uniform(0.1, 3.0, size=3)) + 0.5 * rng.normal(size=3) for _ in range(2))
        pose = random_pose(rng, 1.0)
        exact = bound(HULL, fit(HULL, a)[0], fit(HULL, b)[0], pose)
        low = bound(AABB, fit(AABB, a)[0], fit(AABB, b)[0], pose)
        if abs(exact) > 1e-6:
            assert (low > 0.0) == (exact > 0.0)
        if exact > 0.0:
            n_apart += 1
            assert low <= exact * (1.0 + 1e-8)
        else:
            n_overlap += 1
    assert min(n_apart, n_overlap) > 200
