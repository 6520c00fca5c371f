"""Which broad phase suits a world: what each would cost, from the bodies and from how often their motions change.

The hybrid that paper KSP leaves as future work. All broad phases give the same log, so a wrong choice costs time and nothing
else. Costs are in seconds of one core per second of the world; the constants were measured on worlds of 20 to 100,000
bodies and need only be right relative to each other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.engine.audit import present_rows
from carom.engine.body_queries import positions_at, velocities_at
from carom.engine.kinetic_grid.layout import lay_out
from carom.engine.tables import Tables
from carom.shapes.kind import HALF_SPACE, POLLED, SPHERE
from carom.tables.body_columns import AX, KIND, RADIUS
from carom.tables.run_columns import MOTION_CHANGES, NARROW_TESTS, NOW, PASS_THROUGH, RESPONSE

Floats = NDArray[np.float64]

GRID = "kinetic-grid"
SWEEP = "kinetic"
PAIRS = "all-pairs"

_SWAP = 75e-9
_RENEWED = 1.0e-6
_PAIR = 150e-9
_CROSSING = 120e-9
_PLAN = 350e-9
_NEIGHBOUR = 9e-9
_CURVED_NEIGHBOUR = 350e-9
"""Seconds: an exchange in a sorted list; a motion change there; the prediction of one pair; a cell crossing; a plan; a
neighbour looked at, and one whose relative motion is not straight."""

_AHEAD = 10.0
"""Seconds of the world over which the first prediction of all pairs is spread."""
_MOST_FOR_PAIRS = 1000
"""Bodies beyond which all pairs would take too much memory."""
_CLEARLY = 0.6
"""A running broad phase is replaced only by one that promises less than this share of its cost."""
_SAMPLE = 2000


@dataclass(frozen=True)
class Estimate:
    """What each broad phase would cost a world, and why."""

    costs: dict[str, float]
    bodies: int
    levels: int
    crossings: float
    swaps: float
    changes: float
    curved: float

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


def estimate(tables: Tables, changes: float | None) -> Estimate:
    """Costs for the bodies of a world as they move now. changes: motion changes per second, None where not known yet."""
    now = float(tables.param[NOW])
    rows = present_rows(tables)
    kinds = tables.link[rows, KIND]
    ended = rows[(kinds != HALF_SPACE) & (kinds != POLLED)]
    n, n_wide = len(ended), len(rows) - len(ended)
    if n < 2:
        return Estimate({GRID: 0.0, SWEEP: 0.0, PAIRS: 0.0}, len(rows), 1, 0.0, 0.0, 0.0, 0.0)
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
    look = (1.0 - curved) * _NEIGHBOUR + curved * _CURVED_NEIGHBOUR
    pair = (1.0 - curved) * _PAIR + curved * (_PAIR + _CURVED_NEIGHBOUR)
    costs = {
        GRID: crossings * (_CROSSING + 9.0 * per_cell * look) + changes * (_PLAN + (27.0 * per_cell + n_wide) * look),
        SWEEP: swaps * _SWAP + changes * (_RENEWED + per_cell * pair),
        PAIRS: changes * n * pair + 0.5 * n**2 * pair / _AHEAD if n <= _MOST_FOR_PAIRS else np.inf,
    }
    return Estimate(costs, len(rows), len(layout.widths), crossings, swaps, changes, curved)


def explained(tables: Tables, running: str, asked: str, found: Estimate | None, switches: int) -> str:
    """In words: what runs, what else could, and why."""
    n = len(present_rows(tables))
    name = BROAD_PHASE_TITLES[running]
    lines = [f"{name[0].upper()}{name[1:]} runs over {n:,} {'body' if n == 1 else 'bodies'}."]
    if asked != "auto":
        lines.append(f'It was asked for by broad="{asked}".')
    elif found is None:
        lines.append("It is the only choice for this world: space repeats, or options were given that only it has.")
    elif not any(found.costs.values()):
        lines.append("With bodies so few or so still, no choice costs anything.")
    else:
        lines.append(
            f"A second of the world brings about {_number(found.changes)} motion changes, {_number(found.crossings)} "
            f"crossings in a grid of {found.levels} level{'s' if found.levels > 1 else ''}, and {_number(found.swaps)} "
            "exchanges in sorted lists."
        )
        if found.curved > 0.0:
            lines.append(f"The relative motion of {found.curved:.0%} of the pairs is not straight.")
        costs = sorted(found.costs.items(), key=lambda item: item[1])
        told = [f"{BROAD_PHASE_TITLES[name]} {cost:.2g} s" for name, cost in costs if cost < np.inf]
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


BROAD_PHASE_TITLES = {
    GRID: "the kinetic grid",
    SWEEP: "the kinetic sweep",
    PAIRS: "the cache of all pairs",
    "swept": "the sweep over boxes swept per frame",
    "uniform-grid": "the uniform grid over boxes swept per frame",
    "hash-grid": "the hierarchical hash grid over boxes swept per frame",
    "aabb-tree": "the dynamic tree over boxes swept per frame",
    "space-time": "the search for the first meeting of space-time bounds",
    "kinetic-vadop": "the kinetic sweep over velocity-aligned axes",
    "vadop": "the sweep over velocity-aligned polytopes swept per frame",
}
