"""Triangles that are in each other: at any size that doubles can hold."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.deform import check
from carom.deform.model.overlaps import meetings, overlapping
from scenarios.deform_samples import triangle_soup

SIZES = [2.0**-900, 2.0**-520, 2.0**-260, 2.0**260, 2.0**520, 2.0**1000]


def crowd(seed):
    """(faces, vertices, all pairs) of sixty triangles, some of which intersect."""
    motion = triangle_soup(np.random.default_rng(seed), 60, keys=2)
    a, b = np.triu_indices(len(motion.faces), 1)
    return motion.faces, motion.vertices[0], np.stack([a, b], axis=1).astype(np.int32)


@pytest.mark.parametrize("size", SIZES)
def test_overlaps_do_not_depend_on_the_unit(size):
    faces, vertices, pairs = crowd(1)
    inside = overlapping(faces, vertices, pairs)
    assert 20 < inside.sum() < 0.9 * len(pairs)
    np.testing.assert_array_equal(overlapping(faces, size * vertices, pairs), inside)
    points, normals = meetings(faces, vertices, pairs[inside])
    scaled, same = meetings(faces, size * vertices, pairs[inside])
    np.testing.assert_allclose(scaled / size, points, rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(same, normals, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("size", [2.0**-900, 2.0**-260])
def test_overlaps_of_tiny_triangles_far_out_along_one_axis(size):
    # All lie at x = 1: only y and z tell them apart, and the difference along x is 0.
    faces = np.array([[0, 1, 2], [3, 4, 5], [6, 7, 8]], np.int32)
    flat = np.array([[0, 0], [4, 0], [0, 4], [1, 1], [5, 1], [1, 5], [3, 3], [5, 3], [3, 5]], float)
    vertices = np.column_stack([np.ones(9), size * flat])
    pairs = np.array([[0, 1], [0, 2], [1, 2]], np.int32)
    assert overlapping(faces, vertices, pairs).tolist() == [True, False, True]


def test_overlaps_of_triangles_whose_distance_overflows():
    faces = np.array([[0, 1, 2], [3, 4, 5]], np.int32)
    near = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    vertices = np.concatenate([near - (1.7, 0, 0), 1.7 - near]) * 1e308
    assert overlapping(faces, vertices, np.array([[0, 1]], np.int32)).tolist() == [False]


@pytest.mark.parametrize("every", [False, True])
@pytest.mark.parametrize("size", [2.0**-900, 2.0**-300, 2.0**300, 2.0**520])
def test_check_gives_the_same_contacts_in_any_unit(size, every):
    motion = triangle_soup(np.random.default_rng(2), 60, keys=4)
    scaled = carom.Deforming(motion.faces, motion.times, size * motion.vertices)
    found, same = check([motion], every=every), check([scaled], every=every)
    assert len(found) > 50
    for column in ("times", "face_a", "face_b", "kinds"):
        np.testing.assert_array_equal(getattr(same, column), getattr(found, column))
    for column in ("points", "speeds"):
        np.testing.assert_allclose(getattr(same, column) / size, getattr(found, column), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(same.normals, found.normals, rtol=0.0, atol=1e-9)


def falling(gap, heights):
    """(floor, triangle above it by heights + gap, its lowest corner)."""
    floor = np.array([[-2, -2, 0], [2, -2, 0], [0, 2, 0]], float)
    corner = np.array([[0, 0, 0], [0.5, 0, 1], [0, 0.5, 1]])
    times = np.arange(len(heights), dtype=float)
    return (
        carom.Deforming([[0, 1, 2]], times, np.repeat(floor[None], len(heights), axis=0)),
        carom.Deforming([[0, 1, 2]], times, [corner + (0, 0, height + gap) for height in heights]),
    )


@pytest.mark.parametrize("method", ["chord-front", "swept"])
@pytest.mark.parametrize("gap", [1e-9, 1e-15, 1e-300, 5e-324])
def test_check_does_not_take_a_gap_for_an_overlap(gap, method):
    # The corner alone comes so near; what is far is not rounded with it.
    floor, above = falling(0.0, [0.0, 2.0])
    start = above.vertices.copy()
    start[0, 0, 2] = gap
    above = carom.Deforming(above.faces, above.times, start)
    assert len(check([floor, above], method=method)) == 0


@pytest.mark.parametrize("method", ["chord-front", "swept"])
def test_check_reports_again_after_the_smallest_gap_at_a_key(method):
    # It touches, is one ulp above the floor at the second key, and touches again.
    for gap, times in ((0.0, 1), (2.0**-52, 2)):
        floor, above = falling(0.0, [1.0, -0.5, gap, -0.5])
        found = check([floor, above], method=method)
        assert len(found) == times
