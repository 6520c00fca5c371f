"""When the events of guided bodies are due."""

from __future__ import annotations

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
