"""Twins of deform.parting_lanes and deform.fit_lanes."""

from __future__ import annotations

import numpy as np

_ROUNDING = 16.0 * 2.0**-53
_TINY = 1e-300
_OUTWARDS = 1.2e-7
_SMALLEST = 1e-37
_MIDDLE_STEP = 1 << 14
_PART_OF_STEP = 1e-6


def _side(points, x, y, z):
    """points (6, 4): 1 where the last three lie ahead of the first three along (x, y, z), 2 behind, 0 neither."""
    steps = points[1:] - points[0]
    axis = np.array([x, y, z, 0.0])
    products = steps * axis
    along = (products[:, 0] + products[:, 1]) + (products[:, 2] + products[:, 3])
    reach = np.abs(steps[0])
    for step in steps[1:]:
        reach = reach + np.abs(step)
    size = (abs(x) + abs(y)) + (abs(z) + 0.0)
    slack = 0.5 * _ROUNDING * ((2.0 * size) * ((reach[0] + reach[1]) + (reach[2] + reach[3]))) + _TINY

    def extreme(values, beyond):
        found = values[0]
        for value in values[1:]:
            found = value if beyond(value, found) else found
        return found

    own, other = [0.0, *along[:2]], list(along[2:])
    below, above = (lambda a, b: a < b), (lambda a, b: a > b)
    if extreme(own, below) - extreme(other, above) > slack:
        return 2
    return 1 if extreme(other, below) - extreme(own, above) > slack else 0


def parted(faces, places, first, a, b, x, y, z):
    return _side(places[first + np.concatenate([faces[a], faces[b]])], x, y, z)


def placed_parted(floats, first, x, y, z):
    return _side(floats[first : first + 24].reshape(6, 4), x, y, z)


def _sides(low, high, i, j, k, origin):
    lowest = low[i]
    for row in (j, k):
        lowest = np.where(lowest > low[row], low[row], lowest)
    highest = np.where(high[j] > high[i], high[j], high[i])
    highest = np.where(high[k] > highest, high[k], highest)
    return np.concatenate([(origin - lowest)[:3], (highest - origin)[:3]])


def fit_triangle(low, high, i, j, k, origin, boxes, at):
    sides = _sides(low, high, i, j, k, origin)
    with np.errstate(all="ignore"):
        outwards = (sides + (np.abs(sides) * _OUTWARDS + _SMALLEST)).astype(np.float32)
    boxes.reshape(-1)[at : at + 8] = [*outwards, 0.0, 0.0]


def fit_corners(places, i, j, k, origin, steps, boxes, at):
    if boxes.dtype == np.float32:
        fit_triangle(places, places, i, j, k, origin, boxes, at)
        return
    counted = _sides(places, places, i, j, k, origin) * steps + (_MIDDLE_STEP + _PART_OF_STEP)
    boxes.reshape(-1)[at : at + 8] = [*(counted.astype(np.int32) - (_MIDDLE_STEP - 1)), 0, 0]


def _fit(boxes, one, other, at, n):
    flat = boxes.reshape(-1)
    a, b = flat[one : one + n], flat[other : other + n]
    flat[at : at + n] = np.where(a > b, a, b)


def fit_two(boxes, one, other, at):
    _fit(boxes, one, other, at, 8)


def fit_two_rows(boxes, one, other, at):
    _fit(boxes, one, other, at, 64)
