"""Trees of every type of bounding volume side by side: building, memory, and searches in three situations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from carom.bench.progress import Bar
from carom.bench.queries.clock import take_turns, timed
from carom.bench.queries.models import directions, matrices, quaternions
from carom.bench.report import Cell, Table
from carom.errors import AuditError
from carom.narrow.mesh_pair import MeshDistances, MeshHits, mesh_collide, mesh_distance
from carom.pose import poses, relative
from carom.trees.obb_tree import build_obb_tree
from carom.trees.volume_tree import VOLUME_TYPES, build_volume_tree
from carom.trees.wide_tree import wide_tree_of

Floats = NDArray[np.float64]

BUILD_COLUMNS = ("volumes", "build, ms", "bytes / triangle", "nodes / triangle")
SEARCH_COLUMNS = (
    "situation", "volumes", "collide, µs", "volume tests", "triangle tests", "distance, µs", "volume tests (distance)",
    "triangle tests (distance)",
)  # fmt: skip
PARALLEL, DEEP, FAR = "parallel close surfaces", "deep overlap", "far apart"
DEFAULT, SINGLE = "obb, eight at once (default)", "obb"
_GAP = 0.01
"""Radii between the parallel surfaces: two spheres of one centre."""
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
    """One table of building, one of searching; AuditError where two types of volume give different answers."""
    outer = trimesh.creation.icosphere(subdivisions=1 if quick else 3)
    inner = trimesh.creation.icosphere(subdivisions=1 if quick else 3, radius=1.0 - (0.2 if quick else _GAP))
    trees: dict[str, tuple[_Kind, Any, Any]] = {}
    built: list[tuple[Cell, ...]] = []
    for name, kind in bar.track(list(_kinds().items()), "bounding volumes, building"):
        kind.build(outer.vertices[:3], outer.faces[:1] * 0 + np.arange(3))
        runs = [timed(partial(_built, kind, outer)) for _ in range(1 if quick else 3)]
        tree = runs[0].result
        trees[name] = kind, tree, kind.build(inner.vertices, inner.faces)
        m = len(outer.faces)
        seconds = min(run.seconds for run in runs)
        built.append((name, 1e3 * seconds, tree_bytes(tree, kind.wide) / m, len(tree.nodes) / m))
    searched: list[tuple[Cell, ...]] = []
    for situation in bar.track([PARALLEL, DEEP, FAR], "bounding volumes, searching"):
        searched += _search(situation, trees, 4 if quick else 20, 1 if quick else 3)
    title = f"Trees over an icosphere of {len(outer.faces):,} triangles by type of volume"
    found = f"Searches of two icospheres of {len(outer.faces):,} triangles by type of volume, per pose"
    return (
        Table("queries_volume_build", title, BUILD_COLUMNS, built),
        Table("queries_volume_search", found, SEARCH_COLUMNS, searched),
    )


def _built(kind: _Kind, made: trimesh.Trimesh) -> Any:
    tree = kind.build(made.vertices, made.faces)
    if kind.wide:
        wide_tree_of(tree)
    return tree


def tree_bytes(tree: Any, wide: bool) -> int:
    """Bytes of all arrays of a tree, with its wide form where that is used; arrays that both hold count once."""
    holders = [tree, wide_tree_of(tree)] if wide else [tree]
    arrays = {
        id(value): value for holder in holders for value in vars(holder).values() if isinstance(value, np.ndarray)
    }
    return sum(value.nbytes for value in arrays.values())


def _search(situation: str, trees: dict[str, tuple[_Kind, Any, Any]], n: int, repeats: int) -> list[tuple[Cell, ...]]:
    """One row for each type; the second surface is the inner sphere where they are parallel, else the outer again."""
    rng = np.random.default_rng(3)
    shift = {PARALLEL: 0.0, DEEP: 0.7, FAR: 10.0}[situation]
    rots, shifts = relative(poses("a", None), poses("b", matrices(quaternions(n, rng), shift * directions(n, rng))))
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
