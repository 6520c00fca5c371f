"""Event queue as a Fibonacci heap (Fredman and Tarjan, Journal of the ACM 34(3), 1987), the classic of kinetic data structures.

Heap-ordered trees form one ring of roots. A slot that moves earlier is cut from its parent and becomes a root; so does a
parent that lost two children. Roots of equal degree are joined only when the earliest slot leaves. The paper has no move to a
later time: here the slot leaves, its children become roots, and it is inserted again.
"""

from __future__ import annotations

from math import inf

import numpy as np

from carom._compile.jit import inner_kernel, lean_kernel
from carom.queues.order import LINK_METHOD, LINK_SLOTS, NO_SLOT, Links, Ties, Times, aligned_times, before, tie_table

FIBONACCI = 4
"""Method code in links[0]."""

_LINK_TOP = 2  # links[2]: earliest root, or NO_SLOT
_RANKS = 3  # links[3 + degree]: a root of that degree while roots are joined, NO_SLOT between calls
_MAX_DEGREE = 48  # A node of degree d heads at least 1.618^d / 2.24 nodes, so 2^31 slots have no degree above 46
_PARENT = _RANKS + _MAX_DEGREE  # links[_PARENT + 6 slot]: parent, NO_SLOT for roots, or _ABSENT
_CHILD = _PARENT + 1  # One of the children, or NO_SLOT
_NEXT = _PARENT + 2
_PREVIOUS = _PARENT + 3  # Neighbours in the ring of siblings
_DEGREE = _PARENT + 4  # Number of children
_MARK = _PARENT + 5  # 1 if the slot lost a child since it became a child itself, else 0
_STRIDE = 6
_ABSENT = -2


def fibonacci_arrays(n: int, with_ties: bool) -> tuple[Times, Ties, Links]:
    """Empty queue of n slots: (keys, ties, links)."""
    links = np.full(_PARENT + _STRIDE * n, NO_SLOT, np.int32)
    links[_PARENT::_STRIDE] = _ABSENT
    links[LINK_METHOD] = FIBONACCI
    links[LINK_SLOTS] = n
    return aligned_times(n), tie_table(n, with_ties), links


@inner_kernel
def _leave_ring(links: Links, slot: int) -> int:
    """Remove `slot` from its ring; returns a neighbour, or NO_SLOT if it was alone."""
    following = links[_NEXT + _STRIDE * slot]
    if following == slot:
        return NO_SLOT
    previous = links[_PREVIOUS + _STRIDE * slot]
    links[_NEXT + _STRIDE * previous] = following
    links[_PREVIOUS + _STRIDE * following] = previous
    return int(following)


@inner_kernel
def _enter_ring(links: Links, member: int, slot: int) -> None:
    """Insert the single `slot` into the ring of `member`; NO_SLOT: into a new ring."""
    if member == NO_SLOT:
        links[_NEXT + _STRIDE * slot] = slot
        links[_PREVIOUS + _STRIDE * slot] = slot
        return
    following = links[_NEXT + _STRIDE * member]
    links[_NEXT + _STRIDE * slot] = following
    links[_PREVIOUS + _STRIDE * slot] = member
    links[_NEXT + _STRIDE * member] = slot
    links[_PREVIOUS + _STRIDE * following] = slot


@lean_kernel
def _cut(links: Links, slot: int) -> None:
    """Make the child `slot` a root, and each ancestor that thereby loses its second child."""
    parent = links[_PARENT + _STRIDE * slot]
    while parent != NO_SLOT:
        links[_CHILD + _STRIDE * parent] = _leave_ring(links, slot)
        links[_DEGREE + _STRIDE * parent] -= 1
        links[_PARENT + _STRIDE * slot] = NO_SLOT
        links[_MARK + _STRIDE * slot] = 0
        _enter_ring(links, links[_LINK_TOP], slot)
        slot = parent
        parent = links[_PARENT + _STRIDE * slot]
        if parent != NO_SLOT and links[_MARK + _STRIDE * slot] == 0:
            links[_MARK + _STRIDE * slot] = 1
            return


@inner_kernel
def _free_children(links: Links, slot: int) -> None:
    """Make all children of `slot` roots."""
    child = links[_CHILD + _STRIDE * slot]
    while child != NO_SLOT:
        rest = _leave_ring(links, child)
        links[_PARENT + _STRIDE * child] = NO_SLOT
        links[_MARK + _STRIDE * child] = 0
        _enter_ring(links, slot, child)
        child = rest
    links[_CHILD + _STRIDE * slot] = NO_SLOT
    links[_DEGREE + _STRIDE * slot] = 0


