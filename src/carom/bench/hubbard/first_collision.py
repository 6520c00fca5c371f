"""Figures 11 and 12: time to find the first collision of steered cubes, with space-time bounds and with Turk's grid."""

from __future__ import annotations

import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom._compile.clock import ticks_per_second
from carom.baselines.steered_cubes import first_overlap_by_bounds
from carom.baselines.step_grid import first_overlap_by_steps
from carom.bench.hubbard.section import Section
from carom.bench.hubbard.steered_cubes import HALF, STEP, SteeredCubes, steered_cubes
from carom.bench.plotting import COLOURS, label, new_figure, plain_heights, save
from carom.bench.progress import Bar
from carom.bench.report import Cell, Claim, Table
from carom.errors import AuditError
from carom.tables.body_columns import NO_ID

CELLS = (4.0, 8.0, 16.0)
"""Sides of a cell, in sides of a cube; each test uses the fastest."""
_SCENES = ((100, 16.0, 2000, 200), (1000, 30.0, 1500, 24), (1000, 40.0, 2000, 24), (100, 4.0, 500, 40))
"""Bodies, spacing in sides of a cube, largest number of steps, tests. In the last, dense one collisions come early."""
_SPARSE = 10.0
_TARGETS = {100: 5.0, 1000: 7.0}
_WORST = 0.5
_REPEATS = 4
_NEAR = 64

NOTE = (
    "First collision: cubes under random forces, of which only a limit, a direction and an expiry are known; "
    "detection only, best of 4; both methods take turns, with all steps in one compiled call each. Turk's grid tests "
    "every step; its cells have 4, 8 or 16 sides, whichever is fastest in that test (cells of one side, as usual, are "
    "3 to 10 times slower in such sparse scenes). Checked in every test: the same pair at the same step."
)


@dataclass(frozen=True)
class Found:
    """First step with an overlap, the pair, and the seconds of the search."""

    step: int
    pair: tuple[int, int]
    seconds: float


def _grid_room(n: int) -> tuple[NDArray[np.int64], ...]:
    return np.full(1 << (2 * n).bit_length(), NO_ID), np.empty(8 * n, np.int64), np.empty(8 * n, np.int64)


_UNTIMED = np.empty(0)


def by_steps(scene: SteeredCubes, cell: float, spent: NDArray[np.float64] = _UNTIMED) -> Found:
    """Search with Turk's grid at every step. cell: side of a cell in sides of a cube."""
    heads, following, entered = _grid_room(scene.bodies)
    begin = time.perf_counter()
    step, i, j = first_overlap_by_steps(scene.positions, HALF, 2.0 * HALF * cell, heads, following, entered, spent)
    return Found(step, (i, j), time.perf_counter() - begin)


def by_bounds(scene: SteeredCubes, spent: NDArray[np.float64] = _UNTIMED) -> Found:
    """Search with space-time bounds."""
    n = scene.bodies
    known = scene.positions, scene.velocities, STEP, scene.set_ends, scene.limits, scene.directions
    room = (
        np.empty((n, 12)), np.zeros((n, 5)), np.empty(n, np.int64), np.empty(n + 1, np.int64), np.empty((6, n)),
        np.empty((_NEAR, 2), np.int64),
    )  # fmt: skip
    grid = _grid_room(n)
    begin = time.perf_counter()
    step, i, j, _ = first_overlap_by_bounds(known, HALF, 2.0 * HALF * CELLS[1], room, grid, spent)
    return Found(step, (i, j), time.perf_counter() - begin)


def compare(scene: SteeredCubes) -> tuple[Found, Found]:
    """Return the fastest runs by bounds and by steps; AuditError unless they find the same collision."""
    bounds = by_bounds(scene)
    steps = by_steps(scene, CELLS[1])
    for _ in range(_REPEATS):
        for found in (by_bounds(scene), *(by_steps(scene, cell) for cell in CELLS)):
            if (found.step, found.pair) != (bounds.step, bounds.pair):
                raise AuditError(f"bounds find {bounds.pair} at step {bounds.step}; another run {found}")
        bounds = min(bounds, by_bounds(scene), key=lambda run: run.seconds)
        steps = min(steps, *(by_steps(scene, cell) for cell in CELLS), key=lambda run: run.seconds)
    return bounds, steps


