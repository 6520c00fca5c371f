"""Triangles around a point, large ones cut off."""

from __future__ import annotations

import numpy as np

from carom.view.draw.near_triangles import around


def area(triangles):
    return np.linalg.norm(np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]), axis=1) / 2.0


def test_near_triangles_of_a_large_floor_are_its_part_in_the_cube():
    floor = np.array([[[-90, -90, 0], [90, -90, 0], [0, 180, 0]]], float)
    pieces, rows = around(floor, np.array([1.0, 2.0, 0.1]), 3.0)
    assert (rows == 0).all()
    assert np.abs(pieces - (1.0, 2.0, 0.1)).max() <= 3.0 + 1e-12
    np.testing.assert_allclose(area(pieces).sum(), 36.0)


def test_near_triangles_keep_small_ones_whole_and_leave_out_far_ones():
    rng = np.random.default_rng(1)
    small = rng.uniform(-1.0, 1.0, (20, 3, 3))
    far = small + 50.0
    pieces, rows = around(np.concatenate([far, small]), np.zeros(3), 2.0)
    np.testing.assert_array_equal(rows, np.arange(20, 40))
    np.testing.assert_array_equal(pieces, small)


def test_near_triangles_cut_as_much_as_sampling_finds():
    rng = np.random.default_rng(2)
    triangles = rng.uniform(-4.0, 4.0, (30, 3, 3))
    pieces, rows = around(triangles, np.array([0.5, 0.0, 0.0]), 1.5)
    weights = rng.dirichlet(np.ones(3), 20_000)
    for row, triangle in enumerate(triangles):
        inside = (np.abs(weights @ triangle - (0.5, 0.0, 0.0)) <= 1.5).all(axis=1).mean()
        whole = area(triangle[None])[0]
        assert abs(area(pieces[rows == row]).sum() / whole - inside) < 0.02
