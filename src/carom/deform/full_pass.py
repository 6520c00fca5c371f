"""All contacts of one interval by one pass over the whole surface: the other way to fill an interval of a separation list.

At a key every flightplan changes, and a list has to make all its certificates anew; a pass by chord boxes costs a fraction of
that and finds every contact of the interval. A list is better once few flightplans change on the way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.deform.assembly import Assembly
from carom.deform.forest import Forest
from carom.deform.front_search import ChordBoxes, ChordFront
from carom.deform.mesh_tree import MeshTree
from carom.deform.neighbour_search import NeighbourSearch
from carom.deform.pair_tester import PairTester

Floats = NDArray[np.float64]
Contacts = tuple[Floats, NDArray[np.int32]]
"""fractions (n,) of the interval, and (n, 3) triangles, lower first, and feature."""


class FullPass:
    """Passes over the triangles of a forest, all of which are alive."""

    def __init__(self, forest: Forest, n_vertices: int) -> None:
        faces = np.ascontiguousarray(forest.faces)
        node = forest.node
        tree = MeshTree(*(np.ascontiguousarray(node[:, k]) for k in range(4)))
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
        self._neighbours = NeighbourSearch(self._assembly) if len(forest.neighbours) else None

    @property
    def pair_tests(self) -> int:
        """Pairs of triangles tested so far."""
        return self._tester.tested

    def contacts(self, start: Floats, finish: Floats) -> Contacts:
        """Contacts while all vertices move straight from `start` to `finish`, (n, 3), in the order of (time, triangles)."""
        begin, end = (np.column_stack([where, np.zeros(len(where))]) for where in (start, finish))
        boxes = ChordBoxes(self._assembly, begin)
        boxes.enter(0, end)
        front = ChordFront(self._assembly, boxes, slice(None))
        hits = [self._tester.run(begin, end, *batch) for batch in front.interval(0, end)]
        if self._neighbours is not None:
            hits.append(self._tester.run(begin, end, *self._neighbours.interval(begin, end), adjacent=True))
        fractions = np.concatenate([np.empty(0), *(h.fractions for h in hits)])
        rows = np.concatenate(
            [np.empty((0, 3), np.int32), *(np.column_stack([h.pairs, h.codes]).astype(np.int32) for h in hits)]
        )
        order = np.lexsort((rows[:, 1], rows[:, 0], fractions))
        return fractions[order], rows[order]
