"""When the points of features lie in one plane: coefficients, masks and order against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.deform.triangles.features import FEATURES, FIRST_EDGE, PLACES
from carom.deform.triangles.lanes.coplanarity import (
    CUBIC_ROWS,
    LANES,
    coplanar_before,
    coplanar_features,
    earliest_feature,
)
from carom.deform.triangles.lanes.window_pairs import place_corners

BOUND = 2.0**-42


@lean_kernel
def _look(start, end, first, last, share, corners, moved, reach, cubics, masks):
    place_corners(start, end, corners, first, last, moved, reach)
    masks[0] = coplanar_features(moved, reach, cubics)
    masks[1] = coplanar_before(cubics, reach, share)
    masks[2] = earliest_feature(cubics, (1 << FEATURES) - 1)


def looked_at(points, first=0.0, last=1.0, share=1.0):
    """points (12, 3), six corners at both ends: masks of the window and of its beginning, earliest code, cubics, reach."""
    start, end = np.zeros((6, 4)), np.zeros((6, 4))
    start[:, :3], end[:, :3] = points[:6], points[6:]
    cubics, reach, masks = np.empty((CUBIC_ROWS, LANES)), np.empty(4), np.zeros(3, np.int64)
    _look(start, end, first, last, share, np.arange(6), np.empty((12, 4)), reach, cubics, masks)
    return int(masks[0]), int(masks[1]), int(masks[2]), cubics, reach


def determinant(a, b, c):
    return (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] + (a[0] * b[1] - a[1] * b[0]) * c[2]


def exact_coefficients(points, code, first, last):
    """Bernstein coefficients over [first, last] of the determinant of a feature, exact, up to one sign for all."""

    def at(t):
        return [
            [Fraction(p) * (1 - t) + Fraction(q) * t for p, q in zip(points[k], points[6 + k], strict=True)]
            for k in PLACES[code]
        ]

    def factors(t):
        p, q, r, s = at(t)
        pairs = ((q, p), (s, r), (r, p)) if code >= FIRST_EDGE else ((r, q), (q, s), (q, p))
        return [[x - y for x, y in zip(head, tail, strict=True)] for head, tail in pairs]

    ends = factors(Fraction(first)), factors(Fraction(last))
    sums = [Fraction(0)] * 4
    for which in range(8):
        chosen = [which >> k & 1 for k in range(3)]
        sums[sum(chosen)] += determinant(*(ends[end][k] for k, end in enumerate(chosen)))
    return [sums[0], sums[1] / 3, sums[2] / 3, sums[3]]


def pair(rng, far):
    """A pair of triangles that move, twelve points; coordinates of all sizes, some on a lattice."""
    points = rng.standard_normal((12, 3)) * 10.0 ** rng.integers(-6, 2, 3)
    if rng.random() < 0.3:
        points = np.round(2.0 * rng.standard_normal((12, 3)))
    if rng.random() < 0.5:
        points[6:] = points[:6] + 1e-3 * rng.standard_normal((6, 3))
    return points + far


@pytest.mark.parametrize("far", [0.0, 1e3, 1e9])
def test_coplanar_features_knows_the_cubics_up_to_its_bound(far):
    rng = np.random.default_rng(7)
    for _ in range(60):
        points = pair(rng, far)
        first, last = np.sort(rng.random(2))
        _, _, _, cubics, reach = looked_at(points, first, last)
        bound = BOUND * Fraction(reach[0]) * Fraction(reach[1]) * Fraction(reach[2])
        for code in range(FEATURES):
            exact = exact_coefficients(points, code, first, last)
            assert max(abs(Fraction(c) - e) for c, e in zip(cubics[:4, code], exact, strict=True)) <= bound


def one_sign(coefficients):
    return all(c > 0 for c in coefficients) or all(c < 0 for c in coefficients)


@pytest.mark.parametrize("far", [0.0, 1e3, 1e9])
def test_coplanar_masks_leave_out_only_cubics_of_one_sign(far):
    rng = np.random.default_rng(8)
    left_out = could_be = 0
    for _ in range(60):
        points = pair(rng, far)
        first, last = np.sort(rng.integers(0, 1 << 20, 2)) / 2.0**20
        share = rng.integers(0, 9) / 8.0
        whole, beginning, _, _, _ = looked_at(points, first, last, share)
        middle = Fraction(first) + Fraction(share) * (Fraction(last) - Fraction(first))
        for code in range(FEATURES):
            for mask, end in ((whole, last), (beginning, middle)):
                is_out = not mask >> code & 1
                truth = one_sign(exact_coefficients(points, code, first, end))
                assert truth or not is_out
                left_out += is_out
                could_be += truth
    assert left_out >= 0.9 * could_be > 100


def test_coplanar_masks_leave_out_nothing_that_stays_in_one_plane():
    # Whole numbers in a tilted plane: exact as doubles, but products round, and so coefficients are 0 only up to the bound.
    rng = np.random.default_rng(10)
    for _ in range(200):
        plane = rng.integers(-(1 << 20), 1 << 20, (2, 3))
        points = (rng.integers(-(1 << 20), 1 << 20, (12, 2)) @ plane).astype(np.float64)
        assert looked_at(points)[:2] == ((1 << FEATURES) - 1,) * 2


def test_coplanar_masks_leave_out_nothing_where_numbers_are_out_of_range():
    rng = np.random.default_rng(9)
    for size in (1e13, 1e150, 1e307):
        points = size * rng.uniform(0.1, 1.0, (12, 3))
        assert looked_at(points)[:2] == ((1 << FEATURES) - 1,) * 2


def test_earliest_feature_is_that_of_the_first_root():
    # b falls through a, its vertex 1 first; edges of both cross the same plane at other times, or never.
    a = np.array([(-9.0, -9.0, 0.0), (9.0, -9.0, 0.0), (0.0, 9.0, 0.0)])
    b = np.array([(0.0, 0.0, 3.0), (1.0, 0.5, 1.0), (-1.0, 0.5, 2.0)])
    points = np.concatenate([a, b, a, b - (0.0, 0.0, 5.0)])
    _, _, code, cubics, _ = looked_at(points)
    guesses = cubics[CUBIC_ROWS - 1, :FEATURES]
    np.testing.assert_allclose(guesses[3:6], [0.6, 0.2, 0.4], rtol=1e-12)
    assert guesses[code] == guesses.min() <= 0.2
