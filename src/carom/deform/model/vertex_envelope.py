"""Bounds of vertices over several keys: the line from the first key to the last, and the largest deviation from it.

Between keys vertices move linearly in time, so that none is ever farther from the straight way than at one of the keys. What
holds for every place within that reach, all the way, holds for the keys between, and need not be looked at there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import lean_kernel
from carom.deform.model.assembly import Assembly

Floats = NDArray[np.float64]

_ROUNDING = 16.0 * 2.0**-53
"""Times the largest coordinate: a share, two products, a sum and a difference, and the sums that `low` and `high` are."""


class Course(NamedTuple):
    """Between which places the straight ways of all vertices lie that hold their true ones: (n, 4) each, x, y, z and 0."""

    start_low: Floats
    start_high: Floats
    end_low: Floats
    end_high: Floats


@lean_kernel
def _bend_into(start, end, share, there, under, over):
    """Widen `under` and `over` by where the vertices are at a share of the way, there (n, 4)."""
    rest = 1.0 - share
    for v in range(len(start)):
        for d in range(3):
            off = there[v, d] - (rest * start[v, d] + share * end[v, d])
            over[v, d] = max(over[v, d], off)
            under[v, d] = max(under[v, d], -off)


@lean_kernel
def _widen_into(start, end, under, over, slack, course):
    """The places of a Course from both ends of the ways and how far these are left, and `slack`."""
    for v in range(len(start)):
        for d in range(3):
            below, above = under[v, d] + slack, over[v, d] + slack
            course.start_low[v, d] = start[v, d] - below
            course.start_high[v, d] = start[v, d] + above
            course.end_low[v, d] = end[v, d] - below
            course.end_high[v, d] = end[v, d] + above


class Keys:
    """Vertices (n, 4) of an assembly at some keys in a row, each read once; keys come in order.

    ahead: keys that are known at once at most.
    """

    def __init__(self, assembly: Assembly, ahead: int) -> None:
        self._assembly = assembly
        n_vertices = int(assembly.first_vertex[-1])
        self.places = np.zeros(((min(ahead, len(assembly)) + 1) * n_vertices, 4))
        """Rows of all keys that are known, in no order; see `rows`."""
        self._rows = np.arange(0, len(self.places), n_vertices)
        self._cut()
        assembly.vertices(0, into=self._slots[0])
        self._first = 0
        self._known = 1
        self._course: Course | None = None
        self._bends = np.empty((2, 0, 4))

    def _cut(self) -> None:
        """Cut `places` into the vertices of single keys, views of it."""
        n_vertices = int(self._assembly.first_vertex[-1])
        self._slots = [self.places[row : row + n_vertices] for row in self._rows.tolist()]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_slots"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._cut()

    def __getitem__(self, key: int) -> Floats:
        """Vertices at a key, from the last one that was looked ahead from on."""
        self._read_up_to(key)
        return self._slots[key - self._first]

    def _read_up_to(self, key: int) -> None:
        while self._known <= key - self._first:
            self._assembly.vertices(self._first + self._known, into=self._slots[self._known])
            self._known += 1

    def begin_at(self, key: int) -> None:
        """Forget what was before `key`."""
        past = key - self._first
        self._slots = self._slots[past:] + self._slots[:past]
        self._rows = np.roll(self._rows, -past)
        self._first, self._known = key, max(self._known - past, 0)

    def rows(self, last: int) -> NDArray[np.int64]:
        """First rows in `places` of the keys from the first that is known to key `last`; good until some are forgotten."""
        self._read_up_to(last)
        return self._rows[: last - self._first + 1]

    def course(self, last: int) -> Course:
        """How all vertices move from the first key that is known to key `last`; good until asked for again."""
        start, end, times = self[self._first], self[last], self._assembly.times
        slack = _ROUNDING * max(max(float(places.max()), -float(places.min())) for places in (start, end))
        if self._course is None:
            self._course = Course(*(np.zeros_like(start) for _ in range(4)))
            self._bends = np.empty((2, *start.shape))
        under, over = self._bends
        self._bends.fill(0.0)
        for key in range(self._first + 1, last):
            share = (times[key] - times[self._first]) / (times[last] - times[self._first])
            _bend_into(start, end, share, self[key], under, over)
        _widen_into(start, end, under, over, 2.0 * slack, self._course)
        return self._course
