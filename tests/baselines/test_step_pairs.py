"""The grid at every step finds all pairs of balls that touch, each once."""

from __future__ import annotations

import numpy as np
import pytest

from carom.baselines.step_pairs import StepPairs
from carom.errors import InvalidInputError


def touching(centres, radii):
    i, j = np.triu_indices(len(radii), 1)
    near = ((centres[i] - centres[j]) ** 2).sum(axis=1) <= (radii[i] + radii[j]) ** 2
    return sorted(zip(i[near].tolist(), j[near].tolist(), strict=True))


@pytest.mark.parametrize("seed", range(8))
def test_step_pairs_are_all_pairs_that_touch(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 300))
    radii = rng.uniform(0.1, 0.6, n)
    steps = StepPairs(radii)
    for _ in range(3):
        centres = rng.uniform(-3.0, 3.0, (n, 3))
        assert sorted(map(tuple, steps.at(centres).tolist())) == touching(centres, radii)


def test_step_pairs_of_balls_in_one_place_are_all_pairs():
    steps = StepPairs(np.ones(40))
    assert len(steps.at(np.zeros((40, 3)))) == 780
    assert len(steps.at(np.zeros((40, 3)))) == 780


def test_step_pairs_on_the_walls_of_cells_count_once():
    centres = np.array([(0.0, 0.0, 0.0), (2.0, 0.0, 0.0), (2.0, 2.0, 0.0), (9.0, 9.0, 9.0)])
    assert sorted(map(tuple, StepPairs(np.ones(4)).at(centres).tolist())) == [(0, 1), (1, 2)]


@pytest.mark.parametrize("radii", [[], [1.0, 0.0]])
def test_step_pairs_refuse_balls_without_a_size(radii):
    with pytest.raises(InvalidInputError, match="radii"):
        StepPairs(radii)


@pytest.mark.parametrize("far", [1e15, -1e15, 1e20, 1e29])
def test_step_pairs_far_from_the_origin_enter_no_cell_without_room(far):
    """Rounding let a ball touch three cells along an axis, and the kernel wrote past the end of its arrays."""
    steps = StepPairs(np.full(3, 0.35))
    spare = [np.full((27 * 3, *room.shape[1:]), -7, np.int64) for room in steps._room]
    steps._room = tuple(wide[: len(room)] for wide, room in zip(spare, steps._room, strict=True))
    for k in range(64):
        assert sorted(map(tuple, steps.at(np.full((3, 3), far + 0.125 * k)).tolist())) == [(0, 1), (0, 2), (1, 2)]
        assert all((wide[8 * 3 :] == -7).all() for wide in spare)


@pytest.mark.parametrize(
    "wrong", [np.zeros((3, 3)), np.zeros((5, 3)), np.full((4, 3), np.nan), np.full((4, 3), np.inf)]
)
def test_step_pairs_refuse_centres_that_no_cell_holds(wrong):
    with pytest.raises(InvalidInputError, match="positions"):
        StepPairs(np.ones(4)).at(wrong)
