"""When a contact is new: a pair of triangles is reported when it first touches, and again only after it was apart at a key.

Surfaces that go through each other touch feature after feature, interval after interval; users want to know when it began.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.deform.overlaps import overlapping


class Onsets:
    """Remembers, from key to key, which pairs are still in contact. The rule depends on the motion alone.

    A pair that touched within an interval goes on touching if its triangles intersect at the interval's end. Neighbours
    intersect always, so for them an interval without contact ends it.
    """

    def __init__(self, faces: NDArray[np.int32]) -> None:
        self._faces = faces
        self._touching = np.empty(0, np.int64)

    def _as_keys(self, pairs: NDArray[np.int32]) -> NDArray[np.int64]:
        return pairs[:, 0].astype(np.int64) * len(self._faces) + pairs[:, 1]

    def begin(self, pairs: NDArray[np.int32]) -> None:
        """These pairs (n, 2) intersect when the search begins."""
        self._touching = np.unique(self._as_keys(pairs))

    def new(self, pairs: NDArray[np.int32], end: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of the pairs (n, 2) that touch within an interval did not touch before? end: vertices at its end."""
        keys = self._as_keys(pairs)
        fresh = ~np.isin(keys, self._touching, kind="sort")
        again = np.union1d(self._touching, keys)
        rows = np.stack([again // len(self._faces), again % len(self._faces)], axis=1).astype(np.int32)
        a, b = self._faces[rows[:, 0]], self._faces[rows[:, 1]]
        joined = (a[:, :, None] == b[:, None, :]).any(axis=(1, 2))
        stay = np.where(joined, np.isin(again, keys, kind="sort"), overlapping(self._faces, end, rows))
        self._touching = again[stay]
        return fresh
