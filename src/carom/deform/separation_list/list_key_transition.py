"""Transition of all pairs of a separation list into a new interval: pairs that stay apart, and pairs that will overlap.

Chord boxes in single precision, as the chord front has them, tell for a whole interval with one comparison of all sides.
Certificates are not made: the state of a pair that stays apart is any witness. Where keys are known in advance, boxes over
several of them tell which pairs need not be looked at until then; all others are active.
"""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inline_kernel, lean_kernel
from carom.deform.chord_front.chord_boxes import TWO_KEYS
from carom.deform.kinetic_tree.faces import TREE_FACE
from carom.deform.separation_list.pair_events import (
    BASE,
    FATHERS_PARTED,
    LEAVES_PARTED,
    N_NEIGHBOURS,
    OVERLAPS,
    PAIRS_OPENED,
)
from carom.deform.separation_list.pair_pool import (
    CLOSE,
    NODE_A,
    NODE_B,
    PAIR_FREE,
    PAIR_SPLIT,
    PAIR_STATE,
    TOP,
    WAITING,
    drop_below,
    put_children,
    take_block,
)
from carom.deform.triangles.lanes.chord_boxes import meeting_window, sides_apart
from carom.deform.triangles.lanes.separating import parted

OPENED, WAITING_PAIRS, TRANSITION_FOUND, TESTED, ACTIVE = range(5)
"""Rows of the progress (5,): 1 once all pairs were carried; pairs that wait to be opened; candidates; leaves looked at; pairs
that are active."""

TRANSITION_DONE, TRANSITION_ROOM_WANTED = 0, 1
ANY_WITNESS = 0


@inline_kernel
def _window(boxes, odd, a, b):
    """Times in [0, 1] outside which boxes a and b are apart; the first after the last: they are all the way."""
    if sides_apart(boxes, a, b) != 0:
        return 1.0, 0.0
    return meeting_window(boxes, TWO_KEYS * a, TWO_KEYS * b, odd)


@inline_kernel
def _put(lists, candidates, found, pair, begin, end):
    """Candidate number `found`: a pair of leaves and the window in which their boxes meet."""
    rows, triangles, windows = candidates
    a = lists.tree.node[lists.pairs.record[pair, NODE_A], TREE_FACE]
    b = lists.tree.node[lists.pairs.record[pair, NODE_B], TREE_FACE]
    rows[found] = pair
    triangles[found, 0] = min(a, b)
    triangles[found, 1] = max(a, b)
    windows[found, 0] = begin
    windows[found, 1] = end


@inline_kernel
def _stay_apart(lists, start, end, pair):
    """Does the direction that last parted two leaves part them at both ends, and so all the way?"""
    direction = lists.pairs.direction
    x, y, z = np.float64(direction[pair, 0]), np.float64(direction[pair, 1]), np.float64(direction[pair, 2])
    if x == 0.0 and y == 0.0 and z == 0.0:
        return False
    a = lists.tree.node[lists.pairs.record[pair, NODE_A], TREE_FACE]
    b = lists.tree.node[lists.pairs.record[pair, NODE_B], TREE_FACE]
    a, b = min(a, b), max(a, b)
    side = parted(lists.tree.faces, end, 0, a, b, x, y, z)
    return side != 0 and parted(lists.tree.faces, start, 0, a, b, x, y, z) == side


@lean_kernel
def list_active(lists, far, listed, active, progress):
    """The pairs that are to be looked at over the keys ahead into `active`: all but those that `far`, chord boxes over these
    keys, shows apart; all where it is empty. listed (c,): which pairs that are."""
    record = lists.pairs.record
    looks_ahead = len(far) > 0
    n = 0
    for pair in range(lists.rules[N_NEIGHBOURS], lists.pairs.pool[TOP]):
        state = record[pair, PAIR_STATE]
        listed[pair] = 0
        if state == PAIR_FREE:
            continue
        if looks_ahead and state < PAIR_SPLIT and sides_apart(far, record[pair, NODE_A], record[pair, NODE_B]) != 0:
            continue
        listed[pair] = 1
        active[n] = pair
        n += 1
    progress[ACTIVE] = n


