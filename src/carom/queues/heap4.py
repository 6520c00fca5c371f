"""Event queue as an indexed 4-ary heap, with one position per slot so that a slot can be changed."""

from __future__ import annotations

from math import inf

import numpy as np

from carom._compile.jit import inner_kernel, lean_kernel
from carom.queues.order import LINK_METHOD, LINK_SLOTS, NO_SLOT, Links, Ties, Times, aligned_times, before, tie_table

HEAP4 = 2
"""Method code in links[0]."""

_LINK_SIZE = 2  # links[2]: number of slots in the heap, those with a finite time
_HEAP = 3  # links[3 + place]: the slot at that place of the heap; children of place p are at 4p + 1 .. 4p + 4.
_ABSENT = -1  # links[3 + n + slot] is the slot's place in the heap, or this


def heap4_arrays(n: int, with_ties: bool) -> tuple[Times, Ties, Links]:
    """Empty queue of n slots: (keys, ties, links)."""
    links = np.full(_HEAP + 2 * n, _ABSENT, np.int32)
    links[LINK_METHOD] = HEAP4
    links[LINK_SLOTS] = n
    links[_LINK_SIZE] = 0
    return aligned_times(n), tie_table(n, with_ties), links


@inner_kernel
def _put(links: Links, place: int, slot: int) -> None:
    """Record that `slot` is at `place`."""
    links[_HEAP + place] = slot
    links[_HEAP + links[LINK_SLOTS] + slot] = place


@inner_kernel
def _rise(keys: Times, ties: Ties, links: Links, place: int, slot: int) -> int:
    """Move `slot`, which belongs at `place` or above, to its place and return that."""
    while place > 0:
        parent = (place - 1) >> 2
        other = links[_HEAP + parent]
        if not before(keys, ties, slot, other):
            break
        _put(links, place, other)
        place = parent
    _put(links, place, slot)
    return place


@inner_kernel
def _sink(keys: Times, ties: Ties, links: Links, place: int, slot: int) -> None:
    """Move `slot`, which belongs at `place` or below, to its place."""
    size = links[_LINK_SIZE]
    while True:
        child = 4 * place + 1
        if child >= size:
            break
        best_place = child
        best = links[_HEAP + child]
        for sibling in range(child + 1, min(child + 4, size)):
            other = links[_HEAP + sibling]
            if before(keys, ties, other, best):
                best_place = sibling
                best = other
        if not before(keys, ties, best, slot):
            break
        _put(links, place, best)
        place = best_place
    _put(links, place, slot)


@lean_kernel
def heap4_set(keys: Times, ties: Ties, links: Links, slot: int, time: float, tie: int) -> None:
    """Give `slot` a time (inf = none) and, where ties are kept, a tie."""
    keys[slot] = time
    if ties.shape[0] > 0:
        ties[slot] = tie
    place = links[_HEAP + links[LINK_SLOTS] + slot]
    mover = slot
    if time == inf:
        if place == _ABSENT:
            return
        links[_HEAP + links[LINK_SLOTS] + slot] = _ABSENT
        links[_LINK_SIZE] -= 1
        if place == links[_LINK_SIZE]:
            return
        mover = links[_HEAP + links[_LINK_SIZE]]
    elif place == _ABSENT:
        place = links[_LINK_SIZE]
        links[_LINK_SIZE] += 1
    if _rise(keys, ties, links, place, mover) == place:
        _sink(keys, ties, links, place, mover)


@lean_kernel
def heap4_top(keys: Times, ties: Ties, links: Links) -> int:
    """Slot of the earliest (time, tie), or -1 when the queue is empty."""
    return links[_HEAP] if links[_LINK_SIZE] > 0 else NO_SLOT


@lean_kernel
def heap4_build(keys: Times, ties: Ties, links: Links) -> None:
    """Make the queue valid after times were written directly into keys[0:n]."""
    size = 0
    for slot in range(links[LINK_SLOTS]):
        if keys[slot] < inf:
            _put(links, size, slot)
            size += 1
        else:
            links[_HEAP + links[LINK_SLOTS] + slot] = _ABSENT
    links[_LINK_SIZE] = size
    for place in range((size - 2) >> 2, -1, -1):
        _sink(keys, ties, links, place, links[_HEAP + place])


@lean_kernel
def heap4_check(keys: Times, ties: Ties, links: Links) -> bool:
    """Whether exactly the slots with a finite time are in the heap, places agree, and no child is before its parent."""
    n = links[LINK_SLOTS]
    present = 0
    for slot in range(n):
        place = links[_HEAP + n + slot]
        if keys[slot] < inf:
            present += 1
            if place < 0 or place >= links[_LINK_SIZE] or links[_HEAP + place] != slot:
                return False
            if place > 0 and before(keys, ties, slot, links[_HEAP + ((place - 1) >> 2)]):
                return False
        elif place != _ABSENT or keys[slot] != inf:
            return False
    return bool(present == links[_LINK_SIZE])
