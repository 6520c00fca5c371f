"""The depth buffer against a ray through every pixel, one triangle at a time."""

from __future__ import annotations

import numpy as np
import pytest

from carom.view.draw import painter
from carom.view.draw.camera import Camera
from carom.view.draw.painter import paint_triangles

CAMERA = Camera(np.array([0.0, -5.0, 0.0]), np.zeros(3), np.array([0.0, 0.0, 1.0]))
WINDOW = (-0.3, 0.3, -0.2, 0.2)
SIZE = (30, 20)


def nearest_by_rays(triangles):
    """Row of the nearest triangle at each pixel (height, width), -1 for none: solves for the hit of each ray."""
    right, up, forward = CAMERA.axes()
    x = WINDOW[0] + (np.arange(SIZE[0]) + 0.5) * (WINDOW[1] - WINDOW[0]) / SIZE[0]
    y = WINDOW[2] + (np.arange(SIZE[1]) + 0.5) * (WINDOW[3] - WINDOW[2]) / SIZE[1]
    best, found = np.full((SIZE[1], SIZE[0]), np.inf), np.full((SIZE[1], SIZE[0]), -1)
    for j, i in np.ndindex(SIZE[1], SIZE[0]):
        ray = forward + x[i] * right + y[j] * up
        for row, (a, b, c) in enumerate(triangles):
            u, v, t = np.linalg.solve(np.column_stack([b - a, c - a, -ray]), CAMERA.eye - a)
            if u >= 0 and v >= 0 and u + v <= 1 and 0 < t < best[j, i]:
                best[j, i], found[j, i] = t, row
    return found


@pytest.mark.parametrize("chunk", [2_000_000, 40])
def test_painter_shows_the_nearest_triangle_at_every_pixel(monkeypatch, chunk):
    monkeypatch.setattr(painter, "_CHUNK", chunk)
    monkeypatch.setattr(painter, "_lit", lambda camera, triangles, colours: colours)
    triangles = np.random.default_rng(4).uniform(-1.5, 1.5, (12, 3, 3))
    colours = np.repeat((np.arange(12) + 1.0)[:, None], 3, axis=1)
    picture = paint_triangles(CAMERA, triangles, colours, WINDOW, SIZE, lines=False)
    expected = nearest_by_rays(triangles)
    assert len(np.unique(expected)) > 5
    assert np.array_equal(picture[..., 0] - 1.0, expected)
    assert np.array_equal(picture[..., 3], expected >= 0)


def test_painter_leaves_out_what_is_behind_the_camera_or_beside_the_picture():
    behind = np.array([[(-1.0, -9.0, -1.0), (1.0, -9.0, -1.0), (0.0, -9.0, 1.0)]])
    beside = behind + (50.0, 9.0, 0.0)
    for triangles in (behind, beside, np.empty((0, 3, 3))):
        picture = paint_triangles(CAMERA, triangles, np.ones((len(triangles), 3)), WINDOW, SIZE, lines=True)
        assert not picture.any()


def test_painter_draws_edges_darker_and_backs_darker():
    front = np.array([[(-4.0, 0.0, -4.0), (4.0, 0.0, -4.0), (0.0, 0.0, 4.0)]])
    colours = np.full((1, 3), 0.5)
    face, back = (
        paint_triangles(CAMERA, corners, colours, WINDOW, SIZE, lines=False)[10, 15, 0]
        for corners in (front, front[:, ::-1])
    )
    assert 0.0 < back < face
    small = 0.2 * front
    lined = paint_triangles(CAMERA, small, colours, WINDOW, SIZE, lines=True)[..., 0]
    plain = paint_triangles(CAMERA, small, colours, WINDOW, SIZE, lines=False)[..., 0]
    assert (lined <= plain).all()
    assert (lined < plain).sum() > 10
    assert (lined == plain).sum() > 100
