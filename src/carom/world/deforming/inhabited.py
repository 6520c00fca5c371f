"""Deforming bodies beside rigid ones: how they come, change and go, and what happens when one of their events is due."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.engine.body_queries import positions_at
from carom.engine.predict import CONTACT_TIE
from carom.engine.sweep.engine import bounds_of
from carom.errors import AuditError, InvalidInputError
from carom.maths.fixed_order import product
from carom.motion import Deforming, Keyframes, Motion
from carom.narrow.toi.status import OVERLAPPING
from carom.shapes import Mesh, Shape
from carom.tables.body_columns import GROUP, ID
from carom.tables.run_columns import CALLABLE, ELASTIC, MOTION_CHANGES, N_LOG, NOW, RESPONSE, SLOT, TIMERS
from carom.tolerances import BOUND_PAD, EPSILON, REBASE_AFTER
from carom.world.arguments import group_number, id_list
from carom.world.deforming.bodies import DeformingBodies, DeformingBody
from carom.world.deforming.bounds import write_piece, write_surface
from carom.world.deforming.contact import bounce, write_contact
from carom.world.deforming.flightplans import Flightplans
from carom.world.deforming.watch import Watch
from carom.world.places import has_jumped, place_of
from carom.world.polling import bounds_renewed, check_not_asking
from carom.world.populated import Populated

Floats = NDArray[np.float64]
Follows = Motion | Keyframes | Deforming


class Inhabited(Populated):
    """A populated world with deforming bodies in it."""

    _deforming: DeformingBodies

    # ---- bodies

    def add(
        self,
        shape: Shape | Deforming,
        motion: Motion | Keyframes | None = None,
        mass: float = 1.0,
        name: str | None = None,
        group: int = 0,
        inertia: float | None = None,
        self_collision: bool = False,
    ) -> int:
        """Add a body at the current time; returns its id. mass inf: nothing can move it. group: 0 to 63.

        inertia: moment of inertia, kg m^2, the same about every axis, with which contacts turn the body. None: that of a
        ball of the body's reach where its motion spins, and none (contacts do not turn it) where it does not.

        shape may be a Deforming, which is shape and motion in one: motion and inertia stay None, and nothing moves it, whatever
        its mass. Before its first key it rests, and after its last. self_collision: report where it touches itself, too.
        Contacts of a Deforming are of single triangles: without a response each pair of triangles is reported when it first
        touches, and again after it was apart at a key, or when one of its motions was changed. Triangles that are in another
        body at the start are reported then, with status OVERLAPPING, coming closer or not.
        """
        self_collision = validate.truth("self_collision", self_collision)
        if isinstance(shape, Deforming):
            if motion is not None or inertia is not None:
                raise InvalidInputError(
                    "motion or inertia is given; expected None for a Deforming, which has its own motion"
                )
            validate.mass("mass", mass)
            validate.text("name", name)
            return self._add_deforming(
                shape, name, group_number("group", group), validate.truth("self_collision", self_collision)
            )
        if validate.truth("self_collision", self_collision):
            raise InvalidInputError(f"self_collision is for deforming bodies; shape is {validate.shown(shape)}")
        body = super().add(shape, motion, mass, name, group, inertia)
        self._deforming.jumped(body, float(self._tables.param[NOW]))
        return body

    def add_many(self, *arguments: Any, **options: Any) -> NDArray[np.int64]:
        ids = super().add_many(*arguments, **options)
        for body in ids if self._deforming else ():
            self._deforming.jumped(int(body), float(self._tables.param[NOW]))
        return ids

    add_many.__doc__ = Populated.add_many.__doc__

    def _add_deforming(self, motion: Deforming, name: str | None, group: int, self_collision: bool) -> int:
        if self._tables.periods.any():
            raise InvalidInputError("shape is a Deforming; expected a rigid one in a periodic world")
        validate.in_range("vertices", motion.vertices)
        self._sync()
        now = float(self._tables.param[NOW])
        plans = Flightplans(motion, self._origin, now)
        (row,), (body,) = self._new_rows(1)
        self._tables.clear_rows(row)
        self._tables.link[row, ID] = body
        self._tables.link[row, GROUP] = group
        write_surface(self._tables, row)
        self._deforming.put(int(body), DeformingBody(plans, self_collision, now))
        self._enter_piece(int(body), row)
        if name is not None:
            self._registry.names[body] = str(name)
        self._insert(np.array([row], np.int32))
        self._select(self._selection.after_adding(self._tables, len(self)))
        return int(body)

    def set_motion(self, body: int | Iterable[int], motion: Follows | Sequence[Follows]) -> None:
        """Give one body, or several, a new motion from the current time on; it may jump. Only their events change.

        A deforming body takes a Deforming, one body at a time; faces and number of vertices may be others than before.
        """
        bodies = id_list(body)
        rows = self._registry.rows(bodies)
        if not isinstance(motion, Deforming) and not any(int(k) in self._deforming for k in bodies):
            self._set_rigid(bodies, rows, motion)
            return
        if len(bodies) != 1 or not isinstance(motion, Deforming) or int(bodies[0]) not in self._deforming:
            raise InvalidInputError(
                f"motion is {type(motion).__name__} for body {bodies}; expected one carom.Deforming for one deforming body"
            )
        validate.in_range("motion.vertices", motion.vertices)
        self._sync()
        known, now = self._deforming[int(bodies[0])], float(self._tables.param[NOW])
        here, before = known.plans.piece.at(now), known.plans
        plans = Flightplans(motion, self._origin, now)
        plans.replace(before)
        there = plans.piece.start
        if here.shape != there.shape or not np.array_equal(plans.faces, before.faces):
            self._deforming.put(int(bodies[0]), DeformingBody(plans, known.self_collision, now))
        else:
            moved = np.abs(here - there).max()
            jumps = moved > BOUND_PAD * np.ptp(here, axis=0).max() + 64.0 * EPSILON * np.abs(here).max()
            known.plans = plans
            known.appeared = now if jumps else known.appeared
        self._plans_changed(int(bodies[0]), int(rows[0]))

    def _set_rigid(self, bodies: list[int], rows: NDArray[np.int32], motion: Any) -> None:
        if not self._deforming:
            super().set_motion(bodies, motion)
            return
        self._sync()
        before = [place_of(self._tables, int(row), self._time) for row in rows]
        super().set_motion(bodies, motion)
        now = float(self._tables.param[NOW])
        for body, row, place in zip(bodies, rows, before, strict=True):
            if has_jumped(self._tables, int(row), place):
                self._deforming.jumped(int(body), now)

    def set_flightplan(self, body: int, velocities: ArrayLike, vertices: ArrayLike | None = None) -> None:
        """From now on vertices of a deforming body move straight, until they are told otherwise; keys no longer count for them.

        velocities: (3,) for all, or (k, 3), m/s. vertices: rows (k,) of the vertices, None for all of them. All other vertices
        go on as before. Only the events of this body change.
        """
        check_not_asking(self)
        row = int(self._registry.rows([body])[0])
        if int(body) not in self._deforming:
            raise InvalidInputError(f"body {body} is rigid; expected a deforming one")
        plans = self._deforming[int(body)].plans
        chosen = np.arange(len(plans)) if vertices is None else validate.rows("vertices", vertices, len(plans))
        speeds = np.broadcast_to(validate.array("velocities", velocities, (3,), (len(chosen), 3)), (len(chosen), 3))
        self._sync()
        plans.steer(chosen, speeds, float(self._tables.param[NOW]))
        self._plans_changed(int(body), row)

    def _plans_changed(self, body: int, row: int) -> None:
        self._enter_piece(body, row)
        self._tables.count[MOTION_CHANGES] += 1
        self._engine.bind()
        self._engine.motion_changed(row)
        self._refresh_next()
        if not self._advancing:
            self._select(self._selection.after_changes(self._tables, self._time))

    def remove(self, body: int | Iterable[int]) -> None:
        """Take one body, or several, out of the world. Their ids are never given out again."""
        bodies = id_list(body)
        super().remove(bodies)
        for leaving in bodies:
            self._deforming.forget(int(leaving))

    # ---- reading

    def vertices(self, body: int, t: float | None = None) -> Floats:
        """Vertices (n, 3) of a deforming body at time t, default now, under its present motion."""
        return np.array(self._plans_of(body).at(self._local(t)))

    def is_deforming(self, body: int) -> bool:
        """Is the body a deforming one?"""
        self._registry.rows([body])
        return int(body) in self._deforming

    def deforming(self, body: int) -> Deforming:
        """The motion that a deforming body follows from its present piece on, as keys."""
        return self._plans_of(body).remaining()

    def _plans_of(self, body: int) -> Flightplans:
        self._registry.rows([body])
        if int(body) not in self._deforming:
            raise InvalidInputError(f"body {body} is rigid; expected a deforming one")
        return self._deforming[int(body)].plans

    def _shape_of(self, row: int) -> Shape:
        """The shape of a row; of a deforming body its surface as it is now, about its position."""
        body = int(self._tables.link[row, ID])
        if body not in self._deforming:
            return super()._shape_of(row)
        plans, now = self._deforming[body].plans, self._time - self._origin
        return Mesh(plans.at(now) - positions_at(self._tables, np.array([row]), now), plans.faces)

    def audit(self) -> None:
        """Prove the whole state: order of lists and queues, every overlapping pair known, every prediction right.

        Of deforming bodies: all vertices are within their bounds, no pair is asked about after its next contact, and no
        triangle comes to be in a rigid body, by now or by some instants before the next key, without a contact.
        Raises AuditError naming what does not hold.
        """
        super().audit()
        tables, now = self._tables, float(self._tables.param[NOW])
        for body, row in zip(self.bodies, self._registry.present(), strict=True):
            if int(body) in self._deforming:
                along = product(self._deforming[int(body)].plans.at(now), tables.axes.T)
                low, high = bounds_of(tables, np.array([row], np.int32), now)
                if (along < low).any() or (along > high).any():
                    raise AuditError(f"a vertex of body {body} is outside of its bounds")
        slots, first, second = self._engine.pair_rows()
        for slot, row_a, row_b in zip(slots, first, second, strict=True):
            a, b = int(tables.link[row_a, ID]), int(tables.link[row_b, ID])
            if (a in self._deforming or b in self._deforming) and a not in self._polled and b not in self._polled:
                watch = self._deforming.watch(tables, a, int(row_a), b, int(row_b))
                if self._engine.queue.time(int(slot)) > watch.time:
                    raise AuditError(f"bodies {a} and {b} are asked about after their next contact at {watch.time}")
                missed = watch.passed_over(now)
                if missed is not None:
                    face, t = missed
                    raise AuditError(
                        f"triangle {face} has no contact before {t + self._origin}, when bodies {a} and {b} overlap there"
                    )

    # ---- events

    def _enter_piece(self, body: int, row: int) -> None:
        write_piece(self._tables, row, self._deforming[body].plans.piece)
        self._set_timer(body, row)

    def _set_timer(self, body: int, row: int) -> None:
        """A deforming body's timer is its next key, or its next contact with itself, which no pair of the loop holds."""
        known = self._deforming[body]
        due = known.plans.piece.end
        if known.self_collision:
            due = min(due, self._deforming.watch(self._tables, body, row, body, row).time)
        self._tables.timers.set(row, due)

    def _deforming_timer(self) -> bool:
        """The timer of the row in SLOT is due; False where that body is not a deforming one."""
        tables = self._tables
        row = int(tables.count[SLOT])
        body = int(tables.link[row, ID])
        if body not in self._deforming:
            return False
        now = float(tables.param[NOW])
        plans = self._deforming[body].plans
        if plans.piece.end <= now:
            tables.count[TIMERS] += 1
            plans.advance()
            self._enter_piece(body, row)
            bounds_renewed(self._engine, row)
            return True
        watch = self._deforming.watch(tables, body, row, body, row)
        k = watch.next if watch.contact_time <= now else -1
        if k < 0:
            watch.look_on()
        else:
            watch.next += 1
        self._set_timer(body, row)
        if k >= 0:
            self._report(watch, k, row, row)
        return True

    def _asked_of_deforming(self) -> bool:
        """The pair in SLOT is to be looked at, or touches; False where a polled body answers for it."""
        tables = self._tables
        slot = int(tables.count[SLOT])
        row_a, row_b = self._engine.rows_of(slot)
        a, b = int(tables.link[row_a, ID]), int(tables.link[row_b, ID])
        if a in self._polled or b in self._polled:
            return False
        now = float(tables.param[NOW])
        watch = self._deforming.watch(tables, a, row_a, b, row_b)
        while watch.look_at <= now and watch.contact_time > watch.look_at:
            watch.look_on()
        k = watch.next if watch.contact_time <= now else -1
        watch.next += k >= 0
        tie = (a << 31) | b
        self._engine.queue.set(slot, watch.time, tie | CONTACT_TIE if watch.contact_time <= watch.look_at else tie)
        if k >= 0:
            self._report(watch, k, row_a, row_b)
        return True

    def _report(self, watch: Watch, k: int, row_a: int, row_b: int) -> None:
        """Log contact k of a watch and respond to it. The next event of the pair is scheduled already."""
        tables, touches = self._tables, watch.touches
        if tables.count[N_LOG] == len(tables.log):
            self._take_log()
        write_contact(tables, row_a, row_b, touches, k)
        bodies = (int(tables.link[row_a, ID]), int(tables.link[row_b, ID]))
        if not self._deforming.repeats.come_to_an_end(float(tables.param[NOW]), bodies, touches.faces[k], len(self)):
            raise self._stuck()
        parts = touches.status[k] == OVERLAPPING and touches.speeds[k] < 0.0
        if tables.count[RESPONSE] == CALLABLE and not parts:
            self._respond()
        elif tables.count[RESPONSE] == ELASTIC:
            # One of the two may be rigid; nothing moves the other.
            for row, sign in ((row_a, -1.0), (row_b, 1.0)):
                if bounce(tables, row, touches.points[k], sign * touches.normals[k], float(touches.speeds[k])):
                    tables.count[MOTION_CHANGES] += 1
                    self._engine.bind()
                    self._engine.motion_changed(row)

    def _renew_epochs(self, a: int, b: int) -> None:
        if not self._deforming:
            super()._renew_epochs(a, b)
            return
        tables, rows = self._tables, self._rows_by_id()
        # What pairs of the two groups passed through is no contact: they are looked at anew. For others no motion changes.
        others = [
            (one, other)
            for one, other in self._deforming.watched()
            if sorted(int(tables.link[rows[body], GROUP]) for body in (one, other)) != sorted((a, b))
        ]
        for one, other in others:
            self._deforming.watch(tables, one, rows[one], other, rows[other])
        super()._renew_epochs(a, b)
        self._deforming.follow(tables, rows, others)

    def _rows_by_id(self) -> dict[int, int]:
        return {int(body): int(row) for body, row in zip(self.bodies, self._registry.present(), strict=True)}

    def _rebase(self) -> None:
        if not self._deforming:
            super()._rebase()
            return
        rows = self._rows_by_id()
        current = self._deforming.current(self._tables, rows)
        super()._rebase()
        self._deforming.shift_time(self._tables, REBASE_AFTER, rows, current)
