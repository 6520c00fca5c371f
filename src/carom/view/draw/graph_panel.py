"""The contact graph: bodies as dots, lines between bodies that touched."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from carom.view.draw.account import Account, Graph
from carom.view.draw.look import INK, QUIET, SERIES, as_text
from carom.view.draw.spring_layout import spring_layout

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_SHOWN = 500  # Largest number of bodies drawn: those that touched the most others
_MOST_NAMED = 16  # Largest number of bodies that are labelled
_LABEL_OFF = (0.19, 0.12)  # Offset of a label from its dot, across and up, relative to the radius of the layout


def draw_graph(axes: Axes, account: Account) -> None:
    """Draw the bodies that touched others; lines are coloured by the time of the first contact."""
    graph = account.graph()
    axes.set_title("Who touched whom", fontsize=12.5, color=INK, weight="bold", loc="left", pad=9)
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    axes.set_xlim(-1.08, 1.3)  # room for the colour bar at the right and the caption below
    axes.set_ylim(-1.28, 1.08)
    met = np.bincount(graph.pairs.ravel(), minlength=len(account.names))
    nodes = _ordered(graph, met)
    if len(nodes) == 0:
        axes.text(0.0, 0.0, "no two moving bodies touched", ha="center", color=QUIET, fontsize=12)
        return
    place = np.full(len(account.names), -1)
    place[nodes] = np.arange(len(nodes))
    shown = (place[graph.pairs] >= 0).all(axis=1)
    edges = place[graph.pairs[shown]]
    at = spring_layout(len(nodes), edges)
    if len(edges):
        _draw_edges(axes, account, at, edges, graph.contacts[shown], graph.first[shown])
    _draw_nodes(axes, account, graph, nodes, at, edges, met)
    axes.text(0.5, -0.01, _caption(account, graph, len(nodes), met), transform=axes.transAxes, ha="center", va="bottom",
              fontsize=9.5, color=QUIET)  # fmt: skip


def _ordered(graph: Graph, met: Ints) -> Ints:
    """Return the bodies to draw group by group, large groups first, so that the layout starts with each group together."""
    bodies = np.array(sorted(graph.group_of), dtype=np.int64)
    if len(bodies) == 0:
        return bodies
    bodies = bodies[np.argsort(-met[bodies], kind="stable")][:_MOST_SHOWN]
    groups = np.array([graph.group_of[int(body)] for body in bodies])
    sizes = dict(zip(*np.unique(groups, return_counts=True), strict=True))
    order = np.lexsort((bodies, groups, [-sizes[group] for group in groups]))
    return bodies[order]


def _draw_edges(axes: Axes, account: Account, at: Floats, edges: Ints, contacts: Ints, first: Floats) -> None:
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection
    from matplotlib.colors import ListedColormap

    # Without the yellow end, which is hard to see on white.
    shades = ListedColormap(colormaps["viridis"](np.linspace(0.0, 0.88, 256)))
    lines = LineCollection(
        list(at[edges]), array=first, cmap=shades, linewidths=np.clip(0.8 + 0.8 * np.sqrt(contacts), 1.4, 6.0),
        alpha=0.9 if len(edges) < 400 else 0.6, zorder=1,
    )  # fmt: skip
    lines.set_clim(account.begin, account.end)
    axes.add_collection(lines)
    bar = axes.figure.colorbar(lines, cax=axes.inset_axes((0.925, 0.2, 0.018, 0.6)))
    bar.set_label("first contact of the two (s)", color=INK, fontsize=9.5)
    bar.ax.tick_params(colors=QUIET, labelsize=8.5)
    bar.outline.set_visible(False)
    if len(edges) <= _MOST_NAMED:
        for (one, other), count in zip(at[edges], contacts, strict=True):
            axes.text(*_middle(one, other), f"{count:,}", fontsize=9.5, color=INK, ha="center", va="center", zorder=4,
                      bbox={"boxstyle": "round,pad=0.2", "color": "white", "alpha": 0.9})  # fmt: skip


def _middle(one: Floats, other: Floats) -> tuple[float, float]:
    return (one[0] + other[0]) / 2.0, (one[1] + other[1]) / 2.0


def _draw_nodes(axes: Axes, account: Account, graph: Graph, nodes: Ints, at: Floats, edges: Ints, met: Ints) -> None:
    few = len(nodes) <= _MOST_NAMED
    size = (220.0 if few else np.clip(6000.0 / len(nodes), 9.0, 90.0)) * (0.5 + 0.4 * np.sqrt(met[nodes]))
    axes.scatter(at[:, 0], at[:, 1], s=size, color=SERIES[1], edgecolors="white", linewidths=0.8, zorder=3)
    if not few:
        return
    selves = dict(graph.selves.tolist())
    for body, (x, y) in zip(nodes.tolist(), _label_places(at, edges), strict=True):
        words = as_text(account.name(body)) + (f"\n{selves[body]:,} with itself" if body in selves else "")
        axes.text(x, y, words, fontsize=10, color=INK, ha="center", va="center", zorder=5,
                  bbox={"boxstyle": "round,pad=0.1", "color": "white", "alpha": 0.6})  # fmt: skip


def _label_places(at: Floats, edges: Ints) -> Floats:
    """Return the places of the labels of nodes (n, 2): beside each node, far from nodes, lines and other labels."""
    marks = np.linspace(0.0, 1.0, 9)[:, None, None]
    lines = (at[edges[:, 0]] * (1.0 - marks) + at[edges[:, 1]] * marks).reshape(-1, 2)
    angles = -np.pi / 2.0 + np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    around = np.column_stack([_LABEL_OFF[0] * np.cos(angles), _LABEL_OFF[1] * np.sin(angles)])
    taken = np.concatenate([at, lines])
    places = np.empty_like(at)
    for k, node in enumerate(at):
        # Labels are wider than high: horizontal distances count less than vertical ones.
        apart = (node + around)[:, None] - taken[None]
        room = np.linalg.norm(apart / _LABEL_OFF, axis=2).min(axis=1)
        places[k] = node + around[int(np.argmax(np.minimum(room, 1.0)))]
        taken = np.concatenate([taken, places[k : k + 1]])
    return places


def _caption(account: Account, graph: Graph, n_shown: int, met: Ints) -> str:
    if account.check:
        return "a line: the two touched, and how many pairs of triangles" if len(graph.pairs) else ""
    n, busiest = len(graph.group_of), int(met.argmax())
    groups = f"{graph.groups:,} group{'s' if graph.groups > 1 else ''}"
    said = f"{n:,} bodies met another, in {groups}; {account.name(busiest)} met the most, {met[busiest]:,}"
    if n_shown < n:
        said += f"; drawn: the {n_shown:,} that met most"
    return said + ("; walls left out" if account.fixed.any() else "")
