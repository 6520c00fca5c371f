"""Less important bodies: their pairs may be looked at later than all others, and none of their contacts is lost.

Where nothing responds to contacts, pairs do not depend on each other. So the pairs of deferred bodies are followed by a twin of
the world, with a clock of its own that may lag behind; the world itself leaves them out. Motions that change meanwhile are
written down and told to the twin when it gets there.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from math import inf
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom.errors import CaromError, InvalidInputError
from carom.tables.body_columns import GROUP
from carom.types import BudgetedLog, ContactLog
from carom.world.arguments import id_list
from carom.world.broad_phase import rebuild, sync
from carom.world.budget import advance_within
from carom.world.polling import check_not_asking
from carom.world.saved.snapshot import take_snapshot

if TYPE_CHECKING:
    from carom.world.world import World

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


def defer(world: World, bodies: Any) -> None:
    """Defer these bodies and no others."""
    check_not_asking(world)
    ids = id_list(bodies)
    if ids:
        world._bodies.registry.rows(ids)
    if world.response is not None:
        raise InvalidInputError(f"response is {world.response!r}; expected None where bodies are deferred")
    if world._deforming or world._tables.periods.any():
        raise CaromError("a world that is periodic or has deforming bodies cannot defer any")
    end_deferral(world)
    if ids:
        begin_deferral(world, np.unique(np.asarray(ids, np.int64)))


def begin_deferral(world: World, bodies: NDArray[np.int64]) -> None:
    """Leave the pairs of these bodies to a twin."""
    sync(world)
    tables = world._tables
    world._starts.start_over(tables)
    rows = world._bodies.registry.rows(bodies.tolist())
    groups, masks = tables.link[rows, GROUP].copy(), tables.masks.copy()
    own = np.unique(groups)
    others = np.unique(tables.link[np.setdiff1d(world._bodies.registry.present(), rows), GROUP])
    spare = np.setdiff1d(np.arange(_GROUPS), np.union1d(own, others))
    if len(spare) < len(own):
        raise InvalidInputError(f"{_GROUPS - len(spare)} groups are in use; deferring takes {len(own)} more")
    twin = _twin(world)
    # Of the twin: deferred bodies, in groups of their own, with all; no others among themselves.
    moved = dict(zip(own.tolist(), spare.tolist(), strict=False))
    twin._tables.link[rows, GROUP] = [moved[int(group)] for group in groups]
    twin._tables.masks = _twin_masks(masks, moved, others)
    rebuild(twin, twin._engine.reported())
    # Here: the same bodies with nobody.
    first, second, since = world._engine.reported()
    kept = ~(np.isin(first, rows) | np.isin(second, rows))
    tables.link[rows, GROUP] = spare[0]
    tables.masks = _muted(masks, int(spare[0]))
    rebuild(world, (first[kept], second[kept], since[kept]))
    world._deferral = Deferral(twin, bodies, groups, masks)


def _twin(world: World) -> World:
    """A world that goes on as this one would."""
    shapes = [world._bodies.shape_of(world._tables, int(row)) for row in world._bodies.registry.present()]
    return world.restore(take_snapshot(world), shapes, **world._options)


def end_deferral(world: World) -> None:
    """Look at what was put off and take its bodies back."""
    if world._deferral is None:
        return
    later, world._deferral = world._deferral, None
    world._overdue += later.catch_up(world.time)
    sync(world)
    sync(later.twin)
    for each in (world, later.twin):
        each._starts.start_over(each._tables)
    world._starts.join(later.twin._starts)
    rows = world._bodies.registry.rows(later.bodies.tolist())
    world._tables.link[rows, GROUP] = later.groups
    world._tables.masks = later.masks
    # Rows of the twin are rows here: bodies come and go only when nothing is deferred.
    reported = zip(world._engine.reported(), later.twin._engine.reported(), strict=True)
    rebuild(world, tuple(np.concatenate(each) for each in reported))  # type: ignore[arg-type]


def advance_both(world: World, until: float, budget: float | None) -> ContactLog:
    """Advance this world, then its twin as far as time is left, and merge what they found."""
    deadline = None if budget is None else perf_counter() + budget
    later, world._deferral = world._deferral, None
    overdue, world._overdue = world._overdue, []
    try:
        logs = [*overdue, world.advance(until, budget)]
    finally:
        world._deferral = later
    complete = world.time
    if later is not None:
        later.advanced = True
        logs += later.advance(world.time, deadline)
        complete = float(later.twin.time)
    merged = ContactLog.concatenate([log for log in logs if len(log)]).ordered_from(-inf)
    if budget is None:
        return merged
    behind = later.bodies if later is not None and complete < world.time else np.empty(0, np.int64)
    return BudgetedLog.of(merged, world.time, behind, complete)


class Undeferred:
    """Context in which nothing is deferred; afterwards the same bodies are again, as far as they are still there."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._bodies: ArrayLike = []

    def __enter__(self) -> None:
        check_not_asking(self._world)
        if self._world._deferral is not None:
            self._bodies = self._world._deferral.bodies
            end_deferral(self._world)

    def __exit__(self, *failure: Any) -> None:
        left = np.intersect1d(self._bodies, self._world.bodies)
        if len(left):
            begin_deferral(self._world, left)


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
