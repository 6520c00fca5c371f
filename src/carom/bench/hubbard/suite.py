"""`carom bench hubbard`: the figures of Hubbard's paper on collision detection for interactive graphics (1995)."""

from __future__ import annotations

from pathlib import Path

from carom.bench.hubbard.crowd_frames import measure_crowd
from carom.bench.hubbard.earliest import bench_earliest
from carom.bench.hubbard.first_collision import bench_first_collision
from carom.bench.hubbard.lamp_trees import measure_trees
from carom.bench.hubbard.section import Measure
from carom.bench.hubbard.ship_frames import measure_ships
from carom.bench.hubbard.tree_speed import measure_speed
from carom.bench.progress import Bar
from carom.bench.report import Report

SECTIONS: tuple[Measure, ...] = (
    bench_earliest, bench_first_collision, measure_trees, measure_speed, measure_ships, measure_crowd,
)  # fmt: skip
"""Parts in the order of the report."""


def bench_hubbard(out: Path, quick: bool, bar: Bar) -> Report:
    """Measure every part."""
    report = Report("hubbard")
    for measure in SECTIONS:
        section = measure(out, quick, bar)
        report.notes += section.notes
        report.tables += section.tables
        report.claims += section.claims
        report.pictures += section.pictures
    return report
