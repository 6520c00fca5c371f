"""What every event loop does between two events: see which is due first, move the clock on, and say how it ended."""

from __future__ import annotations

from carom._jit import inline_kernel
from carom.engine.state import DONE, N_LOG, NEXT, NOW
from carom.queues.in_kernels import queue_top_time


@inline_kernel
def first_due(bodies, pairs, run):
    """Times of the first timer and of the first event of a pair; inf for none."""
    t_timer = queue_top_time(bodies.timer_keys, run.none, bodies.timer_links)
    t_pair = queue_top_time(pairs.keys, pairs.ties, pairs.links)
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
