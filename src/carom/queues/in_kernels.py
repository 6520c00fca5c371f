"""Queue operations inside kernels: the default method is inlined, any other is called by address.

The address is in the last two entries of `links`, where carom.queues.event_queue.EventQueue writes it.
"""

from __future__ import annotations

from math import inf

import numpy as np

from carom._compile.address_call import call_int
from carom._compile.jit import inline_kernel, inner_kernel
from carom.queues.order import LINK_METHOD, NO_SLOT
from carom.queues.tournament import TOURNAMENT, tournament_refresh, tournament_set, tournament_top, tournament_top_time


@inner_kernel
def _other(keys, ties, links, slot, time, tie):
    low = np.int64(links[links.shape[0] - 2]) & 0xFFFFFFFF
    address = (np.int64(links[links.shape[0] - 1]) << 32) | low
    arguments = (
        keys.ctypes.data,
        keys.shape[0],
        ties.ctypes.data,
        ties.shape[0],
        links.ctypes.data,
        links.shape[0],
        slot,
        time,
        tie,
    )
    return call_int(address, arguments)


@inline_kernel
def queue_set(keys, ties, links, slot, time, tie):
    """Give `slot` a time (inf = none) and, where ties are kept, a tie."""
    if links[LINK_METHOD] == TOURNAMENT:
        tournament_set(keys, ties, links, slot, time, tie)
    else:
        _other(keys, ties, links, slot, time, tie)


@inline_kernel
def queue_set_three(keys, ties, links, slot, before, time, after):
    """Set the times of the slots before, at and after `slot` at once; the tie is the slot. Neighbours share a climb."""
    if links[LINK_METHOD] == TOURNAMENT:
        keys[slot - 1] = before
        keys[slot] = time
        keys[slot + 1] = after
        tournament_refresh(keys, ties, links, slot)
        if slot & 7 == 0:
            tournament_refresh(keys, ties, links, slot - 1)
        elif slot & 7 == 7:
            tournament_refresh(keys, ties, links, slot + 1)
    else:
        _other(keys, ties, links, slot - 1, before, 0)
        _other(keys, ties, links, slot, time, 0)
        _other(keys, ties, links, slot + 1, after, 0)


@inline_kernel
def queue_top(keys, ties, links):
    """Slot of the earliest (time, tie), or -1 when the queue is empty."""
    if links[LINK_METHOD] == TOURNAMENT:
        return tournament_top(keys, ties, links)
    return _other(keys, ties, links, NO_SLOT, 0.0, 0)


@inline_kernel
def queue_top_time(keys, ties, links):
    """Earliest time; inf when the queue is empty."""
    if links[LINK_METHOD] == TOURNAMENT:
        return tournament_top_time(keys, ties, links)
    slot = _other(keys, ties, links, NO_SLOT, 0.0, 0)
    return inf if slot == NO_SLOT else keys[slot]
