"""The order of events that are due at the same time; every event loop takes it from here.

1. Events of the structure of a broad phase: exchanges in sorted lists, crossings of cell walls. They begin and end pairs, and
   a pair that begins at this time must be known before others are served. A frame ends behind all events in it: its event is
   at the first time of the next frame.
2. Timers: keys of keyframed bodies, and the expiry of bounds. Only a pair whose event just reaches a key comes before it
   (`before_key`).
3. Events of pairs in the order of `pair_tie`: first all tests, whose contacts may be due at this very time, then contacts; each
   in the order of the lower and then of the higher id.

The order of contacts is that of their times and ids, whatever the broad phase; that is why all of them give the same log.
"""

from __future__ import annotations

import math

import numpy as np

from carom._compile.jit import inline_kernel
from carom.queues.in_kernels import queue_top, queue_top_time
from carom.tables.body_columns import FLAGS, KEYED, T_REF
from carom.tables.run_columns import AT_KEY, NO_KEY
from carom.tolerances import KEY_SLACK

STRUCTURE_TIE = -1
"""Tie of an event of the structure in a queue that it shares with events of pairs."""
_CONTACT = 1 << 62
"""The bit of a tie that puts contacts behind tests."""


def tie_of(low, high, contact):
    """Tie of the event of the pair of bodies with ids low < high: a contact, or a test."""
    tie = (np.int64(low) << 31) | np.int64(high)
    return tie | _CONTACT if contact else tie


pair_tie = inline_kernel(tie_of)
"""`tie_of` in kernels."""


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
