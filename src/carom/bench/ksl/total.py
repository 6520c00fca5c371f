"""Figures 10 to 12, left: time for updating the trees and finding every contact, by number of triangles."""

from __future__ import annotations

from dataclasses import dataclass, field

from carom.bench.ksl.ipctk_steps import NAME, ipctk_steps, require_never_late
from carom.bench.ksl.runs import (
    CHORD_FRONT,
    EVENT_LIST,
    LIST,
    SWEPT_FRAMES,
    TIGHT_LIST,
    Run,
    all_cases,
    steady,
    swept_name,
    take_turns,
)
from carom.bench.ksl.scenes import bodies_of, deforming_faces, sizes
from carom.bench.libraries import IPCTK, say_missing
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table

METHODS = (CHORD_FRONT, LIST, EVENT_LIST, TIGHT_LIST, *(swept_name(frames) for frames in SWEPT_FRAMES))


@dataclass
class Totals:
    """The measurements, by scene and nominal size."""

    runs: dict[tuple[str, int], dict[str, Run]] = field(default_factory=dict)
    peer: dict[tuple[str, int], float] = field(default_factory=dict)  # ms of ipctk for an interval
    faces: dict[tuple[str, int], int] = field(default_factory=dict)  # triangles that deform

    def milliseconds(self, scene: str, size: int, method: str) -> float:
        """Return the mean of an interval, ms."""
        return self.peer[scene, size] if method == NAME else self.runs[scene, size][method].milliseconds

    def over(self, scene: str, size: int, slow: str, fast: str) -> float:
        """Return how many times faster `fast` is."""
        return self.milliseconds(scene, size, slow) / self.milliseconds(scene, size, fast)


def measure_total(quick: bool, bar: Bar) -> Totals:
    """Run every scene in every size with every method; AuditError where contacts differ."""
    say_missing([IPCTK], "totals", bar)
    totals = Totals()
    todo = [(scene, n, of.keys) for scene, of in sizes(quick).items() for n in of.faces]
    for scene, n, keys in bar.track(todo, "update and all contacts"):
        bodies = bodies_of(scene, n, keys)
        totals.faces[scene, n] = deforming_faces(bodies)
        runs = totals.runs[scene, n] = take_turns(all_cases(bodies, quick), f"{scene}, {n} triangles")
        if IPCTK.installed:
            seconds, steps = ipctk_steps(bodies, 1 if quick else 2)
            require_never_late(f"{scene}, {n} triangles", bodies[0].times, steps, runs[CHORD_FRONT].contacts)
            totals.peer[scene, n] = 1e3 * float(steady(seconds[1:]).mean())
    return totals


def total_table(totals: Totals) -> Table:
    """Return the table of ms per interval, one column per method."""
    methods = [*METHODS, *([NAME] if totals.peer else [])]
    rows: list[tuple[Cell, ...]] = []
    for (scene, n), runs in totals.runs.items():
        run = runs[CHORD_FRONT]
        counts = (totals.faces[scene, n], len(steady(run.seconds)), len(run.contacts))
        rows.append((scene, *counts, *(totals.milliseconds(scene, n, method) for method in methods)))
    title = "Update and every contact, ms between two keys, one thread (figures 10 to 12, left)"
    return Table("ksl_total", title, ("scene", "triangles", "intervals", "contacts", *methods), rows)


def start_table(totals: Totals) -> Table:
    """Return the table of CPU seconds up to the end of the first interval."""
    rows: list[tuple[Cell, ...]] = [
        (scene, totals.faces[scene, n], *(runs[method].start for method in METHODS))
        for (scene, n), runs in totals.runs.items()
    ]
    title = "Trees, neighbours and the first interval, CPU s"
    return Table("ksl_start", title, ("scene", "triangles", *METHODS), rows, shown=False)
