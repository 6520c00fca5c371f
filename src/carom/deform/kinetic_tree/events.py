"""Certificates of a kinetic AABB tree: their computation, and the repair after a failure.

Every face of every box has one certificate: the marking vertex reaches farther than the other corners (of a leaf) or than
the marking vertex of the other child. It fails when one of these overtakes: a leaf event or a tree event. Then the new
vertex marks the face, and those of all ancestors that the old one marked.

`ahead`: NOT_AHEAD where certificates are good up to `end`, the end of the current interval, and are made anew then; or else a
LookAhead, which tells of all later intervals.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.deform.kinetic_tree.faces import (
    EXTREME,
    TREE_FACE,
    TREE_FACES,
    TREE_LEFT,
    TREE_PARENT,
    TREE_RIGHT,
    copy_face,
    face_of,
    leads,
    mark_face,
    reach_of,
    set_time,
)
from carom.deform.kinetic_tree.future_certificates import NEVER, failure, no_failure, queue_time
from carom.queues.in_kernels import queue_top, queue_top_time

LEAF_EVENTS, TREE_EVENTS, CERTIFICATES = 0, 1, 2
"""Rows of the counts; the last: certificates made by events."""


@inline_kernel
def set_certificate(queue, ahead, slot, due):
    """Tell the queue when the certificate of a slot fails."""
    set_time(queue, slot, queue_time(ahead, slot, due))


@inline_kernel
def _current(ahead):
    """Number of the current interval."""
    if len(ahead) == 0:
        return 0
    return ahead.interval[0]


@inner_kernel
def next_corner(tree, ahead, node, face, now, end, last):
    """(failure, vertex): which corner of a leaf's triangle overtakes the one that marks `face` next, up to interval `last`;
    no failure and itself if none."""
    marks = tree.node[node, EXTREME + face]
    path = face_of(tree, node, face)
    first = no_failure(ahead, last)
    overtaker = marks
    triangle = tree.node[node, TREE_FACE]
    for k in range(3):
        vertex = tree.faces[triangle, k]
        if vertex != marks:
            due = failure(ahead, marks, path, vertex, reach_of(tree, vertex, face), face, now, end, first)
            if due < first:
                first = due
                overtaker = vertex
    return first, overtaker


@inner_kernel
def fit_face(tree, ahead, node, face, now, end):
    """Find the vertex that marks a face right after now; returns when its certificate fails. Children must be right."""
    first = tree.node[node, TREE_LEFT]
    if first < 0:
        triangle = tree.node[node, TREE_FACE]
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
        return next_corner(tree, ahead, node, face, now, end, NEVER)[0]
    second = tree.node[node, TREE_RIGHT]
    marks = tree.node[first, EXTREME + face]
    other = tree.node[second, EXTREME + face]
    path = face_of(tree, first, face)
    other_path = face_of(tree, second, face)
    if leads(other_path[0], other_path[1], other_path[2], path[0], path[1], path[2], now):
        copy_face(tree, second, node, face)
        return failure(ahead, other, other_path, marks, path, face, now, end, no_failure(ahead, NEVER))
    copy_face(tree, first, node, face)
    return failure(ahead, marks, path, other, other_path, face, now, end, no_failure(ahead, NEVER))


@lean_kernel
def fit_tree(tree, ahead, order, keys, now, end):
    """All boxes and certificates anew; order: rows of nodes, children before parents. The queue is to be built after."""
    for node in order:
        for face in range(TREE_FACES):
            slot = TREE_FACES * node + face
            keys[slot] = queue_time(ahead, slot, fit_face(tree, ahead, node, face, now, end))


@inner_kernel
def refit_node(tree, ahead, queue, node, now, end):
    """Six faces of one node anew after something below it changed; returns a mask of the faces whose path changed."""
    changed = 0
    for face in range(TREE_FACES):
        marked = tree.node[node, EXTREME + face]
        at, rate, bend = face_of(tree, node, face)
        set_certificate(queue, ahead, TREE_FACES * node + face, fit_face(tree, ahead, node, face, now, end))
        marks = tree.node[node, EXTREME + face]
        new_at, new_rate, new_bend = face_of(tree, node, face)
        if marked != marks or new_at != at or new_rate != rate or (new_bend != bend):
            changed |= 1 << face
        if len(ahead) != 0 and ahead.moved[marks]:
            changed |= 1 << face  # the same path now, but another one later
    return changed


@inline_kernel
def _hand_over(tree, ahead, source, node, face):
    """Let the vertex that marks a face of `source` mark that of `node`."""
    if len(ahead) == 0:
        copy_face(tree, source, node, face)
    else:
        tree.node[node, EXTREME + face] = tree.node[source, EXTREME + face]


@inner_kernel
def tree_event(tree, ahead, queue, node, face, now, end):
    """The certificate of a face fails: mark it anew. Returns the highest node whose face changed with it.

    With `ahead`, vertices alone change hands, not their paths, which nobody needs until the next fit.
    """
    old = tree.node[node, EXTREME + face]
    if tree.node[node, TREE_LEFT] < 0:
        vertex = next_corner(tree, ahead, node, face, now, end, _current(ahead))[1]
        if len(ahead) == 0:
            at, rate, bend = reach_of(tree, vertex, face)
            mark_face(tree, node, face, vertex, at, rate, bend)
        else:
            tree.node[node, EXTREME + face] = vertex
        due = next_corner(tree, ahead, node, face, now, end, NEVER)[0]
        set_certificate(queue, ahead, TREE_FACES * node + face, due)
    else:
        loser = tree.node[node, TREE_LEFT]
        winner = tree.node[node, TREE_RIGHT]
        if tree.node[loser, EXTREME + face] != old:
            loser, winner = winner, loser
        _hand_over(tree, ahead, winner, node, face)
        due = _child_overtakes(tree, ahead, node, loser, face, now, end)
        set_certificate(queue, ahead, TREE_FACES * node + face, due)
    return _climb(tree, ahead, queue, node, face, old, now, end)


@inner_kernel
def _child_overtakes(tree, ahead, node, child, face, now, end):
    """When a child that does not mark the face overtakes; no failure if it is marked by the same vertex."""
    marks = tree.node[node, EXTREME + face]
    other = tree.node[child, EXTREME + face]
    never = no_failure(ahead, NEVER)
    if marks == other:
        return never
    path = face_of(tree, node, face)
    return failure(ahead, marks, path, other, face_of(tree, child, face), face, now, end, never)


@inner_kernel
def _climb(tree, ahead, queue, node, face, old, now, end):
    """Hand the new mark of `node` to the ancestors that `old` marked only through it; returns the highest of them."""
    parent = tree.node[node, TREE_PARENT]
    while parent >= 0:
        sibling = tree.node[parent, TREE_LEFT]
        if sibling == node:
            sibling = tree.node[parent, TREE_RIGHT]
        inherits = tree.node[parent, EXTREME + face] == old and tree.node[sibling, EXTREME + face] != old
        if not inherits:
            # The parent is marked through the sibling, which the new vertex may overtake, at once if both were `old`.
            due = _child_overtakes(tree, ahead, parent, node, face, now, end)
            set_certificate(queue, ahead, TREE_FACES * parent + face, due)
            return node
        _hand_over(tree, ahead, node, parent, face)
        due = _child_overtakes(tree, ahead, parent, sibling, face, now, end)
        set_certificate(queue, ahead, TREE_FACES * parent + face, due)
        node = parent
        parent = tree.node[parent, TREE_PARENT]
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
        node = slot // TREE_FACES
        counts[LEAF_EVENTS if tree.node[node, TREE_LEFT] < 0 else TREE_EVENTS] += 1
        highest = tree_event(tree, ahead, queue, node, slot - TREE_FACES * node, now, end)
        # One certificate for every node that was marked anew, and one for the first that was not.
        counts[CERTIFICATES] += 1 if tree.node[highest, TREE_PARENT] < 0 else 2
        while node != highest:
            node = tree.node[node, TREE_PARENT]
            counts[CERTIFICATES] += 1
        last = now
    return last


@lean_kernel
def change_tree(tree, ahead, queue, leaves, now, end):
    """Bring the tree up to date after corners of these leaves got other flightplans."""
    for leaf in leaves:
        node = leaf
        while node >= 0 and refit_node(tree, ahead, queue, node, now, end) != 0:
            node = tree.node[node, TREE_PARENT]
