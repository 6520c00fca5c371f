"""The clocks of a world: public times, and local ones that count from a time origin."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from carom import validate
from carom.tables.run_columns import NOW
from carom.tolerances import REBASE_AFTER
from carom.world.clock.time_origin import move_origin, passed_stretches

if TYPE_CHECKING:
    from carom.world.world import World


def set_origin(world: World, origin: float) -> None:
    """Local times count from `origin`, s."""
    world._origin = origin
    world._common_until = REBASE_AFTER if origin == 0.0 else -math.inf


def time_before(origin: float, local: float) -> float:
    """A public time below all those that are at or after the local time `local`; that time itself where the origin is 0.

    Such a time t has t - origin >= local as rounded, thus more than half a last place of `local` below it. So no time at which
    an event is due is skipped: whether it is due is decided by local times alone, the same way for every broad phase.
    """
    if origin == 0.0 or local == math.inf:
        return local
    return math.nextafter(origin + math.nextafter(local, -math.inf), -math.inf)


def past_next_event(world: World) -> float:
    """A public time surely past the next event: `next_event_time` is up to a few last places before it."""
    before = world.next_event_time()
    return before + 4.0 * math.ulp(max(abs(before), abs(world._origin)))


def pass_stretches(world: World) -> None:
    """In a free flight: move the time origin as often as it would have moved without one."""
    if world._flight is None:
        return
    origin, times = passed_stretches(world._origin, world._time)
    if times:
        world._tables.param[NOW] = world._time - world._origin
        move_origin(world._tables, world._flight.since, times)
        set_origin(world, origin)
        world._tables.param[NOW] = world._time - origin


def local_time(world: World, t: float | None) -> float:
    """A time the user gave, or now, since the time origin."""
    pass_stretches(world)
    return (world._time if t is None else validate.moment("t", t)) - world._origin
