"""Counts of the kinetic sweep: narrow tests beside those of swept boxes (section 5.1), and swaps."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import run_scene
from carom.bench.turns import SameAsFirst
from carom.scenes.gas import gas
from carom.scenes.rings import rings
from carom.scenes.scene import Scene

ALONE, WALLED = "rings alone", "rings in their box"


def measure_pruning(quick: bool, bar: Bar) -> Table:
    """Narrow tests at low frame rates, each run as soon as two bounds overlap.

    The scene is measured with and without its walls: bounces off walls cost both methods the same tests. The paper does not
    say whether its rings had walls.
    """
    n, duration = (150, 4.0) if quick else (1000, 10.0)
    rates = [1.0, 30.0] if quick else [1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0]
    walled = rings(objects=n, density=0.01, seed=5)
    scenes = {ALONE: _first_bodies(walled, n), WALLED: walled}
    rows: list[tuple[Cell, ...]] = []
    same, kinetic = {name: SameAsFirst(name, "log") for name in scenes}, {}
    for name, scene in scenes.items():
        kinetic[name] = run_scene(scene, 0.0, duration, narrow="eager")
        same[name]("kinetic", kinetic[name])
    for name, rate in bar.track(list(itertools.product(scenes, rates)), "narrow tests of swept and kinetic boxes"):
        swept = run_scene(scenes[name], rate, duration, "swept", narrow="eager")
        same[name](f"swept at {rate:g} Hz", swept)
        tests = max(1, kinetic[name].stats.narrow_tests)
        more = 100.0 * (swept.stats.narrow_tests / tests - 1.0)
        rows.append((name, rate, tests, swept.stats.narrow_tests, more, len(swept.log)))
    title = f"Narrow tests, {n} rings for {duration:g} s: boxes swept over a frame against kinetic boxes"
    columns = ("scene", "frequency, Hz", "kinetic tests", "swept tests", "more tests, %", "collisions")
    return Table("ksp_tests", title, columns, rows)


def _first_bodies(scene: Scene, n: int) -> Scene:
    """The scene without its walls, which follow the first n bodies."""
    names = ("shape_index", "positions", "velocities", "accelerations", "orientations", "masses", "groups", "names")
    return dataclasses.replace(scene, **{name: getattr(scene, name)[:n] for name in names})


def measure_swaps(quick: bool, bar: Bar) -> Table:
    """Swaps of the sorted lists by number of bodies, with the fitted exponent: rings and hard spheres at density 1 %."""
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
    title = "Swaps against the number of bodies, density 1 % (theory for a gas: n^(5/3))"
    return Table("ksp_swaps", title, ("scene", "objects", "swaps / simulated s", "fitted exponent"), rows)
