"""The quick run leaves its files, all ways give the same contacts, and wrong answers have no speed."""

from __future__ import annotations

import dataclasses
import io
from functools import partial

import numpy as np
import pytest
from rich.console import Console

import carom
from carom.bench.ksl import degenerate_queries, features, total, tree_modes
from carom.bench.ksl.cloth_candidates import cloth_candidates, past_relative_box
from carom.bench.ksl.events import KINDS
from carom.bench.ksl.ipctk_steps import require_never_late
from carom.bench.ksl.local_change import patch
from carom.bench.ksl.runs import (
    CHORD_FRONT,
    LIST,
    Case,
    Contacts,
    require_same,
    run_check,
    run_list,
    steady,
    take_turns,
)
from carom.bench.ksl.scenes import bodies_of, sizes
from carom.bench.libraries import Library
from carom.bench.memory import probe
from carom.bench.progress import Bar
from carom.errors import AuditError
from quick_benches import check_left, quick_bench
from scenarios.deform_samples import crumpled_cloth

TABLES = {
    "ksl_total": {"scene", "triangles", "intervals", "contacts", *total.METHODS},
    "ksl_start": {"scene", "triangles", *total.METHODS},
    "ksl_events": {"scene", "triangles", *KINDS, "events", "box tests", "tests / event"},
    "ksl_frames": {"frames per key", f"{CHORD_FRONT}, ms per frame", f"{LIST}, ms per frame", "swept, ms per frame"},
    "ksl_local": {
        "scene",
        "triangles",
        "changed, %",
        "change, ms",
        "full pass, ms",
        "full pass / update",
        "list's pass, ms",
    },
    "ksl_queues": {"scene", "triangles", "fibonacci / tournament"},
    "ksl_tree": {"scene", "triangles", "certificates, anew", "certificates, ahead", "anew / ahead"},
    "ksl_features": {"queries", "library", "queries / s", "worst, µs", "missed", "invented"},
}


bench = quick_bench("ksl")


@pytest.fixture(scope="module")
def cloth():
    return bodies_of("tablecloth", 450, 12)


def test_ksl_quick_leaves_tables_and_pictures(bench):
    check_left(bench, TABLES, {"ksl_figures_10_11_12.png", "ksl_local.png"})


def test_ksl_quick_measures_every_scene_and_size(bench):
    table = bench[0].table("ksl_total")
    assert table.column("scene") == [scene for scene, of in sizes(True).items() for _ in of.faces]
    assert all(ms > 0.0 for method in total.METHODS for ms in table.column(method))
    assert sum(table.column("contacts")) > 0


def test_ksl_quick_counts_fewer_events_than_box_tests(bench):
    assert all(ratio > 1.0 for ratio in bench[0].table("ksl_events").column("tests / event"))


def test_ksl_quick_features_of_carom_are_never_wrong(bench):
    rows = [row for row in bench[0].table("ksl_features").rows if row[1] == features.OURS]
    assert len(rows) == 2 + (degenerate_queries.folder() is not None)
    assert all(row[-2:] == (0, 0) for row in rows)


def test_ksl_leaves_out_ipctk_and_public_queries_with_a_message(monkeypatch, tmp_path):
    monkeypatch.setattr(Library, "installed", False)
    monkeypatch.setattr(
        total, "sizes", lambda quick: {"swirl": dataclasses.replace(sizes(True)["swirl"], faces=(200,))}
    )
    monkeypatch.setenv(degenerate_queries.VARIABLE, str(tmp_path / "nothing"))
    console = Console(file=io.StringIO(), width=180)
    with Bar(console) as bar:
        measured = total.measure_total(True, bar)
        table = features.measure_features(True, bar)
    shown = console.file.getvalue()
    assert total.total_table(measured).columns[-len(total.METHODS) :] == total.METHODS
    assert set(table.column("library")) == {features.OURS}
    assert "totals: skipped, not installed: ipctk" in shown
    assert f"set {degenerate_queries.VARIABLE}" in shown


def test_take_turns_keeps_the_fastest_run_of_each_interval():
    nothing = Contacts(np.empty(0), np.empty((0, 4), np.int64), np.empty(0, np.int64))
    seconds = iter([np.array([1.0, 4.0]), np.array([2.0, 3.0])])
    base = run_list(bodies_of("swirl", 200, 3))

    def case():
        return dataclasses.replace(base, seconds=next(seconds), contacts=nothing)

    best = take_turns({"one": Case(case, 2)}, "turns")["one"]
    np.testing.assert_array_equal(best.seconds, [1.0, 3.0])
    assert best.milliseconds == 2000.0


@pytest.mark.parametrize(("intervals", "first"), [(2, 1), (7, 1), (8, 4), (14, 7), (29, 5)])
def test_steady_counts_whole_windows_after_the_first(intervals, first):
    seconds = np.arange(1.0, intervals)  # of interval 1, 2 ...
    assert steady(seconds).tolist() == list(range(first, intervals))


