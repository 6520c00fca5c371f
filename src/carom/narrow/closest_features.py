"""Closest features of two polyhedra tracked from pose to pose: Lin-Canny, checked, with GJK behind it."""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._jit import compiling, inner_kernel, kernel
from carom.narrow.gjk import GJK_STATE, NEAREST, OVERLAP, R_ID, ROW, STEPS, UPPER, gjk, witness_points
from carom.narrow.least_axis import extent_along
from carom.narrow.lin_canny import (
    CLOSEST,
    CROSSED,
    MOVED,
    dimension,
    height,
    nearest_on_segments,
    placed_vertex,
    step,
    turned,
)
from carom.narrow.regions import Regions
from carom.tolerances import FEATURE_GAP, GJK_ROUNDING, VORONOI_SLACK

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# How a pose was decided
BY_FEATURES = 0
"""The pair of features is the closest one; the shapes lie beyond the planes at its nearest points."""
BY_CROSSING = 1
"""A feature of one solid reaches into the other: they overlap."""
BY_SEARCH = 2
"""The steps went round in circles, or the check of their answer failed: GJK decided."""

# Columns of the table that the loop fills
O_DISTANCE = 0
O_DEPTH = 1
O_POINTS = 2
O_NORMAL = 8
O_STEPS = 11
O_FOUND = 12
COLUMNS = 13


class ClosestFeatures(NamedTuple):
    """Answers for n poses, in the frame of a.

    distance (n,): 0 where the solids touch or overlap. depth (n,): 0 where they are apart, else an upper bound of the
    penetration depth: moved along `normal` by it, b is surely free. point_a, point_b (n, 3): nearest points; a common
    point where the solids overlap. normal (n, 3): from a towards b. features (n, 2): of a and b, numbered as in
    `carom.narrow.regions`. steps (n,): pairs of features looked at, and support points of a search. found (n,): how.
    """

    distance: Floats
    depth: Floats
    point_a: Floats
    point_b: Floats
    normal: Floats
    features: Ints
    steps: Ints
    found: Ints


@inner_kernel
def _some_vertex(solid, feature):
    """A vertex on a feature."""
    n, e = len(solid.vertices), len(solid.edges)
    if feature < n:
        return feature
    row = feature - n if feature < n + e else solid.side_edges[solid.around_side[feature - n - e]]
    return solid.ends[row, 0]


@inner_kernel
def _some_side(solid, feature):
    """A side at a feature."""
    n, e = len(solid.vertices), len(solid.edges)
    if feature >= n + e:
        return feature - n - e
    row = feature - n if feature >= n else solid.vertex_edges[solid.around_vertex[feature]]
    return solid.ends[row, 2]


@inner_kernel
def _foot(solid, feature, x, y, z):
    """The point of a vertex, of an edge's line or of a side's plane nearest to (x, y, z)."""
    n, e = len(solid.vertices), len(solid.edges)
    if feature < n:
        return solid.vertices[feature, 0], solid.vertices[feature, 1], solid.vertices[feature, 2]
    if feature >= n + e:
        side = feature - n - e
        over = height(solid, side, x, y, z)
        return x - over * solid.sides[side, 0], y - over * solid.sides[side, 1], z - over * solid.sides[side, 2]
    row = feature - n
    p = solid.ends[row, 0]
    ex, ey, ez = solid.edges[row, 0], solid.edges[row, 1], solid.edges[row, 2]
    px, py, pz = solid.vertices[p, 0], solid.vertices[p, 1], solid.vertices[p, 2]
    t = min(max((x - px) * ex + (y - py) * ey + (z - pz) * ez, 0.0), solid.edges[row, 9])
    return px + t * ex, py + t * ey, pz + t * ez


