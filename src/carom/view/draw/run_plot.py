"""The plot of a run or check: contacts over time, event rates, contact graph and speeds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from carom.view.draw.account import Account, account_of
from carom.view.draw.graph_panel import draw_graph
from carom.view.draw.look import (
    INK,
    QUIET,
    SERIES,
    as_text,
    figures,
    headline,
    new_figure,
    plain_axes,
    save_figure,
    say_mean,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EVENTS = {
    "swaps": "swaps or cell crossings",
    "motion_changes": "motion changes",
    "pair_tests": "pair tests",
    "narrow_tests": "narrow tests",
}
"""Counters of a world that are shown as rates."""
_TIME = "simulated time (s)"
_FEWEST_FOR_MAXWELL = 100  # Smallest number of bodies for which a histogram of speeds is compared with a curve


def draw_plot(run: str | Path, picture: str | Path) -> Account:
    """Draw a run file of `carom run` or `carom check`, as a PNG or in the format of the file name; returns the numbers shown.

    RunFileError if the run cannot be read, CaromError if matplotlib is missing or the picture cannot be written.
    """
    figure = new_figure(15.0, 10.2, 110)
    account = account_of(run)
    grid = figure.add_gridspec(
        2, 2, left=0.062, right=0.982, top=0.872, bottom=0.062, wspace=0.15, hspace=0.27,
    )  # fmt: skip
    panels: tuple[Callable[[Axes, Account], None], ...] = (_draw_counts, _draw_rates, draw_graph, _draw_speeds)
    for k, draw in enumerate(panels):
        draw(figure.add_subplot(grid[k // 2, k % 2]), account)
    headline(figure, _title(account), _subtitle(account), 0.965, 0.933)
    save_figure(figure, picture)
    return account


def _title(account: Account) -> str:
    moving = int((~account.fixed).sum())
    bodies = f"{moving:,} {'' if account.check else 'moving '}{'body' if moving == 1 else 'bodies'}"
    return f"{account.title}: {bodies}, {_contacts(len(account.times))} in {account.end - account.begin:g} s"


def _contacts(count: int) -> str:
    return "no contact" if count == 0 else f"{count:,} contact{'s' if count > 1 else ''}"


def _subtitle(account: Account) -> str:
    if len(account.times) == 0:
        return "nothing touched"
    said = f"the first at t = {account.times[0]:.9g} s, the last at {account.times[-1]:.9g} s"
    fastest = account.speeds[np.isfinite(account.speeds)]
    return said + (f"; closing at up to {fastest.max():.3g} m/s" if len(fastest) else "")


def _label(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, fontsize=12.5, color=INK, weight="bold", loc="left", pad=9)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    plain_axes(axes)


def _legend(axes: Axes) -> None:
    axes.legend(fontsize=9.5, facecolor="white", edgecolor="none", framealpha=0.9, labelcolor=INK)


def _draw_counts(axes: Axes, account: Account) -> None:
    """Draw contacts so far, by kind."""
    from matplotlib.ticker import MaxNLocator

    _label(axes, "Contacts so far", _TIME, "contacts")
    axes.set_xlim(account.begin, account.end)
    parts = account.parts()
    for colour, (name, rows) in zip(SERIES, _most(parts), strict=False):
        times = account.times[rows]
        steps = np.concatenate([[account.begin], times, [account.end]])
        counts = np.concatenate([np.arange(len(times) + 1), [len(times)]])
        axes.step(steps, counts, where="post", color=colour, linewidth=2.0, label=f"{as_text(name)}: {len(times):,}")
    if parts:
        _legend(axes)
    axes.set_ylim(0.0, max(len(account.times[rows]) for rows in parts.values()) * 1.08 if parts else 1.0)
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))


def _most(parts: dict[str, NDArray[np.bool_]]) -> list[tuple[str, NDArray[np.bool_]]]:
    """Return all kinds, or the most frequent ones, as many as there are colours, with the others as one kind."""
    if len(parts) <= len(SERIES):
        return list(parts.items())
    ranked = sorted(parts.items(), key=lambda part: -int(part[1].sum()))
    shown, rest = ranked[: len(SERIES) - 1], ranked[len(SERIES) - 1 :]
    return [*shown, (f"{len(rest)} other pairs", np.logical_or.reduce([rows for _, rows in rest]))]


def _draw_rates(axes: Axes, account: Account) -> None:
    """Draw contacts per second and, for a world, the rates of its counters between checkpoints."""
    n_bins = int(np.clip(len(account.times) / 6, 12, 60))
    found, edges = np.histogram(account.times, bins=n_bins, range=(account.begin, account.end))
    rate = found / np.diff(edges)
    _label(axes, "Contacts per second" if account.check else "Events per simulated second", _TIME, "per second")
    axes.bar(edges[:-1], rate, width=np.diff(edges), align="edge", color=SERIES[0], alpha=0.55, linewidth=0)
    axes.axhline(account.rate, color=SERIES[0], linewidth=1.4, linestyle=(0, (4, 3)))
    highest = max([account.rate, *rate])
    labels = [(account.rate, f"contacts, mean {figures(account.rate)}", SERIES[0])]
    steps = np.diff(account.checkpoints)
    for colour, (name, words) in zip(SERIES[1:], _EVENTS.items(), strict=False):
        done = np.diff(account.counts[name]) if name in account.counts else np.zeros(0)
        if done.any():
            axes.stairs(np.maximum(done / steps, 1e-3), account.checkpoints, color=colour, linewidth=2.0, baseline=None)
            highest = max(highest, *(done / steps))
            labels.append(
                (float(done.sum() / steps.sum()), f"{words}, mean {figures(done.sum() / steps.sum())}", colour)
            )
    axes.set_xlim(account.begin, account.end)
    if len(labels) > 1:
        from matplotlib.lines import Line2D

        axes.set_yscale("log")
        lowest = min([value for value, _, _ in labels if value > 0.0] + [float(x) for x in rate if x > 0.0])
        # The curves end below the legend, which takes the upper third.
        axes.set_ylim(lowest / 2.0, highest * (2.0 * highest / lowest) ** 0.45)
        lines = [Line2D([], [], color=colour, linewidth=2.5) for _, _, colour in labels]
        order = np.argsort([-value for value, _, _ in labels])
        axes.legend(
            [lines[k] for k in order], [labels[k][1] for k in order], fontsize=9, ncols=2, loc="upper left",
            columnspacing=1.2, handlelength=1.6, facecolor="white", edgecolor="none", framealpha=0.9, labelcolor=INK,
        )  # fmt: skip
    else:
        axes.set_ylim(0.0, highest * 1.12 or 1.0)
        say_mean(axes, figures(account.rate))


def _draw_speeds(axes: Axes, account: Account) -> None:
    """Draw speeds of a world's bodies at the beginning and the end, or approach speeds of a check's triangles."""
    if account.body_speeds is None:
        _draw_closing_speeds(axes, account)
        return
    begin, end = account.body_speeds
    _label(axes, "Speeds of the bodies that can move", "speed (m/s)", "bodies")
    top = float(max([*begin, *end, 0.0])) or 1.0
    bins = np.linspace(0.0, top * 1.02, int(np.clip(np.sqrt(len(end)) * 1.5, 8, 50)) + 1)
    axes.hist(end, bins=bins.tolist(), color=SERIES[0], alpha=0.65, label=f"at {account.end:g} s, mean {_mean(end)}")
    axes.hist(
        begin, bins=bins.tolist(), histtype="step", color=SERIES[1], linewidth=2.0, label=f"at 0 s, mean {_mean(begin)}"
    )
    if account.thermal and len(end) >= _FEWEST_FOR_MAXWELL:
        speed = np.linspace(0.0, bins[-1], 200)
        heat = float((end**2).mean()) / 3.0
        density = np.sqrt(2.0 / np.pi) * speed**2 / heat**1.5 * np.exp(-(speed**2) / (2.0 * heat))
        axes.plot(speed, density * len(end) * (bins[1] - bins[0]), "--", color=INK, linewidth=1.5,
                  label="Maxwell, same energy")  # fmt: skip
    axes.set_xlim(0.0, bins[-1])
    _legend(axes)


def _draw_closing_speeds(axes: Axes, account: Account) -> None:
    _label(axes, "Closing speeds of the contacts", "speed of approach along the normal (m/s)", "contacts")
    known = account.speeds[np.isfinite(account.speeds)]
    if len(known) == 0:
        axes.text(0.5, 0.5, "no contact", transform=axes.transAxes, ha="center", color=QUIET, fontsize=12)
        axes.set_xticks([])
        axes.set_yticks([])
        return
    # A few fast bodies would compress all others into the first bar.
    top = float(np.quantile(known, 0.995)) or 1.0
    bins = np.linspace(0.0, top, int(np.clip(np.sqrt(len(known)) * 1.5, 8, 50)) + 1)
    series = [(name, account.speeds[rows]) for name, rows in _most(account.parts())]
    series = [(name, np.minimum(values[np.isfinite(values)], top)) for name, values in series]
    axes.hist(
        [values for _, values in series], bins=bins.tolist(), stacked=True, color=list(SERIES[: len(series)]), alpha=0.8,
        label=[f"{as_text(name)}, mean {_mean(values)}" for name, values in series],
    )  # fmt: skip
    beyond = int((known > top).sum())
    if beyond:
        axes.set_xlabel(f"speed of approach along the normal (m/s); the last bar holds {beyond:,} faster ones too")
    axes.set_xlim(0.0, top)
    _legend(axes)


def _mean(values: NDArray[np.float64]) -> str:
    return f"{values.mean():.3g} m/s" if len(values) else "none"
