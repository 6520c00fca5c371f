"""Event queue as the auxiliary two-pass pairing heap of Stasko and Vitter (Communications of the ACM 30(3), 1987).

New and moved slots wait as single trees in an auxiliary area. When the earliest slot leaves, the area is paired in multiple
passes into one tree, which is melded with the main tree, and the root's children are paired in two passes. The paper only
needs delete-min; here a slot that moves later leaves its tree, and its paired children move to the area.

links has three entries per slot, and for one virtual node whose children are the auxiliary area.
"""

from __future__ import annotations

from math import inf

import numpy as np

from carom._compile.jit import inner_kernel, lean_kernel
from carom.queues.order import LINK_METHOD, LINK_SLOTS, NO_SLOT, Links, Ties, Times, aligned_times, before, tie_table

PAIRING = 1
"""Method code in links[0]."""

_LINK_ROOT = 2  # links[2]: root of the main tree, or NO_SLOT
_LINK_TOP = 3  # links[3]: earliest slot, in the main tree's root or the auxiliary area, or NO_SLOT
_CHILD = 4  # links[4 + 3 node]: first child
_NEXT = 5  # links[5 + 3 node]: next sibling
_PREVIOUS = 6  # links[6 + 3 node]: previous sibling, or the parent of a first child; NO_SLOT for the root; or _ABSENT
_ABSENT = -2


def pairing_arrays(n: int, with_ties: bool) -> tuple[Times, Ties, Links]:
    """Empty queue of n slots: (keys, ties, links)."""
    links = np.full(_CHILD + 3 * (n + 1), NO_SLOT, np.int32)
    links[_PREVIOUS::3] = _ABSENT
    links[LINK_METHOD] = PAIRING
    links[LINK_SLOTS] = n
    return aligned_times(n), tie_table(n, with_ties), links


@inner_kernel
def _adopt(links: Links, parent: int, node: int) -> None:
    """Make the single tree `node` the first child of `parent`."""
    child = links[_CHILD + 3 * parent]
    links[_NEXT + 3 * node] = child
    if child != NO_SLOT:
        links[_PREVIOUS + 3 * child] = node
    links[_PREVIOUS + 3 * node] = parent
    links[_CHILD + 3 * parent] = node


@inner_kernel
def _meld(keys: Times, ties: Ties, links: Links, a: int, b: int) -> int:
    """Join two trees, or NO_SLOT: the later root becomes the first child of the earlier, which is returned."""
    if a == NO_SLOT:
        return b
    if b == NO_SLOT:
        return a
    if before(keys, ties, b, a):
        a, b = b, a
    _adopt(links, a, b)
    return a


@inner_kernel
def _pair_in_two_passes(keys: Times, ties: Ties, links: Links, parent: int) -> int:
    """Remove all children of `parent` and join them into one tree: in pairs from the left, then all from the right."""
    node = links[_CHILD + 3 * parent]
    links[_CHILD + 3 * parent] = NO_SLOT
    joined = NO_SLOT
    while node != NO_SLOT:
        partner = links[_NEXT + 3 * node]
        rest = links[_NEXT + 3 * partner] if partner != NO_SLOT else NO_SLOT
        pair = _meld(keys, ties, links, node, partner)
        links[_NEXT + 3 * pair] = joined
        joined = pair
        node = rest
    tree = NO_SLOT
    while joined != NO_SLOT:
        rest = links[_NEXT + 3 * joined]
        tree = _meld(keys, ties, links, tree, joined)
        joined = rest
    if tree != NO_SLOT:
        links[_NEXT + 3 * tree] = NO_SLOT
        links[_PREVIOUS + 3 * tree] = NO_SLOT
    return tree


@inner_kernel
def _pair_in_many_passes(keys: Times, ties: Ties, links: Links, parent: int) -> int:
    """Remove all children of `parent` and join neighbours, pass after pass, until one tree is left."""
    first = links[_CHILD + 3 * parent]
    links[_CHILD + 3 * parent] = NO_SLOT
    if first == NO_SLOT:
        return NO_SLOT
    while links[_NEXT + 3 * first] != NO_SLOT:
        node = first
        last = NO_SLOT
        while node != NO_SLOT:
            partner = links[_NEXT + 3 * node]
            rest = links[_NEXT + 3 * partner] if partner != NO_SLOT else NO_SLOT
            pair = _meld(keys, ties, links, node, partner)
            if last == NO_SLOT:
                first = pair
            else:
                links[_NEXT + 3 * last] = pair
            last = pair
            node = rest
        links[_NEXT + 3 * last] = NO_SLOT
    links[_PREVIOUS + 3 * first] = NO_SLOT
    return int(first)


