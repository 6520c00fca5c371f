"""Bad input gets one clear error that names argument, value and expectation, and changes nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import carom

NAN, INF = math.nan, math.inf


def fingerprint(world: carom.World) -> list[Any]:
    return [world.time, world.bodies.tolist(), world.positions().tolist(), world.velocities().tolist(), world.stats]


@pytest.fixture
def world() -> carom.World:
    world = carom.World(response=carom.Elastic())
    world.add_many(carom.Sphere(1.0), [(0.0, 0.0, 0.0), (5.0, 0.0, 0.0)], [(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)])
    world.advance(1.0)
    return world


BAD_CALLS: list[tuple[Any, str]] = [
    (lambda w: w.advance(NAN), "until is nan"),
    (lambda w: w.advance(INF), "until is inf"),
    (lambda w: w.advance(0.5), "until is 0.5; expected a time not before"),
    (lambda w: w.advance("soon"), "until is 'soon'; expected a number"),
    (lambda w: w.add("ball"), "shape is 'ball'"),
    (lambda w: w.add(carom.Sphere(1.0), (0, 0, 0)), "expected a carom.Motion"),
    (lambda w: w.add(carom.Sphere(1.0), mass=0.0), "mass is 0.0"),
    (lambda w: w.add(carom.Sphere(1.0), mass=NAN), "mass is nan"),
    (lambda w: w.add(carom.Sphere(1.0), mass=-1.0), "mass is -1.0"),
    (lambda w: w.add(carom.Sphere(1.0), group=64), "group is 64"),
    (lambda w: w.add(carom.Sphere(1.0), group=1.5), "group is 1.5"),
    (lambda w: w.add_many(carom.Sphere(1.0), [(0.0, 0.0)]), r"positions has shape \(1, 2\); expected \(n, 3\)"),
    (lambda w: w.add_many(carom.Sphere(1.0), [(0.0, NAN, 0.0)]), r"positions\[0, 1\] is nan"),
    (lambda w: w.add_many(carom.Sphere(1.0), np.zeros((2, 3)), np.zeros((3, 3))), r"velocities has shape \(3, 3\)"),
    (lambda w: w.add_many([carom.Sphere(1.0)], np.zeros((2, 3))), "shapes has 1 entries; expected 2"),
    (lambda w: w.add_many(carom.Sphere(1.0), np.zeros((2, 3)), masses=[1.0, -2.0]), r"masses\[1\] is -2.0"),
    (lambda w: w.add_many(carom.Sphere(1.0), np.zeros((2, 3)), groups=[0, 99]), "groups has a number outside"),
    (lambda w: w.add_many(carom.Sphere(1.0), np.zeros((2, 3)), orientations=np.zeros((2, 4))), r"orientations\[0\]"),
    (lambda w: w.add_many(carom.Sphere(1.0), np.zeros((2, 3)), names=["a"]), "names has 1 entries"),
    (lambda w: w.set_motion(7, carom.Motion()), "body 7 is not in this world"),
    (lambda w: w.set_motion([0, 7], carom.Motion()), "body 7 is not in this world"),
    (lambda w: w.set_motion(0, "still"), "motion"),
    (lambda w: w.set_motion([0, 1], [carom.Motion()]), "motion has 1 entries; expected 2"),
    (lambda w: w.add(carom.Sphere(1.0), inertia=0.0), "inertia is 0.0"),
    (lambda w: w.add_many(carom.Sphere(1.0), np.zeros((2, 3)), spins=np.zeros((3, 3))), "spins has shape"),
    (lambda w: w.remove(-1), "body -1 is not in this world"),
    (lambda w: w.remove(0.5), "expected whole numbers"),
    (lambda w: w.positions(NAN), "t is nan"),
    (lambda w: w.name(9), "body 9 is not in this world"),
    (lambda w: w.set_filter(0, 70, False), "group_b is 70"),
]


@pytest.mark.parametrize(("call", "message"), BAD_CALLS, ids=[m for _, m in BAD_CALLS])
def test_world_refuses_bad_calls_and_stays_as_it_was(world: carom.World, call: Any, message: str) -> None:
    before = fingerprint(world)
    with pytest.raises(carom.CaromError, match=message):
        call(world)
    assert fingerprint(world) == before
    world.audit()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: carom.World("octree"), "broad is 'octree'; expected one of auto"),
        (lambda: carom.World(queue="calendar"), "queue is 'calendar'"),
        (lambda: carom.World(overlap="hash"), "overlap is 'hash'"),
        (lambda: carom.World(narrow="later"), "narrow is 'later'"),
        (lambda: carom.World(frame=0.0), "frame is 0.0"),
        (lambda: carom.World(response="bounce"), "response is 'bounce'"),
        (lambda: carom.World(start=INF), "start is inf"),
        (lambda: carom.World(axes=[(0, 0, 0)]), r"axes\[0\] is zero"),
        (lambda: carom.World(axes=[(1, 0)]), "axes has shape"),
        (lambda: carom.Elastic(1.5), "restitution is 1.5"),
        (lambda: carom.Elastic(NAN), "restitution is nan"),
        (lambda: carom.Elastic(1.0, -1.0), "collapse_time is -1.0"),
        (lambda: carom.Motion((0, 0)), r"position has shape \(2,\); expected \(3,\)"),
        (lambda: carom.Motion(velocity=(0, NAN, 0)), r"velocity\[1\] is nan"),
        (lambda: carom.Motion(orientation=(0, 0, 0, 0)), "orientation is"),
        (lambda: carom.Motion(start=NAN), "start is nan"),
        (lambda: carom.Motion(position="here"), "position cannot be read as numbers"),
        (lambda: carom.Keyframes([], np.zeros((0, 3))), "times is empty"),
        (lambda: carom.Keyframes([0, 0], np.zeros((2, 3))), r"times\[1\] is 0.0; expected a time after"),
        (lambda: carom.Keyframes([0, 1], np.zeros((3, 3))), r"positions has shape \(3, 3\); expected \(2, 3\)"),
        (lambda: carom.KineticBounds(np.zeros((3, 3)), np.zeros((3, 2))), "upper has shape"),
        (lambda: carom.KineticBounds(np.zeros((3, 3)), -np.eye(3)), "passes"),
        (lambda: carom.KineticBounds(np.zeros((3, 3)), np.ones((3, 3)), 1.0, 0.5), "expires is 0.5"),
        (lambda: carom.Polled(None, lambda *a: False, 10.0), "bounds is None"),
        (lambda: carom.Polled(carom.KineticBounds(np.zeros((3, 3)), np.eye(3)), None, 10.0), "test is None"),
        (lambda: carom.Polled(carom.KineticBounds(np.zeros((3, 3)), np.eye(3)), lambda *a: False, 0.0), "rate is 0.0"),
    ],
)
def test_constructors_refuse_bad_arguments(make: Any, message: str) -> None:
    with pytest.raises(carom.InvalidInputError, match=message):
        make()


def test_empty_world_advances_and_reports_nothing() -> None:
    world = carom.World()
    assert len(world.advance(5.0)) == 0
    assert world.time == 5.0
    assert world.next_event_time() == INF
    assert world.overlaps().shape == (0, 2)
    world.audit()


def test_world_response_that_is_a_class_is_refused():
    """`carom.Elastic` can be called, and would be at the first contact."""
    with pytest.raises(
        carom.InvalidInputError, match=r"response is <class .*>; expected None, carom\.Elastic\(\) or a function"
    ):
        carom.World(response=carom.Elastic)


def test_world_repr_says_what_it_holds():
    world = carom.World("kinetic", start=2.5)
    world.add(carom.Sphere(1.0))
    assert repr(world) == "World(1 body, time 2.5 s, broad='kinetic')"


def test_log_slices_are_logs():
    world = carom.World()
    world.add(carom.Sphere(1.0))
    for k in range(3):
        world.add(carom.Sphere(1.0), carom.Motion((4.0 + k, 0, 0), (-1.0, 0, 0)))
    log = world.advance(3.5)
    assert len(log) >= 2
    assert isinstance(log[1:], carom.ContactLog)
    assert log[1:][0].time == log[1].time
    assert len(log[:0]) == 0
