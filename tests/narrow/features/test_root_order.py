"""On which side of a time the first root of the coplanarity cubic lies, against rational arithmetic."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from carom._compile.jit import lean_kernel
from carom.narrow.features.root_order import ROOT_AFTER, ROOT_BEFORE, ROOT_UNSURE, ROOT_WORK, root_order


@lean_kernel
def order_of(points, edges, begin, time, vectors):
    return root_order(points, edges, begin, time, vectors)


def asked(points, edges, begin, time):
    return order_of(np.asarray(points, float), edges, begin, time, np.empty(ROOT_WORK))


def exact_value(points, edges, t):
    """The determinant at time t."""
    t = Fraction(t)
    at = [
        [(1 - t) * Fraction(a) + t * Fraction(b) for a, b in zip(p, q, strict=True)]
        for p, q in zip(points[:4], points[4:], strict=True)
    ]
    ways = [(0, 1), (2, 3), (0, 2)] if edges else [(1, 2), (1, 3), (0, 1)]
    a, b, c = ([y - x for x, y in zip(at[i], at[j], strict=True)] for i, j in ways)
    return sum(c[d] * (a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]) for d in range(3))


def exact_root(points, edges, low, high):
    """A bracket 2^-200 long of a root between low and high, of different signs there."""
    low, high = Fraction(low), Fraction(high)
    before = exact_value(points, edges, low) > 0
    while high - low > Fraction(1, 2**200):
        middle = (low + high) / 2
        low, high = (middle, high) if (exact_value(points, edges, middle) > 0) == before else (low, middle)
    return low


def crossing(rng, edges, scale):
    """Points of a feature whose cubic changes its sign once over the step."""
    while True:
        points = scale * rng.normal(size=(8, 3)) + 10.0 * scale * rng.normal(size=3)
        values = [exact_value(points.tolist(), edges, Fraction(k, 16)) > 0 for k in range(17)]
        if sum(a != b for a, b in pairwise(values)) == 1:
            return points


@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize("scale", [1.0, 1e-30, 1e11])
def test_root_order_tells_roots_a_few_ulps_away(edges, scale):
    rng = np.random.default_rng(int(edges))
    seen = set()
    for _ in range(40):
        points = crossing(rng, edges, scale)
        root = exact_root(points.tolist(), edges, 0, 1)
        near = float(root)
        for ulps in (-1000, -3, -1, 0, 1, 3, 1000):
            time = near + ulps * np.spacing(near)
            begin = near - 2000 * np.spacing(near)
            if not 0.0 <= begin < time <= 1.0:
                continue
            truth = ROOT_BEFORE if root < Fraction(time) else ROOT_AFTER
            answer = asked(points, edges, begin, time)
            assert answer in (truth, ROOT_UNSURE)
            assert answer == truth or abs(root - Fraction(time)) < Fraction(np.spacing(near)) / 100
            seen.add(answer)
    assert seen >= {ROOT_BEFORE, ROOT_AFTER}


def test_root_order_is_unsure_where_the_time_is_the_root():
    # A vertex that sinks through the face z = 0 at one half exactly.
    face = [[-1.0, -1.0, 0.0], [2.0, -1.0, 0.0], [-1.0, 2.0, 0.0]]
    points = [[0.0, 0.0, 1.0], *face, [0.0, 0.0, -1.0], *face]
    assert asked(points, False, 0.25, 0.5) == ROOT_UNSURE
    assert asked(points, False, 0.25, np.nextafter(0.5, 1.0)) == ROOT_BEFORE
    assert asked(points, False, 0.25, np.nextafter(0.5, 0.0)) == ROOT_AFTER


def test_root_order_does_not_take_two_roots_for_none():
    rng = np.random.default_rng(2)
    twice = 0
    for _ in range(600):
        points, (begin, time) = rng.normal(size=(8, 3)), np.sort(rng.random(2))
        values = [exact_value(points.tolist(), False, begin + k / 16 * (time - begin)) > 0 for k in range(17)]
        turns = sum(a != b for a, b in pairwise(values))
        if turns:
            twice += turns == 2
            assert asked(points, False, begin, time) in ((ROOT_BEFORE, ROOT_UNSURE) if turns % 2 else (ROOT_UNSURE,))
    assert twice > 10


def test_root_order_is_unsure_where_digits_are_lost():
    assert asked(np.zeros((8, 3)), True, 0.0, 0.5) == ROOT_UNSURE
    assert asked(1e-110 * np.random.default_rng(0).normal(size=(8, 3)), True, 0.0, 0.5) == ROOT_UNSURE
