"""Figures 13 to 15: levels of sphere-trees beside BSP-trees and carom's exact test, and their errors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carom.baselines.bsp_pair import bsp_collide
from carom.baselines.bsp_tree import BspTree, build_bsp_tree
from carom.bench.hubbard.lamp_flights import lamp_flights
from carom.bench.hubbard.section import Section
from carom.bench.hubbard.tree_pictures import draw_speed
from carom.bench.progress import Bar
from carom.bench.report import Cell, Claim, Table
from carom.bench.turns import take_turns
from carom.errors import AuditError
from carom.narrow.mesh.mesh_pair import mesh_collide, mesh_distance
from carom.narrow.progressive.progressive_pair import filtered_collide, sphere_collide, spheres_touch
from carom.scenes.lamp import lamp
from carom.trees import SphereTree
from carom.trees.obb.tree import ObbTree, tree_of

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

SIZES = (626, 3500)
FLIGHTS = 4000
SPHERES, BREADTH, PAPER_BSP, CULLED_BSP, WIDE, PLAIN = "spheres", "by levels", "BSP", "BSP, culled", "wide OBB", "OBB"
COLUMNS = (
    "triangles", "level", "cases", "number", "paper", "spheres, µs", "over BSP", "over BSP, culled", "over OBB",
    "over wide OBB", "by levels, µs", "BSP over that",
)  # fmt: skip
BOUND_COLUMNS = (
    "triangles", "level", "number", "paper", "error bound", "pair of spheres", "true distance",
)  # fmt: skip
PAPER_ALL = {1: 1049.3, 2: 581.6, 3: 243.2, 4: 112.8, 5: 2.7}
PAPER_TOUCHING = {1: 1576.7, 2: 607.1, 3: 181.3, 4: 83.1, 5: 1.3}
PAPER_BOUND = {1: 0.85, 2: 0.39, 3: 0.15, 4: 0.06}
_OVER_BSP = {626: (400.0, 80.0, 25.0, 6.0), 3500: (2000.0, 500.0, 180.0, 35.0)}
_EXACT_OVER_OBB = 3.0
_MOST_TIMED = 20_000
"""Largest number of frames per row of the table, at random: short runs are less likely to be disturbed."""
_BOUNDS = (0.65, 0.20, 0.08, 0.035)

_NOTES = [
    "Figures 13 to 15: two lamps in flight, turning; frames count while bounding cubes overlap, and a flight ends at the first "
    "contact. Level j: all frames in which spheres of level j - 1 touch, and those of them that still touch at j (figure 14); "
    "every frame counts in the last row of a size. Speedup: sum of CPU times over the same frames, one thread, fastest of "
    "several runs in turns. All only decide whether there is a contact, and stop at the first one; 'by levels' is the "
    "interruptible descent, which finds all pairs of a level and bounds the error. The last level is exact: spheres down to "
    "the leaves, and triangles where those touch.",
    "BSP pushes every face of one lamp down the tree of the other, as in the paper; culled, it omits faces whose boxes do not "
    "reach the other lamp's box, which is the better baseline. OBB is the tree of oriented boxes, one box at a time; the wide "
    "OBB tree, eight boxes at once, is carom's exact test. All answers are compared in every run.",
    "Figure 15, over the radius of the lamp: the error bound that a query returns, mean over the frames that touch at a level; "
    "the mean over all spheres of the largest distance between the lamps where spheres touch; and the true distance.",
]


@dataclass(frozen=True)
class _Lamp:
    """A lamp with all its trees, and frames."""

    spheres: SphereTree
    bsp: BspTree
    boxes: ObbTree
    rots: Floats
    shifts: Floats

    def at(self, rows: NDArray[np.int64]) -> tuple[Floats, Floats]:
        return np.ascontiguousarray(self.rots[rows]), np.ascontiguousarray(self.shifts[rows])


def measure_speed(out: Path, quick: bool, bar: Bar) -> Section:
    """Measure both sizes, all levels."""
    repeats, levels = (1, 2) if quick else (9, 4)
    speeds: list[tuple[Cell, ...]] = []
    bounds: list[tuple[Cell, ...]] = []
    claims: list[Claim] = []
    for size in bar.track(list(SIZES[:1] if quick else SIZES), "sphere-trees and BSP-trees"):
        made = _lamp(size, levels, 12 if quick else FLIGHTS)
        alive = np.arange(len(made.rots))
        over_bsp = []
        for level in range(1, levels + 1):
            found = sphere_collide(made.spheres, made.spheres, *made.at(alive), level)
            touching = alive[found.hit]
            row = _row(made, alive, level, repeats)
            over_bsp.append(row[1])
            speeds.append((size, level, "all", len(alive), PAPER_ALL[level], *row))
            row = _row(made, touching, level, repeats)
            speeds.append((size, level, "touching", len(touching), PAPER_TOUCHING[level], *row))
            bounds.append((size, level, len(touching), PAPER_BOUND[level], *_bounds(made, touching, level)))
            alive = touching
        everything = np.arange(len(made.rots))
        hits = everything[mesh_collide(made.boxes, made.boxes, made.rots, made.shifts).hit]
        row = _row(made, alive, levels + 1, repeats)
        speeds.append((size, levels + 1, "all", len(alive), PAPER_ALL[5], *row))
        row = _row(made, hits, levels + 1, repeats)
        speeds.append((size, levels + 1, "touching", len(hits), PAPER_TOUCHING[5], *row))
        exact = _row(made, everything, levels + 1, repeats)
        speeds.append((size, levels + 1, "every frame", len(everything), float("nan"), *exact))
        if not quick:
            for k, target in enumerate(_OVER_BSP[size]):
                what = f"level {k + 1} over BSP, {size} triangles"
                claims.append(Claim(what, over_bsp[k], "at least", target, "x"))
            what = f"exact level over the OBB tree, every frame, {size} triangles"
            claims.append(Claim(what, exact[3], "at least", _EXACT_OVER_OBB, "x"))
    title = f"Figures 13 and 14: how many times faster than exact tests; level {levels + 1} is exact itself"
    speed = Table("hubbard_speed", title, COLUMNS, speeds)
    title = "Figure 15: what may lie between lamps that touch at a level"
    bound = Table("hubbard_bounds", title, BOUND_COLUMNS, bounds)
    for k, pair in enumerate(bound.column("pair of spheres")[:levels]):
        claims.append(Claim(f"pair of spheres of level {k + 1}", float(pair), "below", _BOUNDS[k], "radii"))
    picture = draw_speed(speed, bound, out / "hubbard_figures_13_14_15.png")
    return Section(list(_NOTES), [speed, bound], claims, [picture])


def _lamp(size: int, levels: int, flights: int) -> _Lamp:
    mesh = lamp(size)
    bsp = build_bsp_tree(np.asarray(mesh.vertices), np.asarray(mesh.faces))
    bsp.check()
    return _Lamp(SphereTree.build(mesh, levels=levels), bsp, tree_of(mesh), *lamp_flights(mesh, flights, seed=1))


def _bounds(made: _Lamp, rows: NDArray[np.int64], level: int) -> tuple[float, float, float]:
    """Return mean error bound, looseness of two spheres and true distance of frames that touch at the level, in radii."""
    if len(rows) == 0:
        return (float("nan"),) * 3
    tree = made.spheres
    radius = tree.mesh.bounding_sphere()[1]
    bound = sphere_collide(tree, tree, *made.at(rows), level).bound
    part = slice(tree.level_start[level], tree.level_start[level + 1])
    pair = 2.0 * float((tree.spheres[part, 3] - tree.depths[part]).mean())
    apart = mesh_distance(made.boxes, made.boxes, *made.at(rows)).distance
    return float(bound.mean()) / radius, pair / radius, float(apart.mean()) / radius


def _row(made: _Lamp, rows: NDArray[np.int64], level: int, repeats: int) -> tuple[float, ...]:
    """Return the cells of the columns from "spheres, µs" on."""
    if len(rows) == 0:
        return (float("nan"),) * 7
    if len(rows) > _MOST_TIMED:
        rows = np.sort(np.random.default_rng(0).choice(rows, _MOST_TIMED, replace=False))
    where = made.at(rows)
    tree, bsp, boxes = made.spheres, made.bsp, made.boxes
    exact = mesh_collide(boxes, boxes, *where).hit
    if level > tree.levels:
        ours = {SPHERES: partial(filtered_collide, tree, tree, *where, threads=1)}
    else:
        ours = {
            SPHERES: partial(spheres_touch, tree, tree, *where, level),
            BREADTH: partial(_by_levels, tree, *where, level),
        }
    cases = {
        **ours,
        PAPER_BSP: partial(bsp_collide, bsp, bsp, *where, cull=False),
        CULLED_BSP: partial(bsp_collide, bsp, bsp, *where),
        PLAIN: partial(_boxes_touch, boxes, *where, False),
        WIDE: partial(_boxes_touch, boxes, *where, True),
    }

    def check(name: str, hit: Bools) -> None:
        wrong = (exact & ~hit) if name in ours and level <= tree.levels else (exact != hit)
        if wrong.any():
            raise AuditError(
                f"{name}, level {level}: {int(wrong.sum())} of {len(rows)} answers differ from the mesh query"
            )

    best = {name: run.seconds for name, run in take_turns(cases, repeats, check).items()}
    own, by_levels = best[SPHERES], best.get(BREADTH, float("nan"))
    return (
        1e6 * own / len(rows), best[PAPER_BSP] / own, best[CULLED_BSP] / own, best[PLAIN] / own, best[WIDE] / own,
        1e6 * by_levels / len(rows), best[PAPER_BSP] / by_levels,
    )  # fmt: skip


def _by_levels(tree: SphereTree, rots: Floats, shifts: Floats, level: int) -> Bools:
    return sphere_collide(tree, tree, rots, shifts, level).hit


def _boxes_touch(boxes: ObbTree, rots: Floats, shifts: Floats, wide: bool) -> Bools:
    return mesh_collide(boxes, boxes, rots, shifts, threads=1, wide=wide).hit
