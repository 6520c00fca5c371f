"""A dynamic tree of boxes: leaves come and go, and its shape follows them by rotations that make boxes smaller.

Node 2r is the leaf of row r, odd nodes are inner. A leaf goes beside the node where that costs the least surface, as in
Box2D and Bullet; boxes and shape are mended on the way up. Walks use the links to parents, so that they need no stack.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.tables.arrays import DoubleRows, IntRows, Longs
from carom.tables.body_columns import NO_ID

# Tree.link columns
PARENT = 0
LEFT = 1
RIGHT = 2
LINK_COLUMNS = 3

# Tree.tally columns
ROOT = 0
FREE_INNER = 1
"""Head of the chain (by PARENT) of freed inner nodes, NO_ID when empty."""
N_INNER = 2
"""Inner nodes ever used: nodes 2k + 1 with k below this."""
TALLY_COLUMNS = 3


class Tree(NamedTuple):
    """The tree."""

    box: DoubleRows
    """float64 (2 capacity, 6): lower and upper corner of each node"""
    link: IntRows
    """int32 (2 capacity, LINK_COLUMNS)"""
    tally: Longs
    """int64 (TALLY_COLUMNS,)"""


def empty_tree(capacity: int) -> Tree:
    """A tree without leaves, with room for those of `capacity` rows."""
    return Tree(
        np.zeros((2 * capacity, 6)),
        np.full((2 * capacity, LINK_COLUMNS), NO_ID, np.int32),
        np.array([NO_ID, NO_ID, 0], np.int64),
    )


@inline_kernel
def boxes_overlap(a, b):
    """Do two boxes (6,) overlap? Touching counts."""
    return (a[0] <= b[3]) & (b[0] <= a[3]) & (a[1] <= b[4]) & (b[1] <= a[4]) & (a[2] <= b[5]) & (b[2] <= a[5])


@inline_kernel
def _contains(outer, inner):
    lower = (outer[0] <= inner[0]) & (outer[1] <= inner[1]) & (outer[2] <= inner[2])
    return lower & (outer[3] >= inner[3]) & (outer[4] >= inner[4]) & (outer[5] >= inner[5])


@inline_kernel
def _joint_surface(a, b):
    """Half the surface of the box around two boxes."""
    x = max(a[3], b[3]) - min(a[0], b[0])
    y = max(a[4], b[4]) - min(a[1], b[1])
    z = max(a[5], b[5]) - min(a[2], b[2])
    return x * y + y * z + z * x


@inner_kernel
def _enclose(tree, node):
    """Make the box of an inner node that around its children; returns whether it changed."""
    box = tree.box
    left = tree.link[node, LEFT]
    right = tree.link[node, RIGHT]
    changed = False
    for d in range(3):
        low = min(box[left, d], box[right, d])
        high = max(box[left, 3 + d], box[right, 3 + d])
        changed |= (low != box[node, d]) | (high != box[node, 3 + d])
        box[node, d] = low
        box[node, 3 + d] = high
    return changed


@inner_kernel
def _replace_child(tree, parent, old, new):
    """`new` takes the place of `old` below `parent`, NO_ID for that of the root."""
    if parent == NO_ID:
        tree.tally[ROOT] = new
    elif tree.link[parent, LEFT] == old:
        tree.link[parent, LEFT] = new
    else:
        tree.link[parent, RIGHT] = new
    tree.link[new, PARENT] = parent


@inner_kernel
def _rotate(tree, node):
    """Exchange a child of `node` with a child of its other child, if that makes the box of the latter smaller."""
    link, box = tree.link, tree.box
    best = 0.0
    moved, raised = NO_ID, NO_ID
    for side in range(2):
        child = link[node, LEFT + side]
        other = link[node, RIGHT - side]
        if child & 1:
            surface = _joint_surface(box[child], box[child])
            for k in range(2):  # the grandchild that would change places with `other`; its sibling stays
                gain = surface - _joint_surface(box[other], box[link[child, RIGHT - k]])
                if gain > best:
                    best = gain
                    moved, raised = other, link[child, LEFT + k]
    if moved != NO_ID:
        child = link[raised, PARENT]
        _replace_child(tree, child, raised, moved)
        _replace_child(tree, node, moved, raised)
        _enclose(tree, child)


@inner_kernel
def _mend(tree, node):
    """Boxes and shape from `node` upwards; ends where a box stays as it was, as all boxes above do then."""
    while node != NO_ID:
        changed = _enclose(tree, node)
        _rotate(tree, node)
        if not changed:
            return
        node = tree.link[node, PARENT]


@inner_kernel
def _best_sibling(tree, leaf, node):
    """The node at or below `node` beside which the leaf enlarges the tree the least, as far as a greedy descent finds it."""
    link, box = tree.link, tree.box
    new = box[leaf]
    while node & 1:
        joint = _joint_surface(box[node], new)
        inherited = joint - _joint_surface(box[node], box[node])
        best = joint
        beside = node
        for side in range(2):
            child = link[node, LEFT + side]
            cost = _joint_surface(box[child], new) + inherited
            if child & 1:
                cost -= _joint_surface(box[child], box[child])
            if cost < best:
                best = cost
                beside = child
        if beside == node:
            break
        node = beside
    return node


@inner_kernel
def add_leaf(tree, leaf, near):
    """Insert a leaf whose box is written. near: an inner node below whose lowest ancestor around the leaf to look, or NO_ID."""
    link, tally = tree.link, tree.tally
    if tally[ROOT] == NO_ID:
        tally[ROOT] = leaf
        link[leaf, PARENT] = NO_ID
        return
    while near != NO_ID and not _contains(tree.box[near], tree.box[leaf]):
        near = link[near, PARENT]
    sibling = _best_sibling(tree, leaf, np.int64(tally[ROOT] if near == NO_ID else near))
    inner = tally[FREE_INNER]
    if inner == NO_ID:
        inner = 2 * tally[N_INNER] + 1
        tally[N_INNER] += 1
    else:
        tally[FREE_INNER] = link[inner, PARENT]
    _replace_child(tree, np.int64(link[sibling, PARENT]), sibling, inner)
    link[inner, LEFT] = sibling
    link[inner, RIGHT] = leaf
    link[sibling, PARENT] = inner
    link[leaf, PARENT] = inner
    _enclose(tree, inner)
    _mend(tree, np.int64(link[inner, PARENT]))


@inner_kernel
def drop_leaf(tree, leaf):
    """Take a leaf out; returns the inner node that was its grandparent, NO_ID when there is none."""
    link, tally = tree.link, tree.tally
    parent = np.int64(link[leaf, PARENT])
    if parent == NO_ID:
        tally[ROOT] = NO_ID
        return NO_ID
    sibling = np.int64(link[parent, RIGHT] if link[parent, LEFT] == leaf else link[parent, LEFT])
    above = np.int64(link[parent, PARENT])
    _replace_child(tree, above, parent, sibling)
    link[parent, PARENT] = tally[FREE_INNER]
    tally[FREE_INNER] = parent
    _mend(tree, above)
    return above


@inner_kernel
def following(tree, node):
    """The node after `node` and all below it, in the order of a walk from the root; NO_ID at its end."""
    link = tree.link
    while True:
        parent = np.int64(link[node, PARENT])
        if parent == NO_ID:
            return NO_ID
        if link[parent, LEFT] == node:
            return np.int64(link[parent, RIGHT])
        node = parent


@lean_kernel
def count_leaves(tree, most):
    """Number of leaves, or -1 where links do not fit together or a box does not contain its children's."""
    link, box = tree.link, tree.box
    n_leaves = 0
    steps = 0
    node = np.int64(tree.tally[ROOT])
    while node != NO_ID:
        steps += 1
        if steps > 2 * most:
            return -1
        if node & 1 == 0:
            n_leaves += 1
            node = following(tree, node)
            continue
        for side in range(2):
            child = link[node, LEFT + side]
            if child < 0 or link[child, PARENT] != node or not _contains(box[node], box[child]):
                return -1
        node = np.int64(link[node, LEFT])
    return n_leaves
