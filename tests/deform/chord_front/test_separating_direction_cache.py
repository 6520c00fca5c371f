"""Pairs that are watched by a direction, and sets of pairs."""

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.deform import check
from carom.deform.chord_front.chord_boxes import MOST_KEYS
from carom.deform.chord_front.front import PARKED
from carom.deform.chord_front.separating_direction_cache import begin_to_watch, look_again
from carom.deform.model.pair_set import holds_pair, pair_set
from carom.motion import Deforming
from scenarios.moving_meshes import cloth, four_columns

FACES = np.array([[0, 1, 2], [3, 4, 5]], np.int32)
LOWER = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
UP = np.array([[0.0, 0.0, 1.0, 0.0]], np.float32)
LEAVES = np.array([1, 2])
NEAR = np.zeros((3, 64), np.float32)
"""Boxes that meet all the time."""


def window(*heights):
    """places and firsts of two triangles, the second as high above the first at each key as it says."""
    keys = [four_columns(np.array(LOWER + [[x, y, height] for x, y, _ in LOWER])) for height in heights]
    return np.concatenate(keys), 6 * np.arange(len(keys))


def nothing_due(room=4):
    return np.zeros(MOST_KEYS, np.int64), np.full((MOST_KEYS, room, 2), 99, np.int32)


@pytest.mark.parametrize(
    ("heights", "due_in"),
    [
        ((1.0, 0.5), None),
        ((1.0, 1e-12, 0.5), None),
        ((1.0, 0.0), 0),
        ((1.0, 0.5, -0.5, 0.5), 1),
        ((1.0, 0.5, 0.5, 0.5, 0.0), 3),
    ],
)
def test_look_again_keeps_a_pair_only_if_its_direction_parts_it_to_the_end(heights, due_in):
    pairs, directions, (counts, due) = np.array([[0, 1]], np.int32), UP.copy(), nothing_due()
    kept = look_again(FACES, *window(*heights), LEAVES, NEAR, pairs, directions, 1, counts, due)
    assert kept == (due_in is None)
    expected = np.zeros(MOST_KEYS, int)
    if due_in is not None:
        expected[due_in] = 1
        assert due[due_in, 0].tolist() == [1, 2]
    assert counts.tolist() == expected.tolist()


def test_look_again_parks_a_pair_whose_boxes_are_apart():
    boxes, (counts, due) = NEAR.copy(), nothing_due()
    boxes[1, 3::8] = -1.0
    assert (
        look_again(FACES, *window(1.0, -1.0), LEAVES, boxes, np.array([[0, 1]], np.int32), UP.copy(), 1, counts, due)
        == 0
    )
    assert counts[PARKED] == counts.sum() == 1


def begin(witness, heights, interval=0):
    """begin_to_watch of the pair, put off to the next interval: (watched, direction, pairs due in each interval)."""
    watched, directions, (counts, due) = np.empty((1, 2), np.int32), np.empty((1, 4), np.float32), nothing_due()
    counts[interval + 1] = 1
    due[interval + 1, 0] = 1, 2
    n = begin_to_watch(
        FACES, *window(*heights), interval, LEAVES, NEAR, np.array([[0, 1]], np.int32), 1, np.array([witness]),
        np.array([interval + 1]), watched, directions, 0, counts, due,
    )  # fmt: skip
    return n, directions[0, :3].tolist(), [int((due[k, :m, 0] >= 0).sum()) for k, m in enumerate(counts)]


@pytest.mark.parametrize("way", [2.0, -3e200])
def test_begin_to_watch_turns_and_scales_the_direction(way):
    n, direction, due = begin((0.0, 0.0, way), (0.2, 0.1, 0.1))
    assert (n, direction, sum(due)) == (1, [0.0, 0.0, 1.0], 0)


@pytest.mark.parametrize("witness", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (np.nan, 0.0, 0.0), (np.inf, 0.0, 0.0)])
def test_begin_to_watch_leaves_pairs_that_the_witness_does_not_part(witness):
    n, _, due = begin(witness, (0.1, 0.1, 0.1))
    assert (n, due) == (0, [0, 1, 0, 0, 0, 0, 0, 0])


@pytest.mark.parametrize(("heights", "due_in"), [((1, 1, 0), 1), ((1, 1, 1, 0), 2), ((1, 1, 1, 1, -1, 1), 3)])
def test_begin_to_watch_puts_a_pair_off_until_its_direction_fails(heights, due_in):
    n, _, due = begin((0.0, 0.0, 1.0), [float(h) for h in heights])
    assert (n, due) == (0, [int(k == due_in) for k in range(MOST_KEYS)])


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
    body = swinging(3 * MOST_KEYS, seed)
    kept, fresh = (check([body], every=every, method=method) for method in ("chord-front", "swept"))
    assert len(kept.times) > 50
    for column in ("times", "face_a", "face_b", "points", "normals"):
        np.testing.assert_array_equal(getattr(kept, column), getattr(fresh, column))
