"""The kinetic form: exchanges in its lists, and its speed beside the other event-driven broad phases."""

from __future__ import annotations

import math
from typing import Any

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.vadop.frames import best_frames
from carom.bench.vadop.spheres import FRAME, bullets, fast_spheres, jet, zone
from carom.bounds.axis_pool import axis_pool
from carom.errors import AuditError

SWAP_COLUMNS = (
    "axes", "zone / covering angle", "zone, deg", "swaps", "over kinetic sweep", "m sin^3(zone) / 3", "off by, %",
)  # fmt: skip
COST_COLUMNS = (
    "scene", "objects", "method", "ms / frame", "over the fastest", "pair tests / frame", "contacts / frame",
)  # fmt: skip
CASES: dict[str, dict[str, Any]] = {
    "kinetic-vadop": {"broad": "kinetic-vadop"},
    "kinetic-vadop, 16": {"broad": "kinetic-vadop", "pool": 16},
    "vadop": {"broad": "vadop"},
    "kinetic": {"broad": "kinetic"},
    "kinetic, x only": {"broad": "kinetic", "axes": ((1.0, 0.0, 0.0),)},
    "kinetic-grid": {"broad": "kinetic-grid"},
}


def measure_law(quick: bool, bar: Bar) -> Table:
    """Compare swaps of spheres on straight paths, relative to the kinetic sweep on three axes, with the law for a gas.

    A body is in a fraction sin(zone) of the lists, two bodies share sin^2(zone) of them, and there they approach at sin(zone)
    of the speed: the third power in all, over m lists instead of three.
    """
    n, speed, frames = (60, 1.0, 10) if quick else (2000, 1.0, 10)
    scene = fast_spheres(n, speed, walls=False)
    plain = scene.build(broad="kinetic")
    log = plain.advance(frames * FRAME)
    cases = [(m, width) for m in ((16,) if quick else (16, 32, 65, 130)) for width in (1.0, 1.5, 2.0)]
    rows: list[tuple[Cell, ...]] = []
    for m, width in bar.track(cases, "swaps of the kinetic form"):
        angle = zone(axis_pool(m).covering, width)
        world = scene.build(broad="kinetic-vadop", pool=m, zone=angle)
        if not world.advance(frames * FRAME).identical(log):
            raise AuditError(f"kinetic-vadop with {m} axes finds other contacts than the kinetic sweep")
        ratio = world.stats.swaps / plain.stats.swaps
        law = m * math.sin(angle) ** 3 / 3.0
        rows.append((m, width, math.degrees(angle), world.stats.swaps, ratio, law, 100.0 * (ratio / law - 1.0)))
    title = f"Swaps of {n:,} spheres on straight paths, density 0.001 (kinetic sweep: {plain.stats.swaps:,})"
    return Table("vadop_law", title, SWAP_COLUMNS, rows)


def measure_kinetic_cost(quick: bool, bar: Bar) -> Table:
    """Measure scenes that suit velocity-aligned axes: fast sparse bodies, bullets among bodies at rest, a jet."""
    sizes = (60,) if quick else (300, 2000)
    made = {
        "fast sparse gas": lambda n: fast_spheres(n, 10.0, 1e-4),
        "crossing flights": lambda n: fast_spheres(n, 10.0, walls=False),
        "bullets, 5 %": lambda n: bullets(n, 0.05, 30.0),
        "jet": lambda n: jet(n, 30.0),
    }
    rows: list[tuple[Cell, ...]] = []
    for name, n in bar.track([(name, n) for name in made for n in sizes], "kinetic lists, fast bodies"):
        best = best_frames(made[name](n), 3 if quick else 6, CASES, 1 if quick else 3)
        fastest = min(run.ms for run in best.values())
        for method, run in best.items():
            rows.append((name, n, method, run.ms, run.ms / max(fastest, 1e-9), run.tests, run.contacts))
    title = "Event-driven broad phases where bodies are fast: CPU milliseconds for 1/30 s of the world"
    return Table("vadop_kinetic", title, COST_COLUMNS, rows)
