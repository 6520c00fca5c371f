"""Which broad phase suits a world: what each would cost, from the bodies and from how often their motions change.

The hybrid that paper KSP leaves as future work. All broad phases give the same log, so a wrong choice costs time and nothing
else. Costs are in seconds of one core per second of the world; the constants were measured on worlds of 20 to 100,000
bodies and need only be right relative to each other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.engine.audit import present_rows
from carom.engine.body_queries import positions_at, velocities_at
from carom.engine.contract import BroadPhase, Census
from carom.engine.kinetic_grid.layout import lay_out
from carom.engine.tables import Tables
from carom.shapes.kind import HALF_SPACE, POLLED
from carom.tables.body_columns import AX, KIND, RADIUS
from carom.tables.run_columns import MOTION_CHANGES, NOW, PASS_THROUGH, RESPONSE

Floats = NDArray[np.float64]

_PAIR = 150e-9
CURVED = 350e-9
"""Seconds: the prediction of one pair, and how much longer it takes where the relative motion is not straight."""

_CLEARLY = 0.6
"""A running broad phase is replaced only by one that promises less than this share of its cost."""
_SAMPLE = 2000


@dataclass(frozen=True)
class Estimate:
    """What each broad phase would cost a world, and why."""

    costs: dict[str, float]
    bodies: int
    census: Census

    def best(self) -> str:
        """The cheapest."""
        return min(self.costs, key=self.costs.__getitem__)

    def better_than(self, running: str) -> str | None:
        """What to run instead of `running`, None to stay."""
        best = self.best()
        return best if best != running and self.costs[best] < _CLEARLY * self.costs[running] else None


class Watch:
    """How often motions changed since it was last asked."""

    def __init__(self) -> None:
        self._changes = 0
        self._since = -np.inf

    def rate(self, tables: Tables, time: float) -> float | None:
        """Motion changes per second of the world; None where no time has passed."""
        changes, seconds = int(tables.count[MOTION_CHANGES]) - self._changes, time - self._since
        self._changes, self._since = int(tables.count[MOTION_CHANGES]), time
        return changes / seconds if 0.0 < seconds < np.inf else None


def pair_seconds(census: Census) -> float:
    """Seconds that the prediction of a pair takes."""
    return _PAIR + census.curved * CURVED


def estimate(tables: Tables, candidates: Mapping[str, BroadPhase], changes: float | None) -> Estimate:
    """Costs for the bodies of a world as they move now. changes: motion changes per second, None where not known yet."""
    rows = present_rows(tables)
    census = _census(tables, rows, changes)
    costs = {name: each.cost(census) if census.n > 1 else 0.0 for name, each in candidates.items() if each.cost}
    return Estimate(costs, len(rows), census)


def _census(tables: Tables, rows: NDArray[np.int32], changes: float | None) -> Census:
    now = float(tables.param[NOW])
    kinds = tables.link[rows, KIND]
    ended = rows[(kinds != HALF_SPACE) & (kinds != POLLED)]
    n, n_wide = len(ended), len(rows) - len(ended)
    if n < 2:
        return Census(n, n_wide, 0.0, 0.0, 0.0, 0.0, 0.0, 1)
    # Of many bodies a sample says enough, and a look stays cheap.
    share = max(1, n // _SAMPLE)
    ended = ended[::share]
    centres, velocities = positions_at(tables, ended, now), velocities_at(tables, ended, now)
    sizes = 2.0 * tables.body[ended, RADIUS]
    layout = lay_out(centres, velocities, sizes, tables.periods, count=n)
    widths = layout.widths[np.minimum(layout.level_of(sizes), len(layout.widths) - 1)]
    crossings = n / len(ended) * float(np.sum(np.abs(velocities - layout.velocity) / widths))
    extent = np.maximum(np.ptp(centres, axis=0), sizes.max())
    per_cell = min(n * float(np.prod(np.minimum(widths.mean(axis=0) / extent, 1.0))), n)
    rng = np.random.default_rng(0)
    first, second = rng.integers(len(ended), size=(2, _SAMPLE))
    closing = np.abs(velocities[first] - velocities[second]).mean(axis=0)
    swaps = float(np.sum(2.0 * n**2 * closing / extent))
    if tables.count[RESPONSE] == PASS_THROUGH and changes is None:
        changes = 0.0
    elif changes is None:  # kinetic theory: every body sweeps its cross section through the others
        speed = float(np.linalg.norm(velocities[first] - velocities[second], axis=1).mean())
        density = n / float(np.prod(extent))
        changes = min(n * density * np.pi * float(sizes.mean()) ** 2 * speed, n * speed / float(sizes.mean()))
    bent = tables.body[ended, AX : AX + 3]
    curved = float(np.any(bent[first] != bent[second], axis=1).mean())
    return Census(n, n_wide, per_cell, crossings, swaps, changes, curved, len(layout.widths))
