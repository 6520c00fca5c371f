"""Distance of two surfaces with their nearest points: the search of mesh_distance over eight-wide trees."""

from __future__ import annotations

from carom._compile.jit import inner_kernel, lean_kernel
from carom.narrow.mesh.bvh8.tree_pair import open_larger, place_wide_into, push_roots
from carom.narrow.mesh.distance import conclude_into, first_bound, nearer_triangles
from carom.narrow.mesh.obb_distance import F_SLACK
from carom.narrow.mesh.tree_pair import FIXED_BOX, OUT_OF_REACH, SEARCH_DONE, SEARCH_STACK_FULL, worth_reaching
from carom.trees.obb.bvh8 import WIDTH


@inner_kernel
def _nearest(tree_a, tree_b, boxes, test, best, stack, keys, work, bounds, pair, tests):
    """Search from the roots, nearest first, for triangles nearer than sqrt(best): (squared distance, code).

    Ends, and treats rounding, as in mesh_distance.
    """
    work[FIXED_BOX + F_SLACK] = 0.0
    reach = worth_reaching(best, work)
    tests[0] += 1
    size = push_roots(boxes, tree_a, tree_b, reach, work, bounds, stack, keys)
    while size > 0 and best > 0.0:
        size -= 1
        if keys[size] >= reach:
            continue
        a, b = stack[size, 0], stack[size, 1]
        if tree_a.children[a] < 0 and tree_b.children[b] < 0:
            i, j = -1 - tree_a.children[a], -1 - tree_b.children[b]
            near = nearer_triangles(test, tree_a.tris, tree_b.tris, i, j, best, work, pair, tests)
            if near < best:
                best = near
                reach = worth_reaching(best, work)
            continue
        if size + WIDTH > len(stack):
            return best, SEARCH_STACK_FULL
        tests[0] += WIDTH
        size = open_larger(boxes, tree_a, tree_b, a, b, reach, work, bounds, stack, keys, size)
    return best, SEARCH_DONE


@lean_kernel
def wide_distance_poses(
    tree_a,
    tree_b,
    boxes,
    test,
    rots,
    shifts,
    starts,
    within,
    first,
    last,
    stack,
    keys,
    work,
    bounds,
    distances,
    witnesses,
    pairs,
    tests,
):
    """As distance_poses in mesh_distance. `boxes`: BoxTests; `bounds` (WIDTH,), of float32, is scratch too."""
    for k in range(first, last):
        if not place_wide_into(tree_a, tree_b, rots[k], shifts[k], work):
            return k, OUT_OF_REACH
        tests[k, 0] = tests[k, 1] = 0
        best = first_bound(test, tree_a.tris, tree_b.tris, starts, k, within, work, pairs[k], tests[k])
        best, code = _nearest(tree_a, tree_b, boxes, test, best, stack, keys, work, bounds, pairs[k], tests[k])
        if code != SEARCH_DONE:
            return k, code
        distances[k] = conclude_into(best, within, work, pairs[k], witnesses[k])
    return last, SEARCH_DONE
