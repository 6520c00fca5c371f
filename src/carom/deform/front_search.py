"""The chord front as a search: candidates of one interval after the other, with little memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from carom.deform.assembly import Assembly
from carom.deform.chord_boxes import COLUMNS, SECOND_KEY, fit_boxes
from carom.deform.chord_front import EXPANDED, FOUND, KEPT, NEXT, ROOM_WANTED, TESTS, advance_front

Batch = tuple[NDArray[np.int32], NDArray[np.float64], int]
"""pairs of triangles (c, 2), windows (c, 2) and how many of them count."""

_BATCH = 65_536
"""Candidates handed over at a time."""
_KEYS_KEPT = 8
"""A front only grows: after this many keys it is laid anew."""


class ChordBoxes:
    """Chord boxes of all nodes of an assembly, one interval after the other.

    start: vertices (n, 4) where the first interval begins; None for those of the assembly's first key.
    """

    def __init__(self, assembly: Assembly, start: NDArray[np.float64] | None = None) -> None:
        self._assembly = assembly
        self._origin = assembly.origin if start is None else 0.5 * (start.min(axis=0) + start.max(axis=0))[:3]
        self.boxes = np.zeros((len(assembly.tree), COLUMNS), np.float32)
        self.odd = 0
        """1 where the interval begins at the key in the second half of the columns."""
        self._fit(assembly.vertices(0) if start is None else start, 0)

    def enter(self, key: int, end: NDArray[np.float64]) -> None:
        """Make the boxes of the interval that begins at `key`; intervals come in order. end: vertices at its end."""
        self.odd = key % 2
        self._fit(end, SECOND_KEY * (1 - self.odd))

    def _fit(self, vertices: NDArray[np.float64], at: int) -> None:
        tree = self._assembly.tree
        fit_boxes(tree.left, tree.right, tree.face, self._assembly.faces, vertices, self._origin, self.boxes, at)


class ChordFront:
    """The part of a search that begins at some of the assembly's start pairs (rows `part`)."""

    def __init__(self, assembly: Assembly, boxes: ChordBoxes, part: slice) -> None:
        self._tree = assembly.tree
        self._boxes = boxes
        self._start = assembly.start[part]
        self._front = self._start
        self._held = len(self._front)
        self._next = np.empty_like(self._front)
        self._pairs = np.empty((_BATCH, 2), np.int32)
        self._windows = np.empty((_BATCH, 2))
        self._stack = np.empty((assembly.stack_size, 2), np.int32)
        self._progress = np.zeros(5, np.int64)
        self.box_tests = 0
        self.pairs_opened = 0

    def interval(self, key: int) -> Iterator[Batch]:
        """Candidates of the interval that begins at `key`, for which `boxes` were made."""
        if key % _KEYS_KEPT == 0:
            self._front, self._held = self._start, len(self._start)
        tree, boxes, progress = self._tree, self._boxes, self._progress
        progress[:] = 0
        code = ROOM_WANTED
        while code == ROOM_WANTED:
            entry = int(progress[NEXT])
            code = advance_front(
                tree.left, tree.right, tree.face, boxes.boxes, boxes.odd,
                self._front, self._held, self._next, self._pairs, self._windows, self._stack, progress,
            )  # fmt: skip
            found = int(progress[FOUND])
            if found:
                yield self._pairs, self._windows, found
                progress[FOUND] = 0
            if code == ROOM_WANTED:
                self._make_room(int(progress[NEXT]) == entry and not found)
        self.box_tests += int(progress[TESTS])
        self.pairs_opened += int(progress[EXPANDED])
        old = self._front
        self._front, self._held = self._next, int(progress[KEPT])
        self._next = old if old is not self._start else np.empty_like(self._next)

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
