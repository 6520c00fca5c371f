"""The common part of searches of two trees: arrays, the pose of a query, and the step down.

The tree of b is placed in the frame of a by x_a = R x_b + t. A step takes a pair of nodes that may be near, splits the
larger (in the slides' words: the larger goes first) and bounds the distance of each child to the other node. Trees of
oriented boxes are tested here; any other kind by the address of a C function.
"""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.address_call import call_float
from carom._compile.jit import inline_kernel, inner_kernel
from carom.narrow.mesh.obb_distance import F_SLACK, FIXED, box_gap, fix_box_into
from carom.narrow.mesh.triangle_distance import WITNESS
from carom.narrow.mesh.triangle_overlap import CONTACT_SPACE
from carom.tolerances import DISTANCE_TIE, POSE_SLACK
from carom.trees.obb.node import NODE_RADIUS
from carom.trees.obb.tree import ObbTree

# Where the parts of a query's scratch array start
ROT = 0
SEARCH_SHIFT = 9
"""Placing of b in a's frame: rotation by rows (9), shift (3); what C functions read."""
BACK_ROT = 12
BACK_SHIFT = 21
"""The same of a in b's frame."""
FIXED_BOX = 24
PLACED = FIXED_BOX + FIXED
"""A triangle of b (9) in a's frame."""
POLYGONS = PLACED + 9
SEARCH_FOUND = POLYGONS + CONTACT_SPACE
"""Witness of a pair of triangles, right behind the scratch of their test."""
SEARCH_TOUCH = SEARCH_FOUND + WITNESS
"""How far rounding, and a rotation that is not quite one, may move a surface: triangles nearer than this touch."""
TIE = SEARCH_TOUCH + 1
"""What a distance may be too large by: see DISTANCE_TIE."""
SEARCH_WORK = TIE + 1

# Why a kernel came back before the last pose
SEARCH_DONE = 0
SEARCH_STACK_FULL = 1
SEARCH_SEEN_FULL = 2
OUT_OF_REACH = 3
"""Single precision does not span the lengths of this pose."""

N_TESTS = 2
"""Counters of a query: tests of bounding volumes, tests of triangles."""


class TreeArrays(NamedTuple):
    """A tree as kernels take it: the left child of node i is i + 1.

    nodes (n, columns); links (n,): right child, or -1 - k at leaf k; sizes (n, any): size of a node in column `size_column`;
    leaf_tri (leaves,): triangle of each leaf, or empty where leaf k holds triangle k; tris (m, 9).
    """

    nodes: NDArray[np.float64]
    links: NDArray[np.int32]
    sizes: NDArray[np.float64]
    size_column: int
    leaf_tri: NDArray[np.int32]
    tris: NDArray[np.float64]


def tree_arrays(tree: Any) -> TreeArrays:
    """Arrays of an ObbTree, or of a tree with nodes, links, sizes (n,), leaf_tri and tris."""
    if isinstance(tree, ObbTree):
        return TreeArrays(tree.nodes, tree.links, tree.nodes, NODE_RADIUS, np.empty(0, np.int32), tree.tris)
    return TreeArrays(tree.nodes, tree.links, tree.sizes.reshape(-1, 1), 0, tree.leaf_tri, tree.tris)


@inner_kernel
def place_into(rot, shift, work):
    """Set the poses in `work`; returns how far, relative to a vector's length, `rot` and its inverse may miss a rotation."""
    skew = 0.0
    for r in range(3):
        for c in range(3):
            work[ROT + 3 * r + c] = rot[3 * r + c]
            work[BACK_ROT + 3 * r + c] = rot[3 * c + r]
        for s in range(r, 3):
            dot = rot[3 * r] * rot[3 * s] + rot[3 * r + 1] * rot[3 * s + 1] + rot[3 * r + 2] * rot[3 * s + 2]
            skew = max(skew, abs(dot - 1.0) if r == s else abs(dot))
        work[SEARCH_SHIFT + r] = shift[r]
        work[BACK_SHIFT + r] = -(rot[r] * shift[0] + rot[3 + r] * shift[1] + rot[6 + r] * shift[2])
    return 3.0 * skew


@inner_kernel
def place_trees_into(tree_a, tree_b, rot, shift, work):
    """Set the poses, SEARCH_TOUCH and TIE."""
    skew = place_into(rot, shift, work)
    far = sqrt(shift[0] * shift[0] + shift[1] * shift[1] + shift[2] * shift[2])
    size_a, size_b = _reach(tree_a), _reach(tree_b)
    work[SEARCH_TOUCH] = (POSE_SLACK + skew) * (size_a + size_b + far)
    work[TIE] = DISTANCE_TIE * (size_a + size_b) + work[SEARCH_TOUCH]


@inline_kernel
def _reach(tree):
    """How far the surface of a tree is from its origin, at most, by its first triangle and the size of its root."""
    t = tree.tris[0]
    return sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]) + 2.0 * tree.sizes[0, tree.size_column]


@inline_kernel
def worth_reaching(best, work):
    """The bound from which on boxes need no look where triangles at a squared distance `best` are known.

    Boxes within SEARCH_TOUCH are always looked at: a pair that touches is found, whatever else is near.
    """
    return max(sqrt(best) - work[TIE], work[SEARCH_TOUCH])


