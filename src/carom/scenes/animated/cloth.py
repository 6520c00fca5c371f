"""A square cloth of point masses moved by position-based dynamics: plausible folds for scenes, not a physical simulation."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from carom.maths.powers import exponentials

Array = NDArray[np.float64]
Constraint = Callable[[Array, Array, float], None]
"""Changes points (3, n, n) in place, given the points before the step and the time at its end, s."""


_SPRINGS = (((0, 1), 1.0), ((1, 0), 1.0), ((1, 1), 0.5), ((1, -1), 0.5), ((0, 2), 0.35), ((2, 0), 0.35))
"""Offset (rows, columns) between the ends of a spring, and the fraction of its stretch that a step removes."""

_KEYS_PER_SECOND = 24.0
_GRAVITY = 9.81
_STEPS_A_KEY, _STEPS_A_CELL = 40, 0.625
"""Steps between two keys: least number, and number per cell along a side. Many short steps with one pass over the springs keep
a cloth stiffer than few with many, and points of a fine cloth must not move by a cell per step.
"""

_PART_EVERY = 4
"""Steps between two tests for layers that are too close; they move by a fraction of their distance meanwhile."""

_SETTLED_THICKER, _SETTLED_EVERY = 1.25, 2
"""Before the first key: factor of the distance between layers, and steps between two tests, so that few layers intersect."""

_NEIGHBOURS = 2  # Points at most this many rows and columns apart belong to one fold and are left to the springs


class Cloth:
    """A flat square of (cells + 1)^2 points about the origin in the plane z = 0; metres, seconds, z is up.

    `points` (3, n, n) may be changed before the first step. With a `thickness`, m, layers closer than that are pushed apart, so
    that folds lie on each other; a few layers may still intersect. `drag`, 1/s, is the rate at which air reduces the speed.
    """

    def __init__(self, side: float, cells: int, *, drag: float, thickness: float = 0.0) -> None:
        row = np.linspace(-0.5 * side, 0.5 * side, cells + 1)
        x, y = np.meshgrid(row, row, indexing="ij")
        self.points: Array = np.stack([x, y, np.zeros_like(x)])
        self.faces = grid_faces(cells + 1, cells + 1)
        self._speeds = np.zeros_like(self.points)
        self._drag = drag
        self._thickness = thickness
        self._springs = _spring_groups(cells + 1, side / cells)

    def record(self, times: Array, constrain: Constraint, *, settle: int = 0) -> Array:
        """Return vertices (k, n^2, 3) at k equidistant times, s; the cloth moves for `settle` intervals before them."""
        span = float(times[1] - times[0])
        steps = max(_STEPS_A_KEY, round(_STEPS_A_CELL * (self.points.shape[1] - 1)))
        keys = np.empty((len(times), self.points[0].size, 3))
        for k in range(-settle, len(times)):
            if k >= 0:
                keys[k] = self.points.reshape(3, -1).T
            if k + 1 < len(times):
                every, thicker = (_PART_EVERY, 1.0) if k >= 0 else (_SETTLED_EVERY, _SETTLED_THICKER)
                for step in range(steps):
                    now = float(times[0]) + span * (k + (step + 1) / steps)
                    apart = thicker * self._thickness if step % every == 0 else 0.0
                    self._step(span / steps, now, constrain, apart)
        return keys

    def _step(self, dt: float, now: float, constrain: Constraint, apart: float) -> None:
        """Advance by dt seconds to the time `now`; layers are separated to `apart` m, 0 for not at all."""
        self._speeds *= exponentials(-self._drag * dt)
        self._speeds[2] -= _GRAVITY * dt
        points = self.points + dt * self._speeds
        for first, second, rest, share in self._springs:
            # Views into the grid: springs of one group share no point, so all of a group move at once.
            a, b = points[first], points[second]
            along = b - a
            length = np.sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2])
            along *= 0.5 * share * (1.0 - rest / np.maximum(length, 1e-3 * rest))
            a += along
            b -= along
        if apart > 0.0:
            _part_layers(points, apart)
        constrain(points, self.points, now)
        self._speeds = (points - self.points) / dt
        self.points = points


def key_times(keys: int) -> Array:
    """Return the times of the keys of an animation, s."""
    return np.arange(keys) / _KEYS_PER_SECOND


def cells_for(faces: int) -> int:
    """Return the cells along a side of the square cloth whose number of triangles, 2 cells^2, is nearest to `faces`."""
    return max(2, round(math.sqrt(faces / 2.0)))


def grid_faces(rows: int, columns: int) -> NDArray[np.int32]:
    """Return two triangles (m, 3) per cell of a grid whose points are numbered row by row; diagonals alternate."""
    i, j = (g.ravel() for g in np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij"))
    a = i * columns + j
    b, d = a + columns, a + 1
    c = b + 1
    even = ((i + j) % 2 == 0)[:, None]
    first = np.where(even, np.column_stack([a, b, c]), np.column_stack([a, b, d]))
    second = np.where(even, np.column_stack([a, c, d]), np.column_stack([b, c, d]))
    return np.stack([first, second], axis=1).reshape(-1, 3).astype(np.int32)


def _spring_groups(n: int, spacing: float) -> list[tuple[Any, Any, float, float]]:
    """Return slices of both ends, rest length and fraction of each group of springs that share no point."""
    groups = []
    for (down, across), share in _SPRINGS:
        split = down or across
        for phase in range(2 * split):
            ends = slice(phase, n - split, 2 * split), slice(phase + split, n, 2 * split)
            if down == 0:
                first, second = (slice(None), slice(None), ends[0]), (slice(None), slice(None), ends[1])
            else:
                left, right = slice(max(0, -across), n - max(0, across)), slice(max(0, across), n - max(0, -across))
                first, second = (slice(None), ends[0], left), (slice(None), ends[1], right)
            groups.append((first, second, spacing * math.sqrt(down * down + across * across), share))
    return groups


def _part_layers(points: Array, thickness: float) -> None:
    """Push points of different folds that are closer than `thickness` apart, in place, by the mean of all pushes."""
    n = points.shape[2]
    flat = points.reshape(3, -1)
    pairs = cKDTree(flat.T).query_pairs(thickness, output_type="ndarray")
    row, column = np.divmod(pairs, n)
    apart = np.maximum(np.abs(row[:, 0] - row[:, 1]), np.abs(column[:, 0] - column[:, 1]))
    a, b = pairs[apart > _NEIGHBOURS].T
    if len(a) == 0:
        return
    along = flat[:, b] - flat[:, a]
    length = np.maximum(np.sqrt((along * along).sum(axis=0)), 1e-3 * thickness)
    along *= 0.5 * (thickness / length - 1.0)
    size = flat.shape[1]
    shares = np.maximum(np.bincount(a, minlength=size) + np.bincount(b, minlength=size), 1)
    for axis in range(3):
        push = np.bincount(b, along[axis], size) - np.bincount(a, along[axis], size)
        points[axis] += (push / shares).reshape(n, n)
