"""The pool of active pairs: bodies whose bounds overlap, each pair with its cached prediction.

Every body has a doubly linked list of its pairs, so that a motion change touches only that body's pairs (paper KSP, 4.3).
Memory grows with the number of overlapping pairs, not with n^2.
"""

from __future__ import annotations

import math

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.engine.events.predict import predict
from carom.engine.events.rearm import arm, may_come_back, predict_new
from carom.queues.in_kernels import queue_set
from carom.tables.body_columns import DEGREE, GROUP, HEAD, ID, NO_ID
from carom.tables.run_columns import FREE_PAIR, N_PAIRS, STATE_OVERLAP, STATE_REPORTED


@inner_kernel
def collide_groups(bodies, a, b):
    """Do the groups of rows a and b collide at all?"""
    return (bodies.masks[bodies.link[a, GROUP]] >> np.uint64(bodies.link[b, GROUP])) & np.uint64(1) == np.uint64(1)


@inner_kernel
def find_pair(bodies, pairs, a, b):
    """Slot of the pair of rows a, b, or NO_ID; walks the shorter of the two lists."""
    if bodies.link[a, DEGREE] > bodies.link[b, DEGREE]:
        a, b = b, a
    node = bodies.link[a, HEAD]
    while node != NO_ID:
        if pairs.node[node ^ 1, 0] == b:
            return np.int64(node) >> 1
        node = pairs.node[node, 1]
    return NO_ID


@inner_kernel
def _hook(bodies, pairs, node, row):
    head = bodies.link[row, HEAD]
    pairs.node[node, 0] = row
    pairs.node[node, 1] = head
    pairs.node[node, 2] = NO_ID
    if head != NO_ID:
        pairs.node[head, 2] = node
    bodies.link[row, HEAD] = node
    bodies.link[row, DEGREE] += 1


@inner_kernel
def _unhook(bodies, pairs, node):
    row = pairs.node[node, 0]
    after = pairs.node[node, 1]
    before = pairs.node[node, 2]
    if before == NO_ID:
        bodies.link[row, HEAD] = after
    else:
        pairs.node[before, 1] = after
    if after != NO_ID:
        pairs.node[after, 2] = before
    bodies.link[row, DEGREE] -= 1


@inline_kernel
def pool_full(pairs, run):
    """Is there no slot for one more pair?"""
    return run.count[FREE_PAIR] == NO_ID and run.count[N_PAIRS] == pairs.state.shape[0]


@inner_kernel
def new_pair(bodies, pairs, run, a, b):
    """A free slot, linked to rows a and b, the lower id first."""
    slot = run.count[FREE_PAIR]
    if slot == NO_ID:
        slot = run.count[N_PAIRS]
        run.count[N_PAIRS] += 1
    else:
        run.count[FREE_PAIR] = pairs.node[2 * slot, 1]
    i, j = (a, b) if bodies.link[a, ID] < bodies.link[b, ID] else (b, a)
    _hook(bodies, pairs, 2 * slot, i)
    _hook(bodies, pairs, 2 * slot + 1, j)
    return slot


@inner_kernel
def begin_pair(bodies, pairs, run, a, b):
    """The bounds of rows a, b start to overlap. The caller has made sure that the pool is not full."""
    if not collide_groups(bodies, a, b):
        return
    slot = find_pair(bodies, pairs, a, b)
    if slot != NO_ID:  # remembered since its contact was reported: its next event is still scheduled
        pairs.state[slot] |= STATE_OVERLAP
        return
    begin_new_pair(bodies, pairs, run, a, b)


@inner_kernel
def begin_new_pair(bodies, pairs, run, a, b):
    """Like begin_pair, for a pair whose groups collide and that surely has no slot."""
    slot = new_pair(bodies, pairs, run, a, b)
    predict_new(bodies, pairs, run, slot, np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0]))


@lean_kernel
def remember_pairs(bodies, pairs, run, first, second, since):
    """Mark pairs as reported and armed again only from `since` on; the pool has room for all of them."""
    for k in range(first.shape[0]):
        slot = find_pair(bodies, pairs, np.int64(first[k]), np.int64(second[k]))
        if slot == NO_ID:
            slot = new_pair(bodies, pairs, run, np.int64(first[k]), np.int64(second[k]))
            pairs.state[slot] = 0
        pairs.state[slot] |= STATE_REPORTED
        pairs.since[slot] = since[k]
        predict(bodies, pairs, run, slot, np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0]))


@inner_kernel
def free_pair(bodies, pairs, run, slot):
    """Take a pair out of both lists and out of the queue."""
    queue_set(pairs.keys, pairs.ties, pairs.links, slot, math.inf, 0)
    _unhook(bodies, pairs, 2 * slot)
    _unhook(bodies, pairs, 2 * slot + 1)
    pairs.state[slot] = 0
    pairs.node[2 * slot, 0] = NO_ID
    pairs.node[2 * slot, 1] = run.count[FREE_PAIR]
    run.count[FREE_PAIR] = slot


@inner_kernel
def end_pair(bodies, pairs, run, a, b):
    """The bounds of rows a, b cease to overlap."""
    slot = find_pair(bodies, pairs, a, b)
    if slot != NO_ID:
        end_slot(bodies, pairs, run, slot, a, b)


@inner_kernel
def end_slot(bodies, pairs, run, slot, a, b):
    """The bounds of rows a, b, whose pair is in `slot`, cease to overlap.

    A pair that was reported and may come back under the same motions is remembered until one of them changes: whether
    it is armed is a rule of the motions alone, not of the broad phase. One that cannot is forgotten: should other bounds of it
    overlap, carom.engine.events.rearm.predict_new knows that its contact is past.
    """
    if pairs.state[slot] & STATE_REPORTED and may_come_back(bodies, a, b):
        pairs.state[slot] &= ~STATE_OVERLAP
    else:
        free_pair(bodies, pairs, run, slot)


@inline_kernel
def slot_and_next(pairs, node):
    """Slot of the pair at a node of a body's list, and the next node: to be asked for before the pair is freed."""
    return np.int64(node) >> 1, pairs.node[node, 1]


@inner_kernel
def retest_pairs(bodies, pairs, run, row, done):
    """The motion of `row` is new: forget its remembered pairs, predict its overlapping ones afresh, save that with `done`."""
    node = bodies.link[row, HEAD]
    while node != NO_ID:
        slot, after = slot_and_next(pairs, node)
        if pairs.node[node ^ 1, 0] == done:
            pass
        elif pairs.state[slot] & STATE_OVERLAP:
            arm(bodies, pairs, run, slot, np.int64(pairs.node[2 * slot, 0]), np.int64(pairs.node[2 * slot + 1, 0]))
        else:
            free_pair(bodies, pairs, run, slot)
        node = after


@lean_kernel
def predict_again(bodies, pairs, run, row):
    """Like retest_pairs for all pairs, from Python."""
    retest_pairs(bodies, pairs, run, row, np.int64(NO_ID))


@lean_kernel
def free_pairs_of(bodies, pairs, run, row):
    """Free every pair of a body that leaves the world."""
    while bodies.link[row, HEAD] != NO_ID:
        free_pair(bodies, pairs, run, np.int64(bodies.link[row, HEAD]) >> 1)
