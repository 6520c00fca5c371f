"""The picture of the comparison with other libraries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from carom.bench.plotting import label, new_figure, plain_ticks, save
from carom.bench.report import Table

_STYLES = {
    "carom, auto": ("#0b6e4f", "o-"),
    "carom, kinetic": ("#0b6e4f", "o--"),
    "carom, kinetic, 2 axes": ("#0b6e4f", "o:"),
    "carom, swept": ("#d1495b", "s:"),
    "carom, all-pairs": ("#5c6b73", "^:"),
    "rapier3d": ("#3d5a80", "D-"),
    "coal": ("#e09f3e", "v-"),
    "python-fcl": ("#9b2226", "P-"),
}


def draw_peers(table: Table, dashed: str, path: Path) -> Path:
    """Draw CPU seconds per simulated second by number of rings, one line per library."""
    figure, (panel,) = new_figure(1, "Collision detection among rings at 1000 Hz", width=11.0, height=6.2)
    sizes = sorted({float(row[0]) for row in table.rows})
    for name in dict.fromkeys(str(row[1]) for row in table.rows):
        points = [(float(row[0]), float(row[2])) for row in table.rows if row[1] == name]
        colour, style = _STYLES.get(name, ("#9b2226", "x--" if name == dashed else "o-"))
        panel.plot(
            *zip(*points, strict=True), style, color=colour, label=name, linewidth=2.2 if name == "carom, auto" else 1.4
        )
    _annotate_ratios(panel, table, dashed)
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.axhline(1.0, color="black", linewidth=0.8)
    panel.text(sizes[0], 1.07, "real time: one CPU second per simulated second", fontsize=8)
    plain_ticks(panel, sizes)
    label(
        panel,
        "carom: exact and continuous, with response. Others: a test of every frame along the same paths.",
        "number of rings (64 triangles each, density 1 %)",
        "CPU seconds per simulated second",
        "Numbers: best solid line of another library over carom's default (auto).",
    )
    panel.margins(x=0.1, y=0.1)
    panel.legend(fontsize=9, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return save(figure, path)


def _annotate_ratios(panel: Any, table: Table, left_out: str) -> None:
    """Label each point of carom's default with the CPU time of the best other library relative to it."""
    for n in dict.fromkeys(int(row[0]) for row in table.rows):
        costs = {str(row[1]): float(row[2]) for row in table.rows if row[0] == n and row[1] != left_out}
        others = [cost for name, cost in costs.items() if not name.startswith("carom")]
        if others:
            own = costs["carom, auto"]
            text = f"{min(others) / own:.0f}x"
            panel.annotate(text, (n, own), xytext=(-4, 7), textcoords="offset points", fontsize=10, ha="right")
