"""The earliest time at which two of many space-time bounds meet, by any of four methods."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from carom import validate
from carom._compile.jit import compiling
from carom._copies import Copyable
from carom.bounds.meetings.brute_force import brute_force
from carom.bounds.meetings.face_and_plane import HALF_SPACES
from carom.bounds.meetings.neighbours import by_neighbours
from carom.bounds.meetings.projection import by_projection
from carom.bounds.meetings.subdivision import MOST_CELLS, by_subdivision
from carom.bounds.space_time import SpaceTimeBounds
from carom.errors import InvalidInputError
from carom.queues.tournament import tournament_arrays

SEARCHES = ("fast", "brute-force", "projection", "subdivision")
_FEW = 32


class EarliestIntersection(NamedTuple):
    """The earliest time, s, before which no two bodies can touch, and the bodies a < b that may touch first.

    It is (inf, -1, -1) if no bodies can touch while the bounds hold.
    """

    time: float
    a: int
    b: int


def earliest_intersection(bounds: SpaceTimeBounds, method: str = "fast", *, few: int = _FEW) -> EarliestIntersection:
    """Find the earliest time at which two space-time bounds intersect, and their bodies.

    Parameters
    ----------
    bounds : SpaceTimeBounds
        The bounds.
    method : {"fast", "brute-force", "projection", "subdivision"}
        "fast": neighbours first, then boxes swept up to the time that they found. "brute-force": all pairs in closed
        form. "projection": a sweep of the plane of each axis and time, with faces and planes as in the paper.
        "subdivision": bisection of space and time. All methods give the same time to rounding. Default: "fast".
    few : int
        Number of bounds up to which "subdivision" compares all pairs of a cell instead of bisecting it.

    Returns
    -------
    EarliestIntersection
        The time and the bodies, the lower first.
    """
    if not isinstance(bounds, SpaceTimeBounds):
        raise InvalidInputError(f"bounds is {validate.shown(bounds)}; expected carom.time_critical.SpaceTimeBounds")
    return EarliestSearch(len(bounds), method, few)(bounds)


class EarliestSearch(Copyable):
    """One of the methods with its working memory, for many searches among n horns each."""

    def __init__(self, n: int, method: str = "fast", few: int = _FEW) -> None:
        validate.one_of("method", method, tuple(SEARCHES))
        few = validate.whole("few", few, 2)
        self.method = method
        self._few = few
        self._n = n
        if method == "fast":
            self._rows = np.empty(n, np.int64), np.empty(n + 1, np.int64), np.empty((6, n))
        elif method == "projection":
            self._ends = np.empty(2 * n), np.empty(2 * n), np.empty(2 * n, np.int64), np.empty(2 * n + 1, np.int64)
            self._queue = tournament_arrays(2 * n, False)
            self._room = np.empty((HALF_SPACES, 5)), np.empty((HALF_SPACES, 3))
        elif method == "subdivision":
            self._cells = np.empty((MOST_CELLS + 1, 8)), np.empty((MOST_CELLS, 3), np.int64)
            self._items = np.empty(MOST_CELLS * n, np.int64)

    def __call__(self, bounds: SpaceTimeBounds) -> EarliestIntersection:
        """Search among bounds of n horns."""
        if len(bounds) != self._n:
            raise InvalidInputError(f"bounds has {len(bounds)} horns; expected {self._n}")
        if self._n < 2:
            return EarliestIntersection(math.inf, -1, -1)
        with compiling(f"the earliest intersection, {self.method}"):
            t, i, j = self.horns(bounds)
        if i < 0:
            return EarliestIntersection(math.inf, -1, -1)
        a, b = int(bounds.owners[i]), int(bounds.owners[j])
        return EarliestIntersection(bounds.start + t, min(a, b), max(a, b))

    def horns(self, bounds: SpaceTimeBounds) -> tuple[float, int, int]:
        """Seconds from the start of the bounds to the first meeting, and the rows of the two horns: the bare search."""
        if self.method == "fast":
            return by_neighbours(*bounds.table, *self._rows)
        if self.method == "brute-force":
            return brute_force(*bounds.table)
        if self.method == "projection":
            return by_projection(*bounds.table, *self._ends, *self._queue, *self._room)
        cells, slices = self._cells
        cells[0] = _whole(bounds)
        return by_subdivision(*bounds.table, self._few, cells, slices, self._items)


def _whole(bounds: SpaceTimeBounds) -> list[float]:
    """Lower x, y, z, t and upper x, y, z, t of all bounds."""
    low, high = bounds.boxes_at(bounds.start)
    end_low, end_high = bounds.boxes_at(bounds.until)
    lower = np.minimum(low.min(axis=0), end_low.min(axis=0))
    upper = np.maximum(high.max(axis=0), end_high.max(axis=0))
    return [*lower.tolist(), 0.0, *upper.tolist(), bounds.span]
