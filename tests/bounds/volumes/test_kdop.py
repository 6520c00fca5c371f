"""Polytopes between planes of fixed directions."""

from __future__ import annotations

import numpy as np
import pytest

from carom.bounds.volumes.kdop import DIRECTIONS, KDOP18, KDOP26
from geometry.volume_pairs import bound, box_tris, fit, random_pose, shifted
from oracles.naive_narrow import rotation

BOTH = pytest.mark.parametrize("volume", [KDOP18, KDOP26], ids=["18", "26"])


@BOTH
def test_kdop_ends_are_the_extents_along_its_directions(volume):
    tris = np.random.default_rng(0).normal(size=(10, 3, 3))
    node, _ = fit(volume, tris)
    along = tris.reshape(-1, 3) @ DIRECTIONS[: volume.columns // 2].T
    np.testing.assert_allclose(node[0::2], along.min(axis=0), rtol=1e-12)
    np.testing.assert_allclose(node[1::2], along.max(axis=0), rtol=1e-12)


@BOTH
@pytest.mark.parametrize(
    ("shift", "distance"),
    [((5.0, 0.3, -0.2), 4.0), ((4.0, -5.0, 0.5), 5.0), ((3.0, 3.0, 2.0), 3.0), ((0.5, 0.25, 0.0), -0.5)],
    ids=["side", "edge", "corner", "inside"],
)
def test_kdop_bound_of_parallel_boxes_is_exact(volume, shift, distance):
    cube, _ = fit(volume, box_tris(1.0, 1.0, 1.0))
    assert bound(volume, cube, cube, shifted(*shift)) == pytest.approx(distance, rel=1e-12)


@BOTH
def test_kdop_bound_of_slanted_planes_is_exact(volume):
    # Two squares across the diagonal of x and y, where boxes would overlap.
    square = np.array([[0.0, 0.0, -1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])
    turn = rotation(np.array([np.cos(np.pi / 8.0), 0.0, 0.0, np.sin(np.pi / 8.0)]))
    node, _ = fit(volume, (square @ turn.T)[None])
    away = turn @ [0.3, 0.0, 0.0]
    assert bound(volume, node, node, shifted(*away)) == pytest.approx(0.3, rel=1e-9)


def test_kdop26_bound_across_a_cube_diagonal_is_exact():
    # Faces of an octahedron lie across the diagonals of the cube.
    tri = np.eye(3)[None]
    node, _ = fit(KDOP26, tri)
    away = np.full(3, 0.2)
    assert bound(KDOP26, node, node, shifted(*away)) == pytest.approx(np.sqrt(0.12), rel=1e-9)


@BOTH
def test_kdop_extent_along_any_direction_holds_the_contents(volume):
    # A far point sees the polytope along the line between them: its bound must not pass the nearest corner.
    rng = np.random.default_rng(1)
    for _ in range(500):
        tris = rng.normal(size=(4, 3, 3))
        point = np.zeros((1, 3, 3)) + rng.normal(size=3)
        pose = random_pose(rng, 6.0)
        seen = point[0, 0] @ pose[:3, :3].T + pose[:3, 3]
        nearest = np.linalg.norm(tris.reshape(-1, 3) - seen, axis=1).min()
        assert bound(volume, fit(volume, tris)[0], fit(volume, point)[0], pose) <= nearest
