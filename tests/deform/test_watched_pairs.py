"""Pairs that are watched by a direction, and sets of pairs."""

import numpy as np
import pytest
from tests.moving_meshes import cloth, four_columns

from carom._jit import lean_kernel
from carom.deform import check
from carom.deform.front_search import KEYS_AHEAD
from carom.deform.pair_set import holds_pair, pair_set
from carom.deform.watched_pairs import begin_to_watch, look_again
from carom.motion import Deforming

FACES = np.array([[0, 1, 2], [3, 4, 5]], np.int32)
LOWER = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def pair_at(height):
    """Two triangles, the second `height` above the first."""
    return four_columns(np.array(LOWER + [[x, y, height] for x, y, _ in LOWER]))


@pytest.fixture
def watched():
    return np.array([[0, 1]], np.int32), np.array([[0.0, 0.0, 1.0, 0.0]], np.float32)


@pytest.mark.parametrize(("height", "kept"), [(0.5, 1), (1e-12, 1), (0.0, 0), (-0.5, 0)])
def test_look_again_keeps_a_pair_only_while_its_direction_parts_it(watched, height, kept):
    pairs, directions = watched
    failed = np.empty((1, 2), np.int32)
    assert look_again(FACES, pair_at(height), pairs, directions, 1, failed) == kept
    assert kept or failed.tolist() == [[0, 1]]


@pytest.mark.parametrize("way", [2.0, -3e200])
def test_begin_to_watch_turns_and_scales_the_direction(way):
    pairs, directions, front = np.empty((1, 2), np.int32), np.empty((1, 4), np.float32), np.array([[7, 8]], np.int32)
    witness = np.array([[0.0, 0.0, way]])
    asked = np.array([[0, 1]], np.int32)
    n = begin_to_watch(FACES, pair_at(0.1), asked, 1, witness, np.zeros(1, np.int64), front, pairs, directions, 0)
    assert (n, directions[0, :3].tolist(), front[0, 0]) == (1, [0.0, 0.0, 1.0], -1)


@pytest.mark.parametrize("witness", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (np.nan, 0.0, 0.0), (np.inf, 0.0, 0.0)])
def test_begin_to_watch_leaves_pairs_that_the_witness_does_not_part(witness):
    pairs, directions, front = np.empty((1, 2), np.int32), np.empty((1, 4), np.float32), np.array([[7, 8]], np.int32)
    asked, place = np.array([[0, 1]], np.int32), np.zeros(1, np.int64)
    n = begin_to_watch(FACES, pair_at(0.1), asked, 1, np.array([witness]), place, front, pairs, directions, 0)
    assert (n, front.tolist()) == (0, [[7, 8]])


@lean_kernel
def _held(table, pairs, n_faces, answers):
    for k in range(len(pairs)):
        answers[k] = holds_pair(table, pairs[k, 0], pairs[k, 1], n_faces)


def held(table, pairs, n_faces):
    """Which of the pairs (n, 2) are in the set?"""
    answers = np.empty(len(pairs), bool)
    _held(table, np.asarray(pairs, np.int64), n_faces, answers)
    return answers.tolist()


def test_pair_set_holds_what_a_set_of_python_holds():
    rng = np.random.default_rng(3)
    n_faces = 300
    pairs = np.unique(rng.integers(0, n_faces, (2000, 2)), axis=0)
    table = pair_set(pairs[:, 0] * n_faces + pairs[:, 1])
    expected = {tuple(pair) for pair in pairs.tolist()}
    asked = rng.integers(0, n_faces, (5000, 2))
    assert held(table, asked, n_faces) == [tuple(pair) in expected for pair in asked.tolist()]


def test_pair_set_of_nothing_is_empty():
    assert held(pair_set(np.empty(0, np.int64)), [[0, 1]], 2) == [False]


def swinging(keys, seed):
    """Two layers of cloth that come near each other and part, again and again, over several times that a front is kept."""
    rng = np.random.default_rng(seed)
    faces, flat = cloth(5)
    upper = flat + (0.0, 0.0, 0.3)
    n = len(flat)
    at = np.tile(np.concatenate([flat, upper]), (keys, 1, 1))
    swing = 0.3 * np.sin(np.linspace(0.0, 9.0, keys))
    at[:, n:, 2] += swing[:, None] - 0.12
    at += 0.02 * rng.normal(size=at.shape)
    return Deforming(np.concatenate([faces, faces + n]), np.arange(float(keys)), at)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("every", [False, True])
def test_check_with_a_kept_front_equals_check_without(seed, every):
    """The swept search begins anew at every key: nothing watched, nothing left out until later."""
    body = swinging(3 * KEYS_AHEAD + 3, seed)
    kept, fresh = (check([body], every=every, method=method) for method in ("chord-front", "swept"))
    assert len(kept.times) > 50
    for column in ("times", "face_a", "face_b", "points", "normals"):
        np.testing.assert_array_equal(getattr(kept, column), getattr(fresh, column))
