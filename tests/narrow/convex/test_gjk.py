"""GJK: distances of convex shapes against brute force over features, formulas, awkward positions and its own bounds."""

from __future__ import annotations

import numpy as np
import pytest

from carom.errors import UnsupportedPairError
from carom.narrow.convex.convex_pair import convex_collide, convex_distance
from carom.narrow.convex.gjk import GJK_OPEN
from carom.narrow.convex.support import support
from carom.shapes import Box, Convex, Mesh, Sphere, core_of
from carom.shapes.parts import cores
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


def check_certificates(found, solid_a, solid_b, rots, shifts, slack):
    """Where apart: both shapes lie beyond planes at the distance, and the nearest points are in the shapes."""
    apart = found.distance > 0.0
    gaps = exact_convex.gaps_along(solid_a, solid_b, rots, shifts, found.normal)
    assert (np.abs(gaps - found.distance)[apart] <= 2e-12 * found.distance[apart] + slack).all()
    for solid, points in (
        (solid_a, found.point_a),
        (solid_b, exact_convex.unplaced(found.point_b, rots, shifts)),
    ):
        if len(solid.normals):
            assert exact_convex.beyond(solid, points).max() <= 10.0 * slack
    span = np.linalg.norm(found.point_b - found.point_a, axis=1)
    np.testing.assert_allclose(span[apart], found.distance[apart], atol=10.0 * slack)


@random_pairs(8, 12, ("hull8", "triangle"))
def test_gjk_agrees_with_all_feature_pairs(kinds, seed, n_shapes, n_poses, scale, every):
    slack = 1e-13 * scale
    for core_a, core_b, solid_a, solid_b, *where in random_cases(shape, kinds, seed, n_shapes, n_poses, scale, 1.2):
        found = convex_distance(core_a, core_b, *where)
        hits = convex_collide(core_a, core_b, *where)
        check_certificates(found, solid_a, solid_b, *where, slack)
        np.testing.assert_array_equal(hits, found.distance == 0.0)
        assert (found.ending != GJK_OPEN).all()
        for k, expected in signed_distances(solid_a, solid_b, *where, every):
            if abs(expected) <= slack:
                assert found.distance[k] <= 2.0 * slack
                continue
            assert hits[k] == (expected < 0.0)
            assert found.distance[k] == pytest.approx(max(expected, 0.0), rel=1e-11, abs=slack)
            assert found.lower[k] <= max(expected, 0.0) + slack


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
def test_gjk_swapped_shapes_swap_the_answer(kinds):
    rng = np.random.default_rng(4)
    (core_a, _), (core_b, _) = (shape(kind, rng) for kind in kinds)
    rots, shifts = poses(rng, 50, 1.5)
    there = convex_distance(core_a, core_b, rots, shifts)
    back = convex_distance(core_b, core_a, *swapped(rots, shifts))
    np.testing.assert_allclose(there.distance, back.distance, rtol=1e-12, atol=1e-14)
    normals = np.einsum("nij,nj->ni", rots.reshape(-1, 3, 3), back.normal)
    apart = there.distance > 1e-3
    np.testing.assert_allclose(there.normal[apart], -normals[apart], atol=1e-9)


def test_gjk_balls_and_capsules_have_their_formulas():
    rng = np.random.default_rng(5)
    rots, shifts = poses(rng, 200, 2.0)
    ball = convex_distance(cores.sphere_core(0.5), cores.sphere_core(0.25), rots, shifts)
    between = np.linalg.norm(shifts, axis=1)
    np.testing.assert_allclose(ball.distance, np.maximum(between - 0.75, 0.0), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(ball.lower, between - 0.75, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(ball.normal, shifts / between[:, None], atol=1e-14)
    capsule = cores.capsule_core(0.5, 2.0)
    found = convex_distance(capsule, cores.sphere_core(0.25), rots, shifts)
    foot = np.zeros_like(shifts)
    foot[:, 2] = np.clip(shifts[:, 2], -1.0, 1.0)
    np.testing.assert_allclose(found.lower, np.linalg.norm(shifts - foot, axis=1) - 0.75, rtol=1e-13, atol=1e-15)


@ROUND
def test_gjk_round_shapes_lie_between_polygons(core, bottom, top):
    rng = np.random.default_rng(6)
    inner, outer = polygons(bottom, top)
    other = exact_convex.hull(rng.normal(size=(6, 3)))
    rots, shifts = poses(rng, 40, 2.0)
    found = convex_distance(core, core_of(Convex(other.vertices)), rots, shifts)
    assert (found.distance - np.maximum(found.lower, 0.0)).max() <= 1e-8
    for k in range(40):
        placed = other.placed(rots[k].reshape(3, 3), shifts[k])
        near = exact_convex.signed_distance(outer, placed)
        far = exact_convex.signed_distance(inner, placed)
        assert max(near, 0.0) - 1e-12 <= found.distance[k] <= max(far, 0.0) + 1e-8


TOUCHING = {
    "faces": ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], (1.0, 0.3, 0.2)),
    "whole faces": ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], (0.0, 0.0, 1.0)),
    "edges": ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], (1.0, 1.0, 0.1)),
    "corners": ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], (1.0, 1.0, 1.0)),
    "huge and tiny": ([1e6, 1e6, 1e6], [2.0**-20, 2.0**-20, 2.0**-20], (5e5 + 2.0**-21, 0.0, 0.0)),
    "plates": ([1.0, 1.0, 2.0**-30], [1.0, 1.0, 2.0**-30], (0.2, 0.2, 2.0**-30)),
    "no thickness": ([1.0, 1.0, 0.0], [1.0, 1.0, 0.0], (0.2, 0.2, 0.0)),
    "no size": ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], (0.0, 0.0, 0.0)),
}


