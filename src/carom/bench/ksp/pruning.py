"""Section 5.1: how many narrow tests swept boxes cost beyond kinetic ones, at low frame rates."""

from __future__ import annotations

import dataclasses
import itertools

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import run_scene
from carom.errors import AuditError
from carom.scenes.rings import rings
from carom.scenes.scene import Scene

ALONE, WALLED = "rings alone", "rings in their box"
COLUMNS = ("scene", "frequency, Hz", "kinetic tests", "swept tests", "more tests, %", "collisions")


def measure_pruning(quick: bool, bar: Bar) -> Table:
    """Narrow tests, run as soon as two bounds overlap, over the same time; both methods give the same contacts.

    The scene is taken with and without its walls: bounces off walls cost both methods the same tests and dilute the
    difference. The paper does not say whether its rings had walls.
    """
    n, duration = (150, 4.0) if quick else (1000, 10.0)
    rates = [1.0, 30.0] if quick else [1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0]
    walled = rings(objects=n, density=0.01, seed=5)
    scenes = {ALONE: _first_bodies(walled, n), WALLED: walled}
    kinetic = {name: run_scene(scene, 0.0, duration, narrow="eager") for name, scene in scenes.items()}
    rows: list[tuple[Cell, ...]] = []
    for name, rate in bar.track(list(itertools.product(scenes, rates)), "narrow tests of swept and kinetic boxes"):
        swept = run_scene(scenes[name], rate, duration, "swept", narrow="eager")
        if not swept.log.identical(kinetic[name].log):
            raise AuditError(f"{name} at {rate:g} Hz: kinetic and swept report different contacts")
        tests = max(1, kinetic[name].stats.narrow_tests)
        more = 100.0 * (swept.stats.narrow_tests / tests - 1.0)
        rows.append((name, rate, tests, swept.stats.narrow_tests, more, len(swept.log)))
    title = f"Narrow tests, {n} rings for {duration:g} s: boxes swept over a frame against kinetic boxes"
    return Table("ksp_tests", title, COLUMNS, rows)


def _first_bodies(scene: Scene, n: int) -> Scene:
    """The scene without what follows its first n bodies: the walls."""
    names = ("shape_index", "positions", "velocities", "accelerations", "orientations", "masses", "groups", "names")
    return dataclasses.replace(scene, **{name: getattr(scene, name)[:n] for name in names})
