"""The kinetic grid beside boxes swept at 1000 Hz, both polled at 1000 Hz."""

from __future__ import annotations

from functools import partial

from carom.bench.broad.methods import GRID, SWEPT
from carom.bench.broad.scenes import SCENES
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import best_of, run_scene

RATE = 1000.0
GASES = ("gas 0.01", "gas 0.1", "gas 0.3")
COLUMNS = ("scene", "objects", GRID, SWEPT, f"{SWEPT} / {GRID}", "contacts")


def measure_polled(quick: bool, bar: Bar) -> Table:
    """Measure CPU seconds per simulated second, including the calls from Python."""
    n, duration, repeats = (100, 0.05, 1) if quick else (10_000, 0.3, 3)
    rows: list[tuple[Cell, ...]] = []
    for name in bar.track(GASES, "polled at 1000 Hz"):
        scene = SCENES[name].make(n)
        cases = {broad: partial(run_scene, scene, RATE, duration, broad) for broad in (GRID, SWEPT)}
        best = best_of(cases, repeats, f"{name}, polled")
        costs = [best[broad].seconds / duration for broad in (GRID, SWEPT)]
        rows.append((name, n, *costs, costs[1] / costs[0], len(best[GRID].log)))
    return Table("broad_polled", "Polled a thousand times per second: CPU seconds per simulated second", COLUMNS, rows)
