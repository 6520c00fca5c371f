"""Distance of two surfaces with their nearest points: one search of two trees for all volume types."""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.address_call import call_float
from carom._compile.jit import inner_kernel, lean_kernel
from carom.narrow.mesh.obb_distance import F_SLACK
from carom.narrow.mesh.tree_pair import (
    FIXED_BOX,
    PLACED,
    POLYGONS,
    SEARCH_DONE,
    SEARCH_FOUND,
    SEARCH_SEEN_FULL,
    SEARCH_STACK_FULL,
    SEARCH_TOUCH,
    TIE,
    leaf_pair,
    open_larger,
    place_trees_into,
    place_triangle_into,
    root_gap,
    worth_reaching,
)
from carom.narrow.mesh.triangle_distance import WITNESS


@inner_kernel
def nearer_triangles(test, tris_a, tris_b, i, j, best, work, pair, tests):
    """Squared distance of triangles i of tris_a and j of tris_b, to be placed, if below `best`; else `best`.

    If below, it is noted in `pair` and SEARCH_FOUND.
    """
    tests[1] += 1
    place_triangle_into(tris_b, j, work)
    arguments = (
        tris_a[i].ctypes.data,
        work[PLACED:].ctypes.data,
        work[SEARCH_TOUCH],
        best,
        work[POLYGONS:].ctypes.data,
    )
    near = call_float(test, arguments)
    if near < best:
        pair[0], pair[1] = i, j
    return near


@inner_kernel
def first_bound(test, tris_a, tris_b, starts, k, within, work, pair, tests):
    """Squared upper bound to begin pose k with: `within`, or less by the pair of `starts`, which is then noted."""
    pair[0] = pair[1] = -1
    # So much beyond it that a distance of exactly `within` is found.
    best = (within + 2.0 * work[TIE]) ** 2
    if len(starts) > 0:
        start = starts[k if len(starts) > 1 else 0]
        if start[0] >= 0:
            best = nearer_triangles(test, tris_a, tris_b, start[0], start[1], best, work, pair, tests)
    return best


@inner_kernel
def _nearest(tree_a, tree_b, address, test, best, stack, keys, seen, stamp, work, pair, tests):
    """Search from the roots, nearest first, for triangles nearer than sqrt(best): (squared distance, code).

    Ends as in mesh_collide, and at once where surfaces meet. Bounds keep what they owe to rounding: it is part of TIE.
    """
    work[FIXED_BOX + F_SLACK] = 0.0
    n_seen = 0
    reach = worth_reaching(best, work)
    cut = reach * reach
    tests[0] += 1
    stack[0, 0] = stack[0, 1] = 0
    keys[0] = root_gap(tree_a, tree_b, address, work, cut, reach)
    size = 1
    while size > 0 and best > 0.0:
        size -= 1
        if keys[size] >= cut:
            continue
        a, b = stack[size, 0], stack[size, 1]
        if tree_a.links[a] < 0 and tree_b.links[b] < 0:
            i, j, new = leaf_pair(tree_a, tree_b, a, b, seen, stamp, n_seen)
            if new < 0:
                return best, SEARCH_SEEN_FULL
            n_seen += new
            if new == 0:
                continue
            near = nearer_triangles(test, tree_a.tris, tree_b.tris, i, j, best, work, pair, tests)
            if near < best:
                best = near
                reach = worth_reaching(best, work)
                cut = reach * reach
            continue
        if size + 2 > len(stack):
            return best, SEARCH_STACK_FULL
        tests[0] += 2
        size = open_larger(tree_a, tree_b, a, b, address, work, cut, reach, True, stack, keys, size)
    return best, SEARCH_DONE


@inner_kernel
def conclude_into(best, within, work, pair, witness):
    """The distance of a pose whose search ended with `best`: inf, without a pair, beyond `within`. Sets `witness`."""
    distance = sqrt(best)
    if pair[0] < 0 or distance > within:
        distance = inf
        pair[0] = pair[1] = -1
    for d in range(WITNESS):
        witness[d] = work[SEARCH_FOUND + d] if distance < inf else inf
    return distance


@lean_kernel
def distance_poses(
    tree_a,
    tree_b,
    address,
    test,
    rots,
    shifts,
    starts,
    within,
    first,
    last,
    stack,
    keys,
    seen,
    work,
    distances,
    witnesses,
    pairs,
    tests,
):
    """Search poses first .. last - 1; returns (the pose at which it stopped, code), (last, DONE) in the end.

    `address` and `test` (distance_address) as in mesh_collide. starts (n, 2), (1, 2) for all, or (0, 2): triangles whose
    distance is the first upper bound. distances (n,): inf where above `within`, then with pairs -1; witnesses (n, 8) as in
    triangle_distance; pairs (n, 2) rows of triangles; tests (n, 2).
    `stack` (s, 2), `keys` (s,) and `seen` are scratch as in mesh_collide.
    """
    for k in range(first, last):
        place_trees_into(tree_a, tree_b, rots[k], shifts[k], work)
        tests[k, 0] = tests[k, 1] = 0
        best = first_bound(test, tree_a.tris, tree_b.tris, starts, k, within, work, pairs[k], tests[k])
        best, code = _nearest(tree_a, tree_b, address, test, best, stack, keys, seen, k + 1, work, pairs[k], tests[k])
        if code != SEARCH_DONE:
            return k, code
        distances[k] = conclude_into(best, within, work, pairs[k], witnesses[k])
    return last, SEARCH_DONE
