"""Distance between a convex core and a triangulated surface, by the surface's tree of oriented boxes.

The core stands in for one big leaf: every box of the tree is compared with the box around the core, every triangle that is
left with the core itself, by the convex walk. A solid contains what is inside it, so triangles inside count as touching.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.chunks import in_chunks
from carom._compile.jit import compiling, inner_kernel, kernel
from carom.maths.fixed_order import length
from carom.narrow.convex.gjk import GJK_NEAREST, GJK_OVERLAP, GJK_STATE, GJK_UPPER, gjk, witness_points
from carom.narrow.convex.support import support
from carom.narrow.convex.triangle_support import TRIANGLE_CORE, triangle_core_into
from carom.shapes.parts.core_layout import MARGIN
from carom.trees.obb.node import NODE_HALF, NODE_RADIUS, node_axis
from carom.trees.obb.tree import ObbTree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_DEEPEST = 128
"""Room for the stack: trees that halve have at most 64 levels and leave one entry waiting a level."""
BOX_SIZE = 7
"""Numbers of the box around a core: centre 3, half sizes 3, radius of the sphere about the centre 1."""


class CoreDistance(NamedTuple):
    """Of n poses, in the frame of the core: distance (n,), inf beyond the limit; nearest points (n, 3) of core and surface;
    normal (n, 3) from the core, zero where it overlaps the surface; triangle (n,) row in the tree, -1 without;
    tests (n, 2) of boxes and triangles."""

    distance: Floats
    point_core: Floats
    point_surface: Floats
    normal: Floats
    triangle: Ints
    tests: Ints


def core_box(core: Floats) -> Floats:
    """Box (BOX_SIZE,) around a core without its margin, in the core's own axes."""
    ends = np.array([[support(core, *(sign * np.eye(3)[k]))[k] for k in range(3)] for sign in (1.0, -1.0)])
    half = 0.5 * (ends[0] - ends[1])
    pad = 1e-15 * np.abs(ends).max()
    return np.array([*(0.5 * (ends[0] + ends[1])), *(half + pad), length(half + pad)])


@inner_kernel
def box_gap(box, nodes, node, rot, shift):
    """Signed lower bound of the distance between the core's box and the box of `node`; at most 0: they may overlap."""
    x, y, z = nodes[node, 0], nodes[node, 1], nodes[node, 2]
    t0 = rot[0] * x + rot[1] * y + rot[2] * z + shift[0] - box[0]
    t1 = rot[3] * x + rot[4] * y + rot[5] * z + shift[1] - box[1]
    t2 = rot[6] * x + rot[7] * y + rot[8] * z + shift[2] - box[2]
    best = sqrt(t0 * t0 + t1 * t1 + t2 * t2) - box[6] - nodes[node, NODE_RADIUS]
    g0, g1, g2 = abs(t0) - box[3], abs(t1) - box[4], abs(t2) - box[5]
    square = 0.0
    deepest = -inf
    for k in range(3):
        x, y, z = node_axis(nodes[node], 0, k)
        c0 = rot[0] * x + rot[1] * y + rot[2] * z
        c1 = rot[3] * x + rot[4] * y + rot[5] * z
        c2 = rot[6] * x + rot[7] * y + rot[8] * z
        half = nodes[node, NODE_HALF + k]
        g0 -= half * abs(c0)
        g1 -= half * abs(c1)
        g2 -= half * abs(c2)
        gap = abs(t0 * c0 + t1 * c1 + t2 * c2) - half - box[3] * abs(c0) - box[4] * abs(c1) - box[5] * abs(c2)
        deepest = max(deepest, gap)
        square += max(gap, 0.0) ** 2
    deepest = max(deepest, g0, g1, g2)
    best = max(best, deepest)
    if deepest > 0.0:
        other = max(g0, 0.0) ** 2 + max(g1, 0.0) ** 2 + max(g2, 0.0) ** 2
        # Gap vectors are measured along axes orthonormal to rounding only.
        best = max(best, sqrt(max(square, other)) * (1.0 - 1e-14))
    return best


