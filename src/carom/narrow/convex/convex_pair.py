"""Distance, penetration and collision of two convex shapes over many poses: drivers and their loops."""

from __future__ import annotations

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.chunks import in_chunks
from carom._compile.jit import compiling, inner_kernel, kernel
from carom.narrow.convex.epa import B_AXIS, B_LOWER, B_STEPS, B_UPPER, BEST, EPA_FACES, LINKS
from carom.narrow.convex.gjk import (
    GJK_COUNT,
    GJK_LOWER,
    GJK_N_STEPS,
    GJK_NEAREST,
    GJK_OVERLAP,
    GJK_STATE,
    GJK_UPPER,
    R_ID,
    ROW,
    gjk,
    witness_points,
)
from carom.narrow.convex.penetration import penetrate
from carom.shapes.parts.core_layout import FEATURES, MARGIN
from carom.tolerances import EPA_POINTS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


# Columns of the table that the loops fill
O_DISTANCE = 0
O_POINTS = 1
O_NORMAL = 7
O_BOUND = 10
O_STEPS = 11
O_ENDING = 12
OUT_COLUMNS = 13


class ConvexDistance(NamedTuple):
    """Distances of a pair in n poses, in the frame of a.

    distance (n,): 0 where they touch or overlap. lower (n,): surely no more than the true distance, to rounding; 0 or
    below where they touch or overlap. point_a, point_b (n, 3): the nearest points; where the shapes overlap a common
    point, unless it is within the margins. normal (n, 3): from a towards b, zero where the cores overlap.
    features (n, 4, 2): rows of the support points of a and b around the nearest points, -1 for none or a round surface.
    steps (n,): support points asked for. ending (n,): how the search ended, as `carom.narrow.convex.gjk` numbers it.
    """

    distance: Floats
    lower: Floats
    point_a: Floats
    point_b: Floats
    normal: Floats
    features: Ints
    steps: Ints
    ending: Ints


class ConvexPenetration(NamedTuple):
    """Signed distances of a pair in n poses, in the frame of a.

    depth (n,): the least translation that parts the two; negative where they are apart: minus their distance.
    lower (n,): surely no more than the depth, to rounding; equal to it for flat-sided shapes. normal (n, 3): from a towards
    b; b moved by depth * normal touches a. point_a, point_b (n, 3): where it does, on either surface before the move:
    point_a - point_b = depth * normal. steps (n,): support points asked for. found (n,): by which method, as
    `carom.narrow.convex.penetration` numbers them.
    """

    depth: Floats
    lower: Floats
    point_a: Floats
    point_b: Floats
    normal: Floats
    steps: Ints
    found: Ints


@inner_kernel
def distance_row(core_a, core_b, state, ending, out, row, features):
    """Write row `row` of `out` and of `features` from a walk that ended: margins taken off, points on the surfaces."""
    margin_a, margin_b = core_a[MARGIN], core_b[MARGIN]
    margin = margin_a + margin_b
    points = out[row]
    witness_points(state, points, O_POINTS)
    upper = 0.0 if ending == GJK_OVERLAP else state[GJK_UPPER]
    scale = -1.0 / upper if upper > 0.0 else 0.0
    for d in range(3):
        normal = scale * state[GJK_NEAREST + d]
        points[O_NORMAL + d] = normal
        points[O_POINTS + d] += margin_a * normal
        points[O_POINTS + 3 + d] -= margin_b * normal
    if upper < margin:
        # Inside each other's margin, by a way that cannot be longer than the margins.
        for d in range(3):
            middle = 0.5 * (points[O_POINTS + d] + points[O_POINTS + 3 + d])
            points[O_POINTS + d] = points[O_POINTS + 3 + d] = middle
    points[O_DISTANCE] = max(upper - margin, 0.0)
    points[O_BOUND] = min(state[GJK_LOWER], upper) - margin
    points[O_STEPS] = state[GJK_N_STEPS]
    points[O_ENDING] = ending
    for i in range(4):
        held = i < state[GJK_COUNT]
        features[row, i, 0] = int(state[ROW * i + R_ID]) if held else -1
        features[row, i, 1] = int(state[ROW * i + R_ID + 1]) if held else -1


@kernel
def _distances_into(core_a, core_b, rots, shifts, coherent, out, features):
    state = np.zeros(GJK_STATE)
    for k in range(len(rots)):
        ending = gjk(core_a, core_b, rots[k], shifts[k], state, coherent and k > 0, -1.0, inf)
        distance_row(core_a, core_b, state, ending, out, k, features)


