"""Collide and distance of two meshes near contact, in carom and in other libraries."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.bench.progress import Bar
from carom.bench.queries.mesh_peers import PairPeer
from carom.bench.queries.models import models, near_contact
from carom.bench.report import Cell, Table
from carom.bench.turns import Timed, take_turns
from carom.errors import AuditError
from carom.queries import collide, distance
from carom.shapes import Mesh

Floats = NDArray[np.float64]
Peers = Sequence[type[PairPeer]]

COLUMNS = ("model", "query", "library", "queries / s", "times slower than carom", "poses", "hits")
OURS = "carom"
APART = "distance, apart"
"""Only poses without contact: touching poses are easier, because a search may end at the first touch."""
_ALIKE = 1e-9  # m: distances may differ by this; a library may or may not report a hit at smaller gaps


def measure_still(quick: bool, peers: Peers, bar: Bar) -> Table:
    """Measure queries per second of every library; AuditError where answers differ."""
    n, repeats = (60, 1) if quick else (2000, 5)
    rows: list[tuple[Cell, ...]] = []
    for name, mesh in bar.track(list(models(quick).items()), "collide and distance"):
        poses = near_contact(mesh, n, seed=1)
        gaps, hits = _our_distance(mesh, poses), _our_hits(mesh, poses)
        apart = np.flatnonzero(~hits)
        runs: dict[str, dict[str, Timed[Any]]] = {
            "collide": _collide(mesh, poses, peers, hits, gaps, repeats),
            "distance": _distance(mesh, poses, peers, gaps, repeats),
            APART: _distance(mesh, poses[apart], peers, gaps[apart], repeats),
        }
        for query, times in runs.items():
            count, touching = (len(apart), 0) if query == APART else (n, int(hits.sum()))
            own = times[OURS].seconds
            rows += [
                (name, query, who, count / run.seconds, run.seconds / own, count, touching)
                for who, run in times.items()
            ]
    title = "Two equal meshes near contact: one thread, carom in one call for all poses"
    return Table("queries_still", title, COLUMNS, rows)


def _collide(
    mesh: Mesh, poses: Floats, peers: Peers, hits: NDArray[np.bool_], gaps: Floats, repeats: int
) -> dict[str, Timed[NDArray[np.bool_]]]:
    cases = {OURS: partial(_our_hits, mesh, poses)} | {peer.name: peer(mesh, poses).collide for peer in peers}
    return take_turns(cases, repeats, partial(_require_hits, hits, gaps))


def _distance(mesh: Mesh, poses: Floats, peers: Peers, gaps: Floats, repeats: int) -> dict[str, Timed[Floats]]:
    cases = {OURS: partial(_our_distance, mesh, poses)} | {peer.name: peer(mesh, poses).distance for peer in peers}
    return take_turns(cases, max(1, repeats // 2), partial(_require_distances, gaps))


def _our_hits(mesh: Mesh, poses: Floats) -> NDArray[np.bool_]:
    return np.asarray(collide(mesh, mesh, None, poses, contacts="none", threads=1).hit)


def _our_distance(mesh: Mesh, poses: Floats) -> Floats:
    return np.asarray(distance(mesh, mesh, None, poses, threads=1).distance)


def _require_hits(hits: NDArray[np.bool_], gaps: Floats, who: str, found: NDArray[np.bool_]) -> None:
    """Require equal hits except where the gap is below rounding."""
    wrong = np.flatnonzero((found != hits) & ~((gaps > 0.0) & (gaps <= _ALIKE)))
    if len(wrong):
        k = int(wrong[0])
        raise AuditError(
            f"collide: {who} says {bool(found[k])} for pose {k} and {len(wrong) - 1} more, carom {bool(hits[k])} "
            f"at a distance of {gaps[k]}"
        )


def _require_distances(gaps: Floats, who: str, found: Floats) -> None:
    off = np.abs(found - gaps)
    k = int(off.argmax())
    if off[k] > _ALIKE:
        raise AuditError(f"distance: {who} says {found[k]} for pose {k}, carom {gaps[k]}")
