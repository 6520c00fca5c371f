"""The certified filter: what it proves is true, its bounds are needed, and a window narrows its search."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest

from carom._compile.jit import kernel
from carom.narrow.features.coplanarity import blossom, coefficients_within, root_of_cubic
from carom.narrow.features.decide import decide_features
from carom.narrow.features.differences import (
    FACE_CORNERS,
    FILTER_WORK,
    MIDDLE,
    STURM_END,
    STURM_START,
    differences_at_into,
)
from carom.narrow.features.filter import FILTER_UNSURE, filter_feature, filter_features_into, side_of_hull
from carom.narrow.features.rounding import BOUNDS, CUBIC, DIRECTION, DRIFT, REACH, UNDERFLOW
from carom.narrow.features.verdict import CLEAR, CONTACT, UNDECIDED
from geometry.feature_samples import FAMILIES, generic, lattice, mixed_sizes, touching
from oracles.feature_oracle import first_contact


def filtered(points, edges, bounds=BOUNDS):
    start, end = np.ascontiguousarray(points[:, :4]), np.ascontiguousarray(points[:, 4:])
    status, brackets = np.empty(len(points), np.int8), np.empty((len(points), 2))
    filter_features_into(start, end, edges, bounds, status, brackets)
    return status, brackets


def grazing(rng, n):
    """A vertex that dips slowly through the plane of a face while it passes fast over the face's edge."""
    face = np.array([(0.0, -3.0, 0.0), (0.0, 3.0, 0.0), (-9.0, 0.0, 0.0)])
    points = np.tile(np.vstack((face[:1], face, face[:1], face)), (n, 1, 1))
    when, slow = rng.uniform(0.2, 0.8, n), 10.0 ** rng.uniform(-5.0, -3.0, n)
    past = 10.0 ** rng.uniform(-15.0, -11.0, n) * rng.choice([-1.0, 1.0], n)
    points[:, 0, 0], points[:, 4, 0] = past - when, past + 1.0 - when
    points[:, 0, 2], points[:, 4, 2] = slow * when, slow * (when - 1.0)
    points += rng.uniform(-1.0, 1.0, (n, 1, 3))
    return points, np.zeros(n, np.bool_)


def lopsided(rng, n):
    """Feature pairs, each axis times a power of two of its own: contacts stay what they are, products leave the range."""
    points = np.concatenate([lattice(rng, n)[0], np.round(8.0 * generic(rng, n)[0])])
    scaled = np.ldexp(points, rng.integers(-500, 350, (len(points), 1, 3)))
    return points, scaled, rng.random(len(points)) < 0.5


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_filter_proves_only_what_the_oracle_confirms(family):
    points, edges = family(np.random.default_rng(21), 150)
    status, brackets = filtered(points, edges)
    for row, kind, verdict, (low, high) in zip(points, edges, status, brackets, strict=True):
        root = first_contact(row, kind)
        if verdict == CLEAR:
            assert root is None
        elif verdict == CONTACT:
            assert root is not None
            assert root.compare(low) >= 0
            assert root.compare(high) <= 0
            assert high - low <= 1e-9
        else:
            assert verdict == UNDECIDED
            assert root is None or root.compare(low) >= 0


def test_filter_decides_almost_all_of_random_motion():
    status, _ = filtered(*generic(np.random.default_rng(22), 20_000))
    assert (status == UNDECIDED).mean() < 1e-2


def samples_on_the_edge(rng):
    """Families in which rounding decides."""
    for family in (touching, grazing, mixed_sizes, lattice):
        for points, edges in [family(rng, 20_000)]:
            yield points, edges, decide_features(points, edges) < inf


def wrong_answers(points, edges, hit, bounds):
    status, _ = filtered(points, edges, bounds)
    return int(((status == CLEAR) & hit).sum() + ((status == CONTACT) & ~hit).sum())


@pytest.mark.parametrize("bound", [CUBIC, DIRECTION, DRIFT], ids=["cubic", "direction", "drift"])
def test_filter_goes_wrong_without_any_one_of_its_bounds(bound):
    broken = tuple(0.0 if k == bound else value for k, value in enumerate(BOUNDS))
    wrong = 0
    for points, edges, hit in samples_on_the_edge(np.random.default_rng(23)):
        assert wrong_answers(points, edges, hit, BOUNDS) == 0
        wrong += wrong_answers(points, edges, hit, broken)
    assert wrong > 0


@pytest.mark.parametrize(("bound", "value"), [(UNDERFLOW, 0.0), (REACH, inf)], ids=["underflow", "reach"])
def test_filter_goes_wrong_without_its_range(bound, value):
    points, scaled, edges = lopsided(np.random.default_rng(26), 100_000)
    hit = decide_features(points, edges) < inf
    assert wrong_answers(scaled, edges, hit, BOUNDS) == 0
    broken = tuple(value if k == bound else kept for k, kept in enumerate(BOUNDS))
    assert wrong_answers(scaled, edges, hit, broken) > 0


