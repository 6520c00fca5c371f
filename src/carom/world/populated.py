"""The bodies of a world: how they come, change and go, and how the broad phase follows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import compiling
from carom.bounds.polled import Polled
from carom.engine.audit import present_rows
from carom.engine.broad_phase_choice import Selection
from carom.engine.contact import advance_row, turn_row
from carom.engine.periodic import check_fits, check_periodic
from carom.errors import CaromError, InvalidInputError
from carom.motion import Keyframes, Motion
from carom.shapes import Shape, Sphere
from carom.shapes.kind import POLLED, SPHERE
from carom.tables.body_columns import FLAGS, FREE_ROW, GROUP, ID, INV_INERTIA, INV_MASS, KEYED, KIND
from carom.tables.run_columns import MOTION_CHANGES, N_LOG, NEXT, NOW
from carom.tolerances import REBASE_AFTER
from carom.types import ContactLog
from carom.world.arguments import group_number, group_numbers, id_list, inverse_masses, quaternions
from carom.world.body_rows import (
    check_motion,
    check_shape,
    check_turning,
    turning,
    write_given,
    write_inertia,
    write_many,
    write_many_spheres,
    write_motion,
    write_orientation,
    write_shape,
    write_spins,
)
from carom.world.free_flight import FreeFlight, free_seconds
from carom.world.log import read_log
from carom.world.observed import Observed
from carom.world.places import has_jumped, place_of
from carom.world.polling import Touching, bounds_now
from carom.world.time_origin import move_origin


class Populated(Observed):
    """Bodies in a world, and the engine that follows them."""

    _selection: Selection
    _touching: Touching
    _logs: list[ContactLog]
    _next: float
    _advancing: bool
    _asking: bool
    """Does a function of a polled body run?"""
    response: Any
    """None, Elastic, or a function (world, contact)."""

    @property
    def time(self) -> float:
        """The current time, s."""
        return self._time

    # ---- bodies

    def add(
        self,
        shape: Shape,
        motion: Motion | Keyframes | None = None,
        mass: float = 1.0,
        name: str | None = None,
        group: int = 0,
        inertia: float | None = None,
    ) -> int:
        """Add a body at the current time; returns its id. mass inf: nothing can move it. group: 0 to 63.

        inertia: moment of inertia, kg m^2, the same about every axis, with which contacts turn the body. None: that of a
        ball of the body's reach where its motion spins, and none (contacts do not turn it) where it does not.
        """
        check_shape("shape", shape)
        name = validate.text("name", name)
        moved = check_motion("motion", Motion(start=self.time) if motion is None else motion)
        turns = turning(moved) or inertia is not None
        check_turning("motion", shape, turns)
        if inertia is not None:
            inertia = validate.positive("inertia", inertia)
        inverse_mass = 1.0 / validate.mass("mass", mass)
        if isinstance(moved, Motion):
            check_periodic(self._tables.periods, "shape", shape, moved.acceleration, moved.orientation)
        check_fits(self._tables.periods, "shape", shape, turns)
        group = group_number("group", group)
        self._sync()
        if isinstance(shape, Polled):
            if isinstance(moved, Keyframes):
                raise InvalidInputError("motion is Keyframes; expected a carom.Motion for a polled shape")
            bounds = bounds_now(self, shape)
        (row,), (body,) = self._new_rows(1)
        self._tables.clear_rows(row)
        self._tables.link[row, ID] = body
        self._tables.link[row, GROUP] = group
        self._tables.body[row, INV_MASS] = inverse_mass
        write_shape(self._tables, row, shape)
        orientation = moved.orientations[0] if isinstance(moved, Keyframes) else moved.orientation
        write_orientation(self._tables, row, shape, orientation, turns)
        write_motion(self._tables, row, moved, self._origin)
        write_inertia(self._tables, row, shape, turns, inertia)
        if isinstance(shape, Polled):
            self._polled[body] = shape
            write_given(self._tables, row, bounds, self._origin)
        if name is not None:
            self._registry.names[body] = name
        self._starts.place(np.array([body]), self._advancing)
        self._insert(np.array([row], np.int32))
        self._select(self._selection.after_adding(self._tables, len(self)))
        return body

    def add_many(
        self,
        shapes: Shape | Sequence[Shape],
        positions: ArrayLike,
        velocities: ArrayLike | None = None,
        accelerations: ArrayLike | None = None,
        orientations: ArrayLike | None = None,
        masses: ArrayLike = 1.0,
        groups: ArrayLike = 0,
        names: Sequence[str] | None = None,
        spins: ArrayLike | None = None,
    ) -> NDArray[np.int64]:
        """Add n bodies at the current time; returns their ids (n,).

        shapes: one for all, or n. positions (n, 3); velocities, accelerations (n, 3) default 0; orientations (n, 4)
        w, x, y, z; masses and groups one number or (n,); spins (n, 3), rad/s in world axes, default 0.
        """
        position = validate.array("positions", positions, (None, 3))
        n = len(position)
        zero = np.broadcast_to(0.0, (n, 3))
        velocity = zero if velocities is None else validate.array("velocities", velocities, (n, 3))
        acceleration = zero if accelerations is None else validate.array("accelerations", accelerations, (n, 3))
        quat = quaternions(orientations, n)
        inverse_mass = inverse_masses(masses, n)
        spin = None if spins is None else validate.array("spins", spins, (n, 3))
        group = group_numbers(groups, n)
        each = (
            [shapes] * n
            if isinstance(shapes, Shape)
            else validate.several("shapes", shapes, "a carom shape, or one for each body")
        )
        if len(each) != n:
            raise InvalidInputError(f"shapes has {len(each)} entries; expected {n}, as many as positions")
        names = None if names is None else validate.several("names", names, "a name for each body")
        if names is not None and len(names) != n:
            raise InvalidInputError(f"names has {len(names)} entries; expected {n}, as many as positions")
        for k, name in enumerate(names or ()):
            if not isinstance(name, str):
                raise InvalidInputError(f"names[{k}] is {validate.shown(name)}; expected a string")
        for k, shape in enumerate(each[:1] if isinstance(shapes, Shape) else each):
            if isinstance(check_shape(f"shapes[{k}]", shape), Polled):
                raise InvalidInputError(f"shapes[{k}] is a Polled shape; add polled bodies one by one")
        if self._tables.periods.any():
            for k, shape in enumerate(each):
                check_periodic(self._tables.periods, f"shapes[{k}]", shape, acceleration[k], quat[k])
                check_fits(self._tables.periods, f"shapes[{k}]", shape, spin is not None and bool(spin[k].any()))
        if spin is not None:
            for k, shape in enumerate(each):
                check_turning(f"spins[{k}]", shape, bool(spin[k].any()))
        if n == 0:
            return np.empty(0, np.int64)
        self._sync()
        rows, ids = self._new_rows(n, position)
        tables = self._tables
        if isinstance(shapes, Sphere):
            write_many_spheres(tables, rows, ids, shapes, (position, velocity, acceleration, inverse_mass), group)
            if orientations is not None:
                tables.quat[rows] = quat
        else:
            write_many(tables, rows, ids, each, quat, (position, velocity, acceleration, inverse_mass), group)
        if spin is not None:
            write_spins(tables, rows, each, quat, spin)
        if names is not None:
            self._registry.names.update(zip((int(i) for i in ids), names, strict=True))
        del position, velocity, acceleration, quat, inverse_mass, group, each  # a million bodies: room for the search
        self._starts.place(ids, self._advancing)
        self._insert(rows)
        self._select(self._selection.after_adding(self._tables, len(self)))
        return ids

    def set_motion(self, body: int | Iterable[int], motion: Motion | Keyframes | Sequence[Motion | Keyframes]) -> None:
        """Give one body, or several, a new motion from the current time on; it may jump. Only their events change."""
        bodies = id_list(body)
        rows = self._registry.rows(bodies)
        motions = [motion] * len(rows) if isinstance(motion, Motion | Keyframes) else list(motion)
        if len(motions) != len(rows):
            raise InvalidInputError(f"motion has {len(motions)} entries; expected {len(rows)}, one per body")
        for k, moved in enumerate(motions):
            check_motion(f"motion[{k}]", moved)
            if isinstance(moved, Keyframes) and self._tables.link[rows[k], KIND] == POLLED:
                raise InvalidInputError(f"motion[{k}] is Keyframes; expected a carom.Motion for a polled shape")
            shape = self._shape_of(int(rows[k]))
            check_turning(f"motion[{k}]", shape, turning(moved))
            check_fits(self._tables.periods, f"the body of motion[{k}]", shape, turning(moved))
            if isinstance(moved, Motion):
                check_periodic(self._tables.periods, f"motion[{k}]", shape, moved.acceleration, moved.orientation)
        self._sync()
        tables = self._tables
        bounds = {body: bounds_now(self, self._polled[int(body)]) for body in bodies if int(body) in self._polled}
        for body, row, moved in zip(bodies, rows, motions, strict=True):
            before = place_of(tables, int(row), self._time)
            orientation = moved.orientations[0] if isinstance(moved, Keyframes) else moved.orientation
            if tables.link[row, KIND] == POLLED:
                write_motion(tables, row, moved, self._origin)
                write_given(tables, row, bounds[body], self._origin)
            else:
                if tables.link[row, FLAGS] == KEYED:
                    write_shape(tables, row, self._shape_of(row))
                turns = turning(moved) or bool(tables.spin[row, INV_INERTIA])
                tables.turning |= turns and tables.link[row, KIND] != SPHERE
                write_orientation(tables, row, self._shape_of(row), orientation, turns)
                write_motion(tables, row, moved, self._origin)
                if tables.turning:
                    tables.allow_spin()
                    tables.write_addresses()
            if has_jumped(tables, int(row), before):
                self._starts.place(np.array([body]), self._advancing)
            tables.count[MOTION_CHANGES] += 1
            self._engine.bind()
            self._engine.motion_changed(int(row))
        self._refresh_next()
        if not self._advancing:
            self._select(self._selection.after_changes(tables, self._time))

    def remove(self, body: int | Iterable[int]) -> None:
        """Take one body, or several, out of the world. Their ids are never given out again."""
        bodies = list(dict.fromkeys(id_list(body)))
        rows = self._registry.rows(bodies)
        self._sync()
        self._engine.remove(rows)
        for row, leaving in zip(rows, bodies, strict=True):
            self._tables.timers.set(int(row), math.inf)
            self._tables.link[row, FLAGS] = FREE_ROW
            self._registry.release(int(leaving), int(row))
            self._polled.pop(int(leaving), None)
            for pair in [pair for pair in self._touching if leaving in pair]:
                del self._touching[pair]
        self._refresh_next()

    def set_filter(self, group_a: int, group_b: int, collide: bool) -> None:
        """Say whether bodies of two groups collide. All do until told otherwise."""
        a, b = group_number("group_a", group_a), group_number("group_b", group_b)
        together = validate.truth("collide", collide)
        tables = self._tables
        masks = tables.masks
        before = bool((int(masks[a]) >> b) & 1)
        for g, h in ((a, b), (b, a)):
            bit = np.uint64(1) << np.uint64(h)
            masks[g] = masks[g] | bit if together else masks[g] & ~bit
        self._sync()
        first, second, since = self._engine.reported()
        if together and not before:
            # What these groups passed through until now is no contact: their pairs begin at the current time.
            self._renew_epochs(a, b)
            self._starts.filters.append((a, b))
        of_first, of_second = tables.link[first, GROUP], tables.link[second, GROUP]
        apart = ((of_first == a) & (of_second == b)) | ((of_first == b) & (of_second == a))
        kept = ~apart if not together else np.ones(len(first), np.bool_)
        self._rebuild((first[kept], second[kept], since[kept]))

    # ---- inside

    def _renew_epochs(self, a: int, b: int) -> None:
        """Let the states of bodies of groups a and b be those at the current time, without a change of motion."""
        tables = self._tables
        now = float(tables.param[NOW])
        present = present_rows(tables)
        for row in present[np.isin(tables.link[present, GROUP], (a, b))]:
            turn_row(tables.body, tables.quat, tables.spin, row, now)
            advance_row(tables.body, row, now)

    def _select(self, another: bool) -> None:
        """Let another engine take over where one suits better."""
        if another:
            self._rebuild(self._engine.reported())

    def _new_rows(
        self, n: int, positions: NDArray[np.float64] | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Rows and ids for n new bodies; the tables grow where it takes that."""
        used = self._tables.capacity
        missing = self._registry.missing_rows(n)
        if missing:
            capacity = max(8, used + missing, 2 * used if missing <= used else 0)
            self._tables.grow(capacity)
            self._engine.resize(capacity)
            self._registry.offer_rows(used, capacity)
        return self._registry.take(n, positions)

    def _insert(self, rows: NDArray[np.int32]) -> None:
        self._tables.prepare(rows)
        self._engine.bind()
        with compiling(f"the {self._selection.running} engine"):
            self._engine.insert(rows)
            self._compile()
            self._starts.compile(self._tables, len(rows))
        self._refresh_next()

    def _compile(self) -> None:
        """Run the event loop without letting it process anything."""
        param = self._tables.param
        now = float(param[NOW])
        self._engine.advance(-math.inf)
        param[NOW] = now

    def _refresh_next(self) -> None:
        """Bodies have changed: read the time of the next event from the queues."""
        self._changed_at = self._time
        self._compile()
        self._read_next()

    def _read_next(self) -> None:
        if self._starts:  # of bodies that were put somewhere it is not known yet whether they overlap others there
            self._next, self._idle = -math.inf, True
            return
        self._next = self._origin + float(self._tables.param[NEXT])
        if self._origin != 0.0:
            self._next = math.nextafter(self._next, -math.inf)

    def _take_log(self) -> None:
        if self._tables.count[N_LOG]:
            self._logs.append(read_log(self._tables, self._origin))

    def _respond(self) -> None:
        self._take_log()
        assert callable(self.response)
        self.response(self, self._logs[-1][len(self._logs[-1]) - 1])
        self._sync()

    def _stuck(self) -> CaromError:
        why = "the response lets them approach again" if callable(self.response) else "bodies are wedged between others"
        return CaromError(f"contacts at t = {self._time} do not come to an end: {why}; the world stands at that time")

    def _rebuild(self, reported: tuple[Any, Any, Any]) -> None:
        """Start the broad phase anew from the bodies; `reported` pairs stay disarmed."""
        tables = self._tables
        self._rebuilds += 1
        present = present_rows(tables)
        tables.forget_pairs()
        self._engine = self._selection.engine(tables)
        self._engine.resize(tables.capacity)
        if len(present):
            self._insert(present)
            self._engine.remember(*reported)
        self._refresh_next()

    def _rebase(self) -> None:
        """Move the time origin to the present, so that event times keep their resolution however long a world runs."""
        self._take_log()
        first, second, since = self._engine.reported()
        move_origin(self._tables, since, 1)
        self._set_origin(self._origin + REBASE_AFTER)
        self._rebuild((first, second, since))

    def _take_off(self, least: float) -> bool:
        """Leave the broad phase behind for a time in which surely nothing happens; False where that is less than `least` s."""
        reported = self._engine.reported()
        free = free_seconds(self._tables, least, reported)
        if free == 0.0:
            return False
        self._take_log()
        end = self._origin + (float(self._tables.param[NOW]) + free)
        self._flight = FreeFlight(math.nextafter(end, -math.inf), *reported)
        self._idle = True
        return True

    def _land(self) -> None:
        assert self._flight is not None
        self._pass_stretches()
        flight, self._flight = self._flight, None
        self._rebuild((flight.first, flight.second, flight.since))
