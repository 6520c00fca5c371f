"""The broad phase of a world: how it follows the bodies, when another one takes over, and the flights without one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling
from carom.engine.audit import present_rows
from carom.tables.run_columns import NEXT, NOW
from carom.tolerances import REBASE_AFTER
from carom.world.clock.clock import pass_stretches, set_origin, time_before
from carom.world.clock.free_flight import FreeFlight, free_seconds
from carom.world.clock.time_origin import move_origin
from carom.world.log import take_log

if TYPE_CHECKING:
    from carom.world.world import World


def sync(world: World) -> None:
    """Tell the tables the current time: polls with nothing due only move the public clock.

    The world stays idle where bodies were put somewhere and have not been looked at since.
    """
    if world._idle:
        world._idle = bool(world._starts)
        param = world._tables.param
        param[NOW] = max(float(param[NOW]), world._time - world._origin)
        if world._flight is not None:
            _land(world)


def select(world: World, another: bool) -> None:
    """Let another engine take over where one suits better."""
    if another:
        rebuild(world, world._engine.reported())


def new_rows(
    world: World, n: int, positions: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Rows and ids for n new bodies; the tables grow where it takes that."""
    registry = world._bodies.registry
    used = world._tables.capacity
    missing = registry.missing_rows(n)
    if missing:
        capacity = max(8, used + missing, 2 * used if missing <= used else 0)
        world._tables.grow(capacity)
        world._engine.resize(capacity)
        registry.offer_rows(used, capacity)
    return registry.take(n, positions)


def insert(world: World, rows: NDArray[np.int32]) -> None:
    """Let the engine follow these rows, too."""
    world._tables.prepare(rows)
    world._engine.bind()
    with compiling(f"the {world._selection.running} engine"):
        world._engine.insert(rows)
        _compile(world)
        world._starts.compile(world._tables, len(rows))
    refresh_next(world)


def _compile(world: World) -> None:
    """Run the event loop without letting it process anything."""
    param = world._tables.param
    now = float(param[NOW])
    world._engine.advance(-math.inf)
    param[NOW] = now


def refresh_next(world: World) -> None:
    """Bodies have changed: read the time of the next event from the queues."""
    world._changed_at = world._time
    _compile(world)
    read_next(world)


def read_next(world: World) -> None:
    """Read the time of the next event from the queues."""
    if world._starts:  # of bodies that were put somewhere it is not known yet whether they overlap others there
        world._next, world._idle = -math.inf, True
        return
    world._next = time_before(world._origin, float(world._tables.param[NEXT]))


def rebuild(world: World, reported: tuple[Any, Any, Any]) -> None:
    """Start the broad phase anew from the bodies; `reported` pairs stay disarmed."""
    tables = world._tables
    world._rebuilds += 1
    present = present_rows(tables)
    tables.forget_pairs()
    world._engine = world._selection.engine(tables)
    world._engine.resize(tables.capacity)
    if len(present):
        insert(world, present)
        world._engine.remember(*reported)
    refresh_next(world)


def rebase(world: World) -> None:
    """Move the time origin to the present, so that event times keep their resolution however long a world runs."""
    rows = world._bodies.rows_by_id() if world._deforming else {}
    current = world._deforming.current(world._tables, rows)
    take_log(world)
    first, second, since = world._engine.reported()
    move_origin(world._tables, since, 1)
    set_origin(world, world._origin + REBASE_AFTER)
    rebuild(world, (first, second, since))
    if world._deforming:
        world._deforming.shift_time(world._tables, REBASE_AFTER, rows, current)


def take_off(world: World, least: float) -> bool:
    """Leave the broad phase behind for a time in which surely nothing happens; False where that is less than `least` s."""
    reported = world._engine.reported()
    free = free_seconds(world._tables, least, reported)
    if free == 0.0:
        return False
    take_log(world)
    # The difference and the sum are rounded, each by half a last place at most.
    end = math.nextafter(float(world._tables.param[NOW]) + free, -math.inf)
    world._flight = FreeFlight(math.nextafter(time_before(world._origin, end), -math.inf), *reported)
    world._idle = True
    return True


def _land(world: World) -> None:
    """Start the broad phase again that a free flight has left behind."""
    assert world._flight is not None
    pass_stretches(world)
    flight, world._flight = world._flight, None
    rebuild(world, (flight.first, flight.second, flight.since))
