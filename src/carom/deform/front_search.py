"""The chord front as a search: candidates of one interval after the other, with little memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.deform.assembly import Assembly
from carom.deform.chord_boxes import COLUMNS, SECOND_KEY, fit_boxes
from carom.deform.chord_front import (
    EXPANDED,
    FOUND,
    KEPT,
    NEXT,
    PARKED,
    ROOM_WANTED,
    TESTS,
    advance_front,
    look_far,
)
from carom.deform.course import Course
from carom.deform.watched_pairs import begin_to_watch, look_again, park_watched

Batch = tuple[NDArray[np.int32], NDArray[np.float64], int]
"""pairs of triangles (c, 2), windows (c, 2) and how many of them count."""

_BATCH = 65_536
"""Candidates handed over at a time."""
KEYS_AHEAD = 6
"""Keys over which boxes tell what need not be looked at; without such boxes the front is laid anew every so many keys."""
_GROWN = 1.6
"""A front only grows: from this many times its first size on it is laid anew."""


_NO_PAIRS = np.empty((0, 2), np.int32)
_NO_BOXES = np.empty((0, COLUMNS), np.float32)


class ChordBoxes:
    """Chord boxes of all nodes of an assembly, one interval after the other.

    start: vertices (n, 4) where the first interval begins; None for those of the assembly's first key.
    """

    def __init__(self, assembly: Assembly, start: NDArray[np.float64] | None = None) -> None:
        self._assembly = assembly
        self._origin = assembly.origin if start is None else 0.5 * (start.min(axis=0) + start.max(axis=0))
        self.boxes = np.zeros((len(assembly.tree), COLUMNS), np.float32)
        self._far: NDArray[np.float32] | None = None
        self.odd = 0
        """1 where the interval begins at the key in the second half of the columns."""
        begin = assembly.vertices(0) if start is None else start
        self._fit_into(self.boxes, begin, begin, 0)

    def far_boxes(self, course: Course) -> NDArray[np.float32]:
        """Chord boxes over several keys at once; good until they are asked for again."""
        if self._far is None:
            self._far = np.zeros_like(self.boxes)
        self._fit_into(self._far, course.start_low, course.start_high, 0)
        self._fit_into(self._far, course.end_low, course.end_high, SECOND_KEY)
        return self._far

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
        self._progress = np.zeros(6, np.int64)
        self._watched = np.empty((0, 2), np.int32)
        self._directions = np.empty((0, 4), np.float32)
        self._n_watched = 0
        self._failed = _NO_PAIRS
        self._whole = np.empty((0, 2))
        self._far = _NO_BOXES
        self._parked = _NO_PAIRS
        self._n_parked = 0
        self._first_size = 0
        self._leaves = self._tree.leaves() if len(self._start) else np.empty(0, np.int64)
        self.box_tests = 0
        self.pairs_opened = 0
        self.pairs_watched = 0

    def _look_far(self, far: NDArray[np.float32] | None) -> None:
        """Park what is apart over the keys ahead; where the front has grown too much, begin anew with the start pairs."""
        laid_ahead = len(self._far) > 0
        self._far = _NO_BOXES if far is None else far
        size = self._held + self._n_parked
        if far is None or not laid_ahead or size > _GROWN * self._first_size:
            self._front, self._held, self._n_watched = self._start, len(self._start), 0
            self._n_parked = self._first_size = 0
        if far is None:
            return
        room = self._held + self._n_parked + self._n_watched + 1
        if room > len(self._parked):
            self._parked = _with_room(self._parked, room)
        front = self._next if len(self._next) >= room else np.empty((2 * room, 2), np.int32)
        held, n_parked = look_far(far, self._parked, self._n_parked, front, 0, self._parked, 0)
        held, n_parked = look_far(far, self._front, self._held, front, held, self._parked, n_parked)
        self._n_watched, self._n_parked = park_watched(
            far, self._leaves, self._watched, self._directions, self._n_watched, self._parked, n_parked
        )
        self._next = self._front if self._front is not self._start else np.empty_like(front)
        self._front, self._held = front, held

    def interval(self, key: int, end: NDArray[np.float64], far: NDArray[np.float32] | None = None) -> Iterator[Batch]:
        """Candidates of the interval that begins at `key`, for which `boxes` were made; end (n, 4): vertices at its end.

        far: at every KEYS_AHEAD-th key, boxes over all keys until the next such one, if the keys ahead are known.
        `keep` may be told after each batch which of its pairs a direction parts.
        """
        if key % KEYS_AHEAD == 0:
            self._look_far(far)
        tree, boxes, progress = self._tree, self._boxes, self._progress
        progress[:] = 0
        progress[PARKED] = self._n_parked
        if self._n_watched:
            yield from self._lost(end)
        code = ROOM_WANTED
        while code == ROOM_WANTED:
            entry = int(progress[NEXT])
            code = advance_front(
                tree.left, tree.right, tree.face, boxes.boxes, self._far, boxes.odd,
                self._front, self._held, self._next, self._parked, self._pairs, self._windows, self._places, self._stack,
                progress,
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
        self._n_parked = int(progress[PARKED])
        self._first_size = self._first_size or self._held + self._n_parked

    def _lost(self, end: NDArray[np.float64]) -> Iterator[Batch]:
        """Watched pairs that their direction does not part at the end of the interval: candidates, and in the front again."""
        n = self._n_watched
        if n > len(self._failed):
            self._failed = np.empty((2 * n, 2), np.int32)
        failed = self._failed
        self.pairs_watched += n
        self._n_watched = int(look_again(self._faces, end, self._watched, self._directions, n, failed))
        lost = n - self._n_watched
        if lost:
            if lost > len(self._next):
                self._next = np.empty((lost + len(self._next), 2), np.int32)
            self._next[:lost] = self._leaves[failed[:lost]]
            self._progress[KEPT] = lost
            self._batch = failed, np.arange(lost)
            if lost > len(self._whole):
                self._whole = np.tile((0.0, 1.0), (2 * lost, 1))
            yield failed, self._whole, lost

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
        """More room for the new front and what is parked where they are nearly full; for candidates where one entry alone
        overflows them."""
        kept = int(self._progress[KEPT])
        if stuck or 2 * kept > len(self._next):
            grown = np.empty((2 * len(self._next) + 64, 2), np.int32)
            grown[:kept] = self._next[:kept]
            self._next = grown
        if stuck or 2 * int(self._progress[PARKED]) > len(self._parked):
            self._parked = _with_room(self._parked, len(self._parked) + 64)
        if stuck:
            self._pairs = np.empty((2 * len(self._pairs), 2), np.int32)
            self._windows = np.empty((2 * len(self._windows), 2))
            self._places = np.empty(2 * len(self._places), np.int64)


def _with_room(rows: NDArray[Any], room: int) -> NDArray[Any]:
    """The same rows with room for twice `room`."""
    grown = np.empty((2 * room, rows.shape[1]), rows.dtype)
    grown[: len(rows)] = rows
    return grown
