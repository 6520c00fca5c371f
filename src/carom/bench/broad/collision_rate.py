"""Collisions of hard spheres per second on one core, in a gas in equilibrium."""

from __future__ import annotations

import time

from carom.bench.broad.methods import GRID
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.turns import no_garbage
from carom.scenes.gas import gas

COLUMNS = ("box", "packing", "objects", "collisions / CPU s", "collisions", "simulated s")
_MELTING = 3.0  # Seconds after which the initial lattice of dense gases has vanished


def measure_collision_rate(quick: bool, bar: Bar) -> Table:
    """Measure the best of several steps; contacts with walls cost time and are not counted."""
    cases = [(periodic, packing) for periodic in (0, 1) for packing in ((0.3,) if quick else (0.1, 0.3))]
    n, collisions, steps = (100, 500, 2) if quick else (10_000, 100_000, 8)
    rows: list[tuple[Cell, ...]] = []
    for periodic, packing in bar.track(cases, "collisions per second"):
        world = gas(objects=n, packing=packing, periodic=periodic, seed=3).build(broad=GRID)
        world.advance(_MELTING)
        first = world.advance(_MELTING + 1.0)
        duration = collisions / max(1, int((first.b < n).sum()))
        rates = []
        with no_garbage():
            for _ in range(steps):
                begin = time.process_time()
                log = world.advance(world.time + duration)
                seconds = time.process_time() - begin
                rates.append((int((log.b < n).sum()) / seconds, int((log.b < n).sum())))
        rows.append(("periodic" if periodic else "walls", packing, n, *max(rates), duration))
    return Table("broad_collisions", "Hard spheres, kinetic grid, one core, long steps", COLUMNS, rows)
