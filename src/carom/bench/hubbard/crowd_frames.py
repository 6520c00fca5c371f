"""Figures 16 and 17 at today's scale: a thousand bodies of 5000 triangles in close traffic, 2 ms of detection per frame."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from carom.bench.hubbard.section import Section
from carom.bench.hubbard.traffic import Detected, Traffic
from carom.bench.plotting import COLOURS, label, new_figure, plain_ticks, save
from carom.bench.progress import Bar
from carom.bench.report import Cell, Claim, Table
from carom.bench.turns import no_garbage
from carom.errors import AuditError
from carom.play import ship_tree

Floats = NDArray[np.float64]

BUDGET = 0.002
"""Wall-clock seconds of detection per frame: broad phase, narrow phase and Python."""
_SHARE = 99.9
_LONGER = 5.0  # Target: how many times longer frames take without the budget
_PERIOD = 0.008  # Seconds from frame to frame: the rest is slept, as a program does that waits for its display
_UNBOUNDED = 60  # Number of frames without a budget, before and after
_LEAST_SHOWN = 1e-3  # Radii; smaller bounds are drawn at this height
_CHECKED = 500  # One of so many frames is compared with the exact answer
FRAME_COLUMNS = (
    "frame", "wall, ms", "processor, ms", "pairs", "taken to touch", "exact pairs, %", "least level", "bound, radii",
)  # fmt: skip
COLUMNS = ("of a frame", "least", "1 of 100", "median", "99 of 100", "99.9 of 100", "most")

NOTE = (
    "Crowd: lamps of 5170 triangles that tumble and bounce, with ten others within reach of each. Detection has 2 ms "
    "of wall-clock time per frame in total, on one thread; frames are 8 ms apart; work stops early by the time that "
    "recent frames needed after it. Processor time is that of the thread: if only wall-clock time exceeds the budget, "
    "another program had the processor. One of 500 frames is checked: all pairs in reach are tested, and none that "
    "touches is reported as separate. Bounds are the largest of all pairs taken to touch; -1 is the level of pairs "
    "that were not reached (they count as touching)."
)


def measure_crowd(out: Path, quick: bool, bar: Bar) -> Section:
    """Measure frames with and without the budget."""
    bodies, triangles, levels, frames = (60, 626, 2, 30) if quick else (1000, 5100, 4, 10_000)
    bar.say(f"crowd: the sphere-tree of a lamp of {triangles} triangles")
    traffic = Traffic(ship_tree(levels, triangles), bodies)
    run_frame(traffic, None)  # compiles
    unbounded = [run_frame(traffic, None) for _ in range(_UNBOUNDED)]
    rows: list[tuple[Cell, ...]] = []
    with no_garbage():
        for k in bar.track(range(frames), f"{bodies:,} bodies, 2 ms per frame"):
            begin = time.perf_counter()
            found = run_frame(traffic, BUDGET)
            rows.append(frame_row(k, found, traffic))
            if k % _CHECKED == 0:
                check(traffic, found)
            time.sleep(max(0.0, _PERIOD - (time.perf_counter() - begin)))
    unbounded += [run_frame(traffic, None) for _ in range(_UNBOUNDED)]
    each = Table("hubbard_crowd_frames", "Every frame with the budget", FRAME_COLUMNS, rows, shown=False)
    free = 1e3 * np.array([found.cpu_seconds for found in unbounded])
    title = f"{bodies:,} bodies in close traffic, 2 ms of detection per frame, {frames:,} frames; the last row without a budget"
    summary = Table("hubbard_crowd", title, COLUMNS, [*summary_rows(each), percentiles("without budget, ms", free)])
    return Section([NOTE], [summary, each], claims(each, free), [draw_crowd(each, free, out / "hubbard_crowd.png")])


def run_frame(traffic: Traffic, budget: float | None) -> Detected:
    """Move, detect, and let bodies bounce that are taken to touch."""
    traffic.move()
    found = traffic.detect(budget)
    traffic.bounce(found)
    return found


def frame_row(k: int, found: Detected, traffic: Traffic) -> tuple[Cell, ...]:
    """A row of FRAME_COLUMNS."""
    answers = found.answers
    levels = np.where(answers.exact, traffic.levels + 1, answers.level)
    reached = answers.error_bound[answers.level >= 0]
    return (
        k, 1e3 * found.seconds, 1e3 * found.cpu_seconds, len(found.pairs), int(answers.hit.sum()),
        100.0 * float(answers.exact.mean()) if len(answers) else 100.0, int(levels.min(initial=traffic.levels + 1)),
        float(reached.max(initial=0.0)) / traffic.radius,
    )  # fmt: skip


def check(traffic: Traffic, found: Detected) -> None:
    """Raise AuditError if a pair in reach was not tested, or one that touches is reported as separate; after `run_frame`."""
    reach = cKDTree(traffic.positions).query_pairs(2.0 * traffic.radius)
    seen = {(int(a), int(b)) for a, b in found.pairs}
    if reach - seen:
        raise AuditError(f"{len(reach - seen)} pairs whose bounding spheres touch were not tested")
    missed = traffic.touching(found.pairs) & ~found.answers.hit
    if missed.any():
        raise AuditError(f"{int(missed.sum())} pairs that touch are reported as separate")


def percentiles(name: str, values: Floats) -> tuple[Cell, ...]:
    """A row of COLUMNS."""
    return (name, *(float(v) for v in np.percentile(values, (0.0, 1.0, 50.0, 99.0, 99.9, 100.0))))


def summary_rows(each: Table) -> list[tuple[Cell, ...]]:
    """Return percentiles of all columns."""
    return [percentiles(name, np.array(each.column(name), dtype=np.float64)) for name in FRAME_COLUMNS[1:]]


def claims(each: Table, free: Floats) -> list[Claim]:
    """Compare the fraction of frames within the budget, and the duration of frames without."""
    wall, own = (np.array(each.column(name), dtype=np.float64) for name in ("wall, ms", "processor, ms"))
    longer = 1e-3 * float(np.median(free)) / BUDGET
    return [
        Claim("frames that end within 2 ms of wall-clock time", _share(wall), "at least", _SHARE, "%"),
        Claim("frames that end within 2 ms of processor time", _share(own), "at least", _SHARE, "%"),
        Claim("a frame without the budget, median, over 2 ms", longer, "at least", _LONGER, "x"),
    ]


def _share(milliseconds: Floats) -> float:
    """Return the percentage of frames within the budget."""
    return 100.0 * float((milliseconds <= 1e3 * BUDGET).mean())


def draw_crowd(each: Table, free: Floats, path: Path) -> Path:
    """Draw times with and without the budget, and the accuracy."""
    figure, panels = new_figure(3, "A crowd with 2 ms of detection per frame", width=5.4, height=4.4)
    wall = np.array(each.column("wall, ms"), dtype=np.float64)
    edges = np.geomspace(0.1, max(50.0, float(free.max()), float(wall.max())), 60)
    for times, name, colour in ((wall, "with the budget", "kinetic"), (free, "without", "swept")):
        panels[0].hist(times, edges, weights=np.full(len(times), 100.0 / len(times)), color=COLOURS[colour], label=name)
    panels[0].axvline(1e3 * BUDGET, color="#111111", linewidth=0.8)
    panels[0].set_xscale("log")
    panels[0].legend(fontsize=8, frameon=False)
    label(panels[0], "Frames by the time of detection", "ms", "frames, %")
    level = np.array(each.column("least level"), dtype=np.int64)
    values, counts = np.unique(level, return_counts=True)
    panels[1].bar(values, 100.0 * counts / len(level), color=COLOURS["kinetic-grid"])
    plain_ticks(panels[1], [float(value) for value in values])
    label(panels[1], "Frames by the least level of their pairs", "level; -1: not reached", "frames, %")
    frame = np.array(each.column("frame"), dtype=np.int64)
    bound = np.maximum(np.array(each.column("bound, radii"), dtype=np.float64), _LEAST_SHOWN)
    panels[2].plot(frame, bound, ",", color=COLOURS["auto"])
    panels[2].set_yscale("log")
    label(panels[2], "Largest error bound of a frame", "frame", "radii")
    return save(figure, path)
