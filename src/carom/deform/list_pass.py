"""A separation list carried over one whole interval at its key: every event of its boxes in one pass, contacts sorted.

At a key all flightplans change, so every certificate is to be made anew, and nobody sees what happens between its failure and
the next key but the contacts. So pairs are opened that will overlap, in no order, and pairs dropped that are apart all the
way. The list is a list again afterwards, and its events can be taken up at any time; the queue is not needed until then.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.deform.assembly import Assembly
from carom.deform.carried_pairs import (
    FOUND,
    OPENED,
    ROOM_WANTED,
    TESTED,
    carry_pairs,
    keep_directions,
    open_waiting,
)
from carom.deform.forest import Forest
from carom.deform.front_search import ChordBoxes
from carom.deform.mesh_tree import MeshTree
from carom.deform.pair_events import ListTables
from carom.deform.pair_pool import TOP
from carom.deform.pair_tester import Hits, PairTester

Floats = NDArray[np.float64]
Contacts = tuple[Floats, NDArray[np.int32]]
"""fractions (n,) of the interval, and (n, 3) triangles, lower first, and feature."""


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
        self._boxes: ChordBoxes | None = None
        self._key = 0
        self._progress = np.zeros(4, np.int64)
        self._waiting = np.empty(0, np.int32)
        self._rows = np.empty(0, np.int32)
        self._pairs = np.empty((0, 2), np.int32)
        self._windows = np.empty((0, 2))

    @property
    def n_vertices(self) -> int:
        """Vertices whose paths it can follow."""
        return len(self._begin)

    def begin(self, start: Floats, finish: Floats) -> None:
        """All vertices move straight from `start` to `finish`, (n, 3)."""
        follows = self._boxes is not None and np.array_equal(self._end[:, :3], start)
        self._begin, self._end = self._end, self._begin
        self._end[:, :3] = finish
        if self._boxes is None or not follows:
            self._begin[:, :3] = start
            self._boxes, self._key = ChordBoxes(self._assembly, self._begin), -1
        self._key += 1
        self._boxes.enter(self._key, self._end)
        self._progress[:] = 0

    def carry(self, lists: ListTables) -> bool:
        """Bring all pairs of a list that is not linked into the interval; False: it needs more room, and is called again."""
        assert self._boxes is not None
        tree, boxes, progress = self._assembly.tree, self._boxes, self._progress
        room = len(lists.pairs.record)
        if room > len(self._rows):
            self._waiting, self._rows, self._pairs, self._windows = (
                _with_room(kept, room) for kept in (self._waiting, self._rows, self._pairs, self._windows)
            )
        candidates = self._rows, self._pairs, self._windows
        if not progress[OPENED]:
            carry_pairs(
                lists, boxes.boxes, boxes.odd, self._begin, self._end, self._waiting, candidates, progress,
                int(lists.pairs.pool[TOP]),
            )  # fmt: skip
        code = open_waiting(
            lists, tree.left, tree.right, boxes.boxes, boxes.odd, self._waiting, candidates, self._stack, progress
        )
        return bool(code != ROOM_WANTED)

    def contacts(self, lists: ListTables) -> Contacts:
        """Contacts of the interval, in the order of (time, triangles)."""
        n = int(self._progress[FOUND])
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


def _with_room(kept: NDArray[Any], room: int) -> NDArray[Any]:
    """The same rows, with room for so many."""
    grown = np.empty((room, *kept.shape[1:]), kept.dtype)
    grown[: len(kept)] = kept
    return grown
