"""Update of a separation list after a change of flightplans within an interval: boxes, pairs and contacts."""

from __future__ import annotations

from math import inf

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom._compile.prefetch import prefetch_ends, prefetch_row
from carom.deform.kinetic_tree.events import refit_node
from carom.deform.kinetic_tree.faces import TREE_FACES
from carom.deform.kinetic_tree.future_certificates import NOT_AHEAD
from carom.deform.separation_list.box_witness import parting_time
from carom.deform.separation_list.chord_paths import grow_chord, refit_leaf_chord
from carom.deform.separation_list.neighbours import recheck_neighbours
from carom.deform.separation_list.pair_events import (
    BASE,
    BOX_CHANGES,
    CHANGES,
    CHORD,
    EAGER,
    N_NEIGHBOURS,
    arm_leaves,
    schedule_leaves,
    witness_changed,
)
from carom.deform.separation_list.pair_pool import (
    ABOVE,
    CLOSE,
    LINKED,
    NEXT_A,
    NODE_A,
    NODE_B,
    PAIR_BOX,
    PAIR_MARK,
    PAIR_OVERLAP,
    PAIR_PENDING,
    PAIR_SPLIT,
    PAIR_STATE,
    PAIR_TRIANGLE,
    PAIR_UNSURE,
    link_all,
    schedule,
)
from carom.deform.triangles.lanes.separating import parted
from carom.deform.triangles.leaf_contact import place_vertex
from carom.tolerances import LARGEST_NUMBER

UP_TO_DATE, WRITTEN, REFUSED = range(3)
"""What became of a change: all is done; flights are written but the list is not up to date; nothing was changed, because a row
is unknown or comes twice or a number is out of range."""

_MARKS = 2**31 - 1
"""Marks are numbers of changes, from 0 on again after this."""
ONE_CHILD = 1 << TREE_FACES
"""What a node notes of those below it: in the lowest bits which of its faces grew, and above how many are waited for."""


@inner_kernel
def _are_clean(motion, rows, start, rates, look):
    """Are these different rows of vertices, and all numbers in range?"""
    for k in range(len(rows)):
        if not 0 <= rows[k] < len(motion.placed_at) or motion.placed_at[rows[k]] == look:
            return False
        motion.placed_at[rows[k]] = look
        for d in range(3):
            if not abs(rates[k, d]) <= LARGEST_NUMBER or (len(start) > 0 and not abs(start[k, d]) <= LARGEST_NUMBER):
                return False
    return True


@inner_kernel
def _write_flights(lists, rows, start, rates, now, left, keyed, velocities):
    """The flights of vertices `rows`; returns the largest coordinate of these, also if they had begun with the interval."""
    motion = lists.motion
    reach = 0.0
    for k in range(len(rows)):
        vertex = rows[k]
        share = (now - motion.epoch[vertex]) / (1.0 - motion.epoch[vertex])
        motion.epoch[vertex] = now
        keyed[vertex] = False
        for d in range(3):
            if len(start) > 0:
                here = start[k, d]
            else:
                here = (1.0 - share) * motion.start[vertex, d] + share * motion.finish[vertex, d]
            there = here + rates[k, d] * left
            rate = (there - here) / (1.0 - now)
            at = here - rate * now
            velocities[vertex, d] = rates[k, d]
            motion.start[vertex, d] = here
            motion.finish[vertex, d] = there
            motion.here[vertex, d] = here
            motion.there[vertex, d] = there
            lists.tree.flight[vertex, d] = at
            lists.tree.flight[vertex, 3 + d] = rate
            reach = max(reach, max(abs(at), max(abs(here), abs(there))))
    return reach


