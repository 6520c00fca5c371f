"""The kinetic AABB tree of a deforming mesh: boxes valid at every instant, maintained by events (Zachmann and Weller)."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Copyable
from carom.deform.kinetic_tree.events import CERTIFICATES, LEAF_EVENTS, TREE_EVENTS
from carom.deform.kinetic_tree.interval import TreeInterval
from carom.errors import InvalidInputError
from carom.motion.deforming import Deforming

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


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
        self._follow(None, validate.moment("start", start), inf)
        self._interval = TreeInterval(rows, where, rate, curve, inf, None, queue)
        self._leaves_key = np.zeros(n, bool)

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
        first, second = motion.times[:2].tolist()
        rate = (motion.vertices[1] - motion.vertices[0]) / (second - first)
        searched = motion if validate.truth("search_ahead", search_ahead) else None
        tree = cls.__new__(cls)
        tree._follow(motion, first, second)
        tree._interval = TreeInterval(
            motion.faces.copy(), motion.vertices[0], rate, None, second - first, searched, queue
        )
        tree._leaves_key = np.ones(motion.vertices.shape[1], bool)
        return tree

    def _follow(self, motion: Deforming | None, start: float, end: float) -> None:
        """Begin the clock at `start`; the first interval ends at `end`, s."""
        self._keyed = motion
        self._keys = 0
        self._changes = 0
        self._time = self._epoch = start
        self._end = end

    def __repr__(self) -> str:
        faces = validate.counted(int(self._interval.alive.sum()), "triangle")
        return f"KineticTree({faces}, {len(self._interval.tables.flight)} vertices, t = {self._time:.6g} s)"

    @property
    def time(self) -> float:
        """The current time, s."""
        return self._time

    @property
    def faces(self) -> NDArray[np.int32]:
        """Triangles (m, 3) by number, as rows of vertices; those removed keep their number and have -1."""
        return np.where(self._interval.alive[:, None], self._interval.tables.faces, np.int32(-1))

    @property
    def stats(self) -> KineticTreeStats:
        """Counts of all that happened so far."""
        leaf, inner, certificates = self._interval.counts[[LEAF_EVENTS, TREE_EVENTS, CERTIFICATES]].tolist()
        return KineticTreeStats(leaf, inner, self._keys, self._changes, certificates)

    def next_event_time(self) -> float:
        """Time of the next event or key, s; inf when nothing is to come."""
        due = self._interval.queue.top_time()
        when = max(self._time, self._epoch + due)
        while when - self._epoch < due < inf:  # rounded down: who goes there is to find the event
            when = float(np.nextafter(when, inf))
        return min(when, self._end)

    def positions(self) -> Floats:
        """Vertices (n, 3) now."""
        return self._interval.positions_at(self._interval.s)

    def boxes(self) -> tuple[Floats, Floats]:
        """Lower and upper corners (n, 3) of the boxes now, a row for every node; rows not in use are empty boxes, inf to
        -inf. Row `root` holds all."""
        return self._interval.boxes()

    @property
    def root(self) -> int:
        """Row of the node that holds everything."""
        return self._interval.root

    def advance(self, until: float) -> int:
        """Handle all events up to and including `until`, s; returns how many there were."""
        until = validate.moment("until", until)
        if until < self._time:
            raise InvalidInputError(f"until is {until}; expected {self._time} or later")
        before = self._events()
        while True:
            stop = min(until, self._end)
            self._interval.advance(stop - self._epoch)
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
            self._interval.advance(self._interval.length)
            self._time = self._end
            self._next_key()
        else:
            self._interval.step()
            self._time = max(self._time, self._epoch + self._interval.s)
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
        self._interval.change(rows, where, rate, curve)
        self._leaves_key[rows] = False
        self._changes += k

    def add_vertices(self, positions: ArrayLike, velocities: ArrayLike | None = None) -> Rows:
        """Add vertices (k, 3) that move straight from now on, in no triangle yet; returns their numbers."""
        where = validate.array("positions", positions, (None, 3))
        k = len(where)
        rate = np.zeros((k, 3)) if velocities is None else validate.array("velocities", velocities, (k, 3))
        n = len(self._leaves_key)
        self._interval.add_vertices(where, rate)
        self._leaves_key = np.append(self._leaves_key, np.zeros(k, bool))
        return np.arange(n, n + k)

    def add_faces(self, faces: ArrayLike) -> Rows:
        """Add triangles (k, 3) between vertices; returns their numbers."""
        rows = validate.face_rows("faces", faces, len(self._interval.tables.flight)).astype(np.int32)
        m = len(self._interval.alive)
        self._interval.add_faces(rows)
        return np.arange(m, m + len(rows))

    def remove_faces(self, numbers: ArrayLike) -> None:
        """Remove triangles by number; one at least must stay."""
        rows = np.sort(validate.rows("numbers", numbers, len(self._interval.alive)))
        gone = rows[~self._interval.alive[rows]]
        if len(gone):
            raise InvalidInputError(
                f"numbers holds {gone[0]}, which was removed before; expected triangles that are there"
            )
        self._remove("numbers", rows)

    def _remove(self, name: str, rows: Rows) -> None:
        """Remove triangles that are there. name: the argument that they follow from."""
        if len(rows) == self._interval.alive.sum():
            raise InvalidInputError(f"{name} holds all {len(rows)} triangles; expected one at least to stay")
        self._interval.remove_faces(rows)

    def remove_edges(self, edges: ArrayLike) -> None:
        """Remove all triangles that have one of the edges (k, 2), rows of vertices in any order."""
        ends = validate.array("edges", edges, (None, 2))
        faces = self._interval.tables.faces
        has = (faces[:, None, :, None] == ends[None, :, None, :]).any(axis=2).all(axis=2)
        missing = np.flatnonzero(~has[self._interval.alive].any(axis=0) | (ends[:, 0] == ends[:, 1]))
        if len(missing):
            row = int(missing[0])
            raise InvalidInputError(f"edges[{row}] is {ends[row].tolist()}; expected the edge of a triangle")
        self._remove("edges", np.flatnonzero(has.any(axis=1) & self._interval.alive))

    def remove_vertices(self, vertices: ArrayLike) -> None:
        """Remove all triangles around these vertices; the vertices stay as rows that no triangle uses."""
        rows = self._vertex_rows(vertices)
        held = np.isin(self._interval.tables.faces, rows).any(axis=1) & self._interval.alive
        if held.any():
            self._remove("vertices", np.flatnonzero(held))

    def check(self) -> None:
        """Prove every box and every certificate by brute force; raises AuditError if one is wrong."""
        self._interval.check()

    def _vertex_rows(self, vertices: ArrayLike) -> Rows:
        return validate.rows("vertices", vertices, len(self._interval.tables.flight))

    def _events(self) -> int:
        """Events so far."""
        return int(self._interval.counts[[LEAF_EVENTS, TREE_EVENTS]].sum())

    def _next_key(self) -> None:
        """Pass the key at the current time: keyed vertices get their next piece, all others the key as epoch."""
        motion = self._keyed
        assert motion is not None
        keyed: Rows | slice = slice(None) if self._leaves_key.all() else np.flatnonzero(self._leaves_key)
        key = int(np.searchsorted(motion.times, self._time))
        self._epoch, self._end = self._time, inf
        rates: Floats | float = 0.0
        if key + 1 < len(motion.times):
            self._end = float(motion.times[key + 1])
            rates = (motion.vertices[key + 1, keyed] - motion.vertices[key, keyed]) / (self._end - self._epoch)
        self._keys += 1
        self._interval.enter(key, keyed, motion.vertices[key, keyed], rates, self._end - self._epoch)