@pytest.mark.parametrize(("first", "second", "shift"), TOUCHING.values(), ids=TOUCHING)
def test_gjk_touching_counts_as_a_hit(first, second, shift):
    core_a, core_b = cores.box_core(first), cores.box_core(second)
    shifts = np.array([shift])
    found = convex_distance(core_a, core_b, still(), shifts)
    assert found.distance[0] == 0.0
    assert convex_collide(core_a, core_b, still(), shifts)[0]


@pytest.mark.parametrize("gap", [1e-3, 1e-8, 1e-12])
def test_gjk_small_gaps_are_seen(gap):
    core = cores.box_core([1.0, 1.0, 1.0])
    shifts = np.array([[1.0 + gap, 0.2, 0.1], [1.0 + gap, 1.0, 0.0], [0.0, 0.0, -1.0 - gap]])
    expected = np.abs(shifts).max(axis=1) - 1.0
    found = convex_distance(core, core, still(3), shifts)
    np.testing.assert_allclose(found.distance, expected, rtol=1e-12, atol=1e-15)
    assert not convex_collide(core, core, still(3), shifts).any()


@pytest.mark.parametrize("kind", KINDS)
def test_gjk_identical_shapes_overlap(kind):
    core, _ = shape(kind, np.random.default_rng(7))
    found = convex_distance(core, core, still(), np.zeros((1, 3)))
    assert found.distance[0] == 0.0
    np.testing.assert_allclose(found.point_a, found.point_b, atol=1e-14)


def test_gjk_coherent_search_gives_the_same_answer_in_fewer_steps():
    rng = np.random.default_rng(8)
    angle = np.linspace(0.0, 3.0, 500)
    rots = np.stack([np.cos(angle), -np.sin(angle), 0 * angle, np.sin(angle), np.cos(angle)], axis=1)
    rots = np.ascontiguousarray(np.hstack([rots, np.tile([0.0, 0.0, 0.0, 1.0], (500, 1))]))
    shifts = np.stack([2.2 * np.cos(2.0 * angle), 1.8 * np.sin(2.0 * angle), 0.3 * angle], axis=1)
    first, second = (core_of(Convex(rng.normal(size=(n, 3)))) for n in (40, 400))
    cold = convex_distance(first, second, rots, shifts)
    warm = convex_distance(first, second, rots, shifts, coherent=True)
    np.testing.assert_allclose(cold.distance, warm.distance, rtol=1e-11, atol=1e-13)
    assert warm.steps.mean() < 0.6 * cold.steps.mean()


def test_gjk_takes_few_steps():
    rng = np.random.default_rng(9)
    rots, shifts = poses(rng, 2000, 2.0)
    for n in (8, 40, 200):
        ball = rng.normal(size=(2, n, 3))
        ball /= np.linalg.norm(ball, axis=2)[..., None]
        found = convex_distance(core_of(Convex(ball[0])), core_of(Convex(ball[1])), rots, shifts)
        assert 3.0 <= found.steps.mean() <= 6.0
        assert found.steps.max() <= 25


def test_gjk_threads_give_the_same_answer():
    rng = np.random.default_rng(10)
    core = core_of(Convex(rng.normal(size=(20, 3))))
    rots, shifts = poses(rng, 301, 2.0)
    one, three = (convex_distance(core, core, rots, shifts, threads) for threads in (1, 3))
    for field in one._fields:
        np.testing.assert_array_equal(getattr(one, field), getattr(three, field))
    np.testing.assert_array_equal(
        convex_collide(core, core, rots, shifts, 1), convex_collide(core, core, rots, shifts, 3)
    )


def test_support_climbing_finds_a_highest_point():
    rng = np.random.default_rng(11)
    grid = np.stack(np.meshgrid(*[np.linspace(-1.0, 1.0, 6)] * 3), axis=-1).reshape(-1, 3)
    for points in (rng.normal(size=(500, 3)) / 3.0, grid, rng.normal(size=(900, 3)) * [1.0, 1.0, 1e-9]):
        points = points if points is grid else points / np.linalg.norm(points, axis=1)[:, None]
        solid = Convex(points)
        core = core_of(solid)
        for direction in np.vstack([rng.normal(size=(200, 3)), np.eye(3), -np.eye(3)]):
            x, y, z, row = support(core, *direction)
            np.testing.assert_array_equal(solid.vertices[row], [x, y, z])
            assert direction @ [x, y, z] >= (points @ direction).max() - 1e-14


def test_core_of_is_made_once_and_refuses_surfaces():
    box = Box([1.0, 2.0, 3.0])
    assert core_of(box) is core_of(box)
    assert core_of(Sphere(2.0))[1] == 2.0
    with pytest.raises(UnsupportedPairError, match="Mesh is not convex"):
        core_of(Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
