"""BoxPairs keeps exactly the pairs that box_pairs finds, and reports every change once."""

from __future__ import annotations

import numpy as np
import pytest

import carom
from carom.errors import AuditError, InvalidInputError


def scattered(n, k, rng):
    lo = rng.uniform(0.0, 1.0, (n, k))
    return lo, lo + n ** (-1.0 / k) * rng.uniform(0.5, 1.0, (n, k))


def as_set(pairs):
    return {tuple(pair) for pair in pairs.tolist()}


def follow(moving, lo, hi, rows=None):
    """One update, compared with fresh searches before and after; returns the number of changes."""
    before = as_set(moving.pairs())
    began, ended = moving.update(lo, hi) if rows is None else moving.update(lo[rows], hi[rows], rows=rows)
    fresh = carom.boxes.box_pairs(lo, hi)
    np.testing.assert_array_equal(moving.pairs(), fresh)
    after = as_set(fresh)
    for found, expected in ((began, after - before), (ended, before - after)):
        assert found.dtype == np.int32
        assert found.shape == (len(expected), 2)
        np.testing.assert_array_equal(found, np.array(sorted(expected), np.int32).reshape(-1, 2))
    return len(began) + len(ended)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_box_pairs_updated_equals_fresh_over_200_updates(k):
    rng = np.random.default_rng(k)
    n = 400
    lo, hi = scattered(n, k, rng)
    moving = carom.boxes.BoxPairs(lo, hi)
    np.testing.assert_array_equal(moving.pairs(), carom.boxes.box_pairs(lo, hi))
    size = n ** (-1.0 / k)
    speed = 0.02 * size * rng.normal(size=(n, k))
    changes = 0
    for step in range(200):
        lo, hi = lo.copy(), hi.copy()
        rows = None
        kind = step % 10
        if kind < 5:
            lo += speed
            hi += speed
        elif kind < 8:
            rows = rng.permutation(n)[: rng.integers(1, 30)]
            shift = rng.normal(size=(len(rows), k)) * (1.0 if kind == 7 else 0.1 * size)
            lo[rows] += shift
            hi[rows] += shift
        elif kind == 8:
            rows = rng.permutation(n)[:20]
            lo[rows], hi[rows] = scattered(20, k, rng)
        elif step % 40 == 9:
            lo, hi = scattered(n, k, rng)
        else:
            middle, half = 0.5 * (lo + hi), 0.5 * (hi - lo) * rng.uniform(0.8, 1.2, (n, 1))
            lo, hi = middle - half, middle + half
        changes += follow(moving, lo, hi, rows)
        moving.check()
    assert changes > 1000


@pytest.mark.parametrize("moved", [0.01, 1.0])
def test_box_pairs_updated_far_beyond_where_all_began(moved):
    rng = np.random.default_rng(20)
    n = 300
    lo, hi = scattered(n, 3, rng)
    moving = carom.boxes.BoxPairs(lo, hi)
    for _ in range(60):
        lo, hi = lo.copy(), hi.copy()
        rows = rng.permutation(n)[: int(moved * n)]
        lo[rows] += 0.3
        hi[rows] += 0.3
        follow(moving, lo, hi, rows)


def test_box_pairs_updated_with_few_fast_boxes_among_slow_ones():
    rng = np.random.default_rng(21)
    n = 500
    lo, hi = scattered(n, 3, rng)
    moving = carom.boxes.BoxPairs(lo, hi)
    speed = 0.001 * rng.normal(size=(n, 3))
    speed[:5] *= 100.0
    for _ in range(60):
        lo, hi = lo + speed, hi + speed
        follow(moving, lo, hi)


def test_box_pairs_updated_with_infinite_and_empty_boxes():
    rng = np.random.default_rng(22)
    n = 300
    lo, hi = scattered(n, 3, rng)
    hi[:100] = lo[:100]
    lo[0], hi[1, 2] = -np.inf, np.inf
    moving = carom.boxes.BoxPairs(lo, hi)
    for step in range(40):
        lo, hi = lo.copy(), hi.copy()
        rows = rng.permutation(n)[: 5 if step % 2 else n]
        shift = 0.01 * rng.normal(size=(len(rows), 3))
        lo[rows] += shift
        hi[rows] += shift
        if step % 5 == 0:
            lo[step], hi[step] = (-np.inf, np.inf) if step % 2 else (0.5, 0.5)
            rows = None
        follow(moving, lo, hi, rows)


@pytest.mark.filterwarnings("error")
def test_box_pairs_updated_where_every_end_was_infinite():
    n = 200
    moving = carom.boxes.BoxPairs(np.full((n, 2), -np.inf), np.full((n, 2), np.inf))
    assert len(moving.pairs()) == n * (n - 1) // 2
    lo = np.arange(2.0 * n).reshape(n, 2)
    for high in (np.full((n, 2), np.inf), lo + 1.0, np.full((n, 2), np.inf)):
        follow(moving, lo, high)
        moving.check()


def test_box_pairs_updated_where_all_boxes_become_one():
    n = 150
    lo = 10.0 * np.arange(n)[:, None] * np.ones(3)
    moving = carom.boxes.BoxPairs(lo, lo + 1.0)
    assert len(moving.pairs()) == 0
    rows = np.arange(n - 10)
    together = lo.copy()
    together[rows] = 0.0
    for part in np.array_split(rows, 20):
        moving.update(together[part], together[part] + 1.0, rows=part)
    moving.check()
    assert len(moving.pairs()) == len(rows) * (len(rows) - 1) // 2
    _, ended = moving.update(lo, lo + 1.0)
    assert len(ended) == len(rows) * (len(rows) - 1) // 2