@kernel
def filter_in_windows(points, edges, windows, status, brackets):
    work = np.empty(FILTER_WORK)
    for i in range(len(points)):
        status[i] = filter_feature(points[i], edges[i], windows[i, 0], windows[i, 1], work)
        brackets[i, 0], brackets[i, 1] = work[0], work[1]


@kernel
def sides_of_hulls(start, end, times, reach, sides):
    work = np.empty(FILTER_WORK)
    for i in range(len(times)):
        for k in range(9):
            work[STURM_START + k], work[STURM_END + k] = start[i, k // 3, k % 3], end[i, k // 3, k % 3]
        differences_at_into(work, FACE_CORNERS, times[i], MIDDLE)
        sides[i] = side_of_hull(work, FACE_CORNERS, 0.0, reach, reach, reach, BOUNDS)


def test_side_of_hull_is_unsure_at_a_moment_when_rounding_alone_tells():
    # The second corner is always opposite to the first, three times as far out: 0 lies on the side between them.
    rng = np.random.default_rng(27)
    start, end = rng.integers(-1000, 1000, (2, 5000, 3, 3)).astype(float)
    start[:, 1], end[:, 1] = -3.0 * start[:, 0], -3.0 * end[:, 0]
    sides = np.empty(5000, np.int64)
    sides_of_hulls(start, end, rng.random(5000), 3000.0, sides)
    assert (sides == FILTER_UNSURE).all()


@pytest.mark.parametrize("width", [0.0, 1e-12, 1e-3, 0.3])
def test_filter_searches_only_the_window_that_holds_all_contacts(width):
    rng = np.random.default_rng(24)
    points = np.concatenate([family(rng, 2000)[0] for family in (generic, touching)])
    edges = rng.random(len(points)) < 0.5
    times = decide_features(points, edges, tight=True)
    hit = times < inf
    # All contacts lie after the first: windows that begin shortly before it hold them all.
    windows = np.tile([0.0, 1.0], (len(points), 1))
    windows[hit, 0] = np.maximum(times[hit] - width * rng.random(hit.sum()), 0.0)
    status, brackets = np.empty(len(points), np.int8), np.empty((len(points), 2))
    filter_in_windows(points, edges, windows, status, brackets)
    assert not ((status == CLEAR) & hit).any()
    assert not ((status == CONTACT) & ~hit).any()
    found = status == CONTACT
    assert (brackets[found, 0] <= times[found]).all()
    assert (brackets[found, 1] >= times[found]).all()
    assert (brackets[found, 0] >= windows[found, 0]).all()
    open_rows = (status == UNDECIDED) & hit
    assert (brackets[open_rows, 0] <= times[open_rows]).all()


def test_filter_leaves_numbers_out_of_range_undecided():
    points = np.ldexp(np.random.default_rng(25).normal(size=(200, 8, 3)), 500)
    status, _ = filtered(points, np.zeros(200, np.bool_))
    assert not (status == CONTACT).any()
    status, _ = filtered(np.zeros((1, 8, 3)), np.array([True]))
    assert status[0] == UNDECIDED


@kernel
def look_at_cubics(cubics, windows, close, within, blossoms, roots):
    for i in range(len(cubics)):
        b0, b1, b2, b3 = cubics[i, 0], cubics[i, 1], cubics[i, 2], cubics[i, 3]
        low, high = windows[i, 0], windows[i, 1]
        within[i, 0], within[i, 1], within[i, 2], within[i, 3] = coefficients_within(b0, b1, b2, b3, low, high)
        blossoms[i, 0] = blossom(b0, b1, b2, b3, low, low, low)
        blossoms[i, 1] = blossom(b0, b1, b2, b3, low, low, high)
        blossoms[i, 2] = blossom(b0, b1, b2, b3, low, high, high)
        blossoms[i, 3] = blossom(b0, b1, b2, b3, high, high, high)
        roots[i] = root_of_cubic(b0, b1, b2, b3, close)


def test_coefficients_within_are_the_blossoms_and_roots_are_close():
    rng = np.random.default_rng(27)
    cubics = rng.uniform(0.1, 1.0, (2000, 4)) * rng.choice([-1.0, 1.0], (2000, 4))
    cubics[:, 3] = -np.copysign(cubics[:, 3], cubics[:, 0])
    windows = np.sort(rng.random((2000, 2)), axis=1)
    within, blossoms, roots = np.empty((2000, 4)), np.empty((2000, 4)), np.empty(2000)
    look_at_cubics(cubics, windows, 1e-14, within, blossoms, roots)
    np.testing.assert_array_equal(within, blossoms)
    s, r = roots, 1.0 - roots
    values = (np.stack([r * r * r, 3.0 * r * r * s, 3.0 * r * s * s, s * s * s], axis=1) * cubics).sum(axis=1)
    assert np.abs(values).max() < 1e-14 + 1e-15
    assert ((roots > 0.0) & (roots < 1.0)).all()
