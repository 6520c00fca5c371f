"""The chord front as a search: candidates of consecutive intervals, with little memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.deform.chord_front.chord_boxes import MOST_KEYS
from carom.deform.chord_front.descent import MOST_BELOW
from carom.deform.chord_front.front import (
    EXPANDED,
    FRONT_BLOCK,
    FRONT_DEPTH,
    FRONT_FOUND,
    FRONT_ROOM_WANTED,
    FRONT_TESTS,
    PARKED,
    advance_front,
    lay_out,
)
from carom.deform.chord_front.separating_direction_cache import begin_to_watch, look_again
from carom.deform.chord_front.window_boxes import OneInterval, WindowBoxes
from carom.deform.model.assembly import Assembly

Batch = tuple[NDArray[np.int32], NDArray[np.float64], int]
"""pairs of triangles (c, 2), windows (c, 2) and how many of them count."""

_BATCH = 65_536
"""Candidates handed over at a time."""
_GROWN = 1.6
"""A front only grows: from this many times its first size on it is laid anew."""
_BELOW_BLOCK = MOST_BELOW * FRONT_BLOCK
"""Pairs for which there is room at least."""


class ChordFront:
    """The part of a search that begins at some of the assembly's start pairs (rows `part`)."""

    def __init__(self, assembly: Assembly, window: WindowBoxes | OneInterval, part: slice) -> None:
        self._tree = assembly.tree
        self._faces = assembly.faces
        self._window = window
        self._start = assembly.start[part]
        self._pairs = np.empty((_BATCH, 2), np.int32)
        self._windows = np.empty((_BATCH, 2))
        self._places = np.empty(_BATCH, np.int64)
        self._stack = np.empty((2 * _BELOW_BLOCK, 2), np.int32)
        self._block = (
            np.empty((FRONT_BLOCK, 2), np.int32),
            np.empty((FRONT_BLOCK, 2), np.int32),
            np.empty((FRONT_BLOCK, 2)),
        )
        self._progress = np.zeros(5, np.int64)
        self._due = np.empty((MOST_KEYS, 0, 2), np.int32)
        self._counts = np.zeros(MOST_KEYS, np.int64)
        self._first_size = 0
        self._watched = np.empty((0, 2), np.int32)
        self._directions = np.empty((0, 4), np.float32)
        self._n_watched = 0
        self._interval = 0
        self._leaves = self._tree.leaves() if len(self._start) else np.empty(0, np.int64)
        self.box_tests = 0
        self.pairs_opened = 0
        self.pairs_watched = 0

    def _lay_out(self) -> None:
        """Find out when in a new window every pair is due; where the front has grown too much, begin with the start pairs."""
        window, counts = self._window, self._counts
        n, begin = int(counts[PARKED]), self._first_size == 0
        if begin or n > _GROWN * self._first_size:
            n, begin = len(self._start), True
            self._n_watched = self._first_size = 0
        counts[:PARKED] = 0
        room = n + self._n_watched + _BELOW_BLOCK
        if room > self._due.shape[1]:
            self._enlarge(2 * room)
        pairs = self._start if begin else self._due[PARKED]
        lay_out(window.boxes, len(window), pairs, n, counts, self._due)
        self.box_tests += n
        self.pairs_watched += self._n_watched
        self._n_watched = look_again(
            self._faces, window.places, window.firsts, self._leaves, window.boxes,
            self._watched, self._directions, self._n_watched, counts, self._due,
        )  # fmt: skip

    def interval(self, interval: int) -> Iterator[Batch]:
        """Candidates of an interval of the window for which boxes were made; intervals come in order.

        `keep` may be told after each batch which of its pairs a direction parts.
        """
        if interval == 0:
            self._lay_out()
        self._interval = interval
        tree, window, progress = self._tree, self._window, self._progress
        progress[:] = 0
        code = FRONT_ROOM_WANTED
        while code == FRONT_ROOM_WANTED:
            progress[FRONT_FOUND] = 0
            code = advance_front(
                tree.left, tree.right, tree.face, window.boxes, interval, len(window), self._due, self._counts,
                self._pairs, self._windows, self._places, self._stack, *self._block, progress,
            )  # fmt: skip
            found = int(progress[FRONT_FOUND])
            if found:
                yield self._pairs, self._windows, found
            if code == FRONT_ROOM_WANTED:
                self._make_room(_BELOW_BLOCK)
                if progress[FRONT_DEPTH] + _BELOW_BLOCK > len(self._stack):
                    self._stack = _with_room(self._stack, len(self._stack))
        self.box_tests += int(progress[FRONT_TESTS])
        self.pairs_opened += int(progress[EXPANDED])
        self._first_size = self._first_size or int(self._counts[interval + 1 :].sum())

    def keep(self, n: int, witnesses: NDArray[np.float64]) -> None:
        """Watch those of the last batch's n pairs that their witness parts at the interval's end, instead of their boxes."""
        room = self._n_watched + n
        if room > len(self._watched):
            self._watched = _with_room(self._watched, room)
            self._directions = _with_room(self._directions, room)
        self._make_room(n)
        window = self._window
        self._n_watched = begin_to_watch(
            self._faces, window.places, window.firsts, self._interval, self._leaves, window.boxes,
            self._pairs, n, witnesses, self._places, self._watched, self._directions, self._n_watched,
            self._counts, self._due,
        )  # fmt: skip

    def _make_room(self, n: int) -> None:
        """Room for n more pairs in every row of those that are due."""
        room = int(self._counts.max()) + n
        if room > self._due.shape[1]:
            self._enlarge(2 * room)

    def _enlarge(self, room: int) -> None:
        grown = np.empty((MOST_KEYS, room, 2), np.int32)
        for row, n in enumerate(self._counts):
            grown[row, :n] = self._due[row, :n]
        self._due = grown


def _with_room(rows: NDArray[Any], room: int) -> NDArray[Any]:
    """The same rows with room for twice `room`."""
    grown = np.empty((2 * room, rows.shape[1]), rows.dtype)
    grown[: len(rows)] = rows
    return grown
