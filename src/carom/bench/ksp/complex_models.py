"""Figure 6: a hundred bodies of over 6000 triangles each, in frames per second."""

from __future__ import annotations

from functools import partial

from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.bench.timing import best_of, run_scene
from carom.scenes.models import models
from carom.shapes import Mesh

RATE = 30.0
"""Hz: an interactive frame. A faster rate would only flatter an event-driven method."""
COLUMNS = ("method", "bodies", "triangles", "frames / CPU s", "collisions", "narrow tests")


def measure_models(quick: bool, bar: Bar) -> Table:
    """Frames per CPU second with response, kinetic and swept."""
    n, duration, repeats = (10, 0.5, 1) if quick else (100, 10.0, 3)
    scene = models(objects=n)
    meshes = [scene.shapes[k] for k in scene.shape_index if isinstance(scene.shapes[k], Mesh)]
    triangles = sum(len(mesh.faces) for mesh in meshes if isinstance(mesh, Mesh))
    run_scene(scene, RATE, 1.0 / RATE)  # builds the trees
    rows: list[tuple[Cell, ...]] = []
    for _ in bar.track([0], "figure 6: complex models"):
        cases = {method: partial(run_scene, scene, RATE, duration, method) for method in ("kinetic", "swept")}
        for method, run in best_of(cases, repeats, "figure 6").items():
            rate = RATE * duration / run.seconds
            rows.append((method, n, triangles, rate, len(run.log), run.stats.narrow_tests))
    return Table("ksp_figure6", f"Figure 6: complex models, frames of 1/{RATE:g} s", COLUMNS, rows)
