"""Ships fly as Newton says, turn as told, and jump back."""

from __future__ import annotations

import numpy as np
import pytest

from carom.play import Controls, Drones, Fleet
from carom.play.fleet import CIRCLE, ENGINE, LOST, TURN_RATE

DT = 1.0 / 60.0


def fly(fleet, frames, controls):
    n = len(fleet)
    start = round(fleet.time / DT)
    for k in range(frames):
        fleet.fly((start + k + 1) * DT, np.full(n, controls.thrust), np.tile(controls.turn, (n, 1)))


def test_fleet_starts_in_a_circle_that_looks_to_the_middle():
    fleet = Fleet(10)
    assert np.linalg.norm(fleet.positions[1:], axis=1) == pytest.approx(CIRCLE)
    assert fleet.noses[1:] == pytest.approx(-fleet.positions[1:] / CIRCLE)


def test_fleet_under_thrust_goes_half_a_t_squared():
    fleet = Fleet(0)
    fly(fleet, 60, Controls.of(["thrust"]))
    assert fleet.positions[0] == pytest.approx(0.5 * ENGINE * fleet.noses[0])
    assert fleet.velocities[0] == pytest.approx(ENGINE * fleet.noses[0])


@pytest.mark.parametrize(
    ("word", "nose", "up"),
    [
        ("left", (0, -1, 0), (0, 0, 1)),
        ("right", (0, 1, 0), (0, 0, 1)),
        ("up", (0, 0, 1), (1, 0, 0)),
        ("down", (0, 0, -1), (-1, 0, 0)),
        ("roll-right", (-1, 0, 0), (0, 1, 0)),
        ("roll-left", (-1, 0, 0), (0, -1, 0)),
    ],
)
def test_fleet_turns_by_a_quarter_as_told(word, nose, up):
    fleet = Fleet(0)
    turn = np.array([Controls.of([word]).turn])
    steps = 50
    for k in range(steps):
        fleet.fly((k + 1) * 0.5 * np.pi / TURN_RATE / steps, np.zeros(1), turn)
    assert fleet.noses[0] == pytest.approx(nose, abs=1e-12)
    assert fleet.rotations[0].reshape(3, 3)[:, 2] == pytest.approx(up, abs=1e-12)


def test_fleet_never_turns_faster_than_its_rate():
    fleet = Fleet(0)
    before = fleet.rotations[0].reshape(3, 3).copy()
    fleet.fly(DT, np.zeros(1), np.array([(1.0, -1.0, 9.0)]))
    cosine = (np.trace(before.T @ fleet.rotations[0].reshape(3, 3)) - 1.0) / 2.0
    assert np.arccos(cosine) == pytest.approx(TURN_RATE * DT)


def test_fleet_keeps_rotations_orthonormal():
    fleet = Fleet(3)
    fly(fleet, 3000, Controls.of(["left", "up", "roll-left"]))
    turned = fleet.rotations.reshape(-1, 3, 3)
    assert turned @ turned.transpose(0, 2, 1) == pytest.approx(np.tile(np.eye(3), (4, 1, 1)), abs=1e-14)


def test_fleet_jumps_back_from_far_away_and_says_so():
    fleet = Fleet(2)
    home = fleet.positions.copy()
    fleet.positions[1] = 0.0, 0.0, LOST + 1.0
    fly(fleet, 1, Controls())
    assert fleet.jumped.tolist() == [False, True, False]
    assert np.array_equal(fleet.positions, home)


def test_drones_are_the_same_for_the_same_seed_and_stay_near():
    fleets = []
    for _ in range(2):
        fleet, drones = Fleet(10), Drones(10, seed=4)
        farthest = 0.0
        for k in range(1500):
            fleet.fly((k + 1) * DT, *drones.controls(fleet, Controls()))
            assert not fleet.jumped.any()
            farthest = max(farthest, float(np.linalg.norm(fleet.positions, axis=1).max()))
        assert CIRCLE < farthest < LOST
        fleets.append(fleet)
    assert np.array_equal(fleets[0].positions, fleets[1].positions)
    other = Drones(10, seed=5).controls(Fleet(10), Controls())
    assert not np.array_equal(other[1], Drones(10, seed=4).controls(Fleet(10), Controls())[1])
