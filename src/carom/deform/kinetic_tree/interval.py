"""A kinetic AABB tree within one interval between keys: its tables, their growth, its boxes and its events."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling
from carom.deform.kinetic_tree.audit import audit_tree
from carom.deform.kinetic_tree.edits import bottom_up, insert_leaf, remove_leaf
from carom.deform.kinetic_tree.events import CERTIFICATES, change_tree, fit_tree, run_tree
from carom.deform.kinetic_tree.faces import TREE_FACE, TREE_FACES, TREE_LEFT, TREE_PARENT, QueueTables, tree_tables
from carom.deform.kinetic_tree.future_certificates import (
    NOT_AHEAD,
    LookAhead,
    copy_paths,
    leave_keys,
    look_ahead,
    with_slots,
    with_vertices,
)
from carom.deform.model.mesh_tree import build_tree
from carom.motion.deforming import Deforming
from carom.queues import EventQueue

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_ALL = 2**62
"""As many events as there are."""


class TreeInterval:
    """A tree over faces (m, 3), all of whose vertices keep their flightplans for `length` seconds.

    Times `s` are seconds since the interval began. `ahead` is None unless the tree searches ahead, through the keys of the
    motion that it was made with.
    """

    def __init__(
        self,
        faces: NDArray[np.int32],
        positions: Floats,
        velocities: Floats,
        curve: Floats | None,
        length: float,
        motion: Deforming | None,
        queue: str,
    ) -> None:
        shape = build_tree(positions[faces].mean(axis=1))
        node = np.stack([shape.left, shape.right, shape.parent, shape.face], axis=1)
        self.queue = EventQueue(TREE_FACES * len(node), queue)
        self.tables = tree_tables(node, faces, len(positions), curve is not None)
        self.root = 0
        self.alive = np.ones(len(faces), bool)
        self.counts = np.zeros(3, np.int64)
        self.s = 0.0
        self.length = length
        self.ahead: LookAhead | None = None if motion is None else look_ahead(motion, TREE_FACES * len(node))
        self._spare: list[int] = []
        self._order: Rows | None = None
        self._copied = True  # do the boxes have the paths of the current interval?
        self.tables.flight[:, :3] = positions
        self.tables.flight[:, 3:] = velocities
        if curve is not None:
            self.tables.curve[:] = curve
        self._fit()

    def positions_at(self, s: float) -> Floats:
        """Vertices (n, 3) at a time."""
        where: Floats = self.tables.flight[:, :3] + self.tables.flight[:, 3:] * s
        return where + self.tables.curve * (s * s) if len(self.tables.curve) else where

    def boxes(self) -> tuple[Floats, Floats]:
        """Lower and upper corners (n, 3) of the boxes now, a row for every node; rows not in use: inf to -inf."""
        self._copy_paths()
        s = self.s
        tree = self.tables
        reach = tree.line[:, :, 0] + tree.line[:, :, 1] * s
        if len(tree.bend):
            reach = reach + tree.bend * (s * s)
        reach[~self._used()] = -inf
        return -reach[:, :3], reach[:, 3:]

    def advance(self, s: float) -> None:
        """Handle all events up to and including `s`."""
        self.s = max(self.s, s)
        self._run(self.s, _ALL)

    def step(self) -> None:
        """Handle the next event alone."""
        self.s = max(self.s, self._run(inf, 1))

    def enter(self, key: int, keyed: Rows | slice, places: Floats, rates: Floats | float, length: float) -> None:
        """Begin the interval after a key: vertices `keyed` are at `places` and move with `rates`, others go on as before."""
        s, flight = self.length, self.tables.flight
        flight[:, :3] = self.positions_at(s)
        if len(self.tables.curve):
            flight[:, 3:] += 2.0 * self.tables.curve * s
        flight[keyed, :3] = places
        flight[keyed, 3:] = rates
        self.s, self.length = 0.0, length
        if self.ahead is None:
            self._fit()
        else:
            self._take_due(self.ahead, key, keyed)

    def _take_due(self, ahead: LookAhead, key: int, keyed: Rows | slice) -> None:
        """Hand the certificates that fail in a new interval to the queue, which is empty: those of the last are done."""
        ahead.interval[0] = key
        straight = np.ones(len(self.tables.flight), bool)
        straight[keyed] = False
        self.tables.flight[straight, :3] = ahead.keys[straight, :, key]
        slots = np.flatnonzero(ahead.due == key)
        self.queue.keys[slots] = ahead.later[slots]
        self.queue.build()
        self._copied = False

    def change(self, rows: Rows, where: Floats, rate: Floats, curve: Floats) -> None:
        """Let vertices fly from `where` with rate and curve from now on."""
        curved = bool(curve.any())
        self._bend_if(curved)
        self._copy_paths()
        s = self.s
        self.tables.flight[rows, 3:] = rate - 2.0 * curve * s
        self.tables.flight[rows, :3] = where - (rate - curve * s) * s
        if len(self.tables.curve):
            self.tables.curve[rows] = curve
        if self.ahead is not None:
            if curved:
                self.ahead = None
                self._fit()
                return
            leave_keys(self.ahead, rows, where, rate, s)
            self.ahead.moved[rows] = True
        touched = np.isin(self.tables.faces, rows).any(axis=1) & self.alive
        with compiling("kinetic trees"):
            change_tree(self.tables, self._known(), self._queue_tables(), self._leaves()[touched], s, self.length)
        if self.ahead is not None:
            self.ahead.moved[rows] = False

    def add_vertices(self, where: Floats, rate: Floats) -> None:
        """Add vertices that move straight from now on."""
        flight = np.concatenate([where - rate * self.s, rate], axis=1)
        curve = np.zeros((len(where) if len(self.tables.curve) else 0, 3))
        self.tables = self.tables._replace(
            flight=np.concatenate([self.tables.flight, flight]), curve=np.concatenate([self.tables.curve, curve])
        )
        if self.ahead is not None:
            self.ahead = with_vertices(self.ahead, where, rate, self.s)

    def add_faces(self, faces: NDArray[np.int32]) -> None:
        """Add triangles."""
        m = len(self.alive)
        self.tables = self.tables._replace(faces=np.concatenate([self.tables.faces, faces]))
        self.alive = np.append(self.alive, np.ones(len(faces), bool))
        self._make_room(2 * len(faces))
        self._copy_paths()
        tables, ahead = self._queue_tables(), self._known()
        with compiling("edits of kinetic trees"):
            for face in range(m, m + len(faces)):
                leaf, inner = self._spare.pop(), self._spare.pop()
                self.root = insert_leaf(self.tables, ahead, tables, self.root, leaf, inner, face, self.s, self.length)
        self._order = None

    def remove_faces(self, rows: Rows) -> None:
        """Remove triangles that are there."""
        leaves = self._leaves()[rows]
        self._copy_paths()
        tables, ahead = self._queue_tables(), self._known()
        with compiling("edits of kinetic trees"):
            for leaf in leaves.tolist():
                self.root, inner = remove_leaf(self.tables, ahead, tables, self.root, leaf, self.s, self.length)
                self._spare += [leaf, inner]
        self.alive[rows] = False
        self._order = None

    def check(self) -> None:
        """Prove every box and every certificate by brute force; raises AuditError if one is wrong."""
        self._copy_paths()
        audit_tree(self.tables, self.queue, [self.root], self.alive, self.s, self.length, self.ahead)

    def _queue_tables(self) -> QueueTables:
        return QueueTables(self.queue.keys, self.queue.ties, self.queue.links)

    def _known(self) -> LookAhead | tuple[()]:
        """What kernels are told of the time after the current interval."""
        return NOT_AHEAD if self.ahead is None else self.ahead

    def _used(self) -> NDArray[np.bool_]:
        used = self.tables.node[:, TREE_PARENT] >= 0
        used[self.root] = True
        return used

    def _leaves(self) -> Rows:
        """Leaf (m,) of every triangle; removed triangles have any."""
        nodes = np.flatnonzero((self.tables.node[:, TREE_LEFT] < 0) & self._used())
        leaves = np.zeros(len(self.alive), np.int64)
        leaves[self.tables.node[nodes, TREE_FACE]] = nodes
        return leaves

    def _run(self, until: float, most: int) -> float:
        if self.queue.top_time() > until:
            return -inf
        self._copied = self.ahead is None
        with compiling("kinetic trees"):
            return float(
                run_tree(self.tables, self._known(), self._queue_tables(), until, self.length, most, self.counts)
            )

    def _copy_paths(self) -> None:
        """Give boxes the paths of the current interval: the events of a tree that searches ahead do not need them."""
        if not self._copied:
            with compiling("kinetic trees"):
                copy_paths(self.tables)
            self._copied = True

    def _fit(self) -> None:
        """All boxes and certificates now."""
        if self._order is None:
            order = np.empty(len(self.tables.node), np.int64)
            self._order = order[: bottom_up(self.tables.node, self.root, order)]
        with compiling("kinetic trees"):
            fit_tree(self.tables, self._known(), self._order, self.queue.keys, self.s, self.length)
        self.counts[CERTIFICATES] += TREE_FACES * len(self._order)
        self.queue.build()

    def _bend_if(self, curved: bool) -> None:
        """Make room for accelerations where there was none."""
        if curved and not len(self.tables.curve):
            n, vertices = len(self.tables.node), len(self.tables.flight)
            self.tables = self.tables._replace(bend=np.zeros((n, TREE_FACES)), curve=np.zeros((vertices, 3)))

    def _make_room(self, rows: int) -> None:
        """At least `rows` spare rows of nodes."""
        lacking = rows - len(self._spare)
        if lacking <= 0:
            return
        n = len(self.tables.node)
        more = max(lacking, n // 2)
        old = self.tables
        self.tables = old._replace(
            node=np.concatenate([old.node, np.full((more, old.node.shape[1]), -1, np.int32)]),
            line=np.concatenate([old.line, np.zeros((more, TREE_FACES, 2))]),
            bend=np.concatenate([old.bend, np.zeros((more if len(old.bend) else 0, TREE_FACES))]),
        )
        self.queue.grow(TREE_FACES * (n + more))
        if self.ahead is not None:
            self.ahead = with_slots(self.ahead, TREE_FACES * (n + more))
        self._spare += list(range(n + more - 1, n - 1, -1))