def bench_first_collision(out: Path, quick: bool, bar: Bar) -> Section:
    """Make tables of all tests and of frame times, and the pictures."""
    tests: list[tuple[Cell, ...]] = []
    frames: dict[str, list[NDArray[np.float64]]] = {"space-time bounds": [], "Turk's grid": []}
    for n, spacing, n_steps, count in _SCENES:
        what = f"first collision, {n:,} bodies {spacing:g} apart"
        for seed in bar.track(range(max(3, count // 40) if quick else count), what):
            scene = steered_cubes(seed, n, spacing, n_steps)
            bounds, steps = compare(scene)
            speedup = steps.seconds / bounds.seconds
            tests.append((n, spacing, STEP * bounds.step, 1e6 * steps.seconds, 1e6 * bounds.seconds, speedup))
            if (n, spacing) == _SCENES[0][:2]:
                for name, times in zip(frames, frame_times(scene, bounds.step), strict=True):
                    frames[name].append(times)
    columns = ("bodies", "spacing", "first, s", "Turk, µs", "bounds, µs", "Turk / bounds")
    each = Table("hubbard_collision_tests", "Every single scene", columns, tests, shown=False)
    summary, histogram = summarised(each), binned({name: np.concatenate(times) for name, times in frames.items()})
    part = Section([NOTE], [summary, each, histogram])
    for row in summary.rows:
        found = {name: float(cell) for name, cell in zip(summary.columns, row, strict=True)}
        scenes = f"{found['bodies']:,.0f} bodies, {found['spacing']:g} sides apart"
        if found["spacing"] > _SPARSE:
            what = f"space-time bounds over Turk's grid, {scenes}, median"
            target = _TARGETS[int(found["bodies"])]
            part.claims.append(Claim(what, found["speedup, median"], "at least", target, "x"))
        part.claims.append(Claim(f"the least of them, {scenes}", found["least"], "at least", _WORST, "x"))
    part.pictures.append(draw_collisions(each, out / "hubbard_figure_11.png"))
    part.pictures.append(draw_frames(histogram, out / "hubbard_figure_12.png"))
    return part


def frame_times(scene: SteeredCubes, last: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return microseconds of every frame up to the first collision, by bounds and by steps."""
    n_steps = len(scene.positions)
    bounds, steps = np.zeros(n_steps), np.zeros(n_steps)
    by_bounds(scene, bounds)
    by_steps(scene, CELLS[1], steps)
    used = min(last + 1, n_steps)
    scale = 1e6 / ticks_per_second()
    return bounds[:used] * scale, steps[:used] * scale


def summarised(tests: Table) -> Table:
    """Return medians and the worst case for each kind of scene."""
    rows: list[tuple[Cell, ...]] = []
    for kind in dict.fromkeys((row[0], row[1]) for row in tests.rows):
        own = np.array([row[2:] for row in tests.rows if row[:2] == kind], dtype=np.float64)
        _, turk, bounds, speedup = np.median(own, axis=0)
        worst, best = own[:, 3].min(), own[:, 3].max()
        rows.append((*kind, len(own), float(turk), float(bounds), float(speedup), float(worst), float(best)))
    columns = ("bodies", "spacing", "tests", "Turk, µs", "bounds, µs", "speedup, median", "least", "most")
    title = "Figure 11: detection up to the first collision of steered cubes"
    return Table("hubbard_first_collision", title, columns, rows)


def binned(frames: dict[str, NDArray[np.float64]]) -> Table:
    """Return the fraction of frames by duration."""
    edges = (0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, np.inf)
    rows: list[tuple[Cell, ...]] = []
    for low, high in pairwise(edges):
        shares = [100.0 * float(((times >= low) & (times < high)).mean()) for times in frames.values()]
        rows.append((low, high, *shares))
    columns = ("from, µs", "below, µs", *(f"{name}, % of frames" for name in frames))
    return Table("hubbard_frame_times", "Figure 12: frames by the time that detection took, 100 bodies", columns, rows)


def draw_collisions(tests: Table, path: Path) -> Path:
    """Draw the speedup of every test by the time of the first collision, one panel per kind of scene."""
    kinds = list(dict.fromkeys((row[0], row[1]) for row in tests.rows))
    figure, panels = new_figure(len(kinds), "Space-time bounds over Turk's grid (figure 11, detection only)", width=5.0)
    for panel, (n, spacing) in zip(panels, kinds, strict=True):
        rows = [row for row in tests.rows if row[:2] == (n, spacing)]
        first, speedup = [float(row[2]) for row in rows], [float(row[5]) for row in rows]
        panel.plot(first, speedup, "o", markersize=4, color=COLOURS["kinetic"], alpha=0.7)
        panel.axhline(1.0, color="#444444", linewidth=0.8)
        panel.axhline(_WORST, color=COLOURS["swept"], linewidth=0.8, linestyle="--", label="least wanted")
        if float(spacing) > _SPARSE:
            median = _TARGETS[int(n)]
            panel.axhline(median, color=COLOURS["kinetic-grid"], linestyle="--", linewidth=0.8, label="median wanted")
        panel.set_yscale("log")
        plain_heights(panel)
        panel.legend(fontsize=8, frameon=False)
        label(panel, f"{n:,} bodies, {spacing:g} sides apart", "time of the first collision, s", "speedup")
    return save(figure, path)


def draw_frames(histogram: Table, path: Path) -> Path:
    """Draw the fraction of frames by duration."""
    figure, (panel,) = new_figure(1, "Frames by the time of detection, 100 bodies (figure 12)", width=8.0)
    names = histogram.columns[2:]
    places = np.arange(len(histogram.rows))
    for k, (name, colour) in enumerate(zip(names, (COLOURS["kinetic"], COLOURS["uniform-grid"]), strict=True)):
        shares = [float(row[2 + k]) for row in histogram.rows]
        panel.bar(places + 0.4 * k - 0.2, shares, 0.4, color=colour, label=name.partition(",")[0])
    panel.set_xticks(places, [f"{float(row[0]):g} to {float(row[1]):g}" for row in histogram.rows], rotation=30)
    panel.legend(fontsize=9, frameon=False)
    label(
        panel, "All frames of all tests", "detection in a frame, µs", "frames, %", "Paper: almost none on most frames"
    )
    return save(figure, path)
