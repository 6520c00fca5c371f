"""Collide and distance of two meshes near contact, in carom and in other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from carom.bench.progress import Bar
from carom.bench.queries.clock import take_turns
from carom.bench.queries.models import models, near_contact
from carom.bench.queries.pair_peer import PairPeer
from carom.bench.report import Cell, Table
from carom.errors import AuditError
from carom.queries import collide, distance
from carom.shapes import Mesh

COLUMNS = ("model", "query", "library", "queries / s", "times slower than carom", "poses", "hits")
OURS = "carom"
_ALIKE = 1e-9
"""m: distances may differ by this, and so near to touching a library may see a hit or not."""


def measure_still(quick: bool, peers: Sequence[type[PairPeer]], bar: Bar) -> Table:
    """Queries a second of every library; AuditError where one of them answers differently."""
    n, repeats = (60, 1) if quick else (2000, 5)
    rows: list[tuple[Cell, ...]] = []
    for name, mesh in bar.track(list(models(quick).items()), "collide and distance"):
        poses = near_contact(mesh, n, seed=1)
        libraries = [peer(mesh, poses) for peer in peers]
        gaps = _our_distance(mesh, poses)
        hits = _our_hits(mesh, poses)
        collided = take_turns(
            {OURS: partial(_our_hits, mesh, poses)} | {library.name: library.collide for library in libraries},
            repeats,
            partial(_require_hits, hits, gaps),
        )
        measured = take_turns(
            {OURS: partial(_our_distance, mesh, poses)} | {library.name: library.distance for library in libraries},
            max(1, repeats // 2),
            partial(_require_distances, gaps),
        )
        for query, times in (("collide", collided), ("distance", measured)):
            own = times[OURS].seconds
            rows += [
                (name, query, who, n / run.seconds, run.seconds / own, n, int(hits.sum())) for who, run in times.items()
            ]
    title = "Two equal meshes near contact: one thread, carom in one call for all poses"
    return Table("queries_still", title, COLUMNS, rows)


def _our_hits(mesh: Mesh, poses: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(collide(mesh, mesh, None, poses, contacts="none", threads=1).hit)


def _our_distance(mesh: Mesh, poses: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(distance(mesh, mesh, None, poses, threads=1).distance)


def _require_hits(hits: NDArray[np.bool_], gaps: NDArray[np.float64], who: str, found: NDArray[np.bool_]) -> None:
    """Equal but where the surfaces are apart by less than rounding."""
    wrong = np.flatnonzero((found != hits) & ~((gaps > 0.0) & (gaps <= _ALIKE)))
    if len(wrong):
        k = int(wrong[0])
        raise AuditError(
            f"collide: {who} says {bool(found[k])} for pose {k} and {len(wrong) - 1} more, carom {bool(hits[k])} "
            f"at a distance of {gaps[k]}"
        )


def _require_distances(gaps: NDArray[np.float64], who: str, found: NDArray[np.float64]) -> None:
    off = np.abs(found - gaps)
    k = int(off.argmax())
    if off[k] > _ALIKE:
        raise AuditError(f"distance: {who} says {found[k]} for pose {k}, carom {gaps[k]}")
