"""The pictures of `carom bench ksp`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from carom.bench.ksp.counts import ALONE, WALLED
from carom.bench.ksp.times import COMPONENTS
from carom.bench.plotting import COLOURS, COMPONENT_COLOURS, label, log_axes, new_figure, plain_ticks, save
from carom.bench.report import Table

_METHOD_NAMES = {
    "kinetic": "kinetic sweep and prune",
    "swept": "sweep and prune, swept boxes",
    "all-pairs": "cached all-pairs, narrow tests when spheres touch",
    "all-pairs, eager": "cached all-pairs, all narrow tests at once (paper)",
}


def draw_figures(scaling: Table, frequency: Table, path: Path) -> Path:
    """Figure 7 in one panel, figure 8 in two with a common scale."""
    figure, (left, middle, right) = new_figure(3, "Kinetic sweep and prune: CPU time, 64-triangle rings")
    _draw_scaling(left, scaling)
    _draw_components(
        middle, frequency, "swept", "(b) swept boxes by polling frequency", "paper: update and sort grow linearly"
    )
    _draw_components(
        right, frequency, "kinetic", "(c) kinetic boxes against polling frequency", "paper: free of per-frame cost"
    )
    top = max(middle.get_ylim()[1], right.get_ylim()[1])
    middle.set_ylim(0.0, top)
    right.set_ylim(0.0, top)
    return save(figure, path)


def _draw_scaling(panel: Any, table: Table) -> None:
    n = table.column("objects")
    for method, name in _METHOD_NAMES.items():
        style = "o--" if method == "all-pairs" else "o-"
        panel.plot(n, table.column(method), style, color=COLOURS[method], label=name)
    panel.set_yscale("log")
    panel.set_ylim(top=2.0)
    panel.axhline(1.0, color="black", linewidth=0.8)
    panel.text(float(n[0]), 1.08, "real time", fontsize=8)
    collisions = panel.twinx()
    collisions.bar(n, table.column("collisions"), width=0.5 * (float(n[1]) - float(n[0])), color="#bbbbbb", alpha=0.45)
    collisions.set_ylabel("collisions in the simulated second (bars)", color="#777777")
    collisions.set_ylim(0.0, 4.0 * max(1.0, *table.numbers("collisions")))
    collisions.spines["top"].set_visible(False)
    panel.set_zorder(collisions.get_zorder() + 1)
    panel.patch.set_visible(False)
    panel.legend(fontsize=8, loc="upper left", bbox_to_anchor=(0.02, 0.88))
    label(
        panel,
        "(a) polled at 1000 Hz, density 1 %",
        "number of rings",
        "CPU seconds per simulated second",
        "paper: all-pairs highest, kinetic half of swept, following the collisions",
    )


def _draw_components(panel: Any, table: Table, method: str, title: str, claim: str) -> None:
    own = table.where("method", method)
    rates = own.numbers("frequency, Hz")
    floor = np.zeros(len(rates))
    for component in COMPONENTS:
        top = floor + np.array(own.numbers(component))
        panel.fill_between(
            rates, floor, top, color=COMPONENT_COLOURS[component], alpha=0.8, label=component, linewidth=0
        )
        floor = top
    panel.plot(rates, own.numbers("whole"), "ko-", markersize=4, label="whole, without the profiler")
    panel.legend(fontsize=8, loc="upper left")
    label(panel, title, "polling frequency, Hz", "CPU seconds per simulated second", claim)


def draw_counts(pruning: Table, swaps: Table, queues: Table, path: Path) -> Path:
    """Narrow tests, swaps and queues."""
    figure, (left, middle, right) = new_figure(3, "Kinetic sweep and prune: narrow tests, swaps and event queues")
    _draw_pruning(left, pruning)
    _draw_swaps(middle, swaps)
    _draw_queues(right, queues)
    return save(figure, path)


def _draw_pruning(panel: Any, table: Table) -> None:
    for name, style in ((ALONE, "o-"), (WALLED, "s--")):
        own = table.where("scene", name)
        rates = own.numbers("frequency, Hz")
        panel.plot(rates, own.numbers("more tests, %"), style, color=COLOURS["swept"], label=name)
    panel.plot([1.0], [30.0], "k*", markersize=12, label="paper, 1 Hz: over 30 %")
    panel.set_xscale("log")
    panel.set_ylim(bottom=0.0)
    plain_ticks(panel, rates)
    panel.legend(fontsize=9)
    label(
        panel,
        "(a) boxes swept over a frame cause needless narrow tests",
        "frame rate of the swept boxes, Hz",
        "narrow tests beyond kinetic boxes, %",
        "paper: 30 % more at 1 Hz, none of them a collision",
    )


def _draw_swaps(panel: Any, table: Table) -> None:
    for name, colour, mark in (("rings", "#0b6e4f", "o"), ("gas", "#3d5a80", "s")):
        own = table.where("scene", name)
        n, swaps = np.array(own.numbers("objects")), np.array(own.numbers("swaps / simulated s"))
        exponent = own.numbers("fitted exponent")[0]
        fit = np.exp(np.mean(np.log(swaps) - exponent * np.log(n))) * n**exponent
        panel.plot(n, swaps, mark, color=colour, label=f"{name}: fit n^{exponent:.2f}")
        panel.plot(n, fit, "-", color=colour, linewidth=1)
    log_axes(panel, n.tolist())
    panel.legend(fontsize=9)
    label(
        panel,
        "(b) swaps of the kinetic sorted lists, density 1 %",
        "number of bodies",
        "swaps per simulated second",
        "theory for a gas of fixed density: n^(5/3) = n^1.67",
    )


def _draw_queues(panel: Any, table: Table) -> None:
    sizes, names = table.distinct("objects"), [str(queue) for queue in table.distinct("queue")]
    colours = {"tournament": "#0b6e4f", "heap4": "#e9b44c", "pairing": "#5c6b73"}
    for k, name in enumerate(names):
        heights = table.where("queue", name).numbers("ns / swap")
        at = np.arange(len(sizes)) + 0.27 * (k - 1)
        bars = panel.bar(
            at, heights, width=0.25, color=colours[name], label=f"{name} (paper)" if name == "pairing" else name
        )
        panel.bar_label(bars, fmt="%.0f", fontsize=8)
    panel.set_xticks(range(len(sizes)), [f"N = {int(n):,}" for n in sizes])
    panel.legend(fontsize=9, loc="upper left")
    label(
        panel,
        "(c) whole event loop per swap, by event queue",
        "hard spheres, density 1 %",
        "CPU nanoseconds per swap",
        "lower is better; same contacts to the bit",
    )
