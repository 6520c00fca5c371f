"""Pictures of the lamp and its spheres (figure 10), and of the levels' speed and error (figures 13 to 15)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.bench.plotting import COLOURS, label, new_figure, plain_ticks, save
from carom.bench.report import Table
from carom.shapes import Sphere
from carom.trees import SphereTree
from carom.view.draw.camera import Camera
from carom.view.draw.painter import paint_triangles

_LAMP = np.array([0.78, 0.55, 0.36])
_SPHERE_COLOURS = np.array([(0.55, 0.68, 0.85), (0.60, 0.78, 0.62), (0.86, 0.72, 0.50), (0.80, 0.62, 0.76)])
_PIXELS = 520
_EYE = np.array([-2.2, -3.2, 1.0])


def draw_lamp(tree: SphereTree, path: Path) -> Path:
    """Draw the mesh and the first three levels below the root."""
    shown = range(1, min(3, tree.levels) + 1)
    figure, panels = new_figure(
        1 + len(shown), "Figure 10: a desk lamp and levels of its sphere-tree", width=4.2, height=4.6
    )
    mesh = tree.mesh.vertices[tree.mesh.faces]
    ball = Sphere(1.0).triangles(500)
    pictures = [(f"{len(mesh)} triangles", mesh, np.tile(_LAMP, (len(mesh), 1)))]
    for level in shown:
        spheres = tree.level(level)
        triangles = (spheres[:, None, None, :3] + spheres[:, None, None, 3:] * ball).reshape(-1, 3, 3)
        colours = np.repeat(_SPHERE_COLOURS[np.arange(len(spheres)) % len(_SPHERE_COLOURS)], len(ball), axis=0)
        pictures.append((f"level {level}: {len(spheres)} spheres", triangles, colours))
    camera = Camera(_EYE, np.zeros(3), np.array([0.0, 0.0, 1.0]))
    window = _window(camera, [triangles for _, triangles, _ in pictures])
    for panel, (title, triangles, colours) in zip(panels, pictures, strict=True):
        image = paint_triangles(
            camera, triangles, colours, window, (_PIXELS, _PIXELS), lines=len(triangles) == len(mesh)
        )
        panel.imshow(image, origin="lower", interpolation="antialiased")
        panel.set_title(title, fontsize=10)
        panel.set_axis_off()
    return save(figure, path)


def _window(camera: Camera, pictures: list[NDArray[np.float64]]) -> tuple[float, float, float, float]:
    """Return a square that shows the mesh and all but the largest spheres."""
    corners = np.concatenate([camera.project(triangles)[0].reshape(-1, 2) for triangles in pictures])
    middle = 0.5 * (corners.min(axis=0) + corners.max(axis=0))
    half = 0.52 * float(np.ptp(corners, axis=0).max())
    return middle[0] - half, middle[0] + half, middle[1] - half, middle[1] + half


def draw_speed(speed: Table, bounds: Table, path: Path) -> Path:
    """Draw speedup by level for all cases and for touching ones, and the error bounds."""
    figure, panels = new_figure(
        3, "Two lamps in flight: sphere-trees against exact tests, one thread", width=5.4, height=4.6
    )
    for panel, cases, figure_number in zip(panels[:2], ("all", "touching"), (13, 14), strict=True):
        _draw_ratios(panel, speed, cases, figure_number)
    _draw_bounds(panels[2], bounds)
    return save(figure, path)


def _draw_ratios(panel: Any, speed: Table, cases: str, number: int) -> None:
    rows = [dict(zip(speed.columns, row, strict=True)) for row in speed.rows]
    rows = [row for row in rows if row["cases"] == cases]
    sizes = list(dict.fromkeys(int(row["triangles"]) for row in rows))
    styles = {
        "over BSP": (COLOURS["swept"], "BSP"),
        "over BSP, culled": (COLOURS["uniform-grid"], "BSP, culled"),
        "over wide OBB": (COLOURS["kinetic"], "carom's exact test"),
    }
    for size, line in zip(sizes, ("-", "--"), strict=False):
        own = [row for row in rows if row["triangles"] == size]
        levels = [int(row["level"]) for row in own]
        for column, (colour, name) in styles.items():
            panel.plot(
                levels,
                [float(row[column]) for row in own],
                line,
                color=colour,
                marker="o",
                label=f"{name}, {size} triangles",
            )
    levels = sorted({int(row["level"]) for row in rows})
    paper = {int(row["level"]): float(row["paper"]) for row in rows}
    panel.plot(
        levels, [paper[level] for level in levels], ":", color="#5c6b73", marker="x", label="paper, over its BSP"
    )
    panel.axhline(1.0, color="#111111", linewidth=0.8)
    panel.set_yscale("log")
    panel.set_ylim(top=40.0 * panel.get_ylim()[1])  # room for the legend
    plain_ticks(panel, [float(level) for level in levels])
    panel.legend(fontsize=7.5, frameon=False, loc="upper right")
    title = (
        f"Figure {number}: frames that reach a level"
        if cases == "all"
        else f"Figure {number}: frames that touch at a level"
    )
    label(panel, title, f"level ({levels[-1]} is exact)", "times faster than ...")


def _draw_bounds(panel: Any, bounds: Table) -> None:
    rows = [dict(zip(bounds.columns, row, strict=True)) for row in bounds.rows]
    first = [row for row in rows if row["triangles"] == rows[0]["triangles"]]
    levels = [int(row["level"]) for row in first]
    for column, colour, name in (
        ("paper", "#5c6b73", "paper"),
        ("pair of spheres", COLOURS["uniform-grid"], "any pair of spheres"),
        ("error bound", COLOURS["kinetic"], "error bound returned"),
        ("true distance", COLOURS["auto"], "true distance"),
    ):
        panel.plot(levels, [float(row[column]) for row in first], marker="o", color=colour, label=name)
    panel.set_yscale("log")
    plain_ticks(panel, [float(level) for level in levels])
    panel.legend(fontsize=8, frameon=False)
    label(panel, "Figure 15: what may lie between the lamps", "level", "mean distance / bounding radius")
