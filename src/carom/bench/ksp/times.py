"""CPU times of the kinetic sweep beside its competitors: figures 6 to 8, spheres, event queues, and idle polls."""

from __future__ import annotations

import math
import time
from typing import Any

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import METHODS, Run, compare, run_scene
from carom.errors import AuditError
from carom.scenes.gas import gas
from carom.scenes.models import models
from carom.scenes.rings import rings
from carom.shapes import Mesh

RATE = 1000.0
FRAME_RATE = 30.0
"""Hz: interactive frames, for figure 6. A higher rate would only favour an event-driven method."""
EAGER = "all-pairs, eager"
"""The paper's baseline: every pair is tested exactly at once, before its bounding spheres touch."""
CASES: dict[str, dict[str, Any]] = {
    **{method: {"broad": method} for method in METHODS},
    EAGER: {"broad": "all-pairs", "narrow": "eager"},
}
COMPONENTS = ("update", "sort", "narrow")
QUEUES = ("tournament", "heap4", "pairing")


def measure_scaling(quick: bool, bar: Bar) -> Table:
    """Figure 7: CPU time by number of rings, polled at 1000 Hz. The time to start has its own columns."""
    sizes = [60, 120] if quick else list(range(100, 1001, 100))
    duration, repeats = (0.1, 1) if quick else (1.0, 5)
    rows: list[tuple[Cell, ...]] = []
    for n in bar.track(sizes, "figure 7: number of rings"):
        scene = rings(objects=n, density=0.01, seed=n)
        scene.build()  # shapes build their trees once, before the clock
        best = compare(scene, RATE, duration, repeats, f"figure 7, n = {n}", CASES)
        costs = [run.seconds / duration for run in best.values()]
        starts = [best[name].start_seconds for name in ("kinetic", EAGER)]
        rows.append((n, len(best["kinetic"].log), *costs, costs[1] / costs[0], *starts))
    title = "Figure 7: rings, density 1 %, 1000 Hz: CPU seconds per simulated second (start: CPU seconds once)"
    columns = ("objects", "collisions", *CASES, "swept / kinetic", "start, kinetic", f"start, {EAGER}")
    return Table("ksp_figure7", title, columns, rows)


def measure_frequency(quick: bool, bar: Bar) -> Table:
    """Figure 8: CPU time by polling frequency. Components come from runs with the profiler, 'whole' from runs without."""
    n, duration, repeats = (80, 0.2, 1) if quick else (1000, 1.0, 5)
    rates = [30.0, 500.0] if quick else [30.0, 60.0, 100.0, 200.0, 500.0, 1000.0, 2000.0]
    scene = rings(objects=n, density=0.01, seed=8)
    rows: list[tuple[Cell, ...]] = []
    for rate in bar.track(rates, "figure 8: polling frequency"):
        plain = {method: {"broad": method} for method in ("kinetic", "swept")}
        split = {method: {"broad": method, "profile": True} for method in plain}
        whole = compare(scene, rate, duration, repeats, f"figure 8, {rate:g} Hz", plain)
        profiled = compare(scene, rate, duration, repeats, f"figure 8, {rate:g} Hz, profiled", split)
        for method in plain:
            parts = [seconds / duration for seconds in _components(profiled[method])]
            rows.append((rate, method, *parts, whole[method].seconds / duration))
    title = f"Figure 8: {n} rings, density 1 %: CPU seconds per simulated second, by component"
    return Table("ksp_figure8", title, ("frequency, Hz", "method", *COMPONENTS, "whole"), rows)


def _components(run: Run) -> list[float]:
    """Seconds by the profiler's clock, which also runs while other processes have the core."""
    return [getattr(run.stats, f"seconds_{component}") for component in COMPONENTS]


