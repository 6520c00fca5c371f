"""Kinetic separation list: every contact of deforming meshes, in time order, by events (Weller and Zachmann).

The list holds, at every instant, pairs of boxes that are apart and pairs of triangles whose boxes overlap; together they cover
all pairs of triangles. Work is done only when one of these facts changes.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import compiling
from carom._copies import Copyable
from carom.deform.model.assembly import assemble
from carom.deform.model.fraction_times import last_fraction, times_of
from carom.deform.model.vertex_envelope import Course, Keys
from carom.deform.separation_list.audit import audit_list
from carom.deform.separation_list.contacts import SeparationContact, SeparationContacts, SeparationStats
from carom.deform.separation_list.interval import ListInterval
from carom.deform.separation_list.pair_events import (
    BOX_CHANGES,
    CONTACTS,
    FATHERS_PARTED,
    LEAF_EVENTS,
    LEAVES_PARTED,
    OVERLAPS,
    PAIR_TESTS,
    PAIRS_OPENED,
    RECOMPUTED,
    TREE_EVENTS,
    WITNESSES_CHANGED,
)
from carom.deform.triangles.features import FIRST_EDGE
from carom.errors import InvalidInputError
from carom.motion import Deforming, span_of
from carom.queues import METHODS

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

BOXES = ("chord", "kinetic")
PRUNING = ("keys", "events")

_NOWHERE = np.empty((0, 3))
"""No positions: vertices go on from where they are."""
_KEYS_AHEAD = 6
"""Keys over which boxes tell which pairs need not be looked at."""


Response = Callable[["SeparationList", SeparationContact], None]


class SeparationList(Copyable):
    """A kinetic separation list: contacts of one deforming mesh with itself, or between two, found by events.

    The list begins at the earliest first key. A pair of triangles is reported at its first contact in each interval
    between keys, and once more if one of its vertices gets a new flightplan later than that report. All options give
    the same contacts.

    Parameters
    ----------
    a : Deforming
        The first mesh.
    b : Deforming, optional
        The second mesh. None for contacts of `a` with itself.
    selves : bool, optional
        With `b`, also report contacts of either mesh with itself.
    boxes : {"chord", "kinetic"}
        "kinetic" uses the boxes of the paper, which are tight at every instant. They cause additional events, and are
        slower if all vertices get new flightplans at every key. Default: "chord".
    prune : {"keys", "events"}
        Overlapping pairs that separate leave the list at the next key in one pass, or by events, which keeps the list
        equal to that of the paper at every instant. Default: "keys".
    full_passes : bool
        At a key, carry the list over the whole interval in one pass, and start handling events only if flightplans
        change; the next interval then begins with events. False: events only. Default: True.
    queue : str
        Event queue, see `carom.queues`. Default: "tournament".

    Raises
    ------
    InvalidInputError
        An argument is malformed.
    """

    def __init__(
        self,
        a: Deforming,
        b: Deforming | None = None,
        *,
        selves: bool | None = None,
        boxes: str = "chord",
        prune: str = "keys",
        full_passes: bool = True,
        queue: str = "tournament",
    ) -> None:
        for name, value, known in (("boxes", boxes, BOXES), ("prune", prune, PRUNING), ("queue", queue, METHODS)):
            validate.one_of(name, value, known)
        bodies = (a,) if b is None else (a, b)
        for name, body in zip("ab", bodies, strict=False):
            if not isinstance(body, Deforming):
                raise InvalidInputError(f"{name} is {type(body).__name__}; expected Deforming")
        self._motion = assemble(bodies, inf, itself=False, each_other=False)
        self._key = 0
        self._time, _ = span_of(bodies)
        self._interval = ListInterval(
            self._motion.faces,
            self._motion.body_of(np.arange(len(self._motion.faces))),
            int(self._motion.first_vertex[-1]),
            b is None if selves is None else validate.truth("selves", selves),
            [not body.is_still for body in bodies],
            chord=boxes == "chord",
            eager=prune == "events",
            full_passes=validate.truth("full_passes", full_passes),
            queue=queue,
        )
        self._numbers = np.concatenate([np.arange(len(m.faces)) for m in bodies])
        n = int(self._motion.first_vertex[-1])
        self._keyed = np.ones(n, bool)
        self._velocity = np.zeros((n, 3))
        self._read = 0, self._motion.vertices(0)[:, :3]
        self._keys: Keys | None = None
        with compiling("separation lists"):
            self._enter(self._at_key(0))

    def __repr__(self) -> str:
        faces = validate.counted(int(self._interval.alive.sum()), "triangle")
        return f"SeparationList({faces}, t = {self._time:.6g} of {self.last_time:.6g} s)"

    @property
    def time(self) -> float:
        """The current time, s."""
        return self._time

    @property
    def last_time(self) -> float:
        """The last key, s: motion is known up to there."""
        return float(self._motion.times[-1])

    @property
    def stats(self) -> SeparationStats:
        """Counts of all that happened so far."""
        counts = self._interval.lists.counts
        rows = {
            "bv_overlaps": OVERLAPS,
            "fathers_parted": FATHERS_PARTED,
            "leaves_parted": LEAVES_PARTED,
            "contacts": CONTACTS,
            "bv_changes": BOX_CHANGES,
            "recomputed": RECOMPUTED,
            "leaf_events": LEAF_EVENTS,
            "tree_events": TREE_EVENTS,
            "witnesses_changed": WITNESSES_CHANGED,
            "pairs_opened": PAIRS_OPENED,
            "pair_tests": PAIR_TESTS,
        }
        return SeparationStats(**{name: int(counts[row]) for name, row in rows.items()}, keys=self._key)

    def next_event_time(self) -> float:
        """Time of the next event or key, s; inf when nothing is to come. At a key the interval that begins there counts."""
        if self._interval.s >= 1.0 and self._key + 2 < len(self._motion.times):
            self._next_interval()
        due = self._interval.next_event()
        if due <= 1.0:
            return max(self._time, self._absolute(due))
        return self._end if self._time < self._end else inf

    def positions(self) -> Floats:
        """Vertices (n, 3) now, those of b after those of a, added ones last."""
        return self._interval.positions()

    def velocities(self) -> Floats:
        """Velocities (n, 3) of the vertices now, m/s."""
        return self._interval.lists.tree.flight[:, 3:] / self._length

    def corners(self, body: int, face: int) -> Rows:
        """Vertices (3,) of a triangle, as rows of positions()."""
        return self._interval.lists.tree.faces[self._rows("face", body, [face])[0]].astype(np.int64)

    def advance(self, until: float, response: Response | None = None) -> SeparationContacts:
        """All contacts up to and including `until`, s, not after the last key. Where that is a key, contacts at it which belong
        to the interval that begins there come with the next call.

        response: called with this list and each contact when the list stands at its time; it may change flightplans, and
        later contacts follow from those.
        """
        if response is not None and not callable(response):
            raise InvalidInputError(
                f"response is {validate.shown(response)}; expected a function (list, contact), or None"
            )
        until = validate.moment("until", until)
        if not self._time <= until <= self.last_time:
            raise InvalidInputError(f"until is {until}; expected {self._time} to {self.last_time}")
        found: list[tuple[Floats, NDArray[np.int32]]] = []
        with compiling("separation lists"):
            while True:
                self._run(min(until, self._end), response, found)
                if until <= self._end:
                    break
                self._next_interval()
        times = np.concatenate([np.empty(0), *(t for t, _ in found)])
        rows = np.concatenate([np.empty((0, 3), np.int32), *(r for _, r in found)]).astype(np.int64)
        return self._named(times, rows)

    def change_flightplans(
        self, vertices: ArrayLike, velocities: ArrayLike, positions: ArrayLike | None = None
    ) -> None:
        """Let vertices (k,), rows of positions(), move with velocities (k, 3), m/s, from now on, from positions (k, 3) or
        where they are. They follow keys no longer."""
        if self._interval.s < 1.0 and self._change(vertices, velocities, _NOWHERE if positions is None else positions):
            return
        rows = validate.rows("vertices", vertices, len(self._keyed))
        rates = validate.array("velocities", velocities, (len(rows), 3))
        where = _NOWHERE if positions is None else validate.array("positions", positions, (len(rows), 3))
        if self._interval.s >= 1.0:
            self._next_interval()
        self._change(rows, rates, where)

    def _change(self, rows: ArrayLike, rates: ArrayLike, where: ArrayLike) -> bool:
        """Change flightplans if these are clean arrays, which are looked at on the way: to do so before takes longer."""
        if not (
            validate.is_plain(rows, np.int64, 1)
            and validate.is_plain(rates, np.float64, 2)
            and validate.is_plain(where, np.float64, 2)
            and rates.shape == (len(rows), 3)
            and (where is _NOWHERE or where.shape == rates.shape)
        ):
            return False
        with compiling("separation lists"):
            return self._interval.change(rows, where, rates, self._end - self._time, self._keyed, self._velocity)

    def add_vertices(self, positions: ArrayLike, velocities: ArrayLike | None = None) -> Rows:
        """Add vertices (k, 3) that move straight from now on, in no triangle yet; returns their rows."""
        where = validate.array("positions", positions, (None, 3))
        k = len(where)
        rate = np.zeros((k, 3)) if velocities is None else validate.array("velocities", velocities, (k, 3))
        if self._interval.s >= 1.0:
            self._next_interval()
        n = len(self._keyed)
        self._keyed = np.append(self._keyed, np.zeros(k, bool))
        self._velocity = np.concatenate([self._velocity, rate])
        self._interval.add_vertices(where, where + rate * (self._end - self._time))
        return np.arange(n, n + k)

    def add_faces(self, faces: ArrayLike, body: int = 0) -> Rows:
        """Add triangles (k, 3), rows of positions(), to a body; returns their numbers. Costs as much as a new list."""
        rows = validate.face_rows("faces", faces, len(self._keyed)).astype(np.int32)
        body = self._known_body(body)
        if self._interval.s >= 1.0:
            self._next_interval()
        first = int(self._numbers[self._interval.owner == body].max()) + 1
        numbers = np.arange(first, first + len(rows))
        self._numbers = np.append(self._numbers, numbers)
        with compiling("separation lists"):
            self._interval.add_faces(rows, body)
        return numbers

    def remove_faces(self, numbers: ArrayLike, body: int = 0) -> None:
        """Remove triangles of a body by number; one at least must stay. Costs as much as a new list."""
        rows = self._rows("numbers", body, numbers)
        if len(rows) == (self._interval.alive & (self._interval.owner == body)).sum():
            raise InvalidInputError(f"numbers holds all {len(rows)} triangles; expected one at least to stay")
        if self._interval.s >= 1.0:
            self._next_interval()
        with compiling("separation lists"):
            self._interval.remove_faces(rows)

    def check(self) -> None:
        """Prove every box, every certificate and every pair by brute force; raises AuditError if one is wrong."""
        self._interval.take_up()
        audit_list(self._interval)

    @property
    def _end(self) -> float:
        return float(self._motion.times[self._key + 1])

    @property
    def _length(self) -> float:
        return self._end - float(self._motion.times[self._key])

    def _absolute(self, fraction: float) -> float:
        return float(self._times_of(np.array([fraction]))[0])

    def _times_of(self, fractions: Floats) -> Floats:
        """Times of fractions of the interval, never late."""
        return times_of(float(self._motion.times[self._key]), self._end, fractions)

    def _enter(self, start: Floats) -> None:
        """Begin the interval at the current key, all vertices at `start`."""
        at_end = self._at_key(self._key + 1)
        if self._keyed.all():
            self._interval.enter(start, at_end, self._look_ahead if self._key + 2 < len(self._motion.times) else None)
            return
        finish = start + self._velocity * self._length
        keyed = np.flatnonzero(self._keyed)
        finish[keyed] = at_end[keyed]
        self._interval.enter(start, finish)

    def _look_ahead(self) -> tuple[Course, int]:
        """How all vertices move over the next intervals, and how many these are."""
        if self._keys is None:
            self._keys = Keys(self._motion, _KEYS_AHEAD)
        self._keys.begin_at(self._key)
        last = min(self._key + _KEYS_AHEAD, len(self._motion.times) - 1)
        return self._keys.course(last), last - self._key

    def _at_key(self, key: int) -> Floats:
        """Vertices (n, 3) of the bodies at a key; asked for twice, at the end of an interval and where the next begins."""
        if self._read[0] != key:
            self._read = key, self._motion.vertices(key)[:, :3]
        return self._read[1]

    def _next_interval(self) -> None:
        if self._key + 2 >= len(self._motion.times):
            raise InvalidInputError(f"the last key, {self.last_time}, has been reached; nothing can change any more")
        self._key += 1
        start = self._at_key(self._key)
        if not self._keyed.all():
            own = np.flatnonzero(~self._keyed)
            start = np.concatenate([start, np.empty((len(self._keyed) - len(start), 3))])
            start[own] = self._interval.lists.motion.finish[own]
        self._time = float(self._motion.times[self._key])
        with compiling("separation lists"):
            self._enter(start)

    def _run(self, until: float, response: Response | None, found: list[tuple[Floats, NDArray[np.int32]]]) -> None:
        """Run within the interval up to `until`, at most its end."""
        stop = 1.0 if until >= self._end else last_fraction(float(self._motion.times[self._key]), self._end, until)
        while True:
            fractions, rows = self._interval.run(stop, at_once=response is not None)
            if response is None or not len(fractions):
                found.append(self._in_order(fractions, rows))
                break
            # All contacts of this instant, in their order, before anybody answers the first.
            now = float(self._interval.s)
            more, more_rows = self._interval.run(now, at_once=False)
            times, rows = self._in_order(np.append(fractions, more), np.concatenate([rows, more_rows]))
            found.append((times, rows))
            self._time = max(self._time, float(times[-1]))
            for contact in self._named(times, rows):
                response(self, contact)
        self._time = until

    def _in_order(self, fractions: Floats, rows: NDArray[np.int32]) -> tuple[Floats, NDArray[np.int32]]:
        times, rows = self._times_of(fractions), rows.copy()
        owner, number = self._interval.owner, self._numbers
        # Added triangles have the last rows, whichever body they are of.
        turned = owner[rows[:, 0]] > owner[rows[:, 1]]
        rows[turned, :2] = rows[turned, 1::-1]
        of_vertex = turned & (rows[:, 2] < FIRST_EDGE)
        rows[of_vertex, 2] = (rows[of_vertex, 2] + 3) % FIRST_EDGE
        a, b = rows[:, 0], rows[:, 1]
        order = np.lexsort((number[b], owner[b], number[a], owner[a], times))
        return times[order], rows[order]

    def _named(self, times: Floats, rows: NDArray[np.integer]) -> SeparationContacts:
        pairs = rows[:, :2].astype(np.int64)
        kinds = np.digitize(rows[:, 2], (3, FIRST_EDGE))
        return SeparationContacts(times, self._interval.owner[pairs], self._numbers[pairs], kinds)

    def _known_body(self, body: int) -> int:
        """The number of a body that there is."""
        if not validate.is_whole(body) or body not in range(len(self._motion.bodies)):
            raise InvalidInputError(f"body is {validate.shown(body)}; expected 0 to {len(self._motion.bodies) - 1}")
        return int(body)

    def _rows(self, name: str, body: int, numbers: ArrayLike) -> Rows:
        """Rows of the triangles with these numbers; they must be there."""
        body = self._known_body(body)
        own = np.flatnonzero(self._interval.owner == body)
        rows = own[validate.rows(name, numbers, len(own))]
        gone = np.flatnonzero(~self._interval.alive[rows])
        if len(gone):
            raise InvalidInputError(
                f"{name} holds {self._numbers[rows[gone[0]]]}, which was removed before; expected triangles that are there"
            )
        return rows
