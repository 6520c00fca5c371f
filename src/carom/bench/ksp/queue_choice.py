"""The event queues against each other inside the kinetic sweep."""

from __future__ import annotations

from functools import partial

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import best_of, run_scene
from carom.scenes.gas import gas

QUEUES = ("tournament", "heap4", "pairing")
COLUMNS = ("objects", "queue", "CPU s / simulated s", "ns / swap", "pairing heap / this")


def measure_queues(quick: bool, bar: Bar) -> Table:
    """Hard spheres at density 1 % in one single step; 'pairing' is the paper's queue."""
    cases = {50: 0.5} if quick else {1_000: 4.0, 10_000: 0.4}
    repeats = 1 if quick else 5
    rows: list[tuple[Cell, ...]] = []
    for n, duration in bar.track(list(cases.items()), "event queues"):
        scene = gas(objects=n, packing=0.01, seed=2)
        best = best_of(
            {q: partial(run_scene, scene, 0.0, duration, queue=q) for q in QUEUES}, repeats, f"queues, N = {n}"
        )
        for queue, run in best.items():
            per_swap = 1e9 * run.seconds / max(1, run.stats.swaps)
            rows.append((n, queue, run.seconds / duration, per_swap, best["pairing"].seconds / run.seconds))
    return Table("ksp_queues", "Event queues in the kinetic sweep, hard spheres, density 1 %", COLUMNS, rows)
