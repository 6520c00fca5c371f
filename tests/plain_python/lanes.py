"""Twins of intrinsics on doubles: those of carom._compile, carom.boxes.lanes and carom.deform.triangles.lanes.window_pairs."""

from __future__ import annotations

import math
import time

import numpy as np

_PLACE_ROUNDING = 8.0 * 2.0**-53
_ROUNDING = 16.0 * 2.0**-53
_TINY = 1e-300


def bits(mask) -> int:
    """Bit k for entry k of a sequence of truth values."""
    return sum(1 << k for k, is_set in enumerate(mask) if is_set)


def larger(a, b):
    """The larger of each pair; b where either is NaN."""
    return np.where(a > b, a, b)


def smaller(a, b):
    """The smaller of each pair; b where either is NaN."""
    return np.where(b > a, a, b)


def _least(lanes):
    half = lanes
    while len(half) > 1:
        low, high = np.split(half, 2)
        half = np.where(low < high, low, high)
    return half[0], bits(lanes == half[0])


def least_of_eight(keys, first):
    return _least(keys[first : first + 8])


def least_of_seven(keys, first, without):
    lanes = keys[first : first + 8].copy()
    lanes[without] = math.inf
    return _least(lanes)


def spheres_touching(lanes, first, x, y, z, radius):
    columns = lanes[first : first + 32].reshape(4, 8)
    dx, dy, dz = columns[0] - x, columns[1] - y, columns[2] - z
    reach = columns[3] + radius
    return bits((dx * dx + dy * dy) + dz * dz <= reach * reach)


def lowest_place(mask):
    mask = int(mask)
    return (mask & -mask).bit_length() - 1


def counter():
    return time.perf_counter_ns()


def fused(a, b, c):
    return np.float64(a) * b + c


def prefetch_row(rows, row):
    """Nothing: a hint to the processor changes no result."""


def prefetch_ends(rows, row):
    """The same."""


def meeting(ends, room, first, box):
    columns = [ends[k * room + first : k * room + first + 8] for k in range(6)]
    return bits(
        np.all([columns[k] <= box[k + 3] for k in range(3)] + [columns[k + 3] >= box[k] for k in range(3)], axis=0)
    )


def number_below(keys, first, value):
    for k in range(8):
        if not keys[first + k] < value:
            return k
    return 8


def place_corners(start, end, corners, first, last, moved, reach):
    u = start[corners] - start[corners[0]]
    v = end[corners] - end[corners[0]]
    moved[:6] = (1.0 - first) * u + first * v
    moved[6:] = (1.0 - last) * u + last * v
    most = np.zeros(4)
    for k in range(6):
        most = larger(larger(np.abs(u[k]), np.abs(v[k])), most)
    reach[:] = most


def parting_directions(moved, reach, directions):
    twice = [np.abs(directions[d]) * (reach[d] * 2.0) for d in range(3)]
    pad = (twice[0] + twice[1] + twice[2]) * (0.5 * _ROUNDING) + _TINY
    along = [
        (moved[k, 0] * directions[0] + moved[k, 1] * directions[1]) + moved[k, 2] * directions[2] for k in range(12)
    ]

    def ends(first):
        one, two, three = along[first : first + 3]
        return smaller(smaller(one, two), three), larger(larger(one, two), three)

    ahead = behind = np.ones(8, bool)
    for first in (0, 6):
        (low_a, high_a), (low_b, high_b) = ends(first), ends(first + 3)
        ahead = ahead & (low_b - high_a > pad)
        behind = behind & (low_a - high_b > pad)
    return bits(ahead | behind)


def meeting_features(moved, reach):
    pad = reach * _PLACE_ROUNDING + _TINY
    points = [(smaller(moved[k], moved[6 + k]), larger(moved[k], moved[6 + k])) for k in range(6)]

    def around(a, b):
        return smaller(a[0], b[0]), larger(a[1], b[1])

    def meet(a, b):
        return not np.any((a[0] > b[1] + pad) | (b[0] > a[1] + pad))

    edges = [around(points[s + k], points[s + (k + 1) % 3]) for s in (0, 3) for k in range(3)]
    face_a, face_b = around(edges[0], points[2]), around(edges[3], points[5])
    return bits(
        [meet(points[k], face_b) for k in range(3)]
        + [meet(points[3 + k], face_a) for k in range(3)]
        + [meet(edges[k], edges[3 + l]) for k in range(3) for l in range(3)]
    )
