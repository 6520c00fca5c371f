"""First times within a separation that is small against the features: never late, and at it, by rational arithmetic."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain
from math import inf

import numpy as np
import pytest

from carom.narrow.features import feature_margin_times
from oracles.exact_triangles import exact_square_distance


def planar(rng, n):
    """Motion within a plane, on a lattice: features slide along each other, swing, and meet in their corners."""
    points = rng.integers(-2, 3, (n, 8, 3)).astype(float)
    points[:, :, 2] = 0.0
    return points


def aimed(rng, n):
    """The first point comes onto the way from the second to the third, within rounding, in the middle of the step."""
    points = rng.normal(size=(n, 8, 3))
    place, when = rng.uniform(size=(n, 1)), rng.uniform(0.2, 0.8, (n, 1))

    def at(k):
        return (1.0 - when) * points[:, k] + when * points[:, 4 + k]

    off = (1.0 - place) * at(1) + place * at(2) - at(0)
    points[:, 0] += off
    points[:, 4] += off
    return points


def swinging(rng, n):
    """A long edge swings down beside a vertex, or another edge, that slides towards the end it turns about."""
    points = np.zeros((n, 8, 3))
    points[:, 1] = points[:, 5] = (0.0, 0.0, 0.0)
    points[:, 2, 0] = points[:, 6, 0] = -rng.uniform(1.0, 4.0, n)
    points[:, 2, 1] = rng.uniform(0.5, 3.0, n)
    points[:, 3] = points[:, 7] = (0.5, -1.0, 0.0)
    points[:, 0, 0] = -rng.uniform(0.5, 1.0, n)
    points[:, 0, 2] = points[:, 4, 2] = np.where(rng.random(n) < 0.5, 0.0, 1e-9)
    return points


def exact_distance(points, edges, t):
    """Distance of the two features at t, rounded once."""
    t = Fraction(t)
    first, last = ([[Fraction(x) for x in point] for point in ends.tolist()] for ends in (points[:4], points[4:]))
    p = [[(1 - t) * a + t * b for a, b in zip(*ends, strict=True)] for ends in zip(first, last, strict=True)]
    one, two = ([p[0], p[1], p[1]], [p[2], p[3], p[3]]) if edges else ([p[0], p[0], p[0]], p[1:])
    return float(exact_square_distance([*chain(*one)], [*chain(*two)])) ** 0.5


@pytest.mark.parametrize("edges", [False, True], ids=["vertex-face", "edge-edge"])
@pytest.mark.parametrize("family", [planar, aimed, swinging], ids=lambda family: family.__name__)
def test_margin_times_are_never_late_and_at_the_separation_however_small(family, edges):
    for separation in (1e-2, 1e-5, 1e-6, 1e-8):
        points = family(np.random.default_rng(41), 80)
        times = feature_margin_times(
            points[:, :4].copy(), points[:, 4:].copy(), np.full(len(points), edges), separation, threads=1
        )
        assert (times < inf).any()
        for row, time in zip(points, times, strict=True):
            if time < inf:
                assert exact_distance(row, edges, time) <= separation * (1.0 + 1.001e-6) + 1e-13
            for t in (0.0, 0.3 * min(time, 1.0), 0.9 * min(time, 1.0), (1.0 - 1e-9) * min(time, 1.0)):
                assert t == time or exact_distance(row, edges, t) > separation * (1.0 - 1e-12)
