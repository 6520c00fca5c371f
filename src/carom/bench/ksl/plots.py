"""The pictures of `carom bench ksl`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from carom.bench.ksl.events import FRAMES
from carom.bench.ksl.ipctk_steps import NAME
from carom.bench.ksl.runs import CHORD_FRONT, EVENT_LIST, LIST, SWEPT_FRAMES, TIGHT_LIST, swept_name
from carom.bench.plotting import COLOURS, label, new_figure, plain_heights, plain_ticks, save
from carom.bench.report import Table

_STYLES: Mapping[str, dict[str, Any]] = {
    CHORD_FRONT: {"color": COLOURS["kinetic"], "linewidth": 2.6, "marker": "o", "zorder": 4},
    LIST: {"color": COLOURS["kinetic-grid"], "linewidth": 2.0, "marker": "s", "zorder": 3},
    EVENT_LIST: {"color": COLOURS["kinetic-grid"], "linewidth": 1.2, "linestyle": ":", "marker": "s", "zorder": 3},
    TIGHT_LIST: {"color": COLOURS["kinetic-grid"], "linewidth": 1.2, "linestyle": "--", "marker": "s", "zorder": 3},
    swept_name(1): {"color": COLOURS["swept"], "linestyle": ":", "marker": "v"},
    swept_name(10): {"color": COLOURS["swept"], "linestyle": "-", "marker": "^"},
    swept_name(50): {"color": COLOURS["swept"], "linestyle": "--", "marker": "D"},
    NAME: {"color": COLOURS["uniform-grid"], "marker": "x"},
}
_NAMES = {
    CHORD_FRONT: "chord front (default)",
    LIST: "separation list",
    EVENT_LIST: "the same by events",
    TIGHT_LIST: "by events, tight boxes (the paper's)",
    **{swept_name(n): f"swept boxes, {n} frame{'s' if n > 1 else ''} per key" for n in SWEPT_FRAMES},
    NAME: "ipctk, earliest contact only",
}
_TOTALS = {
    "walker": (
        "Figure 10, left: figure in a shirt that starts to walk",
        "paper: list about 20x faster than swept boxes",
    ),
    "tablecloth": ("Figure 11, left: tablecloth falls on a table", "paper: list about 50x faster than swept boxes"),
    "swirl": (
        "Figure 12, left: cloth whirled to and fro, its worst case",
        "paper: list about 2x faster than swept boxes",
    ),
}
_EVENTS = {
    "tablecloth": ("Figure 11, right: tablecloth", "paper: 500 events per frame at 16k, tests in tens of thousands"),
    "swirl": ("Figure 12, right: whirled cloth", "paper: more events than in figure 11, fewer than tests"),
}


def draw_figures(total: Table, events: Table, frames: Table, path: Path) -> Path:
    """Draw figures 10, 11 and 12 side by side: total times above; time per frame and events below."""
    title = "Exact contacts of deforming meshes: time and events (lower is better), one thread"
    figure, panels = new_figure(3, title, width=5.7, height=4.5, n_rows=2)
    figure.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    for panel, scene in zip(panels[:3], _TOTALS, strict=True):
        _draw_total(panel, total, scene)
    _draw_frames(panels[3], frames)
    for panel, scene in zip(panels[4:], _EVENTS, strict=True):
        _draw_events(panel, events, scene)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=(len(names) + 1) // 2, fontsize=9, frameon=False)
    return save(figure, path)


def _draw_total(panel: Any, total: Table, scene: str) -> None:
    rows = [row for row in total.rows if row[0] == scene]
    faces = [float(row[1]) for row in rows]
    for k, method in enumerate(total.columns):
        if method in _STYLES:
            panel.plot(faces, [float(row[k]) for row in rows], label=_NAMES[method], markersize=4.5, **_STYLES[method])
    panel.set_xscale("log")
    panel.set_yscale("log")
    _thousands(panel, faces)
    plain_heights(panel)
    label(panel, _TOTALS[scene][0], "deforming triangles", "ms between two keys", _TOTALS[scene][1])


def _draw_frames(panel: Any, frames: Table) -> None:
    counts = [float(n) for n in frames.column("frames per key")]
    styles = {CHORD_FRONT: _STYLES[CHORD_FRONT], LIST: _STYLES[LIST], "swept": _STYLES[swept_name(10)]}
    for method, style in styles.items():
        each = [float(ms) for ms in frames.column(f"{method}, ms per frame")]
        panel.plot(counts, each, label="swept boxes" if method == "swept" else method, markersize=4.5, **style)
    panel.legend(fontsize=8, frameon=False, loc="upper right")
    panel.set_xscale("log")
    panel.set_yscale("log")
    plain_ticks(panel, counts)
    plain_heights(panel)
    title = "Figure 10, right: a large walker, by frames between keys"
    claim = "paper: costs depend on the keys only: the share of a frame falls"
    label(panel, title, "interpolated frames between two keys", "ms for each interpolated frame", claim)


def _draw_events(panel: Any, events: Table, scene: str) -> None:
    rows = [row for row in events.rows if row[0] == scene]
    faces = [float(row[1]) for row in rows]
    for column, name, style in (
        ("box tests", "box tests of swept boxes", _STYLES[swept_name(10)]),
        ("events", "events, tight boxes (the paper's)", _STYLES[TIGHT_LIST]),
        ("chords", "events, chord boxes", _STYLES[EVENT_LIST]),
        ("contact", "contacts", {"color": COLOURS["auto"], "linestyle": ":", "marker": "."}),
    ):
        k = events.columns.index(column)
        panel.plot(faces, [float(row[k]) for row in rows], label=name, markersize=4.5, **style)
    panel.set_xscale("log")
    panel.set_yscale("log")
    _thousands(panel, faces)
    panel.set_ylim(top=8.0 * panel.get_ylim()[1])  # room for the legend
    plain_heights(panel)
    panel.legend(fontsize=8, frameon=False, loc="upper left", ncols=2)
    label(
        panel, _EVENTS[scene][0], "deforming triangles", f"count for each of {FRAMES} frames per key", _EVENTS[scene][1]
    )


def _thousands(panel: Any, faces: list[float]) -> None:
    """Label the x axis with the measured sizes."""
    plain_ticks(panel, faces)
    panel.set_xticklabels([f"{n / 1000:.3g}k" for n in faces])


def draw_local(local: Table, path: Path) -> Path:
    """Draw local update and full pass by the fraction of triangles with changed flightplans, one panel per scene."""
    scenes = list(dict.fromkeys(str(scene) for scene in local.column("scene")))
    title = "Flightplans of a patch change between two keys (lower is better)"
    figure, panels = new_figure(len(scenes), title, width=5.7, height=4.5)
    figure.get_layout_engine().set(w_pad=0.12)
    for panel, scene in zip(panels, scenes, strict=True):
        rows = [dict(zip(local.columns, row, strict=True)) for row in local.rows if row[0] == scene]
        shares = [float(row["changed, %"]) for row in rows]
        change = [float(row["change, ms"]) for row in rows]
        update = [ms + float(row["its events, ms"]) for ms, row in zip(change, rows, strict=True)]
        panel.plot(shares, update, label="list: change and its events", markersize=4.5, **_STYLES[LIST])
        panel.plot(shares, change, label="list: change alone", color=COLOURS["kinetic-grid"], linestyle=":")
        full = [float(row["full pass, ms"]) for row in rows]
        panel.plot(shares, full, label="full pass by the chord front", **{**_STYLES[CHORD_FRONT], "marker": None})
        own = [float(row["list's pass, ms"]) for row in rows]
        panel.plot(shares, own, label="full pass by the list", **{**_STYLES[LIST], "marker": None, "linestyle": "--"})
        panel.set_xscale("log")
        panel.set_yscale("log")
        plain_ticks(panel, shares)
        panel.set_xticklabels([f"{share:.2g}" for share in shares])
        target = {"color": COLOURS["swept"], "marker": "*", "markersize": 10, "linestyle": "none"}
        panel.plot([1.0], [0.1 * full[0]], label="target at 1 %: a tenth of the front's pass", **target)
        plain_heights(panel)
        panel.legend(fontsize=8, frameon=False)
        heading = f"{scene}, {rows[0]['triangles']:,} triangles"
        label(panel, heading, "triangles with other flightplans, %", "CPU ms")
    return save(figure, path)
