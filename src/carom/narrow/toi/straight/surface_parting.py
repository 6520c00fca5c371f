"""When two surfaces that overlap, and move without rotating, have parted: the end of their common stay, exactly.

A pair of triangles that touches at a time parts at a root that is known (carom.narrow.toi.straight.moving_axes). The surfaces
touch until the last of their pairs that touch now has parted, and for longer where other pairs touch then.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import kernel
from carom.narrow.toi.interior.inside import spheres_part
from carom.narrow.toi.shape_table import H_LINKS, H_NODES, H_TRIS, HEADER
from carom.narrow.toi.straight.obb_axes import boxes_meet, fix_box_into
from carom.narrow.toi.straight.triangle_pair import load_triangles, triangles_part
from carom.narrow.toi.workspace import FROM_A, FROM_B, STACK, STACK_ROW, TESTS, push
from carom.trees.obb.node import NODE_COLUMNS, NODE_RADIUS

_MOST_STAYS = 10_000
"""Pairs that take over from one another before the end is sought no longer."""


@kernel
def _touching_pairs_part(floats, ints, shape_a, shape_b, work, straight, s):
    """When the last pair of triangles that touch at s parts; s where none touches, -1 where the trees are too deep."""
    head_a, head_b = HEADER * shape_a, HEADER * shape_b
    nodes_a, nodes_b = ints[head_a + H_NODES], ints[head_b + H_NODES]
    links_a, links_b = ints[head_a + H_LINKS], ints[head_b + H_LINKS]
    last = s
    work[STACK] = work[STACK + 1] = 0.0
    size = 1
    while size > 0:
        size -= 1
        row = STACK + STACK_ROW * size
        a, b = int(work[row]), int(work[row + 1])
        link_a, link_b = int(floats[links_a + a]), int(floats[links_b + b])
        work[TESTS] += 1.0
        if link_a < 0 and link_b < 0:
            load_triangles(
                floats, ints[head_a + H_TRIS] + 9 * (-1 - link_a), ints[head_b + H_TRIS] + 9 * (-1 - link_b), work
            )
            last = max(last, triangles_part(work, s))
            continue
        node_a, node_b = nodes_a + NODE_COLUMNS * a, nodes_b + NODE_COLUMNS * b
        open_a = link_b < 0 or (link_a >= 0 and floats[node_a + NODE_RADIUS] >= floats[node_b + NODE_RADIUS])
        fix_box_into(floats, node_b if open_a else node_a, FROM_B if open_a else FROM_A, work)
        for k in range(2):
            child = (link_a if k else a + 1) if open_a else (link_b if k else b + 1)
            at = (nodes_a if open_a else nodes_b) + NODE_COLUMNS * child
            entry = boxes_meet(floats, at, work, straight, s, s)
            if entry == s:
                size = push(work, size, child if open_a else a, b if open_a else child, s)
    return last if size == 0 else -1.0


@kernel
def surfaces_part(floats, ints, shape_a, shape_b, work, straight, s):
    """First time from s on, at which two surfaces touch, at which they do not; inf if never."""
    for _ in range(_MOST_STAYS):
        later = _touching_pairs_part(floats, ints, shape_a, shape_b, work, straight, s)
        if later == s or later == inf:
            return later
        if later < s:
            break
        s = later
    return spheres_part(floats, ints, shape_a, shape_b, work, s)
