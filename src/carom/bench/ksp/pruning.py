"""Section 5.1: how many exact tests swept boxes cost beyond kinetic ones, at low frame rates."""

from __future__ import annotations

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import run_scene
from carom.errors import AuditError
from carom.scenes.rings import rings

COLUMNS = ("frequency, Hz", "kinetic tests", "swept tests", "more tests, %", "collisions")


def measure_pruning(quick: bool, bar: Bar) -> Table:
    """Exact tests, run as soon as two bounds overlap, over the same time; both methods give the same contacts."""
    n, duration = (80, 2.0) if quick else (1000, 10.0)
    rates = [1.0, 30.0] if quick else [1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0]
    scene = rings(objects=n, density=0.01, seed=5)
    kinetic = run_scene(scene, 0.0, duration, narrow="eager")
    tests = kinetic.stats.narrow_tests
    rows: list[tuple[Cell, ...]] = []
    for rate in bar.track(rates, "exact tests of swept and kinetic boxes"):
        swept = run_scene(scene, rate, duration, "swept", narrow="eager")
        if not swept.log.identical(kinetic.log):
            raise AuditError(f"exact tests at {rate:g} Hz: kinetic and swept report different contacts")
        more = 100.0 * (swept.stats.narrow_tests / tests - 1.0)
        rows.append((rate, tests, swept.stats.narrow_tests, more, len(kinetic.log)))
    title = f"Exact tests, {n} rings for {duration:g} s: boxes swept over a frame against kinetic boxes"
    return Table("ksp_tests", title, COLUMNS, rows)
