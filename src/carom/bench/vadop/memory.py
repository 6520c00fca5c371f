"""Memory of the broad phase by number of bodies and axes."""

from __future__ import annotations

import numpy as np

from carom.bench.report import Cell, Table
from carom.bench.vadop.frames import engine_megabytes
from carom.bench.vadop.spheres import FRAME, fast_spheres

COLUMNS = ("objects", "axes", "MB", "bytes / body", "MB with the paper's matrix")


def measure_memory(quick: bool) -> Table:
    """Measure lists, pairs and their queue at speed 1; the paper's matrix would add two bytes for each of n^2 entries."""
    sizes, pools = ((50, 100), (0, 16)) if quick else ((1000, 2000, 4000, 8000), (0, 16, 65, 130))
    rows: list[tuple[Cell, ...]] = []
    for m in pools:
        for n in sizes:
            world = fast_spheres(n, 1.0, walls=False).build(broad="vadop", pool=m, frame=FRAME)
            megabytes = engine_megabytes(world)
            rows.append((n, m, megabytes, 1e6 * megabytes / n, megabytes + 2e-6 * world._tables.capacity**2))
    return Table("vadop_memory", "Memory of the broad phase, all arrays, as allocated", COLUMNS, rows)


def exponent(memory: Table) -> float:
    """Return the slope of memory by number of bodies, in logarithms, for the largest pool."""
    m = max(int(row[1]) for row in memory.rows)
    points = [(float(row[0]), float(row[2])) for row in memory.rows if row[1] == m]
    n, megabytes = np.log(np.array(points)).T
    return float(np.polyfit(n, megabytes, 1)[0])
