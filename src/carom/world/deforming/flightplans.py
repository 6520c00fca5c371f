"""What the vertices of one deforming body follow: keys, then straight lines given by a response or by the user.

At any time the body is on one piece: every vertex moves straight and uniformly from the piece's start to its end. A piece
ends at the next key. Times are local: since the world's time origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.deform.model.mesh_tree import MeshTree, build_tree
from carom.errors import InvalidInputError
from carom.maths.fixed_order import length
from carom.motion import Deforming
from carom.tolerances import LATEST_TIME
from carom.world.saved.check import Clock
from carom.world.saved.fields import LARGEST, Fields

Floats = NDArray[np.float64]

_MOST_CHANGES = 2**53  # Changes of plans that a watch counts, in a double
_PIECE_TRAVEL = 4.0
"""Without a key to come, a piece ends when the fastest vertex has moved by this many sizes of the body: bounds stay tight."""
_PIECE_GROWTH = 1.0 / 64.0  # Or after this share of the time since the plans last changed, where that is longer


@dataclass(frozen=True, eq=False)
class Piece:
    """begin, end: local times, s, end may be inf (all at rest); start, goal (n, 3): vertices at either."""

    begin: float
    end: float
    start: Floats
    goal: Floats

    def at(self, t: float) -> Floats:
        """Vertices (n, 3) at local time t, from begin to end."""
        if t <= self.begin or self.end == inf:
            return self.start
        if t >= self.end:
            return self.goal
        share = (t - self.begin) / (self.end - self.begin)
        return (1.0 - share) * self.start + share * self.goal

    @cached_property
    def velocities(self) -> Floats:
        """Velocities (n, 3), m/s."""
        return np.zeros_like(self.start) if self.end == inf else (self.goal - self.start) / (self.end - self.begin)

    @cached_property
    def extents(self) -> Floats:
        """Lower and upper ends (2, 2, 3) of the box around all vertices, at the begin and at the end."""
        return np.array([[places.min(axis=0), places.max(axis=0)] for places in (self.start, self.goal)])

    def extent_at(self, t: float) -> Floats:
        """Lower and upper ends (2, 3) of a box that holds all vertices at local time t: the chord of `extents`."""
        if self.end == inf:
            return self.extents[0]
        share = (t - self.begin) / (self.end - self.begin)
        return (1.0 - share) * self.extents[0] + share * self.extents[1]

    @cached_property
    def is_still(self) -> bool:
        """Does no vertex move?"""
        return self.end == inf or bool((self.start == self.goal).all())


class Flightplans:
    """The surface of a deforming body and the motion of its vertices, from now on."""

    def __init__(self, keys: Deforming, origin: float, now: float) -> None:
        self.faces = keys.faces
        self._keys = keys
        self._origin = origin
        n = keys.vertices.shape[1]
        self._free = np.zeros(n, np.bool_)
        """Vertices that have left their keys."""
        self._from = np.zeros((n, 3))
        self._speed = np.zeros((n, 3))
        self._since = np.zeros(n)
        self.changes = 0
        """How often the plans were changed; going from key to key is no change."""
        self.changed_in = np.zeros(n, np.int64)
        """For each vertex the number of the change that touched it last."""
        self.piece = self._piece(now, self._keyed(now))
        self._first = self.piece.start
        self._boxes: tuple[Piece, Floats, Floats] | None = None

    def __len__(self) -> int:
        return len(self._free)

    @cached_property
    def tree(self) -> MeshTree:
        """The tree over the triangles as they were first."""
        return build_tree(self._first[self.faces].mean(axis=1))

    def swept_boxes(self) -> tuple[Floats, Floats]:
        """Lower and upper ends (m, 3) of boxes that hold each triangle all along the present piece."""
        if self._boxes is None or self._boxes[0] is not self.piece:
            low, high = (least(self.piece.start, self.piece.goal) for least in (np.minimum, np.maximum))
            self._boxes = (self.piece, low[self.faces].min(axis=1), high[self.faces].max(axis=1))
        return self._boxes[1], self._boxes[2]

    def _keyed(self, t: float) -> Floats:
        return self._keys.vertices_at(t + self._origin)

    def _next_key(self, now: float) -> tuple[float, Floats]:
        """Local time of the first key after now, inf for none, and where vertices that follow keys are then."""
        times = self._keys.times - self._origin
        k = int(np.searchsorted(times, now, side="right"))
        if k == len(times):
            return inf, self._keys.vertices[-1]
        return float(times[k]), self._keys.vertices[k]

    def _piece(self, now: float, start: Floats) -> Piece:
        end, goal = self._next_key(now)
        start = np.ascontiguousarray(start)
        if self._free.any():
            if end == inf:
                end = self._end_of_flight(now, start)
            goal = goal.copy()
            goal[self._free] = self._straight(end) if end < inf else start[self._free]
        return Piece(now, end, start, np.ascontiguousarray(goal))

    def _end_of_flight(self, now: float, start: Floats) -> float:
        """Local time at which a piece without a key to come ends: inf where nothing moves."""
        speed = float(length(self._speed[self._free]).max())
        if speed == 0.0:
            return inf
        size = float(length(np.ptp(start, axis=0))) or 1.0
        # Where nothing happens, pieces grow: a flight takes few of them, however far it goes and however fast.
        flown = now - float(self._since[self._free].max())
        return max(now + max(_PIECE_TRAVEL * size / speed, _PIECE_GROWTH * flown), float(np.nextafter(now, inf)))

    def _straight(self, t: float) -> Floats:
        """Where the free vertices are at t."""
        free = self._free
        return self._from[free] + (t - self._since[free])[:, None] * self._speed[free]

    def advance(self) -> None:
        """Go on to the next piece, which begins where this one ends."""
        self.piece = self._piece(self.piece.end, self.piece.goal)

    def at(self, t: float) -> Floats:
        """Vertices (n, 3) at local time t under the present plans; before the present piece began, where it began."""
        if t <= self.piece.end:
            return self.piece.at(t)
        vertices = self._keyed(t)
        vertices[self._free] = self._straight(t)
        return vertices

    def steer(self, rows: NDArray[np.int64], velocities: Floats, now: float) -> None:
        """From now on vertices `rows` (k,) move straight with velocities (k, 3), keys or not; all others as before."""
        here = self.piece.at(now)
        self._free[rows] = True
        self._from[rows] = here[rows]
        self._speed[rows] = velocities
        self._since[rows] = now
        self.changes += 1
        self.changed_in[rows] = self.changes
        self.piece = self._piece(now, here)

    def replace(self, before: Flightplans) -> None:
        """These plans are followed in place of others: a change of all vertices."""
        self.changes = before.changes + 1
        self.changed_in[:] = self.changes

    def shift_time(self, shift: float) -> None:
        """The world's time origin moves by `shift` seconds."""
        self._origin += shift
        self._since -= shift
        piece = self.piece
        self.piece = Piece(piece.begin - shift, piece.end - shift, piece.start, piece.goal)

    def saved(self) -> dict[str, NDArray[Any]]:
        """Everything as arrays."""
        keys, piece = self._keys, self.piece
        return {
            "faces": keys.faces,
            "times": keys.times,
            "keys": keys.vertices,
            "name": np.array([] if keys.name is None else [keys.name], np.str_),
            "clock": np.array([self._origin, piece.begin, piece.end]),
            "start": piece.start,
            "goal": piece.goal,
            "first": self._first,
            "free": self._free.copy(),
            "from": self._from.copy(),
            "speed": self._speed.copy(),
            "since": self._since.copy(),
            "changes": np.array(self.changes),
            "changed_in": self.changed_in.copy(),
        }

    @classmethod
    def restored(cls, saved: Fields, clock: Clock) -> Flightplans:
        """The inverse of `saved`, at the clock of its world."""
        name = saved.array("name", np.str_, (None,))
        times = saved.numbers("times", (None,))
        places = saved.numbers("keys", (len(times), None, 3))
        n = places.shape[1]
        try:
            keys = Deforming(
                saved.array("faces", np.int32, (None, 3)), times, places, name=str(name[0]) if len(name) else None
            )
        except InvalidInputError as error:
            raise saved.wrong("faces", f", times and keys are no deforming body: {error}") from None
        stretch = saved.times("clock", (3,))
        origin, begin, end = stretch.tolist()
        if not (origin == clock.origin and -LARGEST <= begin <= clock.now and begin < end):
            raise saved.wrong(
                "clock", f" is {stretch.tolist()}; expected the world's origin, and a piece at the present"
            )
        plans = cls(keys, origin, begin)
        plans.piece = Piece(begin, end, saved.numbers("start", (n, 3)), saved.numbers("goal", (n, 3)))
        plans._first = saved.numbers("first", (n, 3))
        plans._free, plans._from = saved.array("free", np.bool_, (n,)), saved.numbers("from", (n, 3))
        plans._speed, plans._since = saved.numbers("speed", (n, 3)), saved.numbers("since", (n,))
        plans.changes = int(saved.whole("changes", np.int64, (), 0, _MOST_CHANGES))
        plans.changed_in = saved.whole("changed_in", np.int64, (n,), 0, plans.changes)
        return plans

    def remaining(self) -> Deforming:
        """The motion from the present piece on as keys, in world time."""
        piece = self.piece
        times, places = [piece.begin + self._origin], [piece.start]
        end = min(piece.end if piece.end < inf else piece.begin + 1.0, LATEST_TIME - self._origin)
        vertices = piece.at(end)
        while end < inf:
            if end + self._origin > times[-1]:
                times.append(end + self._origin)
                places.append(vertices)
            else:  # nearer to each other than the time of the world can tell
                places[-1] = vertices
            end, vertices = self._next_key(end)
            if end < inf and self._free.any():
                vertices = vertices.copy()
                vertices[self._free] = self._straight(end)
        if len(times) == 1:
            times, places = [float(np.nextafter(times[0], -inf)), times[0]], places * 2
        return Deforming(self.faces, np.array(times), np.stack(places))
