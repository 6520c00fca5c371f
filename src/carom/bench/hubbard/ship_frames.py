"""Figures 16 and 17: the spaceship simulator frame by frame, with Turk's grid and BSP-trees, and with a target duration."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from carom.bench.hubbard.section import Section
from carom.bench.plotting import COLOURS, label, new_figure, plain_heights, save
from carom.bench.progress import Bar
from carom.bench.report import Cell, Claim, Table
from carom.errors import AuditError
from carom.play import Controls, Frame, Limit, Simulator, ship_tree
from carom.play.screen import Screen
from carom.trees import SphereTree

TURK, EXACT, TARGET, SCARCE = "Turk and BSP", "ours, exact", "ours, target", "ours, scarce"
COLUMNS = (
    "run", "frames", "detection, ms", "99 of 100", "longest", "other, ms", "exact, %", "on target, %", "bound, m", "collisions",
)  # fmt: skip
_TARGET = 1.0 / 60.0
_SCARCE = 1e-4  # Seconds of detection that are not sufficient for eleven lamps
_ON_TARGET = 99.0
_PHASES = ("thrust", "thrust left", "left", "thrust up", "", "thrust right", "down", "roll-left thrust")
_PHASE = 25  # Frames with the same controls

NOTE = (
    "Ships: ten drones around a user's ship, lamps of 626 triangles, that jump back when they touch; 1200 frames of "
    "1/60 s, one thread. The first two runs are exact and checked to give the same collisions in every frame. With a "
    "target of 1/60 s, including drawing into a text buffer, detection gets the remaining time; the scarce run gives "
    "it 100 µs."
)


def user_controls(frame: int) -> Controls:
    """Return the controls of the user's ship, which repeat."""
    return Controls.of(_PHASES[frame // _PHASE % len(_PHASES)].split())


def fly(tree: SphereTree, frames: int, limit: Limit | None, method: str = "bounds", drawn: bool = False) -> list[Frame]:
    """Run the simulator. limit None: the target decides."""
    simulator = Simulator(tree, seed=1, method=method, target=_TARGET, limit=limit)
    screen = Screen(tree.mesh)

    def draw(now: Simulator) -> None:
        screen.lines(now.fleet, 120, 40)

    return [simulator.frame(user_controls(k), draw if drawn else None) for k in range(frames)]


def measure_ships(out: Path, quick: bool, bar: Bar) -> Section:
    """Make all runs, their tables and the picture."""
    tree, frames = ship_tree(2 if quick else 4), 40 if quick else 1200
    exact = Limit(level=tree.levels + 1)
    cases: dict[str, Callable[[], list[Frame]]] = {
        TURK: lambda: fly(tree, frames, exact, "grid-bsp"),
        EXACT: lambda: fly(tree, frames, exact),
        TARGET: lambda: fly(tree, frames, None, drawn=True),
        SCARCE: lambda: fly(tree, frames, Limit(seconds=_SCARCE)),
    }
    runs = {name: cases[name]() for name in bar.track(list(cases), "ships")}
    compare(runs[TURK], runs[EXACT])
    title = "Figures 16 and 17: detection in the spaceship simulator; median, 99 of 100 frames, longest"
    summary = Table("hubbard_ships", title, COLUMNS, [summarised(name, run) for name, run in runs.items()])
    each = Table("hubbard_ship_frames", "Every frame of every run", FRAME_COLUMNS, frame_rows(runs), shown=False)
    on_target = float(summary.column("on target, %")[2])
    claim = Claim("frames of eleven ships that keep to 1/60 s", on_target, "at least", _ON_TARGET, "%")
    return Section([NOTE], [summary, each], [claim], [draw_ships(runs, out / "hubbard_figures_16_17.png")])


def compare(one: list[Frame], other: list[Frame]) -> None:
    """Raise AuditError unless two exact runs have the same collisions in every frame."""
    for a, b in zip(one, other, strict=True):
        if sorted(a.contacts) != sorted(b.contacts):
            raise AuditError(f"frame {a.number}: {TURK} finds {a.contacts}, {EXACT} {b.contacts}")


def summarised(name: str, run: list[Frame]) -> tuple[Cell, ...]:
    """Return a row of COLUMNS."""
    detection = [1e3 * frame.detection for frame in run]
    median, most = np.percentile(detection, (50.0, 99.0))
    return (
        name, len(run), float(median), float(most), max(detection), 1e3 * float(np.median([frame.other for frame in run])),
        100.0 * float(np.mean([frame.exact for frame in run])),
        100.0 * float(np.mean([frame.seconds <= _TARGET for frame in run])),
        max(frame.error_bound for frame in run), sum(len(frame.contacts) for frame in run),
    )  # fmt: skip


FRAME_COLUMNS = ("run", "frame", "detection, ms", "other, ms", "slack, ms", "near", "level", "bound, m", "collisions")


def frame_rows(runs: dict[str, list[Frame]]) -> list[tuple[Cell, ...]]:
    """Return rows of FRAME_COLUMNS."""
    return [
        (
            name, frame.number, 1e3 * frame.detection, 1e3 * frame.other, 1e3 * frame.slack, frame.candidates, frame.level,
            frame.error_bound, len(frame.contacts),
        )
        for name, run in runs.items()
        for frame in run
    ]  # fmt: skip


def draw_ships(runs: dict[str, list[Frame]], path: Path) -> Path:
    """Draw figures 16 and 17, and the level reached in scarce time."""
    figure, panels = new_figure(3, "The spaceship simulator, frame by frame", width=5.4, height=4.4)
    for name, colour in ((TURK, COLOURS["swept"]), (EXACT, COLOURS["kinetic"])):
        panels[0].plot(*_course(runs[name]), color=colour, linewidth=0.8, label=name)
    panels[0].set_yscale("log")
    plain_heights(panels[0])
    panels[0].legend(fontsize=8, frameon=False)
    label(panels[0], "Figure 16: detection, exact", "frame", "ms", "Paper: almost always over 5 s by Turk and BSP")
    _draw_target(panels[1], runs[TARGET])
    number = [frame.number for frame in runs[SCARCE]]
    panels[2].plot(number, [frame.level for frame in runs[SCARCE]], ".", markersize=3, color=COLOURS["kinetic-grid"])
    panels[2].set_yticks(range(max(frame.level for frame in runs[SCARCE]) + 1))
    label(panels[2], "Least level reached in 100 µs of detection", "frame", "level; the highest is exact")
    return save(figure, path)


def _course(run: list[Frame]) -> tuple[list[int], list[float]]:
    return [frame.number for frame in run], [1e3 * frame.detection for frame in run]


def _draw_target(panel: Any, run: list[Frame]) -> None:
    """Draw detection, other work and slack as a stack."""
    number = [frame.number for frame in run]
    parts = np.array([(frame.detection, frame.other, frame.slack) for frame in run]).T * 1e3
    panel.stackplot(
        number,
        parts,
        labels=("detection", "all else", "slack"),
        colors=(COLOURS["kinetic"], COLOURS["uniform-grid"], "#dddddd"),
    )
    panel.axhline(1e3 * _TARGET, color="#111111", linewidth=0.8)
    panel.legend(fontsize=8, framealpha=1.0, loc="center right")
    label(panel, "Figure 17: with a target of 1/60 s per frame", "frame", "ms", "Paper: 0.1 s, on almost all frames")
