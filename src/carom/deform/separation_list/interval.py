"""A kinetic separation list within one interval between keys: its tables, their growth, and exact tests on demand."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from carom.deform.kinetic_tree.events import fit_tree
from carom.deform.kinetic_tree.faces import TREE_FACE, TREE_FACES, QueueTables, tree_tables
from carom.deform.kinetic_tree.future_certificates import NOT_AHEAD
from carom.deform.model.changed_fans import fan_tables
from carom.deform.model.forest import Forest, plant
from carom.deform.model.reported_pairs import delivered_tables, empty, larger, note_delivery
from carom.deform.separation_list.changes import UP_TO_DATE, WRITTEN, change_list
from carom.deform.separation_list.chord_paths import fit_chords
from carom.deform.separation_list.exact_contacts import decide_exactly
from carom.deform.separation_list.interval_pass import ListPass, LookAhead
from carom.deform.separation_list.neighbours import refresh_neighbours, start_neighbours
from carom.deform.separation_list.pair_events import (
    BASE,
    CHORD,
    CONTACTS,
    N_COUNTS,
    N_NEIGHBOURS,
    PAIR_TESTS,
    ListTables,
    refresh_pairs,
    start_list,
)
from carom.deform.separation_list.pair_pool import (
    LINKED,
    TOP,
    PairTables,
    link_all,
    pair_tables,
    unlink_all,
)
from carom.deform.separation_list.run import (
    EXACT_WANTED,
    LIST_DONE,
    LIST_FOUND,
    run_list,
)
from carom.deform.triangles.leaf_contact import motion_tables, with_vertices
from carom.queues import EventQueue
from carom.tolerances import CERTIFICATE_SLACK

Floats = NDArray[np.float64]
Found = tuple[Floats, NDArray[np.int32]]

_NO_NODES = np.empty((0, 4), np.int32)
_ROOM = 4096
"""Contacts handed over at a time."""
_ALL = 2**62
_MANY = 0.14
"""Share of the vertices. Where more get other flightplans at a key, a full pass costs less than bringing a list up to date."""
_HEADROOM = 2.0
"""Coordinates may grow by this factor within an interval, by other flightplans, before all certificates are made anew."""


class ListInterval:
    """faces (m, 3), owner (m,) their bodies, n_vertices. Times are fractions of the interval.

    Bodies are compared with each other and, if `selves`, with themselves once they move. mobile: which ones move by themselves.
    """

    def __init__(
        self,
        faces: NDArray[np.int32],
        owner: NDArray[np.int64],
        n_vertices: int,
        selves: bool,
        mobile: list[bool],
        *,
        chord: bool,
        eager: bool,
        full_passes: bool,
        queue: str,
    ) -> None:
        self.owner = owner
        self.alive = np.ones(len(faces), bool)
        self.s = 0.0
        self.forest: Forest | None = None
        self._full_passes = full_passes
        self._pass: ListPass | None = None
        self._planned: Found | None = None
        self._handed = 0
        self._changed = False
        self._selves = selves
        self._not_searched = ~np.array(mobile)
        self._padded = 0.0
        self._faces = faces
        self._queue = EventQueue(0, queue)
        self._order: NDArray[np.int64] = np.empty(0, np.int64)
        self.lists = ListTables(
            tree_tables(_NO_NODES, faces, n_vertices, False),
            QueueTables(self._queue.keys, self._queue.ties, self._queue.links),
            pair_tables(0, _NO_NODES, 0, not chord),
            motion_tables(n_vertices, len(faces)),
            delivered_tables(1024),
            fan_tables(None, faces[:0], 0),
            np.array([0, eager, chord, 0], np.int64),
            np.zeros(N_COUNTS, np.int64),
            np.zeros(1),
        )

    @property
    def searched(self) -> NDArray[np.bool_]:
        """Which bodies are compared with themselves?"""
        return ~self._not_searched if self._selves else np.zeros_like(self._not_searched)

    @property
    def queue(self) -> EventQueue:
        """The queue of certificates (first) and pairs."""
        return self._queue

    def next_event(self) -> float:
        """Fraction of the next event; inf if there is none."""
        if self._planned is not None:
            return float(self._planned[0][self._handed]) if self._handed < len(self._planned[0]) else inf
        return max(self.s, self._queue.top_time())

    def positions(self, rows: NDArray[np.int64] | slice = slice(None)) -> Floats:
        """Positions (v, 3) of vertices now."""
        motion, epoch = self.lists.motion, self.lists.motion.epoch[rows]
        share = ((self.s - epoch) / (1.0 - epoch))[:, None]
        return (1.0 - share) * motion.start[rows] + share * motion.finish[rows]

    def enter(self, start: Floats, finish: Floats, look: LookAhead | None = None) -> None:
        """Begin an interval in which all vertices move straight from `start` to `finish`, (v, 3). look: see ListPass."""
        lists = self.lists
        lists.motion.start[:] = start
        lists.motion.finish[:] = finish
        lists.motion.epoch[:] = 0.0
        lists.motion.face_epoch[:] = 0.0
        lists.tree.flight[:, :3] = start
        lists.tree.flight[:, 3:] = finish - start
        empty(lists.delivered)
        self.s = 0.0
        self._set_pad()
        quiet = not self._changed
        self._planned, self._handed, self._changed = None, 0, False
        if self.forest is None:
            self._begin()
        elif self._full_passes and quiet and self._plan(look):
            return
        else:
            self._refresh()

    def _plan(self, look: LookAhead | None) -> bool:
        """Find all contacts of the interval by a pass over the list, and leave its certificates until they are needed.

        False where triangles were added or removed: passes are over a surface as it was in the beginning.
        """
        forest, motion = self.forest, self.lists.motion
        if forest is None or not self.alive.all() or len(self.alive) != len(forest.faces):
            return False
        if self._pass is None or self._pass.n_vertices != len(motion.start):
            self._pass = ListPass(forest, len(motion.start))
        if self.lists.pairs.pool[LINKED]:
            unlink_all(self.lists.pairs)
        self._pass.begin(motion.start, motion.finish, look)
        while not self._pass.carry(self.lists):
            self._enlarge_pool()
        self._planned = self._pass.contacts(self.lists)
        self.lists.counts[PAIR_TESTS] += self._pass.pair_tests
        return True

    def _hand_over(self, until: float, at_once: bool) -> Found:
        """Contacts of the full pass up to `until`."""
        assert self._planned is not None
        fractions, rows = self._planned
        first = self._handed
        last = int(np.searchsorted(fractions, until, side="right"))
        last = min(last, first + 1) if at_once else last
        self._handed = max(first, last)
        self.lists.counts[CONTACTS] += self._handed - first
        self.s = max(self.s, float(fractions[last - 1]) if at_once and last > first else until)
        return fractions[first:last], rows[first:last]

    def take_up(self) -> None:
        """Bring the list up to the current time, if a full pass stood in for it. What was handed over stays so."""
        if self._planned is None:
            return
        self._note_handed()
        if not self.lists.rules[CHORD]:  # box events walk along the links
            link_all(self.lists.pairs, self.lists.rules[N_NEIGHBOURS])
        self._refresh()
        if self.s > 0.0:  # contacts at the key itself were handed over by nobody yet, and stay in the queue
            now, self.s = self.s, 0.0
            self.run(now, at_once=False)

    def _note_handed(self) -> None:
        """Remember what the full pass reported, and end it."""
        assert self._planned is not None
        fractions, rows = self._planned
        self._planned = None
        for fraction, (a, b, _) in zip(fractions[: self._handed].tolist(), rows[: self._handed].tolist(), strict=True):
            if 2 * self.lists.delivered.used[0] >= len(self.lists.delivered.key):
                self.lists = self.lists._replace(delivered=larger(self.lists.delivered))
            note_delivery(self.lists.delivered, (a << 32) | b, fraction)

    def run(self, until: float, *, at_once: bool, most: int = _ALL) -> Found:
        """Handle events up to `until`; returns contacts: fractions (n,) and (n, 3) triangles, lower first, and feature.

        at_once: stop at the first contact. Afterwards `s` is `until`, or the time of that contact.
        """
        if self._planned is not None:
            return self._hand_over(until, at_once)
        parts: list[Found] = []
        progress = np.zeros(2, np.int64)
        code = LIST_DONE if self._queue.top_time() > until else -1
        while code not in (LIST_DONE, LIST_FOUND):
            found, times = np.empty((1 if at_once else _ROOM, 3), np.int32), np.empty(1 if at_once else _ROOM)
            progress[0] = 0
            code = run_list(self.lists, until, at_once, most, found, times, progress)
            n = int(progress[0])
            if n:
                parts.append((times[:n], found[:n]))
            if code == EXACT_WANTED:
                due = self._queue.top() - int(self.lists.rules[BASE])
                decide_exactly(self.lists, due, max(self.s, self._queue.top_time()))
            elif code not in (LIST_DONE, LIST_FOUND):
                self._make_room(n == _ROOM)
        fractions = np.concatenate([np.empty(0), *(t for t, _ in parts)])
        rows = np.concatenate([np.empty((0, 3), np.int32), *(r for _, r in parts)])
        if code == LIST_FOUND:
            self.s = max(self.s, float(fractions[-1]))
        elif progress[1] < most:
            self.s = max(self.s, until)
        else:
            self.s = max(self.s, min(until, self._queue.top_time()))
        return fractions, rows

    def change(
        self,
        rows: NDArray[np.int64],
        start: Floats,
        rates: Floats,
        left: float,
        keyed: NDArray[np.bool_],
        velocities: Floats,
    ) -> bool:
        """Let vertices `rows` fly with `rates`, m/s, for the `left` seconds of the interval: see change_list.

        False: these are no different rows or finite numbers, and nothing was changed.
        """
        assert self.forest is not None
        share = len(rows) / len(self.lists.motion.start)
        passes = self._planned is not None and self.s == 0.0 and share > _MANY
        if not passes:
            self.take_up()
        around = self.forest.around
        waiting = self._not_searched & self._selves
        n, code = change_list(
            self.lists, rows, start, rates, self.s, left, keyed, velocities, around, self.owner, waiting, self._padded, passes
        )  # fmt: skip
        if code == UP_TO_DATE:
            self._changed = True
        if code != WRITTEN:
            return bool(code == UP_TO_DATE)
        bodies = self.owner[self.lists.tree.node[around.leaves[:n], TREE_FACE]]
        if passes and not waiting[bodies].any():
            self.enter(self.lists.motion.start.copy(), self.lists.motion.finish.copy())
            return True
        self.take_up()
        self._changed = True
        self._not_searched[bodies] = False
        self._set_pad()
        self._begin()
        return True

    def add_vertices(self, start: Floats, finish: Floats) -> None:
        """Add vertices that move from `start` now to `finish` at the end of the interval."""
        self.take_up()
        lists = self.lists
        rate = (finish - start) / (1.0 - self.s)
        flight = np.concatenate([start - rate * self.s, rate], axis=1)
        self.lists = lists._replace(
            tree=lists.tree._replace(flight=np.concatenate([lists.tree.flight, flight])),
            motion=with_vertices(lists.motion, start, finish, self.s),
        )

    def add_faces(self, faces: NDArray[np.int32], body: int) -> None:
        """Add triangles to a body, which is from now on compared with itself."""
        self.take_up()
        lists, k = self.lists, len(faces)
        self._not_searched[body] = False
        self._faces = np.concatenate([self._faces, faces])
        self.owner = np.append(self.owner, np.full(k, body))
        self.alive = np.append(self.alive, np.ones(k, bool))
        epochs = np.append(lists.motion.face_epoch, np.full(k, self.s))
        self.lists = lists._replace(motion=lists.motion._replace(face_epoch=epochs))
        self._set_pad()
        self._begin()

    def remove_faces(self, rows: NDArray[np.int64]) -> None:
        """Remove triangles."""
        self.take_up()
        self.alive[rows] = False
        self._begin()

    def _set_pad(self) -> None:
        motion = self.lists.motion
        self._padded = max(_HEADROOM * _reach(motion.start, motion.finish, self.lists.tree.flight[:, :3]), 1e-280)
        self.lists.pad[0] = CERTIFICATE_SLACK * self._padded

    def _begin(self) -> None:
        """Plant trees and begin the list anew at the current time; what was reported stays reported."""
        now = self.positions()
        self._pass = None
        forest = plant(self._faces, self.owner, self.alive, now, self.searched, len(self.searched) > 1)
        self.forest = forest
        base = 0 if self.lists.rules[CHORD] else TREE_FACES * len(forest.node)
        room = len(forest.neighbours) + 3 * len(forest.start) + 4096
        flight = self.lists.tree.flight
        tree = tree_tables(forest.node, self._faces, len(flight), False)._replace(flight=flight)
        self._order = np.arange(len(forest.node) - 1, -1, -1)
        self.lists.rules[[BASE, N_NEIGHBOURS]] = base, len(forest.neighbours)
        proved = forest.proved(now, self.lists.motion.finish)
        self.lists = self.lists._replace(fans=forest.fan_tables(len(flight)))
        while True:
            self._queue = EventQueue(base + room, self._queue.method)
            linked = bool(self.lists.pairs.pool[LINKED])
            pairs = pair_tables(room, forest.node, forest.stack, linked)
            self.lists = self.lists._replace(tree=tree, queue=self._queue_tables(), pairs=pairs)
            self._fit(self.s)
            start_neighbours(self.lists, forest.leaves, forest.neighbours)
            refresh_neighbours(self.lists, proved, self.s)
            if start_list(self.lists, forest.start, self.s):
                break
            room *= 2
        self._queue.build()

    def _refresh(self) -> None:
        """Carry the list into a new interval."""
        assert self.forest is not None
        if self._pass is not None:
            self._pass.forget()
        self._fit(0.0)
        motion = self.lists.motion
        if len(self.forest.neighbours):
            proved = self.forest.proved(motion.start, motion.finish)
            refresh_neighbours(self.lists, proved, 0.0)
        refresh_pairs(self.lists)
        self._queue.build()

    def _fit(self, now: float) -> None:
        if self.lists.rules[CHORD]:
            fit_chords(self.lists.tree, self._order)
        else:
            fit_tree(self.lists.tree, NOT_AHEAD, self._order, self._queue.keys, now, 1.0)

    def _queue_tables(self) -> QueueTables:
        return QueueTables(self._queue.keys, self._queue.ties, self._queue.links)

    def _make_room(self, contacts_full: bool) -> None:
        """Enlarge what was full: the memory of reports, or else the pool of pairs."""
        lists = self.lists
        if 2 * lists.delivered.used[0] >= len(lists.delivered.key):
            self.lists = lists._replace(delivered=larger(lists.delivered))
        elif not contacts_full:
            self._enlarge_pool()

    def _enlarge_pool(self) -> None:
        """Room for twice as many pairs."""
        pairs = self.lists.pairs
        room = 2 * len(pairs.record)
        grown = pair_tables(room, _NO_NODES, 0, False)
        used = slice(int(pairs.pool[TOP]))
        for column in ("record", "rare", "contact", "direction"):
            getattr(grown, column)[used] = getattr(pairs, column)[used]
        self._queue.grow(int(self.lists.rules[BASE]) + room)
        self.lists = self.lists._replace(queue=self._queue_tables(), pairs=PairTables(*grown[:4], *pairs[4:]))


def _reach(*positions: Floats) -> float:
    """The largest coordinate."""
    return max((max(float(part.max()), -float(part.min())) for part in positions if part.size), default=0.0)