@kernel
def _hits_into(core_a, core_b, rots, shifts, coherent, hits):
    state = np.zeros(GJK_STATE)
    margin = core_a[MARGIN] + core_b[MARGIN]
    for k in range(len(rots)):
        ending = gjk(core_a, core_b, rots[k], shifts[k], state, coherent and k > 0, margin, margin)
        hits[k] = ending == GJK_OVERLAP or state[GJK_UPPER] <= margin


@kernel
def room(n_edges):
    """Arrays that `penetrate` works in, for a shape b with `n_edges` edges."""
    return (
        np.zeros((EPA_POINTS, ROW)),
        np.empty((EPA_FACES, 4)),
        np.empty((EPA_FACES, LINKS), dtype=np.int64),
        np.empty((2, EPA_FACES), dtype=np.int64),
        np.empty((EPA_POINTS, 2), dtype=np.int64),
        np.zeros((n_edges, 12)),
        np.zeros(ROW),
        np.zeros(3),
        np.zeros(GJK_STATE),
        np.zeros(BEST),
    )


@kernel
def _penetrations_into(core_a, core_b, rots, shifts, coherent, out):
    state = np.zeros(GJK_STATE)
    table = int(core_b[FEATURES])
    space = room(int(core_b[table + 1]) if table > 0 else 0)
    best = space[9]
    margin_a, margin_b = core_a[MARGIN], core_b[MARGIN]
    for k in range(len(rots)):
        warm = coherent and k > 0
        out[k, O_ENDING] = penetrate(core_a, core_b, rots[k], shifts[k], state, warm, space, out[k], O_POINTS)
        for d in range(3):
            normal = best[B_AXIS + d]
            out[k, O_NORMAL + d] = normal
            out[k, O_POINTS + d] += margin_a * normal
            out[k, O_POINTS + 3 + d] -= margin_b * normal
        out[k, O_DISTANCE] = best[B_UPPER] + margin_a + margin_b
        out[k, O_BOUND] = best[B_LOWER] + margin_a + margin_b
        out[k, O_STEPS] = best[B_STEPS]


def _common(out: Floats) -> dict[str, Any]:
    """What the answers about distance and about penetration share."""
    return {
        "lower": out[:, O_BOUND].copy(),
        "point_a": out[:, O_POINTS : O_POINTS + 3].copy(),
        "point_b": out[:, O_POINTS + 3 : O_POINTS + 6].copy(),
        "normal": out[:, O_NORMAL : O_NORMAL + 3].copy(),
        "steps": out[:, O_STEPS].astype(np.int64),
    }


def convex_distance(
    core_a: Floats, core_b: Floats, rots: Floats, shifts: Floats, threads: int | None = 1, coherent: bool = False
) -> ConvexDistance:
    """Distances of two cores for b at x_a = rot x_b + shift in each of n poses: rots (n, 9) row-major, shifts (n, 3).

    coherent: each pose is near the one before it, whose answer is the start of the next search.
    """
    n = len(rots)
    out = np.empty((n, OUT_COLUMNS))
    features = np.empty((n, 4, 2), dtype=np.int64)
    with compiling("distance of convex shapes"):
        in_chunks(
            lambda cut: _distances_into(core_a, core_b, rots[cut], shifts[cut], coherent, out[cut], features[cut]),
            n,
            threads,
        )
    return ConvexDistance(
        distance=out[:, O_DISTANCE].copy(),
        features=features,
        ending=out[:, O_ENDING].astype(np.int64),
        **_common(out),
    )


def convex_penetration(
    core_a: Floats, core_b: Floats, rots: Floats, shifts: Floats, threads: int | None = 1, coherent: bool = False
) -> ConvexPenetration:
    """Depths of two cores with their margins in each of n poses, negative where apart; poses as for `convex_distance`."""
    n = len(rots)
    out = np.empty((n, OUT_COLUMNS))
    with compiling("penetration of convex shapes"):
        in_chunks(
            lambda cut: _penetrations_into(core_a, core_b, rots[cut], shifts[cut], coherent, out[cut]), n, threads
        )
    return ConvexPenetration(
        depth=out[:, O_DISTANCE].copy(),
        found=out[:, O_ENDING].astype(np.int64),
        **_common(out),
    )


def convex_collide(
    core_a: Floats, core_b: Floats, rots: Floats, shifts: Floats, threads: int | None = 1, coherent: bool = False
) -> Bools:
    """Whether two cores with their margins touch or overlap in each of n poses (n,); poses as for `convex_distance`."""
    hits = np.empty(len(rots), dtype=np.bool_)
    with compiling("collision of convex shapes"):
        in_chunks(
            lambda cut: _hits_into(core_a, core_b, rots[cut], shifts[cut], coherent, hits[cut]), len(rots), threads
        )
    return hits
