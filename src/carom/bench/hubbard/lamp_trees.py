"""Figure 10: sphere-trees of the desk lamp by three methods: build time and tightness."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from carom.bench.hubbard.section import Section
from carom.bench.hubbard.tree_pictures import draw_lamp
from carom.bench.progress import Bar
from carom.bench.report import Cell, Claim, Table
from carom.errors import AuditError
from carom.scenes.lamp import lamp
from carom.trees import Looseness, SphereTree
from carom.trees.spheres.sphere_tree import METHODS

COLUMNS = (
    "method", "build, s", "load, ms", "level", "spheres", "mean / radius", "worst / radius", "sampled mean", "sampled worst",
)  # fmt: skip
_SECONDS = 15.0
_NOTES = [
    "Figure 10: sphere-trees of the lamp of 626 triangles, four levels. Looseness over the bounding radius of the "
    "lamp: the bound is the radius minus the depth of the centre, which no point of a sphere exceeds; 'sampled' is "
    "the Hausdorff distance from below, from 48 points on every sphere. CPU seconds of a build, sum of all threads, "
    "without compilation; fastest of 2.",
]


def measure_trees(out: Path, quick: bool, bar: Bar) -> Section:
    """Build, check, save and load a tree by every method."""
    mesh = lamp()
    levels, repeats = (2, 1) if quick else (4, 2)
    radius = mesh.bounding_sphere()[1]
    rows: list[tuple[Cell, ...]] = []
    fits: dict[str, list[Looseness]] = {}
    seconds: dict[str, float] = {}
    uncovered = 0
    medial: SphereTree | None = None
    for method in bar.track(list(METHODS), "sphere-trees"):
        SphereTree.build(mesh, levels=1, method=method)
        best = float("inf")
        for _ in range(repeats):
            begin = time.process_time()
            tree = SphereTree.build(mesh, levels=levels, method=method)
            best = min(best, time.process_time() - begin)
        seconds[method], fits[method] = best, tree.looseness()
        try:
            tree.check(mesh)
        except AuditError:
            uncovered += 1
        load = _load_time(tree)
        rows += [
            (
                method, best, 1e3 * load, fit.level, fit.spheres, fit.bound_mean / radius, fit.bound_worst / radius,
                fit.sampled_mean / radius, fit.sampled_worst / radius,
            )
            for fit in fits[method]
        ]  # fmt: skip
        if method == "medial":
            medial = tree
    assert medial is not None
    table = Table("hubbard_trees", "Figure 10: sphere-trees of the lamp", COLUMNS, rows)
    looser = sum(
        own.bound_mean > other.bound_mean or own.bound_worst > other.bound_worst
        for own, other in zip(fits["medial"], fits["octree"], strict=True)
    )
    claims = [
        Claim(f"medial-axis tree of the lamp, {levels} levels", seconds["medial"], "below", _SECONDS, "s"),
        Claim("trees of which a level does not cover the lamp", float(uncovered), "below", 1.0),
        Claim("levels at which the medial tree is looser than the octree's", float(looser), "below", 1.0),
    ]
    return Section(list(_NOTES), [table], claims, [draw_lamp(medial, out / "hubbard_figure_10.png")])


def _load_time(tree: SphereTree) -> float:
    """Return the seconds to read the tree from a file, fastest of 5."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tree.npz"
        tree.save(path)
        best = float("inf")
        for _ in range(5):
            begin = time.perf_counter()
            SphereTree.load(path)
            best = min(best, time.perf_counter() - begin)
    return best
