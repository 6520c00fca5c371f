"""Where vertices are over several keys."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from carom.deform.model.assembly import assemble
from carom.deform.model.vertex_envelope import Keys
from carom.motion import Deforming

FACES = [(0, 1, 2), (1, 2, 3)]


def _motion(seed: int, keys: int, far: float = 0.0) -> Deforming:
    rng = np.random.default_rng(seed)
    times = np.cumsum(rng.uniform(0.1, 2.0, keys))  # keys are not evenly spaced
    return Deforming(FACES, times, far + rng.normal(size=(keys, 4, 3)).cumsum(axis=0))


@pytest.mark.parametrize("far", [0.0, 1e6])
@pytest.mark.parametrize(("first", "last"), [(0, 1), (0, 5), (3, 8)])
def test_course_holds_every_vertex_at_every_time(first: int, last: int, far: float) -> None:
    body = _motion(first + last, 9, far)
    keys = Keys(assemble([body], np.inf, itself=True, each_other=False), 5)
    keys.begin_at(first)
    course = keys.course(last)
    times = body.times[[first, last]]
    for t in np.linspace(*times, 97):
        share = (t - times[0]) / (times[1] - times[0])
        low = (1.0 - share) * course.start_low + share * course.end_low
        high = (1.0 - share) * course.start_high + share * course.end_high
        assert (low[:, :3] <= body.vertices_at(t)).all()
        assert (body.vertices_at(t) <= high[:, :3]).all()


def test_course_holds_every_vertex_at_every_key_exactly() -> None:
    for seed in range(8):
        body = _motion(seed, 6, far=3.0)
        if seed % 2:  # straight but for rounding: nothing but that leaves the way
            way = body.vertices[-1] - body.vertices[0]
            share = (body.times - body.times[0]) / (body.times[-1] - body.times[0])
            body = Deforming(FACES, body.times, body.vertices[0] + share[:, None, None] * way)
        course = Keys(assemble([body], np.inf, itself=True, each_other=False), 5).course(5)
        times = [Fraction(t) for t in body.times.tolist()]
        for time, places in zip(times, body.vertices.tolist(), strict=True):
            share = (time - times[0]) / (times[-1] - times[0])
            for v, place in enumerate(places):
                for d, x in enumerate(place):
                    ends = [Fraction(float(part[v, d])) for part in course]
                    assert (1 - share) * ends[0] + share * ends[2] <= Fraction(x)
                    assert Fraction(x) <= (1 - share) * ends[1] + share * ends[3]


def test_course_of_a_straight_flight_is_the_flight() -> None:
    rng = np.random.default_rng(0)
    times = np.array((0.0, 0.1, 1.0, 4.0))
    places = rng.normal(size=(1, 4, 3)) + times[:, None, None] * rng.normal(size=(1, 4, 3))
    keys = Keys(assemble([Deforming(FACES, times, places)], np.inf, itself=True, each_other=False), 3)
    course = keys.course(3)
    np.testing.assert_allclose(course.start_low[:, :3], places[0], atol=1e-13)
    np.testing.assert_allclose(course.end_high[:, :3], places[-1], atol=1e-13)


def test_keys_are_those_of_the_assembly_in_any_stride() -> None:
    body = _motion(1, 12)
    keys = Keys(assemble([body], np.inf, itself=True, each_other=False), 4)
    for first in (0, 4, 5, 9):
        keys.begin_at(first)
        for key in range(first, min(first + 5, 12)):
            np.testing.assert_array_equal(keys[key][:, :3], body.vertices[key])
