"""Deforming bodies beside rigid ones: how they come, change and go, and what happens when one of their events is due."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from carom import validate
from carom.engine.body_boxes import bounds_at
from carom.engine.body_queries import positions_at
from carom.engine.events.order import tie_of
from carom.errors import AuditError, InvalidInputError
from carom.maths.fixed_order import product
from carom.motion import Deforming
from carom.narrow.toi.status import OVERLAPPING
from carom.shapes import Mesh
from carom.tables.body_columns import GROUP, ID, INV_MASS, LAST_HIT
from carom.tables.run_columns import CALLABLE, ELASTIC, MOTION_CHANGES, N_LOG, NOW, RESPONSE, SLOT, TIMERS
from carom.tolerances import BOUND_PAD, EPSILON
from carom.world.arguments import group_number
from carom.world.broad_phase import insert, new_rows, refresh_next, select, sync
from carom.world.deforming.bodies import DeformingBody
from carom.world.deforming.bounds import write_piece, write_surface
from carom.world.deforming.contact import bounce, write_contact
from carom.world.deforming.flightplans import Flightplans
from carom.world.deforming.watch import Watch
from carom.world.log import take_log
from carom.world.polling import bounds_renewed, check_not_asking
from carom.world.responding import respond, stuck

if TYPE_CHECKING:
    from carom.world.world import World


def add_deforming(
    world: World,
    shape: Deforming,
    motion: Any,
    mass: float,
    name: str | None,
    group: int,
    inertia: float | None,
    self_collision: bool,
) -> int:
    """Add a deforming body; returns its id."""
    if motion is not None or inertia is not None:
        raise InvalidInputError("motion or inertia is given; expected None for a Deforming, which has its own motion")
    validate.mass("mass", mass)
    validate.text("name", name)
    group = group_number("group", group)
    if world._tables.periods.any():
        raise InvalidInputError("shape is a Deforming; expected a rigid one in a periodic world")
    validate.in_range("vertices", shape.vertices)
    sync(world)
    now = float(world._tables.param[NOW])
    plans = Flightplans(shape, world._origin, now)
    (row,), (body,) = new_rows(world, 1)
    world._tables.clear_rows(row)
    world._tables.link[row, ID] = body
    world._tables.link[row, GROUP] = group
    write_surface(world._tables, row)
    world._deforming.put(int(body), DeformingBody(plans, self_collision, now))
    _enter_piece(world, int(body), row)
    if name is not None:
        world._bodies.registry.names[body] = str(name)
    insert(world, np.array([row], np.int32))
    select(world, world._selection.after_adding(world._tables, len(world)))
    return int(body)


def set_deforming(world: World, bodies: list[int], motion: Any) -> bool:
    """Give a deforming body another motion; False where neither the bodies nor the motion are deforming."""
    rows = world._bodies.registry.rows(bodies)
    if not isinstance(motion, Deforming) and not any(int(k) in world._deforming for k in bodies):
        return False
    if len(bodies) != 1 or not isinstance(motion, Deforming) or int(bodies[0]) not in world._deforming:
        raise InvalidInputError(
            f"motion is {type(motion).__name__} for body {bodies}; expected one carom.Deforming for one deforming body"
        )
    validate.in_range("motion.vertices", motion.vertices)
    sync(world)
    known, now = world._deforming[int(bodies[0])], float(world._tables.param[NOW])
    here, before = known.plans.piece.at(now), known.plans
    plans = Flightplans(motion, world._origin, now)
    plans.replace(before)
    there = plans.piece.start
    if here.shape != there.shape or not np.array_equal(plans.faces, before.faces):
        world._deforming.put(int(bodies[0]), DeformingBody(plans, known.self_collision, now))
    else:
        moved = np.abs(here - there).max()
        jumps = moved > BOUND_PAD * np.ptp(here, axis=0).max() + 64.0 * EPSILON * np.abs(here).max()
        known.plans = plans
        known.appeared = now if jumps else known.appeared
    _plans_changed(world, int(bodies[0]), int(rows[0]))
    return True


def set_flightplan(world: World, body: int, velocities: ArrayLike, vertices: ArrayLike | None) -> None:
    """Let vertices of a deforming body move straight."""
    check_not_asking(world)
    row = int(world._bodies.registry.rows([body])[0])
    if int(body) not in world._deforming:
        raise InvalidInputError(f"body {body} is rigid; expected a deforming one")
    plans = world._deforming[int(body)].plans
    chosen = np.arange(len(plans)) if vertices is None else validate.rows("vertices", vertices, len(plans))
    speeds = np.broadcast_to(validate.array("velocities", velocities, (3,), (len(chosen), 3)), (len(chosen), 3))
    sync(world)
    plans.steer(chosen, speeds, float(world._tables.param[NOW]))
    _plans_changed(world, int(body), row)


def _plans_changed(world: World, body: int, row: int) -> None:
    _enter_piece(world, body, row)
    world._tables.count[MOTION_CHANGES] += 1
    world._engine.bind()
    world._engine.motion_changed(row)
    refresh_next(world)
    if not world._advancing:
        select(world, world._selection.after_changes(world._tables, world._time))


def plans_of(world: World, body: int) -> Flightplans:
    """The plans of a deforming body; InvalidInputError for a rigid one."""
    world._bodies.registry.rows([body])
    if int(body) not in world._deforming:
        raise InvalidInputError(f"body {body} is rigid; expected a deforming one")
    return world._deforming[int(body)].plans


def surface_now(world: World, body: int, row: int) -> Mesh:
    """The surface of a deforming body as it is now, about its position."""
    plans, now = world._deforming[body].plans, world._time - world._origin
    return Mesh(plans.at(now) - positions_at(world._tables, np.array([row]), now), plans.faces)


def audit_deforming(world: World) -> None:
    """AuditError where a bound or the next contact of a deforming body is wrong, or a contact was missed."""
    tables, now = world._tables, float(world._tables.param[NOW])
    for body, row in world._bodies.rows_by_id().items():
        if int(body) in world._deforming:
            along = product(world._deforming[int(body)].plans.at(now), tables.axes.T)
            low, high = bounds_at(tables, np.array([row], np.int32), now)
            if (along < low).any() or (along > high).any():
                raise AuditError(f"a vertex of body {body} is outside of its bounds")
    polled = world._bodies.polled
    slots, first, second = world._engine.pair_rows()
    for slot, row_a, row_b in zip(slots, first, second, strict=True):
        a, b = int(tables.link[row_a, ID]), int(tables.link[row_b, ID])
        if (a in world._deforming or b in world._deforming) and a not in polled and b not in polled:
            watch = world._deforming.watch(tables, a, int(row_a), b, int(row_b))
            if world._engine.queue.time(int(slot)) > watch.time:
                raise AuditError(f"bodies {a} and {b} are asked about after their next contact at {watch.time}")
            missed = watch.passed_over(now)
            if missed is not None:
                face, t = missed
                raise AuditError(
                    f"triangle {face} has no contact before {t + world._origin}, when bodies {a} and {b} overlap there"
                )


def _enter_piece(world: World, body: int, row: int) -> None:
    write_piece(world._tables, row, world._deforming[body].plans.piece)
    _set_timer(world, body, row)


def _set_timer(world: World, body: int, row: int) -> None:
    """A deforming body's timer is its next key, or its next contact with itself, which no pair of the loop holds."""
    known = world._deforming[body]
    due = known.plans.piece.end
    if known.self_collision:
        due = min(due, world._deforming.watch(world._tables, body, row, body, row).time)
    world._tables.timers.set(row, due)


