"""Certificates of a kinetic AABB tree: how they are made, and what happens when one fails.

Every face of every box has one certificate: the marking vertex reaches farther than the other corners (of a leaf) or than
the marking vertex of the other child. It fails when one of these overtakes: a leaf event or a tree event. Then the new
vertex marks the face, and those of all ancestors that the old one marked.

`ahead`: None where certificates are good up to `end`, the end of the current interval, and are made anew then; or a LookAhead,
which tells of all later intervals. A failure is an interval and a time in it; without `ahead`, all are of interval 0.
"""

from __future__ import annotations

from math import inf

from carom._jit import inline_kernel, inner_kernel, lean_kernel
from carom.deform.kinetic_faces import (
    EXTREME,
    FACE,
    FACES,
    LEFT,
    PARENT,
    RIGHT,
    copy_face,
    face_of,
    leads,
    mark_face,
    reach_of,
)
from carom.deform.look_ahead import NEVER, failure, note_failure, set_certificate
from carom.queues.in_kernels import queue_top, queue_top_time

LEAF_EVENTS, TREE_EVENTS, CERTIFICATES = 0, 1, 2
"""Rows of the counts; the last: certificates made by events."""


@inline_kernel
def _sooner(ahead, interval, time, other_interval, other_time):
    """Does the first of two failures come before the other?"""
    if ahead is None:
        return time < other_time
    return interval < other_interval or (interval == other_interval and time < other_time)


@inner_kernel
def next_corner(tree, ahead, node, face, now, end):
    """(interval, time, vertex): which corner of a leaf's triangle overtakes the one that marks `face` next; (NEVER, inf,
    itself) if none."""
    marks = tree.node[node, EXTREME + face]
    path = face_of(tree, node, face)
    first = NEVER
    first_time = inf
    overtaker = marks
    triangle = tree.node[node, FACE]
    for k in range(3):
        vertex = tree.faces[triangle, k]
        if vertex != marks:
            other_path = reach_of(tree, vertex, face)
            interval, time = failure(ahead, marks, path, vertex, other_path, face, now, end)
            if _sooner(ahead, interval, time, first, first_time):
                first = interval
                first_time = time
                overtaker = vertex
    return first, first_time, overtaker


@inner_kernel
def fit_face(tree, ahead, node, face, now, end):
    """Find the vertex that marks a face right after now; returns when its certificate fails. Children must be right."""
    first = tree.node[node, LEFT]
    if first < 0:
        triangle = tree.node[node, FACE]
        best = tree.faces[triangle, 0]
        at, rate, bend = reach_of(tree, best, face)
        for k in range(1, 3):
            vertex = tree.faces[triangle, k]
            other_at, other_rate, other_bend = reach_of(tree, vertex, face)
            if leads(other_at, other_rate, other_bend, at, rate, bend, now):
                best = vertex
                at = other_at
                rate = other_rate
                bend = other_bend
        mark_face(tree, node, face, best, at, rate, bend)
        interval, time, _ = next_corner(tree, ahead, node, face, now, end)
        return interval, time
    second = tree.node[node, RIGHT]
    marks = tree.node[first, EXTREME + face]
    other = tree.node[second, EXTREME + face]
    path = face_of(tree, first, face)
    other_path = face_of(tree, second, face)
    if leads(other_path[0], other_path[1], other_path[2], path[0], path[1], path[2], now):
        copy_face(tree, second, node, face)
        return failure(ahead, other, other_path, marks, path, face, now, end)
    copy_face(tree, first, node, face)
    return failure(ahead, marks, path, other, other_path, face, now, end)


@lean_kernel
def fit_tree(tree, ahead, order, keys, now, end):
    """All boxes and certificates anew; order: rows of nodes, children before parents. The queue is to be built after."""
    for node in order:
        for face in range(FACES):
            slot = FACES * node + face
            interval, time = fit_face(tree, ahead, node, face, now, end)
            if ahead is None:
                keys[slot] = time
            else:
                keys[slot] = note_failure(ahead, slot, interval, time)