def test_box_pairs_updated_with_the_same_boxes_changes_nothing():
    lo, hi = scattered(200, 3, np.random.default_rng(23))
    moving = carom.boxes.BoxPairs(lo, hi)
    for rows in (None, [3, 1]):
        at = slice(None) if rows is None else rows
        began, ended = moving.update(lo[at], hi[at], rows=rows)
        assert began.shape == ended.shape == (0, 2)
    began, ended = moving.update(np.empty((0, 3)), np.empty((0, 3)), rows=[])
    assert began.shape == ended.shape == (0, 2)


def test_box_pairs_updated_by_touch_alone():
    moving = carom.boxes.BoxPairs([[0.0], [2.0]], [[1.0], [3.0]])
    assert moving.update([[1.0]], [[2.0]], rows=[1])[0].tolist() == [[0, 1]]
    began, ended = moving.update([[np.nextafter(1.0, 2.0)]], [[2.0]], rows=[1])
    assert (len(began), ended.tolist()) == (0, [[0, 1]])


def test_box_pairs_updated_is_the_same_on_any_number_of_threads():
    rng = np.random.default_rng(24)
    lo, hi = scattered(5000, 3, rng)
    many = [carom.boxes.BoxPairs(lo, hi, threads=threads) for threads in (1, 2, 5)]
    for step in range(12):
        shift = (0.3 if step == 8 else 0.003) * rng.normal(size=lo.shape)
        lo, hi = lo + shift, hi + shift
        answers = [moving.update(lo, hi) for moving in many]
        for began, ended in answers[1:]:
            np.testing.assert_array_equal(began, answers[0][0])
            np.testing.assert_array_equal(ended, answers[0][1])
    for moving in many:
        moving.check()


def test_box_pairs_updated_keeps_no_hold_of_its_input():
    lo, hi = scattered(200, 3, np.random.default_rng(25))
    moving = carom.boxes.BoxPairs(lo, hi)
    expected = moving.pairs()
    expected_again = expected.copy()
    lo += 5.0
    moving.pairs()[:] = 0
    np.testing.assert_array_equal(moving.pairs(), expected_again)
    moving.check()


def test_box_pairs_of_no_boxes_can_be_updated():
    moving = carom.boxes.BoxPairs(np.empty((0, 3)), np.empty((0, 3)))
    assert len(moving) == 0
    assert moving.pairs().shape == (0, 2)
    assert [x.shape for x in moving.update(np.empty((0, 3)), np.empty((0, 3)))] == [(0, 2), (0, 2)]


@pytest.mark.parametrize(
    ("lo", "hi", "rows", "message"),
    [
        ([[0, 0], [0, np.nan]], [[1, 1], [1, 1]], None, r"lo\[1, 1\] is nan"),
        ([[2, 0], [0, 0]], [[1, 1], [1, 1]], None, r"lo\[0, 0\] is 2.0 and hi\[0, 0\] is 1.0"),
        ([[0, 0]], [[1, 1]], None, r"lo has shape \(1, 2\); expected \(2, 2\)"),
        ([[0, 0]], [[1, 1]], [2], r"rows\[0\] is 2; expected 0 to 1"),
        ([[0, 0]], [[1, 1]], [-1], r"rows\[0\] is -1"),
        ([[0, 0], [0, 0]], [[1, 1], [1, 1]], [1, 1], "rows has 1 more than once"),
        ([[0, 0]], [[1, 1]], [0.5], "expected row numbers"),
        ([[0, 0]], [[1, 1]], [0, 1], r"lo has shape \(1, 2\); expected \(2, 2\)"),
        ([[0, np.inf]], [[1, 1]], [0], r"lo\[0, 1\] is inf"),
    ],
)
def test_box_pairs_updated_wrongly_names_what_and_changes_nothing(lo, hi, rows, message):
    moving = carom.boxes.BoxPairs([[0, 0], [1, 1]], [[1, 1], [2, 2]])
    with pytest.raises(InvalidInputError, match=message):
        moving.update(lo, hi, rows=rows)
    assert moving.pairs().tolist() == [[0, 1]]
    moving.check()


def test_box_pairs_check_sees_a_wrong_pair():
    lo, hi = scattered(200, 3, np.random.default_rng(26))
    moving = carom.boxes.BoxPairs(lo, hi)
    moving._on[0] ^= 1
    with pytest.raises(AuditError, match="not those that overlap"):
        moving.check()
    moving = carom.boxes.BoxPairs(lo, hi)
    moving._fat_lo[7] += 1.0
    with pytest.raises(AuditError, match="box 7 is out of its margin"):
        moving.check()


def test_box_pairs_updated_takes_every_way():
    """Small steps, few rows, escapes one by one and all at once: each is a way of its own."""
    rng = np.random.default_rng(27)
    lo, hi = scattered(1000, 3, rng)
    moving = carom.boxes.BoxPairs(lo, hi)
    assert moving._chains is None
    follow(moving, lo + 1e-4, hi + 1e-4)
    assert moving._chains is None
    lo, hi = lo + 1e-4, hi + 1e-4
    lo[3] += 0.2
    hi[3] += 0.2
    follow(moving, lo, hi, np.array([3]))
    assert moving._chains is not None
    follow(moving, lo + 0.2, hi + 0.2)
    assert moving._chains is None
