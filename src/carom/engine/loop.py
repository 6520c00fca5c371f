"""What every event loop does between two events: see which is due first, move the clock on, and say how it ended."""

from __future__ import annotations

import math

from carom._compile.jit import inline_kernel
from carom.queues.in_kernels import queue_top, queue_top_time
from carom.tables.body_columns import FLAGS, KEYED, T_REF
from carom.tables.run_columns import AT_KEY, DONE, N_LOG, NEXT, NO_KEY, NOW
from carom.tolerances import KEY_SLACK


@inline_kernel
def before_key(bodies, run, t_timer, t_event):
    """Does an event at t_event come before the timer at t_timer, because that is a key which the event just reaches?

    A contact at the very time of a key happens under the motion that ends there, even if rounding puts it a little later: the
    body may stop or turn back at the key, and its touch would be lost.
    """
    if t_event < t_timer:
        return True
    if t_timer == math.inf:
        return False
    row = queue_top(bodies.timer_keys, run.none, bodies.timer_links)
    if bodies.link[row, FLAGS] != KEYED:
        return False
    return t_event <= t_timer + KEY_SLACK * (t_timer - bodies.body[row, T_REF])


@inline_kernel
def first_times(bodies, pairs, run):
    """Times of the first timer and of the first event of a pair; inf for none."""
    run.count[AT_KEY] = NO_KEY
    t_timer = queue_top_time(bodies.timer_keys, run.none, bodies.timer_links)
    t_pair = queue_top_time(pairs.keys, pairs.ties, pairs.links)
    return t_timer, t_pair


@inline_kernel
def first_due(bodies, pairs, run):
    """first_times, with inf for a key that the pair just reaches: the pair comes first, at the latest at the key."""
    t_timer, t_pair = first_times(bodies, pairs, run)
    if t_timer < math.inf and before_key(bodies, run, t_timer, t_pair):
        return math.inf, min(t_pair, t_timer)
    return t_timer, t_pair


@inline_kernel
def clock_to(run, t):
    """Move the clock on to an event; one that rounding has put in the past is now."""
    if t > run.param[NOW]:
        run.param[NOW] = t


@inline_kernel
def answer(code):
    """A loop's result for a reason other than a quiet end."""
    return -1.0 - code


@inline_kernel
def finish(run, until, t_next):
    """The loop's result at its end: the time of the next event, or answer(DONE) when there are contacts to read."""
    run.param[NOW] = until
    run.param[NEXT] = t_next
    return max(t_next, 0.0) if run.count[N_LOG] == 0 else answer(DONE)
