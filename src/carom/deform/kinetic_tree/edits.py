"""Insertion and removal of leaves of a running kinetic AABB tree; only the boxes above them are refitted."""

from __future__ import annotations

from carom._compile.jit import inner_kernel, lean_kernel
from carom.deform.kinetic_tree.events import refit_node, set_certificate
from carom.deform.kinetic_tree.faces import (
    TREE_FACE,
    TREE_FACES,
    TREE_LEFT,
    TREE_NODE_COLUMNS,
    TREE_PARENT,
    TREE_RIGHT,
    face_of,
)
from carom.deform.kinetic_tree.future_certificates import NEVER, no_failure


@inner_kernel
def _girth(tree, node, leaf, now):
    """Sum of the three sides of the box of `node` at a time, stretched to hold the box of `leaf` (-1: as it is)."""
    total = 0.0
    for face in range(TREE_FACES):
        at, rate, bend = face_of(tree, node, face)
        reach = at + (rate + bend * now) * now
        if leaf >= 0:
            at, rate, bend = face_of(tree, leaf, face)
            reach = max(reach, at + (rate + bend * now) * now)
        total += reach
    return total


@inner_kernel
def _best_sibling(tree, root, leaf, now):
    """The leaf beside which a new one stretches the boxes on the way least, each time looking one level ahead."""
    node = root
    while tree.node[node, TREE_LEFT] >= 0:
        left = tree.node[node, TREE_LEFT]
        right = tree.node[node, TREE_RIGHT]
        stretch_left = _girth(tree, left, leaf, now) - _girth(tree, left, -1, now)
        stretch_right = _girth(tree, right, leaf, now) - _girth(tree, right, -1, now)
        node = left if stretch_left <= stretch_right else right
    return node


@inner_kernel
def _refit_up(tree, ahead, queue, node, now, end):
    while node >= 0:
        refit_node(tree, ahead, queue, node, now, end)
        node = tree.node[node, TREE_PARENT]


@inner_kernel
def _replace_child(tree, parent, old, new):
    tree.node[new, TREE_PARENT] = parent
    if parent >= 0:
        tree.node[parent, TREE_LEFT if tree.node[parent, TREE_LEFT] == old else TREE_RIGHT] = new


@inner_kernel
def _clear(tree, ahead, queue, row):
    for face in range(TREE_FACES):
        set_certificate(queue, ahead, TREE_FACES * row + face, no_failure(ahead, NEVER))
    for column in range(TREE_NODE_COLUMNS):
        tree.node[row, column] = -1


@lean_kernel
def insert_leaf(tree, ahead, queue, root, leaf, inner, face, now, end):
    """Add triangle `face` as row `leaf`, with the row `inner` as parent of it and its sibling; returns the root."""
    tree.node[leaf, TREE_LEFT] = -1
    tree.node[leaf, TREE_RIGHT] = -1
    tree.node[leaf, TREE_FACE] = face
    tree.node[leaf, TREE_PARENT] = -1
    refit_node(tree, ahead, queue, leaf, now, end)
    sibling = _best_sibling(tree, root, leaf, now)
    parent = tree.node[sibling, TREE_PARENT]
    _replace_child(tree, parent, sibling, inner)
    tree.node[inner, TREE_FACE] = -1
    tree.node[inner, TREE_LEFT] = sibling
    tree.node[inner, TREE_RIGHT] = leaf
    tree.node[sibling, TREE_PARENT] = inner
    tree.node[leaf, TREE_PARENT] = inner
    _refit_up(tree, ahead, queue, inner, now, end)
    return inner if parent < 0 else root


@lean_kernel
def remove_leaf(tree, ahead, queue, root, leaf, now, end):
    """Take a leaf, not the only one, out of the tree; returns (root, row of the inner node that left with it)."""
    inner = tree.node[leaf, TREE_PARENT]
    sibling = tree.node[inner, TREE_LEFT]
    if sibling == leaf:
        sibling = tree.node[inner, TREE_RIGHT]
    parent = tree.node[inner, TREE_PARENT]
    _replace_child(tree, parent, inner, sibling)
    _clear(tree, ahead, queue, leaf)
    _clear(tree, ahead, queue, inner)
    _refit_up(tree, ahead, queue, parent, now, end)
    return (sibling if parent < 0 else root), inner


@lean_kernel
def bottom_up(node, root, order):
    """Rows of all nodes below `root` into `order`, children before parents; returns their number."""
    filled = 1
    order[0] = root
    looked_at = 0
    while looked_at < filled:
        row = order[looked_at]
        looked_at += 1
        if node[row, TREE_LEFT] >= 0:
            order[filled] = node[row, TREE_LEFT]
            order[filled + 1] = node[row, TREE_RIGHT]
            filled += 2
    for k in range(filled // 2):
        order[k], order[filled - 1 - k] = order[filled - 1 - k], order[k]
    return filled
