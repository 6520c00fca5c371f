"""Event queue as an 8-ary winner tree of times: the default, and the fastest for slots that are set again and again.

keys[0:n] are the slots' times, padded with inf to whole nodes; each further level holds the minimum of every eight
values below, the last value is the overall minimum. A node is one aligned cache line of eight doubles. Only values are
stored, so a change stops climbing as soon as it does not alter a minimum, and the winner is found by descending along
equal values, where ties are resolved.
"""

from __future__ import annotations

from math import inf

import numpy as np

from carom._jit import inline_kernel, lean_kernel
from carom.queues.order import LINK_METHOD, LINK_SLOTS, NO_SLOT, Links, Ties, Times, aligned_times, tie_table

TOURNAMENT = 0
"""Method code in links[0]."""

_LINK_LEVELS = 2
"""links[2]: number of stored levels below the overall minimum."""
_LINK_ROOT = 3
"""links[3]: index in keys of the overall minimum."""
_LINK_OFFSETS = 4
"""links[4 + level]: index in keys of the first value of that level; level 0 are the slots, the last the minimum."""


def tournament_arrays(n: int, with_ties: bool) -> tuple[Times, Ties, Links]:
    """Empty queue of n slots: (keys, ties, links)."""
    sizes = [max(8, -(-n // 8) * 8)]
    while sizes[-1] > 8:
        sizes.append(-(-sizes[-1] // 64) * 8)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    links = np.zeros(_LINK_OFFSETS + len(starts), np.int32)
    links[LINK_METHOD] = TOURNAMENT
    links[LINK_SLOTS] = n
    links[_LINK_LEVELS] = len(sizes)
    links[_LINK_ROOT] = starts[-1]
    links[_LINK_OFFSETS:] = starts
    return aligned_times(int(starts[-1]) + 1), tie_table(n, with_ties), links


@inline_kernel
def _node_minimum(keys: Times, first: int) -> float:
    """Minimum of the eight values from index `first`."""
    a, b, c, d = keys[first], keys[first + 1], keys[first + 2], keys[first + 3]
    e, f, g, h = keys[first + 4], keys[first + 5], keys[first + 6], keys[first + 7]
    # Plain comparisons: the built-in min also looks for NaN and is half as fast.
    a = a if a < b else b
    c = c if c < d else d
    e = e if e < f else f
    g = g if g < h else h
    a = a if a < c else c
    e = e if e < g else g
    return float(a if a < e else e)


@inline_kernel
def tournament_set(keys: Times, ties: Ties, links: Links, slot: int, time: float, tie: int) -> None:
    """Give `slot` a time (inf = none) and, where ties are kept, a tie."""
    if ties.shape[0] > 0:
        ties[slot] = tie
    index = slot
    old = keys[slot]
    keys[slot] = time
    for level in range(links[_LINK_LEVELS]):
        node = index >> 3
        above = links[_LINK_OFFSETS + level + 1] + node
        minimum = keys[above]
        if time < minimum:
            keys[above] = time
        elif old == minimum:
            time = _node_minimum(keys, links[_LINK_OFFSETS + level] + (node << 3))
            if time == minimum:
                return
            keys[above] = time
        else:
            return
        old = minimum
        index = node


@inline_kernel
def tournament_refresh(keys: Times, links: Links, slot: int) -> None:
    """Bring the minima above `slot` up to date after times in its node were written straight into keys."""
    node = slot >> 3
    for level in range(links[_LINK_LEVELS]):
        minimum = _node_minimum(keys, links[_LINK_OFFSETS + level] + (node << 3))
        above = links[_LINK_OFFSETS + level + 1] + node
        if keys[above] == minimum:
            return
        keys[above] = minimum
        node >>= 3


@inline_kernel
def tournament_top_time(keys: Times, ties: Ties, links: Links) -> float:
    """Earliest time; inf when the queue is empty."""
    return float(keys[links[_LINK_ROOT]])


@inline_kernel
def tournament_top(keys: Times, ties: Ties, links: Links) -> int:
    """Slot of the earliest (time, tie), or -1 when the queue is empty."""
    time = keys[links[_LINK_ROOT]]
    if time == inf:
        return NO_SLOT
    index = 0
    for level in range(links[_LINK_LEVELS] - 1, -1, -1):
        first = links[_LINK_OFFSETS + level] + (index << 3)
        # Count the winners in the high bits and add up their places in the low ones, without a branch to mispredict.
        found = 0
        for place in range(8):
            found += (64 + place) * int(keys[first + place] == time)
        if found >= 128:
            return _tied_top(keys, ties, links, index, level, time)
        index = (index << 3) + (found & 7)
    return index


@lean_kernel
def _tied_top(keys: Times, ties: Ties, links: Links, node: int, top: int, time: float) -> int:
    """The slot with the smallest tie of those at the overall minimum `time`, all below `node` with its values at `top`.

    Depth-first along equal values in slot order; its cost grows with the number of equal times only.
    """
    best = NO_SLOT
    level = top
    index = node << 3
    while True:
        if keys[links[_LINK_OFFSETS + level] + index] != time:
            index += 1
        elif level > 0:
            level -= 1
            index <<= 3
            continue
        else:
            if ties.shape[0] == 0:
                return index
            if best == NO_SLOT or ties[index] < ties[best]:
                best = index
            index += 1
        while (index & 7) == 0:
            if level == top:
                return best
            level += 1
            index >>= 3


@lean_kernel
def tournament_build(keys: Times, ties: Ties, links: Links) -> None:
    """Make the queue valid after times were written straight into keys[0:n]."""
    for level in range(links[_LINK_LEVELS]):
        first = links[_LINK_OFFSETS + level]
        above = links[_LINK_OFFSETS + level + 1]
        for node in range((above - first) >> 3):
            keys[above + node] = _node_minimum(keys, first + (node << 3))


@lean_kernel
def tournament_check(keys: Times, ties: Ties, links: Links) -> bool:
    """Whether every stored minimum is the minimum of its eight values, no time is NaN, and the padding is inf."""
    used = links[LINK_SLOTS]
    for level in range(links[_LINK_LEVELS]):
        first = links[_LINK_OFFSETS + level]
        above = links[_LINK_OFFSETS + level + 1]
        for index in range(above - first):
            if not keys[first + index] >= keys[above + (index >> 3)]:
                return False
            if index >= used and keys[first + index] != inf:
                return False
        used = (used + 7) >> 3
        for node in range((above - first) >> 3):
            if keys[above + node] != _node_minimum(keys, first + (node << 3)):
                return False
    return True
