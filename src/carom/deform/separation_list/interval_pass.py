"""A separation list carried over a whole interval: all events of its boxes in one pass, contacts sorted by time.

At a key all flightplans change, so every certificate is to be made anew, and nobody sees what happens between its failure and
the next key but the contacts. So pairs are opened that will overlap, in no order, and pairs dropped that are apart all the
way. The list is a list again afterwards, and its events can be taken up at any time; the queue is not needed until then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.deform.chord_front.chord_boxes import TWO_KEYS
from carom.deform.chord_front.interval_boxes import IntervalBoxes
from carom.deform.model.assembly import Assembly
from carom.deform.model.forest import Forest
from carom.deform.model.mesh_tree import MeshTree
from carom.deform.model.vertex_envelope import Course
from carom.deform.separation_list.list_key_transition import (
    ACTIVE,
    OPENED,
    TESTED,
    TRANSITION_FOUND,
    TRANSITION_ROOM_WANTED,
    WAITING_PAIRS,
    carry_pairs,
    keep_directions,
    list_active,
    open_waiting,
)
from carom.deform.separation_list.pair_events import N_NEIGHBOURS, ListTables
from carom.deform.separation_list.pair_pool import TOP
from carom.deform.triangles.pair_tester import Hits, PairTester

Floats = NDArray[np.float64]
Contacts = tuple[Floats, NDArray[np.int32]]
"""fractions (n,) of the interval, and (n, 3) triangles, lower first, and feature."""
LookAhead = Callable[[], tuple[Course, int]]
"""How all vertices move over some intervals from the current one on, and how many these are."""

_NO_BOXES = np.empty((0, TWO_KEYS), np.float32)
_UNKNOWN = -1
"""Number of active pairs before they are listed."""
_IN_ORDER = 3
"""Intervals after which pairs are listed anew, in the order in which they lie in memory, where all of them are active."""
_WORTH_IT = 0.5
"""Share of active pairs below which looking ahead pays."""


class ListPass:
    """Passes of a list over the triangles of a forest, all of which are alive."""

    def __init__(self, forest: Forest, n_vertices: int) -> None:
        faces = np.ascontiguousarray(forest.faces)
        tree = MeshTree(*(np.ascontiguousarray(forest.node[:, k]) for k in range(4)))
        self._assembly = Assembly(
            (),
            faces,
            np.array([0, len(faces)]),
            np.array([0, n_vertices]),
            np.array([0.0, 1.0]),
            tree,
            forest.start,
            forest.neighbours.astype(np.int32),
        )
        self._tester = PairTester(faces)
        self._neighbours, self._live = forest.neighbour_search, forest.live.astype(np.int32)
        self._stack = np.empty(forest.stack, np.int32)
        self._begin, self._end = np.zeros((2, n_vertices, 4))
        self._boxes: IntervalBoxes | None = None
        self._key = 0
        self._far = _NO_BOXES
        self._ahead = 0
        self._pays = True
        self._progress = np.zeros(5, np.int64)
        self._listed = np.zeros(0, np.uint8)
        self._active = np.empty(0, np.int32)
        self._waiting = np.empty(0, np.int32)
        self._rows = np.empty(0, np.int32)
        self._pairs = np.empty((0, 2), np.int32)
        self._windows = np.empty((0, 2))

    @property
    def n_vertices(self) -> int:
        """Vertices whose paths it can follow."""
        return len(self._begin)

    def forget(self) -> None:
        """The list was changed by others: what was found out about the keys ahead counts no longer."""
        self._ahead = 0

    def begin(self, start: Floats, finish: Floats, look: LookAhead | None) -> None:
        """All vertices move straight from `start` to `finish`, (n, 3); look: None where nothing is known beyond."""
        follows = self._boxes is not None and np.array_equal(self._end[:, :3], start)
        self._begin, self._end = self._end, self._begin
        self._end[:, :3] = finish
        if self._boxes is None or not follows:
            self._begin[:, :3] = start
            self._boxes, self._key = IntervalBoxes(self._assembly, self._begin), -1
            self.forget()
        self._key += 1
        self._boxes.enter(self._key, self._end)
        self._ahead -= 1
        self._progress[:ACTIVE] = 0
        if self._ahead < 1:
            self._far, self._ahead = _NO_BOXES, _IN_ORDER
            self._progress[ACTIVE] = _UNKNOWN
            if look is not None and self._pays:
                course, self._ahead = look()
                self._far = self._boxes.far_boxes(course)

    def carry(self, lists: ListTables) -> bool:
        """Bring all pairs of a list that is not linked into the interval; False: it needs more room, and is called again."""
        assert self._boxes is not None
        tree, boxes, progress = self._assembly.tree, self._boxes, self._progress
        room = len(lists.pairs.record)
        if room > len(self._rows):
            found = int(progress[TRANSITION_FOUND])
            self._active = _with_room(self._active, max(int(progress[ACTIVE]), 0), room)
            self._waiting = _with_room(self._waiting, int(progress[WAITING_PAIRS]), room)
            self._rows = _with_room(self._rows, found, room)
            self._pairs = _with_room(self._pairs, found, room)
            self._windows = _with_room(self._windows, found, room)
            self._listed = np.append(self._listed, np.zeros(room - len(self._listed), np.uint8))
        candidates = self._rows, self._pairs, self._windows
        if not progress[OPENED]:
            if progress[ACTIVE] == _UNKNOWN:
                list_active(lists, self._far, self._listed, self._active, progress)
                listed = int(lists.pairs.pool[TOP] - lists.rules[N_NEIGHBOURS])
                self._pays = not len(self._far) or progress[ACTIVE] < _WORTH_IT * listed
            carry_pairs(
                lists, boxes.boxes, boxes.odd, self._begin, self._end, self._listed, self._active, self._waiting,
                candidates, progress,
            )  # fmt: skip
        code = open_waiting(
            lists, tree.left, tree.right, boxes.boxes, boxes.odd, self._far, self._listed, self._active, self._waiting,
            candidates, self._stack, progress,
        )  # fmt: skip
        return bool(code != TRANSITION_ROOM_WANTED)

    def contacts(self, lists: ListTables) -> Contacts:
        """Contacts of the interval, in the order of (time, triangles)."""
        n = int(self._progress[TRANSITION_FOUND])
        hits = [self._tester.run(self._begin, self._end, self._pairs, self._windows, n)]
        keep_directions(lists.pairs.direction, self._rows, self._tester.witnesses, n)
        if self._neighbours is not None:
            pairs, windows, n = self._neighbours.interval(self._begin, self._end)
            hits.append(self._tester.run(self._begin, self._end, self._live[pairs[:n]], windows, n, adjacent=True))
        return _in_order(hits)

    @property
    def pair_tests(self) -> int:
        """Pairs of triangles looked at in this interval."""
        return int(self._progress[TESTED])


def _in_order(hits: list[Hits]) -> Contacts:
    fractions = np.concatenate([h.fractions for h in hits])
    rows = np.concatenate([np.column_stack([h.pairs, h.codes]).astype(np.int32) for h in hits])
    order = np.lexsort((rows[:, 1], rows[:, 0], fractions))
    return fractions[order], rows[order]


def _with_room(rows: NDArray[Any], used: int, room: int) -> NDArray[Any]:
    """The same first `used` rows, with room for more."""
    grown = np.empty((room, *rows.shape[1:]), rows.dtype)
    grown[:used] = rows[:used]
    return grown
