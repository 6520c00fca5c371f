"""Queries per second of vertex_face_toi and edge_edge_toi, and their wrong answers, beside those of ipctk."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from carom.bench.ksl import degenerate_queries
from carom.bench.ksl.cloth_candidates import cloth_candidates, past_relative_box
from carom.bench.ksl.degenerate_queries import KINDS
from carom.bench.ksl.ipctk_steps import quiet_ipctk
from carom.bench.ksl.scenes import bodies_of
from carom.bench.libraries import IPCTK, say_missing
from carom.bench.progress import Bar
from carom.bench.report import Cell, Table
from carom.errors import AuditError
from carom.queries.feature_toi import edge_edge_toi, vertex_face_toi

Floats = NDArray[np.float64]
T = TypeVar("T")

OURS = "carom"
DEGENERATE, SWEPT_BOXES, RELATIVE_BOX = "degenerate", "cloth, swept boxes meet", "cloth, relative boxes meet"
COLUMNS = ("queries", "library", "asked", "queries / s", "worst, µs", "contacts", "missed", "invented")
_SAMPLE, _QUICK_SAMPLE = 2000, 200  # Number of queries of each kind that are timed one by one
_TOI = {"vertex-face": vertex_face_toi, "edge-edge": edge_edge_toi}


@dataclass(frozen=True)
class QuerySet:
    """Queries (n, 8, 3) by kind, of which `most` are timed one by one, and the truth; without it carom's answers count."""

    name: str
    points: dict[str, Floats]
    most: int
    truth: dict[str, NDArray[np.bool_]] | None = None


def measure_features(quick: bool, bar: Bar) -> Table:
    """Measure on one thread: carom in batches and, for the slowest query, one by one; ipctk one by one from Python."""
    sets = [*_cloth_sets(quick)]
    source = degenerate_queries.folder()
    if source is None:
        bar.say(f"features: degenerate queries skipped; set {degenerate_queries.VARIABLE} to a folder that holds them")
    else:
        loaded = {kind: degenerate_queries.load(kind, source) for kind in KINDS}
        points, truth = {k: p for k, (p, _) in loaded.items()}, {k: t for k, (_, t) in loaded.items()}
        sets.insert(0, QuerySet(DEGENERATE, points, _QUICK_SAMPLE if quick else 10**9, truth))
    say_missing([IPCTK], "features", bar)
    rows: list[tuple[Cell, ...]] = []
    for queries in bar.track(sets, "vertex-face and edge-edge"):
        rows += _own_rows(queries, 1 if quick else 5)
        if IPCTK.installed:
            rows += _peer_rows(queries)
    title = "First contact of vertex and face, edge and edge, over a step; one thread"
    return Table("ksl_features", title, COLUMNS, rows)


def _cloth_sets(quick: bool) -> tuple[QuerySet, QuerySet]:
    (cloth,) = bodies_of("swirl", 450 if quick else 16_384, 5 if quick else 12)
    near = cloth_candidates(cloth, len(cloth.times) - 2)
    nearer = {kind: points[past_relative_box(points, kind)] for kind, points in near.items()}
    most = _QUICK_SAMPLE if quick else _SAMPLE
    return QuerySet(SWEPT_BOXES, near, most), QuerySet(RELATIVE_BOX, nearer, most)


def _own_rows(queries: QuerySet, repeats: int) -> list[tuple[Cell, ...]]:
    seconds, worst, n, contacts, misses, inventions = 0.0, 0.0, 0, 0, 0, 0
    for kind, points in queries.points.items():
        start, end = np.ascontiguousarray(points[:, :4]), np.ascontiguousarray(points[:, 4:])
        toi = _TOI[kind]
        hit = np.isfinite(toi(start, end, threads=1))
        best = np.inf
        for _ in range(repeats):
            begin = time.process_time()
            again = toi(start, end, threads=1)
            best = min(best, time.process_time() - begin)
            if not np.array_equal(np.isfinite(again), hit):
                raise AuditError(f"{queries.name}, {kind}: a repeated call gives another answer")
        one_by_one = [partial(toi, start[k], end[k], threads=1) for k in _sample(points, queries.most)]
        worst = max(worst, *_seconds_of(one_by_one, max(2, repeats))[1])
        truth = hit if queries.truth is None else queries.truth[kind]
        seconds, n, contacts = seconds + best, n + len(points), contacts + int(hit.sum())
        misses, inventions = misses + int((truth & ~hit).sum()), inventions + int((hit & ~truth).sum())
    return [(queries.name, OURS, n, n / seconds, 1e6 * worst, contacts, misses, inventions)]


def _peer_rows(queries: QuerySet) -> list[tuple[Cell, ...]]:
    """Measure ipctk on a sample, and compare it with the truth or else with carom's answers."""
    import ipctk

    quiet_ipctk()
    # The limit keeps degenerate queries of TightInclusion from taking seconds each.
    peers = {
        "ipctk TightInclusion": (ipctk.TightInclusionCCD(max_iterations=10_000), 1),
        "ipctk Additive": (ipctk.AdditiveCCD(), 3),
    }
    rows: list[tuple[Cell, ...]] = []
    for name, (narrow, repeats) in peers.items():
        hits, truths, seconds = [], [], []
        for kind, points in queries.points.items():
            sample = _sample(points, queries.most)
            some = points[sample]
            ask = narrow.point_triangle_ccd if kind == "vertex-face" else narrow.edge_edge_ccd
            answers, taken = _seconds_of([partial(ask, *each) for each in some], repeats)
            hits.append(np.array([touches for touches, _ in answers], np.bool_))
            seconds.append(taken)
            exact = (
                np.isfinite(_TOI[kind](some[:, :4], some[:, 4:]))
                if queries.truth is None
                else queries.truth[kind][sample]
            )
            truths.append(exact)
        hit, truth, each = np.concatenate(hits), np.concatenate(truths), np.concatenate(seconds)
        wrong = int((truth & ~hit).sum()), int((hit & ~truth).sum())
        rows.append((queries.name, name, len(hit), len(hit) / each.sum(), 1e6 * each.max(), int(hit.sum()), *wrong))
    return rows


def _sample(points: Floats, most: int) -> NDArray[np.int64]:
    """Return the rows that are timed one by one."""
    if len(points) <= most:
        return np.arange(len(points))
    return np.sort(np.random.default_rng(0).choice(len(points), most, replace=False))


def _seconds_of(calls: Sequence[Callable[[], T]], repeats: int) -> tuple[list[T], Floats]:
    """Return the answers, and the fastest time of each call."""
    best = np.full(len(calls), np.inf)
    answers: list[T] = []
    for _ in range(repeats):
        answers = []
        for k, call in enumerate(calls):
            begin = time.perf_counter()
            answer = call()
            best[k] = min(best[k], time.perf_counter() - begin)
            answers.append(answer)
    return answers, best
