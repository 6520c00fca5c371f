"""Twins of deform.parting_lanes and deform.fit_lanes."""

from __future__ import annotations

import numpy as np

_ROUNDING = 16.0 * 2.0**-53
_TINY = 1e-300
_OUTWARDS = 1.2e-7
_SMALLEST = 1e-37


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
    slack = (_ROUNDING * size) * ((reach[0] + reach[1]) + (reach[2] + reach[3])) + _TINY

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


def parted(faces, places, a, b, x, y, z):
    return _side(np.concatenate([places[faces[a]], places[faces[b]]]), x, y, z)


def placed_parted(floats, first, x, y, z):
    return _side(floats[first : first + 24].reshape(6, 4), x, y, z)


def fit_triangle(low, high, i, j, k, origin, boxes, at):
    lowest = low[i]
    for row in (j, k):
        lowest = np.where(lowest > low[row], low[row], lowest)
    highest = np.where(high[j] > high[i], high[j], high[i])
    highest = np.where(high[k] > highest, high[k], highest)
    sides = np.concatenate([(origin - lowest)[:3], (highest - origin)[:3]])
    with np.errstate(all="ignore"):
        outwards = (sides + (np.abs(sides) * _OUTWARDS + _SMALLEST)).astype(np.float32)
    boxes.reshape(-1)[at : at + 8] = [*outwards, 0.0, 0.0]


def fit_two(boxes, one, other, at):
    flat = boxes.reshape(-1)
    a, b = flat[one : one + 8], flat[other : other + 8]
    flat[at : at + 8] = np.where(a > b, a, b)
