"""Which contacts are new: a pair is reported when it begins to touch, and again only after it was apart at a key.

Surfaces that go through each other touch feature after feature, interval after interval; users want to know when it began.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import kernel
from carom.deform.model.overlaps import APART, MEET, decide_overlaps, overlap_of
from carom.deform.model.pair_set import pair_set


@kernel
def _follow(faces, vertices, touching, hits, fresh, pairs, verdicts):
    """Merge the pairs that touched before with those that touch now, both in order, into pairs (n, 2), with verdicts (n,) on
    whether they go on touching; returns n."""
    a, b = np.empty(9), np.empty(9)
    n_faces = len(faces)
    i = j = n = 0
    while i < len(touching) or j < len(hits):
        before = i < len(touching) and (j == len(hits) or touching[i] <= hits[j])
        now = j < len(hits) and (i == len(touching) or hits[j] <= touching[i])
        key = hits[j] if now else touching[i]
        if now:
            fresh[j] = not before
        one, two = key // n_faces, key % n_faces
        joined = False
        for p in range(3):
            for q in range(3):
                joined = joined or faces[one, p] == faces[two, q]
        if joined:
            verdicts[n] = MEET if now else APART
        else:
            verdicts[n] = overlap_of(faces, vertices, one, two, a, b)
        pairs[n, 0], pairs[n, 1] = one, two
        n += 1
        i += before
        j += now
    return n


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

    def touching(self) -> NDArray[np.int64]:
        """A pair_set of the pairs in contact at the last key that need not be tested in the interval that begins there.

        Neighbours are not in it: whether they go on touching is known from the test alone.
        """
        a, b = self._faces[self._touching // len(self._faces)], self._faces[self._touching % len(self._faces)]
        joined = (a[:, :, None] == b[:, None, :]).any(axis=(1, 2))
        return pair_set(self._touching[~joined])

    def new(self, pairs: NDArray[np.int32], end: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which of the pairs (n, 2) that touch within an interval did not touch before? end: vertices at its end.

        The pairs come in order, each once.
        """
        hits = self._as_keys(pairs)
        fresh = np.empty(len(hits), np.bool_)
        room = len(hits) + len(self._touching)
        merged, verdicts = np.empty((room, 2), np.int32), np.empty(room, np.int8)
        n = _follow(self._faces, end, self._touching, hits, fresh, merged, verdicts)
        merged = merged[:n]
        self._touching = self._as_keys(merged[decide_overlaps(self._faces, end, merged, verdicts[:n])])
        return fresh
