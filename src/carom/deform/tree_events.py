"""Certificates of a kinetic AABB tree: how they are made, and what happens when one fails.

Every face of every box has one certificate: the marking vertex reaches farther than the other corners (of a leaf) or than
the marking vertex of the other child. It fails when one of these overtakes: a leaf event or a tree event. Then the new
vertex marks the face, and those of all ancestors that the old one marked.
"""

from __future__ import annotations

from math import inf

from carom._jit import inner_kernel, lean_kernel
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
    overtaken,
    reach_of,
    set_time,
)
from carom.queues.in_kernels import queue_top, queue_top_time

LEAF_EVENTS, TREE_EVENTS = 0, 1
"""Rows of the counts."""


@inner_kernel
def next_corner(tree, node, face, now, end):
    """(time, vertex): which corner of a leaf's triangle overtakes the one that marks `face` next; (inf, itself) if none."""
    marks = tree.node[node, EXTREME + face]
    at, rate, bend = face_of(tree, node, face)
    first = inf
    overtaker = marks
    triangle = tree.node[node, FACE]
    for k in range(3):
        vertex = tree.faces[triangle, k]
        if vertex != marks:
            other_at, other_rate, other_bend = reach_of(tree, vertex, face)
            time = overtaken(at, rate, bend, other_at, other_rate, other_bend, now, end)
            if time < first:
                first = time
                overtaker = vertex
    return first, overtaker


@inner_kernel
def fit_face(tree, node, face, now, end):
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
        return next_corner(tree, node, face, now, end)[0]
    second = tree.node[node, RIGHT]
    at, rate, bend = face_of(tree, first, face)
    other_at, other_rate, other_bend = face_of(tree, second, face)
    if leads(other_at, other_rate, other_bend, at, rate, bend, now):
        copy_face(tree, second, node, face)
        return overtaken(other_at, other_rate, other_bend, at, rate, bend, now, end)
    copy_face(tree, first, node, face)
    return overtaken(at, rate, bend, other_at, other_rate, other_bend, now, end)


@lean_kernel
def fit_tree(tree, order, keys, now, end):
    """All boxes and certificates anew; order: rows of nodes, children before parents. The queue is to be built after."""
    for node in order:
        for face in range(FACES):
            keys[FACES * node + face] = fit_face(tree, node, face, now, end)


@inner_kernel
def refit_node(tree, queue, node, now, end):
    """Six faces of one node anew after something below it changed; returns a mask of the faces whose path changed."""
    changed = 0
    for face in range(FACES):
        marked = tree.node[node, EXTREME + face]
        at, rate, bend = face_of(tree, node, face)
        set_time(queue, FACES * node + face, fit_face(tree, node, face, now, end))
        new_at, new_rate, new_bend = face_of(tree, node, face)
        if marked != tree.node[node, EXTREME + face] or new_at != at or new_rate != rate or (new_bend != bend):
            changed |= 1 << face
    return changed


@inner_kernel
def tree_event(tree, queue, node, face, now, end):
    """The certificate of a face fails: mark it anew. Returns the highest node whose face changed with it."""
    old = tree.node[node, EXTREME + face]
    if tree.node[node, LEFT] < 0:
        vertex = next_corner(tree, node, face, now, end)[1]
        at, rate, bend = reach_of(tree, vertex, face)
        mark_face(tree, node, face, vertex, at, rate, bend)
        set_time(queue, FACES * node + face, next_corner(tree, node, face, now, end)[0])
    else:
        loser = tree.node[node, LEFT]
        winner = tree.node[node, RIGHT]
        if tree.node[loser, EXTREME + face] != old:
            loser, winner = winner, loser
        copy_face(tree, winner, node, face)
        set_time(queue, FACES * node + face, _child_overtakes(tree, node, loser, face, now, end))
    return _climb(tree, queue, node, face, old, now, end)


@inner_kernel
def _child_overtakes(tree, node, child, face, now, end):
    """When a child that does not mark the face overtakes; inf if it is marked by the same vertex."""
    if tree.node[child, EXTREME + face] == tree.node[node, EXTREME + face]:
        return inf
    at, rate, bend = face_of(tree, node, face)
    other_at, other_rate, other_bend = face_of(tree, child, face)
    return overtaken(at, rate, bend, other_at, other_rate, other_bend, now, end)


@inner_kernel
def _climb(tree, queue, node, face, old, now, end):
    """Hand the new mark of `node` to the ancestors that `old` marked only through it; returns the highest of them."""
    parent = tree.node[node, PARENT]
    while parent >= 0:
        sibling = tree.node[parent, LEFT]
        if sibling == node:
            sibling = tree.node[parent, RIGHT]
        inherits = tree.node[parent, EXTREME + face] == old and tree.node[sibling, EXTREME + face] != old
        if not inherits:
            # The parent is marked through the sibling, which the new vertex may overtake, at once if both were `old`.
            set_time(queue, FACES * parent + face, _child_overtakes(tree, parent, node, face, now, end))
            return node
        copy_face(tree, node, parent, face)
        set_time(queue, FACES * parent + face, _child_overtakes(tree, parent, sibling, face, now, end))
        node = parent
        parent = tree.node[parent, PARENT]
    return node


@lean_kernel
def run_tree(tree, queue, until, end, most, counts):
    """Handle events up to `until`, `most` of them at most; returns the time of the last, -inf if there was none."""
    last = -inf
    for _ in range(most):
        now = queue_top_time(queue.keys, queue.ties, queue.links)
        if now > until:
            break
        slot = queue_top(queue.keys, queue.ties, queue.links)
        node = slot // FACES
        counts[LEAF_EVENTS if tree.node[node, LEFT] < 0 else TREE_EVENTS] += 1
        tree_event(tree, queue, node, slot - FACES * node, now, end)
        last = now
    return last


@lean_kernel
def change_tree(tree, queue, leaves, now, end):
    """Bring the tree up to date after corners of these leaves got other flightplans."""
    for leaf in leaves:
        node = leaf
        while node >= 0 and refit_node(tree, queue, node, now, end) != 0:
            node = tree.node[node, PARENT]
