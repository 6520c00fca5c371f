"""First contact of a convex core and a triangulated surface that move and rotate, by the surface's tree.

Every box of the tree is a core of eight corners: the time at which the core reaches it is a lower bound for all triangles
inside, and their search starts there. Children are taken in the order of their times, so most of the tree is never touched.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.chunks import in_chunks
from carom._compile.jit import compiling, inner_kernel, kernel
from carom.maths.fixed_order import length
from carom.narrow.convex.gjk import GJK_STATE
from carom.narrow.convex.triangle_support import TRIANGLE_CORE, triangle_core_into
from carom.narrow.toi.advancement.convex_convex import advance_cores, core_reach
from carom.narrow.toi.advancement.core_space import (
    CORE_OUT_SIZE,
    CORE_SPACE,
    CORE_STEPS,
    CORE_TIME,
    load_flight,
    search_on,
)
from carom.shapes.parts.core_layout import FEATURES, FIRST_POINT, KIND, MARGIN, N_POINTS, NEIGHBOURS, POINTS
from carom.trees.obb.node import NODE_HALF, NODE_RADIUS, node_axis
from carom.trees.obb.tree import ObbTree

Floats = NDArray[np.float64]

_DEEPEST = 128
"""Room for the stack: trees that halve have at most 64 levels and leave one entry waiting a level."""
BOX_CORE = FIRST_POINT + 24
_BOX_GAP = 1e-3
"""Relative to a box's radius: how near counts as reaching the box. Coarse, because children look closer."""
SURFACE_TRIANGLE = CORE_OUT_SIZE
SURFACE_TESTS = CORE_OUT_SIZE + 1
SURFACE_OUT = CORE_OUT_SIZE + 3
"""Answer of cores, then row of the triangle, tests of boxes and of triangles."""


@inner_kernel
def box_core_into(nodes, node, core):
    """Make `core` (BOX_CORE,) the eight corners of the box of `node`; returns how far they lie from the origin."""
    core[KIND], core[MARGIN], core[N_POINTS], core[NEIGHBOURS], core[FEATURES] = POINTS, 0.0, 8.0, 0.0, 0.0
    reach = 0.0
    for corner in range(8):
        x, y, z = nodes[node, 0], nodes[node, 1], nodes[node, 2]
        for k in range(3):
            half = nodes[node, NODE_HALF + k] if (corner >> k) & 1 else -nodes[node, NODE_HALF + k]
            ax, ay, az = node_axis(nodes[node], 0, k)
            x, y, z = x + half * ax, y + half * ay, z + half * az
        at = FIRST_POINT + 3 * corner
        core[at], core[at + 1], core[at + 2] = x, y, z
        reach = max(reach, x * x + y * y + z * z)
    return sqrt(reach)


@inner_kernel
def _triangle_reach(tri):
    reach = 0.0
    for c in range(0, 9, 3):
        reach = max(reach, tri[c] * tri[c] + tri[c + 1] * tri[c + 1] + tri[c + 2] * tri[c + 2])
    return sqrt(reach)


@inner_kernel
def advance_surface(core, reach, nodes, links, tris, start, until, gap, space, state, scratch, answer):
    """First contact in [start, until] of a core (a) and a surface (b) whose flight is in `space`; fills answer (SURFACE_OUT,).

    scratch: arrays as `surface_scratch` makes them.
    """
    box, corner, stack, times, near = scratch
    best = until
    for c in range(SURFACE_OUT):
        answer[c] = 0.0
    answer[CORE_TIME], answer[SURFACE_TRIANGLE] = inf, -1.0
    stack[0], times[0] = 0, start
    size = 1
    steps = 0.0
    while size > 0:
        size -= 1
        node, begin = stack[size], times[size]
        if begin > best:
            continue
        right = int(links[node])
        if right < 0:
            answer[SURFACE_TESTS + 1] += 1.0
            tri = tris[-1 - right]
            triangle_core_into(tri, corner)
            advance_cores(core, corner, reach, _triangle_reach(tri), begin, best, gap, False, space, state, near)
            steps += near[CORE_STEPS]
            if near[CORE_TIME] < best or (near[CORE_TIME] == best and answer[CORE_TIME] == inf):
                best = near[CORE_TIME]
                for c in range(CORE_OUT_SIZE):
                    answer[c] = near[c]
                answer[SURFACE_TRIANGLE] = -1 - right
            continue
        first, second = node + 1, right
        first_time, second_time = inf, inf
        for child in range(2):
            at = first if child == 0 else second
            box_reach = box_core_into(nodes, at, box)
            slack = max(gap, _BOX_GAP * nodes[at, NODE_RADIUS])
            # Nothing in the box is touched before; an unfinished search has come at least that far.
            advance_cores(core, box, reach, box_reach, begin, best, slack, True, space, state, near)
            steps += near[CORE_STEPS]
            answer[SURFACE_TESTS] += 1.0
            if child == 0:
                first_time = near[CORE_TIME]
            else:
                second_time = near[CORE_TIME]
        if second_time < first_time:
            first, second = second, first
            first_time, second_time = second_time, first_time
        if second_time <= best:
            stack[size], times[size] = second, second_time
            size += 1
        if first_time <= best:
            stack[size], times[size] = first, first_time
            size += 1
    answer[CORE_STEPS] = steps


@kernel
def surface_scratch():
    """Arrays that `advance_surface` works in."""
    return (
        np.zeros(BOX_CORE),
        np.zeros(TRIANGLE_CORE),
        np.empty(_DEEPEST, np.int64),
        np.empty(_DEEPEST),
        np.zeros(CORE_OUT_SIZE),
    )


@kernel
def _advance_into(core, reach, nodes, links, tris, locals_ab, flights, untils, gap, out):
    space = np.empty(CORE_SPACE)
    state = np.zeros(GJK_STATE)
    scratch = surface_scratch()
    for k in range(flights.shape[0]):
        load_flight(flights[k], locals_ab, space)
        start, steps, boxes, triangles, undecided = 0.0, 0.0, 0.0, 0.0, True
        while undecided:
            advance_surface(core, reach, nodes, links, tris, start, untils[k], gap, space, state, scratch, out[k])
            boxes += out[k, SURFACE_TESTS]
            triangles += out[k, SURFACE_TESTS + 1]
            start, steps, undecided = search_on(out[k], start, untils[k], steps)
        out[k, SURFACE_TESTS], out[k, SURFACE_TESTS + 1] = boxes, triangles


def core_surface_impacts(
    core: Floats, tree: ObbTree, locals_ab: Floats, flights: Floats, untils: Floats, gap: float, threads: int | None
) -> Floats:
    """Answers (n, SURFACE_OUT) for flights (n, FLIGHT_COLUMNS) of a core (a) and a surface (b), posed in their bodies."""
    out = np.zeros((len(flights), SURFACE_OUT))
    reach = core_reach(core, locals_ab[:12])
    size = float(tree.nodes[0, NODE_RADIUS] + length(tree.nodes[0, :3]))
    absolute = gap * min(reach, size)
    with compiling("time of impact of convex shapes with meshes"):
        in_chunks(
            lambda cut: _advance_into(
                core, reach, tree.nodes, tree.links, tree.tris, locals_ab, flights[cut], untils[cut], absolute, out[cut]
            ),
            len(flights),
            threads,
        )
    return out
