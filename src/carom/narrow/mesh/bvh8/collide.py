"""Intersecting triangles of two surfaces, or those within a margin: the search of mesh_collide over eight-wide trees."""

from __future__ import annotations

from carom._compile.jit import inner_kernel, lean_kernel
from carom.narrow.mesh.bvh8.tree_pair import open_larger, place_wide_into, push_roots
from carom.narrow.mesh.collide import keep_pair, triangles_meet
from carom.narrow.mesh.obb_distance import F_SLACK
from carom.narrow.mesh.tree_pair import FIXED_BOX, OUT_OF_REACH, SEARCH_DONE, SEARCH_STACK_FULL, SEARCH_TOUCH
from carom.trees.obb.bvh8 import WIDTH


@inner_kernel
def _collide(tree_a, tree_b, boxes, test, margin, most, stack, keys, work, bounds, pairs, tests):
    """Search from the roots, deepest overlap first: (number of pairs found, code). Ends as in mesh_collide."""
    n_found = 0
    work[FIXED_BOX + F_SLACK] = work[SEARCH_TOUCH]
    tests[0] += 1
    size = push_roots(boxes, tree_a, tree_b, margin, work, bounds, stack, keys)
    while size > 0:
        size -= 1
        a, b = stack[size, 0], stack[size, 1]
        if tree_a.children[a] < 0 and tree_b.children[b] < 0:
            i, j = -1 - tree_a.children[a], -1 - tree_b.children[b]
            tests[1] += 1
            if triangles_meet(test, tree_a.tris, tree_b.tris, i, j, margin, work):
                n_found = keep_pair(pairs, n_found, i, j)
                if n_found == most:
                    break
            continue
        if size + WIDTH > len(stack):
            return n_found, SEARCH_STACK_FULL
        tests[0] += WIDTH
        size = open_larger(boxes, tree_a, tree_b, a, b, margin, work, bounds, stack, keys, size)
    return n_found, SEARCH_DONE


@lean_kernel
def wide_collide_poses(
    tree_a, tree_b, boxes, test, rots, shifts, margin, most, first, last, stack, keys, work, bounds, found, pairs, tests
):
    """As collide_poses in mesh_collide. `boxes`: BoxTests, tight for boxes apart where there is a margin.

    `keys` (s,) and `bounds` (WIDTH,), of float32, are scratch too.
    """
    for k in range(first, last):
        if not place_wide_into(tree_a, tree_b, rots[k], shifts[k], work):
            return k, OUT_OF_REACH
        tests[k, 0] = tests[k, 1] = 0
        into = pairs[k : k + 1] if most == 1 else pairs
        found[k], code = _collide(tree_a, tree_b, boxes, test, margin, most, stack, keys, work, bounds, into, tests[k])
        if code != SEARCH_DONE:
            return k, code
    return last, SEARCH_DONE
