"""Twins of deform.coplanar_lanes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from plain_python.lanes import bits, lowest_place

_CUBIC = 2048.0 * 2.0**-53
_UNDERFLOW = 2.0**-900
_REACH = 2.0**40
_GUESS = 4
_EDGE_A = [3, 3, 3, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
_EDGE_B = [5, 5, 5, 2, 2, 2, 3, 4, 5, 3, 4, 5, 3, 4, 5, 5]
_TAIL = [0, 1, 2, 3, 4, 5, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2]
_HEAD = [3, 3, 3, 0, 0, 0, 3, 4, 5, 3, 4, 5, 3, 4, 5, 5]


def _factors(corners):
    """corners (6, 4): A, B and C of all features, (3, 16) each."""
    columns = corners[:, :3].T
    edges = columns[:, [1, 2, 0, 4, 5, 3]] - columns
    return edges[:, _EDGE_A], edges[:, _EDGE_B], columns[:, _HEAD] - columns[:, _TAIL]


def _cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _dot(a, b):
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]


def _may_vanish(coefficients, reach):
    error = np.inf
    if np.all(reach[:3] <= _REACH):
        error = reach[0] * reach[1] * reach[2] * _CUBIC + _UNDERFLOW
    strict = np.all([c > error for c in coefficients], axis=0) | np.all([-c > error for c in coefficients], axis=0)
    return bits(~strict[:15])


def _guess(c0, c1, c2, c3):
    s = c0 / (c0 - c3)
    r = 1.0 - s
    value = r * r * (r * c0 + 3.0 * s * c1) + s * s * (3.0 * r * c2 + s * c3)
    slope = 3.0 * (r * r * (c1 - c0) + (r + r) * s * (c2 - c1) + s * s * (c3 - c2))
    s = s - value / slope
    s = np.where(s > 0.0, s, 0.0)
    s = np.where(s < 1.0, s, 1.0)
    return np.where(c0 * c3 < 0.0, s, 2.0)


def coplanar_features(moved, reach, cubics):
    with np.errstate(all="ignore"):
        a, b, c = _factors(moved[:6])
        p, q, r = _factors(moved[6:])
        first, last, cross = _cross(a, b), _cross(p, q), _cross(a, q) + _cross(p, b)
        c1 = (_dot(first, r) + _dot(cross, c)) * (1.0 / 3.0)
        c2 = (_dot(cross, r) + _dot(last, c)) * (1.0 / 3.0)
        cubics[:_GUESS] = _dot(first, c), c1, c2, _dot(last, r)
        cubics[_GUESS] = _guess(*cubics[:_GUESS])
    return _may_vanish(cubics[:_GUESS], reach)


def coplanar_before(cubics, reach, share):
    row = list(cubics[:_GUESS])
    coefficients = [row[0]]
    while len(row) > 1:
        row = [(1.0 - share) * p + share * q for p, q in pairwise(row)]
        coefficients.append(row[0])
    return _may_vanish(coefficients, reach)


def earliest_feature(cubics, mask):
    asked = np.array([int(mask) >> k & 1 for k in range(16)], bool)
    guesses = np.where(asked, cubics[_GUESS], np.inf)
    return lowest_place(bits(guesses <= guesses.min()))
