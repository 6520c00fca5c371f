"""Deferred bodies: their contacts may come later than others, and none is lost."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.world import budget
from carom.world import deferral as deferring
from scenarios.worlds import random_mix


class Clock:
    """A clock of which every look takes a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


@pytest.fixture
def slow_clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(budget, "perf_counter", clock)
    monkeypatch.setattr(deferring, "perf_counter", clock)


def told(place, t):
    return carom.Guided(place, (1.0, 0.0, 0.0), 50.0, t + 0.5, start=t)


def scene(seed, defer, broad="auto", frames=12, seconds=None):
    """A mix of bodies, one of them guided, whose motions change on the way; parts of the log."""
    world = random_mix(seed, False, broad=broad)
    hand = world.add(carom.Sphere(0.5), told((-3.0, 0.0, 0.0), 0.0))
    if defer:
        world.defer([k for k in range(len(world)) if k % 3 == 0])
    parts = []
    for k in range(1, frames + 1):
        t = 0.5 * k
        world.set_motion(hand, told((-3.0 + t, 0.1 * k, 0.0), t))
        if k % 4 == 0:
            world.set_motion(k, carom.Motion((0.3 * k - 2.0, 0.0, 0.0), (0.0, 0.5, 0.0), start=world.time))
        parts.append(world.advance(t, budget=seconds))
        if seconds is not None:
            while world.time < t:
                parts.append(world.advance(t, budget=seconds))
    return world, parts


@pytest.mark.parametrize("broad", ["auto", "kinetic", "space-time"])
def test_deferring_without_a_budget_puts_nothing_off(broad):
    for seed in range(2):
        _, plain = scene(seed, False, broad)
        world, parts = scene(seed, True, broad)
        world.audit()
        assert sum(map(len, plain)) > 4
        for here, there in zip(parts, plain, strict=True):
            assert here.identical(there)


def test_deferring_under_a_budget_loses_no_contact(slow_clock):
    late = 0
    for seed in range(3):
        _, plain = scene(seed, False)
        world, parts = scene(seed, True, seconds=12.0)
        marked = {k for k in range(len(world)) if k % 3 == 0}
        for part in parts:
            important = [c for c in part if c.a not in marked and c.b not in marked]
            assert all(c.time <= part.reached for c in important)
            if len(part.deferred):
                late += 1
                assert set(part.deferred.tolist()) == marked
                assert part.deferred_reached < part.reached
            else:
                assert part.deferred_reached == part.reached
        world.defer([])
        parts.append(world.advance(world.time))
        whole, pieces = (carom.ContactLog.concatenate([p for p in logs if len(p)]) for logs in (plain, parts))
        order = np.lexsort((pieces.b, pieces.a, pieces.times))
        for name in ("times", "a", "b", "points"):
            np.testing.assert_array_equal(getattr(pieces, name)[order], getattr(whole, name))
    assert late > 3


def test_deferring_follows_bodies_that_come_and_go_and_filters():
    def script(defer):
        world = random_mix(5, False)
        if defer:
            world.defer(range(0, 24, 2))
        parts = [world.advance(1.0)]
        world.remove([4, 7])
        ball = world.add(carom.Sphere(0.7), carom.Motion((0, 0, 0), (1.0, 0, 0), start=1.0), group=3)
        parts.append(world.advance(2.0))
        world.set_filter(0, 3, False)
        world.add_many(carom.Sphere(0.3), np.zeros((2, 3)), np.array([(2.0, 0, 0), (0, 2.0, 0)]), groups=1)
        parts.append(world.advance(4.0))
        world.defer([ball] if defer else [])
        parts.append(world.advance(6.0))
        world.audit()
        return parts

    for here, there in zip(script(True), script(False), strict=True):
        assert here.identical(there)


def test_deferring_bad_input():
    world = carom.World()
    body = world.add(carom.Sphere(1.0))
    with pytest.raises(carom.errors.UnknownBodyError):
        world.defer([body, 99])
    with pytest.raises(carom.InvalidInputError, match="expected None where bodies are deferred"):
        carom.World(response=carom.Elastic()).defer([])
    with pytest.raises(carom.CaromError, match="periodic"):
        carom.World(periodic=(5, 5, 5)).defer([])
    world.defer(body)
    with pytest.raises(carom.CaromError, match="cannot be saved"):
        world.snapshot()
    world.defer([])
    world.advance(1.0)
    world.snapshot()
    crowded = carom.World()
    crowded.add_many(carom.Sphere(0.1), np.arange(192.0).reshape(64, 3), groups=np.arange(64))
    with pytest.raises(carom.InvalidInputError, match="64 groups are in use"):
        crowded.defer([0])