@kernel
def _distances_into(core, box, nodes, links, tris, rots, shifts, within, only_hits, out, triangle, tests):
    """Fill out (n, 10): distance, points 6, normal 3. only_hits: stop at the first touch, leave the distance open otherwise."""
    state = np.zeros(GJK_STATE)
    corner = np.zeros(TRIANGLE_CORE)
    stack = np.empty(_DEEPEST, np.int64)
    keys = np.empty(_DEEPEST)
    points = np.empty(6)
    margin = core[MARGIN]
    for k in range(rots.shape[0]):
        rot, shift = rots[k], shifts[k]
        best = (0.0 if only_hits else within) + margin
        found = -1
        n_boxes, n_tris = 1, 0
        stack[0], keys[0] = 0, box_gap(box, nodes, 0, rot, shift)
        size = 1
        while size > 0:
            size -= 1
            if keys[size] > best:
                continue
            node = stack[size]
            right = links[node]
            if right < 0:
                n_tris += 1
                triangle_core_into(tris[-1 - right], corner)
                ending = gjk(core, corner, rot, shift, state, False, best if only_hits else -1.0, best)
                upper = 0.0 if ending == GJK_OVERLAP else state[GJK_UPPER]
                if upper < best or (upper == best and found < 0):
                    best, found = upper, -1 - right
                    witness_points(state, points, 0)
                    for d in range(6):
                        out[k, 1 + d] = points[d]
                    for d in range(3):
                        out[k, 7 + d] = -state[GJK_NEAREST + d] / upper if upper > 0.0 else 0.0
                    if best == 0.0 or (only_hits and best <= margin):
                        break
                continue
            near, far = node + 1, right
            near_key = box_gap(box, nodes, near, rot, shift)
            far_key = box_gap(box, nodes, far, rot, shift)
            n_boxes += 2
            if far_key < near_key:
                near, far = far, near
                near_key, far_key = far_key, near_key
            if far_key <= best:
                stack[size], keys[size] = far, far_key
                size += 1
            if near_key <= best:
                stack[size], keys[size] = near, near_key
                size += 1
        triangle[k] = found
        tests[k, 0], tests[k, 1] = n_boxes, n_tris
        if found < 0:
            for d in range(10):
                out[k, d] = inf if d < 7 else 0.0
            continue
        out[k, 0] = max(best - margin, 0.0)
        for d in range(3):
            out[k, 1 + d] += min(margin, best) * out[k, 7 + d]


def core_surface_distance(
    core: Floats,
    tree: ObbTree,
    rots: Floats,
    shifts: Floats,
    *,
    within: float = inf,
    only_hits: bool = False,
    threads: int | None = None,
) -> CoreDistance:
    """Distance of a core from a surface placed at x = rot x_surface + shift, in each of n poses.

    only_hits: stop at the first touch; poses without one have distance inf.
    """
    n = len(rots)
    out, triangle, tests = np.empty((n, 10)), np.empty(n, np.int64), np.empty((n, 2), np.int64)
    box = core_box(core)
    with compiling("distance of convex shapes from meshes"):
        in_chunks(
            lambda cut: _distances_into(
                core, box, tree.nodes, tree.links, tree.tris, rots[cut], shifts[cut], within, only_hits, out[cut],
                triangle[cut], tests[cut],
            ),
            n,
            threads,
        )  # fmt: skip
    return CoreDistance(out[:, 0].copy(), out[:, 1:4].copy(), out[:, 4:7].copy(), out[:, 7:10].copy(), triangle, tests)


@kernel
def _touching_into(core, box, nodes, links, tris, rot, shift, rows):
    """Rows of all triangles that touch the core; counts on where `rows` is full."""
    state = np.zeros(GJK_STATE)
    corner = np.zeros(TRIANGLE_CORE)
    stack = np.empty(_DEEPEST, np.int64)
    margin = core[MARGIN]
    stack[0] = 0
    size = 1
    n = 0
    while size > 0:
        size -= 1
        node = stack[size]
        if box_gap(box, nodes, node, rot, shift) > margin:
            continue
        right = links[node]
        if right >= 0:
            stack[size], stack[size + 1] = right, node + 1
            size += 2
            continue
        triangle_core_into(tris[-1 - right], corner)
        ending = gjk(core, corner, rot, shift, state, False, margin, margin)
        if ending == GJK_OVERLAP or state[GJK_UPPER] <= margin:
            if n < rows.shape[0]:
                rows[n] = -1 - right
            n += 1
    return n


def core_surface_contacts(core: Floats, tree: ObbTree, rot: Floats, shift: Floats) -> Ints:
    """Rows in the tree of all triangles that touch the core, the surface placed at the one pose rot (9,), shift (3,)."""
    box = core_box(core)
    rows = np.empty(64, np.int64)
    with compiling("contacts of convex shapes with meshes"):
        while True:
            n = _touching_into(core, box, tree.nodes, tree.links, tree.tris, rot, shift, rows)
            if n <= len(rows):
                return rows[:n]
            rows = np.empty(n, np.int64)