@inner_kernel
def _nearest_points(solid_a, solid_b, pose, back, feature_a, feature_b, out):
    """Write the nearest points of a closest pair of features at out[O_POINTS :], both in the frame of a."""
    dim_a, dim_b = dimension(solid_a, feature_a), dimension(solid_b, feature_b)
    if dim_a == 1 and dim_b == 1:
        row_a, row_b = feature_a - len(solid_a.vertices), feature_b - len(solid_b.vertices)
        p, q = solid_a.ends[row_a, 0], solid_a.ends[row_a, 1]
        ax, ay, az = placed_vertex(solid_b, solid_b.ends[row_b, 0], pose)
        bx, by, bz = placed_vertex(solid_b, solid_b.ends[row_b, 1], pose)
        px, py, pz = solid_a.vertices[p, 0], solid_a.vertices[p, 1], solid_a.vertices[p, 2]
        qx, qy, qz = solid_a.vertices[q, 0], solid_a.vertices[q, 1], solid_a.vertices[q, 2]
        s, t = nearest_on_segments(px, py, pz, qx, qy, qz, ax, ay, az, bx, by, bz)
        out[O_POINTS], out[O_POINTS + 1], out[O_POINTS + 2] = px + s * (qx - px), py + s * (qy - py), pz + s * (qz - pz)
        ax, ay, az = ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)
    elif dim_b == 0:
        ax, ay, az = placed_vertex(solid_b, feature_b, pose)
        out[O_POINTS], out[O_POINTS + 1], out[O_POINTS + 2] = _foot(solid_a, feature_a, ax, ay, az)
    else:
        px, py, pz = solid_a.vertices[feature_a, 0], solid_a.vertices[feature_a, 1], solid_a.vertices[feature_a, 2]
        out[O_POINTS], out[O_POINTS + 1], out[O_POINTS + 2] = px, py, pz
        ax, ay, az = placed_vertex(solid_a, feature_a, back)
        ax, ay, az = _foot(solid_b, feature_b, ax, ay, az)
        turn_x, turn_y, turn_z = turned(pose, ax, ay, az)
        ax, ay, az = turn_x + pose[9], turn_y + pose[10], turn_z + pose[11]
    out[O_POINTS + 3], out[O_POINTS + 4], out[O_POINTS + 5] = ax, ay, az


@inner_kernel
def _believe(solid_a, solid_b, pose, feature_a, feature_b, scratch, out):
    """Fill normal and distance from the nearest points; False unless both solids lie beyond the planes at these points.

    The check climbs from the features, where a closest pair is already at the top: its cost does not grow with the solids.
    """
    dx = out[O_POINTS + 3] - out[O_POINTS]
    dy = out[O_POINTS + 4] - out[O_POINTS + 1]
    dz = out[O_POINTS + 5] - out[O_POINTS + 2]
    distance = sqrt(dx * dx + dy * dy + dz * dz)
    if not distance > 0.0:
        return False
    x, y, z = dx / distance, dy / distance, dz / distance
    scratch[R_ID], scratch[R_ID + 1] = _some_vertex(solid_a, feature_a), _some_vertex(solid_b, feature_b)
    gap = -extent_along(solid_a.core, solid_b.core, pose, pose[9:], x, y, z, scratch)
    reach = 0.0
    for d in range(6):
        reach += abs(scratch[3 + d])
    out[O_NORMAL], out[O_NORMAL + 1], out[O_NORMAL + 2] = x, y, z
    out[O_DISTANCE], out[O_DEPTH] = distance, 0.0
    return gap > 0.0 and distance - gap <= FEATURE_GAP * distance + 4.0 * GJK_ROUNDING * reach


@inner_kernel
def _walk_sides(solid_x, solid_a, solid_b, pose, turn, sign, side, scratch, out):
    """Lower the depth in `out` by walking over sides of X, always to a neighbour of smaller extent.

    The normals of X, turned by `turn` into the frame of a and times `sign`, point from a to b. Each step is through the
    wall between two of the regions into which the inside of X falls by its nearest side. Ends as the extent falls.
    """
    here, least = side, inf
    searching = True
    while searching:
        searching = False
        start = here
        for k in range(solid_x.around_side[start] - 1, solid_x.around_side[start + 1]):
            other = start
            if k >= solid_x.around_side[start]:
                row = solid_x.side_edges[k]
                other = solid_x.ends[row, 3] if solid_x.ends[row, 2] == start else solid_x.ends[row, 2]
            elif least < inf:
                continue
            x, y, z = turned(turn, solid_x.sides[other, 0], solid_x.sides[other, 1], solid_x.sides[other, 2])
            x, y, z = sign * x, sign * y, sign * z
            extent = extent_along(solid_a.core, solid_b.core, pose, pose[9:], x, y, z, scratch)
            if extent < least:
                here, least = other, extent
                searching = True
                if extent < out[O_DEPTH]:
                    out[O_DEPTH] = extent
                    out[O_NORMAL], out[O_NORMAL + 1], out[O_NORMAL + 2] = x, y, z


