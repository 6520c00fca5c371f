"""Cost of every broad phase by number of bodies: CPU seconds per simulated second, scene by scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from carom.bench.broad.methods import Method
from carom.bench.broad.runs import Reference, Stretch, pilot, run_for, shortest
from carom.bench.broad.scenes import SCENES, BenchScene
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.engine.broad_phases import AUTO
from carom.scenes.scene import Scene

SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000)
SKIPPED = "skipped"
COLUMNS = ("scene", "objects", "method", "CPU s / simulated s", "simulated s", "contacts", "start, CPU s", "runs")
AUTO_COLUMNS = ("scene", "objects", "best single choice", "best", "auto", "auto / best", "auto runs")

_PILOT = 0.01
_SLOW = 0.1  # CPU seconds of a first run, and of another run of a method that is far from the fastest
_CLOSE = 1.7  # Methods at most this many times slower than the fastest are run again, in turns
_TURNS = 1.0  # CPU seconds for the turns of one method


@dataclass(frozen=True)
class Point:
    """The cost of a method for a scene of `objects` bodies; None if it was skipped."""

    scene: str
    objects: int
    method: str
    best: Stretch | None

    @property
    def cost(self) -> float:
        """CPU seconds per simulated second; inf if skipped."""
        return self.best.cost if self.best else math.inf


@dataclass
class Sweep:
    """All points, in the order of measurement."""

    points: list[Point] = field(default_factory=list)

    def cost(self, scene: str, objects: int, method: str) -> float:
        """Return CPU seconds per simulated second; inf if not measured."""
        asked = (scene, objects, method)
        return next((p.cost for p in self.points if (p.scene, p.objects, p.method) == asked), math.inf)

    def scenes(self) -> list[str]:
        """Names of the scenes."""
        return list(dict.fromkeys(p.scene for p in self.points))

    def sizes(self, scene: str) -> list[int]:
        """Numbers of bodies of a scene."""
        return list(dict.fromkeys(p.objects for p in self.points if p.scene == scene))

    def methods(self) -> list[str]:
        """Names of the methods."""
        return list(dict.fromkeys(p.method for p in self.points))

    def curve(self, scene: str, method: str) -> tuple[list[int], list[float]]:
        """Return numbers of bodies and costs, as far as measured."""
        known = [p for p in self.points if p.scene == scene and p.method == method and p.best]
        return [p.objects for p in known], [p.cost for p in known]

    def exponent(self, scene: str, method: str) -> float:
        """Return the slope of the cost in logarithms; nan with fewer than two points."""
        n, cost = self.curve(scene, method)
        return float(np.polyfit(np.log(n), np.log(cost), 1)[0]) if len(n) > 1 else math.nan


def measure_sweep(methods: Sequence[Method], quick: bool, bar: Bar) -> Sweep:
    """Measure every method with every scene and size, except those that would take too long."""
    sizes = (60, 150) if quick else SIZES
    found = Sweep()
    for name, chosen in bar.track(list(SCENES.items()), "cost by number of bodies"):
        left = list(methods)
        fitting = [n for n in sizes if n <= chosen.most]
        for n in bar.track(fitting, f"  {chosen.title}"):
            left = [m for m in left if n <= m.most and _predicted(found, name, n, m) <= m.patience]
            best = _measure(chosen, chosen.make(n), n, left, quick)
            found.points += [Point(name, n, m.name, best.get(m.name)) for m in methods]
    return found


def _predicted(found: Sweep, scene: str, n: int, method: Method) -> float:
    """Predict the CPU seconds of a first run with n bodies from the last sizes; 0 without data."""
    known = [p for p in found.points if p.scene == scene and p.method == method.name and p.best]
    if not known:
        return 0.0
    last = known[-1]
    assert last.best
    slope = 2.0
    if len(known) > 1:
        slope = math.log(last.cost / known[-2].cost) / math.log(last.objects / known[-2].objects)
    growth = n / last.objects
    first_look = 5.0 * shortest(method) * last.cost * growth ** min(max(slope, 1.0), 3.0)
    return last.best.start_seconds * growth**1.5 + first_look


def _measure(chosen: BenchScene, scene: Scene, n: int, methods: Sequence[Method], quick: bool) -> dict[str, Stretch]:
    """Return the best run of every method; all logs are compared."""
    reference = Reference(f"{chosen.title}, N = {n}")
    scene.build()  # shapes build their trees once, before the clock
    best: dict[str, Stretch] = {}
    for method in methods:
        best[method.name] = first = pilot(scene, method, 0.05 * chosen.longest if quick else chosen.longest, _PILOT)
        reference.check(method.name, first.log, first.end)
    if quick:
        return best
    fastest = min(run.cost for run in best.values())
    window = min(chosen.longest, _window(n) / fastest)
    close: list[Method] = []
    for method in methods:
        first = best[method.name]
        if method.name == AUTO or first.cost <= _CLOSE * fastest:
            close.append(method)
        elif first.seconds < _SLOW:
            length = min(window, max(shortest(method), _SLOW / first.cost))
            again = [run_for(scene, method, length) for _ in range(chosen.repeats)]
            for run in again:
                reference.check(method.name, run.log, run.end)
            best[method.name] = min(again, key=lambda run: run.cost)
    taken = max(best[m.name].start_seconds + window * best[m.name].cost for m in close)
    turns: dict[str, Stretch] = {}
    for _ in range(max(5, min(12, round(_TURNS / taken)))):
        for method in close:
            run = run_for(scene, method, window)
            reference.check(method.name, run.log, run.end)
            if method.name not in turns or run.cost < turns[method.name].cost:
                turns[method.name] = run
    return best | turns


def _window(n: int) -> float:
    """Return the CPU seconds of a measured run of the fastest method: auto re-evaluates all bodies now and then."""
    return 0.05 * (1.0 + n / 10_000)


def points_table(found: Sweep) -> Table:
    """Return every measured point, for files."""
    rows: list[tuple[Cell, ...]] = []
    for p in found.points:
        run = p.best
        if run:
            stretch = run.end - run.lead
            rows.append((p.scene, p.objects, p.method, p.cost, stretch, len(run.log), run.start_seconds, run.runs))
        else:
            rows.append((p.scene, p.objects, p.method, SKIPPED, 0.0, 0, 0.0, ""))
    return Table("broad_points", "Cost of broad phases, point by point", COLUMNS, rows, shown=False)


def scene_tables(found: Sweep) -> list[Table]:
    """Return the cost of each scene by method and size, with the fitted exponent."""
    tables = []
    for scene in found.scenes():
        sizes = found.sizes(scene)
        rows: list[tuple[Cell, ...]] = []
        for method in found.methods():
            costs = [found.cost(scene, n, method) for n in sizes]
            cells: list[Cell] = [cost if math.isfinite(cost) else SKIPPED for cost in costs]
            exponent = found.exponent(scene, method)
            rows.append((method, *cells, exponent if math.isfinite(exponent) else "-"))
        title = f"{SCENES[scene].title}: CPU seconds per simulated second, by number of bodies"
        columns = ("method", *(f"{n:,}" for n in sizes), "exponent")
        tables.append(Table(f"broad_{scene.replace(' ', '_').replace(':', '_to_')}", title, columns, rows))
    return tables


def auto_table(found: Sweep) -> Table:
    """Return the cost of auto beside the best single choice."""
    rows: list[tuple[Cell, ...]] = []
    for scene in found.scenes():
        for n in found.sizes(scene):
            points = [p for p in found.points if (p.scene, p.objects) == (scene, n) and p.best]
            auto = next((p for p in points if p.method == AUTO), None)
            others = [p for p in points if p.method != AUTO]
            if auto and auto.best and others:
                best = min(others, key=lambda p: p.cost)
                rows.append((scene, n, best.method, best.cost, auto.cost, auto.cost / best.cost, auto.best.runs))
    title = "The automatic choice beside the best single one: CPU seconds per simulated second"
    return Table("broad_auto", title, AUTO_COLUMNS, rows)
