"""Less important bodies: their pairs may be looked at later than all others, and none of their contacts is lost.

Where nothing responds to contacts, pairs do not depend on each other. So the pairs of deferred bodies are followed by a twin of
the world, with a clock of its own that may lag behind; the world itself leaves them out. Motions that change meanwhile are
written down and told to the twin when it gets there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import inf
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom.errors import CaromError, InvalidInputError
from carom.tables.body_columns import GROUP
from carom.types import BudgetedLog, ContactLog
from carom.world.arguments import id_list
from carom.world.budget import advance_within
from carom.world.guided.steered import Steered
from carom.world.polling import check_not_asking
from carom.world.saved.snapshot import take_snapshot

_GROUPS = 64
_NEVER = np.uint64(0)


class _Told(NamedTuple):
    """Motions that bodies were given at a time; advanced: after the world had been advanced to that time."""

    time: float
    advanced: bool
    bodies: list[int]
    motion: Any


@dataclass
class Deferral:
    """The twin, the bodies whose pairs it follows, their groups, the filter before, and what the twin is still to be told.

    advanced: was the world advanced since the last entry of the journal?
    """

    twin: Any
    bodies: NDArray[np.int64]
    groups: NDArray[np.int32]
    masks: NDArray[np.uint64]
    journal: deque[_Told] = field(default_factory=deque)
    advanced: bool = False

    def tell(self, time: float, bodies: list[int], motion: Any) -> None:
        """Write down that bodies were given a motion."""
        self.journal.append(_Told(time, self.advanced, bodies, motion))
        self.advanced = False

    def advance(self, until: float, deadline: float | None) -> list[ContactLog]:
        """Bring the twin to `until`, or as far as the deadline on the wall clock allows."""
        logs = []
        while True:
            while self.journal and not self.journal[0].advanced:
                self._hear()
            goal = min(until, self.journal[0].time) if self.journal else until
            if deadline is None:
                logs.append(self.twin.advance(goal))
            else:
                logs.append(advance_within(self.twin, goal, max(0.0, deadline - perf_counter())))
            if self.twin.time < goal or not self.journal or self.journal[0].time > goal:
                return logs
            self._hear()

    def catch_up(self, now: float) -> list[ContactLog]:
        """Bring the twin to where the world is, and tell it all. What it is told last is the world's to look at."""
        logs = []
        while self.journal:
            if self.journal[0].advanced:
                logs.append(self.twin.advance(self.journal[0].time))
            self._hear()
        if self.advanced:
            logs.append(self.twin.advance(now))
        return logs

    def _hear(self) -> None:
        told = self.journal.popleft()
        self.twin.set_motion(told.bodies, told.motion)


