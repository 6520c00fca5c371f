"""Intersecting triangles of two surfaces, or those within a margin: one search of two trees for all volume types."""

from __future__ import annotations

from carom._compile.address_call import call_int
from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.narrow.mesh.obb_distance import F_SLACK
from carom.narrow.mesh.tree_pair import (
    FIXED_BOX,
    PLACED,
    POLYGONS,
    SEARCH_DONE,
    SEARCH_SEEN_FULL,
    SEARCH_STACK_FULL,
    SEARCH_TOUCH,
    leaf_pair,
    open_larger,
    place_trees_into,
    place_triangle_into,
    root_gap,
)


@inner_kernel
def triangles_meet(test, tris_a, tris_b, i, j, margin, work):
    """What the test at address `test` (see triangle_calls) says of triangles i of tris_a and j of tris_b, to be placed."""
    place_triangle_into(tris_b, j, work)
    arguments = (
        tris_a[i].ctypes.data,
        work[PLACED:].ctypes.data,
        work[SEARCH_TOUCH],
        margin,
        work[POLYGONS:].ctypes.data,
    )
    return call_int(test, arguments) != 0


@inline_kernel
def keep_pair(pairs, n_found, i, j):
    """Write a pair into `pairs` (c, 2) if there is room; returns how many were found."""
    if n_found < len(pairs):
        pairs[n_found, 0], pairs[n_found, 1] = i, j
    return n_found + 1


@inner_kernel
def _collide(tree_a, tree_b, address, test, margin, most, stack, keys, seen, stamp, work, pairs, tests):
    """Search from the roots, deepest overlap first: (number of pairs found, code).

    Every pair of nodes leaves the stack and adds at most two pairs of which one node lies deeper, so the search ends, and
    the stack never holds more than the sum of the depths of the trees plus one. Stops at `most` pairs; writes as many into
    `pairs` (c, 2) as fit.
    """
    cut = margin * margin
    work[FIXED_BOX + F_SLACK] = work[SEARCH_TOUCH]
    n_found = n_seen = 0
    tests[0] += 1
    key = root_gap(tree_a, tree_b, address, work, cut, margin)
    if key > 0.0 and key >= cut:
        return 0, SEARCH_DONE
    stack[0, 0] = stack[0, 1] = 0
    size = 1
    while size > 0:
        size -= 1
        a, b = stack[size, 0], stack[size, 1]
        if tree_a.links[a] < 0 and tree_b.links[b] < 0:
            i, j, new = leaf_pair(tree_a, tree_b, a, b, seen, stamp, n_seen)
            if new < 0:
                return n_found, SEARCH_SEEN_FULL
            n_seen += new
            if new == 0:
                continue
            tests[1] += 1
            if triangles_meet(test, tree_a.tris, tree_b.tris, i, j, margin, work):
                n_found = keep_pair(pairs, n_found, i, j)
                if n_found == most:
                    break
            continue
        if size + 2 > len(stack):
            return n_found, SEARCH_STACK_FULL
        tests[0] += 2
        size = open_larger(tree_a, tree_b, a, b, address, work, cut, margin, False, stack, keys, size)
    return n_found, SEARCH_DONE


@lean_kernel
def collide_poses(
    tree_a, tree_b, address, test, rots, shifts, margin, most, first, last, stack, keys, seen, work, found, pairs, tests
):
    """Search poses first .. last - 1; returns (the pose at which it stopped, code), (last, DONE) in the end.

    `address` of the bound of volumes, 0 for oriented boxes; `test` of the test of triangles, overlap_address or nearer_address.
    rots (n, 9) and shifts (n, 3) place b in a's frame. found (n,) gets the number of pairs; with most = 1 pairs (n, 2) gets
    the first of each pose, else those of the one pose searched. tests (n, 2) counts. `stack` (s, 2), `keys` (s,) and, for
    trees with several leaves to a triangle, `seen` (2^k, 2; zeros) are scratch: too small, they end the search with a code,
    to go on from that pose with larger ones.
    """
    for k in range(first, last):
        place_trees_into(tree_a, tree_b, rots[k], shifts[k], work)
        tests[k, 0] = tests[k, 1] = 0
        into = pairs[k : k + 1] if most == 1 else pairs
        found[k], code = _collide(
            tree_a, tree_b, address, test, margin, most, stack, keys, seen, k + 1, work, into, tests[k]
        )
        if code != SEARCH_DONE:
            return k, code
    return last, SEARCH_DONE