@inner_kernel
def _depth_into(solid_a, solid_b, pose, still, feature_a, feature_b, scratch, out):
    """Fill depth and normal of solids that overlap, starting from sides at their features."""
    out[O_DISTANCE], out[O_DEPTH] = 0.0, inf
    side_a, side_b = _some_side(solid_a, feature_a), _some_side(solid_b, feature_b)
    _walk_sides(solid_a, solid_a, solid_b, pose, still, 1.0, side_a, scratch, out)
    _walk_sides(solid_b, solid_a, solid_b, pose, pose, -1.0, side_b, scratch, out)


@inner_kernel
def _crossing_into(solid_x, solid_y, pose, side, feature, out, place):
    """Write where a vertex or an edge of Y is, or passes through a side of X, at out[place :], in the frame of X."""
    if dimension(solid_y, feature) == 0:
        x, y, z = placed_vertex(solid_y, feature, pose)
    else:
        row = feature - len(solid_y.vertices)
        ax, ay, az = placed_vertex(solid_y, solid_y.ends[row, 0], pose)
        x, y, z = placed_vertex(solid_y, solid_y.ends[row, 1], pose)
        over_a, over_b = height(solid_x, side, ax, ay, az), height(solid_x, side, x, y, z)
        t = over_a / (over_a - over_b) if over_a != over_b else 0.0
        x, y, z = ax + t * (x - ax), ay + t * (y - ay), az + t * (z - az)
    out[place], out[place + 1], out[place + 2] = x, y, z


@inner_kernel
def _common_point_into(solid_a, solid_b, pose, back, feature_a, feature_b, out):
    """Write a point of both solids, where their crossing features meet, as both nearest points."""
    if dimension(solid_a, feature_a) == 2:
        side = feature_a - len(solid_a.vertices) - len(solid_a.edges)
        _crossing_into(solid_a, solid_b, pose, side, feature_b, out, O_POINTS)
    else:
        side = feature_b - len(solid_b.vertices) - len(solid_b.edges)
        _crossing_into(solid_b, solid_a, back, side, feature_a, out, O_POINTS)
        x, y, z = turned(pose, out[O_POINTS], out[O_POINTS + 1], out[O_POINTS + 2])
        out[O_POINTS], out[O_POINTS + 1], out[O_POINTS + 2] = x + pose[9], y + pose[10], z + pose[11]
    for d in range(3):
        out[O_POINTS + 3 + d] = out[O_POINTS + d]


@inner_kernel
def _search(solid_a, solid_b, pose, still, state, scratch, features, out):
    """Decide by GJK, and leave vertices of its simplex as features to go on from."""
    ending = gjk(solid_a.core, solid_b.core, pose, pose[9:], state, False, -1.0, inf)
    features[0], features[1] = int(state[R_ID]), int(state[R_ID + 1])
    if solid_a.around_vertex[features[0]] == solid_a.around_vertex[features[0] + 1]:
        features[0] = solid_a.ends[0, 0]
    if solid_b.around_vertex[features[1]] == solid_b.around_vertex[features[1] + 1]:
        features[1] = solid_b.ends[0, 0]
    witness_points(state, out, O_POINTS)
    out[O_STEPS] += state[STEPS]
    if ending == OVERLAP:
        _depth_into(solid_a, solid_b, pose, still, features[0], features[1], scratch, out)
        return
    out[O_DISTANCE], out[O_DEPTH] = state[UPPER], 0.0
    for d in range(3):
        out[O_NORMAL + d] = -state[NEAREST + d] / state[UPPER]