@inner_kernel
def _join_equal_degrees(keys: Times, ties: Ties, links: Links, ring: int) -> None:
    """Join the roots in the ring until all degrees differ, and find the earliest of them."""
    while ring != NO_SLOT:
        root = ring
        ring = _leave_ring(links, root)
        degree = links[_DEGREE + _STRIDE * root]
        while links[_RANKS + degree] != NO_SLOT:
            other = links[_RANKS + degree]
            links[_RANKS + degree] = NO_SLOT
            if before(keys, ties, other, root):
                root, other = other, root
            _enter_ring(links, links[_CHILD + _STRIDE * root], other)
            links[_CHILD + _STRIDE * root] = other
            links[_PARENT + _STRIDE * other] = root
            links[_MARK + _STRIDE * other] = 0
            degree += 1
            links[_DEGREE + _STRIDE * root] = degree
        links[_RANKS + degree] = root
    top = NO_SLOT
    for degree in range(_MAX_DEGREE):
        root = links[_RANKS + degree]
        if root != NO_SLOT:
            links[_RANKS + degree] = NO_SLOT
            _enter_ring(links, top, root)
            if top == NO_SLOT or before(keys, ties, root, top):
                top = root
    links[_LINK_TOP] = top


@lean_kernel
def _remove(keys: Times, ties: Ties, links: Links, slot: int) -> None:
    """Take `slot` out of the queue."""
    _cut(links, slot)
    _free_children(links, slot)
    rest = _leave_ring(links, slot)
    links[_PARENT + _STRIDE * slot] = _ABSENT
    if slot == links[_LINK_TOP]:
        _join_equal_degrees(keys, ties, links, rest)


@lean_kernel
def _enter(keys: Times, ties: Ties, links: Links, slot: int) -> None:
    """Add `slot`, which has a finite time, as a root."""
    links[_PARENT + _STRIDE * slot] = NO_SLOT
    links[_CHILD + _STRIDE * slot] = NO_SLOT
    links[_DEGREE + _STRIDE * slot] = 0
    links[_MARK + _STRIDE * slot] = 0
    top = links[_LINK_TOP]
    _enter_ring(links, top, slot)
    if top == NO_SLOT or before(keys, ties, slot, top):
        links[_LINK_TOP] = slot


@lean_kernel
def fibonacci_set(keys: Times, ties: Ties, links: Links, slot: int, time: float, tie: int) -> None:
    """Give `slot` a time (inf = none) and, where ties are kept, a tie."""
    present = links[_PARENT + _STRIDE * slot] != _ABSENT
    if present:
        if time == keys[slot] and (ties.shape[0] == 0 or tie == ties[slot]):
            return
        earlier = time < keys[slot] or (time == keys[slot] and tie < ties[slot])
        if not earlier:
            _remove(keys, ties, links, slot)
            present = False
    keys[slot] = time
    if ties.shape[0] > 0:
        ties[slot] = tie
    if present:
        parent = links[_PARENT + _STRIDE * slot]
        if parent != NO_SLOT and before(keys, ties, slot, parent):
            _cut(links, slot)
        if before(keys, ties, slot, links[_LINK_TOP]):
            links[_LINK_TOP] = slot
    elif time < inf:
        _enter(keys, ties, links, slot)


@lean_kernel
def fibonacci_top(keys: Times, ties: Ties, links: Links) -> int:
    """Slot of the earliest (time, tie), or -1 when the queue is empty."""
    return int(links[_LINK_TOP])


@lean_kernel
def fibonacci_build(keys: Times, ties: Ties, links: Links) -> None:
    """Make the queue valid after times were written directly into keys[0:n]: every slot with an event is a root."""
    links[_LINK_TOP] = NO_SLOT
    for slot in range(links[LINK_SLOTS]):
        links[_PARENT + _STRIDE * slot] = _ABSENT
        if keys[slot] < inf:
            _enter(keys, ties, links, slot)


@inner_kernel
def _siblings(links: Links, first: int, parent: int, most: int) -> int:
    """Number of slots in the ring of `first`; -1 if it has more than `most`, or a slot with another parent."""
    n, slot = 0, first
    while slot != NO_SLOT:
        n += 1
        if n > most or links[_PARENT + _STRIDE * slot] != parent:
            return -1
        slot = links[_NEXT + _STRIDE * slot]
        if slot == first:
            break
    return n


@lean_kernel
def fibonacci_check(keys: Times, ties: Ties, links: Links) -> bool:
    """Whether exactly the slots with a finite time are linked, rings and degrees hold, no child is before its parent."""
    n = links[LINK_SLOTS]
    top = links[_LINK_TOP]
    present = 0
    children = 0
    for slot in range(n):
        parent = links[_PARENT + _STRIDE * slot]
        if parent == _ABSENT:
            if keys[slot] != inf:
                return False
            continue
        present += 1
        if not keys[slot] < inf or top == NO_SLOT or before(keys, ties, slot, top):
            return False
        if parent != NO_SLOT and before(keys, ties, slot, parent):
            return False
        following = links[_NEXT + _STRIDE * slot]
        if links[_PREVIOUS + _STRIDE * following] != slot or links[_PARENT + _STRIDE * following] != parent:
            return False
        degree = _siblings(links, links[_CHILD + _STRIDE * slot], slot, n)
        if degree < 0 or degree != links[_DEGREE + _STRIDE * slot]:
            return False
        children += degree
    if present == 0:
        return bool(top == NO_SLOT)
    roots = _siblings(links, top, NO_SLOT, n)
    if roots < 0:
        return False
    for degree in range(_MAX_DEGREE):
        if links[_RANKS + degree] != NO_SLOT:
            return False
    return bool(roots + children == present)
