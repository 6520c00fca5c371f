"""The event loop of a kinetic separation list (paper KSL, Algorithm 1)."""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel, lean_kernel
from carom.deform.kinetic_tree.events import tree_event
from carom.deform.kinetic_tree.faces import TREE_FACE, TREE_FACES, TREE_LEFT, TREE_PARENT
from carom.deform.kinetic_tree.future_certificates import NOT_AHEAD
from carom.deform.model.reported_pairs import note_delivery, pair_key
from carom.deform.separation_list.pair_events import (
    BASE,
    CONTACTS,
    LEAF_EVENTS,
    TREE_EVENTS,
    face_changed,
    parting_event,
    schedule_leaves,
    witness_event,
)
from carom.deform.separation_list.pair_pool import (
    CLOSE,
    NODE_A,
    NODE_B,
    PAIR_CODE,
    PAIR_SPLIT,
    PAIR_STATE,
    PAIR_UNSURE,
    WAITING,
)
from carom.queues.in_kernels import queue_top, queue_top_time

LIST_DONE, LIST_FOUND, LIST_ROOM_WANTED, EXACT_WANTED = range(4)
"""Why the loop came back: all is done; a contact was found and asked for; a table is full; a contact needs exact arithmetic."""

FACE_A, FACE_B, FEATURE = range(3)
"""Columns of a found contact: triangles, lower first, and the feature that touches."""


@inner_kernel
def _box_event(lists, slot, now):
    """A certificate of the tree fails; tell the pairs of every face that changed."""
    node = slot // TREE_FACES
    face = slot - TREE_FACES * node
    lists.counts[LEAF_EVENTS if lists.tree.node[node, TREE_LEFT] < 0 else TREE_EVENTS] += 1
    highest = tree_event(lists.tree, NOT_AHEAD, lists.queue, node, face, now, 1.0)
    face_changed(lists, node, face, now)
    while node != highest:
        node = lists.tree.node[node, TREE_PARENT]
        face_changed(lists, node, face, now)


@inner_kernel
def _deliver(lists, pair, now, found, times, n):
    """Hand over the contact of a pair."""
    record = lists.pairs.record
    a = lists.tree.node[record[pair, NODE_A], TREE_FACE]
    b = lists.tree.node[record[pair, NODE_B], TREE_FACE]
    found[n, FACE_A] = min(a, b)
    found[n, FACE_B] = max(a, b)
    found[n, FEATURE] = lists.pairs.rare[pair, PAIR_CODE]
    times[n] = lists.pairs.contact[pair]
    lists.counts[CONTACTS] += 1
    note_delivery(lists.delivered, pair_key(min(a, b), max(a, b)), now)
    lists.pairs.contact[pair] = inf
    schedule_leaves(lists, pair, now, False)


@lean_kernel
def run_list(lists, until, at_once, most, found, times, progress):
    """Handle events up to `until`, `most` of them at most. Contacts go to found (c, 3) and times (c,), from progress[0] on.

    at_once: come back with the first contact. progress: contacts found, and events handled. Returns a code.
    """
    record = lists.pairs.record
    base = lists.rules[BASE]
    while progress[1] < most:
        now = queue_top_time(lists.queue.keys, lists.queue.ties, lists.queue.links)
        if now > until:
            return LIST_DONE
        slot = queue_top(lists.queue.keys, lists.queue.ties, lists.queue.links)
        progress[1] += 1
        if slot < base:
            _box_event(lists, slot, now)
            continue
        pair = slot - base
        state = record[pair, PAIR_STATE]
        if state < PAIR_SPLIT or state == WAITING:
            if not witness_event(lists, pair, now):
                return LIST_ROOM_WANTED
        elif state == PAIR_UNSURE:
            return EXACT_WANTED
        elif state == CLOSE and lists.pairs.contact[pair] <= now:
            if progress[0] >= len(times) or 2 * lists.delivered.used[0] >= lists.delivered.key.shape[0]:
                return LIST_ROOM_WANTED
            _deliver(lists, pair, now, found, times, progress[0])
            progress[0] += 1
            if at_once:
                return LIST_FOUND
        else:
            parting_event(lists, pair, now)
    return LIST_DONE
