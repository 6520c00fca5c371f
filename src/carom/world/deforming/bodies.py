"""All deforming bodies of one world and the watches over their pairs. Times are local: since the world's time origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.engine.tables import Tables
from carom.shapes.kind import POLLED
from carom.tables.body_columns import GROUP, ID, KIND
from carom.world.deforming.contact import Repeats
from carom.world.deforming.flightplans import Flightplans
from carom.world.deforming.rigid import Rigid
from carom.world.deforming.watch import Watch
from carom.world.saved.check import Clock
from carom.world.saved.fields import Fields


@dataclass(eq=False)
class DeformingBody:
    """A deforming body: its plans, whether it may touch itself, and when it was put where it is."""

    plans: Flightplans
    self_collision: bool
    appeared: float


class DeformingBodies:
    """Deforming bodies by id, and one watch for each of their pairs that was ever asked about."""

    def __init__(self) -> None:
        self.by_id: dict[int, DeformingBody] = {}
        self._watches: dict[tuple[int, int], Watch] = {}
        self._appeared: dict[int, float] = {}
        self.repeats = Repeats()

    def __bool__(self) -> bool:
        return bool(self.by_id)

    def __contains__(self, body: int) -> bool:
        return body in self.by_id

    def __getitem__(self, body: int) -> DeformingBody:
        return self.by_id[body]

    def put(self, body: int, deforming: DeformingBody) -> None:
        """A new body, or another surface for one that there is."""
        self.forget(body)
        self.by_id[body] = deforming

    def forget(self, body: int) -> None:
        """The body leaves, or its surface is another one."""
        self.by_id.pop(body, None)
        self._appeared.pop(body, None)
        for pair in [pair for pair in self._watches if body in pair]:
            del self._watches[pair]

    def jumped(self, body: int, now: float) -> None:
        """A rigid body was put somewhere else."""
        if self.by_id:
            self._appeared[body] = now

    def watch(self, tables: Tables, a: int, row_a: int, b: int, row_b: int) -> Watch:
        """The watch over bodies a < b, or a == b, up to date."""
        side_a = self._side(tables, a, row_a)
        side_b = side_a if a == b else self._side(tables, b, row_b)
        watch = self._watches.get((a, b))
        if watch is None:
            self._watches[a, b] = watch = Watch(side_a, side_b)
        watch.keep_up(side_a, side_b, max(self._put_at(a), self._put_at(b)))
        return watch

    def _side(self, tables: Tables, body: int, row: int) -> Flightplans | Rigid:
        return self.by_id[body].plans if body in self.by_id else Rigid.of_row(tables, row)

    def _put_at(self, body: int) -> float:
        if body in self.by_id:
            return self.by_id[body].appeared
        return self._appeared.get(body, -inf)

    # ---- saving

    def saved(self, tables: Tables, rows: Mapping[int, int]) -> dict[str, NDArray[Any]]:
        """Everything as arrays. rows: of all bodies, by id."""
        arrays: dict[str, NDArray[Any]] = {
            "deforming_ids": np.array(list(self.by_id), np.int64),
            "deforming_self_collision": np.array([body.self_collision for body in self.by_id.values()], np.bool_),
            "deforming_appeared": np.array([body.appeared for body in self.by_id.values()], np.float64),
            "jumped_ids": np.array(list(self._appeared), np.int64),
            "jumped_at": np.array(list(self._appeared.values()), np.float64),
            "watched_ids": np.array(list(self._watches), np.int64).reshape(-1, 2),
        }
        if self.by_id:
            arrays |= {f"repeats.{name}": array for name, array in self.repeats.saved().items()}
        for body, known in self.by_id.items():
            arrays |= {f"deforming.{body}.{name}": array for name, array in known.plans.saved().items()}
        for (a, b), watch in self._watches.items():
            seen = watch.saved(self._side(tables, a, rows[a]), self._side(tables, b, rows[b]))
            arrays |= {f"watched.{a}.{b}.{name}": array for name, array in seen.items()}
        return arrays

    @classmethod
    def restored(cls, saved: Fields, tables: Tables, clock: Clock, rigid: Mapping[int, int]) -> DeformingBodies:
        """The inverse of `saved`, rigid: rows by id of rigid bodies, which are in the tables already."""
        bodies = cls()
        rows = dict(rigid)
        for body, row, self_collision, appeared in _saved_bodies(saved, tables, clock):
            rows[body] = row
            plans = Flightplans.restored(saved.within(f"deforming.{body}"), clock)
            bodies.by_id[body] = DeformingBody(plans, self_collision, appeared)
        if "repeats.since" in saved:  # earlier versions did not save them
            bodies.repeats = Repeats.restored(saved.within("repeats"))
        jumped = saved.array("jumped_ids", np.int64, (None,))
        when = saved.times("jumped_at", (len(jumped),))
        saved.require("jumped_at", when, when <= clock.now, "a time not after the present")
        bodies._appeared = dict(zip(jumped.tolist(), when.tolist(), strict=True))
        pairs = saved.array("watched_ids", np.int64, (None, 2))
        saved.require("watched_ids", pairs, np.isin(pairs, list(rows)), "the id of a body that can be watched")
        saved.each_once("watched_ids", pairs)
        for a, b in pairs.tolist():
            if a > b or not (a in bodies or b in bodies):
                raise saved.wrong("watched_ids", f" holds {a}, {b}; expected the lower id first, and a deforming body")
            side_a = bodies._side(tables, a, rows[a])
            side_b = side_a if a == b else bodies._side(tables, b, rows[b])
            bodies._watches[a, b] = Watch.restored(side_a, side_b, saved.within(f"watched.{a}.{b}"))
        return bodies

    def current(self, tables: Tables, rows: dict[int, int]) -> list[tuple[int, int]]:
        """Pairs whose watch is up to date. rows: of all bodies, by id."""
        return [
            (a, b)
            for (a, b), watch in self._watches.items()
            if watch.is_current(self._side(tables, a, rows[a]), self._side(tables, b, rows[b]))
        ]

    def shift_time(self, tables: Tables, shift: float, rows: dict[int, int], current: list[tuple[int, int]]) -> None:
        """The time origin has moved by `shift` seconds, the tables follow it already. current: what `current` said before;
        all other pairs are looked at anew when they are asked about."""
        for body in self.by_id.values():
            body.plans.shift_time(shift)
            body.appeared -= shift
        self.repeats.shift_time(shift)
        self._appeared = {body: t - shift for body, t in self._appeared.items()}
        self._watches = {pair: self._watches[pair] for pair in current}
        self.follow(tables, rows, current, shift)

    def watched_beside(self, tables: Tables, rows: dict[int, int], a: int, b: int) -> list[tuple[int, int]]:
        """Pairs that have a watch, which is up to date now, save those between groups a and b."""
        pairs = [
            (one, other)
            for one, other in self._watches
            if sorted(int(tables.link[rows[body], GROUP]) for body in (one, other)) != sorted((a, b))
        ]
        for one, other in pairs:
            self.watch(tables, one, rows[one], other, rows[other])
        return pairs

    def follow(self, tables: Tables, rows: dict[int, int], pairs: list[tuple[int, int]], shift: float = 0.0) -> None:
        """Motions are given from other epochs, in times that are `shift` seconds earlier: keep the watches over `pairs`,
        which were up to date."""
        for a, b in pairs:
            side_a = self._side(tables, a, rows[a])
            side_b = side_a if a == b else self._side(tables, b, rows[b])
            self._watches[a, b].shift_time(shift, side_a, side_b)


def _saved_bodies(saved: Fields, tables: Tables, clock: Clock) -> Iterator[tuple[int, int, bool, float]]:
    """Id, row, self-collision and time of appearance of each deforming body, which has such a body's row."""
    ids = saved.array("deforming_ids", np.int64, (None,))
    saved.each_once("deforming_ids", ids)
    own = saved.array("deforming_self_collision", np.bool_, (len(ids),))
    appeared = saved.times("deforming_appeared", (len(ids),))
    saved.require("deforming_appeared", appeared, appeared <= clock.now, "a time not after the present")
    polled = np.flatnonzero(tables.link[:, KIND] == POLLED)
    rows = dict(zip(tables.link[polled, ID].tolist(), polled.tolist(), strict=True))
    saved.require("deforming_ids", ids, np.isin(ids, list(rows)), "the id of a body that is not rigid")
    for k, body in enumerate(ids.tolist()):
        yield body, rows[body], bool(own[k]), float(appeared[k])
