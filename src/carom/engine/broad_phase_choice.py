"""The broad phase of a world: the one asked for, or the one that suits best, looked at again as the world goes on."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from carom.engine.all_pairs.loop import AllPairsEngine
from carom.engine.base import Engine
from carom.engine.broad_phase_cost import GRID, SWEEP, Estimate, Watch, estimate, explained
from carom.engine.framed.cell_engines import GridEngine
from carom.engine.framed.tree_engine import TreeEngine
from carom.engine.kinetic_grid.engine import KineticGridEngine
from carom.engine.space_time.loop import SpaceTimeEngine
from carom.engine.sweep.engine import SweepEngine
from carom.engine.sweep.kinetic import KineticEngine
from carom.engine.sweep.swept import SweptEngine
from carom.engine.tables import Tables
from carom.engine.vadop.axis_pool_size import KINETIC_POOL, PoolChoice
from carom.engine.vadop.kinetic import KineticVadopEngine
from carom.engine.vadop.swept import VadopEngine
from carom.errors import InvalidInputError
from carom.tables.run_columns import MOTION_CHANGES, PERIODIC

AUTO = "auto"
VADOP = "vadop"
KINETIC_VADOP = "kinetic-vadop"
BROAD_PHASES = (
    AUTO,
    "kinetic",
    "kinetic-grid",
    "swept",
    "all-pairs",
    "uniform-grid",
    "hash-grid",
    "aabb-tree",
    "space-time",
    VADOP,
    KINETIC_VADOP,
)

_FIRST_LOOK = 1000
"""Motion changes after which the choice is first looked at again; then each time there are twice as many."""
_PAUSE = 0.1
"""Seconds on the clock between two looks, which take up to a thousandth: what is over sooner is not worth one."""
_NEGLIGIBLE = 2e-4
"""Seconds of one core per second of the world below which another choice is not worth its compilation."""


class Selection:
    """Which engine a world runs, and why. Options that only one broad phase has decide for it."""

    def __init__(
        self,
        asked: str,
        queue: str,
        matrix: bool,
        own_axes: bool,
        periodic: bool,
        by_axes: bool,
        pool: int | None = None,
        zone: float | None = None,
        slow: float | None = None,
    ) -> None:
        if periodic and asked not in (AUTO, GRID):
            raise InvalidInputError(
                f"broad is {asked!r}; expected 'auto' or 'kinetic-grid', since the world is periodic"
            )
        if asked == GRID and own_axes:
            raise InvalidInputError("axes are for sweeps; expected none with broad='kinetic-grid'")
        if periodic and (own_axes or matrix):
            raise InvalidInputError("axes and overlap are for sweeps; expected neither in a periodic world")
        if (pool is not None or zone is not None) and asked not in (VADOP, KINETIC_VADOP):
            raise InvalidInputError(
                f"pool and zone are for velocity-aligned axes; expected neither with broad={asked!r}"
            )
        if slow is not None and asked != VADOP:
            raise InvalidInputError(f"slow is for broad='vadop'; expected none with broad={asked!r}")
        self.asked = asked
        self.running = asked if asked != AUTO else SWEEP if own_axes or matrix else GRID
        self.switches = 0
        self._free = asked == AUTO and not own_axes and not matrix and not periodic
        self._queue = queue
        self._matrix = matrix
        self._by_axes = by_axes
        self._own_axes = own_axes
        self._pool, self._zone, self._slow = pool, zone, slow
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
        if self.running == "all-pairs":
            return AllPairsEngine(tables, self._queue)
        if self.running == GRID:
            return KineticGridEngine(tables, self._queue)
        if self.running == "aabb-tree":
            return TreeEngine(tables, self._queue)
        if self.running == "space-time":
            return SpaceTimeEngine(tables, self._queue)
        if self.running in ("uniform-grid", "hash-grid"):
            several = self.running == "hash-grid"
            return GridEngine(tables, self._queue, several, several and self._by_axes)
        if self.running == VADOP:
            return VadopEngine(tables, self._queue, self._matrix, PoolChoice(self._pool, self._zone, self._slow))
        if self.running == KINETIC_VADOP:
            size = KINETIC_POOL if self._pool is None else self._pool
            return KineticVadopEngine(tables, self._queue, self._matrix, size, self._zone, self._own_axes)
        kind: type[SweepEngine] = KineticEngine if self.running == SWEEP else SweptEngine
        return kind(tables, self._queue, self._matrix)

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
        self._estimate = estimate(tables, changes)
        better = self._estimate.better_than(self.running)
        if better is None or self._estimate.costs[self.running] < _NEGLIGIBLE:
            return False
        self.running = better
        self.switches += 1
        return True

    def words(self, tables: Tables) -> str:
        """What runs and why."""
        if self._free and (self._estimate is None or not np.isfinite(self._estimate.costs[self.running])):
            self._estimate = estimate(tables, None)
        return explained(tables, self.running, self.asked, self._estimate if self._free else None, self.switches)
