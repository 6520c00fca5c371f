"""The broad phase of a world: the one asked for, or the one that suits best, looked at again as the world goes on."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from carom.engine.audit import present_rows
from carom.engine.broad_phase_cost import Estimate, Watch, estimate
from carom.engine.broad_phases import AUTO, REGISTERED, title_of, with_option
from carom.engine.contract import Engine, Settings
from carom.engine.tables import Tables
from carom.errors import InvalidInputError
from carom.shapes.kind import HALF_SPACE, SPHERE
from carom.tables.body_columns import KIND
from carom.tables.run_columns import MOTION_CHANGES, NARROW_TESTS, PERIODIC

_USUAL, _SORTING = "kinetic-grid", "kinetic"
"""What `auto` begins with, and where options are given that only sorted lists have."""
_FIRST_LOOK = 1000
"""Motion changes after which the choice is first looked at again; then each time there are twice as many."""
_PAUSE = 0.1
"""Seconds on the clock between two looks, which take up to a thousandth: what is over sooner is not worth one."""
_NEGLIGIBLE = 2e-4
"""Seconds of one core per second of the world below which another choice is not worth its compilation."""


class Selection:
    """Which engine a world runs, and why. Options that only one broad phase has decide for it."""

    def __init__(self, asked: str, settings: Settings, periodic: bool) -> None:
        _check(asked, settings, periodic)
        sorts = settings.own_axes or settings.matrix
        self.asked = asked
        self.running = asked if asked != AUTO else _SORTING if sorts else _USUAL
        self.switches = 0
        self._free = asked == AUTO and not sorts and not periodic
        self._settings = settings
        self._estimate: Estimate | None = None
        self._watch = Watch()
        self._look_at = _FIRST_LOOK
        self._looked_for = 0
        self._look_after = perf_counter() + _PAUSE

    def follow(self, other: Selection) -> None:
        """Go on with the engine that `other` runs. When to look for a better one is not taken over."""
        self.running, self.switches = other.running, other.switches

    def engine(self, tables: Tables) -> Engine:
        """A new engine of the running kind."""
        tables.count[PERIODIC] = 0
        return REGISTERED[self.running].make(tables, self._settings)

    def after_adding(self, tables: Tables, n: int) -> bool:
        """There are n bodies now: is another engine to take over?"""
        if not self._free or n < 2 * self._looked_for:
            return False
        self._looked_for = n
        return self._look(tables, None)

    def after_changes(self, tables: Tables, time: float) -> bool:
        """Motions may have changed up to `time`: is another engine to take over?"""
        if not self._free or tables.count[MOTION_CHANGES] < self._look_at:
            return False
        self._look_at = 2 * int(tables.count[MOTION_CHANGES])
        if perf_counter() < self._look_after:
            return False
        self._look_after = perf_counter() + _PAUSE
        return self._look(tables, self._watch.rate(tables, time))

    def after_silence(self, tables: Tables, time: float) -> bool:
        """Many events and no contact up to `time`: is another engine to take over?

        A body that accelerates crosses ever more cells, and no motion has changed.
        """
        if not self._free or perf_counter() < self._look_after:
            return False
        self._look_after = perf_counter() + _PAUSE
        return self._look(tables, self._watch.rate(tables, time))

    def _look(self, tables: Tables, changes: float | None) -> bool:
        self._estimate = estimate(tables, REGISTERED, changes)
        better = self._estimate.better_than(self.running)
        if better is None or self._estimate.costs[self.running] < _NEGLIGIBLE:
            return False
        self.running = better
        self.switches += 1
        return True

    def words(self, tables: Tables) -> str:
        """What runs and why."""
        if self._free and (self._estimate is None or not np.isfinite(self._estimate.costs[self.running])):
            self._estimate = estimate(tables, REGISTERED, None)
        return _explained(tables, self.running, self.asked, self._estimate if self._free else None, self.switches)


def _check(asked: str, settings: Settings, periodic: bool) -> None:
    """Refuse options that the broad phase asked for does not take."""
    options = frozenset({"axes", "periodic"}) if asked == AUTO else REGISTERED[asked].options
    if periodic and "periodic" not in options:
        expected = " or ".join(map(repr, (AUTO, *with_option("periodic"))))
        raise InvalidInputError(f"broad is {asked!r}; expected {expected}, since the world is periodic")
    if settings.own_axes and "axes" not in options:
        raise InvalidInputError(f"axes are for sweeps; expected none with broad={asked!r}")
    if periodic and (settings.own_axes or settings.matrix):
        raise InvalidInputError("axes and overlap are for sweeps; expected neither in a periodic world")
    if (settings.pool is not None or settings.zone is not None) and "pool" not in options:
        raise InvalidInputError(f"pool and zone are for velocity-aligned axes; expected neither with broad={asked!r}")
    if settings.slow is not None and "slow" not in options:
        expected = " or ".join(f"broad={name!r}" for name in with_option("slow"))
        raise InvalidInputError(f"slow is for {expected}; expected none with broad={asked!r}")


def _explained(tables: Tables, running: str, asked: str, found: Estimate | None, switches: int) -> str:
    """In words: what runs, what else could, and why."""
    n = len(present_rows(tables))
    name = title_of(running)
    lines = [f"{name[0].upper()}{name[1:]} runs over {n:,} {'body' if n == 1 else 'bodies'}."]
    if asked != AUTO:
        lines.append(f'It was asked for by broad="{asked}".')
    elif found is None:
        lines.append("It is the only choice for this world: space repeats, or options were given that only it has.")
    elif not any(found.costs.values()):
        lines.append("With bodies so few or so still, no choice costs anything.")
    else:
        census = found.census
        lines.append(
            f"A second of the world brings about {_number(census.changes)} motion changes, {_number(census.crossings)} "
            f"crossings in a grid of {census.levels} level{'s' if census.levels > 1 else ''}, and {_number(census.swaps)} "
            "exchanges in sorted lists."
        )
        if census.curved > 0.0:
            lines.append(f"The relative motion of {census.curved:.0%} of the pairs is not straight.")
        costs = sorted(found.costs.items(), key=lambda item: item[1])
        told = [f"{title_of(name)} {cost:.2g} s" for name, cost in costs if cost < np.inf]
        lines.append("It would take: " + ", ".join(told) + ".")
        if switches:
            lines.append(f"The choice was changed {switches} time{'s' if switches > 1 else ''} while running.")
    tests = int(tables.count[NARROW_TESTS])
    if tests:
        lines.append(f"Exact tests of shapes so far: {tests:,}, each run when bounding spheres and boxes had met.")
    elif np.isin(tables.link[present_rows(tables), KIND], (SPHERE, HALF_SPACE)).all():
        lines.append("All bodies are spheres and half-spaces, which need no exact test.")
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100.0 else f"{value:.2g}"
