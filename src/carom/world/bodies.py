"""The rigid and the polled bodies of a world: how they come, change and go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.bounds.polled import Polled
from carom.engine.audit import present_rows
from carom.engine.events.row_motion import advance_row, turn_row
from carom.engine.periodic import check_fits, check_periodic
from carom.engine.tables import Tables
from carom.errors import InvalidInputError
from carom.motion import Keyframes, Motion
from carom.shapes import Shape
from carom.shapes.kind import POLLED, SPHERE
from carom.tables.body_columns import FLAGS, FREE_ROW, GROUP, ID, INV_INERTIA, INV_MASS, KEYED, KIND, SHAPE
from carom.tables.run_columns import MOTION_CHANGES, NOW
from carom.world.arguments import group_number, group_numbers, inverse_masses, quaternions
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
from carom.world.broad_phase import insert, new_rows, rebuild, refresh_next, select, sync
from carom.world.polling import bounds_now
from carom.world.registry import Registry
from carom.world.starts.places import has_jumped, place_of

if TYPE_CHECKING:
    from carom.world.world import World


class Bodies:
    """Which bodies a world has, in which rows, and the shapes of polled ones. `World` says what arguments are."""

    def __init__(self) -> None:
        self.registry = Registry()
        self.polled: dict[int, Polled] = {}

    def __len__(self) -> int:
        return len(self.registry.present())

    def row(self, body: int) -> int:
        """The row of a body; UnknownBodyError for one that is not there."""
        return int(self.registry.rows([body])[0])

    def rows_by_id(self) -> dict[int, int]:
        """The rows of all bodies."""
        return dict(zip(self.registry.ids().tolist(), self.registry.present().tolist(), strict=True))

    def shape_of(self, tables: Tables, row: int) -> Shape:
        """The shape of a row whose body does not deform."""
        if tables.link[row, KIND] == POLLED:
            return self.polled[int(tables.link[row, ID])]
        return tables.shapes.shapes[int(tables.link[row, SHAPE])]

    # ---- coming

    def add(
        self,
        world: World,
        shape: Any,
        motion: Motion | Keyframes | None,
        mass: float,
        name: str | None,
        group: int,
        inertia: float | None = None,
    ) -> int:
        """Add one body; returns its id."""
        check_shape("shape", shape)
        name = validate.text("name", name)
        moved = check_motion("motion", Motion(start=world.time) if motion is None else motion)
        turns = turning(moved) or inertia is not None
        check_turning("motion", shape, turns)
        if inertia is not None:
            inertia = validate.positive("inertia", inertia)
        inverse_mass = 1.0 / validate.mass("mass", mass)
        if isinstance(moved, Motion):
            check_periodic(world._tables.periods, "shape", shape, moved.acceleration, moved.orientation)
        check_fits(world._tables.periods, "shape", shape, turns)
        group = group_number("group", group)
        sync(world)
        if isinstance(shape, Polled):
            if isinstance(moved, Keyframes):
                raise InvalidInputError("motion is Keyframes; expected a carom.Motion for a polled shape")
            bounds = bounds_now(world, shape)
        (row,), (body,) = new_rows(world, 1)
        world._tables.clear_rows(row)
        world._tables.link[row, ID] = body
        world._tables.link[row, GROUP] = group
        world._tables.body[row, INV_MASS] = inverse_mass
        write_shape(world._tables, row, shape)
        orientation = moved.orientations[0] if isinstance(moved, Keyframes) else moved.orientation
        write_orientation(world._tables, row, shape, orientation, turns)
        write_motion(world._tables, row, moved, world._origin)
        write_inertia(world._tables, row, shape, turns, inertia)
        if isinstance(shape, Polled):
            self.polled[body] = shape
            write_given(world._tables, row, bounds, world._origin)
        if name is not None:
            self.registry.names[body] = name
        world._starts.place(np.array([body]), world._advancing)
        insert(world, np.array([row], np.int32))
        select(world, world._selection.after_adding(world._tables, len(self)))
        world._deforming.jumped(body, float(world._tables.param[NOW]))
        return body

    def add_many(
        self,
        world: World,
        shapes: Shape | Sequence[Shape],
        positions: ArrayLike,
        velocities: ArrayLike | None,
        accelerations: ArrayLike | None,
        orientations: ArrayLike | None,
        masses: ArrayLike,
        groups: ArrayLike,
        names: Sequence[str] | None,
        spins: ArrayLike | None,
    ) -> NDArray[np.int64]:
        """Add n bodies; returns their ids (n,)."""
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
        if world._tables.periods.any():
            for k, shape in enumerate(each):
                check_periodic(world._tables.periods, f"shapes[{k}]", shape, acceleration[k], quat[k])
                check_fits(world._tables.periods, f"shapes[{k}]", shape, spin is not None and bool(spin[k].any()))
        if spin is not None:
            for k, shape in enumerate(each):
                check_turning(f"spins[{k}]", shape, bool(spin[k].any()))
        if n == 0:
            return np.empty(0, np.int64)
        sync(world)
        rows, ids = new_rows(world, n, position)
        tables = world._tables
        if isinstance(shapes, Shape) and shapes.kind == SPHERE:
            write_many_spheres(tables, rows, ids, shapes, (position, velocity, acceleration, inverse_mass), group)
            if orientations is not None:
                tables.quat[rows] = quat
        else:
            write_many(tables, rows, ids, each, quat, (position, velocity, acceleration, inverse_mass), group)
        if spin is not None:
            write_spins(tables, rows, each, quat, spin)
        if names is not None:
            self.registry.names.update(zip((int(i) for i in ids), names, strict=True))
        del position, velocity, acceleration, quat, inverse_mass, group, each  # a million bodies: room for the search
        world._starts.place(ids, world._advancing)
        insert(world, rows)
        select(world, world._selection.after_adding(world._tables, len(self)))
        for body in ids if world._deforming else ():
            world._deforming.jumped(int(body), float(world._tables.param[NOW]))
        return ids

    # ---- changing

    def set_motion(self, world: World, bodies: list[int], motion: Any) -> None:
        """Give bodies of these ids a motion, or one each, and tell the deforming ones which of them jump."""
        rows = self.registry.rows(bodies)
        if not world._deforming:
            self._set_motion(world, bodies, rows, motion)
            return
        sync(world)
        before = [place_of(world._tables, int(row), world._time) for row in rows]
        self._set_motion(world, bodies, rows, motion)
        now = float(world._tables.param[NOW])
        for body, row, place in zip(bodies, rows, before, strict=True):
            if has_jumped(world._tables, int(row), place):
                world._deforming.jumped(int(body), now)

    def _set_motion(self, world: World, bodies: list[int], rows: NDArray[np.int32], motion: Any) -> None:
        tables = world._tables
        motions = [motion] * len(rows) if isinstance(motion, Motion | Keyframes) else list(motion)
        if len(motions) != len(rows):
            raise InvalidInputError(f"motion has {len(motions)} entries; expected {len(rows)}, one per body")
        for k, moved in enumerate(motions):
            check_motion(f"motion[{k}]", moved)
            if isinstance(moved, Keyframes) and world._tables.link[rows[k], KIND] == POLLED:
                raise InvalidInputError(f"motion[{k}] is Keyframes; expected a carom.Motion for a polled shape")
            shape = self.shape_of(tables, int(rows[k]))
            check_turning(f"motion[{k}]", shape, turning(moved))
            check_fits(world._tables.periods, f"the body of motion[{k}]", shape, turning(moved))
            if isinstance(moved, Motion):
                check_periodic(world._tables.periods, f"motion[{k}]", shape, moved.acceleration, moved.orientation)
        sync(world)
        bounds = {body: bounds_now(world, self.polled[int(body)]) for body in bodies if int(body) in self.polled}
        for body, row, moved in zip(bodies, rows, motions, strict=True):
            before = place_of(tables, int(row), world._time)
            orientation = moved.orientations[0] if isinstance(moved, Keyframes) else moved.orientation
            if tables.link[row, KIND] == POLLED:
                write_motion(tables, row, moved, world._origin)
                write_given(tables, row, bounds[body], world._origin)
            else:
                if tables.link[row, FLAGS] == KEYED:
                    write_shape(tables, row, self.shape_of(tables, row))
                turns = turning(moved) or bool(tables.spin[row, INV_INERTIA])
                tables.turning |= turns and tables.link[row, KIND] != SPHERE
                write_orientation(tables, row, self.shape_of(tables, row), orientation, turns)
                write_motion(tables, row, moved, world._origin)
                if tables.turning:
                    tables.allow_spin()
                    tables.write_addresses()
            if has_jumped(tables, int(row), before):
                world._starts.place(np.array([body]), world._advancing)
            tables.count[MOTION_CHANGES] += 1
            world._engine.bind()
            world._engine.motion_changed(int(row))
        refresh_next(world)
        if not world._advancing:
            select(world, world._selection.after_changes(tables, world._time))

    def set_filter(self, world: World, group_a: int, group_b: int, collide: bool) -> None:
        """Say whether bodies of two groups collide."""
        a, b = group_number("group_a", group_a), group_number("group_b", group_b)
        together = validate.truth("collide", collide)
        tables = world._tables
        masks = tables.masks
        before = bool((int(masks[a]) >> b) & 1)
        for g, h in ((a, b), (b, a)):
            bit = np.uint64(1) << np.uint64(h)
            masks[g] = masks[g] | bit if together else masks[g] & ~bit
        sync(world)
        first, second, since = world._engine.reported()
        if together and not before:
            # What these groups passed through until now is no contact: their pairs begin at the current time.
            self._renew_epochs(world, a, b)
            world._starts.filters.append((a, b))
        of_first, of_second = tables.link[first, GROUP], tables.link[second, GROUP]
        apart = ((of_first == a) & (of_second == b)) | ((of_first == b) & (of_second == a))
        kept = ~apart if not together else np.ones(len(first), np.bool_)
        rebuild(world, (first[kept], second[kept], since[kept]))

    def _renew_epochs(self, world: World, a: int, b: int) -> None:
        """Let the states of bodies of groups a and b be those at the current time, without a change of motion."""
        tables = world._tables
        rows = self.rows_by_id() if world._deforming else {}
        # What pairs of the two groups passed through is no contact: they are looked at anew. For others no motion changes.
        kept = world._deforming.watched_beside(tables, rows, a, b)
        now = float(tables.param[NOW])
        present = present_rows(tables)
        for row in present[np.isin(tables.link[present, GROUP], (a, b))]:
            turn_row(tables.body, tables.quat, tables.spin, row, now)
            advance_row(tables.body, row, now)
        world._deforming.follow(tables, rows, kept)

    # ---- going

    def remove(self, world: World, bodies: list[int]) -> None:
        """Take bodies of these ids, each named once, out of the world."""
        rows = self.registry.rows(bodies)
        sync(world)
        world._engine.remove(rows)
        for row, leaving in zip(rows, bodies, strict=True):
            world._tables.timers.set(int(row), math.inf)
            world._tables.link[row, FLAGS] = FREE_ROW
            self.registry.release(int(leaving), int(row))
            self.polled.pop(int(leaving), None)
            for pair in [pair for pair in world._touching if leaving in pair]:
                del world._touching[pair]
        refresh_next(world)
