"""Empty space and empty time cost nothing: worlds pass over what surely holds no contact, and the log stays the same."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest

import carom
from carom.tolerances import REBASE_AFTER
from carom.world.clock.free_flight import free_seconds
from scenarios.worlds import directions

BROAD = [
    "kinetic-grid",
    "kinetic",
    "all-pairs",
    "swept",
    "uniform-grid",
    "hash-grid",
    "aabb-tree",
    "vadop",
    "space-time",
]


@pytest.mark.compiled
@pytest.mark.parametrize("broad", BROAD)
@pytest.mark.parametrize("acceleration", [0.0, 1e-3])
def test_world_of_two_bodies_that_part_reaches_any_time(broad: str, acceleration: float):
    world = carom.World(broad)
    world.add(carom.Sphere(0.5), carom.Motion((0, 0, 0), velocity=(-1, 0, 0), acceleration=(-acceleration, 0, 0)))
    world.add(carom.Sphere(0.5), carom.Motion((3, 0, 0), velocity=(1, 0, 0)))
    assert len(world.advance(1e9)) == 0
    assert world.stats.swaps < 20_000
    assert world.stats.rebuilds < 100
    assert world.next_event_time() > 1e9
    assert world.positions()[1] == pytest.approx([1e9 + 3.0, 0.0, 0.0], rel=1e-12)
    world.audit()


@pytest.mark.compiled
@pytest.mark.parametrize("broad", BROAD)
def test_world_of_one_body_that_leaves_the_others_reaches_any_time(broad: str):
    rng = np.random.default_rng(1)
    world = carom.World(broad)
    world.add_many(carom.Sphere(0.5), rng.uniform(0.0, 20.0, (50, 3)))
    world.add(carom.Sphere(0.5), carom.Motion((-3, 0, 0), velocity=(-1, 0.1, 0)))
    assert (world.advance(1e9).times == 0.0).all()  # balls that are in each other from the start
    assert world.stats.swaps < 20_000
    assert world.stats.rebuilds < 100


def rare(broad: str, **options: Any) -> carom.World:
    """Bodies of many kinds that are alone most of the time, and meet again and again."""
    rng = np.random.default_rng(2)
    world = carom.World(broad, carom.Elastic(), start=0.1, **options)
    for d in range(3):
        normal = np.eye(3)[d]
        world.add(carom.HalfSpace(normal, -2e4), mass=math.inf)
        world.add(carom.HalfSpace(-normal, -2e4), mass=math.inf)
    for k in range(6):
        shape = (carom.Sphere(40.0), carom.Box((60.0, 40.0, 80.0)))[k % 2]
        spin = directions(1, rng)[0] * 1e-3 if k == 3 else (0.0, 0.0, 0.0)
        motion = carom.Motion(rng.uniform(-1e4, 1e4, 3), directions(1, rng)[0], spin=spin, start=0.1)
        world.add(shape, motion)
    times = np.array([10.0, 50_000.0, 200_000.0])
    path = carom.Keyframes(times, [(1e4, 0, 0), (0, 1e4, 0), (0, 0, 1e4)])
    world.add(carom.Sphere(100.0), path)
    return world


@pytest.mark.compiled
@pytest.mark.parametrize("broad", [name for name in BROAD if name != "all-pairs"])
def test_log_after_long_flights_is_the_same_whoever_looks_and_when(broad: str):
    end = 6.5 * REBASE_AFTER
    expected = rare("all-pairs").advance(end)
    assert len(expected) > 50
    assert np.diff(expected.times).max() > 10_000.0
    once, polled = rare(broad, frame=1.0), rare(broad, frame=1.0)
    assert once.advance(end).identical(expected)
    logs, times = [], np.sort(np.random.default_rng(3).uniform(0.1, end, 60))
    for k, t in enumerate((*times, end)):
        logs.append(polled.advance(float(t)))
        if k % 3 == 0:
            polled.positions()
            polled.motions()
        if k % 7 == 0:
            polled.audit()
        if k == 30:
            saved = io.BytesIO()
            np.savez(saved, **polled.snapshot())
            shapes = [polled.shape(body) for body in polled.bodies]
            saved.seek(0)
            with np.load(saved) as snapshot:
                polled = carom.World.restore(dict(snapshot), shapes, carom.Elastic(), broad=broad, frame=1.0)
    assert carom.ContactLog.concatenate(logs).identical(expected)
    assert np.array_equal(once.positions(), polled.positions())


@pytest.mark.compiled
@pytest.mark.parametrize("broad", ["kinetic-grid", "hash-grid"])
def test_bodies_that_come_and_change_course_during_a_flight_meet_in_time(broad: str):
    world = carom.World(broad)
    first = world.add(carom.Sphere(0.5), carom.Motion((0, 0, 0), velocity=(-1, 0, 0)))
    world.add(carom.Sphere(0.5), carom.Motion((3, 0, 0), velocity=(1, 0, 0)))
    assert len(world.advance(1e6)) == 0
    assert world._flight is not None
    world.add(carom.Sphere(0.5), carom.Motion((-1e6, 100.0, 0.0), velocity=(-1, -1, 0), start=1e6))
    assert world.advance(1e6 + 200.0).times == pytest.approx([1e6 + 99.0])
    assert len(world.advance(2e6)) == 0
    world.set_motion(first, carom.Motion((2e6 + 3.0, 0.0, 90.0), velocity=(1, 0, -1), start=2e6))
    assert world.advance(3e6).times == pytest.approx([2e6 + 89.0])


@pytest.mark.parametrize("seed", range(40))
def test_free_seconds_end_before_the_first_contact(seed: int):
    rng = np.random.default_rng(seed)
    world = carom.World("all-pairs")
    if seed % 4 == 1:
        world.add(carom.HalfSpace(directions(1, rng)[0], -60.0), carom.Motion(velocity=rng.normal(size=3) * (seed % 3)))
    for k in range(5):
        shape = carom.Sphere(1.0) if k % 2 else carom.Box((1.0, 2.0, 1.0))
        fall = rng.normal(size=3) * 0.02 if seed % 2 and k > 2 else (0.0, 0.0, 0.0)
        place = rng.uniform(-50.0, 50.0, 3)
        world.add(shape, carom.Motion(place, 0.3 * rng.normal(size=3) - 0.02 * place, fall))
    free = free_seconds(world._tables, 1e-3, world._engine.reported())
    log = world.advance(1e4)
    assert free <= (log.times[0] if len(log) else math.inf)
    if seed == 0:
        assert free > 1.0


def test_free_seconds_are_none_where_bodies_touch_or_nothing_is_known():
    world = carom.World("all-pairs")
    world.add(carom.Sphere(1.0), carom.Motion((0, 0, 0), velocity=(1, 0, 0)))
    assert free_seconds(world._tables, 1.0, world._engine.reported()) > 1e12
    world.add(carom.Sphere(1.0), carom.Motion((1.9, 0, 0)))
    assert free_seconds(world._tables, 1e-9, world._engine.reported()) == 0.0
    assert free_seconds(world._tables, 0.0, world._engine.reported()) == 0.0
    polled = carom.World("all-pairs")
    box = carom.KineticBounds([(-1, 0, 0)] * 3, [(1, 0, 0)] * 3)
    polled.add(carom.Polled(box, lambda world, body, other, t: False, rate=1.0))
    assert free_seconds(polled._tables, 1e-9, polled._engine.reported()) == 0.0


def test_free_seconds_of_a_guided_body_end_where_its_course_may_change():
    world = carom.World("all-pairs")
    hand = world.add(carom.Sphere(1.0), carom.Guided((0, 0, 0), (1, 0, 0), 1.0, 10.0))
    world.add(carom.Sphere(1.0), carom.Motion((0, 5, 0), velocity=(0, 1, 0)))
    assert free_seconds(world._tables, 1.0, world._engine.reported()) == 10.0
    world.set_motion(hand, carom.Guided((9, 0, 0), (1, 0, 0), 1.0, 10.0, start=4.0))
    assert free_seconds(world._tables, 1.0, world._engine.reported()) == 4.0
    world.advance(11.0)
    assert free_seconds(world._tables, 1.0, world._engine.reported()) > 1e9


@pytest.mark.compiled
@pytest.mark.parametrize("broad", BROAD)
def test_world_with_a_guided_body_passes_over_silent_time(broad: str):
    world = carom.World(broad)
    hand = world.add(carom.Sphere(0.5), carom.Guided((0, 0, 0), (1, 0, 0), 0.0, 1e5))
    world.add(carom.Sphere(0.5), carom.Motion((3, 0, 0), velocity=(2, 0, 0), acceleration=(100, 0, 0)))
    stone = world.add(carom.Sphere(0.5), carom.Motion((0, 9, 0)))
    assert len(world.advance(1e6)) == 0
    assert world.stats.swaps < 50_000
    world.set_motion(hand, carom.Guided((0, 0, 0), (0, 0, 0), 0.0, 1e6 + 1.0, start=1e6))
    world.set_motion(hand, carom.Guided((0, 9, 0), (0, 0, 0), 0.0, 2e6, start=1e6 + 9.0))
    found = world.advance(2e6)
    assert [(c.a, c.b) for c in found] == [(hand, stone)]
    assert found.times == pytest.approx([1e6 + 8.0])
    world.audit()


@pytest.mark.compiled
@pytest.mark.parametrize("broad", BROAD)
def test_world_of_a_body_that_falls_through_a_floor_for_ever_reaches_any_time(broad: str):
    world = carom.World(broad)
    world.add(carom.HalfSpace((0, 0, 1), 0.0), mass=math.inf)
    world.add(carom.Sphere(1.0), carom.Motion((0, 0, 5), velocity=(0.125, 0, -1)))
    box = world.add(carom.Box((1.0, 2.0, 3.0)), carom.Motion((9, 0, 7), velocity=(0, 0, -1), acceleration=(0, 0, -0.5)))
    log = world.advance(1e12)
    assert log.times == pytest.approx([-1.0 * 2 + math.sqrt(4.0 + 4.0 * 5.5), 4.0])
    assert world.stats.rebuilds < 100
    # Risen from the depth, it falls again.
    world.set_motion(box, carom.Motion((9, 0, -1e5), velocity=(0, 0, 1e3), acceleration=(0, 0, -1), start=1e12))
    assert len(world.advance(1e12 + 1e4)) == 2


@pytest.mark.compiled
@pytest.mark.parametrize("broad", ["auto", "kinetic", "hash-grid"])
def test_straight_flights_reach_the_last_time_at_once(broad: str):
    """Where bodies are after 1e15 s took an hour to say: their origin of time moves 1.5e10 times on the way."""
    world = carom.World(broad)
    world.add(carom.Sphere(0.5), carom.Motion((0, 0, 0), velocity=(-1, 0, 0)))
    world.add(carom.Box((1, 1, 1)), carom.Motion((3, 0, 0), velocity=(1, 0.1, 0)))
    world.add(carom.Sphere(0.5), carom.Keyframes([0.0, 1.0], [(0, 90, 0), (0, 91, 0)]))
    assert len(world.advance(1e15)) == 0
    assert world.positions()[1] == pytest.approx([1e15, 1e14, 0.0], rel=1e-2)
    world.audit()


@pytest.mark.parametrize("budget", [None, 1.0])
def test_times_that_take_hours_to_reach_are_refused(budget: float | None):
    world = carom.World()
    world.add(carom.Polled(carom.KineticBounds([(0,) * 3] * 3, [(1, 0, 0)] * 3), lambda *_: False, rate=1.0))
    with pytest.raises(carom.InvalidInputError, match=r"until is 1000000000000000.0; expected at most .* body 0"):
        world.advance(1e15, budget)
    assert world.time == 0.0
