"""The style of all pictures. Matplotlib is imported only when a bench draws."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from carom.errors import CaromError

COLOURS = {
    "kinetic": "#0b6e4f",
    "swept": "#d1495b",
    "all-pairs": "#5c6b73",
    "all-pairs, eager": "#8d99ae",
    "kinetic-grid": "#1d4ed8",
    "auto": "#111111",
    "uniform-grid": "#e9a23b",
    "hash-grid": "#8e44ad",
    "aabb-tree": "#00a3a3",
    "vadop": "#c2410c",
    "kinetic-vadop": "#7a9e1f",
}
"""One colour for each broad phase, the same in every picture."""
COMPONENT_COLOURS = {"update": "#e9b44c", "sort": "#3d5a80", "narrow": "#9b2226"}


def require_matplotlib() -> None:
    """Raise CaromError, which names the extra to install, if Matplotlib is missing."""
    if importlib.util.find_spec("matplotlib") is None:
        raise CaromError("the benches draw pictures and need Matplotlib; install it with: pip install 'carom[plot]'")


def new_figure(
    n_columns: int, title: str, width: float = 6.2, height: float = 5.2, n_rows: int = 1
) -> tuple[Any, list[Any]]:
    """Return a figure of n_columns x n_rows panels, drawn without a display, and its panels row by row."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width * n_columns, height * n_rows), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(title, fontsize=14, fontweight="bold")
    panels = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for panel in panels:
        panel.grid(True, which="both", alpha=0.25, linewidth=0.6)
        panel.set_axisbelow(True)
        panel.spines[["top", "right"]].set_visible(False)
    return figure, list(panels)


def label(panel: Any, title: str, x: str, y: str, claim: str = "") -> None:
    """Set the title, the axis labels with units, and the paper's claim under the title."""
    panel.set_title(title + (f"\n{claim}" if claim else ""), fontsize=10, loc="left")
    panel.set_xlabel(x)
    panel.set_ylabel(y)


def log_axes(panel: Any, ticks: Sequence[float] = ()) -> None:
    """Make both axes logarithmic, with exactly these ticks on x if there are any."""
    panel.set_xscale("log")
    panel.set_yscale("log")
    if ticks:
        plain_ticks(panel, list(ticks))


def plain_ticks(panel: Any, ticks: list[float]) -> None:
    """Set exactly these ticks on the x axis, as decimal numbers."""
    from matplotlib.ticker import FixedLocator, NullLocator

    panel.xaxis.set_major_locator(FixedLocator(ticks))
    panel.xaxis.set_minor_locator(NullLocator())
    panel.set_xticklabels([f"{tick:g}" for tick in ticks])


def plain_heights(panel: Any) -> None:
    """Label the logarithmic y axis with decimal numbers, also between the powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    low, high = panel.get_ylim()
    decades = math.log10(high / low)
    subs = (1.0,) if decades > 4.0 else (1.0, 3.0) if decades > 1.5 else (1.0, 2.0, 5.0)
    panel.yaxis.set_major_locator(LogLocator(subs=subs))
    panel.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{y:.4g}" if y < 1000.0 else f"{y:,.0f}"))
    panel.yaxis.set_minor_formatter(FuncFormatter(lambda y, _: ""))


def save(figure: Any, path: Path) -> Path:
    """Write the picture and return its path."""
    figure.savefig(path)
    return path