@lean_kernel
def carry_pairs(lists, boxes, odd, start, end, listed, active, waiting, candidates, progress):
    """Look at all active pairs: those that come together to `waiting`, leaves that may touch to `candidates`, and what is below
    a pair that is apart leaves the list.

    boxes (n, 16) float32, odd: see carom.deform.chord_front.chord_boxes; start, end (v, 4). The pairs are not linked.
    """
    record = lists.pairs.record
    n_waiting = 0
    found = 0
    tested = 0
    kept = 0
    for k in range(progress[ACTIVE]):
        pair = active[k]
        state = record[pair, PAIR_STATE]
        if state == PAIR_FREE:
            listed[pair] = 0
            continue
        active[kept] = pair
        kept += 1
        a, b = record[pair, NODE_A], record[pair, NODE_B]
        if sides_apart(boxes, a, b) != 0:
            if state >= PAIR_SPLIT:
                lists.counts[FATHERS_PARTED if state == PAIR_SPLIT else LEAVES_PARTED] += 1
                drop_below(lists.pairs, lists.queue, lists.rules[BASE], pair, True)
                record[pair, PAIR_STATE] = ANY_WITNESS
        elif state < PAIR_SPLIT or state == WAITING:
            begin, last = meeting_window(boxes, TWO_KEYS * a, TWO_KEYS * b, odd)
            if begin <= last:
                record[pair, PAIR_STATE] = WAITING
                waiting[n_waiting] = pair
                n_waiting += 1
        elif state != PAIR_SPLIT:
            record[pair, PAIR_STATE] = CLOSE
            tested += 1
            if not _stay_apart(lists, start, end, pair):
                begin, last = meeting_window(boxes, TWO_KEYS * a, TWO_KEYS * b, odd)
                if begin <= last:
                    _put(lists, candidates, found, pair, begin, last)
                    found += 1
    progress[ACTIVE] = kept
    progress[OPENED] = 1
    progress[WAITING_PAIRS] = n_waiting
    progress[TRANSITION_FOUND] = found
    progress[TESTED] = tested


@lean_kernel
def open_waiting(lists, left, right, boxes, odd, far, listed, active, waiting, candidates, stack, progress):
    """Put the deepest pairs below those that wait into the list; returns DONE, or TRANSITION_ROOM_WANTED with the others still
    waiting.

    left, right (n,): children of the nodes. What `far` does not show apart over the keys ahead becomes active.
    """
    looks_ahead = len(far) > 0
    n_active = progress[ACTIVE]
    pairs = lists.pairs
    record = pairs.record
    n_waiting = progress[WAITING_PAIRS]
    found = progress[TRANSITION_FOUND]
    while n_waiting > 0:
        n_waiting -= 1
        if record[waiting[n_waiting], PAIR_STATE] != WAITING:
            continue  # a pair above it was dropped
        lists.counts[OVERLAPS] += 1
        stack[0] = waiting[n_waiting]
        depth = 1
        while depth > 0:
            depth -= 1
            pair = stack[depth]
            a, b = record[pair, NODE_A], record[pair, NODE_B]
            first_a, first_b = left[a], left[b]
            if first_a < 0 and first_b < 0:
                record[pair, PAIR_STATE] = CLOSE
                for d in range(3):
                    pairs.direction[pair, d] = 0.0
                begin, end = _window(boxes, odd, a, b)
                _put(lists, candidates, found, pair, begin, end)
                found += 1
                progress[TESTED] += 1
                continue
            block = take_block(pairs)
            if block < 0:
                for k in range(depth + 1):
                    waiting[n_waiting] = stack[k]
                    n_waiting += 1
                progress[WAITING_PAIRS] = n_waiting
                progress[TRANSITION_FOUND] = found
                progress[ACTIVE] = n_active
                return TRANSITION_ROOM_WANTED
            lists.counts[PAIRS_OPENED] += 1
            record[pair, PAIR_STATE] = PAIR_SPLIT
            children = put_children(pairs, pair, block, first_a, right[a], first_b, right[b])
            for child in range(block, block + children):
                below_a, below_b = record[child, NODE_A], record[child, NODE_B]
                begin, end = _window(boxes, odd, below_a, below_b)
                if begin > end:
                    record[child, PAIR_STATE] = ANY_WITNESS
                else:
                    record[child, PAIR_STATE] = WAITING
                    stack[depth] = child
                    depth += 1
                away = looks_ahead and begin > end and sides_apart(far, below_a, below_b) != 0
                if not (away or listed[child]):  # listed: its record held another pair before
                    listed[child] = 1
                    active[n_active] = child
                    n_active += 1
    progress[WAITING_PAIRS] = 0
    progress[TRANSITION_FOUND] = found
    progress[ACTIVE] = n_active
    return TRANSITION_DONE


@lean_kernel
def keep_directions(direction, rows, witnesses, n):
    """Directions (n, 3) that parted candidates[:n] over their windows, for the pairs `rows`; 0 where there is none."""
    for k in range(n):
        x, y, z = witnesses[k, 0], witnesses[k, 1], witnesses[k, 2]
        size = max(abs(x), max(abs(y), abs(z)))
        scale = 1.0 / size if 0.0 < size < np.inf else 0.0
        for d in range(3):
            direction[rows[k], d] = np.float32(scale * witnesses[k, d])