def measure_models(quick: bool, bar: Bar) -> Table:
    """Figure 6: frames per CPU second of bodies with over 6000 triangles each, with response."""
    n, duration, repeats = (10, 0.5, 1) if quick else (100, 10.0, 3)
    scene = models(objects=n)
    shapes = [scene.shapes[k] for k in scene.shape_index]
    triangles = sum(len(shape.faces) for shape in shapes if isinstance(shape, Mesh))
    run_scene(scene, FRAME_RATE, 1.0 / FRAME_RATE)  # builds the trees
    rows: list[tuple[Cell, ...]] = []
    for _ in bar.track([0], "figure 6: complex models"):
        cases = {method: {"broad": method} for method in ("kinetic", "swept")}
        for method, run in compare(scene, FRAME_RATE, duration, repeats, "figure 6", cases).items():
            rate = FRAME_RATE * duration / run.seconds
            rows.append((method, n, triangles, rate, len(run.log), run.stats.narrow_tests))
    columns = ("method", "bodies", "triangles", "frames / CPU s", "collisions", "narrow tests")
    return Table("ksp_figure6", f"Figure 6: complex models, frames of 1/{FRAME_RATE:g} s", columns, rows)


def measure_spheres(quick: bool, bar: Bar) -> Table:
    """Hard spheres, whose narrow phase costs next to nothing, at density 1 %, polled at 1000 Hz."""
    sizes, duration, repeats = ([50], 0.1, 1) if quick else ([300, 1000, 3000], 1.0, 5)
    rows: list[tuple[Cell, ...]] = []
    for n in bar.track(sizes, "spheres at 1000 Hz"):
        cases = {method: {"broad": method} for method in METHODS}
        best = compare(gas(objects=n, packing=0.01, seed=n), RATE, duration, repeats, f"spheres, N = {n}", cases)
        costs = [best[method].seconds / duration for method in METHODS]
        rows.append((n, len(best["kinetic"].log), *costs, costs[1] / costs[0]))
    title = "Hard spheres, density 1 %, 1000 Hz: CPU seconds per simulated second"
    return Table("ksp_spheres", title, ("objects", "collisions", *METHODS, "swept / kinetic"), rows)


def measure_queues(quick: bool, bar: Bar) -> Table:
    """Event queues inside the kinetic sweep, hard spheres in one single step; 'pairing' is the paper's queue."""
    sizes, repeats = ({50: 0.5}, 1) if quick else ({1_000: 4.0, 10_000: 0.4}, 5)
    rows: list[tuple[Cell, ...]] = []
    for n, duration in bar.track(list(sizes.items()), "event queues"):
        scene = gas(objects=n, packing=0.01, seed=2)
        best = compare(scene, 0.0, duration, repeats, f"queues, N = {n}", {queue: {"queue": queue} for queue in QUEUES})
        for queue, run in best.items():
            per_swap = 1e9 * run.seconds / max(1, run.stats.swaps)
            rows.append((n, queue, run.seconds / duration, per_swap, best["pairing"].seconds / run.seconds))
    columns = ("objects", "queue", "CPU s / simulated s", "ns / swap", "pairing heap / this")
    return Table("ksp_queues", "Event queues in the kinetic sweep, hard spheres, density 1 %", columns, rows)


def measure_idle_poll(quick: bool, bar: Bar) -> Table:
    """Cost of a poll when no event is due: the best of several series of polls before the next event."""
    n, polls, repeats = (50, 1_000, 3) if quick else (1000, 20_000, 20)
    world = rings(objects=n, density=0.01, seed=3).build()
    best = math.inf
    for _ in bar.track(range(repeats), "idle polls"):
        world.advance(world.next_event_time())
        start, end = world.time, world.next_event_time()
        instants = [start + (end - start) * 0.9 * (k + 1) / polls for k in range(polls)]
        found = 0
        begin = time.perf_counter()
        for instant in instants:
            found += len(world.advance(instant))
        best = min(best, (time.perf_counter() - begin) / polls)
        if found:
            raise AuditError(f"{found} contacts before the next event at {end}")
    return Table(
        "ksp_idle_poll", "A poll with nothing due", ("objects", "polls", "µs / poll"), [(n, polls, 1e6 * best)]
    )
