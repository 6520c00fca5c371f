"""Guided bodies in a world: how their user tells where they are, and what the world knows of what comes next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom import validate
from carom.bounds.meetings.earliest import EarliestIntersection, EarliestSearch
from carom.bounds.polled import Polled
from carom.bounds.space_time import SpaceTimeBounds, space_time_bounds
from carom.engine.body_queries import orientations_at, positions_at
from carom.engine.space_time import straight_sides
from carom.errors import InvalidInputError
from carom.motion import Deforming, Guided, Keyframes, Motion
from carom.motion.turning import spin_between
from carom.shapes import HalfSpace
from carom.tables.body_columns import ID, INV_MASS
from carom.tables.run_columns import MOTION_CHANGES, NOW, SLOT, TIMERS
from carom.world.body_rows import check_motion
from carom.world.broad_phase import refresh_next, select, sync
from carom.world.guided.bodies import BrokenBound, GuidedBody
from carom.world.guided.row import make_guided, make_plain, reach_of, renew, write_path, write_reach
from carom.world.guided.silence import Pairs, reported_pairs, together_now
from carom.world.polling import bounds_renewed
from carom.world.starts.places import has_jumped, place_of

if TYPE_CHECKING:
    from carom.world.world import World


class GuidedBodies:
    """Bodies that users steer, by id, and the broken bounds that nobody has asked for yet."""

    def __init__(self, by_id: dict[int, GuidedBody] | None = None, broken: list[BrokenBound] | None = None) -> None:
        self.by_id = {} if by_id is None else by_id
        self.broken = [] if broken is None else broken

    def __contains__(self, body: int) -> bool:
        return body in self.by_id

    def take_broken(self) -> list[BrokenBound]:
        """The broken bounds since this was last asked."""
        broken, self.broken = self.broken, []
        return broken

    def add(
        self, world: World, shape: Any, motion: Guided, mass: float, name: str | None, group: int, inertia: float | None
    ) -> int:
        """Add a guided body; returns its id."""
        if isinstance(shape, Deforming) or inertia is not None:
            raise InvalidInputError("motion is a carom.Guided; expected a rigid shape without inertia")
        self._check_guided(world, "motion", shape, motion)
        if motion.start > world.time:
            raise InvalidInputError(
                f"motion.start is {motion.start}; expected a time not after the current time {world.time}"
            )
        heavy = validate.mass("mass", mass)
        body = world._bodies.add(world, shape, _course(motion, world.time), heavy, name, group)
        self.by_id[body] = GuidedBody(motion, None, False, heavy)
        row = world._bodies.row(body)
        make_guided(world._tables, row)
        self._steer(world, body, row, _course(motion, world.time), False, reported_pairs(world._engine, row))
        refresh_next(world)
        return body

    def set_motion(self, world: World, bodies: list[int], motion: Any) -> bool:
        """Tell where bodies are; False where `motion` says something else. Then they are no longer guided."""
        if isinstance(motion, Guided):
            self._set(world, bodies, [motion] * len(bodies))
            return True
        single = isinstance(motion, Motion | Keyframes | Deforming)
        if not single and any(isinstance(each, Guided) for each in motion):
            if len(motion) != len(bodies):
                raise InvalidInputError(f"motion has {len(motion)} entries; expected {len(bodies)}, one per body")
            self._set(world, bodies, motion)
            return True
        if any(body in self.by_id for body in bodies):
            self._release(world, bodies, [motion] * len(bodies) if single else motion)
        return False

    def forget(self, body: int) -> None:
        """The body leaves."""
        self.by_id.pop(body, None)

    def _set(self, world: World, bodies: Sequence[int], motions: Sequence[Any]) -> None:
        rows = world._bodies.registry.rows(bodies)
        for k, (row, each) in enumerate(zip(rows, motions, strict=True)):
            if not isinstance(each, Guided):
                raise InvalidInputError(
                    f"motion[{k}] is {validate.shown(each)}; expected a carom.Guided as the others are"
                )
            if int(bodies[k]) in world._deforming:
                raise InvalidInputError(f"motion[{k}] is a carom.Guided; expected a carom.Deforming")
            self._check_guided(world, f"motion[{k}]", world._bodies.shape_of(world._tables, int(row)), each)
        sync(world)
        for body, row, each in zip(bodies, rows, motions, strict=True):
            self._tell(world, int(body), int(row), each)
        refresh_next(world)
        if not world._advancing:
            select(world, world._selection.after_changes(world._tables, world._time))

    def _check_guided(self, world: World, name: str, shape: Any, motion: Guided) -> None:
        if isinstance(shape, HalfSpace | Polled):
            raise InvalidInputError(f"{name} is a carom.Guided; expected a shape that has an end and a test of its own")
        if world._tables.periods.any():
            raise InvalidInputError(f"{name} is a carom.Guided; expected another motion in a periodic world")

    def _release(self, world: World, bodies: Sequence[int], motions: Sequence[Any]) -> None:
        """These bodies are no longer guided, if their motions are right."""
        world._bodies.registry.rows(bodies)
        if len(motions) != len(bodies):
            raise InvalidInputError(f"motion has {len(motions)} entries; expected {len(bodies)}, one per body")
        for k, motion in enumerate(motions):
            check_motion(f"motion[{k}]", motion)
        for body in bodies:
            if int(body) in self.by_id:
                row = int(world._bodies.registry.rows([body])[0])
                make_plain(
                    world._tables, row, world._bodies.shape_of(world._tables, row), self.by_id.pop(int(body)).mass
                )

    def _tell(self, world: World, body: int, row: int, told: Guided) -> None:
        """The user says where the body is, or will have come to be."""
        tables, now = world._tables, world._origin + float(world._tables.param[NOW])
        before = place_of(tables, row, world._time)
        known = self.by_id.get(body)
        if known is None:
            inverse = float(tables.body[row, INV_MASS])
            known = self.by_id[body] = GuidedBody(told, None, False, 1.0 / inverse if inverse else math.inf)
            make_guided(tables, row)
        elif how := known.told.broken_by(told.position, told.velocity, told.start):
            self.broken.append(BrokenBound(told.start, body, how))
        holds = known.keeps_bound(told)
        if not holds:
            known.bound = None
        known.told, known.arriving = told, told.start > now
        reported = reported_pairs(world._engine, row)
        if known.arriving:
            span = told.start - now
            here, turned = (
                at(tables, np.array([row]), now - world._origin)[0] for at in (positions_at, orientations_at)
            )
            spin = spin_between(turned, told.orientation, span)
            path = Motion(here, (told.position - here) / span, orientation=turned, spin=spin, start=now)
        else:
            path = _course(told, now)
            reported = together_now(tables, reported)  # it jumps: what it is apart from before that is armed again, too
            world._deforming.jumped(body, now - world._origin)
        tables.count[MOTION_CHANGES] += 1
        self._steer(world, body, row, path, holds, reported)
        if has_jumped(tables, row, before):
            world._starts.place(np.array([body]), world._advancing)

    def _steer(self, world: World, body: int, row: int, path: Motion, holds: bool, reported: Pairs) -> None:
        """Put a row on a path. holds: its bounds are those it has. reported: pairs that stay silent while they touch."""
        known, tables = self.by_id[body], world._tables
        write_path(tables, row, world._bodies.shape_of(world._tables, row), path, world._origin)
        if not holds:
            known.bound = known.bound_from(world._origin, float(tables.param[NOW]))
        write_reach(tables, row, known.bound, world._origin)
        tables.timers.set(row, known.due() - world._origin)
        renew(tables, world._engine, row, holds, reported)

    def timer(self, world: World) -> bool:
        """The timer of the row in SLOT is due; False where that body is not a guided one."""
        tables = world._tables
        row = int(tables.count[SLOT])
        body = int(tables.link[row, ID])
        known = self.by_id.get(body)
        if known is None:
            return False
        tables.count[TIMERS] += 1
        now = float(tables.param[NOW])
        expired = known.bound is not None and known.bound.expires - world._origin <= now
        if known.arriving and known.told.start - world._origin <= now:
            known.arriving = False
            path = Motion(
                known.told.position, known.told.velocity, orientation=known.told.orientation, start=known.told.start
            )
            kept = known.bound is not None and not expired
            self._steer(world, body, row, path, kept, reported_pairs(world._engine, row))
        else:
            known.bound = known.bound_from(world._origin, now)
            write_reach(tables, row, known.bound, world._origin)
            tables.timers.set(row, known.due() - world._origin)
            world._engine.bind()
            bounds_renewed(world._engine, row)
        return True

    def told(self, world: World, body: int) -> Guided:
        """What was told last about a guided body; InvalidInputError for another one."""
        world._bodies.registry.rows([body])
        if int(body) not in self.by_id:
            raise InvalidInputError(f"body {body} is not guided; expected one that is")
        return self.by_id[int(body)].told

    def earliest_possible_contact(self, world: World, within: float) -> EarliestIntersection:
        """No contact is possible before this, within so many seconds from now."""
        span = validate.positive("within", within)
        sync(world)
        tables, now = world._tables, float(world._tables.param[NOW])
        rows = world._bodies.registry.present()
        ids = tables.link[rows, ID].astype(np.int64)
        steered = [k for k, body in enumerate(ids) if int(body) in self.by_id]
        end = now + span
        lapsed = [int(ids[k]) for k in steered if self.by_id[int(ids[k])].told.expires - world._origin <= now]
        if lapsed:
            return EarliestIntersection(world.time, lapsed[0], -1)
        others = np.setdiff1d(rows, rows[steered])
        if len(others):
            end = min(end, float(tables.timers.keys[others].min()))
        for k in steered:
            told, arriving = self.by_id[int(ids[k])].told, self.by_id[int(ids[k])].arriving
            end = min(end, (told.start if arriving else told.expires) - world._origin)
        if end <= now:
            return EarliestIntersection(world.time, -1, -1)
        bounds = self._bounds(world, rows, steered, now, end)
        found = EarliestSearch(len(rows))(bounds)
        if found.a < 0:
            return EarliestIntersection(world._origin + end, -1, -1)
        a, b = sorted((int(ids[found.a]), int(ids[found.b])))
        return EarliestIntersection(found.time, a, b)

    def _bounds(
        self, world: World, rows: NDArray[np.int32], steered: list[int], now: float, end: float
    ) -> SpaceTimeBounds:
        """Space-time bounds of rows from now to end, times since the time origin."""
        sides, planes = np.empty((len(rows), 12)), np.zeros((len(rows), 5))
        straight_sides(world._tables.bodies(), rows.astype(np.int64), now, end - now, sides)
        bodies = world._tables.link[rows[steered], ID]
        free = [k for k, body in zip(steered, bodies, strict=True) if not self.by_id[int(body)].arriving]
        if free:
            told = [self.by_id[int(world._tables.link[rows[k], ID])].told for k in free]
            reach = [float(radius) for radius in reach_of(world._tables, rows[free])]
            theirs = space_time_bounds(told, np.array(reach), start=world._origin + now, until=world._origin + end)
            sides[free], planes[free] = theirs.sides, theirs.planes
        return SpaceTimeBounds(sides, planes, np.arange(len(rows)), world._origin + now, world._origin + end)


def _course(told: Guided, now: float) -> Motion:
    """The way that a guided body goes if nobody steers it."""
    return Motion(told.position_at(now), told.velocity, orientation=told.orientation, start=now)