@inner_kernel
def track(solid_a, solid_b, pose, back, still, state, scratch, features, out):
    """Fill `out` (COLUMNS,) for one pose, from the features of the last one, which it replaces; returns how.

    pose (12,), back (12,): as for `step`; still (12,): no turn, no shift. state (GJK_STATE,), scratch (ROW,): room.
    Ends: the steps are counted, and GJK takes over after more than a walk across both solids could need.
    """
    size = abs(pose[9]) + abs(pose[10]) + abs(pose[11]) + solid_a.edges[0, 9] + solid_b.edges[0, 9]
    limit = 100 + (len(solid_a.edges) + len(solid_b.edges)) // 4
    feature_a, feature_b = features[0], features[1]
    found, steps = MOVED, 0
    while found == MOVED and steps < limit:
        found, feature_a, feature_b = step(solid_a, solid_b, pose, back, feature_a, feature_b, VORONOI_SLACK * size)
        steps += 1
    features[0], features[1] = feature_a, feature_b
    out[O_STEPS] = steps
    if found == CLOSEST:
        _nearest_points(solid_a, solid_b, pose, back, feature_a, feature_b, out)
        if _believe(solid_a, solid_b, pose, feature_a, feature_b, scratch, out):
            return BY_FEATURES
    elif found == CROSSED:
        _common_point_into(solid_a, solid_b, pose, back, feature_a, feature_b, out)
        _depth_into(solid_a, solid_b, pose, still, feature_a, feature_b, scratch, out)
        if out[O_DEPTH] >= 0.0:
            return BY_CROSSING
    _search(solid_a, solid_b, pose, still, state, scratch, features, out)
    return BY_SEARCH


@kernel
def _track_into(solid_a, solid_b, rots, shifts, features, out):
    state, scratch = np.zeros(GJK_STATE), np.zeros(ROW)
    pose, back, still = np.zeros(12), np.zeros(12), np.zeros(12)
    still[0] = still[4] = still[8] = 1.0
    for k in range(len(rots)):
        for d in range(3):
            pose[9 + d] = shifts[k, d]
            back[9 + d] = -(rots[k, d] * shifts[k, 0] + rots[k, 3 + d] * shifts[k, 1] + rots[k, 6 + d] * shifts[k, 2])
            for c in range(3):
                pose[3 * d + c] = back[3 * c + d] = rots[k, 3 * d + c]
        if k > 0:
            features[k, 0], features[k, 1] = features[k - 1, 0], features[k - 1, 1]
        out[k, O_FOUND] = track(solid_a, solid_b, pose, back, still, state, scratch, features[k], out[k])


def closest_features(
    solid_a: Regions, solid_b: Regions, rots: Floats, shifts: Floats, start: tuple[int, int] | None = None
) -> ClosestFeatures:
    """Closest features of two polyhedra for b at x_a = rot x_b + shift in n poses: rots (n, 9) row-major, shifts (n, 3).

    Each pose starts from the features of the one before; the first from `start`, the features of an earlier call, or
    from any two vertices.
    """
    n = len(rots)
    out = np.empty((n, COLUMNS))
    features = np.zeros((n, 2), dtype=np.int64)
    if n:
        features[0] = start if start is not None else (solid_a.ends[0, 0], solid_b.ends[0, 0])
    with compiling("closest features"):
        _track_into(solid_a, solid_b, rots, shifts, features, out)
    return ClosestFeatures(
        distance=out[:, O_DISTANCE].copy(),
        depth=out[:, O_DEPTH].copy(),
        point_a=out[:, O_POINTS : O_POINTS + 3].copy(),
        point_b=out[:, O_POINTS + 3 : O_POINTS + 6].copy(),
        normal=out[:, O_NORMAL : O_NORMAL + 3].copy(),
        features=features,
        steps=out[:, O_STEPS].astype(np.int64),
        found=out[:, O_FOUND].astype(np.int64),
    )
