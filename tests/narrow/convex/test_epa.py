"""Penetration: depths against all separating axes, formulas, polygons around round shapes, and awkward positions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from carom.narrow.convex.convex_pair import convex_distance, convex_penetration
from carom.narrow.convex.penetration import BY_AXES, BY_BOUNDS, BY_DISTANCE, BY_POLYTOPE
from carom.shapes import Cone, Convex, Cylinder, core_of
from carom.shapes.parts import cores
from carom.shapes.parts.core_layout import FEATURES
from geometry.convex_samples import (
    KINDS,
    PAIRS,
    ROUND,
    polygons,
    poses,
    random_cases,
    random_pairs,
    shape,
    signed_distances,
    still,
    swapped,
)
from oracles import exact_convex


def without_features(core):
    """The same core for the expanding polytope alone."""
    bare = core.copy()
    bare[FEATURES] = 0.0
    return bare


def check_parting(core_a, core_b, rots, shifts, found, slack):
    """The witness points span the depth, and moving b by it makes the pair just touch."""
    overlap = found.depth >= 0.0
    span = found.point_a - found.point_b
    np.testing.assert_allclose(span, found.depth[:, None] * found.normal, atol=slack)
    np.testing.assert_allclose(np.linalg.norm(found.normal, axis=1), 1.0, atol=1e-12)
    beyond = 1e-3 * (1.0 + np.abs(shifts).max()) if slack > 0.0 else 0.0
    moved = shifts + (found.depth + beyond)[:, None] * found.normal
    apart = convex_distance(core_a, core_b, rots, np.ascontiguousarray(moved))
    np.testing.assert_allclose(apart.distance[overlap], beyond, atol=slack)


@random_pairs(6, 10, ("hull8", "triangle"))
def test_depth_agrees_with_all_axes(kinds, seed, n_shapes, n_poses, scale, every):
    slack = 2e-14 * scale
    cases = random_cases(shape, kinds, seed, n_shapes, n_poses, scale, 0.5)
    for core_a, core_b, solid_a, solid_b, rots, shifts in cases:
        found = convex_penetration(core_a, core_b, rots, shifts)
        grown = convex_penetration(without_features(core_a), without_features(core_b), rots, shifts)
        np.testing.assert_allclose(found.depth, grown.depth, atol=2.0 * slack)
        for answer in (found, grown):
            assert (answer.found != BY_BOUNDS).all()
            assert (answer.lower <= answer.depth).all()
            assert (answer.depth <= answer.lower + slack).all()
            gaps = exact_convex.gaps_along(solid_a, solid_b, rots, shifts, answer.normal)
            np.testing.assert_allclose(-gaps, answer.depth, rtol=2e-12, atol=5.0 * slack)
            check_parting(core_a, core_b, rots, shifts, answer, 1e-12 * scale)
            points = (answer.point_a, exact_convex.unplaced(answer.point_b, rots, shifts))
            for solid, place in zip((solid_a, solid_b), points, strict=True):
                if len(solid.normals):
                    assert exact_convex.beyond(solid, place).max() <= 50.0 * slack
        for k, expected in signed_distances(solid_a, solid_b, rots, shifts, every):
            assert found.depth[k] == pytest.approx(-expected, abs=slack)


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_depth_swapped_shapes_swap_the_answer(kinds):
    rng = np.random.default_rng(4)
    (core_a, _), (core_b, _) = (shape(kind, rng) for kind in kinds)
    rots, shifts = poses(rng, 40, 0.6)
    there = convex_penetration(core_a, core_b, rots, shifts)
    back = convex_penetration(core_b, core_a, *swapped(rots, shifts))
    np.testing.assert_allclose(there.depth, back.depth, rtol=1e-12, atol=1e-14)


def test_depth_of_balls_and_capsules_has_its_formula():
    rng = np.random.default_rng(5)
    rots, shifts = poses(rng, 100, 0.3)
    ball = convex_penetration(cores.sphere_core(0.5), cores.sphere_core(0.25), rots, shifts)
    np.testing.assert_allclose(ball.depth, 0.75 - np.linalg.norm(shifts, axis=1), rtol=1e-13, atol=1e-14)
    found = convex_penetration(cores.capsule_core(0.5, 2.0), cores.sphere_core(0.25), rots, shifts)
    foot = np.zeros_like(shifts)
    foot[:, 2] = np.clip(shifts[:, 2], -1.0, 1.0)
    np.testing.assert_allclose(found.depth, 0.75 - np.linalg.norm(shifts - foot, axis=1), rtol=1e-13, atol=1e-14)


def test_depth_of_crossing_capsules_is_along_both_normals():
    turn = np.array([[1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0]])
    capsule = cores.capsule_core(0.5, 2.0)
    found = convex_penetration(capsule, capsule, turn, np.zeros((1, 3)))
    assert found.depth[0] == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose(np.abs(found.normal[0]), [1.0, 0.0, 0.0], atol=1e-14)


def test_depth_of_ball_in_a_box_is_through_the_nearest_side():
    found = convex_penetration(
        cores.box_core([2.0, 4.0, 6.0]), cores.sphere_core(0.25), still(), np.array([[0.0, 1.9, 0.3]])
    )
    assert found.depth[0] == pytest.approx(0.1 + 0.25, abs=1e-14)
    np.testing.assert_allclose(found.normal[0], [0.0, 1.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(found.point_a[0], [0.0, 2.0, 0.3], atol=1e-14)
    np.testing.assert_allclose(found.point_b[0], [0.0, 1.65, 0.3], atol=1e-14)


AWKWARD = {
    "identical": ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], (0.0, 0.0, 0.0)),
    "whole faces": ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], (0.0, 0.0, 1.0)),
    "edges": ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], (1.0, 1.0, 0.1)),
    "corners": ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], (1.0, 1.0, 1.0)),
    "contained": ([1.0, 1.0, 1.0], [0.25, 0.25, 0.25], (0.1, 0.0, 0.2)),
    "huge and tiny": ([1e6, 1e6, 1e6], [1e-6, 1e-6, 1e-6], (3e5, 1.0, 2.0)),
    "tiny in the corner of huge": ([1e6, 1e6, 1e6], [1e-3, 1e-3, 1e-3], (5e5, 5e5, 5e5)),
    "plates": ([1.0, 1.0, 1e-9], [1.0, 1.0, 1e-9], (0.2, 0.2, 0.5e-9)),
    "crossed plates": ([1.0, 1.0, 1e-12], [1e-12, 1.0, 1.0], (0.2, 0.0, 0.1)),
    "no thickness": ([1.0, 1.0, 0.0], [1.0, 1.0, 0.0], (0.2, 0.2, 0.0)),
    "lines": ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], (0.2, 0.0, 0.0)),
    "line in a box": ([1.0, 1.0, 1.0], [0.5, 0.0, 0.0], (0.2, 0.1, 0.0)),
    "point in a box": ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], (0.2, 0.1, 0.4)),
    "point on a side": ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], (0.2, 0.1, 0.5)),
    "point at a corner": ([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], (0.5, 0.5, 0.5)),
    "no size": ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], (0.0, 0.0, 0.0)),
}


@pytest.mark.parametrize("bare", [False, True], ids=["axes", "polytope"])
@pytest.mark.parametrize(("first", "second", "shift"), AWKWARD.values(), ids=AWKWARD)
def test_depth_of_aligned_boxes_has_its_formula(first, second, shift, bare):
    core_a, core_b = cores.box_core(first), cores.box_core(second)
    if bare:
        core_a, core_b = without_features(core_a), without_features(core_b)
    shifts = np.array([shift])
    found = convex_penetration(core_a, core_b, still(), shifts)
    expected = (0.5 * (np.array(first) + second) - np.abs(shift)).min()
    scale = np.abs([first, second, shift]).max()
    assert found.depth[0] == pytest.approx(expected, abs=4e-15 * scale)
    assert np.linalg.norm(found.normal[0]) == pytest.approx(1.0, abs=1e-12)
    along = 0.5 * (np.array(first) + second) - np.array(shift) * np.sign(found.normal[0])
    assert (along @ np.abs(found.normal[0])) == pytest.approx(expected, abs=1e-12 * max(scale, 1.0))


@pytest.mark.parametrize("bare", [False, True], ids=["axes", "polytope"])
@pytest.mark.parametrize("kind", KINDS)
def test_depth_of_identical_shapes_agrees_with_all_axes(kind, bare):
    rng = np.random.default_rng(7)
    for _ in range(10):
        core, solid = shape(kind, rng)
        core = without_features(core) if bare else core
        found = convex_penetration(core, core, still(), np.zeros((1, 3)))
        expected = exact_convex.depth(solid, solid) if exact_convex.spans_space(solid, solid) else 0.0
        assert found.depth[0] == pytest.approx(expected, abs=2e-14)


@pytest.mark.parametrize("bare", [False, True], ids=["axes", "polytope"])
def test_depth_of_coplanar_and_flat_triangles_is_zero(bare):
    first = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    others = [
        first * 0.5 + [0.1, 0.1, 0.0],
        np.array([[0.1, 0.1, 0.0], [0.2, 0.2, 0.0], [0.3, 0.3, 0.0]]),
        np.array([[0.1, 0.1, 0.0]] * 3),
        first + [1.0, 0.0, 0.0],
    ]
    for other in others:
        core_a, core_b = cores.triangle_core(first), cores.triangle_core(other)
        if bare:
            core_a, core_b = without_features(core_a), without_features(core_b)
        found = convex_penetration(core_a, core_b, still(), np.zeros((1, 3)))
        assert found.depth[0] == pytest.approx(0.0, abs=1e-15)
        assert found.found[0] in (BY_AXES, BY_POLYTOPE)


@ROUND
def test_depth_of_round_shapes_lies_between_polygons(core, bottom, top):
    rng = np.random.default_rng(8)
    inner, outer = polygons(bottom, top)
    other = exact_convex.hull(rng.normal(size=(6, 3)))
    rots, shifts = poses(rng, 30, 0.5)
    found = convex_penetration(core, core_of(Convex(other.vertices)), rots, shifts)
    overlap = found.depth > 0.0
    assert overlap.any()
    assert ((found.depth - found.lower)[overlap] <= 1.01e-6 * found.depth[overlap]).all()
    for k in np.flatnonzero(overlap):
        placed = other.placed(rots[k].reshape(3, 3), shifts[k])
        assert -exact_convex.signed_distance(inner, placed) - 1e-12 <= found.depth[k]
        assert found.lower[k] <= -exact_convex.signed_distance(outer, placed) + 1e-12


@pytest.mark.parametrize("core", [core_of(Cylinder(0.5, 3.0)), core_of(Cone(0.5, 3.0))])
def test_depth_of_identical_round_shapes_is_bounded(core):
    found = convex_penetration(core, core, still(), np.zeros((1, 3)))
    # Both leave sideways: a cylinder by its width; a cone square to its flank.
    expected = 1.0 if core[0] == Cylinder.code else 3.0 / np.sqrt(9.25)
    assert found.depth[0] == pytest.approx(expected, abs=1e-9)
    assert found.depth[0] * (1.0 - 1e-3) <= found.lower[0] <= found.depth[0]


def test_penetration_apart_is_minus_the_distance():
    rng = np.random.default_rng(9)
    core = core_of(Convex(rng.normal(size=(12, 3))))
    rots, shifts = poses(rng, 200, 4.0)
    found, apart = convex_penetration(core, core, rots, shifts), convex_distance(core, core, rots, shifts)
    far = found.found == BY_DISTANCE
    assert 20 < far.sum() < 200
    np.testing.assert_array_equal(-found.depth[far], apart.distance[far])
    np.testing.assert_allclose(found.normal[far], apart.normal[far], atol=1e-15)


def test_penetration_threads_and_coherence_give_the_same_depth():
    rng = np.random.default_rng(10)
    core = core_of(Convex(rng.normal(size=(20, 3))))
    rots, shifts = poses(rng, 150, 0.8)
    one = convex_penetration(core, core, rots, shifts)
    np.testing.assert_array_equal(one.depth, convex_penetration(core, core, rots, shifts, 3).depth)
    np.testing.assert_allclose(one.depth, convex_penetration(core, core, rots, shifts, 1, True).depth, atol=1e-13)


LENGTH = st.floats(1e-9, 1e3)
PLACE = st.floats(-1.0, 1.0)


@example(
    (1.0, 0.25, 1.0), (1.0, 1e-9, 1e-9), (1e-9, 1.0, 1e-9)
)  # just touching, and the first tetrahedron misses the origin
@example((1e-9, 1.0, 1e-9), (1.0, 1e-9, 1e-9), (1.0, -0.25, 0.5))
@given(st.tuples(LENGTH, LENGTH, LENGTH), st.tuples(LENGTH, LENGTH, LENGTH), st.tuples(PLACE, PLACE, PLACE))
def test_depth_of_any_aligned_boxes_has_its_formula(first, second, part):
    reach = 0.5 * (np.array(first) + second)
    shifts = (reach * part)[None]
    bare = [without_features(cores.box_core(size)) for size in (first, second)]
    expected = (reach - np.abs(shifts[0])).min()
    for core_a, core_b in ((cores.box_core(first), cores.box_core(second)), bare):
        found = convex_penetration(core_a, core_b, still(), shifts)
        size = max(*first, *second)
        if found.found[0] == BY_BOUNDS:  # needles: the polytope breaks within rounding, and says so; its bounds hold
            assert found.lower[0] - 1e-14 * size <= expected <= found.depth[0] + 1e-14 * size
            assert found.depth[0] <= expected + 1e-8 * size
            assert core_a is bare[0]
        else:
            assert found.depth[0] == pytest.approx(expected, abs=1e-14 * size)
