"""The chord front as a search: candidates of one interval after the other, with little memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.deform.assembly import Assembly
from carom.deform.chord_boxes import COLUMNS, SECOND_KEY, fit_boxes
from carom.deform.chord_front import EXPANDED, FOUND, KEPT, NEXT, ROOM_WANTED, TESTS, advance_front, lay_front
from carom.deform.watched_pairs import begin_to_watch, look_again

Batch = tuple[NDArray[np.int32], NDArray[np.float64], int]
"""pairs of triangles (c, 2), windows (c, 2) and how many of them count."""

_BATCH = 65_536
"""Candidates handed over at a time."""
KEYS_KEPT = 8
"""A front only grows: after this many keys it is laid anew."""


class ChordBoxes:
    """Chord boxes of all nodes of an assembly, one interval after the other.

    start: vertices (n, 4) where the first interval begins; None for those of the assembly's first key.
    """

    def __init__(self, assembly: Assembly, start: NDArray[np.float64] | None = None) -> None:
        self._assembly = assembly
        self._origin = assembly.origin if start is None else 0.5 * (start.min(axis=0) + start.max(axis=0))
        self.boxes = np.zeros((len(assembly.tree), COLUMNS), np.float32)
        self._stays: NDArray[np.float32] | None = None
        self.odd = 0
        """1 where the interval begins at the key in the second half of the columns."""
        begin = assembly.vertices(0) if start is None else start
        self._fit_into(self.boxes, begin, begin, 0)

    def stays(self, key: int) -> NDArray[np.float32]:
        """Boxes of all that nodes reach from `key` until the front is laid anew."""
        assembly = self._assembly
        if self._stays is None:
            self._stays = np.zeros_like(self.boxes)
        low, high = assembly.reach(key, min(key + KEYS_KEPT, len(assembly)))
        for half in (0, SECOND_KEY):
            self._fit_into(self._stays, low, high, half)
        return self._stays

    def enter(self, key: int, end: NDArray[np.float64]) -> None:
        """Make the boxes of the interval that begins at `key`; intervals come in order. end: vertices at its end."""
        self.odd = key % 2
        self._fit_into(self.boxes, end, end, SECOND_KEY * (1 - self.odd))

    def _fit_into(
        self, boxes: NDArray[np.float32], low: NDArray[np.float64], high: NDArray[np.float64], at: int
    ) -> None:
        tree = self._assembly.tree
        fit_boxes(tree.left, tree.right, tree.face, self._assembly.faces, low, high, self._origin, boxes, at)


class ChordFront:
    """The part of a search that begins at some of the assembly's start pairs (rows `part`)."""

    def __init__(self, assembly: Assembly, boxes: ChordBoxes, part: slice) -> None:
        self._tree = assembly.tree
        self._faces = assembly.faces
        self._boxes = boxes
        self._start = assembly.start[part]
        self._front = self._start
        self._held = len(self._front)
        self._next = np.empty_like(self._front)
        self._pairs = np.empty((_BATCH, 2), np.int32)
        self._windows = np.empty((_BATCH, 2))
        self._places = np.empty(_BATCH, np.int64)
        self._stack = np.empty((assembly.stack_size, 2), np.int32)
        self._progress = np.zeros(5, np.int64)
        self._watched = np.empty((0, 2), np.int32)
        self._directions = np.empty((0, 4), np.float32)
        self._n_watched = 0
        self._leaves = self._tree.leaves() if len(self._start) else np.empty(0, np.int64)
        self.box_tests = 0
        self.pairs_opened = 0
        self.pairs_watched = 0

    def _lay(self, stays: NDArray[np.float32] | None) -> None:
        """Begin anew with the start pairs, but for those that stay apart until the next time."""
        self._front, self._held, self._n_watched = self._start, len(self._start), 0
        if stays is not None:
            self._front = np.empty((len(self._start) + 1, 2), np.int32)
            self._held = int(lay_front(stays, self._start, self._front))

    def interval(self, key: int, end: NDArray[np.float64], stays: NDArray[np.float32] | None = None) -> Iterator[Batch]:
        """Candidates of the interval that begins at `key`, for which `boxes` were made; end (n, 4): vertices at its end.

        stays: at every KEYS_KEPT-th key, boxes of all that nodes reach until the next, if the keys ahead are known.
        `keep` may be told after each batch which of its pairs a direction parts.
        """
        if key % KEYS_KEPT == 0:
            self._lay(stays)
        tree, boxes, progress = self._tree, self._boxes, self._progress
        progress[:] = 0
        if self._n_watched:
            yield from self._lost(end)
        code = ROOM_WANTED
        while code == ROOM_WANTED:
            entry = int(progress[NEXT])
            code = advance_front(
                tree.left, tree.right, tree.face, boxes.boxes, boxes.odd,
                self._front, self._held, self._next, self._pairs, self._windows, self._places, self._stack, progress,
            )  # fmt: skip
            found = int(progress[FOUND])
            if found:
                self._batch = self._pairs, self._places
                yield self._pairs, self._windows, found
                progress[FOUND] = 0
            if code == ROOM_WANTED:
                self._make_room(int(progress[NEXT]) == entry and not found)
        self.box_tests += int(progress[TESTS])
        self.pairs_opened += int(progress[EXPANDED])
        old = self._front
        self._front, self._held = self._next, int(progress[KEPT])
        self._next = old if old is not self._start else np.empty_like(self._next)

    def _lost(self, end: NDArray[np.float64]) -> Iterator[Batch]:
        """Watched pairs that their direction does not part at the end of the interval: candidates, and in the front again."""
        n = self._n_watched
        failed = np.empty((n, 2), np.int32)
        self.pairs_watched += n
        self._n_watched = int(look_again(self._faces, end, self._watched, self._directions, n, failed))
        lost = n - self._n_watched
        if lost:
            if lost > len(self._next):
                self._next = np.empty((lost + len(self._next), 2), np.int32)
            self._next[:lost] = self._leaves[failed[:lost]]
            self._progress[KEPT] = lost
            self._batch = failed, np.arange(lost)
            yield failed, np.tile((0.0, 1.0), (lost, 1)), lost

    def keep(self, n: int, witnesses: NDArray[np.float64], end: NDArray[np.float64]) -> None:
        """Watch those of the last batch's n pairs that their witness parts at the interval's end, instead of their boxes."""
        room = self._n_watched + n
        if room > len(self._watched):
            self._watched = _with_room(self._watched, room)
            self._directions = _with_room(self._directions, room)
        pairs, places = self._batch
        self._n_watched = int(
            begin_to_watch(
                self._faces,
                end,
                pairs,
                n,
                witnesses,
                places,
                self._next,
                self._watched,
                self._directions,
                self._n_watched,
            )
        )

    def _make_room(self, stuck: bool) -> None:
        """More room for the new front where it is nearly full; for candidates where one entry alone overflows them."""
        kept = int(self._progress[KEPT])
        if stuck or 2 * kept > len(self._next):
            grown = np.empty((2 * len(self._next) + 64, 2), np.int32)
            grown[:kept] = self._next[:kept]
            self._next = grown
        if stuck:
            self._pairs = np.empty((2 * len(self._pairs), 2), np.int32)
            self._windows = np.empty((2 * len(self._windows), 2))
            self._places = np.empty(2 * len(self._places), np.int64)


def _with_room(rows: NDArray[Any], room: int) -> NDArray[Any]:
    """The same rows with room for twice `room`."""
    grown = np.empty((2 * room, rows.shape[1]), rows.dtype)
    grown[: len(rows)] = rows
    return grown