def deforming_timer(world: World) -> bool:
    """The timer of the row in SLOT is due; False where that body is not a deforming one."""
    tables = world._tables
    row = int(tables.count[SLOT])
    body = int(tables.link[row, ID])
    if body not in world._deforming:
        return False
    now = float(tables.param[NOW])
    plans = world._deforming[body].plans
    if plans.piece.end <= now:
        tables.count[TIMERS] += 1
        plans.advance()
        _enter_piece(world, body, row)
        bounds_renewed(world._engine, row)
        return True
    watch = world._deforming.watch(tables, body, row, body, row)
    k = watch.next if watch.contact_time <= now else -1
    if k < 0:
        watch.look_on()
    else:
        watch.next += 1
    _set_timer(world, body, row)
    if k >= 0:
        _report(world, watch, k, row, row)
    return True


def asked_of_deforming(world: World) -> bool:
    """The pair in SLOT is to be looked at, or touches; False where a polled body answers for it."""
    tables = world._tables
    slot = int(tables.count[SLOT])
    row_a, row_b = world._engine.rows_of(slot)
    a, b = int(tables.link[row_a, ID]), int(tables.link[row_b, ID])
    if a in world._bodies.polled or b in world._bodies.polled:
        return False
    now = float(tables.param[NOW])
    watch = world._deforming.watch(tables, a, row_a, b, row_b)
    while watch.look_at <= now and watch.contact_time > watch.look_at:
        watch.look_on()
    k = watch.next if watch.contact_time <= now else -1
    watch.next += k >= 0
    tie = int(tie_of(a, b, watch.contact_time <= watch.look_at))
    world._engine.queue.set(slot, watch.time, tie)
    if k >= 0:
        _report(world, watch, k, row_a, row_b)
    return True


def _report(world: World, watch: Watch, k: int, row_a: int, row_b: int) -> None:
    """Log contact k of a watch and respond to it. The next event of the pair is scheduled already."""
    tables, touches = world._tables, watch.touches
    if tables.count[N_LOG] == len(tables.log):
        take_log(world)
    write_contact(tables, row_a, row_b, touches, k)
    bodies = (int(tables.link[row_a, ID]), int(tables.link[row_b, ID]))
    if not world._deforming.repeats.come_to_an_end(float(tables.param[NOW]), bodies, touches.faces[k], len(world)):
        raise stuck(world)
    parts = touches.status[k] == OVERLAPPING and touches.speeds[k] < 0.0
    if tables.count[RESPONSE] == CALLABLE and not parts:
        respond(world)
    elif tables.count[RESPONSE] == ELASTIC:
        # One of the two may be rigid; nothing moves the other.
        for row, sign in ((row_a, -1.0), (row_b, 1.0)):
            if tables.body[row, INV_MASS] == 0.0 or _goes_on_through(world, watch, k, row):
                continue
            drift, turning = watch.surface_motion(k)
            if bounce(
                tables, row, touches.points[k], sign * touches.normals[k], float(touches.speeds[k]), drift, turning
            ):
                tables.count[MOTION_CHANGES] += 1
                world._engine.bind()
                world._engine.motion_changed(row)


def _goes_on_through(world: World, watch: Watch, k: int, row: int) -> bool:
    """Does a rigid body not bounce at contact k, because the deforming one cuts through it?

    Triangles within a body drive it in opposite directions. It bounces off the first that it closes on, and then goes on until
    they are apart.
    """
    now = float(world._tables.param[NOW])
    if watch.touches.status[k] == OVERLAPPING:
        return bool(world._tables.body[row, LAST_HIT] == now)
    return watch.cuts_through(now)
