"""The best rectangle around points of a plane, against a search over all directions."""

from __future__ import annotations

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.trees.obb.flat_fit import best_rectangle


@lean_kernel
def _best_rectangle(points, height, hull):
    return best_rectangle(points, len(points), height, hull)


def fit(points, height=0.0):
    n = len(points)
    return _best_rectangle(np.array(points, dtype=np.float64), height, np.empty((n + 1, 2)))


def surface(points, height, x, y):
    """Half the surface of the box of that height whose base has a side along (x, y)."""
    wide = np.ptp(points @ np.array([x, y]))
    deep = np.ptp(points @ np.array([-y, x]))
    return wide * deep + height * (wide + deep)


@pytest.mark.parametrize("height", [0.0, 0.3, 5.0])
def test_rectangle_is_no_worse_than_any_direction(height):
    rng = np.random.default_rng(6)
    for n in (3, 4, 7, 20, 48):
        points = rng.normal(size=(n, 2)) * [1.0, 0.3]
        x, y, best = fit(points, height)
        assert best == pytest.approx(surface(points, height, x, y))
        for angle in np.linspace(0.0, np.pi, 721):
            assert best <= surface(points, height, np.cos(angle), np.sin(angle)) * (1.0 + 1e-12)


def test_rectangle_of_a_turned_rectangle_is_itself():
    turn = np.array([[0.8, -0.6], [0.6, 0.8]])
    corners = np.array([[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [0.0, 1.0], [1.0, 0.5]]) @ turn.T
    x, y, best = fit(np.repeat(corners, 2, axis=0))
    assert best == pytest.approx(3.0)
    assert max(abs(x * 0.8 + y * 0.6), abs(x * -0.6 + y * 0.8)) == pytest.approx(1.0)


def test_rectangle_of_a_segment_lies_along_it():
    x, y, best = fit([[0.0, 0.0], [3.0, 4.0], [1.5, 2.0], [0.75, 1.0]], height=2.0)
    assert abs(x * 0.6 + y * 0.8) == pytest.approx(1.0)
    assert best == pytest.approx(10.0)


def test_rectangle_of_one_point_has_no_direction():
    assert fit([[1.0, 2.0]] * 3) == (0.0, 0.0, np.inf)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_rectangle_does_not_depend_on_scale(scale):
    points = np.random.default_rng(8).normal(size=(12, 2))
    x, y, best = fit(points, 0.2)
    assert fit(points * scale, 0.2 * scale) == pytest.approx((x, y, best * scale * scale))
