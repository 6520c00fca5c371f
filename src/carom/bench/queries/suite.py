"""`carom bench queries`: pairs of shapes, beside other libraries and method by method, in one run."""

from __future__ import annotations

import math
from pathlib import Path

from carom.bench.libraries import RAPIER, add_versions, say_missing
from carom.bench.progress import Bar
from carom.bench.queries import rapier_casts
from carom.bench.queries.convex_walks import measure_gjk, measure_walks
from carom.bench.queries.large_mesh import measure_large
from carom.bench.queries.mesh_coherence import measure_coherence
from carom.bench.queries.mesh_peers import PEERS, PairPeer
from carom.bench.queries.moving_pairs import measure_moving
from carom.bench.queries.plots import draw_methods, draw_peers
from carom.bench.queries.still_pairs import APART, OURS, measure_still
from carom.bench.queries.volume_types import measure_volumes
from carom.bench.report import Claim, Report, Table, at_least, below

_COLLIDE_TARGETS = {"icosphere 1280": 4.0, "icosphere 5120": 5.0, "torus 6084": 3.0}
_DISTANCE_TARGETS = {"icosphere 1280": 4.0, "icosphere 5120": 4.0, "torus 6084": 2.5}
_STILL_TARGETS = {"collide": _COLLIDE_TARGETS, "distance": _DISTANCE_TARGETS, APART: _DISTANCE_TARGETS}
_STRAIGHT_TARGETS = {"icosphere 1280": 35.0, "icosphere 5120": 100.0, "torus 6084": 130.0}
_SPIN_TARGET = 1000.0  # Targets of the speedup over the best other library


def bench_queries(out: Path, quick: bool, bar: Bar) -> Report:
    """Run all measurements, draw two pictures and compare with the targets."""
    libraries = [*(peer.library for peer in PEERS), RAPIER]
    say_missing(libraries, "pairs of meshes", bar)
    peers, casts = [peer for peer in PEERS if peer.library.installed], RAPIER.installed
    still, moving = measure_still(quick, peers, bar), measure_moving(quick, casts, bar)
    built, searched = measure_volumes(quick, bar)
    gjk, walks, coherence = measure_gjk(quick, bar), measure_walks(quick, bar), measure_coherence(quick, bar)
    large = measure_large(quick, bar)
    tables = [still, moving, built, searched, gjk, walks, coherence, large]
    report = Report("queries", _notes(peers, casts), tables, _claims(still, moving, gjk, large))
    add_versions(report, libraries)
    report.pictures.append(draw_peers(still, moving, out / "queries_peers.png"))
    report.pictures.append(draw_methods(searched, gjk, walks, out / "queries_methods.png"))
    return report


def _claims(still: Table, moving: Table, gjk: Table, large: Table) -> list[Claim]:
    """The project's targets, for the measured models and libraries."""
    claims: list[Claim] = []
    for query, model, target in ((q, m, t) for q, targets in _STILL_TARGETS.items() for m, t in targets.items()):
        others = [row for row in still.rows if (row[0], row[1]) == (model, query) and row[2] != OURS]
        if others:
            best = min(others, key=lambda row: float(row[4]))
            claims.append(at_least(f"{query}, {model}, over {best[2]}", best[4], target))
    for row in moving.rows:
        if row[0] in _STRAIGHT_TARGETS and math.isfinite(float(row[4])):
            target = _SPIN_TARGET if row[1] == "with spin" else _STRAIGHT_TARGETS[str(row[0])]
            claims.append(at_least(f"time of impact, {row[1]}, {row[0]}, over rapier3d", row[4], target))
    size, steps, *_ = gjk.rows[-1]
    claims.append(below(f"iterations of GJK, mean, {size} vertices (slides: 3 to 6)", steps, 6.0))
    (row,) = large.rows
    if int(row[0]) >= 1_000_000:
        claims.append(below("a million triangles, build", row[1], 7.0, "s"))
        claims.append(below("a million triangles, memory of all trees", row[3], 400.0, "bytes/triangle"))
        claims.append(at_least("a million triangles, distance", row[5], 2000.0, "queries/s"))
    return claims


def _notes(peers: list[type[PairPeer]], casts: bool) -> list[str]:
    notes = [
        "One thread, CPU time, best of several runs that take turns, without compilation and (except where building is "
        "measured) trees. carom is called once for all poses, through its public functions, which check the poses; the others "
        "have no such call and are called once per pose.",
        "Poses near contact: a second mesh approaches from all sides, at random orientations, and is up to 0.02 radii before "
        "its first contact (every other pose, a miss) or beyond it.",
        "Flights: across the other mesh, from 2.5 radii on one side to 2.5 on the other in one second; half of them miss; with "
        "spin they turn by 2 radians on the way. Ratios compare the flights that rapier3d completed in a few seconds, which "
        "carom gets as one batch.",
        "Checked in every timed run: collide gives the same hits and distance the same numbers (to 1e-9) in all libraries, for "
        "all types of volume and with or without coherence; reported first contacts are contacts, and at 40 instants before "
        "them, or during a miss, the surfaces are apart.",
        "Times of impact, early and late: largest differences of rapier3d from carom where both report a contact; missed and "
        "invented: contacts that only carom or only rapier3d reports. Checked: where it is early, or alone, the surfaces are "
        "then apart, at most by the given gap. It works in single precision and to a tolerance.",
        "Iterations of GJK: support points until both bounds of the distance agree to 1e-12, including the last.",
        "A mesh of a million triangles has a double-precision tree for motion, and one in single precision that tests eight "
        "boxes at once for poses; both count as memory.",
    ]
    notes += [f"{peer.name}: {peer.how}." for peer in peers]
    return notes + ([f"rapier3d: {rapier_casts.HOW}."] if casts else [])
