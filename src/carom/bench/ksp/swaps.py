"""Swaps of the kinetic sorted lists against the number of bodies, with the fitted exponent."""

from __future__ import annotations

import numpy as np

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import run_scene
from carom.scenes.gas import gas
from carom.scenes.rings import rings

COLUMNS = ("scene", "objects", "swaps / simulated s", "fitted exponent")


def measure_swaps(quick: bool, bar: Bar) -> Table:
    """Counts, not times: rings and hard spheres, both at density 1 %."""
    sizes, duration = ([50, 100, 200], 0.5) if quick else ([100, 200, 500, 1000, 2000, 5000], 1.0)
    makers = {
        "rings": lambda n: rings(objects=n, density=0.01, seed=n),
        "gas": lambda n: gas(objects=n, packing=0.01, seed=n),
    }
    rows: list[tuple[Cell, ...]] = []
    for name in bar.track(list(makers), "swaps against n"):
        swaps = [run_scene(makers[name](n), 0.0, duration).stats.swaps / duration for n in sizes]
        exponent = float(np.polyfit(np.log(sizes), np.log(swaps), 1)[0])
        rows += [(name, n, count, exponent) for n, count in zip(sizes, swaps, strict=True)]
    return Table(
        "ksp_swaps", "Swaps against the number of bodies, density 1 % (theory for a gas: n^(5/3))", COLUMNS, rows
    )
