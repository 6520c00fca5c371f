"""Running the event loop of a world up to a time, and doing on the way what it asks for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from carom import validate
from carom.errors import CaromError, InvalidInputError
from carom.tables.run_columns import (
    ASK_BOUNDS,
    ASK_POLL,
    ASK_RESPONSE,
    DONE,
    LOG_FULL,
    NOW,
    PAUSE,
    SAME_TIME,
    SAME_TIME_LIMIT,
    STUCK,
)
from carom.tolerances import REBASE_AFTER
from carom.types import ContactLog
from carom.world.broad_phase import read_next, rebase, select, sync, take_off
from carom.world.budget import advance_within, is_over
from carom.world.clock.free_flight import check_distance
from carom.world.deferral import advance_both
from carom.world.deforming.inhabited import asked_of_deforming, deforming_timer
from carom.world.log import take_log
from carom.world.polling import check_not_asking, poll_pair, renew_bounds
from carom.world.responding import respond, stuck

if TYPE_CHECKING:
    from carom.world.world import World

NOTHING = ContactLog.empty()
_PAUSES = (DONE, LOG_FULL, ASK_RESPONSE, ASK_BOUNDS, PAUSE)
"""Requests of an event loop after which the world is in order, so that it may be left there: no event is half done."""


def advance_checked(world: World, until: float) -> ContactLog:
    """Advance to any time that there is."""
    target = _target(world, until)
    _check_not_advancing(world)
    if world._flight is not None:
        if target < world._flight.end:
            world._time = target
            return NOTHING
    elif target < world._next and target - world._origin <= REBASE_AFTER:
        world._time = target
        world._idle = True
        return NOTHING
    resume(world)
    return advance_from_start(world, target)


def advance_specially(world: World, until: float, budget: float | None) -> ContactLog:
    """Advance within a budget, or while bodies are deferred."""
    target = _target(world, until)
    seconds = None if budget is None else validate.limit("budget", budget)
    _check_not_advancing(world)
    if world._deferral is not None or world._overdue:
        return advance_both(world, target, seconds)
    assert seconds is not None
    return advance_within(world, target, seconds)


def advance_from_start(world: World, target: float) -> ContactLog:
    """Advance to `target`; first see whether bodies that were put somewhere overlap others there."""
    look_at_starts(world)
    world._idle = False  # the event loop has the clock: a response must not move it by the rounding of the public time
    return finish(world, world._engine.advance(_limit(world, target)), target)


def _target(world: World, until: float) -> float:
    """A time that the clock can be moved to."""
    target = validate.moment("until", until)
    if target < world._time:
        raise InvalidInputError(f"until is {target}; expected a time not before the current time {world._time}")
    check_distance(world._tables, world._time, target)
    return target


def _check_not_advancing(world: World) -> None:
    """CaromError where this is called by a function that `advance` waits for."""
    check_not_asking(world)
    if world._advancing:
        raise CaromError("advance was called from inside a response; return from it instead")


def resume(world: World) -> None:
    """Go on after a silence: at its end, where a free flight says when that is."""
    if world._flight is not None:
        world._time = max(world._time, world._flight.end)
    sync(world)


def look_at_starts(world: World) -> None:
    """Find the overlaps of bodies that were put somewhere since the clock last moved."""
    if world._starts:
        sync(world)
        world._starts.look(world._tables, world._bodies.registry, world._engine)
        read_next(world)


def _report_starts(world: World) -> None:
    """Report the overlaps at the current time whose contacts the event loop has not reported."""
    take_log(world)
    known = world._starts.reported(world._logs, world._time)
    report = world._starts.report(world._tables, world._bodies.registry, world._engine, known, world._time)
    log = ContactLog.concatenate([*world._logs, report])
    world._logs = [log.ordered_from(world._time) if world.response is None else log]


def _limit(world: World, target: float) -> float:
    """Local time up to which the event loop can run on the way to `target`."""
    if world._starts.overlaps:
        return float(world._tables.param[NOW])
    return min(target - world._origin, REBASE_AFTER)


def finish(world: World, code: int, target: float) -> ContactLog:
    """Serve the event loop, which has stopped because of `code`, up to `target`; returns all contacts."""
    reached = target
    if code != DONE or target - world._origin > REBASE_AFTER or world._starts.overlaps:
        world._advancing = True
        try:
            reached = _serve(world, code, target)
        finally:
            world._advancing = False
    world._time = reached
    take_log(world)
    if world._flight is not None:
        world._next = world._flight.end
    elif reached < target:
        world._next = reached
    else:
        read_next(world)
        select(world, world._selection.after_changes(world._tables, target))
    logs, world._logs = world._logs, []
    return ContactLog.concatenate(logs) if logs else NOTHING


def _serve(world: World, code: int, target: float) -> float:
    """Do what the event loop asks for, and run it again, until it has reached `target` or the deadline is over.

    Returns the time up to which all contacts have been found.
    """
    begin = world._time
    while True:
        world._time = world._origin + float(world._tables.param[NOW])
        if code == DONE:
            if world._starts.overlaps:
                _report_starts(world)
            elif target - world._origin <= REBASE_AFTER:
                return target
            elif not take_off(world, 2.0 * REBASE_AFTER):
                rebase(world)
        elif code in (LOG_FULL, ASK_RESPONSE, ASK_POLL, ASK_BOUNDS, STUCK):
            _answer(world, code)
        # A loop that has not paused has seen nothing happen for long.
        elif code == PAUSE or take_off(world, max(world._time - world._asked, 0.0)):
            pass
        else:
            world._asked = world._time
            select(world, world._selection.after_silence(world._tables, world._time))
        if world._flight is not None:
            if target < world._flight.end:
                return target
            resume(world)
            world._asked = world._time
        look_at_starts(world)
        world._idle = False
        pausing = code in _PAUSES and begin < target and not world._starts.overlaps
        if pausing and is_over(world._deadline):
            # The next event, perhaps another at this very time, is still to come.
            take_log(world)
            world._starts.pause(world._logs, world._time)
            return max(begin, math.nextafter(world._time, -math.inf))
        code = world._engine.advance(_limit(world, target))


def _answer(world: World, code: int) -> None:
    """Do what the event loop cannot do by itself: the part whose body or pair it asks about does it."""
    tables, polled = world._tables, world._bodies.polled
    if code == LOG_FULL:
        take_log(world)
    elif code == ASK_RESPONSE:
        if tables.count[SAME_TIME] > tables.count[SAME_TIME_LIMIT]:
            raise stuck(world)
        respond(world)
    elif code == ASK_POLL:
        if not asked_of_deforming(world):
            poll_pair(world, tables, world._engine, polled, world._touching, world._time)
    elif code == ASK_BOUNDS:
        if not world._guided.timer(world) and not deforming_timer(world):
            renew_bounds(world, tables, world._engine, polled, world._origin)
    else:
        raise stuck(world)
