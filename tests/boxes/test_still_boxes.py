"""box_pairs finds exactly the boxes that overlap, for any sizes and places, in order, on any number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import carom
from carom.boxes.still_boxes import find_pairs
from carom.errors import InvalidInputError


def brute(lo, hi, other_lo=None, other_hi=None):
    """Pairs of rows, sorted, by comparing everything."""
    one_set = other_lo is None
    if one_set:
        other_lo, other_hi = lo, hi
    rows = []
    for i in range(len(lo)):
        hit = (lo[i] <= other_hi).all(axis=1) & (other_lo <= hi[i]).all(axis=1)
        rows += [(i, j) for j in np.flatnonzero(hit) if not one_set or j > i]
    return np.array(rows, np.int32).reshape(-1, 2)


def equal(n, k, rng):
    centre = rng.uniform(0.0, 1.0, (n, k))
    half = 0.25 * (4.0 / n) ** (1.0 / k)
    return centre - half, centre + half


def mixed(n, k, rng):
    """Sizes from 1 to 64, evenly in their logarithm."""
    lo = rng.uniform(0.0, 1.0, (n, k))
    return lo, lo + 0.2 * n ** (-1.0 / k) * 64.0 ** rng.uniform(0.0, 1.0, (n, 1)) * rng.uniform(0.2, 1.0, (n, k))


def few_large(n, k, rng):
    """One in fifty is up to a thousand times as large."""
    lo = rng.uniform(0.0, 1.0, (n, k))
    size = 0.3 * n ** (-1.0 / k) * np.where(rng.random((n, 1)) < 0.02, 10.0 ** rng.uniform(0.0, 3.0, (n, 1)), 1.0)
    return lo, lo + size


def long_ones(n, k, rng):
    """Thin rods along every axis."""
    lo = rng.uniform(0.0, 1.0, (n, k))
    size = np.full((n, k), 0.01)
    size[np.arange(n), rng.integers(0, k, n)] = rng.uniform(0.0, 1.0, n)
    return lo, lo + size


def clustered(n, k, rng):
    """Far apart, each as dense as the next; the grid must fold."""
    centre = 1e6 * rng.normal(size=(8, k))[rng.integers(0, 8, n)] + rng.normal(size=(n, k))
    return centre - 0.1, centre + 0.1


def points(n, k, rng):
    """Boxes without size, many on the same spot."""
    lo = rng.integers(0, 12, (n, k)).astype(float)
    return lo, lo.copy()


def touching(n, k, rng):
    """Unit cubes of a lattice: neighbours share sides, edges and corners exactly."""
    lo = rng.integers(0, 8, (n, k)).astype(float)
    return lo, lo + 1.0


def flat(n, k, rng):
    """All in one plane."""
    lo, hi = equal(n, k, rng)
    lo[:, -1] = hi[:, -1] = 3.0
    return lo, hi


def in_line(n, k, rng):
    """Along one axis, at the same place on the others."""
    lo, hi = equal(n, k, rng)
    lo[:, 1:], hi[:, 1:] = -1.0, 1.0
    return lo, lo + 2.0 / n + (hi - lo) * (np.arange(k) > 0)


def infinite(n, k, rng):
    """Half-spaces, slabs and everything, among small boxes."""
    lo, hi = equal(n, k, rng)
    rows = rng.permutation(n)[:40]
    lo[rows[:20], rng.integers(0, k, 20)] = -np.inf
    hi[rows[10:30], rng.integers(0, k, 20)] = np.inf
    lo[rows[-1]], hi[rows[-1]] = -np.inf, np.inf
    lo[rows[-2]] = hi[rows[-2]] = np.inf
    lo[rows[-3]] = hi[rows[-3]] = -np.inf
    return lo, hi


KINDS = [equal, mixed, few_large, long_ones, clustered, points, touching, flat, in_line, infinite]


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_box_pairs_equals_brute_force(kind, k):
    for seed, n in ((1, 101), (2, 700), (3, 1500)):
        lo, hi = kind(n, k, np.random.default_rng(seed))
        np.testing.assert_array_equal(carom.boxes.box_pairs(lo, hi), brute(lo, hi))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_box_pairs_between_two_sets_equals_brute_force(kind):
    rng = np.random.default_rng(5)
    first, second = kind(900, 3, rng), equal(300, 3, rng)
    np.testing.assert_array_equal(carom.boxes.box_pairs(*first, *second), brute(*first, *second))
    swapped = carom.boxes.box_pairs(*second, *first)
    np.testing.assert_array_equal(swapped, brute(*second, *first))


@pytest.mark.parametrize("kind", [equal, mixed, touching], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize(
    ("scale", "offset"), [(1e-6, 0.0), (1e6, 0.0), (1.0, 1e6), (1e-6, 1e6), (1e-300, 0.0), (1e300, 0.0)]
)
def test_box_pairs_is_exact_at_any_scale(kind, scale, offset):
    lo, hi = kind(600, 3, np.random.default_rng(6))
    lo, hi = lo * scale + offset, hi * scale + offset
    np.testing.assert_array_equal(carom.boxes.box_pairs(lo, hi), brute(lo, hi))


def test_box_pairs_of_extents_that_overflow():
    rng = np.random.default_rng(7)
    lo = 1.7e308 * rng.uniform(-1.0, 1.0, (400, 3))
    hi = np.maximum(lo, 1.7e308 * rng.uniform(-1.0, 1.0, (400, 3)))
    np.testing.assert_array_equal(carom.boxes.box_pairs(lo, hi), brute(lo, hi))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_box_pairs_is_the_same_on_any_number_of_threads(kind):
    lo, hi = kind(3000, 3, np.random.default_rng(8))
    one = carom.boxes.box_pairs(lo, hi, threads=1)
    for threads in (2, 3, 7):
        np.testing.assert_array_equal(carom.boxes.box_pairs(lo, hi, threads=threads), one)


def test_box_pairs_of_unit_boxes_in_a_row():
    lo = np.array([[0.0], [1.0], [2.5], [0.5]])
    assert carom.boxes.box_pairs(lo, lo + 1.0).tolist() == [[0, 1], [0, 3], [1, 3]]


def test_box_pairs_of_a_lattice_counts_all_neighbours():
    m = 20
    lo = np.stack(np.meshgrid(*[np.arange(float(m))] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    assert len(carom.boxes.box_pairs(lo, lo + 1.0)) == ((3 * m - 2) ** 3 - m**3) // 2
    assert len(carom.boxes.box_pairs(lo, lo + np.nextafter(1.0, 0.0))) < len(carom.boxes.box_pairs(lo, lo + 1.0))


def test_box_pairs_of_a_gap_of_one_rounding_error():
    lo = np.zeros((200, 3))
    lo[100:] = np.nextafter(1.0, 2.0)
    assert len(carom.boxes.box_pairs(lo, lo + np.array([1.0, 0.0, 0.0]))) == 2 * (100 * 99 // 2)
    lo[100:] = [1.0, 0.0, 0.0]
    assert len(carom.boxes.box_pairs(lo, lo + np.array([1.0, 0.0, 0.0]))) == 200 * 199 // 2


def test_box_pairs_of_identical_boxes_are_all_pairs():
    n = 1200
    found = carom.boxes.box_pairs(np.zeros((n, 3)), np.ones((n, 3)))
    np.testing.assert_array_equal(found, np.stack(np.triu_indices(n, 1), axis=1))


def test_box_pairs_sorts_the_partners_of_a_box_with_many():
    lo, hi = equal(20_000, 3, np.random.default_rng(9))
    lo[7], hi[7] = -1.0, 2.0
    found = carom.boxes.box_pairs(lo, hi)
    assert (found == 7).sum() == 19_999
    assert (found[:, 0] < found[:, 1]).all()
    key = found[:, 0] * np.int64(len(lo)) + found[:, 1]
    assert (np.diff(key) > 0).all()


def test_box_pairs_of_none_and_one():
    for n in (0, 1):
        found = carom.boxes.box_pairs(np.zeros((n, 3)), np.ones((n, 3)))
        assert found.shape == (0, 2)
        assert found.dtype == np.int32
    assert carom.boxes.box_pairs(np.zeros((0, 2)), np.ones((0, 2)), np.zeros((5, 2)), np.ones((5, 2))).shape == (0, 2)


def test_box_pairs_leaves_its_input_alone_and_takes_any_layout():
    lo, hi = equal(500, 3, np.random.default_rng(10))
    expected = brute(lo, hi)
    frozen = lo.copy()
    frozen.flags.writeable = False
    np.testing.assert_array_equal(carom.boxes.box_pairs(frozen, np.asfortranarray(hi)), expected)
    np.testing.assert_array_equal(carom.boxes.box_pairs(lo.tolist(), hi.tolist()), expected)
    np.testing.assert_array_equal(frozen, lo)
    single = lo.astype(np.float32), hi.astype(np.float32)
    np.testing.assert_array_equal(carom.boxes.box_pairs(*single), brute(*single))


ENDS = st.one_of(
    st.integers(-4, 4).map(float),
    st.floats(allow_nan=False),
    st.sampled_from([-np.inf, np.inf, 0.0, -0.0, 5e-324, 1.0, np.nextafter(1.0, 2.0)]),
)


def test_box_pairs_of_sizes_whose_cells_overflow_equals_brute_force():
    hi = np.zeros((21, 2))
    hi[8, 0], hi[1:3, 1], hi[-1, 1] = 1e305, 1.0, 65537.0
    hi = np.tile(hi, (5, 1))
    lo = np.zeros_like(hi)
    np.testing.assert_array_equal(carom.boxes.box_pairs(lo, hi), brute(lo, hi))


@settings(max_examples=60, deadline=None)
@given(k=st.integers(1, 3), repeat=st.integers(1, 30), data=st.data())
def test_box_pairs_equals_brute_force_on_any_numbers(k, repeat, data):
    ends = data.draw(arrays(np.float64, (2, data.draw(st.integers(4, 30)), k), elements=ENDS))
    ends = np.tile(ends, (1, repeat, 1))
    lo, hi = ends.min(axis=0), ends.max(axis=0)
    np.testing.assert_array_equal(carom.boxes.box_pairs(lo, hi), brute(lo, hi))
    half = len(lo) // 2
    np.testing.assert_array_equal(
        carom.boxes.box_pairs(lo[:half], hi[:half], lo[half:], hi[half:]),
        brute(lo[:half], hi[:half], lo[half:], hi[half:]),
    )


@pytest.mark.parametrize(
    ("lo", "hi", "options", "message"),
    [
        ([[0, 0], [0, np.nan]], [[1, 1], [1, 1]], {}, r"lo\[1, 1\] is nan"),
        ([[0, 0], [0, 0]], [[1, 1], [1, np.nan]], {}, r"hi\[1, 1\] is nan"),
        ([[0, 0], [2, 0]], [[1, 1], [1, 1]], {}, r"lo\[1, 0\] is 2.0 and hi\[1, 0\] is 1.0; .* lo <= hi"),
        ([0, 0], [1, 1], {}, r"lo has shape \(2,\)"),
        (np.zeros((2, 0)), np.zeros((2, 0)), {}, r"lo has shape \(2, 0\)"),
        ([[0, 0]], [[1, 1, 1]], {}, r"hi has shape \(1, 3\); expected \(1, 2\)"),
        ([["a"]], [[1]], {}, "lo cannot be read as numbers"),
        ([[0, 0]], [[1, 1]], {"threads": 0}, "threads is 0"),
        ([[0, 0]], [[1, 1]], {"threads": 1.5}, "threads is 1.5"),
        ([[0, 0]], [[1, 1]], {"other_lo": [[0, 0]]}, "must both be given"),
        ([[0, 0]], [[1, 1]], {"other_lo": [[0]], "other_hi": [[1]]}, r"other_lo has shape \(1, 1\)"),
        ([[0, 0]], [[1, 1]], {"other_lo": [[0, 3]], "other_hi": [[1, 2]]}, r"other_lo\[0, 1\] is 3.0"),
    ],
)
def test_box_pairs_names_what_is_wrong(lo, hi, options, message):
    with pytest.raises(InvalidInputError, match=message):
        carom.boxes.box_pairs(lo, hi, **options)


def test_box_pairs_names_the_first_wrong_row_on_any_number_of_threads():
    lo, hi = equal(9000, 3, np.random.default_rng(11))
    lo[[5000, 8000], 2] = np.nan
    for threads in (1, 2, 5):
        with pytest.raises(InvalidInputError, match=r"lo\[5000, 2\] is nan"):
            carom.boxes.box_pairs(lo, hi, threads=threads)


def test_find_pairs_compares_inverted_boxes_like_others():
    lo, hi = mixed(800, 3, np.random.default_rng(12))
    rows = np.arange(0, 800, 7)
    lo[rows], hi[rows] = hi[rows], lo[rows].copy()
    np.testing.assert_array_equal(find_pairs(lo, hi), brute(lo, hi))
