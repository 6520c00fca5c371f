"""Hulls of few points."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from carom.bounds.volumes.convex_hull import HULL, MOST_VERTICES
from geometry.volume_pairs import bound, box_tris, fit, placed, random_pose, shifted
from oracles.naive_distance import triangle_distance


def test_hull_bound_of_two_triangles_is_their_distance():
    rng = np.random.default_rng(0)
    n_apart = 0
    for _ in range(500):
        a, b = rng.normal(size=(1, 3, 3)), rng.normal(size=(1, 3, 3))
        pose = random_pose(rng, 2.0)
        distance = triangle_distance(a, placed(b, pose))
        low = bound(HULL, fit(HULL, a)[0], fit(HULL, b)[0], pose)
        assert low <= distance
        if distance > 0.0:
            n_apart += 1
            assert low == pytest.approx(distance, rel=1e-8)
    assert n_apart > 200


@pytest.mark.parametrize(
    ("shift", "distance"),
    [((5.0, 0.3, -0.2), 4.0), ((4.0, -5.0, 0.5), 5.0), ((3.0, 3.0, 2.0), 3.0)],
    ids=["side", "edge", "corner"],
)
def test_hull_bound_of_two_boxes_is_exact(shift, distance):
    cube, _ = fit(HULL, box_tris(1.0, 1.0, 1.0))
    assert cube[0] == 8
    assert bound(HULL, cube, cube, shifted(*shift)) == pytest.approx(distance, rel=1e-9)


def test_hull_bound_of_solids_inside_one_another_is_not_above_zero():
    small, large = fit(HULL, box_tris(1.0, 1.0, 1.0))[0], fit(HULL, box_tris(9.0, 9.0, 9.0))[0]
    rng = np.random.default_rng(1)
    for _ in range(100):
        assert bound(HULL, small, large, random_pose(rng, 0.5)) <= 0.0
    for touching in ((1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)):
        assert bound(HULL, small, small, shifted(*touching)) <= 0.0


def test_hull_of_many_corners_is_a_prism_around_them():
    ball = trimesh.creation.icosphere(3)
    tris = np.array(ball.triangles)
    cap = tris[ball.triangles_center[:, 2] > 0.9]
    node, _ = fit(HULL, cap)
    assert node[0] == MOST_VERTICES
    assert HULL.holds(node, cap).all()
    # Along its axis the prism is as thin as the cap; around it the eight sides fit within 1 / cos(22.5 degrees).
    corners = node[5:].reshape(-1, 3)
    assert np.ptp(corners[:, 2]) == pytest.approx(np.ptp(cap[:, :, 2]), rel=0.02)
    reach = np.linalg.norm(cap[:, :, :2], axis=2).max()
    assert np.linalg.norm(corners[:, :2], axis=1).max() < 1.15 * reach


def test_hull_bound_does_not_mind_flat_and_repeated_corners():
    flat = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 0, 0], [0, 1, 0], [1, 1, 0]]], dtype=float)
    node, _ = fit(HULL, flat)
    assert node[0] == 4
    assert bound(HULL, node, node, shifted(0.25, 0.25, 2.0)) == pytest.approx(2.0, rel=1e-9)
    assert bound(HULL, node, node, shifted(3.0, 0.0, 0.0)) == pytest.approx(2.0, rel=1e-9)
    assert bound(HULL, node, node, shifted(0.5, 0.5, 0.0)) <= 0.0
