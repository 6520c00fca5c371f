"""The pictures of `carom bench queries`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from carom.bench.plotting import label, new_figure, plain_ticks, save
from carom.bench.queries.still_pairs import APART, OURS
from carom.bench.queries.volume_types import FAR, PARALLEL
from carom.bench.report import Table

_COLOURS = {"carom": "#0b6e4f", "python-fcl": "#9b2226", "coal": "#e09f3e", "rapier3d": "#3d5a80"}
_SIZES = ("#8d99ae", "#3d5a80", "#0b6e4f")


def draw_peers(still: Table, moving: Table, path: Path) -> Path:
    """Draw queries per second of every library, one panel per query."""
    figure, panels = new_figure(4, "Two equal meshes near contact, queries per second on one thread", width=4.6)
    models = list(dict.fromkeys(str(row[0]) for row in still.rows))
    for panel, query in zip(panels[:2], ("collide", APART), strict=True):
        rates = {
            str(who): [float(row[3]) for row in still.rows if (row[1], row[2]) == (query, who)]
            for who in dict.fromkeys(row[2] for row in still.rows)
        }
        _bars(panel, models, rates)
        title = "collide, half of the poses touch" if query == "collide" else "distance, all poses apart"
        label(
            panel, title, "model, number of triangles", "queries / s (log scale)", "bold: times the best other library"
        )
    for panel, motion in zip(panels[2:], ("straight", "with spin"), strict=True):
        rows = [row for row in moving.rows if row[1] == motion]
        rates = {OURS: [float(row[2]) for row in rows]}
        if any(np.isfinite(float(row[3])) for row in rows):
            rates["rapier3d"] = [float(row[3]) for row in rows]
        _bars(panel, models, rates)
        label(
            panel, f"time of impact, {motion}, half of the flights touch", "model, number of triangles",
            "flights / s (log scale)", "bold: times the other library",
        )  # fmt: skip
    return save(figure, path)


def _bars(panel: Any, models: list[str], rates: dict[str, list[float]]) -> None:
    """Draw groups of bars, one per model, with carom's speedup over the best other library."""
    width = 0.8 / len(rates)
    others = [values for who, values in rates.items() if who != OURS]
    for k, (who, values) in enumerate(rates.items()):
        at = np.arange(len(models)) + width * (k - 0.5 * (len(rates) - 1))
        bars = panel.bar(at, values, width=0.92 * width, color=_COLOURS[who], label=who)
        if who == OURS and others:
            texts = [_ratio(own / max(other[m] for other in others)) for m, own in enumerate(values)]
            panel.bar_label(bars, texts, fontsize=9, fontweight="bold", padding=2)
        else:
            panel.bar_label(bars, [_short(value) for value in values], fontsize=7.5, padding=2)
    panel.set_yscale("log")
    low = min(min(values) for values in rates.values())
    high = max(max(values) for values in rates.values())
    panel.set_ylim(10.0 ** np.floor(np.log10(low) - 0.3), high * (high / low) ** 0.35)
    panel.set_xticks(range(len(models)), [model.replace(" ", "\n") for model in models])
    panel.grid(False, axis="x", which="both")
    panel.grid(False, axis="y", which="minor")
    panel.legend(fontsize=8, loc="upper right", ncols=len(rates))


def _ratio(value: float) -> str:
    return f"{value:,.0f}x" if value >= 100.0 else f"{value:.3g}x"


def _short(value: float) -> str:
    """Format with at most three digits."""
    if value >= 1000.0:
        return f"{value / 1000.0:.3g}k"
    return f"{value:.0f}" if value >= 100.0 else f"{value:.2g}"


def draw_methods(searched: Table, gjk: Table, walks: Table, path: Path) -> Path:
    """Draw bounding volumes side by side, iterations of GJK, and steps of Lin-Canny."""
    figure, panels = new_figure(3, "Method against method", width=6.2)
    _draw_volumes(panels[0], searched)
    _draw_gjk(panels[1], gjk)
    _draw_walks(panels[2], walks)
    return save(figure, path)


def _draw_volumes(panel: Any, table: Table) -> None:
    """Draw times of collide between parallel surfaces, and of distance there and far apart, for each type."""
    kinds = list(dict.fromkeys(str(row[1]) for row in table.rows))[::-1]
    series = (
        ("collide, parallel surfaces", PARALLEL, 2, "#0b6e4f"),
        ("distance, parallel surfaces", PARALLEL, 5, "#e9b44c"),
        ("distance, far apart", FAR, 5, "#8d99ae"),
    )
    for k, (name, situation, column, colour) in enumerate(series):
        times = {str(row[1]): float(row[column]) for row in table.rows if row[0] == situation}
        at = np.arange(len(kinds)) + 0.27 * (1 - k)
        bars = panel.barh(at, [times[kind] for kind in kinds], height=0.25, color=colour, label=name)
        panel.bar_label(bars, [_microseconds(times[kind]) for kind in kinds], fontsize=7, padding=2)
    panel.set_xscale("log")
    panel.set_yticks(range(len(kinds)), kinds)
    panel.grid(False, axis="y", which="both")
    panel.grid(False, axis="x", which="minor")
    low, high = panel.get_xlim()
    panel.set_xlim(low, high * 2.5)
    panel.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3)
    label(
        panel,
        "(a) bounding volumes: a bumpy rock close inside another one",
        "µs per pose (log scale); default of carom: obb, 8 at once",
        "",
        "slides: oriented boxes win between close parallel surfaces",
    )


def _microseconds(value: float) -> str:
    return f"{value / 1000.0:.3g} ms" if value >= 1000.0 else f"{value:.3g} µs"


def _draw_gjk(panel: Any, table: Table) -> None:
    sizes = [float(row[0]) for row in table.rows]
    panel.axhspan(3.0, 6.0, color="#e9b44c", alpha=0.25, linewidth=0, label="slides: 3 to 6 on average")
    for name, column, colour, style in (
        ("any pose", 1, "#9b2226", "o"),
        ("along a path, 1 degree per frame", 3, "#3d5a80", "s"),
        ("along a path, from the last answer", 5, "#0b6e4f", "D"),
    ):
        mean = [float(row[column]) for row in table.rows]
        most = [float(row[column + 1]) for row in table.rows]
        panel.plot(sizes, mean, f"{style}-", color=colour, label=name)
        panel.plot(sizes, most, f"{style}:", color=colour, markersize=3, linewidth=1)
    panel.plot([], [], "k:", linewidth=1, label="dotted: 95 % of the poses need no more")
    panel.set_xscale("log")
    plain_ticks(panel, sizes)
    panel.set_ylim(0.0, 1.35 * max(float(row[2]) for row in table.rows))
    panel.legend(fontsize=8, loc="upper left")
    label(
        panel, "(b) GJK: iterations by size of the shapes", "vertices of each polyhedron", "iterations, mean",
        "shaded: what its authors report for any size",
    )  # fmt: skip


def _draw_walks(panel: Any, table: Table) -> None:
    for size, colour in zip(dict.fromkeys(int(row[0]) for row in table.rows), _SIZES, strict=False):
        rows = [row for row in table.rows if row[0] == size]
        motion = [float(row[1]) for row in rows]
        panel.plot(motion, [float(row[2]) for row in rows], "o-", color=colour, label=f"{size} vertices")
    panel.set_xscale("log")
    panel.set_ylim(0.0, None)
    plain_ticks(panel, motion)
    panel.legend(fontsize=8)
    label(
        panel,
        "(c) Lin-Canny: steps from the last frame's closest features",
        "turn per frame, degrees",
        "steps, mean",
        'slides: "near" constant with coherence',
    )
