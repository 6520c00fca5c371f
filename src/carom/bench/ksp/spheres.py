"""Kinetic against swept boxes for spheres, where the narrow phase costs next to nothing."""

from __future__ import annotations

from functools import partial

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import METHODS, best_of, run_scene
from carom.scenes.gas import gas

RATE = 1000.0
COLUMNS = ("objects", "collisions", *METHODS, "swept / kinetic")


def measure_spheres(quick: bool, bar: Bar) -> Table:
    """Hard spheres at density 1 %, polled at 1000 Hz."""
    sizes, duration, repeats = ([50], 0.1, 1) if quick else ([300, 1000, 3000], 1.0, 5)
    rows: list[tuple[Cell, ...]] = []
    for n in bar.track(sizes, "spheres at 1000 Hz"):
        scene = gas(objects=n, packing=0.01, seed=n)
        best = best_of({m: partial(run_scene, scene, RATE, duration, m) for m in METHODS}, repeats, f"spheres, N = {n}")
        costs = [best[method].seconds / duration for method in METHODS]
        rows.append((n, len(best["kinetic"].log), *costs, costs[1] / costs[0]))
    return Table("ksp_spheres", "Hard spheres, density 1 %, 1000 Hz: CPU seconds per simulated second", COLUMNS, rows)
