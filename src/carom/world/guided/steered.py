"""Guided bodies in a world: how their user tells where they are, and what the world knows of what comes next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.bounds.polled import Polled
from carom.bounds.space_time import SpaceTimeBounds, space_time_bounds
from carom.engine.body_queries import orientations_at, positions_at
from carom.engine.space_time.earliest import EarliestIntersection, EarliestSearch
from carom.engine.space_time.loop import straight_sides
from carom.errors import InvalidInputError
from carom.motion import Deforming, Guided, Keyframes, Motion
from carom.motion.turning import spin_between
from carom.shapes import HalfSpace, Shape
from carom.tables.body_columns import ID, INV_MASS
from carom.tables.run_columns import MOTION_CHANGES, NOW, SLOT, TIMERS
from carom.world.arguments import id_list
from carom.world.body_rows import check_motion
from carom.world.deforming.inhabited import Follows, Inhabited
from carom.world.guided.bodies import BrokenBound, GuidedBody
from carom.world.guided.row import make_guided, make_plain, reach_of, renew, write_path, write_reach
from carom.world.guided.silence import Pairs, reported_pairs, together_now
from carom.world.places import has_jumped, place_of
from carom.world.polling import bounds_renewed

Floats = NDArray[np.float64]


class Steered(Inhabited):
    """An inhabited world with bodies in it that users steer."""

    _guided: dict[int, GuidedBody]
    _broken: list[BrokenBound]

    # ---- bodies

    def add(
        self,
        shape: Shape | Deforming,
        motion: Motion | Keyframes | Guided | None = None,
        mass: float = 1.0,
        name: str | None = None,
        group: int = 0,
        inertia: float | None = None,
        self_collision: bool = False,
    ) -> int:
        if not isinstance(motion, Guided):
            return super().add(shape, motion, mass, name, group, inertia, self_collision)
        if isinstance(shape, Deforming) or inertia is not None:
            raise InvalidInputError("motion is a carom.Guided; expected a rigid shape without inertia")
        self._check_guided("motion", shape, motion)
        if motion.start > self.time:
            raise InvalidInputError(
                f"motion.start is {motion.start}; expected a time not after the current time {self.time}"
            )
        heavy = validate.mass("mass", mass)
        body = super().add(shape, _course(motion, self.time), heavy, name, group)
        self._guided[body] = GuidedBody(motion, None, False, heavy)
        row = int(self._registry.rows([body])[0])
        make_guided(self._tables, row)
        self._steer(body, row, _course(motion, self.time), False, reported_pairs(self._engine, row))
        self._refresh_next()
        return body

    add.__doc__ = (Inhabited.add.__doc__ or "") + (
        """
        motion may be a Guided: a body that its user steers, who says again and again with `set_motion` where it is. Nothing
        else moves it. Its limits bound where it can be until they expire.
        """
    )

    def set_motion(self, body: int | Iterable[int], motion: Follows | Guided | Sequence[Follows | Guided]) -> None:
        """Give one body, or several, a new motion from the current time on; it may jump. Only their events change.

        A deforming body takes a Deforming, one body at a time; faces and number of vertices may be others than before.

        A Guided says where a body is at its `start`. If that is later than the current time, the body goes there straight and
        uniformly, turning uniformly to the orientation told, so that `advance(start)` finds every contact on the way; else it
        is there now. From `start` on it goes on at the velocity told until it is told otherwise. If the state breaks the limits
        told before, their bounds end early: `take_broken_bounds` says so. A contact of a guided body is reported once, and
        again only after the two have been apart, by more than 1e-6 of the smaller one, when the motion of one of them was told.
        """
        bodies = id_list(body)
        single = isinstance(motion, Motion | Keyframes | Deforming | Guided)
        if not single:
            motion = validate.several("motion", motion, "a motion, or one for each body")
        if not single and any(isinstance(each, Guided) for each in motion):  # type: ignore[union-attr]
            each = list(motion)  # type: ignore[arg-type]
            if len(each) != len(bodies):
                raise InvalidInputError(f"motion has {len(each)} entries; expected {len(bodies)}, one per body")
            self._set_guided(bodies, each)
        elif isinstance(motion, Guided):
            self._set_guided(bodies, [motion] * len(bodies))
        elif any(int(each) in self._guided for each in bodies):
            self._release(bodies, [motion] * len(bodies) if single else list(motion))  # type: ignore[arg-type]
            super().set_motion(bodies, motion)  # type: ignore[arg-type]
        else:
            super().set_motion(bodies, motion)  # type: ignore[arg-type]

    def _set_guided(self, bodies: Sequence[int], motions: Sequence[Any]) -> None:
        rows = self._registry.rows(bodies)
        for k, (row, each) in enumerate(zip(rows, motions, strict=True)):
            if not isinstance(each, Guided):
                raise InvalidInputError(
                    f"motion[{k}] is {validate.shown(each)}; expected a carom.Guided as the others are"
                )
            if int(bodies[k]) in self._deforming:
                raise InvalidInputError(f"motion[{k}] is a carom.Guided; expected a carom.Deforming")
            self._check_guided(f"motion[{k}]", self._shape_of(int(row)), each)
        self._sync()
        for body, row, each in zip(bodies, rows, motions, strict=True):
            self._tell(int(body), int(row), each)
        self._refresh_next()
        if not self._advancing:
            self._select(self._selection.after_changes(self._tables, self._time))

    def _check_guided(self, name: str, shape: Any, motion: Guided) -> None:
        if isinstance(shape, HalfSpace | Polled):
            raise InvalidInputError(f"{name} is a carom.Guided; expected a shape that has an end and a test of its own")
        if self._tables.periods.any():
            raise InvalidInputError(f"{name} is a carom.Guided; expected another motion in a periodic world")

    def _release(self, bodies: Sequence[int], motions: Sequence[Any]) -> None:
        """These bodies are no longer guided, if their motions are right."""
        self._registry.rows(bodies)
        if len(motions) != len(bodies):
            raise InvalidInputError(f"motion has {len(motions)} entries; expected {len(bodies)}, one per body")
        for k, motion in enumerate(motions):
            check_motion(f"motion[{k}]", motion)
        for body in bodies:
            if int(body) in self._guided:
                row = int(self._registry.rows([body])[0])
                make_plain(self._tables, row, self._shape_of(row), self._guided.pop(int(body)).mass)

    def remove(self, body: int | Iterable[int]) -> None:
        """Take one body, or several, out of the world. Their ids are never given out again."""
        bodies = id_list(body)
        super().remove(bodies)
        for leaving in bodies:
            self._guided.pop(int(leaving), None)

    # ---- steering

    def _tell(self, body: int, row: int, told: Guided) -> None:
        """The user says where the body is, or will have come to be."""
        tables, now = self._tables, self._origin + float(self._tables.param[NOW])
        before = place_of(tables, row, self._time)
        known = self._guided.get(body)
        if known is None:
            inverse = float(tables.body[row, INV_MASS])
            known = self._guided[body] = GuidedBody(told, None, False, 1.0 / inverse if inverse else math.inf)
            make_guided(tables, row)
        elif how := known.told.broken_by(told.position, told.velocity, told.start):
            self._broken.append(BrokenBound(told.start, body, how))
        holds = known.keeps_bound(told)
        if not holds:
            known.bound = None
        known.told, known.arriving = told, told.start > now
        reported = reported_pairs(self._engine, row)
        if known.arriving:
            span = told.start - now
            here, turned = (
                at(tables, np.array([row]), now - self._origin)[0] for at in (positions_at, orientations_at)
            )
            spin = spin_between(turned, told.orientation, span)
            path = Motion(here, (told.position - here) / span, orientation=turned, spin=spin, start=now)
        else:
            path = _course(told, now)
            reported = together_now(tables, reported)  # it jumps: what it is apart from before that is armed again, too
            self._deforming.jumped(body, now - self._origin)
        tables.count[MOTION_CHANGES] += 1
        self._steer(body, row, path, holds, reported)
        if has_jumped(tables, row, before):
            self._starts.place(np.array([body]), self._advancing)

    def _steer(self, body: int, row: int, path: Motion, holds: bool, reported: Pairs) -> None:
        """Put a row on a path. holds: its bounds are those it has. reported: pairs that stay silent while they touch."""
        known, tables = self._guided[body], self._tables
        write_path(tables, row, self._shape_of(row), path, self._origin)
        if not holds:
            known.bound = known.bound_from(self._origin, float(tables.param[NOW]))
        write_reach(tables, row, known.bound, self._origin)
        tables.timers.set(row, known.due() - self._origin)
        renew(tables, self._engine, row, holds, reported)

    def _guided_timer(self) -> bool:
        """The timer of the row in SLOT is due; False where that body is not a guided one."""
        tables = self._tables
        row = int(tables.count[SLOT])
        body = int(tables.link[row, ID])
        known = self._guided.get(body)
        if known is None:
            return False
        tables.count[TIMERS] += 1
        now = float(tables.param[NOW])
        expired = known.bound is not None and known.bound.expires - self._origin <= now
        if known.arriving and known.told.start - self._origin <= now:
            known.arriving = False
            path = Motion(
                known.told.position, known.told.velocity, orientation=known.told.orientation, start=known.told.start
            )
            kept = known.bound is not None and not expired
            self._steer(body, row, path, kept, reported_pairs(self._engine, row))
        else:
            known.bound = known.bound_from(self._origin, now)
            write_reach(tables, row, known.bound, self._origin)
            tables.timers.set(row, known.due() - self._origin)
            self._engine.bind()
            bounds_renewed(self._engine, row)
        return True

    # ---- reading

    def is_guided(self, body: int) -> bool:
        """Is the body one that its user steers?"""
        self._registry.rows([body])
        return int(body) in self._guided

    def guided(self, body: int) -> Guided:
        """What was told last about a guided body."""
        self._registry.rows([body])
        if int(body) not in self._guided:
            raise InvalidInputError(f"body {body} is not guided; expected one that is")
        return self._guided[int(body)].told

    def take_broken_bounds(self) -> list[BrokenBound]:
        """Guided bodies that were told to be where their limits did not allow it, since this was last asked."""
        broken, self._broken = self._broken, []
        return broken

    def earliest_possible_contact(self, within: float = 1.0) -> EarliestIntersection:
        """No contact is possible before `time`, s, whatever users do within their limits; then a and b may touch first.

        within: seconds from now that are looked at, fewer where the limits of a guided body expire, a key comes, or a body is
        still on its way before; when nothing can touch until then, time is the end of what was looked at, a and b are -1. A
        guided body whose limits have expired may be anywhere: time is now, and b is -1. Groups that do not collide count, too.
        """
        span = validate.positive("within", within)
        self._sync()
        tables, now = self._tables, float(self._tables.param[NOW])
        rows = self._registry.present()
        ids = tables.link[rows, ID].astype(np.int64)
        steered = [k for k, body in enumerate(ids) if int(body) in self._guided]
        end = now + span
        lapsed = [int(ids[k]) for k in steered if self._guided[int(ids[k])].told.expires - self._origin <= now]
        if lapsed:
            return EarliestIntersection(self.time, lapsed[0], -1)
        others = np.setdiff1d(rows, rows[steered])
        if len(others):
            end = min(end, float(tables.timers.keys[others].min()))
        for k in steered:
            told, arriving = self._guided[int(ids[k])].told, self._guided[int(ids[k])].arriving
            end = min(end, (told.start if arriving else told.expires) - self._origin)
        if end <= now:
            return EarliestIntersection(self.time, -1, -1)
        bounds = self._bounds(rows, steered, now, end)
        found = EarliestSearch(len(rows))(bounds)
        if found.a < 0:
            return EarliestIntersection(self._origin + end, -1, -1)
        a, b = sorted((int(ids[found.a]), int(ids[found.b])))
        return EarliestIntersection(found.time, a, b)

    def _bounds(self, rows: NDArray[np.int32], steered: list[int], now: float, end: float) -> SpaceTimeBounds:
        """Space-time bounds of rows from now to end, times since the time origin."""
        sides, planes = np.empty((len(rows), 12)), np.zeros((len(rows), 5))
        straight_sides(self._tables.bodies(), rows.astype(np.int64), now, end - now, sides)
        bodies = self._tables.link[rows[steered], ID]
        free = [k for k, body in zip(steered, bodies, strict=True) if not self._guided[int(body)].arriving]
        if free:
            told = [self._guided[int(self._tables.link[rows[k], ID])].told for k in free]
            reach = [float(radius) for radius in reach_of(self._tables, rows[free])]
            theirs = space_time_bounds(told, np.array(reach), start=self._origin + now, until=self._origin + end)
            sides[free], planes[free] = theirs.sides, theirs.planes
        return SpaceTimeBounds(sides, planes, np.arange(len(rows)), self._origin + now, self._origin + end)


def _course(told: Guided, now: float) -> Motion:
    """The way that a guided body goes if nobody steers it."""
    return Motion(told.position_at(now), told.velocity, orientation=told.orientation, start=now)
