"""What every shape promises about its bounds, checked against points of the shape."""

from __future__ import annotations

import numpy as np

from oracles.naive_narrow import random_quaternion, rotation


def rim(radius: float, z: float, n: int = 20_000) -> np.ndarray:
    """Points (n, 3) of a circle about the z axis."""
    angle = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), np.full(n, z)])


def check_bounds(shape, points: np.ndarray, swell: float = 0.0) -> None:
    """Extents and bounding sphere of `shape` are those of balls of radius `swell` about `points` (n, 3), to 1e-7."""
    size = np.abs(points).max() + swell
    rng = np.random.default_rng(11)
    cases = [(np.eye(3), np.array([1.0, 0.0, 0.0, 0.0]))]
    cases += [(rng.normal(size=(5, 3)), random_quaternion(rng)) for _ in range(20)]
    for axes, quat in cases:
        lo, hi = shape.extents_along(axes, quat)
        along = axes @ rotation(quat) @ points.T
        length = np.linalg.norm(axes, axis=1)
        np.testing.assert_allclose(lo, along.min(axis=1) - swell * length, atol=1e-7 * size * length.max())
        np.testing.assert_allclose(hi, along.max(axis=1) + swell * length, atol=1e-7 * size * length.max())
    centre, radius = shape.bounding_sphere()
    reach = np.linalg.norm(points - centre, axis=1) + swell
    assert reach.max() <= radius * (1.0 + 1e-12)
    assert reach.max() >= radius * (1.0 - 1e-6)
