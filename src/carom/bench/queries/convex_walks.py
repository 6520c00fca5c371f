"""Iterations of GJK by number of vertices, and steps of Lin-Canny by motion, with and without coherence."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from carom.bench.progress import Bar
from carom.bench.queries.models import directions, quaternions
from carom.bench.report import Cell, Table
from carom.bench.turns import take_turns
from carom.errors import AuditError
from carom.motion.turning import rotations
from carom.narrow.convex.closest_features import ClosestFeatures, closest_features
from carom.narrow.convex.convex_pair import ConvexDistance, convex_distance
from carom.narrow.convex.voronoi_regions import Regions, regions
from carom.shapes import Convex
from carom.shapes.parts.polyhedron import polyhedron
from carom.shapes.shape import core_of

Floats = NDArray[np.float64]

GJK_COLUMNS = (
    "vertices", "any pose, mean", "any pose, 95 %", "path, mean", "path, 95 %", "path, coherent, mean",
    "path, coherent, 95 %", "µs", "µs, coherent",
)  # fmt: skip
WALK_COLUMNS = (
    "vertices",
    "motion / frame, degrees",
    "steps, mean",
    "steps, 95 %",
    "µs",
    "GJK, µs",
    "GJK coherent, µs",
)
_ALIKE = 1e-9
_STRETCH = np.array([1.0, 0.8, 0.6])
_GAP = 0.2  # Mean distance of the shapes, radii: near, without overlap


def measure_gjk(quick: bool, bar: Bar) -> Table:
    """Measure iterations (support points) of pairs of polyhedra with all vertices on an ellipsoid."""
    sizes = [8, 32] if quick else [8, 16, 32, 64, 125, 250, 500]
    n, repeats = (50, 1) if quick else (2000, 3)
    rows: list[tuple[Cell, ...]] = []
    for size in bar.track(sizes, "iterations of GJK"):
        a, b = (core_of(_solid(size, seed)) for seed in (1, 2))
        loose = convex_distance(a, b, *_any_poses(n, seed=4))
        path = smooth_path(n, degrees=1.0, seed=5)
        runs = take_turns(
            {how: partial(convex_distance, a, b, *path, coherent=how == "coherent") for how in ("fresh", "coherent")},
            repeats,
            partial(_require_distances, convex_distance(a, b, *path).distance),
        )
        counts = [loose.steps, runs["fresh"].result.steps, runs["coherent"].result.steps]
        cells: list[Cell] = [size]
        for steps in counts:
            cells += [float(steps.mean()), float(np.percentile(steps, 95.0))]
        rows.append((*cells, *(1e6 * run.seconds / n for run in runs.values())))
    title = "Iterations of GJK by number of vertices (each of two); a path turns by 1 degree per frame"
    return Table("queries_gjk", title, GJK_COLUMNS, rows)


def measure_walks(quick: bool, bar: Bar) -> Table:
    """Measure steps of Lin-Canny from the last frame's features, for increasing motion between frames."""
    n, repeats = (50, 1) if quick else (2000, 3)
    cases = [
        (size, degrees) for size in ((8, 32) if quick else (20, 100, 500)) for degrees in (0.1, 1.0, 3.0, 10.0, 30.0)
    ]
    rows: list[tuple[Cell, ...]] = []
    for size, degrees in bar.track(cases, "steps of Lin-Canny"):
        one, other = _solid(size, 1), _solid(size, 2)
        first, second = _regions(one), _regions(other)
        path = smooth_path(n, degrees, seed=6)
        cores = core_of(one), core_of(other)
        expected = convex_distance(*cores, *path).distance
        walk = take_turns(
            {"Lin-Canny": partial(closest_features, first, second, *path)},
            repeats,
            partial(_require_distances, expected),
        )["Lin-Canny"]
        gjk = take_turns(
            {how: partial(convex_distance, *cores, *path, coherent=how == "coherent") for how in ("fresh", "coherent")},
            repeats,
            partial(_require_distances, expected),
        )
        steps = walk.result.steps[1:]
        rows.append(
            (size, degrees, float(steps.mean()), float(np.percentile(steps, 95.0)), 1e6 * walk.seconds / n)
            + tuple(1e6 * run.seconds / n for run in gjk.values())
        )
    return Table("queries_lin_canny", "Lin-Canny from the last frame's features", WALK_COLUMNS, rows)


def _solid(size: int, seed: int) -> Convex:
    return Convex(directions(size, np.random.default_rng(seed)) * _STRETCH)


def _regions(solid: Convex) -> Regions:
    return regions(polyhedron(solid.vertices, solid.faces))


def _any_poses(n: int, seed: int) -> tuple[Floats, Floats]:
    """Return random rotations (n, 9) and shifts (n, 3), without overlap."""
    rng = np.random.default_rng(seed)
    rots = rotations(quaternions(n, rng)).reshape(n, 9)
    return np.ascontiguousarray(rots), (2.0 + _GAP * rng.uniform(0.0, 1.0, n))[:, None] * directions(n, rng)


def smooth_path(n: int, degrees: float, seed: int) -> tuple[Floats, Floats]:
    """Return rotations (n, 9) and shifts (n, 3) along a path: per frame b turns by `degrees` and moves around a by a third
    of it, at a slowly oscillating distance. Axes are random."""
    rng = np.random.default_rng(seed)
    spin, orbit = directions(2, rng)
    angle = np.radians(degrees) * np.arange(n)
    start = Rotation.random(rng=rng)
    rots = (Rotation.from_rotvec(angle[:, None] * spin) * start).as_matrix().reshape(n, 9)
    side = np.cross(orbit, directions(1, rng)[0])
    way = Rotation.from_rotvec(angle[:, None] / 3.0 * orbit).apply(side / np.linalg.norm(side))
    return np.ascontiguousarray(rots), (2.0 + _GAP * np.sin(angle / 7.0) ** 2)[:, None] * way


def _require_distances(expected: Floats, who: str, found: ConvexDistance | ClosestFeatures) -> None:
    off = np.abs(found.distance - expected)
    if off.max() > _ALIKE:
        raise AuditError(f"convex distance: {who} differs from GJK by {off.max()} m at pose {int(off.argmax())}")
