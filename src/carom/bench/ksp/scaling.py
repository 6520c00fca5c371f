"""Figure 7: CPU time and collisions against the number of rings, polled at 1000 Hz."""

from __future__ import annotations

from functools import partial
from typing import Any

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import best_of, run_scene
from carom.scenes.rings import rings

RATE = 1000.0
EAGER = "all-pairs, eager"
"""The paper's baseline: every pair tested exactly at once, without waiting for its bounding spheres to touch."""
CASES: dict[str, dict[str, Any]] = {
    "kinetic": {"broad": "kinetic"},
    "swept": {"broad": "swept"},
    "all-pairs": {"broad": "all-pairs"},
    EAGER: {"broad": "all-pairs", "narrow": "eager"},
}
COLUMNS = ("objects", "collisions", *CASES, "swept / kinetic", "start, kinetic", f"start, {EAGER}")


def measure_scaling(quick: bool, bar: Bar) -> Table:
    """One row for each number of rings; all methods report bit-identical contacts. Start-up has columns of its own."""
    sizes = [60, 120] if quick else list(range(100, 1001, 100))
    duration, repeats = (0.1, 1) if quick else (1.0, 5)
    rows: list[tuple[Cell, ...]] = []
    for n in bar.track(sizes, "figure 7: number of rings"):
        scene = rings(objects=n, density=0.01, seed=n)
        scene.build()  # shapes build their trees once, outside the clock
        cases = {name: partial(run_scene, scene, RATE, duration, **options) for name, options in CASES.items()}
        best = best_of(cases, repeats, f"figure 7, n = {n}")
        costs = [best[name].seconds / duration for name in CASES]
        starts = [best[name].start_seconds for name in ("kinetic", EAGER)]
        rows.append((n, len(best["kinetic"].log), *costs, costs[1] / costs[0], *starts))
    title = "Figure 7: rings, density 1 %, 1000 Hz: CPU seconds per simulated second (start: CPU seconds once)"
    return Table("ksp_figure7", title, COLUMNS, rows)
