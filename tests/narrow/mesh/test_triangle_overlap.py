"""Intersection, penetration and contact point of two triangles at rest, against exact rational arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.narrow.mesh.triangle_overlap import CONTACT_SPACE, contact_point_into, penetration_into, triangles_overlap
from geometry.triangle_pairs import GRID_TRIANGLES, random_pair, thin_pair
from oracles.exact_triangles import exact_square_distance

FLAT = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])


def tri(*corners):
    return np.array(corners, dtype=np.float64).ravel()


def contact(a, b):
    point = np.empty(3)
    contact_point_into(a, b, np.empty(CONTACT_SPACE), point)
    return point


def penetration(a, b):
    normal = np.empty(3)
    return penetration_into(a, b, normal), normal


def gap_to(point, triangle):
    """Distance of a point to a triangle, by the exact oracle."""
    return math.sqrt(exact_square_distance(np.tile(point, 3), triangle))


TOUCHING = {
    "through": tri((0.2, 0.2, -1.0), (0.3, 0.2, 1.0), (2.0, 2.0, 0.5)),
    "corner on face": tri((0.25, 0.25, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 1.0)),
    "corner on corner": tri((1.0, 0.0, 0.0), (2.0, 0.0, 0.0), (2.0, 1.0, 1.0)),
    "shared edge": tri((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)),
    "edge on edge": tri((0.5, 0.0, -1.0), (0.5, 0.0, 1.0), (0.5, -3.0, 0.0)),
    "coplanar across": tri((-1.0, 0.25, 0.0), (2.0, 0.25, 0.0), (2.0, -4.0, 0.0)),
    "coplanar inside": tri((0.2, 0.2, 0.0), (0.3, 0.2, 0.0), (0.2, 0.3, 0.0)),
    "coplanar corner": tri((0.5, 0.5, 0.0), (1.0, 1.0, 0.0), (2.0, 1.0, 0.0)),
    "identical": FLAT,
    "segment through": tri((0.2, 0.2, -1.0), (0.2, 0.2, 1.0), (0.2, 0.2, 0.5)),
    "segment in the plane": tri((-1.0, 0.2, 0.0), (2.0, 0.2, 0.0), (0.0, 0.2, 0.0)),
    "point inside": tri((0.2, 0.2, 0.0), (0.2, 0.2, 0.0), (0.2, 0.2, 0.0)),
    "point at a corner": tri((1.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.0, 0.0)),
}
APART = {
    "above": FLAT + np.tile([0.0, 0.0, 1e-12], 3),
    "beside in the plane": tri((0.6, 0.6, 0.0), (1.0, 1.0, 0.0), (2.0, 1.0, 0.0)),
    "edges cross above": tri((0.5, -1.0, 0.1), (0.5, 1.0, 0.1), (0.5, 0.0, 3.0)),
    "segment beside": tri((1.0, 1.0, -1.0), (1.0, 1.0, 1.0), (1.0, 1.0, 0.0)),
    "segment in the plane beside": tri((1.1, 0.0, 0.0), (0.1, 1.1, 0.0), (0.6, 0.6, 0.0)),
    "point beside": tri((0.6, 0.6, 0.0), (0.6, 0.6, 0.0), (0.6, 0.6, 0.0)),
}
SCALES = (1e-6, 1.0, 1e6)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", TOUCHING)
def test_overlap_sees_every_touch(name, scale):
    a, b = FLAT * scale, TOUCHING[name] * scale
    assert triangles_overlap(a, b, 0.0)
    assert triangles_overlap(b, a, 0.0)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", APART)
def test_overlap_sees_every_gap(name, scale):
    a, b = FLAT * scale, APART[name] * scale
    assert not triangles_overlap(a, b, 0.0)
    assert not triangles_overlap(b, a, 0.0)


@pytest.mark.parametrize(
    ("b", "hit"),
    [
        (tri((2, 0, 0), (3, 0, 0), (2.5, 0, 0)), False),
        (tri((1, 0, 0), (3, 0, 0), (2.5, 0, 0)), True),
        (tri((0.5, 0, 0), (0.5, 0, 0), (0.5, 0, 0)), True),
        (tri((0.5, 0, 0.1), (0.5, 0, 0.1), (0.5, 0, 0.1)), False),
        (tri((0, 1, 1), (1, 1, 1), (0.3, 1, 1)), False),
        (tri((0.5, 1, 0), (0.5, -1, 0), (0.5, 0.3, 0)), True),
        (tri((0.5, 1, 0.1), (0.5, -1, 0.1), (0.5, 0.3, 0.1)), False),
    ],
)
def test_overlap_decides_segments_and_points(b, hit):
    segment = tri((0, 0, 0), (1, 0, 0), (0.25, 0, 0))
    assert triangles_overlap(segment, b, 0.0) == hit
    assert triangles_overlap(b, segment, 0.0) == hit


def test_overlap_of_two_points_is_their_equality():
    p, q = np.tile([1.0, 2.0, 3.0], 3), np.tile([1.0, 2.0, 3.0 + 1e-9], 3)
    assert triangles_overlap(p, p, 0.0)
    assert not triangles_overlap(p, q, 0.0)


def test_overlap_counts_a_gap_within_the_slack():
    b = FLAT + np.tile([0.0, 0.0, 1e-6], 3)
    assert triangles_overlap(FLAT, b, 2e-6)
    assert not triangles_overlap(FLAT, b, 0.5e-6)


@given(GRID_TRIANGLES, GRID_TRIANGLES, st.sampled_from(SCALES))
def test_overlap_is_exact_on_a_grid(a, b, scale):
    expected = exact_square_distance(a, b) == 0
    # A scale that is no power of two rounds the corners, which may part what touched, by less than the slack covers.
    assert triangles_overlap(a * scale, b * scale, 4e-16 * 3.0 * scale) == expected


@pytest.mark.parametrize("thickness", [1e-3, 1e-7, 1e-11])
def test_overlap_never_calls_crossing_slivers_apart(thickness):
    rng = np.random.default_rng(4)
    for _ in range(150):
        a, b = thin_pair(rng, thickness)
        gap = math.sqrt(exact_square_distance(a, b))
        hit = triangles_overlap(a, b, 0.0)
        assert hit or gap > 0.0
        assert not hit or gap < 1e-14


def test_overlap_agrees_with_exact_arithmetic_on_random_pairs():
    rng = np.random.default_rng(1)
    hits = 0
    for k in range(400):
        a, b = random_pair(rng, 1.5 * (k % 3))
        expected = exact_square_distance(a, b) == 0
        hits += expected
        assert triangles_overlap(a, b, 0.0) == expected
        assert triangles_overlap(b, a, 0.0) == expected
    assert 40 < hits < 360


def test_overlap_sees_touches_far_from_the_origin():
    rng = np.random.default_rng(2)
    for _ in range(100):
        a, b = random_pair(rng, 0.0)
        a, b = a + 2.0**20, b + 2.0**20
        b[0:3] = 0.25 * a[0:3] + 0.25 * a[3:6] + 0.5 * a[6:9]
        if exact_square_distance(a, b) == 0:
            assert triangles_overlap(a, b, 0.0)


def test_penetration_of_a_triangle_through_a_plate_is_the_shorter_way_out():
    b = tri((0.3, 0.3, -0.2), (0.3, 0.4, 5.0), (0.4, 0.3, 5.0))
    depth, normal = penetration(10.0 * FLAT - np.tile([3.0, 3.0, 0.0], 3), b)
    assert depth == pytest.approx(0.2)
    np.testing.assert_allclose(normal, [0.0, 0.0, 1.0], atol=1e-12)


def test_penetration_moves_crossing_triangles_into_touch():
    rng = np.random.default_rng(3)
    n_hits = 0
    for _ in range(150):
        a, b = random_pair(rng, 0.3)
        if not triangles_overlap(a, b, 0.0):
            continue
        n_hits += 1
        depth, normal = penetration(a, b)
        assert depth >= 0.0
        assert np.linalg.norm(normal) == pytest.approx(1.0)
        assert not triangles_overlap(a, b + np.tile(normal * (depth + 1e-9), 3), 0.0)
        assert triangles_overlap(a, b + np.tile(normal * depth * (1.0 - 1e-9), 3), 0.0)
        swapped, back = penetration(b, a)
        assert swapped == pytest.approx(depth, rel=1e-9, abs=1e-12)
        np.testing.assert_allclose(back, -normal, atol=1e-6)
    assert n_hits > 30


@pytest.mark.parametrize("name", [name for name in TOUCHING if "through" not in name])
def test_penetration_of_touching_triangles_is_nothing(name):
    depth, normal = penetration(FLAT, TOUCHING[name])
    assert abs(depth) < 1e-15
    assert np.linalg.norm(normal) == pytest.approx(1.0)


def test_penetration_of_triangles_apart_is_minus_a_gap():
    depth, normal = penetration(FLAT, FLAT + np.tile([0.0, 0.0, 0.5], 3))
    assert depth == pytest.approx(-0.5)
    np.testing.assert_allclose(normal, [0.0, 0.0, 1.0])


@pytest.mark.parametrize("name", TOUCHING)
def test_contact_point_lies_on_both_triangles(name):
    for a, b in ((FLAT, TOUCHING[name]), (TOUCHING[name], FLAT)):
        point = contact(a, b)
        assert gap_to(point, a) < 1e-15
        assert gap_to(point, b) < 1e-15


def test_contact_point_is_the_middle_of_what_is_shared():
    blade = tri((0.2, 0.2, -1.0), (0.2, 0.2, 1.0), (0.2, -5.0, 0.0))
    np.testing.assert_allclose(contact(FLAT, blade), [0.2, 0.1, 0.0], atol=1e-15)
    np.testing.assert_allclose(contact(blade, FLAT), [0.2, 0.1, 0.0], atol=1e-15)
    np.testing.assert_allclose(contact(FLAT, TOUCHING["shared edge"]), [0.5, 0.0, 0.0], atol=1e-15)
    square = tri((0.0, 0.0, 0.0), (1.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    np.testing.assert_allclose(contact(FLAT, square), [0.5, 1.0 / 6.0, 0.0], atol=1e-15)


def test_contact_point_of_random_crossings_lies_on_both():
    rng = np.random.default_rng(5)
    for _ in range(200):
        a, b = random_pair(rng, 0.3)
        if triangles_overlap(a, b, 0.0):
            point = contact(a, b)
            assert gap_to(point, a) < 1e-14
            assert gap_to(point, b) < 1e-14