@lean_kernel
def _cut(links: Links, node: int) -> None:
    """Remove the tree `node`, not the main root, from its list of siblings."""
    previous = links[_PREVIOUS + 3 * node]
    following = links[_NEXT + 3 * node]
    if links[_CHILD + 3 * previous] == node:
        links[_CHILD + 3 * previous] = following
    else:
        links[_NEXT + 3 * previous] = following
    if following != NO_SLOT:
        links[_PREVIOUS + 3 * following] = previous


@lean_kernel
def _remove(keys: Times, ties: Ties, links: Links, slot: int) -> None:
    """Remove `slot` from the queue; its key must still be the one with which it was queued."""
    area = links[LINK_SLOTS]
    if slot == links[_LINK_TOP]:
        waiting = _pair_in_many_passes(keys, ties, links, area)
        root = _meld(keys, ties, links, links[_LINK_ROOT], waiting)
        root = _pair_in_two_passes(keys, ties, links, root)
        links[_LINK_ROOT] = root
        links[_LINK_TOP] = root
    elif slot == links[_LINK_ROOT]:
        links[_LINK_ROOT] = _pair_in_two_passes(keys, ties, links, slot)
    else:
        _cut(links, slot)
        orphans = _pair_in_two_passes(keys, ties, links, slot)
        if orphans != NO_SLOT:
            _adopt(links, area, orphans)
    links[_PREVIOUS + 3 * slot] = _ABSENT


@lean_kernel
def pairing_set(keys: Times, ties: Ties, links: Links, slot: int, time: float, tie: int) -> None:
    """Give `slot` a time (inf = none) and, where ties are kept, a tie."""
    if links[_PREVIOUS + 3 * slot] != _ABSENT:
        if time == keys[slot] and (ties.shape[0] == 0 or tie == ties[slot]):
            return
        if time < keys[slot] or (time == keys[slot] and tie < ties[slot]):
            if slot != links[_LINK_ROOT]:
                _cut(links, slot)
        else:
            _remove(keys, ties, links, slot)
    keys[slot] = time
    if ties.shape[0] > 0:
        ties[slot] = tie
    if time == inf:
        return
    if slot != links[_LINK_ROOT]:
        _adopt(links, links[LINK_SLOTS], slot)
    top = links[_LINK_TOP]
    if top == NO_SLOT or before(keys, ties, slot, top):
        links[_LINK_TOP] = slot


@lean_kernel
def pairing_top(keys: Times, ties: Ties, links: Links) -> int:
    """Slot of the earliest (time, tie), or -1 when the queue is empty."""
    return int(links[_LINK_TOP])


@lean_kernel
def pairing_build(keys: Times, ties: Ties, links: Links) -> None:
    """Make the queue valid after times were written directly into keys[0:n]: every slot waits in the auxiliary area."""
    area = links[LINK_SLOTS]
    links[_LINK_ROOT] = NO_SLOT
    links[_CHILD + 3 * area] = NO_SLOT
    top = NO_SLOT
    for slot in range(area):
        links[_CHILD + 3 * slot] = NO_SLOT
        links[_PREVIOUS + 3 * slot] = _ABSENT
        if keys[slot] < inf:
            _adopt(links, area, slot)
            if top == NO_SLOT or before(keys, ties, slot, top):
                top = slot
    links[_LINK_TOP] = top


@lean_kernel
def pairing_check(keys: Times, ties: Ties, links: Links) -> bool:
    """Whether exactly the slots with a finite time are linked, both ways, no child before its parent, the top first."""
    area = links[LINK_SLOTS]
    root = links[_LINK_ROOT]
    top = links[_LINK_TOP]
    if root != NO_SLOT and (links[_PREVIOUS + 3 * root] != NO_SLOT or links[_NEXT + 3 * root] != NO_SLOT):
        return False
    linked = 1 if root != NO_SLOT else 0
    for parent in range(area + 1):
        if parent < area and links[_PREVIOUS + 3 * parent] == _ABSENT:
            if keys[parent] != inf:
                return False
            continue
        previous = parent
        node = links[_CHILD + 3 * parent]
        while node != NO_SLOT:
            linked += 1
            if linked > area or node >= area or links[_PREVIOUS + 3 * node] != previous:
                return False
            if parent < area and before(keys, ties, node, parent):
                return False
            previous = node
            node = links[_NEXT + 3 * node]
    present = 0
    for slot in range(area):
        if keys[slot] < inf:
            present += 1
            if top == NO_SLOT or before(keys, ties, slot, top):
                return False
    return present == linked and (present > 0 or top == NO_SLOT)