@inline_kernel
def triangle_of(tree, node):
    """Row of the triangle at a leaf; 64 bits wide, as rows of two trees make a key."""
    leaf = -1 - np.int64(tree.links[node])
    return leaf if len(tree.leaf_tri) == 0 else np.int64(tree.leaf_tri[leaf])


@inner_kernel
def place_triangle_into(tris, row, work):
    """Set PLACED to triangle `row` of b in a's frame."""
    for k in range(0, 9, 3):
        x, y, z = tris[row, k], tris[row, k + 1], tris[row, k + 2]
        for r in range(3):
            work[PLACED + k + r] = work[3 * r] * x + work[3 * r + 1] * y + work[3 * r + 2] * z + work[SEARCH_SHIFT + r]


@inner_kernel
def _by_address(address, tree_a, a, tree_b, b, work):
    """The bound of any kind of volume, in the form of box_gap."""
    arguments = (tree_a.nodes.ctypes.data, a, tree_b.nodes.ctypes.data, b, work[ROT : ROT + 12].ctypes.data)
    gap = call_float(address, arguments) - work[FIXED_BOX + F_SLACK]
    return gap * gap if gap > 0.0 else gap


@inner_kernel
def root_gap(tree_a, tree_b, address, work, cut, reach):
    """box_gap of the two roots."""
    if address != 0:
        return _by_address(address, tree_a, 0, tree_b, 0, work)
    fixed = work[FIXED_BOX : FIXED_BOX + FIXED]
    fix_box_into(tree_a.nodes, 0, work[ROT:SEARCH_SHIFT], work[SEARCH_SHIFT:BACK_ROT], fixed)
    return box_gap(fixed, tree_b.nodes, 0, cut, reach, True)


@inner_kernel
def open_larger(tree_a, tree_b, a, b, address, work, cut, reach, edges, stack, keys, size):
    """Split the larger of nodes a and b, of which one is no leaf, and push its children by box_gap, the nearer on top.

    Children whose bound is `cut` or more, and not an overlap, are left out. stack (s, 2) and keys (s,) get at most two more
    entries; returns how many they hold.
    """
    leaf_a, leaf_b = tree_a.links[a] < 0, tree_b.links[b] < 0
    opens_a = leaf_b or (not leaf_a and tree_a.sizes[a, tree_a.size_column] >= tree_b.sizes[b, tree_b.size_column])
    near_a, far_a = (a + 1, tree_a.links[a]) if opens_a else (a, a)
    near_b, far_b = (b, b) if opens_a else (b + 1, tree_b.links[b])
    if address != 0:
        near = _by_address(address, tree_a, near_a, tree_b, near_b, work)
        far = _by_address(address, tree_a, far_a, tree_b, far_b, work)
    else:
        fixed = work[FIXED_BOX : FIXED_BOX + FIXED]
        if opens_a:
            fix_box_into(tree_b.nodes, b, work[BACK_ROT:BACK_SHIFT], work[BACK_SHIFT:FIXED_BOX], fixed)
            near = box_gap(fixed, tree_a.nodes, near_a, cut, reach, edges)
            far = box_gap(fixed, tree_a.nodes, far_a, cut, reach, edges)
        else:
            fix_box_into(tree_a.nodes, a, work[ROT:SEARCH_SHIFT], work[SEARCH_SHIFT:BACK_ROT], fixed)
            near = box_gap(fixed, tree_b.nodes, near_b, cut, reach, edges)
            far = box_gap(fixed, tree_b.nodes, far_b, cut, reach, edges)
    if near > far:
        near, far = far, near
        near_a, far_a = far_a, near_a
        near_b, far_b = far_b, near_b
    if far <= 0.0 or far < cut:
        stack[size, 0], stack[size, 1], keys[size] = far_a, far_b, far
        size += 1
    if near <= 0.0 or near < cut:
        stack[size, 0], stack[size, 1], keys[size] = near_a, near_b, near
        size += 1
    return size


@inner_kernel
def remember(seen, stamp, n_seen, key):
    """Note a pair of triangles in the table `seen` (2^k, 2) of (key, stamp): 1 if it is new, 0 if not, -1 if the table is full.

    Open addressing; rows of other stamps are free, so that a new query needs no clearing. At most half full, so that a free
    row is always near.
    """
    if 2 * n_seen >= len(seen):
        return -1
    mask = len(seen) - 1
    at = ((key * 0x9E3779B97F4A7C1) >> 20) & mask
    while seen[at, 1] == stamp:
        if seen[at, 0] == key:
            return 0
        at = (at + 1) & mask
    seen[at, 0], seen[at, 1] = key, stamp
    return 1


@inner_kernel
def leaf_pair(tree_a, tree_b, a, b, seen, stamp, n_seen):
    """Rows of the triangles at two leaves, and what `remember` says of them: always 1 without a table."""
    i, j = triangle_of(tree_a, a), triangle_of(tree_b, b)
    return i, j, remember(seen, stamp, n_seen, i * len(tree_b.tris) + j) if len(seen) > 0 else 1
