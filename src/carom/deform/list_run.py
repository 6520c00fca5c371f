"""The event loop of a kinetic separation list, and what a change of flightplans does to it (paper KSL, Algorithm 1)."""

from __future__ import annotations

from math import inf

from carom._jit import inner_kernel, lean_kernel
from carom.deform.box_witness import parting_time
from carom.deform.chord_paths import refit_chord
from carom.deform.delivered import note_delivery, pair_key
from carom.deform.kinetic_faces import FACE, FACES, LEFT, PARENT
from carom.deform.leaf_contact import place_corners
from carom.deform.list_neighbours import recheck_neighbours
from carom.deform.look_ahead import NOT_AHEAD
from carom.deform.pair_by_address import END, START, WIDTH
from carom.deform.pair_by_address import FACES as FACES_AT
from carom.deform.pair_events import (
    BASE,
    CHANGES,
    CHORD,
    CONTACTS,
    EAGER,
    LEAF_EVENTS,
    N_NEIGHBOURS,
    TREE_EVENTS,
    arm_leaves,
    face_changed,
    parting_event,
    schedule_leaves,
    settle_leaves,
    witness_event,
)
from carom.deform.pair_pool import (
    CLOSE,
    CODE,
    LINKED,
    LISTS,
    NEXT_A,
    NODE_A,
    NODE_B,
    OVERLAP,
    SPLIT,
    STATE,
    UNSURE,
    WAITING,
    link_all,
    schedule,
)
from carom.deform.tree_events import refit_node, tree_event
from carom.queues.in_kernels import queue_top, queue_top_time

DONE, FOUND, ROOM_WANTED, EXACT_WANTED = range(4)
"""Why the loop came back: all is done; a contact was found and asked for; a table is full; a contact needs exact arithmetic."""

CHILD_CHANGED, ONE_CHILD = 1, 2
"""What a node notes of those below it while flightplans change: did one change, and how many are waited for."""

FACE_A, FACE_B, FEATURE = range(3)
"""Columns of a found contact: triangles, lower first, and the feature that touches."""


@inner_kernel
def _box_event(lists, slot, now):
    """A certificate of the tree fails; tell the pairs of every face that changed."""
    node = slot // FACES
    face = slot - FACES * node
    lists.counts[LEAF_EVENTS if lists.tree.node[node, LEFT] < 0 else TREE_EVENTS] += 1
    highest = tree_event(lists.tree, NOT_AHEAD, lists.queue, node, face, now, 1.0)
    face_changed(lists, node, face, now)
    while node != highest:
        node = lists.tree.node[node, PARENT]
        face_changed(lists, node, face, now)


@inner_kernel
def _deliver(lists, pair, now, found, times, n):
    """Hand over the contact of a pair."""
    record = lists.pairs.record
    a = lists.tree.node[record[pair, NODE_A], FACE]
    b = lists.tree.node[record[pair, NODE_B], FACE]
    found[n, FACE_A] = min(a, b)
    found[n, FACE_B] = max(a, b)
    found[n, FEATURE] = lists.pairs.rare[pair, CODE]
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
            return DONE
        slot = queue_top(lists.queue.keys, lists.queue.ties, lists.queue.links)
        progress[1] += 1
        if slot < base:
            _box_event(lists, slot, now)
            continue
        pair = slot - base
        state = record[pair, STATE]
        if state < SPLIT or state == WAITING:
            if not witness_event(lists, pair, now):
                return ROOM_WANTED
        elif state == UNSURE:
            return EXACT_WANTED
        elif state == CLOSE and lists.pairs.contact[pair] <= now:
            if progress[0] >= len(times) or 2 * lists.delivered.used[0] >= lists.delivered.key.shape[0]:
                return ROOM_WANTED
            _deliver(lists, pair, now, found, times, progress[0])
            progress[0] += 1
            if at_once:
                return FOUND
        else:
            parting_event(lists, pair, now)
    return DONE


@inner_kernel
def _refit(lists, node, now):
    """The box of a node anew; returns a mask of the faces whose path changed."""
    if lists.rules[CHORD] != 0:
        return refit_chord(lists.tree, node, now, lists.pad[0])
    return refit_node(lists.tree, NOT_AHEAD, lists.queue, node, now, 1.0)


@inner_kernel
def _overlaps_changed(lists, node, now):
    """The box of a node changed other than by its events: when do the boxes that it overlaps part now?"""
    record = lists.pairs.record
    link = lists.pairs.heads[LISTS * node + OVERLAP]
    while link >= 0:
        pair = link >> 1
        if record[pair, STATE] == SPLIT:
            due = parting_time(lists.tree.line, record[pair, NODE_A], record[pair, NODE_B], now, lists.pad[0])
            schedule(lists.queue, lists.rules[BASE] + pair, due, False)
        elif record[pair, STATE] == CLOSE:
            schedule_leaves(lists, pair, now, False)
        link = record[pair, NEXT_A + 2 * (link & 1)]


