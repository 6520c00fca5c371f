"""Twins of deform.direction_lanes."""

from __future__ import annotations

import numpy as np


def _cross(a, b):
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def _dot(a, b):
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]


def _steps(moved, tails, heads):
    """From corners to corners (n, 3), both ends of the window together."""
    begin, end = moved[:6, :3], moved[6:, :3]
    return (begin[heads] - begin[tails]) + (end[heads] - end[tails])


def likely_directions(moved, directions):
    with np.errstate(all="ignore"):
        ahead, beyond = _steps(moved, [0, 3], [1, 4]).T, _steps(moved, [0, 3], [2, 5]).T
        normals = _cross(ahead, beyond)
        first, second, third = _steps(moved, [0, 1, 2], [3, 4, 5])
        centre = ((first + second) + third)[:, None]
        squares = _dot(normals, normals)
        share = np.where(squares > 0.0, _dot(centre, normals) / squares, 0.0)
        across = _cross(normals[:, :1], normals[:, 1:])
        directions[:, :2] = normals
        directions[:, 2:3] = centre
        directions[:, 3:5] = centre - share * normals
        directions[:, 5:6] = across
        directions[:, 6:] = _cross(normals, across)


def _edges(moved):
    return _steps(moved, np.arange(6), [1, 2, 0, 4, 5, 3]).T


def edge_directions(moved, directions):
    edges = _edges(moved)
    normals = _cross(edges[:, [2, 5]], edges[:, [0, 3]])
    other = np.concatenate([normals[:, [0, 0, 0, 1, 1, 1]], edges[:, [3, 4]]], axis=1)
    directions[:] = _cross(edges[:, [2, 1, 0, 5, 4, 3, 0, 0]], other)


def cross_directions(moved, directions):
    edges = _edges(moved)
    directions[:] = _cross(edges[:, [0, 1, 1, 1, 2, 2, 2, 2]], edges[:, [5, 3, 4, 5, 3, 4, 5, 5]])
