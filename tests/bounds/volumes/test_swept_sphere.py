"""Spheres swept over points, lines and rectangles."""

from __future__ import annotations

import numpy as np
import pytest

from carom.bounds.volumes.swept_sphere import LSS, PSS, RSS
from geometry.volume_pairs import bound, fit, placed, random_pose, shifted
from oracles.naive_distance import triangle_distance

PAD = 1e-13
"""Radius that covers rounding, as a fit leaves it."""


def row(length: float, width: float, radius: float) -> np.ndarray:
    """A swept sphere by hand: its core has full sides `length` and `width` along x and y."""
    return np.array([0.0, 0.0, 0.0, *np.eye(3).ravel(), 0.5 * length, 0.5 * width, radius])


def core_tris(length: float, width: float) -> np.ndarray:
    """The core as two triangles."""
    x, y = 0.5 * length, 0.5 * width
    corners = np.array([[-x, -y, 0.0], [x, -y, 0.0], [x, y, 0.0], [-x, y, 0.0]])
    return corners[[[0, 1, 2], [0, 2, 3]]]


def turned(axis: int, angle: float, *shift: float) -> np.ndarray:
    pose = shifted(*shift)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    pose[i, i] = pose[j, j] = np.cos(angle)
    pose[i, j], pose[j, i] = -np.sin(angle), np.sin(angle)
    return pose


@pytest.mark.parametrize(
    ("pose", "distance"),
    [
        (shifted(0.5, 0.3, 7.0), 7.0),
        (shifted(8.0, 0.3, 0.0), 4.0),
        (shifted(7.0, 6.0, 0.0), 5.0),
        (shifted(6.0, 3.0, 2.0), 3.0),
        (turned(0, np.pi / 2.0, 0.0, 0.0, 5.0), 4.0),
        (turned(1, np.pi / 2.0, 0.0, 5.0, 0.0), 3.0),
        (turned(2, np.pi / 2.0, 9.0, 0.0, 0.0), 6.0),
    ],
    ids=["over", "beside", "corner", "corner above", "edge over face", "edges", "in plane"],
)
def test_rectangle_bound_is_exact(pose, distance):
    # Rectangles of 4 by 2.
    for radius in (0.0, 0.25):
        low = bound(RSS, row(4.0, 2.0, radius), row(4.0, 2.0, radius), pose)
        assert low == pytest.approx(distance - 2.0 * radius, rel=1e-11)


@pytest.mark.parametrize(("sides_a", "sides_b"), [(2, 2), (2, 1), (1, 1), (2, 0), (1, 0), (0, 0)])
def test_rectangle_bound_agrees_with_brute_force(sides_a, sides_b):
    # Lines and points are rectangles without width or length.
    rng = np.random.default_rng(10 * sides_a + sides_b)
    n_apart = 0
    for _ in range(300):
        sizes = [rng.choice([0.5, 1.0, 3.0], size=2) * (np.arange(2) < n) for n in (sides_a, sides_b)]
        pose = random_pose(rng, rng.choice([0.5, 1.5, 4.0]))
        distance = triangle_distance(core_tris(*sizes[0]), placed(core_tris(*sizes[1]), pose))
        low = bound(RSS, row(*sizes[0], PAD), row(*sizes[1], PAD), pose)
        assert low <= distance
        if distance > 0.0:
            n_apart += 1
            assert low == pytest.approx(distance, rel=1e-9)
    assert n_apart > 100


def test_rectangle_bound_agrees_with_brute_force_on_a_grid():
    # Parallel, coplanar, touching and crossing rectangles, turned in steps of 45 degrees.
    rng = np.random.default_rng(3)
    n_apart = n_touch = 0
    for _ in range(1000):
        sizes = rng.integers(0, 5, size=(2, 2)).astype(float)
        pose = turned(int(rng.integers(3)), np.pi / 4.0 * rng.integers(8), *rng.integers(-1, 2, size=3).astype(float))
        pose[np.abs(pose) < 1e-15] = 0.0
        distance = triangle_distance(core_tris(*sizes[0]), placed(core_tris(*sizes[1]), pose))
        low = bound(RSS, row(*sizes[0], PAD), row(*sizes[1], PAD), pose)
        assert low <= distance
        if distance > 1e-9:
            n_apart += 1
            assert low == pytest.approx(distance, rel=1e-9)
        else:
            n_touch += 1
            assert low <= 0.0
    assert min(n_apart, n_touch) > 150


def test_rectangle_bound_of_nearly_parallel_edges_stays_true():
    rng = np.random.default_rng(4)
    for _ in range(300):
        pose = turned(
            int(rng.integers(3)), 10.0 ** rng.uniform(-16.0, -6.0), *rng.integers(-3, 4, size=3).astype(float)
        )
        sizes = rng.integers(1, 4, size=(2, 2)).astype(float)
        distance = triangle_distance(core_tris(*sizes[0]), placed(core_tris(*sizes[1]), pose))
        low = bound(RSS, row(*sizes[0], PAD), row(*sizes[1], PAD), pose)
        assert distance - 1e-5 <= max(low, 0.0) <= distance


def test_crossing_lines_are_as_far_apart_as_their_common_normal():
    line = row(10.0, 0.0, 0.5)
    pose = turned(2, 1.0, 0.5, -0.5, 3.0)
    assert bound(LSS, line, line, pose) == pytest.approx(2.0, rel=1e-12)


def test_point_swept_spheres_are_spheres():
    ball = row(0.0, 0.0, 0.5)
    assert bound(PSS, ball, ball, shifted(3.0, 4.0, 0.0)) == pytest.approx(4.0, rel=1e-12)


def test_rectangle_swept_sphere_of_a_flat_patch_is_flat():
    rng = np.random.default_rng(5)
    pose = random_pose(rng, 3.0)
    grid = np.array([[x, y, 0.0] for x in (-2.0, 0.0, 2.0) for y in (-1.0, 0.0, 1.0)])
    tris = grid[[[0, 3, 4], [0, 4, 1], [1, 4, 5], [1, 5, 2], [3, 6, 7], [3, 7, 4], [4, 7, 8], [4, 8, 5]]]
    node, _ = fit(RSS, placed(tris, pose))
    assert node[14] < 1e-11
    np.testing.assert_allclose(node[12:14], [2.0, 1.0], rtol=1e-9)
    np.testing.assert_allclose(node[:3], pose[:3, 3], atol=1e-9)


def test_line_swept_sphere_of_a_rod_is_thin():
    rng = np.random.default_rng(6)
    angle = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    ring = np.column_stack([np.zeros(12), 0.1 * np.cos(angle), 0.1 * np.sin(angle)])
    ends = [ring + [x, 0.0, 0.0] for x in (-5.0, 5.0)]
    tris = np.array([[ends[0][k], ends[1][k], ends[1][(k + 1) % 12]] for k in range(12)])
    pose = random_pose(rng, 3.0)
    node, _ = fit(LSS, placed(tris, pose))
    assert node[14] < 0.11
    assert node[12] == pytest.approx(5.0, rel=0.02)
    assert node[13] == 0.0


def test_swept_spheres_get_tighter_with_their_core():
    rng = np.random.default_rng(7)
    for _ in range(50):
        tris = rng.normal(size=(6, 3, 3)) * [4.0, 2.0, 0.3]
        radius = [fit(volume, placed(tris, random_pose(rng, 1.0)))[0][14] for volume in (PSS, LSS, RSS)]
        assert radius[0] >= radius[1] * 0.999
        assert radius[1] >= radius[2] * 0.999
