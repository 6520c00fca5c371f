"""A budget of wall-clock time: the world stops on the way, says how far it came, and goes on from there."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom.world import budget as budget_module
from scenarios.worlds import gas


class Clock:
    """A clock that a test moves."""

    def __init__(self, tick: float) -> None:
        self.now = 0.0
        self.tick = tick

    def __call__(self) -> float:
        self.now += self.tick
        return self.now


def test_budget_that_suffices_gives_the_whole_log():
    expected = gas(40, 0.1).advance(5.0)
    log = gas(40, 0.1).advance(5.0, budget=1e6)
    assert isinstance(log, carom.types.BudgetedLog)
    assert log.identical(expected)
    assert log.reached == 5.0


@pytest.mark.parametrize("broad", ["kinetic-grid", "swept", "all-pairs"])
@pytest.mark.parametrize("start", [0.0, 100.1])
def test_budget_of_nothing_handles_an_event_at_least(broad, start):
    world, expected = (_falling(broad, start) for _ in range(2))
    parts, calls, before = [], 0, -math.inf
    while not parts or parts[-1].reached < start + 1.0:
        parts.append(world.advance(start + 1.0, budget=0.0))
        assert parts[-1].reached == world.time > before
        calls, before = calls + 1, world.time
        assert calls < 1000
    assert carom.ContactLog.concatenate(parts).identical(expected.advance(start + 1.0))


def _falling(broad, start):
    """A ball that hops on a floor, and boxes that pass."""
    world = carom.World(broad, carom.Elastic(), start=start)
    world.add(carom.HalfSpace((0, 0, 1), 0.0), mass=math.inf)
    world.add(carom.Sphere(0.5), carom.Motion((0, 0, 0.6), acceleration=(0, 0, -10), start=start))
    world.add(carom.Box((1, 1, 1)), carom.Motion((3, 0, 1), velocity=(-4, 0, 0), start=start))
    return world


def _squeezed(broad):
    """A ball between two walls that nothing can stop; they meet at t = 1.5."""
    world = carom.World(broad, carom.Elastic())
    world.add(carom.HalfSpace((0, 0, 1), 0.0), carom.Motion((0, 0, -2), velocity=(0, 0, 1)), mass=math.inf)
    world.add(carom.HalfSpace((0, 0, -1), 0.0), carom.Motion((0, 0, 2), velocity=(0, 0, -1)), mass=math.inf)
    world.add(carom.Sphere(0.5), carom.Motion((0, 0, 0.1), velocity=(0, 0, 0.3)))
    return world


@pytest.mark.compiled
@pytest.mark.parametrize("broad", ["kinetic-grid", "all-pairs"])
def test_world_that_closes_in_on_a_body_ends_with_an_error(broad):
    world = _squeezed(broad)
    with pytest.raises(carom.CaromError, match="bodies are wedged"):
        world.advance(3.0)
    assert 1.49 < world.time < 1.5
    assert world.stats.contacts < 2_000_000


def test_budget_is_kept_where_contacts_come_ever_faster(monkeypatch):
    """Each look at the clock takes a second: a step is left as soon as the log is full, not only when it is done."""
    expected = _squeezed("all-pairs").advance(1.49999)
    assert len(expected) > 20_000
    monkeypatch.setattr(budget_module, "perf_counter", Clock(1.0))
    world, parts = _squeezed("all-pairs"), []
    while world.time < 1.49999:
        parts.append(world.advance(1.49999, budget=4.0))
        assert parts[-1].reached == world.time
        assert len(parts[-1]) <= 4 * 4096
    assert carom.ContactLog.concatenate(parts).identical(expected)


@pytest.mark.compiled
@pytest.mark.parametrize("broad", ["kinetic-grid", "all-pairs"])
def test_budget_is_kept_where_bodies_turn_fast_beside_each_other(broad, monkeypatch):
    """Each look at the clock takes a second. The boxes never touch, but each of 10,000 turns costs an exact test."""

    def make():
        world = carom.World(broad)
        world.add(carom.Box((1, 1, 1)), carom.Motion((0, 0, 0), spin=(-5.6e6, 2.2e6, 2.5e6)))
        world.add(carom.Box((1, 1, 1)), carom.Motion((0.05, 0.2, 1.7), spin=(-5.6e6, 2.2e6, 2.5e6)))
        return world

    until = 1e-2
    whole = make()
    assert len(whole.advance(until)) == 0
    monkeypatch.setattr(budget_module, "perf_counter", Clock(1.0))
    world, most = make(), 0
    while world.time < until:
        before = world.stats.primitive_tests
        world.advance(until, budget=2.0)
        most = max(most, world.stats.primitive_tests - before)
    assert world.stats.primitive_tests == whole.stats.primitive_tests > 5 * most


@pytest.mark.compiled
@pytest.mark.parametrize("broad", carom.world.BROAD_PHASES)
def test_budget_is_kept_where_a_search_begins_behind_the_clock(broad, monkeypatch):
    """Each look at the clock takes a second. A box that turns fast flies to the side of a long rod: their spheres touch long
    before their boxes do, and the search through all these turns begins only then."""

    def make():
        world = carom.World(broad)
        world.add(carom.Box((10.0, 0.1, 0.1)))
        world.add(carom.Box((0.1, 0.1, 0.1)), carom.Motion((0, 4.0, 0), velocity=(0, -10.0, 0), spin=(2e6, 1e6, 0)))
        return world

    whole = make()
    expected = whole.advance(0.6)
    assert len(expected) == 1
    monkeypatch.setattr(budget_module, "perf_counter", Clock(1.0))
    world, parts, most, total = make(), [], 0, whole.stats.narrow_tests
    while world.time < 0.6:
        before = world.stats.narrow_tests
        parts.append(world.advance(0.6, budget=2.0))
        most = max(most, world.stats.narrow_tests - before)
    assert carom.ContactLog.concatenate(parts).identical(expected)
    assert world.stats.narrow_tests == total > 5 * most


@pytest.mark.parametrize("broad", ["kinetic-grid", "space-time"])
def test_budget_stops_on_the_way_and_loses_no_contact(broad, monkeypatch):
    """Every look at the clock takes a second: the log in pieces is the log in one piece."""
    expected = gas(40, 0.1, broad=broad).advance(4.0)
    monkeypatch.setattr(budget_module, "perf_counter", Clock(1.0))
    world = gas(40, 0.1, broad=broad)
    parts, reached = [], [0.0]
    while world.time < 4.0:
        parts.append(world.advance(4.0, budget=9.0))
        reached.append(parts[-1].reached)
        assert reached[-1] == world.time
    assert len(parts) > 3
    assert (np.diff(reached) > 0.0).all()
    assert carom.ContactLog.concatenate(parts).identical(expected)


def test_budget_is_not_spent_on_time_in_which_nothing_happens(monkeypatch):
    monkeypatch.setattr(budget_module, "perf_counter", Clock(1.0))
    world = carom.World()
    world.add(carom.Sphere(1.0))
    world.add(carom.Sphere(1.0), carom.Motion((1000.0, 0, 0), (-1.0, 0, 0)))
    log = world.advance(1e4, budget=100.0)
    assert log.reached == 1e4
    assert log.times.tolist() == pytest.approx([998.0])


@pytest.mark.parametrize(
    ("until", "budget", "message"),
    [
        (1.0, -1.0, "budget is -1.0"),
        (1.0, math.nan, "budget is nan"),
        (1.0, "soon", "budget is 'soon'"),
        (-1.0, 1.0, "until is -1.0"),
        (math.inf, 1.0, "until is inf"),
    ],
)
def test_budget_bad_input(until, budget, message):
    with pytest.raises(carom.InvalidInputError, match=message):
        carom.World().advance(until, budget=budget)
