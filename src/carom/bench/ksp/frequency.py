"""Figure 8: CPU time against the polling frequency, split into update, sort and narrow phase."""

from __future__ import annotations

from functools import partial

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import Run, best_of, run_scene
from carom.scenes.rings import rings

COMPONENTS = ("update", "sort", "narrow")
COLUMNS = ("frequency, Hz", "method", *COMPONENTS, "whole")
SHOWN = ("kinetic", "swept")


def measure_frequency(quick: bool, bar: Bar) -> Table:
    """Two rows for each frequency. The components come from runs with the profiler on, 'whole' from runs without."""
    n, duration, repeats = (80, 0.2, 1) if quick else (1000, 1.0, 5)
    rates = [30.0, 500.0] if quick else [30.0, 60.0, 100.0, 200.0, 500.0, 1000.0, 2000.0]
    scene = rings(objects=n, density=0.01, seed=8)
    rows: list[tuple[Cell, ...]] = []
    for rate in bar.track(rates, "figure 8: polling frequency"):
        plain = {method: partial(run_scene, scene, rate, duration, method) for method in SHOWN}
        split = {method: partial(run_scene, scene, rate, duration, method, profile=True) for method in SHOWN}
        whole = best_of(plain, repeats, f"figure 8, {rate:g} Hz")
        profiled = best_of(split, repeats, f"figure 8, {rate:g} Hz, profiled", cost=lambda run: sum(_components(run)))
        for method in SHOWN:
            parts = [seconds / duration for seconds in _components(profiled[method])]
            rows.append((rate, method, *parts, whole[method].seconds / duration))
    title = f"Figure 8: {n} rings, density 1 %: CPU seconds per simulated second, by component"
    return Table("ksp_figure8", title, COLUMNS, rows)


def _components(run: Run) -> list[float]:
    """Seconds by the profiler's clock, which also runs while other processes have the core."""
    return [getattr(run.stats, f"seconds_{component}") for component in COMPONENTS]
