"""The style of pictures of runs and checks; matplotlib is imported here."""

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
"""Text and axes; secondary elements; the marked contact."""
SERIES = ("#2a6f97", "#e07a2f", "#4a9d6e", "#8367a8", "#a8792f", "#7d8b96")
"""Colours of series, in this order."""


def new_figure(width: float, height: float, dpi: int) -> Figure:
    """Return an empty white figure, inches, that needs no display; CaromError names the extra if matplotlib is missing."""
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
    """Return a name as literal text for matplotlib: no formulas, and leading underscores are shown in legends."""
    text = "\n".join(map(printable, name.split("\n"))).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def headline(figure: Figure, title: str, subtitle: str, top: float, below: float) -> None:
    """Write a bold title and a subtitle; heights are fractions of the figure's height."""
    figure.text(0.014, top, as_text(title), fontsize=17, color=INK, weight="bold", va="center")
    figure.text(0.014, below, as_text(subtitle), fontsize=11.5, color=QUIET, va="center")


def plain_axes(axes: Axes) -> None:
    """Style axes: no frame at the top and right, grey ticks, faint horizontal lines."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e3e8ec", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(colors=QUIET)


def light_rim(width: float) -> list[Any]:
    """Return effects that give a dark line a white rim of this width, points."""
    from matplotlib import patheffects

    return [patheffects.withStroke(linewidth=2.0 * width + 2.2, foreground="white"), patheffects.Normal()]


def say_mean(axes: Axes, words: str) -> None:
    """Label the dashed line above the axes, where nothing is hidden."""
    axes.text(1.0, 1.015, f"dashed: mean {words}", transform=axes.transAxes, ha="right", va="bottom", fontsize=9.5,
              color=INK)  # fmt: skip


def figures(value: float) -> str:
    """Format a number with four significant digits, with commas in large ones."""
    return f"{float(f'{value:.4g}'):,.0f}" if abs(value) >= 1000.0 else f"{value:.4g}"


def save_figure(figure: Figure, picture: str | Path) -> None:
    """Save the figure as a PNG or in the format of the file name; CaromError if that fails."""
    try:
        with replacing(picture) as file, warnings.catch_warnings():
            # Letters that the font lacks are drawn as boxes.
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
            figure.savefig(file, format=Path(picture).suffix[1:].lower() or "png")
    except OSError as error:
        raise CaromError(f"{picture}: the picture cannot be written: {refusal(error)}") from None
    except ValueError as error:
        raise CaromError(f"{picture}: the picture cannot be written: {error}") from None
