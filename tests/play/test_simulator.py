"""The simulator finds what brute force finds, is deterministic where time plays no part, and keeps to its time otherwise."""

from __future__ import annotations

import time

import numpy as np
import pytest

import carom
from carom.errors import InvalidInputError
from carom.play import BoundsAndSpheres, Controls, Fleet, Limit, Simulator
from carom.play.simulator import STEP
from geometry.sphere_tree_samples import mesh, tree

WORDS = ("thrust", "thrust left", "", "thrust up", "right down")


def user(frame):
    return Controls.of(WORDS[frame // 20 % len(WORDS)].split())


def run(frames, **options):
    simulator = Simulator(tree("lamp"), seed=2, **options)
    return simulator, [simulator.frame(user(k)) for k in range(frames)]


def poses(fleet):
    placed = np.tile(np.eye(4), (len(fleet), 1, 1))
    placed[:, :3, :3] = fleet.rotations.reshape(-1, 3, 3)
    placed[:, :3, 3] = fleet.positions
    return placed


def test_simulator_finds_the_contacts_of_all_pairs_of_meshes():
    exact = Limit(level=tree("lamp").levels + 1)
    simulator = Simulator(tree("lamp"), seed=2, limit=exact)
    found = 0
    i, j = np.triu_indices(11, 1)
    for k in range(240):
        before = simulator.fleet
        seen = []
        frame = simulator.frame(user(k), lambda now, seen=seen: seen.append(poses(now.fleet)))
        hit = carom.collide(mesh("lamp"), mesh("lamp"), seen[0][i], seen[0][j]).hit
        assert sorted(frame.contacts) == list(zip(i[hit].tolist(), j[hit].tolist(), strict=True))
        assert frame.exact
        assert frame.error_bound == 0.0
        found += len(frame.contacts)
        assert simulator.fleet is before
    assert found > 0
    assert simulator.collisions == found


def test_simulator_gives_the_same_collisions_by_both_methods():
    exact = Limit(level=tree("lamp").levels + 1)
    bounds, frames = run(300, limit=exact)
    grid, others = run(300, limit=exact, method="grid-bsp")
    assert [sorted(frame.contacts) for frame in frames] == [sorted(frame.contacts) for frame in others]
    assert bounds.collisions > 0
    assert np.array_equal(bounds.fleet.positions, grid.fleet.positions)


@pytest.mark.parametrize("limit", [Limit(level=1), Limit(steps=300)], ids=["level", "steps"])
def test_simulator_repeats_itself_where_time_plays_no_part(limit):
    one, frames = run(200, limit=limit)
    other, again = run(200, limit=limit)
    assert [(f.contacts, f.level, f.error_bound, f.built) for f in frames] == [
        (f.contacts, f.level, f.error_bound, f.built) for f in again
    ]
    assert np.array_equal(one.fleet.positions, other.fleet.positions)
    assert any(not f.exact for f in frames)


def test_simulator_never_calls_ships_apart_that_touch_however_little_time_there_is():
    simulator = Simulator(tree("lamp"), seed=2, limit=Limit(seconds=0.0))
    i, j = np.triu_indices(11, 1)
    for k in range(120):
        seen = []
        frame = simulator.frame(user(k), lambda now, seen=seen: seen.append(poses(now.fleet)))
        hit = carom.collide(mesh("lamp"), mesh("lamp"), seen[0][i], seen[0][j]).hit
        assert frame.error_bound <= 4.0 + 1e-9
        assert set(zip(i[hit].tolist(), j[hit].tolist(), strict=True)) <= set(frame.contacts)


def test_simulator_ships_that_touch_jump_back():
    simulator = Simulator(tree("lamp"), drones=1, limit=Limit(level=0))
    fleet = simulator.fleet
    home = fleet.positions.copy()
    fleet.positions[1] = 0.5, 0.0, 0.0
    fleet.jumped[1] = True
    frame = simulator.frame(Controls())
    assert frame.contacts == ((0, 1),)
    assert np.array_equal(fleet.positions, home)
    assert simulator.frame(Controls()).contacts == ()


def test_simulator_builds_bounds_seldom_and_again_where_a_ship_breaks_its_word():
    fleet = Fleet(1)
    detection = BoundsAndSpheres(tree("lamp"), 2)
    fleet.positions[1] = 30.0, 0.0, 0.0
    begin = detection.builds
    no_turn = np.zeros((2, 3))
    for frame in range(1, 20):
        fleet.fly(frame * STEP, np.zeros(2), no_turn)
        detection.detect(fleet, Limit(), time.perf_counter())
    assert detection.builds == begin + 1
    assert detection.quiet_until > fleet.time + 0.3
    # From coasting to full thrust: more than was allowed for.
    fleet.fly(20 * STEP, np.ones(2), no_turn)
    assert detection.detect(fleet, Limit(), time.perf_counter()).built
    assert not detection.detect(fleet, Limit(), time.perf_counter()).built
    fleet.jump(np.array([False, True]))
    assert detection.detect(fleet, Limit(), time.perf_counter()).built


def test_simulator_counts_all_the_time_of_a_frame():
    simulator = Simulator(tree("lamp"), drones=2, target=0.05)
    frame = simulator.frame(Controls(), lambda now: time.sleep(0.01))
    assert frame.other >= 0.01
    assert frame.slack == pytest.approx(max(0.0, 0.05 - frame.seconds), abs=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"drones": -1}, "drones is -1"), ({"method": "luck"}, "method is 'luck'"), ({"target": 0.0}, "target")],
)
def test_simulator_refuses_bad_input(options, message):
    with pytest.raises(InvalidInputError, match=message):
        Simulator(tree("lamp"), **options)
