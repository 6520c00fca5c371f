"""Bodies that turn beside each other for long: a search goes on to its end, and says so where it cannot."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import carom

FLOOR, BOX = carom.HalfSpace((0, 0, 1), 0.0), carom.Box((1, 1, 1))
TURNING = {
    "box over floor": (BOX, FLOOR, carom.Motion((0, 0, 0.72), spin=(0, 5, 0)), carom.Motion()),
    "box gliding over floor": (BOX, FLOOR, carom.Motion((0, 0, 0.72), (1, 2, 0), spin=(0, 5, 0)), carom.Motion()),
    "box over ball": (BOX, carom.Sphere(1.0), carom.Motion((0, 0, 0.8), spin=(0, 5, 0)), carom.Motion((0, 0, -1))),
    "cylinder over box": (
        carom.Cylinder(0.5, 1.0),
        carom.Box((3, 3, 1)),
        carom.Motion((0, 0, 0.8), spin=(0, 5, 0)),
        carom.Motion((0, 0, -0.5)),
    ),
    "cylinder over floor": (carom.Cylinder(0.5, 1.0), FLOOR, carom.Motion((0, 0, 0.8), spin=(0, 5, 0)), carom.Motion()),
    "boxes at two rates": (BOX, BOX, carom.Motion(spin=(0, 5, 0)), carom.Motion((1.75, 0, 0), spin=(3, 1, 0))),
    "cones flying apart": (
        carom.Cone(0.5, 1.0),
        carom.Cone(0.5, 1.0),
        carom.Motion(spin=(0, 5, 1)),
        carom.Motion((2, 0, 0), (1, 0.2, 0), (0.1, 0, 0), spin=(3, 1, 0)),
    ),
    "capsule off a floor": (
        carom.Capsule(0.2, 1.0),
        FLOOR,
        carom.Motion((0, 0, 1), (0, 0, 2), spin=(9, 1, 0)),
        carom.Motion(),
    ),
}


@pytest.mark.parametrize("name", TURNING)
def test_bodies_that_never_touch_have_no_impact(name):
    a, b, one, other = TURNING[name]
    for until in (20.0, 200.0):
        assert carom.time_of_impact(a, b, one, other, until) is None
        assert carom.time_of_impact(b, a, other, one, until) is None
    many = carom.time_of_impact(a, b, [one, one], other, 100.0)
    assert np.isinf(many.time).all()
    assert (many.status == -1).all()
    assert np.isnan(many.normal).all()


def test_contacts_after_many_turns_are_found():
    # The box sinks slowly: its edge, 0.5 sqrt(2) below the centre when it points down, meets the floor after 76 turns or so.
    sinking = carom.Motion((0, 0, 0.8), (0, 0, -0.001), spin=(0, 5, 0))
    hit = carom.time_of_impact(BOX, FLOOR, sinking, carom.Motion(), 200.0)
    assert hit.status == 3
    times = np.linspace(0.0, hit.time, 20001)[:-1]
    low = 0.8 - 0.001 * times - 0.5 * (np.abs(np.cos(5 * times)) + np.abs(np.sin(5 * times)))
    assert (low > 0.0).all()
    edge = 0.5 * (abs(math.cos(5 * hit.time)) + abs(math.sin(5 * hit.time)))
    assert 0.0 <= 0.8 - 0.001 * hit.time - edge < 1e-8


@pytest.mark.compiled
def test_searches_without_an_end_say_how_far_they_came():
    # A can that spins on its base and glides: it touches all the time, and never approaches.
    can = carom.Motion((0, 0, 1.0), (1e-3, 0, 0), spin=(0, 0, 50.0))
    motions = [carom.Motion((0, 0, 2.0)), can]
    with pytest.raises(carom.errors.SearchLimitError, match=r"of row 1 .*no contact before.*shorter time") as caught:
        carom.time_of_impact(carom.Cylinder(0.5, 1.0), carom.Box((1e9, 1, 1)), motions, carom.Motion(), 1e9)
    assert 0.0 < caught.value.time < 1e9
    assert caught.value.row == 1
    copied = pickle.loads(pickle.dumps(caught.value))
    assert (copied.time, copied.row, str(copied)) == (caught.value.time, 1, str(caught.value))
