"""The event loop of broad phases: one skeleton, which each of them fills in with its structure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from carom._compile.jit import inline_kernel, lean_kernel
from carom.engine.addresses import bodies_at, pairs_at, run_at
from carom.engine.events.contact import due
from carom.engine.events.order import first_due
from carom.engine.events.timers import fire_timer
from carom.queues.in_kernels import queue_top
from carom.tables import run_columns as col
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import CHANGED, DONE


@inline_kernel
def clock_to(run, t):
    """Move the clock on to an event; one that rounding has put in the past is now."""
    if t > run.param[col.NOW]:
        run.param[col.NOW] = t


@inline_kernel
def answer(code):
    """A loop's result for a reason other than a quiet end."""
    return -1.0 - code


@inline_kernel
def finish(run, until, t_next):
    """The loop's result at its end: the time of the next event, or answer(DONE) when there are contacts to read."""
    run.param[col.NOW] = until
    run.param[col.NEXT] = t_next
    return max(t_next, 0.0) if run.count[col.N_LOG] == 0 else answer(DONE)


@inline_kernel
def rows_in_pool(bodies, pairs, slot):
    """Rows of the pair in a slot of the pool, lower id first."""
    return np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0])


@inline_kernel
def no_tables(table):
    """own_at of a broad phase without tables of its own."""
    return None


def event_loop(
    own_at: Any, structure_time: Any, structure_event: Any, settle: Any, place: Any, rows_of: Any = rows_in_pool
) -> Callable[[Any, float], float]:
    """Make the event loop of a broad phase: a kernel (address table, until) that returns as carom.tables.run_columns says.

    Parameters
    ----------
    own_at : kernel (table) -> own
        The tables of the broad phase.
    structure_time : kernel (run, own) -> float
        Time of the next event of the structure; inf for none.
    structure_event : kernel (table, bodies, pairs, run, own, t) -> code
        Moves the clock to t and processes that event: DONE, or a reason to return. PAIRS_FULL asks to be called again.
    settle : kernel (table) -> code
        Does what run.count[SORTING] says is left to do, and clears it; codes as before.
    place : kernel (table, bodies, pairs, run, own, row, done)
        The motion of `row` is new: predicts its pairs afresh, except that with `done`, and brings the structure up to date.
        Sets run.count[SORTING] where something is left to do.
    rows_of : kernel (bodies, pairs, slot) -> (i, j)
        Rows of the pair in a slot, lower id first.

    All but `settle` and `place` should be inline kernels that pass `table` to whatever is long: a call with all tables costs as
    much as an event.
    """

    @lean_kernel
    def run_events(table, until):
        bodies, pairs, run, own = bodies_at(table), pairs_at(table), run_at(table), own_at(table)
        count = run.count
        nobody = np.int64(NO_ID)  # a literal would compile what it is passed to a second time
        while True:
            if count[col.SORTING]:
                code = settle(table)
                if code != DONE:
                    return answer(code)
            t_structure = structure_time(run, own)
            t_timer, t_pair = first_due(bodies, pairs, run)
            t_next = min(t_structure, t_timer, t_pair)
            if t_next > until:
                return finish(run, until, t_next)
            if t_structure == t_next:
                code = structure_event(table, bodies, pairs, run, own, t_next)
                if code != DONE:
                    return answer(code)
                continue
            clock_to(run, t_next)
            count[col.FRAMES_LEFT] = count[col.PATIENCE]
            if t_timer == t_next:
                code = fire_timer(bodies, run, queue_top(bodies.timer_keys, run.none, bodies.timer_links))
            else:
                slot = queue_top(pairs.keys, pairs.ties, pairs.links)
                i, j = rows_of(bodies, pairs, slot)
                code = due(bodies, pairs, run, slot, i, j)
            if code == CHANGED:
                done = nobody
                for row in (count[col.CHANGED_I], count[col.CHANGED_J]):
                    if row != NO_ID:
                        count[col.MOTION_CHANGES] += 1
                        place(table, row, done)
                        done = row
            elif code != DONE:
                return answer(code)

    return run_events
