"""One look for the pictures of runs and checks, and the one place that asks for matplotlib."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from carom.errors import CaromError
from carom.files.atomic import check_output, refusal, replacing
from carom.validate import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, QUIET, HIT = "#22303c", "#6b7a88", "#d62828"
"""Words and axes; what matters less; the contact that is shown."""
SERIES = ("#2a6f97", "#e07a2f", "#4a9d6e", "#8367a8", "#a8792f", "#7d8b96")
"""Colours of things shown together, in this order."""


def new_figure(width: float, height: float, dpi: int) -> Figure:
    """An empty white figure, inches, that needs no display; CaromError names the extra where matplotlib is missing."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise CaromError("pictures need matplotlib; install it with: pip install 'carom[plot]'") from None
    figure = Figure(figsize=(width, height), dpi=dpi, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def check_picture(picture: Path) -> None:
    """Raise CaromError if a picture cannot be written there; called before the work whose results it shows."""
    known = new_figure(1.0, 1.0, 10).canvas.get_supported_filetypes()
    if picture.suffix and picture.suffix[1:].lower() not in known:
        raise CaromError(f"{picture}: no picture ends in {picture.suffix}; expected .png or one of {', '.join(known)}")
    check_output(picture, "picture")


def as_text(name: str) -> str:
    """A name as matplotlib draws it letter by letter: dollars begin no formula, and a legend shows underscores too."""
    text = "\n".join(map(printable, name.split("\n"))).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def headline(figure: Figure, title: str, subtitle: str, top: float, below: float) -> None:
    """What the picture shows, in bold, and one line more; heights are shares of the figure's."""
    figure.text(0.014, top, as_text(title), fontsize=17, color=INK, weight="bold", va="center")
    figure.text(0.014, below, as_text(subtitle), fontsize=11.5, color=QUIET, va="center")


def plain_axes(axes: Axes) -> None:
    """No frame above and at the right, quiet ticks, faint lines across."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e3e8ec", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=QUIET)


def light_rim(width: float) -> list[Any]:
    """Effects for a dark line: a white rim, so many points wide, that it stands out from dark ground."""
    from matplotlib import patheffects

    return [patheffects.withStroke(linewidth=2.0 * width + 2.2, foreground="white"), patheffects.Normal()]


def say_mean(axes: Axes, words: str) -> None:
    """What the dashed line across is, above the axes: where it hides nothing."""
    axes.text(1.0, 1.015, f"dashed: mean {words}", transform=axes.transAxes, ha="right", va="bottom", fontsize=9.5,
              color=INK)  # fmt: skip


def figures(value: float) -> str:
    """A number for people: four figures, written out, with commas where it is large."""
    return f"{float(f'{value:.4g}'):,.0f}" if abs(value) >= 1000.0 else f"{value:.4g}"


def save_figure(figure: Figure, picture: str | Path) -> None:
    """Write it as a PNG, or by the name's ending; CaromError where that cannot be done."""
    try:
        with replacing(picture) as file, warnings.catch_warnings():
            # Letters that the font lacks are drawn as boxes.
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            figure.savefig(file, format=Path(picture).suffix[1:].lower() or "png")
    except OSError as error:
        raise CaromError(f"{picture}: the picture cannot be written: {refusal(error)}") from None
    except ValueError as error:
        raise CaromError(f"{picture}: the picture cannot be written: {error}") from None
