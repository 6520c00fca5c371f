"""The quick run leaves its files, flights end at contacts, and wrong answers have no speed."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from carom.bench.hubbard import crowd_frames, earliest, first_collision, lamp_trees, ship_frames, tree_speed
from carom.bench.hubbard.earliest import hypertrapezoids, measure_search
from carom.bench.hubbard.first_collision import Found, binned, compare
from carom.bench.hubbard.lamp_flights import lamp_flights
from carom.bench.hubbard.steered_cubes import steered_cubes
from carom.bench.hubbard.traffic import _OVER, Traffic, _Reserve
from carom.bounds.meetings.earliest import EarliestSearch
from carom.errors import AuditError
from carom.narrow.mesh.mesh_pair import mesh_collide
from carom.trees.obb.tree import tree_of
from geometry.sphere_tree_samples import mesh, tree
from quick_benches import check_left, quick_bench

TABLES = {
    "hubbard_earliest": {"bodies", "tests", "pairs / neighb.", "subdiv. 32 / proj."},
    "hubbard_earliest_tests": {"bodies", "first, s", "projection, µs"},
    "hubbard_first_collision": {"bodies", "spacing", "tests", "speedup, median", "least"},
    "hubbard_collision_tests": {"bodies", "spacing", "first, s", "Turk / bounds"},
    "hubbard_frame_times": {"from, µs", "below, µs", "Turk's grid, % of frames"},
    "hubbard_trees": set(lamp_trees.COLUMNS),
    "hubbard_speed": set(tree_speed.COLUMNS),
    "hubbard_bounds": set(tree_speed.BOUND_COLUMNS),
    "hubbard_ships": set(ship_frames.COLUMNS),
    "hubbard_ship_frames": set(ship_frames.FRAME_COLUMNS),
    "hubbard_crowd": set(crowd_frames.COLUMNS),
    "hubbard_crowd_frames": set(crowd_frames.FRAME_COLUMNS),
}


PICTURES = {
    "hubbard_horns.png", "hubbard_figure_7.png", "hubbard_figure_10.png", "hubbard_figure_11.png", "hubbard_figure_12.png",
    "hubbard_figures_13_14_15.png", "hubbard_figures_16_17.png", "hubbard_crowd.png",
}  # fmt: skip

bench = quick_bench("hubbard")


@pytest.mark.long
def test_hubbard_quick_leaves_tables_and_pictures(bench):
    check_left(bench, TABLES, PICTURES)


@pytest.mark.long
def test_hubbard_claims_have_their_targets(bench):
    report, _, _ = bench
    targets = {claim.what: claim.target for claim in report.claims}
    assert targets["neighbours first over all pairs, 100 bodies, median"] == 2.5
    assert targets["neighbours first over all pairs, 1,000 bodies, median"] == 8.0
    assert targets["space-time bounds over Turk's grid, 100 bodies, 16 sides apart, median"] == 5.0
    assert targets["space-time bounds over Turk's grid, 1,000 bodies, 30 sides apart, median"] == 7.0
    assert targets["space-time bounds over Turk's grid, 1,000 bodies, 40 sides apart, median"] == 7.0
    assert sum(claim.target == 0.5 for claim in report.claims) == 4


def test_hubbard_searches_that_differ_have_no_speed():
    class Wrong(EarliestSearch):
        def horns(self, bounds):
            return 0.123, 0, 1

    searches = {"all pairs": EarliestSearch(20, "brute-force"), "neighbours": Wrong(20)}
    with pytest.raises(AuditError, match=r"neighbours finds the first intersection at 0\.123"):
        measure_search(hypertrapezoids(1, 20), searches)


def test_hubbard_collisions_that_differ_have_no_speed(monkeypatch):
    monkeypatch.setattr(first_collision, "by_steps", lambda scene, cell: Found(3, (0, 1), 1.0))
    with pytest.raises(AuditError, match="another run"):
        compare(steered_cubes(0, 10, 8.0, 50))


def test_hubbard_frames_are_counted_once():
    table = binned({"a": np.array((0.05, 0.2, 5.0, 99.0)), "b": np.zeros(3)})
    assert sum(float(row[2]) for row in table.rows) == pytest.approx(100.0)
    assert sum(float(row[3]) for row in table.rows) == pytest.approx(100.0)


def test_hubbard_summary_counts_every_test():
    tests = earliest.Table("t", "", ("bodies", "first, s"), [(100, 0.1, 10.0, 5.0, 20.0, 40.0, 30.0)] * 3)
    (row,) = earliest.summarised(tests).rows
    assert row[:2] == (100, 3)
    assert row[-4:] == (2.0, 2.0, 1.5, 100.0)


@pytest.mark.long
def test_hubbard_quick_finds_sound_trees(bench):
    claims = {claim.what: claim for claim in bench[0].claims}
    assert claims["trees of which a level does not cover the lamp"].met
    assert claims["levels at which the medial tree is looser than the octree's"].met


def test_lamp_flights_end_at_the_first_contact():
    rots, shifts = lamp_flights(mesh("lamp"), 40, seed=3)
    again = lamp_flights(mesh("lamp"), 40, seed=3)
    assert np.array_equal(shifts, again[1])
    tree = tree_of(mesh("lamp"))
    hit = mesh_collide(tree, tree, rots, shifts).hit
    assert 0 < hit.sum() < 40
    # After a contact comes the start of another flight, far away.
    after = np.flatnonzero(hit)[:-1] + 1
    assert (np.linalg.norm(shifts[after] - shifts[after - 1], axis=1) > 0.3).all()


def test_tree_speed_refuses_wrong_answers(monkeypatch):
    made = tree_speed._lamp(626, 2, 12)
    wrong = partial(np.zeros, len(made.rots), np.bool_)
    monkeypatch.setattr(tree_speed, "bsp_collide", lambda *_, **__: ~wrong())
    with pytest.raises(AuditError, match="BSP"):
        tree_speed._row(made, np.arange(len(made.rots)), 1, 1)


@pytest.mark.long
def test_hubbard_crowd_wants_its_share_of_frames(bench):
    targets = {claim.what: (claim.sense, claim.target) for claim in bench[0].claims}
    assert targets["frames that end within 2 ms of wall-clock time"] == ("at least", 99.9)


def test_ships_that_differ_have_no_speed():
    frames = ship_frames.fly(tree("lamp"), 3, None)
    ship_frames.compare(frames, frames)
    wrong = [replace(frame, contacts=((0, 1),)) for frame in frames]
    with pytest.raises(AuditError, match=r"frame 1: Turk and BSP finds \(\), ours, exact \(\(0, 1\),\)"):
        ship_frames.compare(frames, wrong)


def test_traffic_is_the_same_for_the_same_seed_and_never_faster_than_its_limit():
    runs = []
    for _ in range(2):
        traffic = Traffic(tree("lamp"), 40, seed=2)
        for _ in range(30):
            found = crowd_frames.run_frame(traffic, None)
            crowd_frames.check(traffic, found)
            assert np.linalg.norm(traffic.velocities, axis=1).max() <= 2.0 * traffic.radius * (1.0 + 1e-12)
        runs.append(traffic.positions)
    assert np.array_equal(*runs)


def test_crowd_check_refuses_pairs_that_are_missing_or_called_apart():
    traffic = Traffic(tree("lamp"), 40, seed=2)
    found = crowd_frames.run_frame(traffic, None)
    with pytest.raises(AuditError, match="not tested"):
        crowd_frames.check(traffic, replace(found, pairs=found.pairs[1:]))
    none = replace(found.answers, hit=np.zeros(len(found.pairs), np.bool_))
    with pytest.raises(AuditError, match="reported as separate"):
        crowd_frames.check(traffic, replace(found, answers=none))


def test_crowd_frames_without_time_are_all_taken_to_touch():
    traffic = Traffic(tree("lamp"), 40, seed=2)
    traffic.move()
    found = traffic.detect(0.0)
    assert found.answers.hit.all()
    row = dict(zip(crowd_frames.FRAME_COLUMNS, crowd_frames.frame_row(0, found, traffic), strict=True))
    assert row["least level"] <= 0
    assert row["taken to touch"] == row["pairs"] > 0


def test_reserve_lets_as_few_frames_run_over_as_it_says():
    rng = np.random.default_rng(0)
    reserve = _Reserve()
    over = []
    for _ in range(60_000):
        needed = 1e-4 * rng.exponential()
        over.append(needed > reserve.seconds)
        reserve.learn(needed)
    assert 0 < np.mean(over[10_000:]) < 3 * _OVER
    for _ in range(3):
        before = reserve.seconds
        reserve.learn(before + 1e-3)
        assert reserve.seconds > before
