"""Exact first contacts of vertex and face, and of two edges, against an oracle that shares nothing with them."""

from __future__ import annotations

import os
from math import inf

import numpy as np
import pytest

from carom.narrow.features.decide import decide_features, feature_times
from geometry.feature_samples import FAMILIES, touching
from oracles.feature_oracle import Root, check_time, first_contact


def with_filter(points, edges, tight):
    """Times of the filter and, where it leaves a doubt, of the exact stage."""
    return feature_times(points[:, :4].copy(), points[:, 4:].copy(), edges, tight, threads=1)


@pytest.mark.parametrize("tight", [False, True], ids=["close", "tight"])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_exact_contacts_match_the_oracle(family, tight):
    points, edges = family(np.random.default_rng(11 + tight), 200)
    exact, filtered = decide_features(points, edges, tight), with_filter(points, edges, tight)
    np.testing.assert_array_equal(np.isinf(exact), np.isinf(filtered))
    for row, kind, time, other in zip(points, edges, exact, filtered, strict=True):
        assert check_time(row, kind, time, tight) == "", (row.tolist(), bool(kind))
        if other != time:
            assert not tight
            assert check_time(row, kind, other, tight) == "", (row.tolist(), bool(kind))


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_exact_contacts_do_not_depend_on_the_filter(family):
    points, edges = family(np.random.default_rng(12), 20_000)
    exact, filtered = decide_features(points, edges), with_filter(points, edges, tight=False)
    np.testing.assert_array_equal(np.isinf(exact), np.isinf(filtered))
    hit = exact < inf
    assert np.abs(exact[hit] - filtered[hit]).max(initial=0.0) <= 1e-9


def test_exact_contacts_tell_times_apart_that_doubles_cannot():
    # The vertex meets the plane of the face at 2/3 of the step and passes over its edge 2^-80 earlier, then, or later.
    for nudge, hits in ((-(2.0**-80), True), (0.0, True), (2.0**-80, False)):
        face = [(-nudge, -1.0, 0.0), (-nudge, 1.0, 0.0), (-4.0, 0.0, 0.0)]
        points = np.array([(-2.0, 0.0, 2.0), *face, (1.0, 0.0, -1.0), *face])
        time = decide_features(points[None], np.array([False]))[0]
        assert (time < inf) == hits
        assert check_time(points, False, time, tight=False) == ""


def test_exact_contacts_at_tiny_times_are_floored_to_the_last_double():
    for exponent in (-60, -300, -1000, -1074):
        depth = 2.0**exponent
        points = np.array([[0, 0, 0], [-1, -1, 0], [1, -1, 0], [0, 1, 0]] * 2, dtype=float)
        points[0, 2], points[4, 2] = depth, -3.0
        for tight in (False, True):
            time = decide_features(points[None], np.array([False]), tight)[0]
            assert check_time(points, False, time, tight) == ""


def test_exact_contacts_of_numbers_from_one_end_of_the_range_of_doubles_to_the_other():
    # 2100 bits a coordinate: the pool of integers has to grow.
    rng = np.random.default_rng(15)
    points = np.ldexp(np.sign(rng.integers(-2, 3, (12, 8, 3)) * 1.0), rng.integers(-1074, 1000, (12, 8, 3)))
    edges = np.arange(12) % 2 == 0
    for row, kind, time in zip(points, edges, decide_features(points, edges, tight=True), strict=True):
        assert check_time(row, kind, time, tight=True) == ""


@pytest.mark.parametrize(("height", "first"), [(0.0, 0.5), (2.0**-40, inf), (-(2.0**-40), 0.5 - 2.0**-20)])
def test_exact_contacts_decide_double_roots(height, first):
    # A face that tilts under a vertex: their distance along z is height + (t - 1/2)^2.
    def at(t):
        tilt = 0.5 - t
        return [(t - 0.5, 0.0, height), (2.0, -3.0, 2.0 * tilt), (2.0, 3.0, 2.0 * tilt), (-4.0, 0.0, -4.0 * tilt)]

    points = np.array(at(0.0) + at(1.0))
    time = decide_features(points[None], np.array([False]), tight=True)[0]
    assert time == first
    assert check_time(points, False, time, tight=True) == ""


def test_oracle_knows_a_vertex_that_falls_onto_a_face():
    points = np.array([[0, 0, 1], [-1, -1, 0], [1, -1, 0], [0, 1, 0]] * 2, dtype=float)
    points[4, 2] = -3.0
    root = first_contact(points, False)
    assert root is not None
    assert root.compare(0.25) == 0
    points[4, 2] = 0.5
    assert first_contact(points, False) is None


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_oracle_sees_the_signs_that_tarski_queries_find(family, monkeypatch):
    points, edges = family(np.random.default_rng(16), 40)
    times = decide_features(points, edges, tight=True)
    for row, kind, time in zip(points, edges, times, strict=True):
        seen = first_contact(row, kind)
        with monkeypatch.context() as slow:
            slow.setattr(Root, "sign", lambda root, g: root.tarski(g) if any(g) else 0)
            found = first_contact(row, kind)
            assert (seen is None) == (found is None)
            order = None if found is None else [found.compare(t) for t in (0.0, min(time, 1.0), 0.5, 1.0)]
        assert order == (None if seen is None else [seen.compare(t) for t in (0.0, min(time, 1.0), 0.5, 1.0)])


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_exact_contacts_match_on_a_million(family):
    count = int(os.environ.get("CAROM_FEATURE_QUERIES", "1000000")) // len(FAMILIES)
    rng = np.random.default_rng(13)
    done = 0
    while done < count:
        n = min(5_000, count - done)
        points, edges = family(rng, n)
        exact, close = decide_features(points, edges, tight=True), with_filter(points, edges, tight=False)
        np.testing.assert_array_equal(np.isinf(exact), np.isinf(close))
        hit = exact < inf
        assert (close[hit] <= exact[hit]).all()
        assert (close[hit] >= exact[hit] - 1e-9).all()
        for i in range(n):
            assert check_time(points[i], edges[i], exact[i], tight=True) == "", (points[i].tolist(), bool(edges[i]))
        done += n


def test_samples_touch_in_the_middle_as_well_as_at_corners():
    # The families must not be empty of what they are for.
    points, edges = touching(np.random.default_rng(14), 2000, nudged=False)
    times = decide_features(points, edges, tight=True)
    assert (times < inf).mean() > 0.7
    assert len(np.unique(times[times < inf])) > 10
