"""The common part of searches of two eight-wide trees: arrays, and the step down.

A pair is two boxes, numbered as in WideTree. A step opens the larger of them and tests all its boxes against the other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.address_call import call_float, call_int
from carom._compile.jit import inline_kernel, inner_kernel
from carom._compile.lanes import lowest_place
from carom.narrow.mesh.bvh8.boxes import POSE, eight_distances_address, eight_overlaps_address
from carom.narrow.mesh.obb_distance import box_gap_address
from carom.narrow.mesh.tree_pair import BACK_ROT, FIXED_BOX, ROT, SEARCH_TOUCH, SEARCH_WORK, TIE, place_into
from carom.tolerances import DISTANCE_TIE, POSE_SLACK, WIDE_REACH, WIDE_SLACK
from carom.trees.obb.bvh8 import NODE_FLOATS, WIDTH, WideTree
from carom.trees.obb.node import NODE_COLUMNS

WIDE_POSES = SEARCH_WORK
"""Placing of b in a's frame, then of a in b's, both about the origins of the trees."""
SINGLE_SLACK = WIDE_POSES + 2 * POSE
"""Length that gaps in single precision lose."""
WIDE_WORK = SINGLE_SLACK + 1


class WideArrays(NamedTuple):
    """A WideTree as kernels take it."""

    lanes: NDArray[np.float32]
    children: NDArray[np.int32]
    fills: NDArray[np.int32]
    binary: NDArray[np.int32]
    nodes: NDArray[np.float64]
    origin: NDArray[np.float64]
    tris: NDArray[np.float64]


class BoxTests(NamedTuple):
    """Addresses of C functions: `eight` tests eight boxes in single precision, `one` one box in double precision."""

    eight: int
    one: int


def overlap_tests() -> BoxTests:
    """Tests for boxes that overlap."""
    return BoxTests(eight_overlaps_address(), box_gap_address())


def distance_tests() -> BoxTests:
    """Tests with bounds that are tight for boxes apart too."""
    return BoxTests(eight_distances_address(), box_gap_address())


def wide_arrays(tree: WideTree) -> WideArrays:
    """Arrays of a WideTree."""
    return WideArrays(tree.lanes, tree.children, tree.fills, tree.binary, tree.nodes, tree.origin, tree.tris)


@inline_kernel
def radius_of(tree, code):
    """Radius of the sphere about a box."""
    return tree.lanes[code // WIDTH * NODE_FLOATS + (NODE_FLOATS - WIDTH) + code % WIDTH]


@inner_kernel
def place_wide_into(tree_a, tree_b, rot, shift, work):
    """Set the poses, SEARCH_TOUCH, TIE and SINGLE_SLACK of a query in `work` (WIDE_WORK,).

    False, with SINGLE_SLACK of no use, where single precision does not span the lengths.
    """
    skew = place_into(rot, shift, work)
    there, back = work[WIDE_POSES : WIDE_POSES + POSE], work[WIDE_POSES + POSE : WIDE_POSES + 2 * POSE]
    far = between = size_a = size_b = 0.0
    o = tree_b.origin
    for r in range(3):
        there[9 + r] = rot[3 * r] * o[0] + rot[3 * r + 1] * o[1] + rot[3 * r + 2] * o[2] + shift[r] - tree_a.origin[r]
        for c in range(3):
            there[3 * r + c] = rot[3 * r + c]
            back[3 * r + c] = rot[3 * c + r]
        far += abs(shift[r])
        between += abs(there[9 + r])
        size_a += abs(tree_a.origin[r])
        size_b += abs(o[r])
    for r in range(3):
        back[9 + r] = -(rot[r] * there[9] + rot[3 + r] * there[10] + rot[6 + r] * there[11])
    radius_a, radius_b = radius_of(tree_a, 0), radius_of(tree_b, 0)
    sizes = size_a + radius_a + size_b + radius_b
    work[SEARCH_TOUCH] = (POSE_SLACK + skew) * (sizes + far)
    work[TIE] = DISTANCE_TIE * sizes + work[SEARCH_TOUCH]
    reach = between + radius_a + radius_b
    work[SINGLE_SLACK] = WIDE_SLACK * reach + 1.001 * work[SEARCH_TOUCH]
    return radius_a + radius_b > WIDE_REACH[0] and reach < WIDE_REACH[1]


@inner_kernel
def _exact_gap(test, tree_a, tree_b, opens_a, fixed, code, cut, work):
    """Bound of the distance of boxes `fixed` and `code`, of a where `opens_a`, in double precision; minus their overlap."""
    of_fixed = tree_b.binary[fixed] if opens_a else tree_a.binary[fixed]
    of_code = tree_a.binary[code] if opens_a else tree_b.binary[code]
    here, there = tree_a.nodes.ctypes.data, tree_b.nodes.ctypes.data
    arguments = (
        (there if opens_a else here) + 8 * NODE_COLUMNS * np.int64(of_fixed),
        work.ctypes.data + 8 * (BACK_ROT if opens_a else ROT),
        work.ctypes.data + 8 * FIXED_BOX,
        (here if opens_a else there) + 8 * NODE_COLUMNS * np.int64(of_code),
        cut,
    )
    return call_float(test, arguments)


@inline_kernel
def push_in_order(stack, keys, base, size, key, a, b):
    """Put (a, b) among the entries from `base` on, of which the least key is on top; returns how many there are."""
    at = size
    while at > base and keys[at - 1] < key:
        keys[at], stack[at, 0], stack[at, 1] = keys[at - 1], stack[at - 1, 0], stack[at - 1, 1]
        at -= 1
    keys[at], stack[at, 0], stack[at, 1] = key, a, b
    return size + 1


@inner_kernel
def push_near(tests, tree_a, tree_b, a, b, node, opens_a, cut, work, bounds, stack, keys, size):
    """Push the boxes of `node`, of a where `opens_a` and else of b, that may come within `cut` of box b or a; nearest on top.

    stack (s, 2) and keys (s,) get at most WIDTH more entries; returns how many they hold.
    bounds (WIDTH,), of float32, is scratch.
    """
    fixed = b if opens_a else a
    fixed_at = fixed // WIDTH * NODE_FLOATS + fixed % WIDTH
    here, there = tree_a.lanes.ctypes.data, tree_b.lanes.ctypes.data
    fixed_lanes, lanes = (there, here) if opens_a else (here, there)
    fill = tree_a.fills[node] if opens_a else tree_b.fills[node]
    pose = WIDE_POSES + POSE if opens_a else WIDE_POSES
    arguments = (
        fixed_lanes + 4 * fixed_at,
        work.ctypes.data + 8 * pose,
        work[SINGLE_SLACK],
        cut,
        lanes + 4 * NODE_FLOATS * node,
        bounds.ctypes.data,
    )
    mask = call_int(tests.eight, arguments)
    mask &= (1 << fill) - 1
    # Bounds in single precision lack at most twice the slack; those that might be beyond the cut are made in double.
    unsure = cut - 2.0 * work[SINGLE_SLACK]
    base = size
    while mask != 0:
        lane = lowest_place(mask)
        mask &= mask - 1
        key = float(bounds[lane])
        if key > unsure:
            key = _exact_gap(tests.one, tree_a, tree_b, opens_a, fixed, node * WIDTH + lane, cut, work)
            if key > 0.0 and key >= cut:
                continue
        code = node * WIDTH + lane
        size = push_in_order(stack, keys, base, size, key, code if opens_a else a, b if opens_a else code)
    return size


@inner_kernel
def push_roots(tests, tree_a, tree_b, cut, work, bounds, stack, keys):
    """Push the pair of the boxes around everything, if it may come within `cut`."""
    return push_near(tests, tree_a, tree_b, 0, 0, 0, False, cut, work, bounds, stack, keys, 0)


@inner_kernel
def open_larger(tests, tree_a, tree_b, a, b, cut, work, bounds, stack, keys, size):
    """push_near for the larger of boxes a and b, which are not both leaves."""
    node_a, node_b = np.int64(tree_a.children[a]), np.int64(tree_b.children[b])
    opens_a = node_b < 0 or (node_a >= 0 and radius_of(tree_a, a) >= radius_of(tree_b, b))
    node = node_a if opens_a else node_b
    return push_near(tests, tree_a, tree_b, a, b, node, opens_a, cut, work, bounds, stack, keys, size)
