"""Advancing a world for as long as the clock on the wall allows.

The log of a world does not depend on how its time is cut into steps. So a budget is kept by taking steps, each of a length that
should take a small share of what is left, until the time asked for is reached or the budget is spent. A step in which more
happens than was expected is left where it stands as soon as the event loop comes back to Python.
"""

from __future__ import annotations

import math
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from carom.types import BudgetedLog, ContactLog
from carom.world.clock.clock import past_next_event

if TYPE_CHECKING:
    from carom.world.world import World

_FIRST = 1.0 / 64.0  # Share of the time asked for that the first step covers
_SHARE = 1.0 / 8.0  # Share of what is left of the budget that a step should take
_SHORTEST, _LONGEST = 0.1, 4.0
"""How much shorter or longer than the last a step may be: one costly event says little about the next."""


def is_over(deadline: float) -> bool:
    """Has the clock on the wall reached `deadline`?"""
    return perf_counter() >= deadline


def advance_within(world: World, until: float, budget: float) -> BudgetedLog:
    """Advance to `until`, or as far as `budget` seconds of the wall clock allow, but by one event at least.

    Every call makes progress: after finitely many calls, whatever their budgets, the world is at `until`.
    """
    begin = perf_counter()
    world._deadline = deadline = begin + budget
    logs: list[ContactLog] = []
    step = _FIRST * (until - world.time) if budget > 0.0 else 0.0
    try:
        while True:
            # Time in which nothing happens costs nothing.
            logs.append(world.advance(min(until, max(world.time + step, past_next_event(world)))))
            end = perf_counter()
            if world.time >= until or end >= deadline:
                break
            fitting = _SHARE * (deadline - end) / max(end - begin, 1e-9)
            step *= min(max(fitting, _SHORTEST), _LONGEST)
            begin = end
    finally:
        world._deadline = math.inf
    found = ContactLog.concatenate([log for log in logs if len(log)])
    return BudgetedLog.of(found, world.time, np.empty(0, np.int64), world.time)
