"""Worlds in which a deforming body touches something at the very moment of a key."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.world.deforming.touches import Touches
from carom.world.deforming.watch import Watch

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


SQUARE = np.array([[-2, -2, 0], [2, -2, 0], [2, 2, 0], [-2, 2, 0]], float)


def resting(times, heights):
    """A square at these heights, level."""
    return carom.Deforming([[0, 1, 2], [0, 2, 3]], times, [SQUARE + (0, 0, z) for z in heights])


@pytest.mark.parametrize("broad", carom.world.BROAD_PHASES)
@pytest.mark.parametrize(
    ("times", "heights", "expected"),
    [
        ([0.0, 1.0], [0.25, 0.25], 5.0 / 6.0),
        ([0.0, 0.2], [0.5, 0.25], 5.0 / 6.0),
        ([2.0, 3.0], [0.25, 0.5], 5.0 / 6.0),
        ([0.0, 0.5, 2.0], [0.5, 0.25, 0.25], 5.0 / 6.0),
        ([0.0, 5.0 / 6.0, 2.0], [0.25, 0.25, 0.25], 5.0 / 6.0),
    ],
    ids=["equal keys", "after the last key", "before the first key", "between equal keys", "at the key of contact"],
)
def test_world_half_space_that_moves_into_a_deforming_body_at_rest_is_reported(broad, times, heights, expected):
    for response in (None, carom.Elastic()):
        world = carom.World(broad=broad, response=response)
        world.add(resting(times, heights))
        world.add(carom.HalfSpace((0, 0, 1), 0.0), carom.Motion((0, 0, -1), (0, 0, 1.5)))
        world.advance(0.5)
        world.audit()
        log = world.advance(1.5)
        np.testing.assert_allclose(log.times[:2], expected, rtol=0.0, atol=1e-9)
        assert (log.times <= expected + 1e-15).all()
        world.audit()


@pytest.mark.parametrize(
    "shape",
    [carom.Sphere(0.5), carom.Capsule(0.2, 0.6), carom.Box((1, 1, 1)), carom.HalfSpace((0, 0, -1), -0.5)],
    ids=["sphere", "capsule", "box", "half-space"],
)
def test_world_rigid_body_that_turns_back_at_a_key_touches_nothing_that_it_did_not_reach(shape):
    world = carom.World()
    world.add(resting([0.0, 10.0], [0.0, 1e-9]))
    world.add(shape, carom.Keyframes([0.0, 1.0, 2.0], [(0, 0, 3.0), (0, 0, 1.5), (0, 0, 3.0)]))
    assert len(world.advance(9.0)) == 0


STARTS = {
    "sphere": carom.Sphere(0.5),
    "capsule": carom.Capsule(0.2, 0.8),
    "box": carom.Box((1.0, 1.0, 1.0)),
    "convex": carom.Convex([(1, 0, 0.5), (-1, 0, 0.5), (0, 1, 0.5), (0, 0, -1)]),
    "mesh": carom.Mesh([[0, 0, -0.5], [0, 0.1, 0.5], [0.1, 0, 0.5]], [[0, 1, 2]]),
    "half-space": carom.HalfSpace((0, 0, 1), 0.1),
}
MOTIONS = {
    "at rest": carom.Motion(),
    "upwards": carom.Motion((0, 0, 0), (0.1, 0, 1.0)),
    "downwards": carom.Motion((0, 0, 0), (0.1, 0, -1.0), (0, 0, 0.1)),
    "turning": carom.Motion(spin=(0, 0, 1.0)),
}


@pytest.mark.parametrize("rigid_first", [False, True])
@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("shape", STARTS)
def test_world_deforming_triangles_in_a_rigid_body_at_the_start_are_reported_then(shape, motion, rigid_first):
    if shape == "half-space" and motion == "turning":
        return
    for response in (None, carom.Elastic()):
        for side, rise in ((1.0, 0.0), (1.0, 0.3), (1.0, -0.3), (0.01, 0.0)):
            cloth = carom.Deforming(
                [[0, 1, 2], [0, 2, 3]], [0, 2], [side * SQUARE + (0.02, 0.01, 0), side * SQUARE + (0.02, 0.01, rise)]
            )
            world = carom.World(response=response)
            bodies = [(cloth,), (STARTS[shape], MOTIONS[motion])]
            for arguments in reversed(bodies) if rigid_first else bodies:
                world.add(*arguments)
            first = world.advance(0.0)
            if shape == "mesh" and side < 1.0:
                continue  # a surface has no inside
            assert len(first) > 0, (response, side, rise)
            assert (first.times == 0.0).all()
            assert (first.status == 1).all()
            mine = first.features_b if rigid_first else first.features_a
            assert set(mine.tolist()) <= {0, 1}
            assert not (world.advance(0.05).status == 1).any()
            world.audit()


@pytest.mark.parametrize("shape", [carom.HalfSpace((0, 0, 1), 0.0), carom.Box((2, 2, 2)), carom.Sphere(1.0)])
@pytest.mark.parametrize("ahead", [False, True])
def test_audit_of_a_world_notices_a_contact_that_a_look_missed(monkeypatch, shape, ahead):
    """A look that finds nothing stands for any fault of the searches."""

    def blind(watch, begin, *_):
        watch.touches, watch.next, watch.look_at, watch.since = Touches.none(), 0, np.inf, begin

    world = carom.World("all-pairs")
    world.add(resting([0.0, 1.0, 2.0], [0.25, 0.25, 0.25]))
    world.add(shape, carom.Motion((0, 0, -2 if isinstance(shape, carom.HalfSpace) else -2.5), (0, 0, 1.5)))
    world.advance(0.5)
    world.audit()
    monkeypatch.setattr(Watch, "_look", blind)
    world.advance(1.05 if ahead else 1.8)
    with pytest.raises(carom.errors.AuditError, match="triangle 0 has no contact"):
        world.audit()
