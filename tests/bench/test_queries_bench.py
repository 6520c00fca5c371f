"""The quick run leaves its files; wrong answers have no speed; what the figures are is not tested."""

import io

import numpy as np
import pytest
from rich.console import Console

from carom.bench import run
from carom.bench.libraries import Library
from carom.bench.queries import suite
from carom.bench.queries.convex_walks import smooth_path
from carom.bench.queries.models import crossing_flights, models, near_contact
from carom.bench.queries.moving_pairs import _require_first_contacts
from carom.bench.queries.rapier_casts import RapierCasts
from carom.bench.queries.still_pairs import _require_distances, _require_hits
from carom.bench.turns import take_turns
from carom.errors import AuditError
from carom.motion import Motion
from carom.queries import collide, distance, time_of_impact
from quick_benches import check_left, quick_bench

TABLES = {
    "queries_still": {"model", "query", "library", "queries / s", "times slower than carom"},
    "queries_moving": {"model", "motion", "carom, 1/s", "rapier3d, 1/s", "ratio", "flights", "early, s", "invented"},
    "queries_volume_build": {"volumes", "build, ms", "bytes / triangle"},
    "queries_volume_search": {"situation", "volumes", "collide, µs", "distance, µs", "volume tests", "triangle tests"},
    "queries_gjk": {"vertices", "any pose, mean", "path, coherent, 95 %"},
    "queries_lin_canny": {"vertices", "motion / frame, degrees", "steps, mean"},
    "queries_coherence": {"model", "fresh / coherent", "volume tests, coherent"},
    "queries_million": {"triangles", "build, s", "bytes / triangle", "distance queries / s"},
}


@pytest.fixture(scope="module")
def mesh():
    return models(quick=True)["icosphere"]


bench = quick_bench("queries")


@pytest.mark.long
def test_queries_quick_leaves_tables_and_pictures(bench):
    check_left(bench, TABLES, {"queries_peers.png", "queries_methods.png"})


@pytest.mark.long
def test_queries_coherence_never_adds_triangle_tests_on_average(bench):
    table = bench[0].table("queries_coherence")
    assert all(
        coherent <= fresh
        for fresh, coherent in zip(
            table.column("triangle tests"), table.column("triangle tests, coherent"), strict=True
        )
    )


@pytest.mark.long
def test_queries_missing_libraries_are_named_with_the_extra(bench, tmp_path, monkeypatch):
    monkeypatch.setattr(Library, "installed", False)
    # What no other library takes part in is not measured again.
    for measure, name in (("gjk", "gjk"), ("walks", "lin_canny"), ("coherence", "coherence"), ("large", "million")):
        monkeypatch.setattr(suite, f"measure_{measure}", lambda *_, name=name: bench[0].table(f"queries_{name}"))
    volumes = bench[0].table("queries_volume_build"), bench[0].table("queries_volume_search")
    monkeypatch.setattr(suite, "measure_volumes", lambda *_: volumes)
    console = Console(file=io.StringIO(), width=180)
    report = run("queries", tmp_path, quick=True, console=console)
    shown = console.file.getvalue()
    assert all(name in shown for name in (".[peers]", "python-fcl", "coal", "rapier3d"))
    assert set(report.table("queries_still").column("library")) == {"carom"}
    assert not any("over" in claim.what for claim in report.claims)


def test_near_contact_alternates_misses_and_hits(mesh):
    poses = near_contact(mesh, 40, seed=3)
    hit = collide(mesh, mesh, None, poses).hit
    assert not hit[0::2].any()
    assert hit[1::2].mean() > 0.9
    assert distance(mesh, mesh, None, poses).distance.max() <= 0.02 + 1e-9


@pytest.mark.parametrize("spin", [0.0, 2.0])
def test_crossing_flights_alternate_hits_and_misses(mesh, spin):
    flights = crossing_flights(mesh, 20, spin, seed=4)
    times = time_of_impact(mesh, mesh, Motion(), flights.motions, 1.0).time
    assert np.isfinite(times[0::2]).all()
    assert np.isinf(times[1::2]).all()
    _require_first_contacts("good", mesh, flights, times)


def test_first_contacts_refuse_late_missed_and_invented_ones(mesh):
    flights = crossing_flights(mesh, 20, 0.0, seed=4)
    times = time_of_impact(mesh, mesh, Motion(), flights.motions, 1.0).time
    for wrong, words in ((times + 0.05, "touches at"), (np.full(20, np.inf), "touches at"), (times - 0.05, "m apart")):
        with pytest.raises(AuditError, match=words):
            _require_first_contacts("wrong", mesh, flights, wrong)


@pytest.mark.parametrize("peer", suite.PEERS, ids=lambda peer: peer.name)
def test_pair_peer_agrees_with_carom(peer, mesh):
    pytest.importorskip(peer.library.module)
    poses = near_contact(mesh, 40, seed=5)
    library = peer(mesh, poses)
    gaps = distance(mesh, mesh, None, poses).distance
    _require_hits(collide(mesh, mesh, None, poses).hit, gaps, peer.name, library.collide())
    _require_distances(gaps, peer.name, library.distance())


@pytest.mark.parametrize("spin", [0.0, 2.0])
def test_rapier_casts_follow_the_same_flights(mesh, spin):
    pytest.importorskip("rapier3d")
    flights = crossing_flights(mesh, 6, spin, seed=6)
    theirs, seconds = RapierCasts(mesh, flights).cast(1e9)
    ours = time_of_impact(mesh, mesh, Motion(), flights.motions, 1.0).time
    assert seconds > 0.0
    np.testing.assert_array_equal(np.isfinite(theirs), np.isfinite(ours))
    np.testing.assert_allclose(theirs[np.isfinite(ours)], ours[np.isfinite(ours)], atol=0.02)


def test_rapier_casts_stop_at_the_budget_after_at_least_one(mesh):
    pytest.importorskip("rapier3d")
    theirs, _ = RapierCasts(mesh, crossing_flights(mesh, 6, 0.0, seed=6)).cast(0.0)
    assert len(theirs) == 1


def test_hits_and_distances_that_differ_are_refused():
    gaps, hits = np.array([0.0, 1e-10, 0.1]), np.array([True, False, False])
    _require_hits(hits, gaps, "near", np.array([True, True, False]))
    with pytest.raises(AuditError, match="wrong says True for pose 2"):
        _require_hits(hits, gaps, "wrong", np.array([True, False, True]))
    with pytest.raises(AuditError, match="wrong says False for pose 0"):
        _require_hits(hits, gaps, "wrong", np.array([False, False, False]))
    with pytest.raises(AuditError, match="wrong says"):
        _require_distances(gaps, "wrong", gaps + 1e-8)


def test_take_turns_checks_every_answer():
    answers = iter([1, 1, 2])

    def check(name, found):
        if found != 1:
            raise AuditError(f"{name} says {found}")

    with pytest.raises(AuditError, match="only says 2"):
        take_turns({"only": lambda: next(answers)}, 3, check)


def test_smooth_path_turns_as_much_as_asked():
    rots, shifts = smooth_path(50, 3.0, seed=1)
    matrices = rots.reshape(-1, 3, 3)
    between = matrices[1:] @ matrices[:-1].transpose(0, 2, 1)
    angle = np.degrees(np.arccos((np.trace(between, axis1=1, axis2=2) - 1.0) / 2.0))
    np.testing.assert_allclose(angle, 3.0, atol=1e-6)
    assert (np.linalg.norm(shifts, axis=1) >= 2.0 - 1e-12).all()
