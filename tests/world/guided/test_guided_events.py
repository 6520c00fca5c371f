"""When the events of guided bodies are due."""

from __future__ import annotations

import numpy as np
import pytest

import carom

BROAD = [name for name in carom.world.BROAD_PHASES if name != "auto"]


@pytest.mark.parametrize("broad", BROAD)
@pytest.mark.parametrize("budget", [0.0, 1e6])
def test_guided_body_that_was_just_added_is_in_order_when_the_next_event_is_asked_for(broad, budget):
    """`next_event_time` before the first `advance` told of the body as it would move if nobody steered it."""
    world = carom.World(broad)
    world.add(carom.Cone(0.3, 0.4), carom.Motion((2, -2, 3), spin=(-10, -10, -5)))
    course = carom.Guided((-2, -0.05, 3), (0.2, 0.6, 0.3), expires=5.0, max_acceleration=6.0)
    world.add(carom.Box((0.4, 0.4, 0.4)), course)
    while world.time < 0.01:
        world.advance(0.01, budget=budget)
    world.audit()


_ROUNDED_UP = (-0.9785013344125191, -0.6617652885531042, -0.5850291608700122)
"""Times t for which -5 + (t + 5), as rounded, is after t."""


def test_state_told_for_now_is_reached_now_with_every_broad_phase():
    """`advance` to the time of arrival did not let the body arrive, unless a frame of the broad phase ended before it.

    The path told next then began elsewhere, in the last digit.
    """
    assert all(-5.0 + (t + 5.0) > t for t in _ROUNDED_UP)
    states = {}
    for broad in BROAD:
        world = carom.World(broad, start=-5.0)
        world.add(carom.Sphere(0.3), carom.Motion((9, 9, 9), start=-5.0))
        place = np.array((1.1, 0.3, -7.7))
        body = world.add(
            carom.Box((0.4, 0.4, 0.4)), carom.Guided(place, (0, 0, 0), expires=9.0, max_acceleration=4.0, start=-5.0)
        )
        for t in _ROUNDED_UP:
            place = place + (0.13, 0.71, -0.3)
            told = carom.Guided(place, (0.3, 0.1, -5.7), expires=t + 0.1, start=t, max_acceleration=4.0)
            world.set_motion(body, told)
            world.advance(t)
        motion = world.motion(body)
        states[broad] = (motion.start, *motion.position, *motion.velocity)
    assert set(states.values()) == {(_ROUNDED_UP[-1] + 5.0 - 5.0, *place, 0.3, 0.1, -5.7)}
