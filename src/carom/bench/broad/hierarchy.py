"""Cells of several sizes beside cells of one size, for bodies of mixed sizes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from carom.bench.broad.methods import GRID, Method
from carom.bench.broad.runs import Reference, Stretch, run_for
from carom.bench.broad.scenes import SCENES
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.engine.kinetic_grid.engine import KineticGridEngine
from carom.scenes.scene import Scene

COLUMNS = ("scene", "objects", "several sizes of cells", "one size", "one size / several", "contacts")
SHOWN = ("mixed 16:1", "mixed 64:1")


@contextmanager
def one_size_of_cells() -> Iterator[None]:
    """Context in which kinetic grids have cells of one size only, for the largest body."""
    KineticGridEngine.one_level = True
    try:
        yield
    finally:
        KineticGridEngine.one_level = False


def measure_hierarchy(quick: bool, bar: Bar) -> Table:
    """Measure CPU seconds per simulated second of the kinetic grid, packing 0.1."""
    sizes, duration, repeats = ((100,), 0.5, 1) if quick else ((1_000, 10_000), 5.0, 5)
    rows: list[tuple[Cell, ...]] = []
    for name, n in bar.track([(name, n) for name in SHOWN for n in sizes], "cells of several sizes"):
        scene = SCENES[name].make(n)
        several, one = _best(scene, name, duration, repeats)
        rows.append((name, n, several.cost, one.cost, one.cost / several.cost, len(several.log)))
    title = "Kinetic grid, mixed sizes, packing 0.1: CPU seconds per simulated second, by sizes of cells"
    return Table("broad_hierarchy", title, COLUMNS, rows)


def _best(scene: Scene, name: str, duration: float, repeats: int) -> tuple[Stretch, Stretch]:
    """Return the best run of either; they take turns."""
    method = Method(GRID, GRID)
    reference = Reference(name)
    several: list[Stretch] = []
    one: list[Stretch] = []
    for _ in range(repeats):
        several.append(run_for(scene, method, duration))
        with one_size_of_cells():
            one.append(run_for(scene, method, duration))
        for what, run in (("cells of several sizes", several[-1]), ("cells of one size", one[-1])):
            reference.check(what, run.log, run.end)
    return min(several, key=lambda run: run.cost), min(one, key=lambda run: run.cost)
