"""The quick run leaves its files; counts of pairs left are those of plain loops; wrong answers have no speed."""

from __future__ import annotations

import math

import numpy as np
import pytest

from carom.bench.vadop.frames import best_frames, pseudo_dynamic_ms
from carom.bench.vadop.misses import seen_at_instants
from carom.bench.vadop.pools import least_covering
from carom.bench.vadop.pruning import axes_of_kdop, close_on, count_left, in_zone, left, moving_boxes, touching
from carom.bench.vadop.spheres import FRAME, bullets, fast_spheres, flights, jet
from carom.bounds.axis_pool import axis_pool
from carom.errors import AuditError
from quick_benches import check_left, quick_bench

TABLES = {
    "vadop_pools": {"axes", "covering angle, deg"},
    "vadop_misses": {"speed, radii / frame", "contacts", "missed, %"},
    "vadop_pruning": {"speed, radii / frame", "touch", "moving boxes", "6-DOP", "26-DOP"},
    "vadop_projections": {"axes of", "sum of |cos theta|", "pairs that share none"},
    "vadop_cost": {"objects", "method", "ms / frame", "over xyz only", "over pseudo-dynamic", "MB"},
    "vadop_break_even": {"objects", "method", "pays"},
    "vadop_memory": {"objects", "axes", "MB"},
    "vadop_law": {"axes", "over kinetic sweep", "m sin^3(zone) / 3"},
    "vadop_kinetic": {"scene", "method", "ms / frame"},
    "vadop_worst": {"objects", "method", "ms / frame"},
}


bench = quick_bench("vadop")


@pytest.mark.long
def test_vadop_quick_leaves_tables_and_pictures(bench):
    check_left(bench, TABLES, {"vadop_pruning.png", "vadop_costs.png"})


@pytest.mark.long
def test_vadop_quick_never_leaves_more_pairs_than_boxes(bench):
    claim = next(claim for claim in bench[0].claims if "over swept boxes, worst" in claim.what)
    assert claim.met


def _pairs(n, test):
    return sum(test(i, j) for i in range(n) for j in range(i))


@pytest.mark.parametrize("speed", [0.3, 10.0, 100.0])
def test_pruning_counts_are_those_of_plain_loops(speed):
    n = 40
    positions, ways = flights(n, speed)
    pool = axis_pool(16)
    angle = 1.3 * pool.covering
    users = in_zone(ways, pool.axes, angle)

    def meet(i, j, axes, used):
        for d, axis in enumerate(axes):
            if used is None or (used[i, d] and used[j, d]):
                ends = [sorted((positions[k] @ axis, (positions[k] + ways[k]) @ axis)) for k in (i, j)]
                if ends[0][0] - 1 > ends[1][1] + 1 or ends[1][0] - 1 > ends[0][1] + 1:
                    return False
        return True

    for k in (6, 14, 18, 26):
        axes = axes_of_kdop(k)
        assert len(axes) == k // 2
        assert left(close_on(positions, ways, axes)) == _pairs(n, lambda i, j, axes=axes: meet(i, j, axes, None))
    expected = _pairs(n, lambda i, j: meet(i, j, pool.axes, users))
    assert left(close_on(positions, ways, pool.axes, users)) == expected
    for i in range(n):
        for d, axis in enumerate(pool.axes):
            theta = math.acos(abs(ways[i] @ axis) / np.linalg.norm(ways[i]))
            assert users[i, d] == (theta >= math.pi / 2 - angle) or abs(theta - math.pi / 2 + angle) < 1e-12


def test_pruning_never_loses_a_pair_that_touches():
    for speed in (1.0, 30.0):
        positions, ways = flights(150, speed, seed=4)
        positions *= 0.2  # denser, so that many touch
        hits = touching(positions, ways)
        pool = axis_pool(13)
        for close in (
            moving_boxes(positions, ways),
            close_on(positions, ways, axes_of_kdop(26)),
            close_on(positions, ways, pool.axes, in_zone(ways, pool.axes, 0.3)),
        ):
            assert not (hits & ~close).any()
        assert left(hits) > 10


def test_pruning_with_shared_axes_leaves_no_more_than_boxes():
    found = count_left(120, 30.0, (16, 65), (1.0, 2.0))
    boxes = found["6-DOP"]
    assert all(count <= boxes for name, count in found.items() if "shared" in name)
    assert found["touch"] <= found["moving boxes"] <= boxes


def test_contacts_seen_at_instants_are_those_that_sampling_sees():
    scene = fast_spheres(120, 3.0, density=0.05, walls=False)
    log = scene.build(broad="all-pairs").advance(6 * FRAME)
    seen = seen_at_instants(scene, log)
    assert 0 < seen.sum() < len(log)
    for k in range(len(log)):
        apart = scene.positions[log.b[k]] - scene.positions[log.a[k]]
        closing = scene.velocities[log.b[k]] - scene.velocities[log.a[k]]
        instants = FRAME * np.arange(0, 4000)
        distance = np.linalg.norm(apart + instants[:, None] * closing, axis=1)
        assert seen[k] == (distance[instants >= log.times[k]] < 2.0).any()


def test_least_covering_is_reached_by_regular_solids():
    assert math.degrees(least_covering(12)) == pytest.approx(37.3773681, abs=1e-6)
    assert math.degrees(least_covering(6)) == pytest.approx(54.7356103, abs=1e-6)


def test_wrong_contacts_have_no_speed():
    scene = fast_spheres(40, 10.0, density=0.05)
    with pytest.raises(AuditError, match="differ"):
        best_frames(scene, 4, {"one": {"broad": "vadop"}, "other": {"broad": "vadop", "response": None}}, 1)


def test_scenes_are_what_they_are_called():
    assert np.linalg.norm(bullets(100, 0.05, 30.0).velocities, axis=1).astype(bool).sum() == 5
    jets = jet(50, 30.0).velocities
    assert np.linalg.norm(jets.mean(axis=0)) > 0.95 * np.linalg.norm(jets, axis=1).mean()
    assert pseudo_dynamic_ms([np.zeros((2, 3)), np.ones((2, 3))], 1) >= 0.0
