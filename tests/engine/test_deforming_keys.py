"""Worlds in which a deforming body touches something at the very moment of a key."""

from __future__ import annotations

import numpy as np
import pytest

import carom

FLOOR = np.array([[-2, -2, 0], [2, -2, 0], [0, 2, 0]], float)
CORNER = np.array([[0, 0, 0], [0.5, 0, 1], [0, 0.5, 1]])

HEIGHTS = {
    "and ends": ([1, 0], [1]),
    "and rises": ([1, 0, 1], [1]),
    "and goes on": ([1, 0, -1], [1]),
    "and rests": ([1, 0, 0, 1], [1]),
    "twice": ([1, 0.5, 0, 0.5, 0, 0.5], [2, 4]),
    "after it was inside": ([2, 1, -1, 1, 0], [1.5, 4]),
}


def log_of(world, end, polls):
    return [float(contact.time) for k in range(1, polls + 1) for contact in world.advance(end * k / polls)]


@pytest.mark.parametrize("first", [0.0, 0.1, 0.7])
@pytest.mark.parametrize("other", ["half-space", "mesh", "deforming"])
@pytest.mark.parametrize("case", HEIGHTS)
def test_world_deforming_body_that_touches_at_a_key_is_reported_just_then(case, other, first):
    heights, expected = HEIGHTS[case]
    times = first + 0.3 * np.arange(len(heights))
    logs = []
    for polls in (1, 7, len(heights) - 1):
        world = carom.World()
        if other == "half-space":
            world.add(carom.HalfSpace((0, 0, 1), 0.0), mass=float("inf"))
        elif other == "mesh":
            world.add(carom.Mesh(FLOOR, [[0, 1, 2]]))
        else:
            world.add(carom.Deforming([[0, 1, 2]], [0, 9], [FLOOR, FLOOR]))
        world.add(carom.Deforming([[0, 1, 2]], times, [CORNER + (0, 0, z) for z in heights]))
        logs.append(log_of(world, float(times[-1]), polls))
    assert logs[0] == logs[1] == logs[2]
    np.testing.assert_allclose(logs[0], first + 0.3 * np.array(expected), rtol=0.0, atol=1e-9)
    assert (np.array(logs[0]) <= first + 0.3 * np.array(expected) + 1e-15).all()


@pytest.mark.parametrize("case", ["and ends", "and rises", "and rests"])
def test_world_deforming_body_is_touched_at_a_key_of_a_rigid_one(case):
    heights, expected = HEIGHTS[case]
    world = carom.World()
    world.add(carom.Deforming([[0, 1, 2]], np.arange(len(heights)) + 0.5, [FLOOR] * len(heights)))
    path = carom.Keyframes(np.arange(float(len(heights))), [(0, 0, z) for z in heights])
    world.add(carom.Mesh(CORNER, [[0, 1, 2]]), path)
    found = log_of(world, len(heights) - 1.0, 1)
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-9)
