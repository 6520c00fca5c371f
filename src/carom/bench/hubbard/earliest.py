"""Figure 7: the earliest intersection of random hypertrapezoids, by every method."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from carom.bench.hubbard.horn_picture import draw_horns
from carom.bench.hubbard.section import Section
from carom.bench.hubbard.steered_cubes import HALF, apart, directions
from carom.bench.plotting import COLOURS, label, new_figure, plain_heights, save
from carom.bench.progress import Bar
from carom.bench.report import Cell, Claim, Table
from carom.bounds.meetings.earliest import EarliestSearch
from carom.bounds.space_time import SpaceTimeBounds, space_time_bounds
from carom.errors import AuditError
from carom.motion import Guided

METHODS: dict[str, tuple[str, int]] = {
    "all pairs": ("brute-force", 2),
    "neighbours": ("fast", 2),
    "projection": ("projection", 2),
    "subdiv. 2": ("subdivision", 2),
    "subdiv. 32": ("subdivision", 32),
}
"""Name in tables -> method, and number of bounds that a cell compares without being halved."""
_TESTS = {100: 200, 1000: 20}
_SPACINGS = (4.0, 12.0)  # Mean distance of cubes, in sides
_SPAN = 2.0
_TARGETS = {100: 2.5, 1000: 8.0}
_SAME = 1e-9
_REPEATS = 5

NOTE = (
    "Earliest intersection: random sets of hypertrapezoids of cubes that are separate at the start, without cutting planes as "
    "in the paper; wall-clock time of one search from Python, best of 5; the methods take turns. All pairs: closed form, "
    "limited by the earliest time so far. Checked in every test: all methods give the same time."
)


def hypertrapezoids(seed: int, n: int) -> SpaceTimeBounds:
    """Return bounds of n cubes over two seconds, with a density that depends on the seed."""
    rng = np.random.default_rng(seed)
    size = 2.0 * HALF * rng.uniform(*_SPACINGS) * n ** (1.0 / 3.0)
    centres, velocities = apart(rng, n, size), directions(rng, n) * rng.uniform(0.5, 1.5, (n, 1))
    pushes = rng.uniform(0.2, 2.0, n)
    motions = [Guided(*state, _SPAN) for state in zip(centres, velocities, pushes, strict=True)]
    return space_time_bounds(motions, HALF, cubes=True)


def measure_search(bounds: SpaceTimeBounds, searches: dict[str, EarliestSearch]) -> tuple[float, dict[str, float]]:
    """Return the time of the earliest intersection, s, and the seconds of each method; AuditError if methods disagree."""
    seconds = dict.fromkeys(searches, np.inf)
    expected, _, _ = searches["all pairs"].horns(bounds)
    for _ in range(_REPEATS):
        for name, search in searches.items():
            begin = time.perf_counter()
            found, _, _ = search.horns(bounds)
            seconds[name] = min(seconds[name], time.perf_counter() - begin)
            if not (found == expected or abs(found - expected) <= _SAME):
                raise AuditError(f"{name} finds the first intersection at {found}, all pairs at {expected}")
    return expected, seconds


def bench_earliest(out: Path, quick: bool, bar: Bar) -> Section:
    """Make two tables, one of all tests, and the picture."""
    tests: list[tuple[Cell, ...]] = []
    for n, count in _TESTS.items():
        searches = {name: EarliestSearch(n, method, few) for name, (method, few) in METHODS.items()}
        for seed in bar.track(range(max(4, count // 50) if quick else count), f"earliest intersection, {n} bodies"):
            first, seconds = measure_search(hypertrapezoids(seed, n), searches)
            tests.append((n, first, *(1e6 * seconds[name] for name in METHODS)))
    columns = ("bodies", "first, s", *(f"{name}, µs" for name in METHODS))
    each = Table("hubbard_earliest_tests", "Every single search", columns, tests, shown=False)
    summary = summarised(each)
    part = Section([NOTE], [summary, each])
    for row in summary.rows:
        cells = dict(zip(summary.columns, row, strict=True))
        n = int(cells["bodies"])
        what = f"neighbours first over all pairs, {n:,} bodies, median"
        part.claims.append(Claim(what, float(cells["pairs / neighb."]), "at least", _TARGETS[n], "x"))
        if n == 100:
            for few in (2, 32):
                what = f"projection over subdivision ({few}), {n} bodies, median (paper: above 1 in all tests)"
                part.claims.append(Claim(what, float(cells[f"subdiv. {few} / proj."]), "at least", 1.0, "x"))
    part.pictures.append(draw_horns(out / "hubbard_horns.png"))
    part.pictures.append(draw_earliest(each, out / "hubbard_figure_7.png"))
    return part


def summarised(tests: Table) -> Table:
    """Return medians for each number of bodies."""
    rows: list[tuple[Cell, ...]] = []
    for n in dict.fromkeys(tests.column("bodies")):
        own = np.array([row[2:] for row in tests.rows if row[0] == n], dtype=np.float64)
        pairs, neighbours, projection, two, many = own.T
        ratios = (pairs / neighbours, two / projection, many / projection)
        faster = 100.0 * float((np.minimum(two, many) > projection).mean())
        rows.append(
            (n, len(own), *(float(x) for x in np.median(own, axis=0)), *(float(np.median(x)) for x in ratios), faster)
        )
    columns = (
        "bodies", "tests", *(f"{name}, µs" for name in METHODS),
        "pairs / neighb.", "subdiv. 2 / proj.", "subdiv. 32 / proj.", "proj. faster, %",
    )  # fmt: skip
    return Table("hubbard_earliest", "Figure 7: the earliest intersection of space-time bounds, medians", columns, rows)


def draw_earliest(tests: Table, path: Path) -> Path:
    """Draw speedups of projection over subdivision, as in the paper, and of neighbours over all pairs, by the time found."""
    sizes = list(dict.fromkeys(tests.column("bodies")))
    figure, panels = new_figure(len(sizes), "Earliest intersection of space-time bounds (figure 7)")
    ratios = (
        ("subdiv. 2", "projection", "projection over subdivision, 2", COLOURS["swept"], "o"),
        ("subdiv. 32", "projection", "projection over subdivision, 32", COLOURS["uniform-grid"], "s"),
        ("all pairs", "neighbours", "neighbours first over all pairs", COLOURS["kinetic"], "^"),
    )
    for panel, n in zip(panels, sizes, strict=True):
        rows = [dict(zip(tests.columns, row, strict=True)) for row in tests.rows if row[0] == n]
        first = [min(float(row["first, s"]), _SPAN) for row in rows]
        for slow, fast, name, colour, marker in ratios:
            speedup = [float(row[f"{slow}, µs"]) / float(row[f"{fast}, µs"]) for row in rows]
            panel.plot(first, speedup, marker, markersize=3.5, color=colour, label=name, alpha=0.7)
        panel.axhline(1.0, color="#444444", linewidth=0.8)
        panel.set_yscale("log")
        plain_heights(panel)
        panel.legend(fontsize=8, frameon=False)
        label(
            panel,
            f"{n:,} bodies",
            "time of the first intersection, s",
            "speedup",
            "Paper (100 bodies): projection faster in all tests",
        )
    return save(figure, path)