class Deferring(Steered):
    """A world in which some bodies are less important than others."""

    _later: Deferral | None
    _overdue: list[ContactLog]
    """Contacts of bodies that are no longer deferred, for the next log."""

    def defer(self, bodies: int | Iterable[int]) -> None:
        """From now on contacts of these bodies may be told later than others; an empty list ends it.

        Under a budget `advance` first looks at the pairs of all other bodies. What is left of the budget goes to those of
        deferred ones; in the log `deferred` names these bodies where it did not suffice, and `deferred_reached` says up to when
        their contacts are complete. The rest come in later logs, with their true times. Without a budget nothing is put off.

        For worlds without a response, where pairs do not depend on each other; not for periodic worlds and deforming bodies.
        Calling it again, adding or removing bodies and other filters first look at all that was put off.
        """
        check_not_asking(self)
        ids = id_list(bodies)
        if ids:
            self._registry.rows(ids)
        if self.response is not None:
            raise InvalidInputError(f"response is {self.response!r}; expected None where bodies are deferred")
        if self._deforming or self._tables.periods.any():
            raise CaromError("a world that is periodic or has deforming bodies cannot defer any")
        self._end_deferral()
        if ids:
            self._begin_deferral(np.unique(np.asarray(ids, np.int64)))

    def _begin_deferral(self, bodies: NDArray[np.int64]) -> None:
        self._sync()
        tables = self._tables
        self._starts.start_over(tables)
        rows = self._registry.rows(bodies.tolist())
        groups, masks = tables.link[rows, GROUP].copy(), tables.masks.copy()
        own = np.unique(groups)
        others = np.unique(tables.link[np.setdiff1d(self._registry.present(), rows), GROUP])
        spare = np.setdiff1d(np.arange(_GROUPS), np.union1d(own, others))
        if len(spare) < len(own):
            raise InvalidInputError(f"{_GROUPS - len(spare)} groups are in use; deferring takes {len(own)} more")
        twin = self._twin()
        # Of the twin: deferred bodies, in groups of their own, with all; no others among themselves.
        moved = dict(zip(own.tolist(), spare.tolist(), strict=False))
        twin._tables.link[rows, GROUP] = [moved[int(group)] for group in groups]
        twin._tables.masks = _twin_masks(masks, moved, others)
        twin._rebuild(twin._engine.reported())
        # Here: the same bodies with nobody.
        first, second, since = self._engine.reported()
        kept = ~(np.isin(first, rows) | np.isin(second, rows))
        tables.link[rows, GROUP] = spare[0]
        tables.masks = _muted(masks, int(spare[0]))
        self._rebuild((first[kept], second[kept], since[kept]))
        self._later = Deferral(twin, bodies, groups, masks)

    def _twin(self) -> Any:
        """A world that goes on as this one would."""
        shapes = [self._shape_of(int(row)) for row in self._registry.present()]
        this: Any = self
        return this.restore(take_snapshot(this), shapes, **this._options)

    def _end_deferral(self) -> None:
        """Look at what was put off and take its bodies back."""
        if self._later is None:
            return
        later, self._later = self._later, None
        self._overdue += later.catch_up(self.time)
        self._sync()
        later.twin._sync()
        for world in (self, later.twin):
            world._starts.start_over(world._tables)
        self._starts.join(later.twin._starts)
        rows = self._registry.rows(later.bodies.tolist())
        self._tables.link[rows, GROUP] = later.groups
        self._tables.masks = later.masks
        # Rows of the twin are rows here: bodies come and go only when nothing is deferred.
        reported = zip(self._engine.reported(), later.twin._engine.reported(), strict=True)
        self._rebuild(tuple(np.concatenate(each) for each in reported))  # type: ignore[arg-type]

    # ---- what the twin must know

    def set_motion(self, body: int | Iterable[int], motion: Any) -> None:
        check_not_asking(self)
        bodies = id_list(body)
        super().set_motion(bodies, motion)
        if self._later is not None:
            self._later.tell(self.time, bodies, motion)

    set_motion.__doc__ = Steered.set_motion.__doc__

    def add(self, *arguments: Any, **options: Any) -> int:
        with _Undeferred(self):
            return super().add(*arguments, **options)

    add.__doc__ = Steered.add.__doc__

    def add_many(self, *arguments: Any, **options: Any) -> NDArray[np.int64]:
        with _Undeferred(self):
            return super().add_many(*arguments, **options)

    add_many.__doc__ = Steered.add_many.__doc__

    def remove(self, body: int | Iterable[int]) -> None:
        with _Undeferred(self):
            super().remove(body)

    remove.__doc__ = Steered.remove.__doc__

    def set_filter(self, group_a: int, group_b: int, collide: bool) -> None:
        with _Undeferred(self):
            super().set_filter(group_a, group_b, collide)

    set_filter.__doc__ = Steered.set_filter.__doc__

    # ---- time

    def _advance_both(self, until: float, budget: float | None) -> ContactLog:
        """Advance this world, then its twin as far as time is left, and merge what they found."""
        deadline = None if budget is None else perf_counter() + budget
        later, self._later = self._later, None
        overdue, self._overdue = self._overdue, []
        try:
            logs = [*overdue, self.advance(until, budget)]  # type: ignore[attr-defined]
        finally:
            self._later = later
        complete = self.time
        if later is not None:
            later.advanced = True
            logs += later.advance(self.time, deadline)
            complete = float(later.twin.time)
        merged = ContactLog.concatenate([log for log in logs if len(log)]).ordered_from(-inf)
        if budget is None:
            return merged
        behind = later.bodies if later is not None and complete < self.time else np.empty(0, np.int64)
        return BudgetedLog.of(merged, self.time, behind, complete)

    def audit(self) -> None:
        check_not_asking(self)
        super().audit()
        if self._later is not None:
            self._later.twin.audit()

    audit.__doc__ = Steered.audit.__doc__


class _Undeferred:
    """Context in which nothing is deferred; afterwards the same bodies are again, as far as they are still there."""

    def __init__(self, world: Deferring) -> None:
        self._world = world
        self._bodies: ArrayLike = []

    def __enter__(self) -> None:
        check_not_asking(self._world)
        if self._world._later is not None:
            self._bodies = self._world._later.bodies
            self._world._end_deferral()

    def __exit__(self, *failure: Any) -> None:
        left = np.intersect1d(self._bodies, self._world.bodies)
        if len(left):
            self._world._begin_deferral(left)


def _twin_masks(masks: NDArray[np.uint64], moved: dict[int, int], others: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Masks under which groups that were moved collide as they did before, and no others do."""
    result = np.full(_GROUPS, _NEVER)
    source = {**{int(g): int(g) for g in others}, **{to: g for g, to in moved.items()}}
    for group in moved.values():
        for other in source:
            if (int(masks[source[group]]) >> source[other]) & 1:
                result[group] |= np.uint64(1 << other)
                result[other] |= np.uint64(1 << group)
    return result


def _muted(masks: NDArray[np.uint64], group: int) -> NDArray[np.uint64]:
    """Masks under which `group` collides with none."""
    result = masks & np.uint64(~(1 << group) & (2**_GROUPS - 1))
    result[group] = _NEVER
    return result
