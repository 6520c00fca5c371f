"""Events of the pairs of a kinetic separation list (paper KSL, sections 5.1 and 6.1).

All times are fractions of the interval between two keys. A pair that is apart waits for its witness to fail: then another
face takes over, or the boxes overlap and the list descends to the deepest pairs that are apart. Overlapping pairs either
wait for parting, so that the list is at all times exactly the paper's ("eager"), or part at the next key, all in one pass.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.deform.kinetic_tree.faces import TREE_FACE, TREE_LEFT, TREE_RIGHT, QueueTables, TreeTables
from carom.deform.model.changed_fans import FanTables
from carom.deform.model.reported_pairs import DeliveredTables, delivered_time, pair_key
from carom.deform.separation_list.box_witness import EARLY, best_witness, have_parted, parting_time, witness_fails
from carom.deform.separation_list.pair_pool import (
    CHILD,
    CLOSE,
    FATHER,
    N_UNSURE,
    NEXT_A,
    NODE_A,
    NODE_B,
    PAIR_BLOCK,
    PAIR_BOX,
    PAIR_CODE,
    PAIR_FREE,
    PAIR_SPLIT,
    PAIR_STATE,
    PAIR_UNSURE,
    TOP,
    WAITING,
    PairTables,
    drop_below,
    link_pair,
    put_children,
    schedule,
    take_block,
    unlink_pair,
)
from carom.deform.triangles.leaf_contact import MotionTables, leaf_contact
from carom.deform.triangles.triangle_pairs import QUANTUM

BASE, EAGER, CHORD, N_NEIGHBOURS = range(4)
"""Rows of the rules: slots of the queue before the first pair; do overlapping pairs wait for parting? are boxes chords, not
kinetic? pairs of neighbours, which come first."""

(
    OVERLAPS, FATHERS_PARTED, LEAVES_PARTED, CONTACTS, BOX_CHANGES,
    LEAF_EVENTS, TREE_EVENTS, WITNESSES_CHANGED, RECOMPUTED, PAIRS_OPENED, PAIR_TESTS, PARTINGS_DELAYED, CHANGES,
) = range(13)  # fmt: skip
"""Rows of the counts."""
N_COUNTS = 13


class ListTables(NamedTuple):
    """All that the kernels of a separation list need. rules (4,), counts (13,) int64; pad (1,): see box_witness."""

    tree: TreeTables
    queue: QueueTables
    pairs: PairTables
    motion: MotionTables
    delivered: DeliveredTables
    fans: FanTables
    rules: NDArray[np.int64]
    counts: NDArray[np.int64]
    pad: NDArray[np.float64]


@inline_kernel
def schedule_leaves(lists, pair, now, bulk):
    """The next event of overlapping leaves: their contact, or their parting."""
    contact = lists.pairs.contact[pair]
    due = max(contact, now)
    if lists.rules[EAGER] != 0 and pair >= lists.rules[N_NEIGHBOURS]:
        record = lists.pairs.record
        parting = parting_time(lists.tree.line, record[pair, NODE_A], record[pair, NODE_B], now, lists.pad[0])
        due = min(due, parting)
    schedule(lists.queue, lists.rules[BASE] + pair, due, bulk)


@inner_kernel
def arm_leaves(lists, pair, now, bulk):
    """Compute the contact of overlapping leaves or of neighbours. A pair already reported since the latest flightplan of its
    corners began is not reported again."""
    record = lists.pairs.record
    a = lists.tree.node[record[pair, NODE_A], TREE_FACE]
    b = lists.tree.node[record[pair, NODE_B], TREE_FACE]
    a, b = min(a, b), max(a, b)
    lists.counts[PAIR_TESTS] += 1
    time, code, epoch, sure = leaf_contact(
        lists.tree.faces, lists.motion, a, b, pair < lists.rules[N_NEIGHBOURS], lists.pairs.direction[pair]
    )
    if not sure:
        record[pair, PAIR_STATE] = PAIR_UNSURE
        listed = lists.pairs.pool[N_UNSURE]
        if listed < len(lists.pairs.unsure):
            lists.pairs.unsure[listed] = pair
            lists.pairs.pool[N_UNSURE] = listed + 1
        schedule(
            lists.queue, lists.rules[BASE] + pair, max(time - QUANTUM, now), bulk
        )  # what it is will be rounded down
        return
    record[pair, PAIR_STATE] = CLOSE
    settle_leaves(lists, pair, a, b, time, code, epoch, now, bulk)


@inline_kernel
def settle_leaves(lists, pair, a, b, time, code, epoch, now, bulk):
    """Note the contact of triangles a < b."""
    if time < inf and delivered_time(lists.delivered, pair_key(a, b)) >= epoch:
        time = inf
    lists.pairs.contact[pair] = time
    lists.pairs.rare[pair, PAIR_CODE] = code
    schedule_leaves(lists, pair, now, bulk)


@inner_kernel
def open_pair(lists, opened, now, bulk):
    """Put the deepest pairs below an overlapping pair into the list, which is in no list of a box.

    Returns whether there was room; if not, what is left to open is WAITING with an event now.
    """
    pairs = lists.pairs
    record = pairs.record
    node = lists.tree.node
    base = lists.rules[BASE]
    record[opened, PAIR_STATE] = WAITING
    pairs.stack[0] = opened
    waiting = 1
    while waiting > 0:
        waiting -= 1
        pair = pairs.stack[waiting]
        a = record[pair, NODE_A]
        b = record[pair, NODE_B]
        first_a = node[a, TREE_LEFT]
        first_b = node[b, TREE_LEFT]
        if first_a < 0 and first_b < 0:
            link_pair(pairs, pair, CLOSE)
            arm_leaves(lists, pair, now, bulk)
            continue
        block = take_block(pairs)
        if block < 0:
            for k in range(waiting + 1):
                schedule(lists.queue, base + pairs.stack[k], now, bulk)
            return False
        lists.counts[PAIRS_OPENED] += 1
        link_pair(pairs, pair, PAIR_SPLIT)
        due = inf
        if lists.rules[EAGER] != 0:
            due = parting_time(lists.tree.line, a, b, now, lists.pad[0])
        schedule(lists.queue, base + pair, due, bulk)
        children = put_children(pairs, pair, block, first_a, node[a, TREE_RIGHT], first_b, node[b, TREE_RIGHT])
        for child in range(block, block + children):
            witness, time = best_witness(
                lists.tree.line, record[child, NODE_A], record[child, NODE_B], now, lists.pad[0]
            )
            if witness < 0:
                record[child, PAIR_STATE] = WAITING
                pairs.stack[waiting] = child
                waiting += 1
            else:
                link_pair(pairs, child, witness)
                schedule(lists.queue, base + child, time, bulk)
    return True


@inline_kernel
def witness_event(lists, pair, now):
    """The witness of a pair fails: find another, or the boxes overlap (BV-overlap event). Returns whether there was room."""
    record = lists.pairs.record
    if record[pair, PAIR_STATE] != WAITING:
        witness, time = best_witness(lists.tree.line, record[pair, NODE_A], record[pair, NODE_B], now, lists.pad[0])
        unlink_pair(lists.pairs, pair)
        if witness >= 0:
            link_pair(lists.pairs, pair, witness)
            schedule(lists.queue, lists.rules[BASE] + pair, time, False)
            lists.counts[WITNESSES_CHANGED] += 1
            return True
        lists.counts[OVERLAPS] += 1
    return open_pair(lists, pair, now, False)


@inner_kernel
def _part(lists, pair, witness, time, bulk):
    """An overlapping pair is apart again: all below it leaves the list."""
    record = lists.pairs.record
    lists.counts[FATHERS_PARTED if record[pair, PAIR_STATE] == PAIR_SPLIT else LEAVES_PARTED] += 1
    drop_below(lists.pairs, lists.queue, lists.rules[BASE], pair, bulk)
    unlink_pair(lists.pairs, pair)
    link_pair(lists.pairs, pair, witness)
    schedule(lists.queue, lists.rules[BASE] + pair, time, bulk)


@inner_kernel
def parting_event(lists, pair, now):
    """Overlapping boxes may have parted: if so, climb to the highest pair that has, and let it stand for all below."""
    record = lists.pairs.record
    line = lists.tree.line
    pad = lists.pad[0]
    if not have_parted(line, record[pair, NODE_A], record[pair, NODE_B], now, pad):
        if record[pair, PAIR_STATE] == PAIR_SPLIT:
            due = parting_time(line, record[pair, NODE_A], record[pair, NODE_B], now, pad)
            schedule(lists.queue, lists.rules[BASE] + pair, due, False)
        else:
            schedule_leaves(lists, pair, now, False)
        return
    witness, time = best_witness(line, record[pair, NODE_A], record[pair, NODE_B], now, pad)
    if witness < 0:
        # They part only for a moment, shorter than overlaps are announced ahead. Leaves may touch before it is over.
        lists.counts[PARTINGS_DELAYED] += 1
        due = now + EARLY if record[pair, PAIR_STATE] == PAIR_SPLIT else min(lists.pairs.contact[pair], now + EARLY)
        schedule(lists.queue, lists.rules[BASE] + pair, due, False)
        return
    father = lists.pairs.rare[pair, FATHER]
    while father >= 0 and have_parted(line, record[father, NODE_A], record[father, NODE_B], now, pad):
        above, lasts = best_witness(line, record[father, NODE_A], record[father, NODE_B], now, pad)
        if above < 0:
            break
        pair = father
        witness = above
        time = lasts
        father = lists.pairs.rare[pair, FATHER]
    _part(lists, pair, witness, time, False)


@inline_kernel
def witness_changed(lists, pair, now):
    """The path of a face that a pair relies on changed: when does its witness fail now?"""
    record = lists.pairs.record
    due = witness_fails(
        lists.tree.line, record[pair, NODE_A], record[pair, NODE_B], record[pair, PAIR_STATE], now, lists.pad[0]
    )
    schedule(lists.queue, lists.rules[BASE] + pair, due, False)
    lists.counts[RECOMPUTED] += 1


@inline_kernel
def face_changed(lists, node, face, now):
    """The path of a face changed (BV-change event): when do the witnesses that rely on it fail now?"""
    lists.counts[BOX_CHANGES] += 1
    link = lists.pairs.boxes[PAIR_BOX * node + face]
    while link >= 0:
        witness_changed(lists, link >> 1, now)
        link = lists.pairs.record[link >> 1, NEXT_A + 2 * (link & 1)]


@lean_kernel
def start_list(lists, start, now):
    """The list from start pairs (p, 2) of nodes on into an empty pool behind the records of neighbours; returns whether there
    was room. The queue is to be built after."""
    pairs = lists.pairs
    record = pairs.record
    first = pairs.pool[TOP]
    pairs.pool[TOP] = first + (len(start) + PAIR_BLOCK - 1) // PAIR_BLOCK * PAIR_BLOCK
    if pairs.pool[TOP] > record.shape[0]:
        return False
    for pair in range(first + len(start), pairs.pool[TOP]):
        record[pair, PAIR_STATE] = PAIR_FREE
    for k in range(len(start)):
        pair = first + k
        record[pair, NODE_A] = start[k, 0]
        record[pair, NODE_B] = start[k, 1]
        record[pair, CHILD] = -1
        pairs.rare[pair, FATHER] = -1
        witness, time = best_witness(lists.tree.line, start[k, 0], start[k, 1], now, lists.pad[0])
        if witness >= 0:
            link_pair(pairs, pair, witness)
            lists.queue.keys[lists.rules[BASE] + pair] = time
        elif not open_pair(lists, pair, now, True):
            return False
    return True


@lean_kernel
def refresh_pairs(lists):
    """Carry the list into a new interval: all paths have changed. The queue is to be built after."""
    record = lists.pairs.record
    keys = lists.queue.keys
    base = lists.rules[BASE]
    line = lists.tree.line
    pad = lists.pad[0]
    for pair in range(lists.rules[N_NEIGHBOURS], lists.pairs.pool[TOP]):
        state = record[pair, PAIR_STATE]
        if state == PAIR_FREE:
            keys[base + pair] = inf
            continue
        a = record[pair, NODE_A]
        b = record[pair, NODE_B]
        if state < PAIR_SPLIT:
            keys[base + pair] = witness_fails(line, a, b, state, 0.0, pad)
            if keys[base + pair] == inf:
                continue
        witness, time = best_witness(line, a, b, 0.0, pad)
        if state < PAIR_SPLIT:
            keys[base + pair] = time
            if witness >= 0 and witness != state:
                unlink_pair(lists.pairs, pair)
                link_pair(lists.pairs, pair, witness)
                lists.counts[WITNESSES_CHANGED] += 1
        elif witness >= 0 and time == inf:
            _part(lists, pair, witness, time, True)
        elif state == PAIR_SPLIT:
            keys[base + pair] = parting_time(line, a, b, 0.0, pad) if lists.rules[EAGER] != 0 else inf
        else:
            arm_leaves(lists, pair, 0.0, True)