@inner_kernel
def _mark_leaves(tree, boxes, rows, around, look):
    """Mark the leaves around vertices `rows` and all boxes above them; returns how many leaves there are."""
    for k in range(len(rows)):
        if rows[k] + 1 < len(around.first):
            for m in range(around.first[rows[k]], around.first[rows[k] + 1]):
                prefetch_row(boxes, PAIR_BOX * around.held[m])
    n = 0
    for k in range(len(rows)):
        vertex = rows[k]
        if vertex + 1 >= len(around.first):
            continue  # added, in no triangle yet
        for m in range(around.first[vertex], around.first[vertex + 1]):
            leaf = around.held[m]
            if boxes[PAIR_BOX * leaf + PAIR_MARK] == look:
                continue
            boxes[PAIR_BOX * leaf + PAIR_MARK] = look
            prefetch_ends(tree.line, leaf)
            around.leaves[n] = leaf
            n += 1
            node = boxes[PAIR_BOX * leaf + ABOVE]
            while node >= 0:
                if boxes[PAIR_BOX * node + PAIR_MARK] == look:
                    boxes[PAIR_BOX * node + PAIR_PENDING] += ONE_CHILD
                    break
                boxes[PAIR_BOX * node + PAIR_MARK] = look
                boxes[PAIR_BOX * node + PAIR_PENDING] = ONE_CHILD
                prefetch_ends(tree.line, np.int64(node))
                node = boxes[PAIR_BOX * node + ABOVE]
    return n


@inner_kernel
def _overlaps_changed(lists, node, now):
    """The box of a node changed other than by its events: when do the boxes that it overlaps part now?"""
    record = lists.pairs.record
    link = lists.pairs.boxes[PAIR_BOX * node + PAIR_OVERLAP]
    while link >= 0:
        pair = link >> 1
        if record[pair, PAIR_STATE] == PAIR_SPLIT:
            due = parting_time(lists.tree.line, record[pair, NODE_A], record[pair, NODE_B], now, lists.pad[0])
            schedule(lists.queue, lists.rules[BASE] + pair, due, False)
        elif record[pair, PAIR_STATE] == CLOSE:
            schedule_leaves(lists, pair, now, False)
        link = record[pair, NEXT_A + 2 * (link & 1)]


@inline_kernel
def _refit_upwards(lists, leaf, now, around, n):
    """The boxes of a leaf and of those above it anew, as far as it is the last one below them that was waited for; the lists of
    faces that changed go into `links`, from row n on. Returns where these end.

    Chords above leaves only ever grow, and only where one below them did. The faces of a kinetic box follow vertices, whose
    flights may have changed where no face did.
    """
    tree, boxes, links = lists.tree, lists.pairs.boxes, around.links
    chords = lists.rules[CHORD] != 0
    node = leaf
    grown = refit_leaf_chord(tree, leaf, boxes[PAIR_BOX * leaf + PAIR_TRIANGLE], now, lists.pad[0]) if chords else 0
    while True:
        changed = grown if chords else refit_node(tree, NOT_AHEAD, lists.queue, node, now, 1.0)
        for face in range(TREE_FACES):
            if (changed >> face) & 1:
                lists.counts[BOX_CHANGES] += 1
                n = _follow(lists.pairs, links, n, boxes[PAIR_BOX * node + face])
        if changed != 0 and lists.rules[EAGER] != 0:
            _overlaps_changed(lists, node, now)
        parent = boxes[PAIR_BOX * node + ABOVE]
        if parent < 0:
            return n
        if chords and changed != 0:
            boxes[PAIR_BOX * parent + PAIR_PENDING] |= grow_chord(tree, parent, node, changed, now)
        boxes[PAIR_BOX * parent + PAIR_PENDING] -= ONE_CHILD
        grown = boxes[PAIR_BOX * parent + PAIR_PENDING]
        if grown >= ONE_CHILD:
            return n
        node = parent


@inline_kernel
def _follow(pairs, links, n, link):
    """Put a link, if there is one, into row n of `links`, and have its record brought near; returns where they end."""
    if link >= 0:
        prefetch_row(pairs.record, np.int64(link >> 1))
        links[n] = link
        n += 1
    return n


@inner_kernel
def _refit_boxes(lists, around, n, now):
    """Boxes around the first n marked leaves anew, and what follows for the pairs that are apart along their faces."""
    listed = 0
    for k in range(n):
        listed = _refit_upwards(lists, around.leaves[k], now, around, listed)
    _recompute(lists, around.links, listed, now)


@inner_kernel
def _recompute(lists, links, n, now):
    """When do the witnesses of all pairs in n lists fail now? One of each list at a time, so that many can be on their way from
    memory at once."""
    record = lists.pairs.record
    while n > 0:
        left = 0
        for k in range(n):
            link = links[k]
            left = _follow(lists.pairs, links, left, record[link >> 1, NEXT_A + 2 * (link & 1)])
            witness_changed(lists, link >> 1, now)
        n = left


