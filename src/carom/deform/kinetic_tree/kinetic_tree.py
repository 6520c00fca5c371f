"""The kinetic AABB tree of a deforming mesh: boxes valid at every instant, maintained by events (Zachmann and Weller)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import compiling
from carom._copies import Copyable
from carom.deform.kinetic_tree.audit import audit_tree
from carom.deform.kinetic_tree.edits import bottom_up, insert_leaf, remove_leaf
from carom.deform.kinetic_tree.events import CERTIFICATES, LEAF_EVENTS, TREE_EVENTS, change_tree, fit_tree, run_tree
from carom.deform.kinetic_tree.faces import FACE, FACES, LEFT, PARENT, QueueTables, tree_tables
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
from carom.errors import InvalidInputError
from carom.motion.deforming import Deforming
from carom.queues import EventQueue

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_ALL = 2**62
"""As many events as there are."""


@dataclass(frozen=True)
class KineticTreeStats:
    """Events so far: corners that overtook within a triangle, and within a box; keys passed; flightplans changed; certificates
    made at the start, at keys and by events."""

    leaf_events: int
    tree_events: int
    keys: int
    flightplan_changes: int
    certificates: int


class KineticTree(Copyable):
    """A kinetic AABB tree over the triangles of a mesh: its boxes are valid at every instant, not only at queries.

    Use `KineticTree.following` for keyed motion. Malformed input raises InvalidInputError and changes nothing.

    Parameters
    ----------
    faces : array_like of int, shape (m, 3)
        Triangles, as rows of vertices.
    positions : array_like of shape (n, 3)
        Vertices at the time `start`, m.
    velocities, accelerations : array_like of shape (n, 3), optional
        Velocities, m/s, and accelerations, m/s^2. Default: 0.
    start : float
        Start time, s. Default: 0.
    queue : str
        Event queue, see `carom.queues`. Default: "tournament".
    """

    def __init__(
        self,
        faces: ArrayLike,
        positions: ArrayLike,
        velocities: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
        *,
        start: float = 0.0,
        queue: str = "tournament",
    ) -> None:
        where = validate.array("positions", positions, (None, 3))
        n = len(where)
        rate = np.zeros((n, 3)) if velocities is None else validate.array("velocities", velocities, (n, 3))
        curve = None if accelerations is None else 0.5 * validate.array("accelerations", accelerations, (n, 3))
        rows = validate.face_rows("faces", faces, n).astype(np.int32)
        self._keyed: Deforming | None = None
        self._leaves_key = np.zeros(n, bool)
        self._begin(rows, where, rate, curve, validate.moment("start", start), inf, False, queue)

    @classmethod
    def following(cls, motion: Deforming, *, search_ahead: bool = True, queue: str = "tournament") -> Self:
        """Build the tree of a keyed mesh, from its first key on. After the last key every vertex rests.

        Parameters
        ----------
        motion : Deforming
            The keyed mesh.
        search_ahead : bool
            Search for the failure of a certificate through all later keys (the paper's Algorithm 2), so that nothing is
            recomputed at a key; this needs a second copy of the keys. Otherwise certificates hold up to the next key,
            and all boxes and certificates are recomputed there, in one pass; this is also done from the first
            accelerated vertex on. Default: True.
        queue : str
            Event queue, see `carom.queues`. Default: "tournament".
        """
        if not isinstance(motion, Deforming):
            raise InvalidInputError(f"motion is {type(motion).__name__}; expected Deforming")
        tree = cls.__new__(cls)
        tree._keyed = motion
        tree._leaves_key = np.ones(motion.vertices.shape[1], bool)
        first, second = motion.times[:2]
        rate = (motion.vertices[1] - motion.vertices[0]) / (second - first)
        tree._begin(
            motion.faces.copy(), motion.vertices[0], rate, None, float(first), float(second), search_ahead, queue
        )
        return tree

    def _begin(
        self,
        faces: NDArray[np.int32],
        positions: Floats,
        velocities: Floats,
        curve: Floats | None,
        start: float,
        end: float,
        search_ahead: bool,
        queue: str,
    ) -> None:
        shape = build_tree(positions[faces].mean(axis=1))
        node = np.stack([shape.left, shape.right, shape.parent, shape.face], axis=1)
        self._queue = EventQueue(FACES * len(node), queue)
        self._tree = tree_tables(node, faces, len(positions), curve is not None)
        self._root = 0
        self._spare: list[int] = []
        self._alive = np.ones(len(faces), bool)
        self._order: Rows | None = None
        self._counts = np.zeros(3, np.int64)
        self._keys = 0
        self._changes = 0
        self._time = self._epoch = start
        self._since = 0.0  # seconds since the epoch: time less epoch, but for rounding
        self._end = end
        self._ahead: LookAhead | None = None
        if validate.truth("search_ahead", search_ahead) and self._keyed is not None:
            self._ahead = look_ahead(self._keyed, FACES * len(node))
        self._copied = True  # do the boxes have the paths of the current interval?
        self._tree.flight[:, :3] = positions
        self._tree.flight[:, 3:] = velocities
        if curve is not None:
            self._tree.curve[:] = curve
        self._fit(0.0)

    def __repr__(self) -> str:
        faces = validate.counted(int(self._alive.sum()), "triangle")
        return f"KineticTree({faces}, {len(self._tree.flight)} vertices, t = {self._time:.6g} s)"

    @property
    def time(self) -> float:
        """The current time, s."""
        return self._time

    @property
    def faces(self) -> NDArray[np.int32]:
        """Triangles (m, 3) by number, as rows of vertices; those removed keep their number and have -1."""
        return np.where(self._alive[:, None], self._tree.faces, np.int32(-1))

    @property
    def stats(self) -> KineticTreeStats:
        """Counts of all that happened so far."""
        leaf, inner, certificates = self._counts[[LEAF_EVENTS, TREE_EVENTS, CERTIFICATES]].tolist()
        return KineticTreeStats(leaf, inner, self._keys, self._changes, certificates)

    def next_event_time(self) -> float:
        """Time of the next event or key, s; inf when nothing is to come."""
        due = self._queue.top_time()
        when = max(self._time, self._epoch + due)
        while when - self._epoch < due < inf:  # rounded down: who goes there is to find the event
            when = float(np.nextafter(when, inf))
        return min(when, self._end)

    def positions(self) -> Floats:
        """Vertices (n, 3) now."""
        return self._at(self._since)

    def boxes(self) -> tuple[Floats, Floats]:
        """Lower and upper corners (n, 3) of the boxes now, a row for every node; rows not in use are empty boxes, inf to
        -inf. Row `root` holds all."""
        self._copy_paths()
        s = self._since
        tree = self._tree
        reach = tree.line[:, :, 0] + tree.line[:, :, 1] * s
        if len(tree.bend):
            reach = reach + tree.bend * (s * s)
        reach[~self._used()] = -inf
        return -reach[:, :3], reach[:, 3:]

    @property
    def root(self) -> int:
        """Row of the node that holds everything."""
        return self._root

    def advance(self, until: float) -> int:
        """Handle all events up to and including `until`, s; returns how many there were."""
        until = validate.moment("until", until)
        if until < self._time:
            raise InvalidInputError(f"until is {until}; expected {self._time} or later")
        before = self._events()
        while True:
            stop = min(until, self._end)
            self._since = max(self._since, stop - self._epoch)
            self._run(self._since, _ALL)
            self._time = stop
            if stop < self._end:
                return self._events() - before
            self._next_key()

    def step(self) -> bool:
        """Handle the next event or key alone; False if nothing is to come."""
        due = self.next_event_time()
        if due == inf:
            return False
        if due >= self._end:
            self._since = self._length()
            self._run(self._since, _ALL)
            self._time = self._end
            self._next_key()
        else:
            self._since = max(self._since, self._run(inf, 1))
            self._time = max(self._time, self._epoch + self._since)
        return True

    def change_flightplans(
        self,
        vertices: ArrayLike,
        velocities: ArrayLike,
        positions: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
    ) -> None:
        """Give vertices (k,) other flightplans from now on: (k, 3) each; positions default to where they are.

        A vertex that followed keys leaves them for good.
        """
        rows = self._vertex_rows(vertices)
        k = len(rows)
        rate = validate.array("velocities", velocities, (k, 3))
        where = self.positions()[rows] if positions is None else validate.array("positions", positions, (k, 3))
        curve = np.zeros((k, 3))
        if accelerations is not None:
            curve = 0.5 * validate.array("accelerations", accelerations, (k, 3))
        curved = bool(curve.any())
        self._bend_if(curved)
        self._copy_paths()
        s = self._since
        self._leaves_key[rows] = False
        self._tree.flight[rows, 3:] = rate - 2.0 * curve * s
        self._tree.flight[rows, :3] = where - (rate - curve * s) * s
        if len(self._tree.curve):
            self._tree.curve[rows] = curve
        self._changes += k
        if self._ahead is not None:
            if curved:
                self._ahead = None
                self._fit(s)
                return
            leave_keys(self._ahead, rows, where, rate, self._since)
            self._ahead.moved[rows] = True
        touched = np.isin(self._tree.faces, rows).any(axis=1) & self._alive
        with compiling("kinetic trees"):
            change_tree(self._tree, self._known(), self._tables(), self._leaves()[touched], s, self._length())
        if self._ahead is not None:
            self._ahead.moved[rows] = False

    def add_vertices(self, positions: ArrayLike, velocities: ArrayLike | None = None) -> Rows:
        """Add vertices (k, 3) that move straight from now on, in no triangle yet; returns their numbers."""
        where = validate.array("positions", positions, (None, 3))
        k = len(where)
        rate = np.zeros((k, 3)) if velocities is None else validate.array("velocities", velocities, (k, 3))
        n = len(self._tree.flight)
        flight = np.concatenate([where - rate * (self._since), rate], axis=1)
        curve = np.zeros((k if len(self._tree.curve) else 0, 3))
        self._leaves_key = np.append(self._leaves_key, np.zeros(k, bool))
        self._tree = self._tree._replace(
            flight=np.concatenate([self._tree.flight, flight]), curve=np.concatenate([self._tree.curve, curve])
        )
        if self._ahead is not None:
            self._ahead = with_vertices(self._ahead, where, rate, self._since)
        return np.arange(n, n + k)

    def add_faces(self, faces: ArrayLike) -> Rows:
        """Add triangles (k, 3) between vertices; returns their numbers."""
        rows = validate.face_rows("faces", faces, len(self._tree.flight)).astype(np.int32)
        m = len(self._alive)
        self._tree = self._tree._replace(faces=np.concatenate([self._tree.faces, rows]))
        self._alive = np.append(self._alive, np.ones(len(rows), bool))
        self._make_room(2 * len(rows))
        self._copy_paths()
        tables, ahead, s = self._tables(), self._known(), self._since
        with compiling("edits of kinetic trees"):
            for face in range(m, m + len(rows)):
                leaf, inner = self._spare.pop(), self._spare.pop()
                self._root = insert_leaf(self._tree, ahead, tables, self._root, leaf, inner, face, s, self._length())
        self._order = None
        return np.arange(m, m + len(rows))

    def remove_faces(self, numbers: ArrayLike) -> None:
        """Remove triangles by number; one at least must stay."""
        rows = np.sort(validate.rows("numbers", numbers, len(self._alive)))
        gone = rows[~self._alive[rows]]
        if len(gone):
            raise InvalidInputError(
                f"numbers holds {gone[0]}, which was removed before; expected triangles that are there"
            )
        self._remove("numbers", rows)

    def _remove(self, name: str, rows: Rows) -> None:
        """Remove triangles that are there. name: the argument that they follow from."""
        if len(rows) == self._alive.sum():
            raise InvalidInputError(f"{name} holds all {len(rows)} triangles; expected one at least to stay")
        leaves = self._leaves()[rows]
        self._copy_paths()
        tables, ahead, s = self._tables(), self._known(), self._since
        with compiling("edits of kinetic trees"):
            for leaf in leaves.tolist():
                self._root, inner = remove_leaf(self._tree, ahead, tables, self._root, leaf, s, self._length())
                self._spare += [leaf, inner]
        self._alive[rows] = False
        self._order = None

    def remove_edges(self, edges: ArrayLike) -> None:
        """Remove all triangles that have one of the edges (k, 2), rows of vertices in any order."""
        ends = validate.array("edges", edges, (None, 2))
        faces = self._tree.faces
        has = (faces[:, None, :, None] == ends[None, :, None, :]).any(axis=2).all(axis=2)
        missing = np.flatnonzero(~has[self._alive].any(axis=0) | (ends[:, 0] == ends[:, 1]))
        if len(missing):
            row = int(missing[0])
            raise InvalidInputError(f"edges[{row}] is {ends[row].tolist()}; expected the edge of a triangle")
        self._remove("edges", np.flatnonzero(has.any(axis=1) & self._alive))

    def remove_vertices(self, vertices: ArrayLike) -> None:
        """Remove all triangles around these vertices; the vertices stay as rows that no triangle uses."""
        rows = self._vertex_rows(vertices)
        held = np.isin(self._tree.faces, rows).any(axis=1) & self._alive
        if held.any():
            self._remove("vertices", np.flatnonzero(held))

    def check(self) -> None:
        """Prove every box and every certificate by brute force; raises AuditError if one is wrong."""
        self._copy_paths()
        s = self._since
        audit_tree(self._tree, self._queue, [self._root], self._alive, s, self._length(), self._ahead)

    def _vertex_rows(self, vertices: ArrayLike) -> Rows:
        return validate.rows("vertices", vertices, len(self._tree.flight))

    def _tables(self) -> QueueTables:
        return QueueTables(self._queue.keys, self._queue.ties, self._queue.links)

    def _known(self) -> LookAhead | tuple[()]:
        """What kernels are told of the time after the current interval."""
        return NOT_AHEAD if self._ahead is None else self._ahead

    def _events(self) -> int:
        """Events so far."""
        return int(self._counts[[LEAF_EVENTS, TREE_EVENTS]].sum())

    def _length(self) -> float:
        """Time from the epoch to the next key, s."""
        return self._end - self._epoch

    def _at(self, s: float) -> Floats:
        where: Floats = self._tree.flight[:, :3] + self._tree.flight[:, 3:] * s
        return where + self._tree.curve * (s * s) if len(self._tree.curve) else where

    def _used(self) -> NDArray[np.bool_]:
        used = self._tree.node[:, PARENT] >= 0
        used[self._root] = True
        return used

    def _leaves(self) -> Rows:
        """Leaf (m,) of every triangle; removed triangles have any."""
        nodes = np.flatnonzero((self._tree.node[:, LEFT] < 0) & self._used())
        leaves = np.zeros(len(self._alive), np.int64)
        leaves[self._tree.node[nodes, FACE]] = nodes
        return leaves

    def _run(self, until: float, most: int) -> float:
        if self._queue.top_time() > until:
            return -inf
        self._copied = self._ahead is None
        with compiling("kinetic trees"):
            return float(run_tree(self._tree, self._known(), self._tables(), until, self._length(), most, self._counts))

    def _copy_paths(self) -> None:
        """Give boxes the paths of the current interval: the events of a tree that searches ahead do not need them."""
        if not self._copied:
            with compiling("kinetic trees"):
                copy_paths(self._tree)
            self._copied = True

    def _fit(self, s: float) -> None:
        """All boxes and certificates at a time since the epoch."""
        if self._order is None:
            order = np.empty(len(self._tree.node), np.int64)
            self._order = order[: bottom_up(self._tree.node, self._root, order)]
        with compiling("kinetic trees"):
            fit_tree(self._tree, self._known(), self._order, self._queue.keys, s, self._length())
        self._counts[CERTIFICATES] += FACES * len(self._order)
        self._queue.build()

    def _next_key(self) -> None:
        """Pass the key at the current time: keyed vertices get their next piece, all others the key as epoch."""
        motion = self._keyed
        assert motion is not None
        s = self._length()
        tree = self._tree
        keyed: Rows | slice = slice(None) if self._leaves_key.all() else np.flatnonzero(self._leaves_key)
        tree.flight[:, :3] = self._at(s)
        if len(tree.curve):
            tree.flight[:, 3:] += 2.0 * tree.curve * s
        key = int(np.searchsorted(motion.times, self._time))
        tree.flight[keyed, :3] = motion.vertices[key, keyed]
        self._epoch, self._since = self._time, 0.0
        if key + 1 < len(motion.times):
            self._end = float(motion.times[key + 1])
            step = motion.vertices[key + 1, keyed] - motion.vertices[key, keyed]
            tree.flight[keyed, 3:] = step / (self._end - self._epoch)
        else:
            self._end = inf
            tree.flight[keyed, 3:] = 0.0
        self._keys += 1
        if self._ahead is None:
            self._fit(0.0)
        else:
            self._enter_interval(self._ahead, key)

    def _enter_interval(self, ahead: LookAhead, key: int) -> None:
        """Hand the certificates that fail in a new interval to the queue, which is empty: those of the last are done."""
        ahead.interval[0] = key
        straight = np.flatnonzero(~self._leaves_key)
        self._tree.flight[straight, :3] = ahead.keys[straight, :, key]
        slots = np.flatnonzero(ahead.due == key)
        self._queue.keys[slots] = ahead.later[slots]
        self._queue.build()
        self._copied = False

    def _bend_if(self, curved: bool) -> None:
        """Make room for accelerations where there was none."""
        if curved and not len(self._tree.curve):
            n, vertices = len(self._tree.node), len(self._tree.flight)
            self._tree = self._tree._replace(bend=np.zeros((n, FACES)), curve=np.zeros((vertices, 3)))

    def _make_room(self, rows: int) -> None:
        """At least `rows` spare rows of nodes."""
        lacking = rows - len(self._spare)
        if lacking <= 0:
            return
        n = len(self._tree.node)
        more = max(lacking, n // 2)
        old = self._tree
        self._tree = old._replace(
            node=np.concatenate([old.node, np.full((more, old.node.shape[1]), -1, np.int32)]),
            line=np.concatenate([old.line, np.zeros((more, FACES, 2))]),
            bend=np.concatenate([old.bend, np.zeros((more if len(old.bend) else 0, FACES))]),
        )
        self._queue.grow(FACES * (n + more))
        if self._ahead is not None:
            self._ahead = with_slots(self._ahead, FACES * (n + more))
        self._spare += list(range(n + more - 1, n - 1, -1))