def test_take_turns_refuses_other_contacts(cloth):
    shorter = tuple(carom.Deforming(b.faces, b.times[:8], b.vertices[:8]) for b in cloth)
    cases = {CHORD_FRONT: Case(partial(run_check, cloth), 1), "shorter": Case(partial(run_check, shorter), 1)}
    with pytest.raises(AuditError, match="cloth: shorter reports"):
        take_turns(cases, "cloth")


def test_runs_by_list_and_search_are_identical_and_one_bit_is_seen(cloth):
    found, listed = run_check(cloth).contacts, run_list(cloth, polls=3).contacts
    assert len(found) > 100
    require_same("list", listed, "search", found)
    times = found.times.copy()
    times[5] = np.nextafter(times[5], 0.0)
    with pytest.raises(AuditError):
        require_same("late", dataclasses.replace(found, times=times), "search", found)


def test_require_never_late_refuses_a_step_past_a_contact():
    contacts = Contacts(np.array([1.25, 1.5]), np.zeros((2, 4), np.int64), np.zeros(2, np.int64))
    keys = np.array([0.0, 1.0, 2.0])
    require_never_late("steps", keys, np.array([1.0, 0.2]), contacts)
    with pytest.raises(AuditError, match="interval 1"):
        require_never_late("steps", keys, np.array([1.0, 0.3]), contacts)


def test_patch_is_connected_and_has_about_the_share(cloth):
    body = cloth[0]
    rows, n = patch(body.faces, body.vertices[0], 0, 0.1)
    assert n == np.isin(body.faces, rows).any(axis=1).sum()
    assert 0.08 * len(body.faces) < n < 0.13 * len(body.faces)


def test_cloth_candidates_hold_every_contact_of_every_feature():
    cloth, key = crumpled_cloth(np.random.default_rng(3), n=8), 1
    start, end = cloth.vertices[key], cloth.vertices[key + 1]
    found = {kind: cloth_candidates(cloth, key)[kind] for kind in degenerate_queries.KINDS}
    vertices = np.arange(cloth.vertices.shape[1])
    pairs = np.stack(np.meshgrid(vertices, np.arange(len(cloth.faces)), indexing="ij"), axis=-1).reshape(-1, 2)
    rows = np.concatenate([pairs[:, :1], cloth.faces[pairs[:, 1]]], axis=1)
    rows = rows[(rows[:, :1] != rows[:, 1:]).all(axis=1)]
    hits = np.isfinite(carom.vertex_face_toi(start[rows], end[rows]))
    points = found["vertex-face"]
    near = past_relative_box(points, "vertex-face")
    own = np.isfinite(carom.vertex_face_toi(points[:, :4], points[:, 4:]))
    assert own.sum() == hits.sum() > 0
    assert near[own].all()
    points = found["edge-edge"]
    own = np.isfinite(carom.edge_edge_toi(points[:, :4], points[:, 4:]))
    assert past_relative_box(points, "edge-edge")[own].all()
    assert len(np.unique(points.reshape(len(points), -1), axis=0)) == len(points)


def test_degenerate_queries_are_read_from_the_folder_that_is_named(monkeypatch, tmp_path):
    where = tmp_path / "set" / "edge-edge"
    where.mkdir(parents=True)
    lines = [f"{k},2,{-k},4,1,1,1" for k in range(8)]
    (where / "data.csv").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.setenv(degenerate_queries.VARIABLE, str(tmp_path))
    points, truth = degenerate_queries.load("edge-edge", degenerate_queries.folder())
    np.testing.assert_array_equal(points[0], [(0.5 * k, -0.25 * k, 1.0) for k in range(8)])
    assert truth.tolist() == [True]
    assert degenerate_queries.load("vertex-face", tmp_path)[0].shape == (0, 8, 3)


def test_tree_modes_count_fewer_certificates_ahead_and_refuse_other_boxes(monkeypatch):
    with Bar(Console(file=io.StringIO())) as bar:
        table = tree_modes.measure_tree_modes(True, bar)
        made = zip(table.column("certificates, anew"), table.column("certificates, ahead"), strict=True)
        assert all(anew > ahead > 0 for anew, ahead in made)
        run = tree_modes._run

        def larger_ahead(motion, mode):
            found = run(motion, mode)
            return dataclasses.replace(found, boxes=found.boxes * (1.001 if mode == tree_modes.AHEAD else 1.0))

        monkeypatch.setattr(tree_modes, "_run", larger_ahead)
        with pytest.raises(AuditError, match="off those computed anew"):
            tree_modes.measure_tree_modes(True, bar)


def test_memory_probe_reports_a_peak():
    found = probe("walker", 4000, 3)
    assert found["peak"] >= found["before"] > 0.0
    assert found["contacts"] >= 0