@inner_kernel
def refit_node(tree, ahead, queue, node, now, end):
    """Six faces of one node anew after something below it changed; returns a mask of the faces whose path changed."""
    changed = 0
    for face in range(FACES):
        marked = tree.node[node, EXTREME + face]
        at, rate, bend = face_of(tree, node, face)
        interval, time = fit_face(tree, ahead, node, face, now, end)
        set_certificate(queue, ahead, FACES * node + face, interval, time)
        marks = tree.node[node, EXTREME + face]
        new_at, new_rate, new_bend = face_of(tree, node, face)
        if marked != marks or new_at != at or new_rate != rate or (new_bend != bend):
            changed |= 1 << face
        if ahead is not None and ahead.moved[marks]:
            changed |= 1 << face  # the same path now, but another one later
    return changed


@inner_kernel
def tree_event(tree, ahead, queue, node, face, now, end):
    """The certificate of a face fails: mark it anew. Returns the highest node whose face changed with it."""
    old = tree.node[node, EXTREME + face]
    if tree.node[node, LEFT] < 0:
        _, _, vertex = next_corner(tree, ahead, node, face, now, end)
        at, rate, bend = reach_of(tree, vertex, face)
        mark_face(tree, node, face, vertex, at, rate, bend)
        interval, time, _ = next_corner(tree, ahead, node, face, now, end)
        set_certificate(queue, ahead, FACES * node + face, interval, time)
    else:
        loser = tree.node[node, LEFT]
        winner = tree.node[node, RIGHT]
        if tree.node[loser, EXTREME + face] != old:
            loser, winner = winner, loser
        copy_face(tree, winner, node, face)
        _certify(tree, ahead, queue, node, loser, face, now, end)
    return _climb(tree, ahead, queue, node, face, old, now, end)


@inner_kernel
def _certify(tree, ahead, queue, node, child, face, now, end):
    """Find out when a child that does not mark the face overtakes; never if the same vertex marks it."""
    marks = tree.node[node, EXTREME + face]
    other = tree.node[child, EXTREME + face]
    slot = FACES * node + face
    if marks == other:
        set_certificate(queue, ahead, slot, NEVER, inf)
        return
    path = face_of(tree, node, face)
    other_path = face_of(tree, child, face)
    interval, time = failure(ahead, marks, path, other, other_path, face, now, end)
    set_certificate(queue, ahead, slot, interval, time)


@inner_kernel
def _climb(tree, ahead, queue, node, face, old, now, end):
    """Hand the new mark of `node` to the ancestors that `old` marked only through it; returns the highest of them."""
    parent = tree.node[node, PARENT]
    while parent >= 0:
        sibling = tree.node[parent, LEFT]
        if sibling == node:
            sibling = tree.node[parent, RIGHT]
        inherits = tree.node[parent, EXTREME + face] == old and tree.node[sibling, EXTREME + face] != old
        if not inherits:
            # The parent is marked through the sibling, which the new vertex may overtake, at once if both were `old`.
            _certify(tree, ahead, queue, parent, node, face, now, end)
            return node
        copy_face(tree, node, parent, face)
        _certify(tree, ahead, queue, parent, sibling, face, now, end)
        node = parent
        parent = tree.node[parent, PARENT]
    return node


@lean_kernel
def run_tree(tree, ahead, queue, until, end, most, counts):
    """Handle events up to `until`, `most` of them at most; returns the time of the last, -inf if there was none."""
    last = -inf
    for _ in range(most):
        now = queue_top_time(queue.keys, queue.ties, queue.links)
        if now > until:
            break
        slot = queue_top(queue.keys, queue.ties, queue.links)
        node = slot // FACES
        counts[LEAF_EVENTS if tree.node[node, LEFT] < 0 else TREE_EVENTS] += 1
        highest = tree_event(tree, ahead, queue, node, slot - FACES * node, now, end)
        # One certificate for every node that was marked anew, and one for the first that was not.
        counts[CERTIFICATES] += 1 if tree.node[highest, PARENT] < 0 else 2
        while node != highest:
            node = tree.node[node, PARENT]
            counts[CERTIFICATES] += 1
        last = now
    return last


@lean_kernel
def change_tree(tree, ahead, queue, leaves, now, end):
    """Bring the tree up to date after corners of these leaves got other flightplans."""
    for leaf in leaves:
        node = leaf
        while node >= 0 and refit_node(tree, ahead, queue, node, now, end) != 0:
            node = tree.node[node, PARENT]
