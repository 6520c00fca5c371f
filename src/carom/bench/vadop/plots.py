"""The pictures of `carom bench vadop`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from carom.bench.plotting import COLOURS, label, log_axes, new_figure, plain_ticks, save
from carom.bench.report import Table
from carom.bench.vadop.cost import CHOSEN, EVERY, FEW, MANY, NARROW, PSEUDO, XYZ
from carom.bench.vadop.pruning import ALONE, SHARED

_STYLES: dict[str, dict[str, Any]] = {
    CHOSEN: {"color": COLOURS["vadop"], "linewidth": 2.4},
    MANY: {"color": COLOURS["vadop"], "linestyle": "--"},
    NARROW: {"color": COLOURS["vadop"], "linestyle": "-.", "linewidth": 1.2},
    FEW: {"color": COLOURS["vadop"], "linestyle": ":"},
    EVERY.format(MANY): {"color": "#dba58f", "linestyle": "--", "linewidth": 1.2},
    EVERY.format(NARROW): {"color": "#dba58f", "linestyle": "-.", "linewidth": 1.2},
    XYZ: {"color": "#5c6b73"},
    "swept": {"color": COLOURS["swept"]},
    "aabb-tree": {"color": COLOURS["aabb-tree"]},
    "kinetic-grid": {"color": COLOURS["kinetic-grid"]},
    PSEUDO: {"color": "black", "linestyle": (0, (1, 2)), "marker": "x"},
}
_BARS = {
    "kinetic-vadop": COLOURS["kinetic-vadop"],
    "kinetic-vadop, 16": "#bcd35f",
    "vadop": COLOURS["vadop"],
    "kinetic": COLOURS["kinetic"],
    "kinetic, x only": "#74c69d",
    "kinetic-grid": COLOURS["kinetic-grid"],
}
_VOLUMES: dict[str, dict[str, Any]] = {
    "6-DOP": {"color": COLOURS["swept"], "label": "swept boxes"},
    "14-DOP": {"color": "#e9b44c", "label": "swept 14-DOPs"},
    "26-DOP": {"color": "#e9a23b", "linestyle": "--", "label": "swept 26-DOPs"},
    SHARED.format(65, 2.0): {"color": COLOURS["vadop"], "linewidth": 2.4, "label": "vadop, 65 axes, 2 rho, xyz shared"},
    SHARED.format(130, 2.0): {"color": "#7c2d12", "label": "vadop, 130 axes, 2 rho, xyz shared"},
    ALONE.format(65, 1.0): {"color": COLOURS["vadop"], "linestyle": ":", "label": "vadop, 65 axes, 1 rho, alone"},
    ALONE.format(65, 2.0): {"color": COLOURS["vadop"], "linestyle": "--", "label": "vadop, 65 axes, 2 rho, alone"},
    "moving boxes": {"color": COLOURS["kinetic-grid"], "label": "boxes that move"},
    "touch": {"color": "black", "linestyle": (0, (1, 2)), "label": "pairs that touch"},
}


def draw_pruning(misses: Table, pruning: Table, pools: Table, path: Path) -> Path:
    """Draw missed contacts, pairs left, and covering angles of the pools."""
    figure, (left, middle, right) = new_figure(3, "Velocity-aligned polytopes: what is missed, what is pruned")
    speeds = misses.numbers("speed, radii / frame")
    left.plot(speeds, misses.column("missed, %"), "o-", color=COLOURS["swept"], label="tested at frame instants")
    left.plot(speeds, [0.0] * len(speeds), "o-", color=COLOURS["vadop"], label="vadop, as all pairs")
    left.set_xscale("log")
    plain_ticks(left, speeds)
    left.legend(fontsize=9)
    label(left, "(a) contacts missed", "speed, radii per frame", "%", "paper: pseudo-dynamic methods miss some")
    speeds = pruning.numbers("speed, radii / frame")
    for name, style in _VOLUMES.items():
        if name in pruning.columns:
            counts = [max(0.5, count) for count in pruning.numbers(name)]
            middle.plot(speeds, counts, marker="o", markersize=3.5, **style)
    log_axes(middle, speeds)
    middle.set_ylim(top=300.0 * middle.get_ylim()[1])  # room for the legend
    middle.legend(fontsize=7.5, loc="upper left")
    label(
        middle,
        "(b) pairs left after the broad phase",
        "speed, radii per frame",
        "pairs",
        "paper: VADOPs suit high speeds",
    )
    m = pools.numbers("axes")
    right.plot(m, pools.column("covering angle, deg"), "o-", color=COLOURS["vadop"], label="pools")
    bound = pools.column("no points can do better than, deg")
    right.plot(m, bound, "--", color="black", linewidth=0.9, label="bound for any points")
    log_axes(right, m[::2])
    right.legend(fontsize=9)
    label(right, "(c) covering angle of the pools", "axes", "degrees")
    return save(figure, path)


def draw_costs(cost: Table, law: Table, kinetic: Table, path: Path) -> Path:
    """Draw time by speed and by size, the law of swaps, and the kinetic form beside the others."""
    title = "Velocity-aligned polytopes: what they cost"
    figure, (left, middle, third, right) = new_figure(4, title, width=5.4)
    sizes = [int(row[0]) for row in cost.rows]
    n = max(sizes, key=sizes.count)
    _lines(left, [row for row in cost.rows if row[0] == n], 1)
    left.set_ylim(top=300.0 * left.get_ylim()[1])  # room for the legend, which applies to (b) too
    left.legend(fontsize=8, ncols=2)
    label(
        left,
        f"(a) against speed, N = {n:,}",
        "speed, radii per frame",
        "CPU ms per frame",
        "density 0.001, 30 frames per second",
    )
    _lines(middle, sorted((row for row in cost.rows if row[1] == 1.0), key=lambda row: float(row[0])), 0)
    label(
        middle, "(b) against the number of spheres, speed 1", "spheres", "CPU ms per frame", "paper: near freeSOLID's"
    )
    expected = law.numbers("m sin^3(zone) / 3")
    third.plot(expected, law.numbers("over kinetic sweep"), "o", color=COLOURS["kinetic-vadop"])
    top = max(expected)
    third.plot([0.0, top], [0.0, top], "-", color="black", linewidth=0.8)
    label(
        third,
        "(c) swaps of the kinetic form",
        "m sin³(zone) / 3",
        "swaps over those of the kinetic sweep",
        "line: the law",
    )
    largest = max(int(n) for n in kinetic.column("objects"))
    own = kinetic.where("objects", largest)
    scenes, names = own.distinct("scene"), [str(name) for name in own.distinct("method")]
    for k, name in enumerate(names):
        at = [s + 0.14 * (k - 0.5 * (len(names) - 1)) for s in range(len(scenes))]
        right.bar(at, own.where("method", name).numbers("ms / frame"), width=0.13, label=name, color=_BARS.get(name))
    right.set_yscale("log")
    right.set_ylim(top=30.0 * right.get_ylim()[1])
    right.set_xticks(range(len(scenes)), scenes, fontsize=8)
    right.legend(fontsize=8, ncols=2)
    label(right, f"(d) event-driven broad phases, fast bodies, N = {largest:,}", "", "CPU ms for 1/30 s of the world")
    return save(figure, path)


def _lines(panel: Any, rows: list[tuple[Any, ...]], x: int) -> None:
    for name, style in _STYLES.items():
        points = [(float(row[x]), float(row[3])) for row in rows if row[2] == name]
        panel.plot(*zip(*points, strict=True), **{"marker": "o", "markersize": 3.5, "label": name, **style})
    log_axes(panel, list(dict.fromkeys(float(row[x]) for row in rows)))
