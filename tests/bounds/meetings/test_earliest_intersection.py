"""The earliest meeting of space-time bounds: four methods, one answer, never after a collision that is possible."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import carom
from carom.bounds.meetings.earliest import SEARCHES, EarliestSearch
from scenarios.guided_samples import random_guided, random_path

NONE = (math.inf, -1, -1)


def hypertrapezoids(rng, n, spread, planes):
    """n bounds as sides and planes at random, some of which overlap from the start."""
    motions = []
    for _ in range(n):
        body = random_guided(rng, spread, expires=1.0)
        direction = rng.normal(size=3) if planes and rng.random() < 0.8 else None
        motions.append(carom.Guided(body.position, body.velocity, body.max_acceleration, 1.0, direction))
    return carom.time_critical.space_time_bounds(motions, rng.uniform(0.05, 0.4, n), cubes=bool(rng.random() < 0.5))


def first_by_linear_program(bounds, i, j):
    """Least t at which horns i and j have a common point: a linear program in x, y, z, t."""
    rows, right = [], []
    for k in (i, j):
        for d in range(3):
            low, low_speed, high, high_speed = bounds.sides[k, 4 * d : 4 * d + 4]
            unit = np.eye(3)[d]
            rows += [[*-unit, low_speed], [*unit, -high_speed]]
            right += [-low, high]
        rows.append([*bounds.planes[k, :3], -bounds.planes[k, 4]])
        right.append(bounds.planes[k, 3])
    found = linprog((0, 0, 0, 1), rows, right, bounds=[(None, None)] * 3 + [(0, bounds.span)])
    return found.x[3] if found.success else math.inf


def agree(found, expected):
    return found.time == expected.time or abs(found.time - expected.time) <= 1e-8 * max(1.0, abs(expected.time))


@pytest.mark.parametrize("method", SEARCHES)
def test_earliest_intersection_of_two_that_fly_at_each_other(method):
    bodies = [carom.Guided((0, 0, 0), (1, 0, 0), 0.0, 10.0), carom.Guided((10, 0, 0), (-1, 0, 0), 0.0, 10.0)]
    found = carom.time_critical.earliest_intersection(carom.time_critical.space_time_bounds(bodies, 1.0), method)
    assert found.time == pytest.approx(4.0, rel=1e-8)
    assert (found.a, found.b) == (0, 1)


@pytest.mark.parametrize("method", SEARCHES)
def test_earliest_intersection_counts_acceleration_linearly_up_to_expiry(method):
    """At rest, gap 4: sides reach M/2 * H * t, so 2 * (1/2 * 2 * 3 * t) = 4 at t = 2/3 with H = 3."""
    bodies = [carom.Guided((0, 0, 0), (0, 0, 0), 2.0, 3.0), carom.Guided((5, 0, 0), (0, 0, 0), 2.0, 3.0)]
    found = carom.time_critical.earliest_intersection(carom.time_critical.space_time_bounds(bodies, 0.5), method)
    assert found.time == pytest.approx(2.0 / 3.0, rel=1e-7)


@pytest.mark.parametrize("method", SEARCHES)
def test_earliest_intersection_respects_cutting_planes(method):
    """Neither is pushed towards the other: they never meet, though their boxes do."""
    bodies = [
        carom.Guided((0, 0, 0), (0, 0, 0), 2.0, 3.0, direction=(1, 0, 0)),
        carom.Guided((5, 0, 0), (0, 0, 0), 2.0, 3.0, direction=(-1, 0, 0)),
    ]
    assert carom.time_critical.earliest_intersection(carom.time_critical.space_time_bounds(bodies, 0.5), method) == NONE
    one = [bodies[0], carom.Guided((5, 0, 0), (0, 0, 0), 2.0, 3.0)]
    assert carom.time_critical.earliest_intersection(
        carom.time_critical.space_time_bounds(one, 0.5), method
    ).time == pytest.approx(4.0 / 3.0, rel=1e-7)


@pytest.mark.parametrize("method", SEARCHES)
def test_earliest_intersection_of_bounds_that_overlap_but_are_cut_off_at_first(method):
    """Boxes overlap from the start, and what is behind the slanted planes only later: no face is passed by then."""
    bodies = [
        carom.Guided((0, 0, 0), (0.5, 0.5, 0), 0.1, 4.0, direction=(1, 1, 0)),
        carom.Guided((1.9, 1.9, 0), (0, 0, 0), 0.1, 4.0, direction=(-1, -1, 0)),
    ]
    bounds = carom.time_critical.space_time_bounds(bodies, 1.0)
    found = carom.time_critical.earliest_intersection(bounds, method)
    assert 0.0 < found.time == pytest.approx(first_by_linear_program(bounds, 0, 1), rel=1e-7)


@pytest.mark.parametrize("planes", [False, True])
def test_earliest_intersection_is_that_of_a_linear_program(planes):
    rng = np.random.default_rng(5)
    hits = 0
    for _ in range(150):
        bounds = hypertrapezoids(rng, 2, 1.5, planes)
        expected = first_by_linear_program(bounds, 0, 1)
        hits += expected < math.inf
        for method in SEARCHES:
            found = carom.time_critical.earliest_intersection(bounds, method)
            assert found.time == pytest.approx(expected, abs=1e-7), method
    assert 30 < hits < 150


@pytest.mark.parametrize("planes", [False, True])
@pytest.mark.parametrize(("n", "spread"), [(3, 1.0), (12, 2.0), (40, 4.0), (120, 10.0), (300, 40.0)])
def test_earliest_intersection_methods_agree(n, spread, planes):
    rng = np.random.default_rng(n)
    for _ in range(12):
        bounds = hypertrapezoids(rng, n, spread, planes)
        expected = carom.time_critical.earliest_intersection(bounds, "brute-force")
        for method, few in (("fast", 32), ("projection", 32), ("subdivision", 2), ("subdivision", 32)):
            found = carom.time_critical.earliest_intersection(bounds, method, few=few)
            assert agree(found, expected), (method, few)
            if method == "fast":
                assert found == expected


def test_earliest_intersection_agrees_with_pairs_on_a_lattice():
    """Everything at once: equal places, equal speeds, edges and corners that meet at the same instant."""
    grid = np.stack(np.meshgrid(*[np.arange(4.0)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    for speed in (0.0, 0.5):
        bodies = [carom.Guided(p, speed * (1.5 - p), 0.0, 2.0) for p in grid]
        for radius in (0.2, 0.5):
            bounds = carom.time_critical.space_time_bounds(bodies, radius)
            found = [carom.time_critical.earliest_intersection(bounds, method) for method in SEARCHES]
            assert all(agree(each, found[0]) for each in found), (speed, radius, found)
            assert (found[0].time == 0.0) == (radius == 0.5)


@pytest.mark.parametrize("method", SEARCHES)
def test_earliest_intersection_degenerate(method):
    def search(bodies, radius=0.5, **options):
        return carom.time_critical.earliest_intersection(
            carom.time_critical.space_time_bounds(bodies, radius, **options), method
        )

    still = carom.Guided((0, 0, 0), (0, 0, 0), 0.0, 1.0)
    assert search([], until=1.0) == NONE
    assert search([still]) == NONE
    assert search([still, still]) == (0.0, 0, 1)  # at the same place
    assert search([still, still], 0.0) == (0.0, 0, 1)
    assert search([still, carom.Guided((2, 0, 0), (0, 0, 0), 0.0, 1.0)]) == NONE
    now = carom.Guided((0, 0, 0), (9, 0, 0), 9.0, 0.0)
    assert search([now, carom.Guided((1.5, 0, 0), (0, 0, 0), 0.0, 1.0)]) == NONE  # expired before anything can happen
    assert search([now, carom.Guided((0.5, 0, 0), (0, 0, 0), 0.0, 1.0)]).time == 0.0
    far = [carom.Guided((1e8 + k, 0, 0), (0, 0, 0), 0.1, 1.0) for k in (0.0, 5.0)]
    assert search(far) == NONE


@pytest.mark.parametrize("method", SEARCHES)
def test_earliest_intersection_ignores_horns_of_one_body(method):
    body = carom.Guided((0, 0, 0), (0, 0, 0), 1.0, 1.0)
    parts = [carom.time_critical.Horn((0, 0, 0), 1.0), carom.time_critical.Horn((0.5, 0, 0), 1.0)]
    other = carom.Guided((4, 0, 0), (-1, 0, 0), 0.0, 1.0)
    bounds = carom.time_critical.space_time_bounds([body, other], [parts, [carom.time_critical.Horn((0, 0, 0), 1.0)]])
    found = carom.time_critical.earliest_intersection(bounds, method)
    assert found.time == pytest.approx(1.0, rel=1e-7)  # gap 1.5, closing at 1 + 1/2
    assert (found.a, found.b) == (0, 1)


def collides_early(bodies, radii, found, rng):
    """Does any pair of balls on random admissible paths overlap before the time found?"""
    until = min(found.time, min(body.expires for body in bodies))
    paths = [random_path(body, rng) for body in bodies]
    for (i, (times, here)), (j, (_, there)) in combinations(enumerate(paths), 2):
        early = times < until - 1e-9
        apart = np.linalg.norm(here[early] - there[early], axis=1)
        if (apart < (radii[i] + radii[j]) * (1.0 - 1e-9)).any():
            return True
    return False


def conservative_scenes(n_scenes, seed):
    rng = np.random.default_rng(seed)
    hits = 0
    for k in range(n_scenes):
        bodies = [random_guided(rng, 3.0, expires=1.0) for _ in range(6)]
        radii = rng.uniform(0.05, 0.5, 6)
        method = SEARCHES[k % len(SEARCHES)]
        found = carom.time_critical.earliest_intersection(carom.time_critical.space_time_bounds(bodies, radii), method)
        hits += found.time < math.inf
        for _ in range(2):
            assert not collides_early(bodies, radii, found, rng), k
    assert 0.2 * n_scenes < hits < n_scenes


def test_earliest_intersection_is_conservative():
    conservative_scenes(250, 7)


@pytest.mark.long
def test_earliest_intersection_is_conservative_over_ten_thousand_scenes():
    conservative_scenes(10_000, 8)


numbers = st.floats(-100.0, 100.0)
vectors = st.tuples(numbers, numbers, numbers)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(
            vectors, vectors, st.sampled_from((0.0, 1.0, 50.0)), st.sampled_from((None, (1, 0, 0), (0.3, -1, 2)))
        ),
        min_size=2,
        max_size=8,
    ),
    st.sampled_from((0.0, 1e-3, 10.0)),
)
def test_earliest_intersection_methods_agree_on_whatever_is_thrown_at_them(bodies, radius):
    motions = [carom.Guided(p, v, push, 1.0, direction) for p, v, push, direction in bodies]
    bounds = carom.time_critical.space_time_bounds(motions, radius)
    found = [carom.time_critical.earliest_intersection(bounds, method, few=2) for method in SEARCHES]
    for each in found[1:]:
        assert each.time == pytest.approx(found[0].time, abs=1e-6)


def test_earliest_intersection_bad_input():
    bounds = carom.time_critical.space_time_bounds([carom.Motion(), carom.Motion()], 1.0, until=1.0)
    with pytest.raises(carom.InvalidInputError, match="method is 'guess'"):
        carom.time_critical.earliest_intersection(bounds, "guess")
    with pytest.raises(carom.InvalidInputError, match="few is 1"):
        carom.time_critical.earliest_intersection(bounds, "subdivision", few=1)
    with pytest.raises(carom.InvalidInputError, match=r"expected carom\.time_critical\.SpaceTimeBounds"):
        carom.time_critical.earliest_intersection([1, 2])
    with pytest.raises(carom.InvalidInputError, match="bounds has 2 horns; expected 3"):
        EarliestSearch(3)(bounds)
