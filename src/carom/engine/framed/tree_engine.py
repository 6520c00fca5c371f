"""A dynamic tree of fat boxes as the structure of a framed engine.

A leaf is the swept box of a body with a margin. It is moved when the swept box leaves it; a pair begins when two leaves come
to overlap and ends when they part.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from carom._compile.jit import inner_kernel
from carom.engine.addresses import bodies_at, pairs_at, run_at, unpacker
from carom.engine.audit import present_rows
from carom.engine.contract import BroadPhase
from carom.engine.framed.aabb_tree import (
    LEFT,
    LINK_COLUMNS,
    ROOT,
    Tree,
    add_leaf,
    boxes_overlap,
    count_leaves,
    drop_leaf,
    empty_tree,
    following,
)
from carom.engine.framed.fat_leaves import fatten, read_box, still_fits, time_inside
from carom.engine.framed.loop import (
    MOVED,
    N_WIDE,
    STRUCTURE,
    FramedEngine,
    join_wide,
    leave_wide,
    places_at,
    report_apart,
    report_met,
    task_address,
)
from carom.engine.tables import Tables
from carom.errors import AuditError
from carom.tables.arrays import Bytes, DoubleRows
from carom.tables.body_columns import HEAD, NO_ID
from carom.tables.run_columns import DONE, FRAME_END, FRAME_LENGTH, NOW, SORTING, STATE_OVERLAP

# kind values
_ABSENT = 0
_LEAF = 1
_ENDLESS = 2
"""An infinite box: not in the tree but in the list of wide bodies, and compared with every other."""


class Leaves(NamedTuple):
    """What the tree holds of each body, and scratch for the one that moves."""

    kind: Bytes
    """int8 (capacity,): _ABSENT, _LEAF or _ENDLESS"""
    ends: DoubleRows
    """float64 (2a, 3): scratch: position, speed and half the acceleration of every end of the body"""
    boxes: DoubleRows
    """float64 (2, 6): scratch: its new box and its new leaf"""


_tree_at = unpacker(Tree, STRUCTURE)
_leaves_at = unpacker(Leaves, STRUCTURE + len(Tree._fields))


@inner_kernel
def _meet(box, kind, fat, places, row, other):
    """Report `other` if the new box of `row` overlaps its leaf and the old one did not."""
    if boxes_overlap(fat, box[2 * other]) and not (
        kind[row] != _ABSENT and boxes_overlap(box[2 * row], box[2 * other])
    ):
        report_met(places, other)


@inner_kernel
def _meet_all(tree, kind, fat, places, row, new_kind):
    """Report whom `row` meets in its new box."""
    box = tree.box
    if new_kind == _ENDLESS or kind[row] == _ENDLESS:
        for other in range(kind.shape[0]):
            if other != row and kind[other] != _ABSENT:
                _meet(box, kind, fat, places, row, other)
        return
    for k in range(places.control[N_WIDE]):
        _meet(box, kind, fat, places, row, np.int64(places.wide[k]))
    node = np.int64(tree.tally[ROOT])
    while node != NO_ID:
        if boxes_overlap(box[node], fat):
            if node & 1:
                node = np.int64(tree.link[node, LEFT])
                continue
            if node != 2 * row:
                _meet(box, kind, fat, places, row, node >> 1)
        node = following(tree, node)


@inner_kernel
def _part(bodies, pairs, box, fat, places, row):
    """Report those pairs of `row` whose boxes have parted."""
    node = bodies.link[row, HEAD]
    while node != NO_ID:
        slot = np.int64(node) >> 1
        if pairs.state[slot] & STATE_OVERLAP and not boxes_overlap(fat, box[2 * np.int64(pairs.node[node ^ 1, 0])]):
            report_apart(places, slot)
        node = pairs.node[node, 1]


@inner_kernel
def _take_out(tree, kind, places, row):
    """Take the body out of the tree or of the wide list; returns the inner node that its leaf hung below, if any."""
    near = NO_ID
    if kind[row] == _LEAF:
        near = drop_leaf(tree, 2 * row)
    elif kind[row] == _ENDLESS:
        leave_wide(places, row)
    kind[row] = _ABSENT
    return near


@inner_kernel
def _move(table, row):
    """Give `row` a box that contains what it sweeps from now to the end of the frame."""
    bodies, run = bodies_at(table), run_at(table)
    places, tree, leaves = places_at(table), _tree_at(table), _leaves_at(table)
    kind, ends = leaves.kind, leaves.ends
    now = run.param[NOW]
    end = max(now, run.param[FRAME_END])
    swept, fat = leaves.boxes[0], leaves.boxes[1]
    leaf = 2 * row
    new_kind = _LEAF if read_box(bodies, row, now, end, ends, swept) else _ENDLESS
    fatten(ends, swept, fat)
    if kind[row] != new_kind or not still_fits(tree.box[leaf], swept, fat):
        _meet_all(tree, kind, fat, places, row, new_kind)
        _part(bodies, pairs_at(table), tree.box, fat, places, row)
        near = _take_out(tree, kind, places, row)
        for d in range(6):
            tree.box[leaf, d] = fat[d]
        if new_kind == _LEAF:
            add_leaf(tree, leaf, near)
        else:
            join_wide(places, row)
        kind[row] = new_kind
        places.control[MOVED] = row
    places.stay[row] = max(end, now + time_inside(ends, tree.box[leaf], run.param[FRAME_LENGTH]))
    return DONE


@inner_kernel
def _leave(table, row):
    _take_out(_tree_at(table), _leaves_at(table).kind, places_at(table), row)


@functools.cache
def _tree_move_address() -> int:
    """Address of the C function that carom.engine.framed.loop.MOVE_ADDRESS asks for. Compiles on first use."""
    return task_address(_move, _leave)


class TreeEngine(FramedEngine):
    """Bodies in the leaves of a dynamic tree of boxes."""

    def __init__(self, tables: Tables, method: str) -> None:
        super().__init__(tables, method)
        self.tree = empty_tree(0)
        self.kind = np.zeros(0, np.int8)
        self._ends = np.zeros((2 * self._n_axes, 3))
        self._boxes = np.zeros((2, 6))

    def _move_address(self) -> int:
        return _tree_move_address()

    def _structure(self) -> tuple[Tree, Leaves]:
        return self.tree, Leaves(self.kind, self._ends, self._boxes)

    def _resize_structure(self, capacity: int) -> None:
        grown = capacity - len(self.kind)
        self.kind = np.concatenate((self.kind, np.zeros(grown, np.int8)))
        box = np.concatenate((self.tree.box, np.zeros((2 * grown, 6))))
        link = np.concatenate((self.tree.link, np.full((2 * grown, LINK_COLUMNS), NO_ID, np.int32)))
        self.tree = Tree(box, link, self.tree.tally)

    def check(self, tolerance: float) -> None:
        """Prove that boxes contain what is below them, leaves their bodies, and that the pairs are those that overlap."""
        if self.count[SORTING]:
            return
        super().check(tolerance)
        rows = present_rows(self.tables)
        if count_leaves(self.tree, len(self.kind)) != np.count_nonzero(self.kind == _LEAF):
            raise AuditError("the tree has lost a leaf, or a box does not contain its children")
        wide = np.sort(self.wide[: int(self.control[N_WIDE])])
        if not np.array_equal(wide, np.flatnonzero(self.kind == _ENDLESS)) or not self.kind[rows].all():
            raise AuditError("a body is neither in the tree nor in the list of wide bodies")
        now = float(self.param[NOW])
        low, high = self.swept(rows, now, max(now, float(self.param[FRAME_END])))
        box = self.tree.box[::2]
        a = self._n_axes
        slack = tolerance * (1.0 + np.abs(np.nan_to_num(high, posinf=0.0, neginf=0.0)))
        outside = (low < box[rows, :a] - slack).any(axis=1) | (high > box[rows, 3 : 3 + a] + slack).any(axis=1)
        if outside.any():
            raise AuditError(f"the swept box of row {rows[outside][0]} sticks out of its leaf")
        slots, first, second = self.pair_rows()
        overlap = (self.state[slots] & STATE_OVERLAP) != 0
        first, second = first[overlap], second[overlap]
        apart = (box[first, :3] > box[second, 3:]).any(axis=1) | (box[second, :3] > box[first, 3:]).any(axis=1)
        if apart.any():
            raise AuditError(f"rows {first[apart][0]} and {second[apart][0]} are an active pair but not close")


AABB_TREE = BroadPhase(
    "aabb-tree",
    "the dynamic tree over boxes swept per frame",
    lambda tables, settings: TreeEngine(tables, settings.queue),
)
