"""Signed distance of two convex cores: the distance if they are apart, minus the depth if they overlap."""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel
from carom.narrow.convex.epa import B_AXIS, B_LOWER, B_STEPS, B_UPPER, UNMET, epa
from carom.narrow.convex.gjk import (
    GJK_LOWER,
    GJK_N_STEPS,
    GJK_NEAREST,
    GJK_OVERLAP,
    GJK_REACH,
    GJK_UPPER,
    gjk,
    witness_points,
)
from carom.narrow.convex.least_axis import extent_along, least_axis
from carom.shapes.parts.core_layout import FEATURES, KIND, POINTS
from carom.tolerances import AXES_MOST, EPA_GAP, EPA_ROUND_GAP, EPSILON, POLISH_OFFSET, POLISH_STEPS

# How a signed distance was found
BY_DISTANCE = 0
"""The cores are apart."""
BY_AXES = 1
"""All axes were tried: exact to rounding."""
BY_POLYTOPE = 2
"""The bounds of an expanding polytope met."""
BY_BOUNDS = 3
"""The bounds of an expanding polytope hold, but are apart by more than asked."""


@inner_kernel
def _pairs_of_edges(core_a, core_b):
    """Number of pairs of edges, inf where a core has no table of features."""
    if core_a[FEATURES] == 0.0 or core_b[FEATURES] == 0.0:
        return inf
    return core_a[int(core_a[FEATURES]) + 1] * core_b[int(core_b[FEATURES]) + 1]


@inner_kernel
def _is_curved(core):
    """Is the core a curved surface? Their codes are above those of the other cores."""
    return core[KIND] > POINTS


@inner_kernel
def _polish(core_a, core_b, rot, shift, state, reach, floor, moved, scratch, best, out, place):
    """Bring the axis to a least extent nearby, and write the witness points of the cores at out[place : place + 6].

    B is moved along the axis to just beyond contact, where the nearest points are the touching ones: there the way from
    a to b is the axis, unless another axis nearby has a smaller extent. It is never taken for a larger one. floor: least
    depth to report, 0 where a touch is sure.
    """
    beyond = POLISH_OFFSET * reach
    for _ in range(POLISH_STEPS):
        for d in range(3):
            moved[d] = shift[d] + (best[B_UPPER] + beyond) * best[B_AXIS + d]
        gjk(core_a, core_b, rot, moved, state, False, -1.0, inf)
        witness_points(state, out, place)
        x, y, z = (
            -state[GJK_NEAREST] / state[GJK_UPPER],
            -state[GJK_NEAREST + 1] / state[GJK_UPPER],
            -state[GJK_NEAREST + 2] / state[GJK_UPPER],
        )
        extent = extent_along(core_a, core_b, rot, shift, x, y, z, scratch)
        if not extent < best[B_UPPER] - EPSILON * reach:
            break
        best[B_AXIS], best[B_AXIS + 1], best[B_AXIS + 2], best[B_UPPER] = x, y, z, extent
    best[B_UPPER] = max(best[B_UPPER], floor)
    best[B_LOWER] = min(best[B_LOWER], best[B_UPPER])
    for d in range(3):
        out[place + 3 + d] = out[place + d] - best[B_UPPER] * best[B_AXIS + d]


@inner_kernel
def penetrate(core_a, core_b, rot, shift, state, warm, room, out, place):
    """Signed distance of two cores without margins; returns how it was found.

    room: arrays as `carom.narrow.convex.convex_pair.room` makes them. At out[place :]: witness points of a and of b 6.
    In `best`, the last array of the room: unit axis 3 from a to b, depth (negative: a gap), a lower bound of the depth,
    support points asked for.
    """
    best = room[-1]
    ending = gjk(core_a, core_b, rot, shift, state, warm, -1.0, inf)
    if ending != GJK_OVERLAP and state[GJK_LOWER] > 0.0:
        for d in range(3):
            best[B_AXIS + d] = -state[GJK_NEAREST + d] / state[GJK_UPPER]
        best[B_UPPER], best[B_LOWER], best[B_STEPS] = -state[GJK_UPPER], -state[GJK_UPPER], state[GJK_N_STEPS]
        witness_points(state, out, place)
        return BY_DISTANCE
    return depth_of_overlap(core_a, core_b, rot, shift, state, 0.0 if ending == GJK_OVERLAP else -inf, room, out, place)


@inner_kernel
def depth_of_overlap(core_a, core_b, rot, shift, state, floor, room, out, place):
    """The part of `penetrate` for cores that overlap or touch, to rounding, after the walk that left `state`."""
    corners, planes, links, stack, rim, edges, scratch, moved, aside, best = room
    steps = state[GJK_N_STEPS]
    pairs = _pairs_of_edges(core_a, core_b)
    found = BY_AXES
    # Parallel segments and single points have no axes.
    if not (pairs <= AXES_MOST and least_axis(core_a, core_b, rot, shift, edges, best, scratch) < inf):
        found = BY_POLYTOPE
        gap = EPA_ROUND_GAP if _is_curved(core_a) or _is_curved(core_b) else EPA_GAP
        ended = epa(core_a, core_b, rot, shift, state, gap, corners, planes, links, stack, rim, best)
        steps += best[B_STEPS]
        if ended == UNMET:
            found = BY_BOUNDS
            if pairs < inf and least_axis(core_a, core_b, rot, shift, edges, best, scratch) < inf:
                found = BY_AXES
    _polish(core_a, core_b, rot, shift, aside, state[GJK_REACH], floor, moved, scratch, best, out, place)
    best[B_STEPS] = steps
    return found
