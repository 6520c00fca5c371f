"""Shells between concentric spheres."""

from __future__ import annotations

import numpy as np
import pytest
import trimesh

from carom.bounds.volumes.aabb import AABB
from carom.bounds.volumes.spherical_shell import SHELL
from geometry.volume_pairs import bound, fit, placed, random_pose, shifted
from oracles.naive_distance import triangle_distance


def shell(axis, inner, outer, angle, centre=(0.0, 0.0, 0.0)) -> np.ndarray:
    """A row by hand; angle None: no cone."""
    cosine, sine = (-1.0, 0.0) if angle is None else (np.cos(angle), np.sin(angle))
    middle = 0.0 if angle is None else 0.5 * (inner + outer)
    reach = outer if angle is None else np.sqrt(outer**2 + middle**2)
    return np.array([*centre, *axis, inner, outer, cosine, sine, 0.0, middle, reach])


def points_of(row: np.ndarray, rng: np.random.Generator, n: int) -> np.ndarray:
    """Random points (n, 3) of a shell, its surfaces and its rim among them."""
    u = rng.normal(size=(n, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    axis, angle = row[3:6], np.arctan2(row[9], row[8])
    # Fold directions outside the cone onto its rim.
    across = u - (u @ axis)[:, None] * axis
    across /= np.linalg.norm(across, axis=1)[:, None]
    out = u @ axis < row[8]
    u[out] = np.cos(angle) * axis + np.sin(angle) * across[out]
    radius = rng.choice([row[6], row[7], -1.0], size=n)
    radius = np.where(radius < 0.0, rng.uniform(row[6], row[7], size=n), radius)
    return row[:3] + u * radius[:, None]


def test_shell_bound_is_never_above_the_distance_of_points():
    rng = np.random.default_rng(0)
    n_apart = 0
    for _ in range(200):
        rows = []
        for _ in range(2):
            axis = rng.normal(size=3)
            inner, thick = rng.uniform(0.0, 3.0), rng.uniform(0.0, 1.0)
            angle = rng.choice([None, rng.uniform(0.01, 1.4)])
            rows.append(shell(axis / np.linalg.norm(axis), inner, inner + thick, angle, rng.normal(size=3)))
        pose = random_pose(rng, rng.choice([0.5, 3.0, 6.0]))
        a, b = points_of(rows[0], rng, 400), points_of(rows[1], rng, 400)
        b = b @ pose[:3, :3].T + pose[:3, 3]
        distance = np.sqrt(((a[:, None] - b[None]) ** 2).sum(axis=2)).min()
        low = bound(SHELL, rows[0], rows[1], pose)
        assert low <= distance
        n_apart += low > 0.0
    assert n_apart > 30


def test_shell_bound_of_a_body_in_the_hollow_is_exact():
    hollow, ball = shell((0.0, 0.0, 1.0), 5.0, 6.0, None), shell((0.0, 0.0, 1.0), 0.0, 1.0, None)
    assert bound(SHELL, hollow, ball, shifted(1.5, 0.0, 0.0)) == pytest.approx(2.5, rel=1e-12)
    assert bound(SHELL, ball, hollow, shifted(-1.5, 0.0, 0.0)) == pytest.approx(2.5, rel=1e-12)


def test_shell_bound_of_two_full_shells_is_that_of_two_balls():
    a, b = shell((0.0, 0.0, 1.0), 1.0, 2.0, None), shell((1.0, 0.0, 0.0), 0.5, 0.75, None)
    assert bound(SHELL, a, b, shifted(0.0, 7.0, 0.0)) == pytest.approx(4.25, rel=1e-12)


def test_shell_bound_of_nested_bowls_is_exact():
    # Concentric bowls never touch, however their cones overlap; boxes around them do.
    outer, inner = shell((0.0, 0.0, -1.0), 3.0, 3.1, 1.0), shell((0.0, 0.0, -1.0), 2.0, 2.1, 1.2)
    assert bound(SHELL, outer, inner, np.eye(4)) == pytest.approx(0.9, rel=1e-12)


def test_shell_bound_of_facing_caps_is_exact():
    cap = shell((0.0, 0.0, 1.0), 2.0, 2.5, 0.3)
    facing = np.diag([1.0, -1.0, -1.0, 1.0])
    facing[2, 3] = 9.0
    assert bound(SHELL, cap, cap, facing) == pytest.approx(4.0, rel=1e-12)
    # Away from each other: rim against rim, at the inner radius.
    assert bound(SHELL, cap, cap, np.diag([1.0, -1.0, -1.0, 1.0])) == pytest.approx(4.0 * np.cos(0.3), rel=1e-12)


def test_shell_around_a_curved_patch_is_thin():
    ball = trimesh.creation.icosphere(4)
    tris = np.array(ball.triangles)[ball.triangles_center[:, 2] > 0.9]
    node, _ = fit(SHELL, tris)
    np.testing.assert_allclose(node[:3], 0.0, atol=1e-9)
    sag = 1.0 - np.linalg.norm(tris.mean(axis=1), axis=1).min()
    assert node[7] - node[6] <= 1.01 * sag
    box, _ = fit(AABB, tris)
    assert node[7] - node[6] < 0.05 * 2.0 * box[5]


def test_shell_around_a_flat_patch_is_thin():
    rng = np.random.default_rng(2)
    flat = rng.uniform(-1.0, 1.0, size=(10, 3, 3)) * [1.0, 1.0, 0.0]
    node, size = fit(SHELL, flat)
    assert node[7] - node[6] < 0.01 * size


def test_shell_bound_sees_between_two_curved_surfaces():
    # A ball close inside a bowl: boxes overlap, shells do not.
    ball = trimesh.creation.icosphere(2)
    tris = np.array(ball.triangles)
    bottom = tris[ball.triangles_center[:, 2] < -0.6]
    bowl, content = bottom * 1.1, bottom
    distance = triangle_distance(bowl, content)
    low = bound(SHELL, fit(SHELL, bowl)[0], fit(SHELL, content)[0], np.eye(4))
    assert 0.8 * distance < low <= distance
    assert bound(AABB, fit(AABB, bowl)[0], fit(AABB, content)[0], np.eye(4)) < 0.0
    sunk = placed(content, shifted(0.0, 0.0, -0.2))
    assert bound(SHELL, fit(SHELL, bowl)[0], fit(SHELL, sunk)[0], np.eye(4)) <= triangle_distance(bowl, sunk)
