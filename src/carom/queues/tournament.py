"""Event queue as an 8-ary winner tree: the default, and the fastest for slots that change frequently.

keys[0:n] are the times of the slots, padded with inf to whole nodes; each further level holds the minimum of every eight
values below, and the last value is the overall minimum. For every value above the slots, `links` holds the slot of its
origin. A node is one aligned cache line of eight doubles, compared at once. An update climbs with the minimum of the other
seven values of each node, which are independent of each other, so that the climb has no dependency chain through them; it
stops at the first value that neither is nor was the winner.
"""

from __future__ import annotations

from math import inf

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom._compile.lanes import least_of_eight, least_of_seven, lowest_place
from carom.queues.order import LINK_METHOD, LINK_SLOTS, NO_SLOT, Links, Ties, Times, aligned_times, tie_table

TOURNAMENT = 0
"""Method code in links[0]."""

_LINK_LEVELS = 2  # links[2]: number of stored levels below the overall minimum
_LINK_ROOT = 3  # links[3]: index in keys of the overall minimum
_LINK_WINNERS = 4
"""links[4]: offset from an index in keys, above the slots, to the index in links of the winning slot."""
_LINK_OFFSETS = 5
"""links[5 + level]: index in keys of the first value of that level; level 0 are the slots, the last the minimum."""


def tournament_arrays(n: int, with_ties: bool) -> tuple[Times, Ties, Links]:
    """Empty queue of n slots: (keys, ties, links)."""
    sizes = [max(8, -(-n // 8) * 8)]
    while sizes[-1] > 8:
        sizes.append(-(-sizes[-1] // 64) * 8)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    head = _LINK_OFFSETS + len(starts)
    links = np.zeros(head + 1 + starts[-1] - starts[1], np.int32)
    links[LINK_METHOD] = TOURNAMENT
    links[LINK_SLOTS] = n
    links[_LINK_LEVELS] = len(sizes)
    links[_LINK_ROOT] = starts[-1]
    links[_LINK_WINNERS] = head - starts[1]
    links[_LINK_OFFSETS:head] = starts
    return aligned_times(int(starts[-1]) + 1), tie_table(n, with_ties), links


@inner_kernel
def _least_tie(ties: Ties, links: Links, level: int, first: int, mask: int) -> int:
    """Return the slot with the smallest tie among the places in `mask` of the node at index `first`, all at one time."""
    best = NO_SLOT
    for place in range(8):
        if (mask >> place) & 1:
            index = first + place
            slot = index if level == 0 else links[links[_LINK_WINNERS] + index]
            if best == NO_SLOT or ties[slot] < ties[best] or (ties[slot] == ties[best] and slot < best):
                best = slot
    return best


@inline_kernel
def _winner(ties: Ties, links: Links, tied: bool, level: int, first: int, time: float, mask: int) -> int:
    """Return the slot of the minimum `time` of a node, whose places in `mask` hold that value."""
    if tied and mask & (mask - 1) != 0 and time < inf:
        return _least_tie(ties, links, level, first, mask)
    index = first + lowest_place(mask)
    return index if level == 0 else int(links[links[_LINK_WINNERS] + index])


@inline_kernel
def _earlier(ties: Ties, slot: int, other: int) -> bool:
    """Return whether `slot` comes before `other` at the same time, by its tie."""
    if ties[slot] != ties[other]:
        return bool(ties[slot] < ties[other])
    return slot < other


@inline_kernel
def _climb(keys: Times, ties: Ties, links: Links, tied: bool, level: int, place: int, time: float, slot: int) -> None:
    """Update the tree above value number `place` of `level`, which is now `time` of `slot`.

    tied: whether ties are kept; if it is a constant, the compiler removes unused code.
    """
    winners = links[_LINK_WINNERS]
    while level < links[_LINK_LEVELS]:
        start = int(links[_LINK_OFFSETS + level])
        first = start + (place & -8)
        index = start + place
        other_time, mask = least_of_seven(keys, first, place & 7)
        old = keys[index]
        keys[index] = time
        if level > 0:
            links[winners + index] = slot
        place >>= 3
        level += 1
        above = int(links[_LINK_OFFSETS + level]) + place
        if keys[above] < time and keys[above] < old:
            return
        other = _winner(ties, links, tied, level - 1, first, other_time, mask)
        # The outcome is unpredictable, so there is no branch.
        wins = (other_time < time) | ((other_time == time) & (other < slot))
        if tied and other_time == time:
            wins = _earlier(ties, other, slot)
        time = other_time if wins else time
        slot = other if wins else slot
    keys[links[_LINK_ROOT]] = time
    links[winners + links[_LINK_ROOT]] = slot


@inline_kernel
def tournament_set(keys: Times, ties: Ties, links: Links, slot: int, time: float, tie: int) -> None:
    """Give `slot` a time (inf = none) and, where ties are kept, a tie."""
    if ties.shape[0] > 0:
        ties[slot] = tie
    above = keys[links[_LINK_OFFSETS + 1] + (slot >> 3)]
    old = keys[slot]
    if (above < time and above < old) or (time == inf and old == inf):
        keys[slot] = time
        return
    _climb(keys, ties, links, ties.shape[0] > 0, 0, slot, time, slot)


@inline_kernel
def tournament_refresh(keys: Times, ties: Ties, links: Links, slot: int) -> None:
    """Update the tree above `slot` after times in its node were written directly into keys; without ties."""
    first = slot & -8
    time, mask = least_of_eight(keys, first)
    _climb(keys, ties, links, False, 1, slot >> 3, time, _winner(ties, links, False, 0, first, time, mask))


@inline_kernel
def tournament_top_time(keys: Times, ties: Ties, links: Links) -> float:
    """Earliest time; inf when the queue is empty."""
    return float(keys[links[_LINK_ROOT]])


@inline_kernel
def tournament_top(keys: Times, ties: Ties, links: Links) -> int:
    """Slot of the earliest (time, tie), or -1 when the queue is empty."""
    root = links[_LINK_ROOT]
    return NO_SLOT if keys[root] == inf else int(links[links[_LINK_WINNERS] + root])


@lean_kernel
def tournament_build(keys: Times, ties: Ties, links: Links) -> None:
    """Make the queue valid after times were written directly into keys[0:n]."""
    tied = ties.shape[0] > 0
    for level in range(links[_LINK_LEVELS]):
        start = links[_LINK_OFFSETS + level]
        above = links[_LINK_OFFSETS + level + 1]
        for node in range((above - start) >> 3):
            first = start + (node << 3)
            time, mask = least_of_eight(keys, first)
            keys[above + node] = time
            links[links[_LINK_WINNERS] + above + node] = _winner(ties, links, tied, level, first, time, mask)


@lean_kernel
def tournament_check(keys: Times, ties: Ties, links: Links) -> bool:
    """Whether every value above the slots is the first of its eight, no time is NaN, and the padding is inf."""
    tied = ties.shape[0] > 0
    used = links[LINK_SLOTS]
    for level in range(links[_LINK_LEVELS]):
        start = links[_LINK_OFFSETS + level]
        above = links[_LINK_OFFSETS + level + 1]
        for index in range(above - start):
            value = keys[start + index]
            if value != value or (index >= used and value != inf):
                return False
        used = (used + 7) >> 3
        for node in range((above - start) >> 3):
            first = start + (node << 3)
            time, mask = least_of_eight(keys, first)
            if keys[above + node] != time:
                return False
            won = links[links[_LINK_WINNERS] + above + node]
            if time < inf and won != _winner(ties, links, tied, level, first, time, mask):
                return False
    return True
