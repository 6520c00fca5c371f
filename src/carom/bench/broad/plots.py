"""The pictures of `carom bench broad`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from carom.bench.broad.methods import GRID, Method
from carom.bench.broad.scenes import SCENES
from carom.bench.broad.sweep import Sweep
from carom.bench.plotting import COLOURS, label, new_figure, plain_ticks, save
from carom.bench.report import Table
from carom.engine.broad_phases import AUTO

_COLUMNS = 3
_OTHER = "#b08968"
"""Colour of a broad phase without one of its own."""
_ENOUGH = 1.2  # Target: cost of auto over the best single choice


def draw_sweep(found: Sweep, methods: Sequence[Method], path: Path) -> Path:
    """Draw cost by number of bodies, one panel per scene; colours mark broad phases, line styles their options."""
    scenes = found.scenes()
    rows = math.ceil(len(scenes) / _COLUMNS)
    title = "Broad phases: cost of exact simulation against the number of bodies (lower is better)"
    figure, panels = new_figure(_COLUMNS, title, width=5.6, height=4.3, n_rows=rows)
    for panel, scene in zip(panels, scenes, strict=False):
        for method in methods:
            n, cost = found.curve(scene, method.name)
            panel.plot(n, cost, **_style(method))
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.axhline(1.0, color="black", linewidth=0.7, linestyle=(0, (1, 3)))
        panel.annotate("real time", (0.01, 1.0), (0, 2), ("axes fraction", "data"), "offset points", fontsize=7)
        panel.set_ylim(top=max(30.0, panel.get_ylim()[1]))
        _whole_ticks(panel, found.sizes(scene))
        slope = f"kinetic grid: cost grows as n^{found.exponent(scene, GRID):.2f}"
        label(panel, SCENES[scene].title, "number of bodies", "CPU s per simulated s", slope)
    for panel in panels[len(scenes) :]:
        panel.set_visible(False)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, fontsize=9, frameon=False)
    return save(figure, path)


def _whole_ticks(panel: Any, sizes: list[int]) -> None:
    """Label the x axis with the measured numbers of bodies."""
    plain_ticks(panel, [float(n) for n in sizes])
    panel.set_xticklabels([f"{n:,}" for n in sizes])


def _style(method: Method) -> dict[str, Any]:
    """Return a style: dashed for frames of 1/1000 s, thin and dotted for sweeps along x only, rings on top for auto."""
    style: dict[str, Any] = {"color": COLOURS.get(method.broad, _OTHER), "label": method.name, "linewidth": 1.6}
    style |= {"marker": "o", "markersize": 3.5, "linestyle": "--" if method.rate >= 1000 else "-"}
    if "axes" in method.options:
        style |= {"linewidth": 0.9, "marker": "+" if method.rate >= 1000 else "x", "markersize": 5, "linestyle": ":"}
    if method.broad == GRID:
        style |= {"linewidth": 2.6, "zorder": 4}
    if method.broad == AUTO:
        style |= {"linestyle": "none", "marker": "o", "markersize": 9, "markerfacecolor": "none", "zorder": 5}
    return style


def draw_auto(auto: Table, path: Path) -> Path:
    """Draw the cost of auto over the best single choice, one bar per scene and size."""
    scenes = list(dict.fromkeys(str(s) for s in auto.column("scene")))
    sizes = sorted({int(n) for n in auto.column("objects")})
    figure, (panel,) = new_figure(1, "The automatic choice beside the best single one", width=13.0, height=4.8)
    shades = np.linspace(0.25, 0.95, len(sizes))
    width = 0.85 / len(sizes)
    for k, n in enumerate(sizes):
        found = {str(row[0]): float(row[5]) for row in auto.rows if row[1] == n}
        at = [scenes.index(scene) + (k - 0.5 * (len(sizes) - 1)) * width for scene in found]
        panel.bar(at, list(found.values()), width=0.9 * width, color=COLOURS[GRID], alpha=shades[k], label=f"N = {n:,}")
    panel.axhline(1.0, color="black", linewidth=0.8)
    panel.axhline(_ENOUGH, color=COLOURS["swept"], linewidth=1.2, linestyle="--", label=f"target: below {_ENOUGH}")
    panel.set_xticks(range(len(scenes)), scenes)
    panel.grid(False, axis="x")
    panel.set_ylim(0.0, max(1.5, 1.2 * max(float(x) for x in auto.column("auto / best"))))
    panel.legend(fontsize=9, ncols=len(sizes) + 1, loc="upper left", frameon=False)
    label(panel, "", "", "cost of auto / cost of the best", "1: nothing else would have been faster")
    return save(figure, path)
