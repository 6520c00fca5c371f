"""A budget of wall-clock time: the world stops on the way, says how far it came, and goes on from there."""

from __future__ import annotations

import math

import numpy as np
import pytest

import carom
from carom.engine import budget as budget_module
from worlds import gas


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
    assert isinstance(log, carom.BudgetedLog)
    assert log.identical(expected)
    assert log.reached == 5.0


def test_budget_of_nothing_does_nothing():
    world = gas(20, 0.1)
    log = world.advance(5.0, budget=0.0)
    assert (len(log), log.reached, world.time) == (0, 0.0, 0.0)


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
