"""PossiblePairs watches every pair that can touch, whatever bodies do within their limits."""

from __future__ import annotations

import numpy as np
import pytest

from carom.bounds.meetings.possible_pairs import PossiblePairs
from carom.errors import InvalidInputError

DT = 1.0 / 60.0


def touching(positions, radii):
    i, j = np.triu_indices(len(radii), 1)
    apart = np.linalg.norm(positions[i] - positions[j], axis=1)
    near = apart <= radii[i] + radii[j]
    return set(zip(i[near].tolist(), j[near].tolist(), strict=True))


def unit(rng, n):
    vectors = rng.normal(size=(n, 3))
    return vectors / np.linalg.norm(vectors, axis=1)[:, None]


def pairs_of(found):
    pairs = [tuple(pair) for pair in found.tolist()]
    assert len(set(pairs)) == len(pairs)
    return set(pairs)


@pytest.mark.parametrize("crowded", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_possible_pairs_holds_every_touching_pair_of_thrusting_bodies(seed, crowded):
    rng = np.random.default_rng(seed)
    n = 60
    radii = rng.uniform(0.2, 0.8, n)
    position, velocity = rng.uniform(-5.0, 5.0, (n, 3)), rng.normal(size=(n, 3))
    possible = PossiblePairs(radii, soon=0.1, crowded=crowded)
    limit, axis, expires = np.zeros(n), unit(rng, n), -1.0
    seen = 0
    for frame in range(300):
        t = frame * DT
        if t >= possible.until or t >= expires:
            limit, axis, expires = rng.uniform(0.5, 6.0, n), unit(rng, n), t + rng.uniform(0.0, 0.6)
            possible.build(t, position, velocity, limit, expires, directions=-axis)
        want = touching(position, radii)
        assert pairs_of(possible.at(position)) == want
        seen += len(want)
        push = unit(rng, n)
        push *= np.sign((push * axis).sum(axis=1))[:, None]
        force = push * (limit * rng.random(n))[:, None]
        position = position + DT * velocity + 0.5 * DT * DT * force
        velocity = velocity + DT * force
    assert seen > 100
    assert possible.builds < 250


@pytest.mark.parametrize("crowded", [False, True])
def test_possible_pairs_holds_every_touching_pair_of_bodies_with_a_speed_limit(crowded):
    rng = np.random.default_rng(3)
    n, fastest = 200, 2.0
    radii = np.full(n, 0.5)
    position = rng.uniform(-4.0, 4.0, (n, 3))
    possible = PossiblePairs(radii, soon=0.1, crowded=crowded)
    none, most = np.full(n, np.inf), np.full(n, fastest)
    for frame in range(200):
        t = frame * DT
        if t >= possible.until:
            possible.build(t, position, np.zeros((n, 3)), none, t + 1.0, max_speed=most)
        assert pairs_of(possible.at(position)) == touching(position, radii)
        position = position + DT * fastest * unit(rng, n)
    assert 5 < possible.builds < 60


def test_possible_pairs_does_nothing_while_nothing_can_touch():
    possible = PossiblePairs([1.0, 1.0], soon=0.1)
    position = np.array([(0.0, 0.0, 0.0), (12.0, 0.0, 0.0)])
    possible.build(0.0, position, np.array([(1.0, 0.0, 0.0), (0.0, 0.0, 0.0)]), np.ones(2), 9.0)
    assert possible.watched == 0
    # Over 9 s the bounds' sides move at 4.5 m/s beside the ships' own 1 m/s: 10 m take 1 s.
    assert possible.until == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("crowded", [False, True])
def test_possible_pairs_grows_where_all_bodies_are_in_one_place(crowded):
    n = 70
    possible = PossiblePairs(np.ones(n), soon=0.1, crowded=crowded)
    position = np.zeros((n, 3))
    possible.build(0.0, position, position, np.ones(n), 1.0)
    assert len(pairs_of(possible.at(position))) == n * (n - 1) // 2


def test_possible_pairs_of_a_crowd_with_one_far_away_are_found():
    rng = np.random.default_rng(5)
    position = rng.uniform(0.0, 4.0, (50, 3))
    position[0] = 1e9, -1e9, 3.0
    radii = np.full(50, 0.7)
    possible = PossiblePairs(radii, soon=0.0, crowded=True)
    possible.build(0.0, position, np.zeros((50, 3)), np.ones(50), 1.0)
    assert pairs_of(possible.at(position)) == touching(position, radii)


def test_possible_pairs_serves_important_bodies_first():
    important = np.zeros(20, np.bool_)
    important[7] = True
    possible = PossiblePairs(np.ones(20), soon=0.1, important=important)
    position = np.zeros((20, 3))
    possible.build(0.0, position, position, np.ones(20), 1.0)
    first = possible.at(position)[:19]
    assert (first == 7).any(axis=1).all()


def test_possible_pairs_that_expired_are_not_known():
    possible = PossiblePairs([1.0], soon=0.1)
    possible.build(2.0, np.zeros((1, 3)), np.zeros((1, 3)), np.ones(1), 3.0)
    assert possible.until == 3.0
    possible.expire()
    assert possible.until == -np.inf
    possible.build(5.0, np.zeros((1, 3)), np.zeros((1, 3)), np.ones(1), 4.0)
    assert possible.until == 5.0


def test_possible_pairs_refuses_bad_input():
    with pytest.raises(InvalidInputError, match=r"radii\[1\] is -1"):
        PossiblePairs([1.0, -1.0], soon=0.1)
    with pytest.raises(InvalidInputError, match="soon"):
        PossiblePairs([1.0], soon=-1.0)
    with pytest.raises(InvalidInputError, match="important"):
        PossiblePairs([1.0], soon=1.0, important=[True, False])
    possible = PossiblePairs([1.0], soon=0.1)
    with pytest.raises(InvalidInputError, match="max_acceleration and max_speed"):
        possible.build(0.0, np.zeros((1, 3)), np.zeros((1, 3)), np.array([np.inf]), 1.0)
