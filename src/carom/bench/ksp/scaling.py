"""Figure 7: CPU time and collisions against the number of rings, three methods, polled at 1000 Hz."""

from __future__ import annotations

from functools import partial

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import METHODS, best_of, run_scene
from carom.scenes.rings import rings

RATE = 1000.0
COLUMNS = ("objects", "collisions", *METHODS, "swept / kinetic", "all-pairs / kinetic")


def measure_scaling(quick: bool, bar: Bar) -> Table:
    """One row for each number of rings; all methods report bit-identical contacts."""
    sizes = [60, 120] if quick else list(range(100, 1001, 100))
    duration, repeats = (0.1, 1) if quick else (1.0, 5)
    rows: list[tuple[Cell, ...]] = []
    for n in bar.track(sizes, "figure 7: number of rings"):
        scene = rings(objects=n, density=0.01, seed=n)
        cases = {method: partial(run_scene, scene, RATE, duration, method) for method in METHODS}
        best = best_of(cases, repeats, f"figure 7, n = {n}")
        costs = [best[method].seconds / duration for method in METHODS]
        rows.append((n, len(best["kinetic"].log), *costs, costs[1] / costs[0], costs[2] / costs[0]))
    return Table(
        "ksp_figure7", "Figure 7: rings, density 1 %, 1000 Hz: CPU seconds per simulated second", COLUMNS, rows
    )
