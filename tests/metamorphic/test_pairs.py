"""Questions about two shapes, asked in another way whose answer is known from the first."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from geometry.shapes_in_pairs import PAIRS, SHAPES, random_poses
from scenarios.metamorphic_samples import flights, moved_rigidly, turn

_ONES = [pair for pair in PAIRS if pair != ("half-space", "half-space")]
_STRAIGHT = ("sphere", "box", "convex", "mesh")
_SCALES = (2.0**-20, 2.0**-3, 2.0**17)


@pytest.mark.parametrize(("one", "other"), _ONES)
def test_still_queries_do_not_depend_on_which_shape_is_first(one, other):
    a, b = SHAPES[one], SHAPES[other]
    here, there = random_poses(6, 1), random_poses(6, 2, spread=1.5)
    near, back = carom.distance(a, b, here, there), carom.distance(b, a, there, here)
    np.testing.assert_allclose(near.distance, back.distance, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(carom.collide(a, b, here, there).hit, carom.collide(b, a, there, here).hit)
    deep, shallow = carom.penetration(a, b, here, there), carom.penetration(b, a, there, here)
    exact = deep.exact & shallow.exact
    np.testing.assert_allclose(deep.depth[exact], shallow.depth[exact], rtol=4e-6, atol=1e-12)


@pytest.mark.parametrize(("one", "other"), _ONES)
def test_still_queries_do_not_depend_on_the_frame(one, other):
    a, b = SHAPES[one], SHAPES[other]
    here, there = random_poses(6, 3), random_poses(6, 4, spread=1.5)
    frame = np.eye(4)
    frame[:3, :3], frame[:3, 3] = turn()[1], (3.0, -4.0, 5.0)
    near, moved = carom.distance(a, b, here, there), carom.distance(a, b, frame @ here, frame @ there)
    np.testing.assert_allclose(near.distance, moved.distance, rtol=1e-9, atol=1e-12)
    deep, other_deep = carom.penetration(a, b, here, there), carom.penetration(a, b, frame @ here, frame @ there)
    exact = deep.exact & other_deep.exact
    np.testing.assert_allclose(deep.depth[exact], other_deep.depth[exact], rtol=4e-6, atol=1e-12)


def _time(a, b, until=6.0):
    hit = carom.time_of_impact(a.shape, b.shape, a.motion(), b.motion(), until)
    return math.inf if hit is None else hit.time


def _pairs(seed, **options):
    bodies = flights(seed, **options)
    return [(a, b) for k, a in enumerate(bodies) for b in bodies[k + 1 :]]


@pytest.mark.parametrize("spins", [False, True])
def test_time_of_impact_does_not_depend_on_order_or_frame(spins):
    met = 0
    for seed in range(2):
        for a, b in _pairs(seed, spins=spins, pushed=seed == 1):
            first = _time(a, b)
            shift = np.array([3.0, -4.0, 5.0])
            for again in (_time(b, a), _time(moved_rigidly(a, shift), moved_rigidly(b, shift))):
                assert again == pytest.approx(first, rel=1e-6, abs=1e-6)
            met += math.isfinite(first)
    assert met > 10


@pytest.mark.parametrize("pushed", [False, True])
@pytest.mark.parametrize("scale", _SCALES)
def test_exact_time_of_impact_of_scaled_shapes_is_the_same_bit_for_bit(scale, pushed):
    met = 0
    for (a, b), (c, d) in zip(
        _pairs(5, kinds=_STRAIGHT, pushed=pushed), _pairs(5, kinds=_STRAIGHT, pushed=pushed, scale=scale), strict=True
    ):
        assert _time(a, b) == _time(c, d)
        met += math.isfinite(_time(a, b))
    assert met > 5


@pytest.mark.parametrize("scale", _SCALES)
def test_distance_of_scaled_boxes_is_scaled_bit_for_bit(scale):
    here, there = random_poses(20, 6), random_poses(20, 7, spread=2.0)
    small, large = here.copy(), there.copy()
    for poses in (small, large):
        poses[:, :3, 3] *= scale
    a, b = carom.Box((1.0, 0.8, 0.6)), carom.Sphere(0.5)
    scaled_a, scaled_b = carom.Box((scale, 0.8 * scale, 0.6 * scale)), carom.Sphere(0.5 * scale)
    near, scaled = carom.distance(a, b, here, there), carom.distance(scaled_a, scaled_b, small, large)
    np.testing.assert_array_equal(near.distance * scale, scaled.distance)
