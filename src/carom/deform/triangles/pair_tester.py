"""Driver of the tests of pairs of triangles: first the filter, then exact arithmetic for undecided pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom.deform.model.pair_set import NO_PAIR
from carom.deform.triangles.features import FEATURES, feature_points
from carom.deform.triangles.lanes.coplanarity import CUBIC_ROWS, LANES
from carom.deform.triangles.lanes.window_pairs import DIRECTIONS
from carom.deform.triangles.triangle_pairs import (
    LEAVES_FILTERED,
    LEAVES_NEXT,
    LEAVES_UNDECIDED,
    PARTED,
    QUANTUM,
    test_pairs,
)
from carom.narrow.features import FILTER_WORK, decide_features

_NOBODY = np.full(1, NO_PAIR, np.int64)

_ROOM = 4096
"""Features that wait for exact arithmetic before it runs."""


@dataclass(frozen=True, eq=False)
class Hits:
    """Contacts of one interval: pairs (n, 2) triangles, lower first; fractions (n,) of the interval; codes (n,) features."""

    pairs: NDArray[np.int32]
    fractions: NDArray[np.float64]
    codes: NDArray[np.int64]


NO_HITS = Hits(np.empty((0, 2), np.int32), np.empty(0), np.empty(0, np.int64))


class PairTester:
    """First contacts of pairs of triangles over one interval after the other. One for each thread."""

    def __init__(self, faces: NDArray[np.int32]) -> None:
        self._faces = faces
        self._progress = np.zeros(4, np.int64)
        self._undecided = np.empty((_ROOM + FEATURES, 2), np.int64)
        self._times = np.empty(0)
        self._codes = np.empty(0, np.int64)
        self.witnesses = np.empty((0, 3))
        """Directions (n, 3) that part the pairs of the last run over their windows; 0 for those without one."""
        self._scratch = (
            np.empty(6, np.int64),
            np.empty((12, 4)),
            np.empty(4),
            np.empty((3, DIRECTIONS)),
            np.empty((CUBIC_ROWS, LANES)),
            np.empty((8, 3)),
            np.empty(FILTER_WORK),
        )
        self.tested = 0
        self.parted = 0
        self.filtered = 0
        self.exact = 0

    def run(
        self,
        start: NDArray[np.float64],
        end: NDArray[np.float64],
        pairs: NDArray[np.int32],
        windows: NDArray[np.float64],
        n: int,
        *,
        adjacent: bool = False,
        settled: NDArray[np.int64] = _NOBODY,
    ) -> Hits:
        """First contacts of pairs[: n] within windows[: n]; start, end (v, 4) vertices at both ends of the interval.

        settled: a pair_set of pairs that are not asked about; they count as clear.
        """
        if not n:
            return NO_HITS
        if len(self._times) < n:
            self._times = np.empty(2 * n)
            self._codes = np.empty(2 * n, np.int64)
            self.witnesses = np.empty((2 * n, 3))
        progress = self._progress
        progress[:] = 0
        times, codes = self._times, self._codes
        while progress[LEAVES_NEXT] < n:
            test_pairs(
                self._faces,
                start,
                end,
                pairs,
                windows,
                n,
                adjacent,
                settled,
                times,
                codes,
                self.witnesses,
                self._undecided,
                progress,
                *self._scratch,
            )
            if progress[LEAVES_UNDECIDED]:
                self._decide(start, end, pairs, times, codes)
        self.tested += n
        self.parted += int(progress[PARTED])
        self.filtered += int(progress[LEAVES_FILTERED])
        rows = np.flatnonzero(times[:n] <= 1.0)
        return Hits(pairs[rows], times[rows], codes[rows]) if len(rows) else NO_HITS

    def _decide(
        self,
        start: NDArray[np.float64],
        end: NDArray[np.float64],
        pairs: NDArray[np.int32],
        times: NDArray[np.float64],
        codes: NDArray[np.int64],
    ) -> None:
        """Settle the listed features; a pair keeps the earliest (time, code)."""
        count = int(self._progress[LEAVES_UNDECIDED])
        rows, listed = self._undecided[:count, 0], self._undecided[:count, 1]
        points, edges = feature_points(self._faces, start, end, pairs[rows], listed)
        found = np.floor(decide_features(points, edges, tight=True) / QUANTUM) * QUANTUM
        for k in np.lexsort((-listed, -found)).tolist() if count > 1 else [0]:
            row = rows[k]
            if (found[k], listed[k]) < (times[row], codes[row]):
                times[row], codes[row] = found[k], listed[k]
        self.exact += count
        self._progress[LEAVES_UNDECIDED] = 0
