"""Covering angles of sets of axes: the largest angle of any direction to its nearest axis, and sets that minimize it.

An axis is a pair of antipodal points of the unit sphere. The hull of all of them has its facets where the sphere is least
covered: the point of a facet's cap that is farthest from its corners is its normal, at an angle whose cosine is the distance
of its plane from the origin. The largest of these angles, over all facets, is the covering angle, exactly.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix
from scipy.spatial import ConvexHull

Floats = NDArray[np.float64]

_SPIRAL = np.pi * (1.0 + 5.0**0.5)
_REPULSION = 400
"""Steps of the spreading that every start begins with."""
_STEPS = 150
"""Steps of the search at most."""
_SMALLEST_STEP = 1e-10
"""Radians: a step limit below which the search has come to its end."""


def covering_angle(axes: Floats) -> float:
    """Largest angle, rad, between any direction and the nearest of the axes (m, 3), which have length 1 and span space."""
    _, _, distance = _facets(axes)
    return float(np.arccos(np.clip(distance.min(), -1.0, 1.0)))


def cover(m: int, starts: int) -> Floats:
    """m >= 3 axes (m, 3) of length 1 with a small covering angle: the best of so many starts, the same in every run.

    Starts are a spiral and random points, spread by repulsion and then improved step by step: which small move of all axes
    lets the least distance of a facet grow most is a linear program. Each is a local optimum, none is surely the best.
    """
    found = [_improved(_repelled(_start(m, k))) for k in range(starts)]
    best = min(found, key=covering_angle)
    upper = (best[:, 2] > 0.0) | ((best[:, 2] == 0.0) & (best[:, 1] > 0.0))
    return np.where(upper[:, None], best, -best)


def _facets(axes: Floats) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Corners (f, 3) as rows of axes followed by their antipodes, normals (f, 3) and distances (f,) of the hull's facets."""
    hull = ConvexHull(np.concatenate((axes, -axes)))
    return hull.simplices.astype(np.int64), hull.equations[:, :3], -hull.equations[:, 3]


def _start(m: int, k: int) -> Floats:
    if k > 0:
        points = np.random.default_rng(k).normal(size=(m, 3))
        return points / np.linalg.norm(points, axis=1)[:, None]
    height = (np.arange(m) + 0.5) / m
    turn = _SPIRAL * (np.arange(m) + 0.5)
    across = np.sqrt(1.0 - height**2)
    return np.column_stack((across * np.cos(turn), across * np.sin(turn), height))


def _repelled(axes: Floats) -> Floats:
    """Spread by a force that falls with the fourth power of the distance of points and antipodes."""
    m = len(axes)
    for k in range(_REPULSION):
        force = np.zeros_like(axes)
        for sign in (1.0, -1.0):
            apart = axes[:, None] - sign * axes[None]
            square = np.sum(apart**2, axis=-1)
            if sign > 0.0:
                np.fill_diagonal(square, np.inf)
            force += np.sum(apart / np.maximum(square, 1e-12)[..., None] ** 2.5, axis=1)
        force -= np.sum(force * axes, axis=1)[:, None] * axes
        largest = np.linalg.norm(force, axis=1).max()
        if largest == 0.0:
            break
        axes = axes + (0.3 / np.sqrt(m) * (1.0 - k / _REPULSION) / largest) * force
        axes /= np.linalg.norm(axes, axis=1)[:, None]
    return axes


def _improved(axes: Floats) -> Floats:
    """Steps of a linear program within a limit that shrinks where a step did not help."""
    angle = covering_angle(axes)
    limit = 0.2 * angle
    for _ in range(_STEPS):
        moved = _moved(axes, limit)
        reached = covering_angle(moved)
        if reached < angle:
            small = angle - reached < 1e-12
            axes, angle, limit = moved, reached, 1.5 * limit
            if small:
                break
        else:
            limit *= 0.3
            if limit < _SMALLEST_STEP:
                break
    return axes


def _moved(axes: Floats, limit: float) -> Floats:
    """The axes after the best move of at most about `limit` radians each, to first order.

    The foot of the perpendicular from the origin is a weighted mean of a facet's corners; where these move by d, the plane's
    distance grows by the same mean of n . d.
    """
    m = len(axes)
    corners, normals, distance = _facets(axes)
    near = distance < distance.min() + 2.0 * limit
    corners, normals, distance = corners[near], normals[near], distance[near]
    points = np.concatenate((axes, -axes))
    weights = np.linalg.solve(points[corners].transpose(0, 2, 1), (normals * distance[:, None])[..., None])[..., 0]
    side = np.where(corners < m, 1.0, -1.0)
    owner = corners % m
    first, second = _tangents(axes)
    pull = (weights * side)[..., None] * normals[:, None]
    columns = np.concatenate((2 * owner, 2 * owner + 1, np.full((len(owner), 1), 2 * m)), axis=1)
    entries = np.concatenate(
        (-np.sum(pull * first[owner], axis=-1), -np.sum(pull * second[owner], axis=-1), np.ones((len(owner), 1))),
        axis=1,
    )
    rows = np.repeat(np.arange(len(owner)), columns.shape[1])
    matrix = csr_matrix((entries.ravel(), (rows, columns.ravel())), shape=(len(owner), 2 * m + 1))
    goal = np.zeros(2 * m + 1)
    goal[-1] = -1.0
    answer = linprog(goal, matrix, distance, bounds=[(-limit, limit)] * (2 * m) + [(None, None)], method="highs")
    if answer.x is None:
        return axes
    step = answer.x[: 2 * m].reshape(m, 2)
    moved = axes + step[:, :1] * first + step[:, 1:] * second
    return moved / np.linalg.norm(moved, axis=1)[:, None]


def _tangents(axes: Floats) -> tuple[Floats, Floats]:
    """Two directions (m, 3) each at right angles to an axis and to each other."""
    least = np.eye(3)[np.abs(axes).argmin(axis=1)]
    first = np.cross(axes, least)
    first /= np.linalg.norm(first, axis=1)[:, None]
    return first, np.cross(axes, first)
