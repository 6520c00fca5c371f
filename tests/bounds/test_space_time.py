"""Space-time bounds hold every admissible motion, and are as tight as they should be."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom.bounds.space_time import PLANE_OFFSET, PLANE_SPEED, cutting_plane, kinetic_bounds
from scenarios.guided_samples import random_guided, random_path


def holds(bounds, row, points, t):
    """Are all points (m, 3) inside of a horn at time t?"""
    low, high = bounds.boxes_at(t)
    plane = bounds.planes[row]
    ahead = points @ plane[:3] - (plane[3] + plane[4] * (t - bounds.start))
    return ((points >= low[row]) & (points <= high[row])).all() and (ahead <= 0.0).all()


def test_space_time_bounds_of_one_ball():
    body = carom.Guided((1, 2, 3), (4, 0, 0), 2.0, 3.0, direction=(0, 0, 1))
    bounds = carom.time_critical.space_time_bounds([body], 0.5)
    assert (bounds.start, bounds.until, len(bounds), bounds.cut) == (0.0, 3.0, 1, True)
    low, high = bounds.boxes_at(0.0)
    np.testing.assert_allclose((low[0], high[0]), ((0.5, 1.5, 2.5), (1.5, 2.5, 3.5)), rtol=1e-8)
    low, high = bounds.boxes_at(3.0)  # M/2 * 9 = 9
    np.testing.assert_allclose((low[0], high[0]), ((3.5, -7.5, -6.5), (22.5, 11.5, 12.5)), rtol=1e-8)
    np.testing.assert_allclose(bounds.planes[0], (0, 0, 1, 3.5, 0), rtol=1e-8)


def test_space_time_plane_of_a_cube_is_farther_out_than_that_of_a_ball():
    body = carom.Guided((0, 0, 0), (0, 0, 0), 1.0, 1.0, direction=(1, 1, 1))
    ball, cube = (
        carom.time_critical.space_time_bounds([body], 1.0, cubes=cubes).planes[0, 3] for cubes in (False, True)
    )
    assert ball == pytest.approx(1.0)
    assert cube == pytest.approx(math.sqrt(3.0))


def test_space_time_bounds_hold_random_admissible_motions():
    rng = np.random.default_rng(1)
    for _ in range(60):
        body = random_guided(rng)
        radius = float(rng.uniform(0.0, 1.0))
        late = rng.uniform(0.0, 0.5) * (body.expires - body.start)
        bounds = carom.time_critical.space_time_bounds([body], radius, start=body.start + late)
        cube = carom.time_critical.space_time_bounds([body], radius, start=body.start + late, cubes=True)
        times, places = random_path(body, rng)
        directions = rng.normal(size=(20, 3))
        directions *= radius / np.linalg.norm(directions, axis=1)[:, None]
        corners = radius * (2.0 * ((np.arange(8)[:, None] >> np.arange(3)) & 1) - 1.0)
        for t, place in zip(times, places, strict=True):
            if t >= bounds.start:
                assert holds(bounds, 0, place + directions, t)
                assert holds(cube, 0, place + corners, t)


def test_space_time_bounds_hold_known_motions_exactly_at_the_start():
    motion = carom.Motion((0, 0, 0), (1, 0, 0), (0, 0, -2.0), start=-1.0)
    bounds = carom.time_critical.space_time_bounds([motion], 0.25, start=0.0, until=2.0)
    low, high = bounds.boxes_at(0.0)
    np.testing.assert_allclose(low[0] + 0.25, motion.position_at(0.0), atol=1e-8)
    np.testing.assert_allclose(high[0] - 0.25, motion.position_at(0.0), atol=1e-8)
    for t in np.linspace(0.0, 2.0, 9):
        assert holds(bounds, 0, motion.position_at(t)[None], t)


def test_space_time_bounds_of_a_distended_body_hold_its_parts_as_it_turns():
    rng = np.random.default_rng(2)
    for rate, span in ((0.5, 1.0), (3.0, 1.0), (40.0, 1.0)):
        body = carom.Guided((0, 0, 0), (1, 1, 0), 1.0, span, direction=(0, 1, 0))
        offset = np.array((2.0, 0.0, 0.0))
        bounds = carom.time_critical.space_time_bounds(
            [body], [[carom.time_critical.Horn(tuple(offset), 0.3, rate), carom.time_critical.Horn((0, 0, 0), 0.1)]]
        )
        assert bounds.owners.tolist() == [0, 0]
        times, places = random_path(body, rng)
        for t, place in zip(times, places, strict=True):
            angle = rate * t
            turned = np.array((math.cos(angle), math.sin(angle), 0.0)) * 2.0
            ball = rng.normal(size=(20, 3))
            ball *= 0.3 / np.linalg.norm(ball, axis=1)[:, None]
            assert holds(bounds, 0, place + turned + ball, t)
            assert holds(bounds, 1, place[None], t)


def test_kinetic_bounds_hold_straight_ways_between_admissible_places():
    rng = np.random.default_rng(3)
    for _ in range(40):
        body = random_guided(rng)
        bounds = kinetic_bounds(body, 0.0)
        times, places = random_path(body, rng)
        k = int(rng.integers(1, len(times)))
        for share in (0.2, 0.7, 1.0):
            t = body.start + share * (times[k] - body.start)
            place = (1.0 - share) * body.position + share * places[k] - body.position_at(t)
            s = t - bounds.start
            low, high = (side[:, 0] + s * (side[:, 1] + s * side[:, 2]) for side in (bounds.lower, bounds.upper))
            slack = 1e-9 * (1.0 + np.abs(places[k]).max())
            assert (place >= low - slack).all()
            assert (place <= high + slack).all()


def test_cutting_plane_is_ahead_of_the_body_and_of_straight_ways():
    rng = np.random.default_rng(5)
    for _ in range(60):
        body = random_guided(rng, spread=float(10.0 ** rng.uniform(-1.0, 5.0)))
        plane = cutting_plane(body, 0.3)
        if body.direction is None:
            assert not plane.any()
            continue
        times, places = random_path(body, rng)
        k = int(rng.integers(1, len(times)))
        for share in (0.0, 0.3, 1.0):
            t = body.start + share * (times[k] - body.start)
            ahead = (1.0 - share) * body.position + share * places[k] + 0.3 * body.direction
            assert plane[:3] @ ahead <= plane[PLANE_OFFSET] + plane[PLANE_SPEED] * (t - body.start)


def test_cutting_plane_holds_what_is_forgiven_and_hardly_more():
    for place in ((0.0, 0.0, 0.0), (3e4, 0.0, -2e4)):
        body = carom.Guided(place, (5, 0, 0), 2.0, 3.0, direction=(1, 1, 0))
        plane = cutting_plane(body, 0.0)
        for t in (0.0, 1.0, 3.0):
            low, high = 0.0, 1.0
            while high - low > 1e-14:  # how far ahead of its course it may be
                middle = 0.5 * (low + high)
                kept = body.broken_by(body.position_at(t) + middle * body.direction, None, t) is None
                low, high = (middle, high) if kept else (low, middle)
            ahead = plane[:3] @ (body.position_at(t) + low * body.direction)
            there = plane[PLANE_OFFSET] + plane[PLANE_SPEED] * t
            assert ahead <= there <= ahead + 1e-8 * (40.0 + np.abs(place).max())


def test_kinetic_bounds_of_a_region_hold_the_course_that_leaves_it():
    body = carom.Guided((0, 0, 0), (3, 0, -1), math.inf, 2.0, region=((-1, -1, -1), (1, 1, 1)))
    bounds = kinetic_bounds(body, 0.5)
    for s in (0.0, 1.0, 2.0):
        low, high = (body.position_at(s) + side[:, 0] + s * side[:, 1] for side in (bounds.lower, bounds.upper))
        assert (low <= np.minimum(body.position_at(s), -1.0) - 0.5).all()
        assert (high >= np.maximum(body.position_at(s), 1.0) + 0.5).all()


def test_space_time_bounds_degenerate():
    assert len(carom.time_critical.space_time_bounds([], 1.0, until=1.0)) == 0
    point = carom.time_critical.space_time_bounds([carom.Guided((0, 0, 0), (0, 0, 0), 0.0, 0.0)], 0.0)
    assert point.span == 0.0
    assert holds(point, 0, np.zeros((1, 3)), 0.0)
    confined = carom.time_critical.space_time_bounds(
        [carom.Guided.within((0, 0, 0), (-1, -2, -3), (1, 2, 3), 9.0)], 0.5
    )
    low, high = confined.boxes_at(7.0)
    np.testing.assert_allclose((low[0], high[0]), ((-1.5, -2.5, -3.5), (1.5, 2.5, 3.5)), rtol=1e-8)


@pytest.mark.parametrize(
    ("motions", "radii", "options", "message"),
    [
        ([3], 1.0, {}, r"motions\[0\] is 3"),
        ([carom.Motion()], 1.0, {}, "until is None"),
        ([carom.Motion()], -1.0, {"until": 1.0}, r"radii\[0\] is -1.0"),
        ([carom.Motion()], [1.0, 2.0], {"until": 1.0}, "radii has shape"),
        ([carom.Motion()], [[]], {"until": 1.0}, r"radii\[0\] is \[\]"),
        ([carom.Motion()], [[2.0]], {"until": 1.0}, "at least one carom.time_critical.Horn"),
        ([carom.Motion()], 1.0, {"start": 2.0, "until": 1.0}, "expected a time not before start"),
        ([carom.Guided((0, 0, 0), (0, 0, 0), 1.0, 5.0, start=2.0)], 1.0, {"start": 1.0}, "not before motions"),
    ],
)
def test_space_time_bounds_bad_input(motions, radii, options, message):
    with pytest.raises(carom.InvalidInputError, match=message):
        carom.time_critical.space_time_bounds(motions, radii, **options)
