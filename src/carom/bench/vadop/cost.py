"""Run time and memory of exact frames against speed and number of spheres, beside the pseudo-dynamic method."""

from __future__ import annotations

import math
from typing import Any

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.vadop.frames import Frames, best_frames, instants, pseudo_dynamic_ms
from carom.bench.vadop.spheres import SLOWEST_SHARE, fast_spheres
from carom.bounds.axis_pool import axis_pool
from carom.engine.sweep.axis_pool_size import SLOW

CHOSEN, XYZ = "vadop", "vadop, xyz only"
MANY, NARROW, FEW = "vadop 65, 2 rho", "vadop 65, rho", "vadop 16, rho"
EVERY = "{}, slow too"
"""The same pools, of which slow bodies use axes too, as in the paper."""
PSEUDO = "pseudo-dynamic"
COLUMNS = (
    "objects", "speed, radii / frame", "method", "ms / frame", "over xyz only", "over pseudo-dynamic", "pair tests / frame",
    "contacts / frame", "MB",
)  # fmt: skip
SPEEDS = (0.1, 1.0, 3.0, 10.0, 30.0, 100.0)
SIZES = (500, 1000, 2000, 5000, 10_000)
_SLOWEST = 1.0  # Speed at which sizes are compared


def compared(speed: float) -> dict[str, dict[str, Any]]:
    """Return options of World by name. The first selects its pool by the speeds; rho is the covering angle of the pool.

    If some bodies are slow at this speed, radii per frame, each pool occurs with and without axes for them.
    """
    pools: dict[str, dict[str, Any]] = {
        MANY: {"broad": "vadop", "pool": 65},
        NARROW: {"broad": "vadop", "pool": 65, "zone": axis_pool(65).covering},
        FEW: {"broad": "vadop", "pool": 16, "zone": axis_pool(16).covering},
    }
    everyone = {EVERY.format(name): {**options, "slow": 0.0} for name, options in pools.items()}
    return {
        CHOSEN: {"broad": "vadop"},
        **pools,
        **(everyone if SLOWEST_SHARE * speed < SLOW else {}),
        XYZ: {"broad": "vadop", "pool": 0},
        "swept": {"broad": "swept"},
        "aabb-tree": {"broad": "aabb-tree"},
        "kinetic-grid": {"broad": "kinetic-grid"},
    }


def measure_cost(quick: bool, bar: Bar) -> Table:
    """Measure by speed at one size, and by size at one speed."""
    n, speeds, sizes = (60, (1.0, 30.0), (60, 120)) if quick else (2000, SPEEDS, SIZES)
    points = [(n, speed) for speed in speeds] + [(size, _SLOWEST) for size in sizes if size != n]
    rows: list[tuple[Cell, ...]] = []
    for size, speed in bar.track(points, "run time by speed and size"):
        frames = 2 if quick else max(2, round(min(30.0, 20_000.0 / size) / (1.0 + speed / 10.0)))
        repeats = 1 if quick else 3 if size <= 2000 else 2
        scene = fast_spheres(size, speed)
        best = best_frames(scene, frames, compared(speed), repeats)
        pseudo = pseudo_dynamic_ms(instants(scene, size, frames), repeats)
        rows += [_row(size, speed, name, run, best[XYZ], pseudo) for name, run in best.items()]
        rows.append((size, speed, PSEUDO, pseudo, pseudo / best[XYZ].ms, 1.0, math.nan, math.nan, math.nan))
    return Table(
        "vadop_cost", "Spheres at density 0.001, elastic, 30 frames per second: CPU time per frame", COLUMNS, rows
    )


def _row(n: int, speed: float, name: str, run: Frames, plain: Frames, pseudo: float) -> tuple[Cell, ...]:
    return (n, speed, name, run.ms, run.ms / plain.ms, run.ms / pseudo, run.tests, run.contacts, run.megabytes)


def break_even(cost: Table) -> Table:
    """Return the cost of an exact test above which many axes pay: the additional time over the saved tests.

    Slow bodies use axes here; the table shows why they do not by default.
    """
    found = {(int(row[0]), float(row[1]), str(row[2])): row for row in cost.rows}
    rows: list[tuple[Cell, ...]] = []
    for n, speed in dict.fromkeys((int(row[0]), float(row[1])) for row in cost.rows):
        plain = found[n, speed, XYZ]
        for name in (FEW, NARROW, MANY):
            each = found.get((n, speed, EVERY.format(name)), found[n, speed, name])
            saved = float(plain[6]) - float(each[6])
            more = 1e6 * (float(each[3]) - float(plain[3]))
            above = f"above {1e-3 * more / saved:.3g} µs per test" if saved > 0.0 else "never"
            pays = above if more > 0.0 else "always"
            rows.append((n, speed, name, saved, 1e-6 * more, pays))
    columns = ("objects", "speed, radii / frame", "method", "tests saved / frame", "ms more / frame", "pays")
    return Table(
        "vadop_break_even", "When the axes of the pool pay, against the same code with x, y and z only", columns, rows
    )


def measure_worst(quick: bool, bar: Bar) -> Table:
    """Measure fast spheres in random directions, which change their axes in almost every frame."""
    n, frames = (100, 2) if quick else (10_000, 2)
    rows: list[tuple[Cell, ...]] = []
    cases = {name: compared(100.0)[name] for name in (CHOSEN, MANY, XYZ, "kinetic-grid")}
    for _ in bar.track([0], "the worst case"):
        best = best_frames(fast_spheres(n, 100.0), frames, cases, 1)
        for name, run in best.items():
            rows.append((n, 100.0, name, run.ms, run.ms / best[XYZ].ms, run.tests, run.contacts, run.megabytes))
    columns = (*COLUMNS[:5], *COLUMNS[6:])
    return Table("vadop_worst", "The worst case: all fast, random directions", columns, rows)
