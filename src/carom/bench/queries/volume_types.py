"""Trees of every type of bounding volume: build time, memory, and searches in three situations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.bench.progress import Bar
from carom.bench.queries.models import directions, matrices, quaternions
from carom.bench.report import Cell, Table
from carom.bench.turns import take_turns, timed
from carom.errors import AuditError
from carom.narrow.mesh.mesh_pair import MeshDistances, MeshHits, mesh_collide, mesh_distance
from carom.pose import poses, relative
from carom.scenes.meshes import asteroid
from carom.trees.obb.bvh8 import wide_tree_of
from carom.trees.obb.tree import build_obb_tree
from carom.trees.volume_tree import VOLUME_TYPES, build_volume_tree

Floats = NDArray[np.float64]

BUILD_COLUMNS = ("volumes", "build, ms", "bytes / triangle", "nodes / triangle")
SEARCH_COLUMNS = (
    "situation", "volumes", "collide, µs", "volume tests", "triangle tests", "distance, µs", "distance: volume tests",
    "distance: triangle tests",
)  # fmt: skip
PARALLEL, DEEP, FAR = "parallel", "overlap", "far"
"""A rock inside a slightly larger one that nearly touches it everywhere; centres 0.7 radii apart; 10 radii apart."""
DEFAULT, SINGLE = "obb, 8 at once", "obb"
"""The default of queries; the same tree, one box at a time in double precision."""
_GAP = 0.03  # Relative difference of the sizes of the rocks
_JITTER = 0.1  # Displacement and rotation of the inner rock relative to the gap, so that poses differ
_ROUGHNESS = 0.5
_ALIKE = 1e-9


@dataclass(frozen=True)
class _Kind:
    """A type of tree: its builder, the address of its bound, and whether eight boxes are tested at once."""

    build: Callable[[Floats, NDArray[np.int64]], Any]
    address: int = 0
    wide: bool = False


def _kinds() -> dict[str, _Kind]:
    kinds = {DEFAULT: _Kind(build_obb_tree, wide=True), SINGLE: _Kind(build_obb_tree)}
    for name, volume in VOLUME_TYPES.items():
        kinds[name] = _Kind(partial(build_volume_tree, kind=name), volume.bound())
    return kinds


def measure_volumes(quick: bool, bar: Bar) -> tuple[Table, Table]:
    """Make one table of building, one of searching; AuditError if two types of volume give different answers."""
    vertices, faces = asteroid(1, _ROUGHNESS, 4 if quick else 12)
    trees: dict[str, tuple[_Kind, Any, Any]] = {}
    built: list[tuple[Cell, ...]] = []
    for name, kind in bar.track(list(_kinds().items()), "bounding volumes, building"):
        trees[name] = kind, _built(kind, vertices, faces), _built(kind, (1.0 - _GAP) * vertices, faces)
        runs = [timed(partial(_built, kind, vertices, faces)) for _ in range(1 if quick else 3)]
        tree = runs[0].result
        m = len(faces)
        seconds = min(run.seconds for run in runs)
        built.append((name, 1e3 * seconds, tree_bytes(tree, kind.wide) / m, len(tree.nodes) / m))
    searched: list[tuple[Cell, ...]] = []
    for situation in bar.track([PARALLEL, DEEP, FAR], "bounding volumes, searching"):
        n = 4 if quick else {PARALLEL: 10, DEEP: 400, FAR: 200}[situation]
        searched += _search(situation, trees, n, 1 if quick else 3)
    title = f"Trees over a bumpy rock of {len(faces):,} triangles by type of volume"
    found = (
        f"Searches of two bumpy rocks of {len(faces):,} triangles by type of volume, per pose: one inside another that is "
        f"{_GAP:.0%} larger (parallel), in deep overlap, far apart"
    )
    return (
        Table("queries_volume_build", title, BUILD_COLUMNS, built),
        Table("queries_volume_search", found, SEARCH_COLUMNS, searched),
    )


def _built(kind: _Kind, vertices: Floats, faces: NDArray[np.int64]) -> Any:
    tree = kind.build(vertices, faces)
    if kind.wide:
        wide_tree_of(tree)
    return tree


def tree_bytes(tree: Any, wide: bool) -> int:
    """Return bytes of all arrays of a tree, with its wide form if used; shared arrays count once."""
    holders = [tree, wide_tree_of(tree)] if wide else [tree]
    arrays = {
        id(value): value for holder in holders for value in vars(holder).values() if isinstance(value, np.ndarray)
    }
    return sum(value.nbytes for value in arrays.values())


def _search(situation: str, trees: dict[str, tuple[_Kind, Any, Any]], n: int, repeats: int) -> list[tuple[Cell, ...]]:
    """Return one row per type; the second surface is the inner rock if they are parallel, else the outer one again."""
    rng = np.random.default_rng(3)
    shift = {PARALLEL: _JITTER * _GAP, DEEP: 0.7, FAR: 10.0}[situation]
    quats = quaternions(n, rng)
    if situation == PARALLEL:
        quats = np.column_stack([np.ones(n), 0.5 * _JITTER * _GAP * directions(n, rng)])
        quats /= np.linalg.norm(quats, axis=1)[:, None]
    rots, shifts = relative(poses("a", None), poses("b", matrices(quats, shift * directions(n, rng))))
    hits: dict[str, Callable[[], MeshHits]] = {}
    gaps: dict[str, Callable[[], MeshDistances]] = {}
    for name, (kind, outer, inner) in trees.items():
        pair = outer, inner if situation == PARALLEL else outer
        options: dict[str, Any] = {"address": kind.address, "threads": 1, "wide": kind.wide}
        hits[name] = partial(mesh_collide, *pair, rots, shifts, **options)
        gaps[name] = partial(mesh_distance, *pair, rots, shifts, **options)
    expected = gaps[SINGLE]().distance
    collided = take_turns(hits, repeats, partial(_require_hits, situation, expected))
    measured = take_turns(gaps, repeats, partial(_require_distances, situation, expected))
    rows: list[tuple[Cell, ...]] = []
    for name in trees:
        cells: list[Cell] = [situation, name]
        for run in (collided[name], measured[name]):
            tests = run.result.tests.mean(axis=0)
            cells += [1e6 * run.seconds / n, float(tests[0]), float(tests[1])]
        rows.append(tuple(cells))
    return rows


def _require_hits(situation: str, gaps: Floats, who: str, found: MeshHits) -> None:
    if not np.array_equal(found.hit, gaps == 0.0):
        raise AuditError(f"{situation}: collide over {who} differs from the distance over {SINGLE}")


def _require_distances(situation: str, gaps: Floats, who: str, found: MeshDistances) -> None:
    if np.abs(found.distance - gaps).max() > _ALIKE:
        raise AuditError(f"{situation}: the distance over {who} differs from that over {SINGLE}")
