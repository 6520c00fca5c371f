"""Distance of two triangles at rest, against exact rational arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.narrow.mesh.triangle_distance import EDGE, FACE, WITNESS, triangle_distance_into
from carom.narrow.mesh.triangle_overlap import CONTACT_SPACE
from geometry.triangle_pairs import GRID_TRIANGLES, random_pair, thin_pair
from oracles.exact_triangles import exact_square_distance

FLAT = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0])


def tri(*corners):
    return np.array(corners, dtype=np.float64).ravel()


def distance(a, b, best=math.inf):
    witness = np.full(WITNESS, np.nan)
    square = triangle_distance_into(a, b, 0.0, best, np.empty(CONTACT_SPACE), witness)
    return math.sqrt(square), witness


def on_feature(point, triangle, feature):
    """Distance of a point to a corner, an edge or the whole of a triangle, exact but for the last rounding."""
    corners = triangle.reshape(3, 3)
    feature = int(feature)
    if feature < EDGE:
        shape = corners[[feature] * 3]
    elif feature < FACE:
        shape = corners[[feature - EDGE, (feature - EDGE + 1) % 3, feature - EDGE]]
    else:
        shape = corners
    return math.sqrt(exact_square_distance(np.tile(point, 3), shape.ravel()))


def check(a, b, tolerance):
    """Distance, witness points and features are those of the exact oracle to within `tolerance`; both ways round."""
    expected = math.sqrt(exact_square_distance(a, b))
    for first, second in ((a, b), (b, a)):
        found, witness = distance(first, second)
        assert found == pytest.approx(expected, rel=1e-14, abs=tolerance)
        assert np.linalg.norm(witness[3:6] - witness[0:3]) == pytest.approx(found, rel=1e-14, abs=tolerance)
        assert on_feature(witness[0:3], first, witness[6]) <= tolerance
        assert on_feature(witness[3:6], second, witness[7]) <= tolerance


@pytest.mark.parametrize(
    ("b", "expected", "features"),
    [
        (tri((0.25, 0.25, 2.0), (0.0, 0.0, 3.0), (1.0, 1.0, 3.0)), 2.0, (FACE, 0)),
        (tri((3.0, 0.0, 0.0), (4.0, 1.0, 0.0), (4.0, -1.0, 1.0)), 2.0, (1, 0)),
        (tri((0.5, -2.0, 1.0), (0.5, -2.0, -1.0), (0.5, -3.0, 0.0)), 2.0, (EDGE, EDGE)),
    ],
    ids=["corner over face", "corner to corner", "edge to edge"],
)
def test_distance_of_simple_pairs_is_known(b, expected, features):
    found, witness = distance(FLAT, b)
    assert found == expected
    assert tuple(witness[6:8]) == features


def test_distance_is_zero_at_a_crossing_with_its_middle():
    found, witness = distance(FLAT, tri((0.2, 0.2, -1.0), (0.2, 0.2, 1.0), (0.2, -5.0, 0.0)))
    assert found == 0.0
    np.testing.assert_allclose(witness[0:3], [0.2, 0.1, 0.0], atol=1e-15)
    np.testing.assert_array_equal(witness[0:3], witness[3:6])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_distance_agrees_with_exact_arithmetic_on_random_pairs(scale):
    rng = np.random.default_rng(11)
    for k in range(80):
        a, b = random_pair(rng, 1.5 * (k % 4))
        check(a * scale, b * scale, 1e-14 * scale)


@given(GRID_TRIANGLES, GRID_TRIANGLES, st.sampled_from([1e-6, 1.0, 1e6]))
def test_distance_agrees_with_exact_arithmetic_on_a_grid(a, b, scale):
    # Points, segments, shared corners and edges, parallel planes.
    check(a * scale, b * scale, 1e-14 * scale)


@pytest.mark.parametrize("thickness", [1e-3, 1e-7, 1e-11, 0.0])
def test_distance_of_slivers_is_exact(thickness):
    rng = np.random.default_rng(12)
    for _ in range(80):
        a, b = thin_pair(rng, thickness)
        check(a, b, 4e-14)


@pytest.mark.parametrize("angle", [1e-2, 1e-5, 1e-8, 1e-11, 1e-14])
def test_distance_of_nearly_parallel_edges_is_exact(angle):
    rng = np.random.default_rng(13)
    for _ in range(40):
        u, aside, up = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        v = u + angle * aside
        shift = rng.uniform(-0.4, 0.4) * u + 1e-3 * up
        a = tri(-u, u, -3.0 * up)
        b = tri(shift - v, shift + v, shift + 3.0 * up)
        check(a, b, 1e-14)


@pytest.mark.parametrize("far", [1e3, 1e8])
def test_distance_far_apart_keeps_its_digits(far):
    rng = np.random.default_rng(14)
    for _ in range(30):
        a, b = random_pair(rng, far)
        check(a, b, 1e-15 * far)


def test_distance_above_the_bound_leaves_the_witness_alone():
    b = FLAT + np.tile([0.0, 0.0, 2.0], 3)
    found, witness = distance(FLAT, b, best=1.0)
    assert found == 1.0
    assert np.isnan(witness).all()
    found, witness = distance(FLAT, b, best=9.0)
    assert found == 2.0