@inner_kernel
def _rearm(lists, around, n, now, look):
    """Contacts of all pairs of leaves that overlap one of the first n marked ones."""
    record, boxes, links = lists.pairs.record, lists.pairs.boxes, around.links
    listed = 0
    for k in range(n):
        link = boxes[PAIR_BOX * around.leaves[k] + PAIR_OVERLAP]
        prefetch_row(lists.pairs.direction, np.int64(link >> 1))
        prefetch_row(lists.queue.keys, lists.rules[BASE] + (link >> 1))
        listed = _follow(lists.pairs, links, listed, link)
    while listed > 0:
        left = 0
        for k in range(listed):
            link = links[k]
            pair = link >> 1
            following = record[pair, NEXT_A + 2 * (link & 1)]
            prefetch_row(lists.pairs.direction, np.int64(following >> 1))
            prefetch_row(lists.queue.keys, lists.rules[BASE] + (following >> 1))
            left = _follow(lists.pairs, links, left, following)
            state = record[pair, PAIR_STATE]
            seen = link & 1 == 1 and boxes[PAIR_BOX * record[pair, NODE_A] + PAIR_MARK] == look
            if (state == CLOSE or state == PAIR_UNSURE) and not seen and not _stay_apart(lists, pair, now, look):
                arm_leaves(lists, pair, now, False)
        listed = left


@inline_kernel
def _stay_apart(lists, pair, now, look):
    """Do leaves without a contact stay apart along the direction that parted them before? Then nothing changes for them."""
    if lists.pairs.record[pair, PAIR_STATE] != CLOSE or lists.rules[EAGER] != 0:
        return False
    if lists.queue.keys[lists.rules[BASE] + pair] != inf:
        return False
    tree, motion, record = lists.tree, lists.motion, lists.pairs.record
    d = lists.pairs.direction[pair]
    x, y, z = float(d[0]), float(d[1]), float(d[2])
    a = lists.pairs.boxes[PAIR_BOX * record[pair, NODE_A] + PAIR_TRIANGLE]
    b = lists.pairs.boxes[PAIR_BOX * record[pair, NODE_B] + PAIR_TRIANGLE]
    for corner in range(3):
        place_vertex(motion, tree.faces[a, corner], now, look)
        place_vertex(motion, tree.faces[b, corner], now, look)
    side = parted(tree.faces, motion.here, 0, a, b, x, y, z)
    return side != 0 and parted(tree.faces, motion.there, 0, a, b, x, y, z) == side


@lean_kernel
def change_list(lists, rows, start, rates, now, left, keyed, velocities, around, owner, waiting, reached, only_write):
    """Let vertices `rows` fly with `rates` (k, 3), m/s, for the `left` seconds of the interval, from start (k, 3) or, if that
    is empty, from where they are, and bring boxes, pairs and contacts up to date.

    keyed, velocities (v,), (v, 3): told that they follow keys no longer, and how they fly. around: see Forest. owner (m,): body
    of every triangle; waiting (b,): bodies not searched against themselves as long as nothing of them changes; reached: the
    largest coordinate that paddings are made for; only_write: write flights, no more. Returns how many leaves there are around
    the vertices, and what became of it.
    """
    lists.counts[CHANGES] = (lists.counts[CHANGES] + 1) & _MARKS
    look = lists.counts[CHANGES]
    if not _are_clean(lists.motion, rows, start, rates, look):
        return 0, REFUSED
    reach = _write_flights(lists, rows, start, rates, now, left, keyed, velocities)
    n = _mark_leaves(lists.tree, lists.pairs.boxes, rows, around, look)
    leaves = around.leaves
    begins = reach > reached
    for k in range(n):
        begins = begins or waiting[owner[lists.pairs.boxes[PAIR_BOX * leaves[k] + PAIR_TRIANGLE]]]
    if begins or only_write:
        return n, WRITTEN
    if not lists.pairs.pool[LINKED]:
        link_all(lists.pairs, lists.rules[N_NEIGHBOURS])
    _refit_boxes(lists, around, n, now)
    _rearm(lists, around, n, now, look)
    recheck_neighbours(lists, leaves[:n], now)
    return n, UP_TO_DATE