@inner_kernel
def _write_flights(lists, rows, start, finish, now, around):
    """Let vertices `rows` fly from start to finish (k, 3), from now to the end; notes which leaves that concerns, each once.

    Returns how many leaves there are, and the largest coordinate of these flights, at time 0, too.
    """
    first, held, marks, pending, leaves = around
    lists.counts[CHANGES] += 1
    look = lists.counts[CHANGES]
    n = 0
    reach = 0.0
    for k in range(len(rows)):
        vertex = rows[k]
        lists.motion.epoch[vertex] = now
        for d in range(3):
            here, there = start[k, d], finish[k, d]
            rate = (there - here) / (1.0 - now)
            at = here - rate * now
            lists.motion.start[vertex, d] = here
            lists.motion.finish[vertex, d] = there
            lists.tree.flight[vertex, d] = at
            lists.tree.flight[vertex, 3 + d] = rate
            reach = max(reach, max(abs(at), max(abs(here), abs(there))))
        if vertex + 1 < len(first):
            for m in range(first[vertex], first[vertex + 1]):
                leaf = held[m]
                if marks[leaf] != look:
                    marks[leaf] = look
                    leaves[n] = leaf
                    n += 1
                    node = lists.tree.node[leaf, PARENT]
                    while node >= 0:
                        seen = marks[node] == look
                        pending[node] = pending[node] + ONE_CHILD if seen else ONE_CHILD
                        if seen:
                            break
                        marks[node] = look
                        node = lists.tree.node[node, PARENT]
    return n, reach


@inner_kernel
def _refit_upwards(lists, leaf, now, pending):
    """The boxes of a leaf and of those above it anew, as far as it is the last one below them that was waited for."""
    node = leaf
    wanted = True
    while True:
        changed = _refit(lists, node, now) if wanted else 0
        for face in range(FACES):
            if (changed >> face) & 1:
                face_changed(lists, node, face, now)
        if changed != 0 and lists.rules[EAGER] != 0:
            _overlaps_changed(lists, node, now)
        node = lists.tree.node[node, PARENT]
        if node < 0:
            return
        left = pending[node] - ONE_CHILD
        if changed != 0:
            left |= CHILD_CHANGED
        pending[node] = left
        if left >= ONE_CHILD:
            return
        # The faces of a kinetic box follow vertices, whose flights may have changed where no face did.
        wanted = left == CHILD_CHANGED or lists.rules[CHORD] == 0


@lean_kernel
def change_list(lists, rows, start, finish, now, around, owner, waiting, reached, only_write):
    """Let vertices `rows` fly from start to finish (k, 3), from now to the end, and bring boxes, pairs and contacts up to date.

    around: see Forest. owner (m,): body of every triangle; waiting (b,): bodies not searched against themselves as long as
    nothing of them changes; reached: the largest coordinate that paddings are made for. Returns how many leaves there are
    around the vertices, and whether it is done: else, as always if `only_write`, the flights are written and the list is not
    up to date.
    """
    leaves = around.leaves
    n, reach = _write_flights(lists, rows, start, finish, now, around)
    begins = reach > reached
    for k in range(n):
        begins = begins or waiting[owner[lists.tree.node[leaves[k], FACE]]]
    if begins or only_write:
        return n, False
    record, marks = lists.pairs.record, around.marks
    look = lists.counts[CHANGES]
    if not lists.pairs.pool[LINKED]:
        link_all(lists.pairs, lists.rules[N_NEIGHBOURS])
    for k in range(n):
        _refit_upwards(lists, leaves[k], now, around.pending)
    for leaf in leaves[:n]:
        link = lists.pairs.heads[LISTS * leaf + OVERLAP]
        while link >= 0:
            pair = link >> 1
            state = record[pair, STATE]
            seen = link & 1 == 1 and marks[record[pair, NODE_A]] == look
            if (state == CLOSE or state == UNSURE) and not seen:
                arm_leaves(lists, pair, now, False)
            link = record[pair, NEXT_A + 2 * (link & 1)]
    recheck_neighbours(lists, leaves[:n], marks, now)
    return n, True


@lean_kernel
def settle_pairs(lists, pairs, times, codes, epochs, now):
    """Contacts of UNSURE pairs, decided exactly. times (n,) fractions of the interval, inf: none."""
    record = lists.pairs.record
    for k in range(len(pairs)):
        pair = pairs[k]
        a = lists.tree.node[record[pair, NODE_A], FACE]
        b = lists.tree.node[record[pair, NODE_B], FACE]
        record[pair, STATE] = CLOSE
        settle_leaves(lists, pair, min(a, b), max(a, b), times[k], codes[k], epochs[k], now, False)


@lean_kernel
def unsure_corners(lists, pairs, faces, start, end, epochs):
    """The triangles of UNSURE pairs as one mesh of six vertices a pair: faces (2 n, 3), start and end (6 n, 4)."""
    record = lists.pairs.record
    for k in range(len(pairs)):
        a = lists.tree.node[record[pairs[k], NODE_A], FACE]
        b = lists.tree.node[record[pairs[k], NODE_B], FACE]
        epochs[k] = place_corners(lists.tree.faces, lists.motion, min(a, b), max(a, b))
        for corner in range(6):
            faces[2 * k + corner // 3, corner % 3] = 6 * k + lists.motion.ints[FACES_AT + corner]
            for d in range(3):
                start[6 * k + corner, d] = lists.motion.floats[START + WIDTH * corner + d]
                end[6 * k + corner, d] = lists.motion.floats[END + WIDTH * corner + d]
