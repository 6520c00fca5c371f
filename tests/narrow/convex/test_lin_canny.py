"""Lin-Canny: closest features against brute force and GJK, over random poses, smooth motion and awkward positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from carom.narrow.convex.closest_features import BY_CROSSING, BY_FEATURES, BY_SEARCH, closest_features
from carom.narrow.convex.convex_pair import convex_distance
from carom.narrow.convex.voronoi_regions import ENDS, N_EDGES, N_SIDES, N_VERTICES, regions
from carom.shapes import Box, Convex, core_of
from carom.shapes.parts.polyhedron import polyhedron
from geometry.convex_samples import poses, random_cases, random_pairs, signed_distances, still, swapped
from oracles import exact_convex

KINDS = ("box", "hull4", "hull8", "hull40", "sliver", "plate", "prism")
PAIRS = [(first, second) for k, first in enumerate(KINDS) for second in KINDS[k:]]


def solid(kind, rng, scale=1.0):
    """A random polyhedron: its regions, and the same for the oracle."""
    if kind == "box":
        shape = Box(rng.uniform(0.2, 2.0, 3) * scale)
    elif kind == "prism":
        angle = 2.0 * np.pi * np.arange(8) / 8.0
        ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        shape = Convex(np.vstack([np.column_stack([ring, np.full(8, z)]) for z in (-0.7, 0.7)]) * scale)
    else:
        points = rng.normal(size=(int(kind[4:]) if kind.startswith("hull") else 10, 3)) * scale
        points *= {"sliver": [1.0, 1e-4, 1e-4], "plate": [1.0, 1.0, 1e-5]}.get(kind, [1.0, 1.0, 1.0])
        shape = Convex(points)
    return regions(polyhedron(shape.vertices, shape.faces)), exact_convex.hull(shape.vertices)


@random_pairs(6, 15, ("hull8", "prism"), PAIRS)
def test_features_agree_with_all_feature_pairs(kinds, seed, n_shapes, n_poses, scale, every):
    slack = 1e-12 * scale
    for first, second, solid_a, solid_b, *where in random_cases(solid, kinds, seed, n_shapes, n_poses, scale, 1.3):
        found = closest_features(first, second, *where)
        # The distance, or minus the depth, is the gap along the normal; the nearest points are in the solids.
        gaps = exact_convex.gaps_along(solid_a, solid_b, *where, found.normal)
        np.testing.assert_allclose(gaps, found.distance - found.depth, rtol=1e-9, atol=slack)
        assert exact_convex.beyond(solid_a, found.point_a).max() <= slack
        assert exact_convex.beyond(solid_b, exact_convex.unplaced(found.point_b, *where)).max() <= slack
        between = np.linalg.norm(found.point_b - found.point_a, axis=1)
        np.testing.assert_allclose(between, found.distance, atol=slack)
        for k, expected in signed_distances(solid_a, solid_b, *where, every):
            assert found.distance[k] == pytest.approx(max(expected, 0.0), rel=1e-9, abs=slack)
            # Surely enough to part the two.
            assert found.depth[k] >= -expected - slack


def test_features_swapped_solids_swap_the_answer():
    rng = np.random.default_rng(4)
    (first, _), (second, _) = solid("hull8", rng), solid("prism", rng)
    rots, shifts = poses(rng, 200, 1.6)
    there = closest_features(first, second, rots, shifts)
    back = closest_features(second, first, *swapped(rots, shifts))
    np.testing.assert_allclose(there.distance, back.distance, rtol=1e-12, atol=1e-14)


def orbit(n_frames, turns, radius):
    """A body that circles another and spins: rotations (n, 9), shifts (n, 3)."""
    angle = np.linspace(0.0, 2.0 * np.pi * turns, n_frames)
    zero = 0.0 * angle
    rots = np.stack(
        [np.cos(angle), -np.sin(angle), zero, np.sin(angle), np.cos(angle), zero, zero, zero, zero + 1.0], 1
    )
    shifts = np.stack([radius * np.cos(0.7 * angle), radius * np.sin(0.7 * angle), 0.3 * np.sin(angle)], 1)
    return np.ascontiguousarray(rots), np.ascontiguousarray(shifts)


def ball(n, rng):
    points = rng.normal(size=(n, 3))
    return Convex(points / np.linalg.norm(points, axis=1)[:, None])


def test_features_tracked_steps_hardly_depend_on_size():
    rng = np.random.default_rng(5)
    rots, shifts = orbit(4000, 2, 2.5)
    for n in (10, 80, 400):
        shapes = [ball(n, rng) for _ in range(2)]
        found = closest_features(*(regions(polyhedron(s.vertices, s.faces)) for s in shapes), rots, shifts)
        apart = convex_distance(*(core_of(s) for s in shapes), rots, shifts)
        assert (found.found == BY_FEATURES).all()
        np.testing.assert_allclose(found.distance, apart.distance, rtol=1e-10)
        assert found.steps[1:].mean() < 1.2


def test_features_in_and_out_of_overlap_agree_with_gjk():
    rng = np.random.default_rng(6)
    rots, _ = orbit(3000, 3, 1.0)
    shifts = np.zeros((3000, 3))
    shifts[:, 0] = 2.2 * np.cos(np.linspace(0.0, 20.0, 3000))
    shifts[:, 1] = 0.2
    for n in (8, 60):
        shapes = [ball(n, rng) for _ in range(2)]
        found = closest_features(*(regions(polyhedron(s.vertices, s.faces)) for s in shapes), rots, shifts)
        apart = convex_distance(*(core_of(s) for s in shapes), rots, shifts)
        assert ((found.distance == 0.0) == (apart.distance == 0.0)).all()
        assert (found.found == BY_CROSSING).sum() > 500
        np.testing.assert_allclose(found.distance, apart.distance, rtol=1e-10, atol=1e-13)


def test_features_are_carried_from_call_to_call():
    rng = np.random.default_rng(7)
    (first, _), (second, _) = solid("hull40", rng), solid("hull40", rng)
    rots, shifts = orbit(400, 1, 6.0)
    whole = closest_features(first, second, rots, shifts)
    head = closest_features(first, second, rots[:200], shifts[:200])
    tail = closest_features(first, second, rots[200:], shifts[200:], start=tuple(head.features[-1]))
    np.testing.assert_array_equal(whole.features[200:], tail.features)
    np.testing.assert_array_equal(whole.steps[200:], tail.steps)


TOUCHING = {
    "faces": (1.0, 0.3, 0.2),
    "whole faces": (0.0, 0.0, 1.0),
    "edges": (1.0, 1.0, 0.1),
    "corners": (1.0, 1.0, 1.0),
    "identical": (0.0, 0.0, 0.0),
}


@pytest.mark.parametrize("shift", TOUCHING.values(), ids=TOUCHING)
def test_features_of_touching_boxes_are_at_no_distance(shift):
    shape = Box([1.0, 1.0, 1.0])
    box = regions(polyhedron(shape.vertices, shape.faces))
    found = closest_features(box, box, still(), np.array([shift]))
    assert found.distance[0] == 0.0
    assert found.depth[0] == pytest.approx(1.0 - np.abs(shift).max(), abs=1e-15)


@pytest.mark.parametrize("gap", [1e-3, 1e-9])
def test_features_of_parallel_boxes_have_the_gap(gap):
    shape = Box([1.0, 1.0, 1.0])
    box = regions(polyhedron(shape.vertices, shape.faces))
    shifts = np.array([[1.0 + gap, 0.2, 0.1], [1.0 + gap, 1.0, 0.0], [0.0, 0.0, -1.0 - gap], [0.3, 1.0 + gap, 0.3]])
    found = closest_features(box, box, still(4), shifts)
    np.testing.assert_allclose(found.distance, np.abs(shifts).max(axis=1) - 1.0, rtol=1e-12, atol=1e-15)


def test_features_of_a_contained_solid_cross():
    outer, inner = (Box([size] * 3) for size in (2.0, 0.2))
    tables = [regions(polyhedron(shape.vertices, shape.faces)) for shape in (outer, inner)]
    found = closest_features(*tables, still(2), np.array([[0.3, 0.1, 0.0], [0.0, 0.0, -0.7]]))
    assert (found.found == BY_CROSSING).all()
    np.testing.assert_allclose(found.depth, [0.8, 0.4], atol=1e-14)


@given(st.tuples(*[st.floats(-2.0, 2.0)] * 3), st.integers(0, 11))
def test_features_of_aligned_boxes_agree_with_the_formula(shift, turn):
    # Twelve ways to lay one box along the axes of the other: every pair of features is parallel or square.
    axes = [(0, 1, 2), (1, 2, 0), (2, 0, 1)][turn % 3]
    signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)][turn // 3]
    matrix = np.zeros((3, 3))
    for row, (axis, sign) in enumerate(zip(axes, (*signs, signs[0] * signs[1]), strict=True)):
        matrix[row, axis] = sign
    shape = Box([1.0, 1.0, 1.0])
    box = regions(polyhedron(shape.vertices, shape.faces))
    found = closest_features(box, box, matrix.reshape(1, 9), np.array([shift]))
    beyond = np.maximum(np.abs(shift) - 1.0, 0.0)
    expected = np.linalg.norm(beyond)
    assert found.distance[0] == pytest.approx(expected, rel=1e-10, abs=4e-15)
    if expected == 0.0:
        assert found.depth[0] == pytest.approx(1.0 - np.abs(shift).max(), abs=1e-14)


def test_polyhedron_joins_triangles_of_one_side():
    grid = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, 3)] * 3), axis=-1).reshape(-1, 3)
    for points in (grid, grid @ exact_convex.rotations(np.random.default_rng(8), 1).reshape(3, 3).T):
        shape = Convex(points)
        table = polyhedron(shape.vertices, shape.faces)
        assert sorted(len(loop) for loop in table.loops) == [4] * 6
        assert len(table.edges) == 12
        sorted_normals = np.abs(table.normals @ table.normals.T)
        np.testing.assert_allclose(sorted_normals.sum(axis=1), 2.0, atol=1e-12)


def test_regions_obey_euler():
    rng = np.random.default_rng(9)
    for n in (4, 30, 300):
        shape = ball(n, rng)
        table = regions(polyhedron(shape.vertices, shape.faces)).table
        assert table[N_VERTICES] - table[N_EDGES] + table[N_SIDES] == 2
        ends = table[table[ENDS] : table[ENDS] + 4 * table[N_EDGES]].reshape(-1, 4)
        assert (ends[:, 0] < ends[:, 1]).all()


def test_features_fall_back_rarely():
    rng = np.random.default_rng(10)
    shapes = [ball(50, rng) for _ in range(2)]
    rots, shifts = poses(rng, 5000, 1.6)
    found = closest_features(*(regions(polyhedron(s.vertices, s.faces)) for s in shapes), rots, shifts)
    assert (found.found == BY_SEARCH).mean() < 0.01
