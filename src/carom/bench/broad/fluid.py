"""The published test of an event-driven hard-sphere fluid: mean free time and diffusion at density 0.5."""

from __future__ import annotations

import numpy as np

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.physics import GasMeter
from carom.response import Elastic
from carom.shapes import Sphere
from carom.world.world import World

MEAN_FREE_TIME, DIFFUSION = 0.13031, 0.247
"""1372 spheres of diameter 1 and mass 1 at density 0.5 and temperature 1 in a periodic box: the test of DynamO
(Bannerman, Sargant and Lue, J. Comput. Chem. 32, 3329, 2011).
"""
COLUMNS = ("quantity", "measured", "published", "off by, %")
_DENSITY = 0.5


def measure_fluid(quick: bool, bar: Bar) -> Table:
    """Measure both quantities over 40 s, after 5 s of melting."""
    cells, seconds = (3, 1) if quick else (7, 40)
    world = crystal(cells, _DENSITY, seed=1)
    world.advance(5.0)
    meter = GasMeter(world)
    for k in bar.track(range(1, seconds + 1), "fluid at density 0.5"):
        meter.add(world.advance(5.0 + k))
    report = meter.report()
    rows: list[tuple[Cell, ...]] = [
        (what, found, known, 100.0 * abs(found / known - 1.0))
        for what, found, known in (
            ("mean free time", report.mean_free_time, MEAN_FREE_TIME),
            ("diffusion", report.diffusion, DIFFUSION),
        )
    ]
    title = f"Hard-sphere fluid, {4 * cells**3:,} spheres, density {_DENSITY}, against published figures"
    return Table("broad_fluid", title, COLUMNS, rows)


def crystal(cells: int, density: float, seed: int) -> World:
    """Return 4 cells^3 spheres on a face-centred cubic lattice in a periodic cube, at temperature 1, without total momentum."""
    n = 4 * cells**3
    side = (n / density) ** (1.0 / 3.0)
    corner = np.stack(np.meshgrid(*[np.arange(cells)] * 3, indexing="ij"), axis=-1).reshape(-1, 1, 3)
    sites = corner + np.array([[0.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.5, 0.0, 0.5], [0.0, 0.5, 0.5]])
    velocities = np.random.default_rng(seed).standard_normal((n, 3))
    velocities -= velocities.mean(axis=0)
    velocities *= np.sqrt(3 * (n - 1) / np.sum(velocities**2))
    world = World(response=Elastic(), periodic=(side, side, side))
    world.add_many(Sphere(0.5), sites.reshape(-1, 3) * (side / cells), velocities)
    return world
