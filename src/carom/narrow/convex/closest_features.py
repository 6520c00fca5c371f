"""Closest features of two polyhedra tracked over poses: Lin-Canny, verified, with GJK as a fallback."""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, inner_kernel, kernel
from carom.narrow.convex.gjk import (
    GJK_N_STEPS,
    GJK_NEAREST,
    GJK_OVERLAP,
    GJK_STATE,
    GJK_UPPER,
    R_A,
    R_ID,
    ROW,
    gjk,
    witness_points,
)
from carom.narrow.convex.least_axis import extent_along
from carom.narrow.convex.lin_canny import CLOSEST, CROSSED, WALK_MOVED, nearest_on_segments, step
from carom.narrow.convex.solid_features import corner, dimension, end_of, height, placed, placed_vertex, turned_normal
from carom.narrow.convex.voronoi_regions import (
    AROUND_SIDE,
    AROUND_VERTEX,
    N_EDGES,
    N_VERTICES,
    REGION_EDGES,
    REGION_SIDES,
    Regions,
)
from carom.shapes.parts.cores import E_LENGTH, EDGE_ROW, SIDE_ROW
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
FEATURES_DISTANCE = 0
O_DEPTH = 1
FEATURES_POINTS = 2
FEATURES_NORMAL = 8
FEATURES_STEPS = 11
O_FOUND = 12
FEATURES_COLUMNS = 13


class ClosestFeatures(NamedTuple):
    """Answers for n poses, in the frame of a.

    distance (n,): 0 where the solids touch or overlap. depth (n,): 0 where they are apart, else an upper bound of the
    penetration depth: moved along `normal` by it, b is surely free. point_a, point_b (n, 3): nearest points; a common
    point where the solids overlap. normal (n, 3): from a towards b. features (n, 2): of a and b, numbered as in
    `carom.narrow.convex.voronoi_regions`. steps (n,): pairs of features looked at, and support points of a search.
    found (n,): how.
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
def _some_vertex(table, feature):
    """A vertex on a feature."""
    n, e = table[N_VERTICES], table[N_EDGES]
    if feature < n:
        return feature
    row = feature - n if feature < n + e else table[table[table[AROUND_SIDE] + feature - n - e]]
    return end_of(table, row, 0)


@inner_kernel
def _some_side(table, feature):
    """A side at a feature."""
    n, e = table[N_VERTICES], table[N_EDGES]
    if feature >= n + e:
        return feature - n - e
    row = feature - n if feature >= n else table[table[table[AROUND_VERTEX] + feature]]
    return end_of(table, row, 2)


@inner_kernel
def _foot(core, table, feature, x, y, z):
    """The point of a vertex, of an edge or of a side's plane nearest to (x, y, z)."""
    n, e = table[N_VERTICES], table[N_EDGES]
    if feature < n:
        return corner(core, feature)
    if feature >= n + e:
        side = feature - n - e
        over = height(core, table, side, x, y, z)
        p = table[REGION_SIDES] + SIDE_ROW * side
        return x - over * core[p], y - over * core[p + 1], z - over * core[p + 2]
    p = table[REGION_EDGES] + EDGE_ROW * (feature - n)
    ex, ey, ez = core[p], core[p + 1], core[p + 2]
    px, py, pz = corner(core, end_of(table, feature - n, 0))
    t = min(max((x - px) * ex + (y - py) * ey + (z - pz) * ez, 0.0), core[p + E_LENGTH])
    return px + t * ex, py + t * ey, pz + t * ez


@inner_kernel
def _nearest_points(core_a, table_a, core_b, table_b, pose, back, feature_a, feature_b, out):
    """Write the nearest points of a closest pair of features at out[FEATURES_POINTS :], both in the frame of a."""
    dim_a, dim_b = dimension(table_a, feature_a), dimension(table_b, feature_b)
    if dim_a == 1 and dim_b == 1:
        row_a, row_b = feature_a - table_a[N_VERTICES], feature_b - table_b[N_VERTICES]
        px, py, pz = corner(core_a, end_of(table_a, row_a, 0))
        qx, qy, qz = corner(core_a, end_of(table_a, row_a, 1))
        ax, ay, az = placed_vertex(core_b, end_of(table_b, row_b, 0), pose)
        bx, by, bz = placed_vertex(core_b, end_of(table_b, row_b, 1), pose)
        s, t = nearest_on_segments(px, py, pz, qx, qy, qz, ax, ay, az, bx, by, bz)
        px, py, pz = px + s * (qx - px), py + s * (qy - py), pz + s * (qz - pz)
        ax, ay, az = ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)
    elif dim_b == 0:
        ax, ay, az = placed_vertex(core_b, feature_b, pose)
        px, py, pz = _foot(core_a, table_a, feature_a, ax, ay, az)
    else:
        px, py, pz = corner(core_a, feature_a)
        ax, ay, az = placed_vertex(core_a, feature_a, back)
        ax, ay, az = _foot(core_b, table_b, feature_b, ax, ay, az)
        ax, ay, az = placed(pose, ax, ay, az)
    out[FEATURES_POINTS], out[FEATURES_POINTS + 1], out[FEATURES_POINTS + 2] = px, py, pz
    out[FEATURES_POINTS + 3], out[FEATURES_POINTS + 4], out[FEATURES_POINTS + 5] = ax, ay, az


@inner_kernel
def _checked(core_a, table_a, core_b, table_b, pose, feature_a, feature_b, scratch, out):
    """Fill normal and distance from the nearest points; WALK_MOVED unless both solids lie beyond the planes at these points.

    The check climbs from the features, where a closest pair is already at the top: its cost does not grow with the solids.
    CROSSED where the points are one to rounding: then the solids touch there.
    """
    dx = out[FEATURES_POINTS + 3] - out[FEATURES_POINTS]
    dy = out[FEATURES_POINTS + 4] - out[FEATURES_POINTS + 1]
    dz = out[FEATURES_POINTS + 5] - out[FEATURES_POINTS + 2]
    distance = sqrt(dx * dx + dy * dy + dz * dz)
    rounding = 0.0
    for d in range(6):
        rounding += GJK_ROUNDING * abs(out[FEATURES_POINTS + d])
    if distance <= rounding:
        return CROSSED
    x, y, z = dx / distance, dy / distance, dz / distance
    scratch[R_ID] = _some_vertex(table_a, feature_a)
    scratch[R_ID + 1] = _some_vertex(table_b, feature_b)
    gap = -extent_along(core_a, core_b, pose, pose[9:], x, y, z, scratch)
    out[FEATURES_NORMAL], out[FEATURES_NORMAL + 1], out[FEATURES_NORMAL + 2] = x, y, z
    out[FEATURES_DISTANCE], out[O_DEPTH] = distance, 0.0
    return CLOSEST if gap > 0.0 and distance - gap <= FEATURE_GAP * distance + 4.0 * rounding else WALK_MOVED


@inner_kernel
def _walk_sides(core_x, table_x, core_a, core_b, pose, turn, sign, side, scratch, out):
    """Lower the depth in `out` by walking over sides of X, always to a neighbour of smaller extent.

    The normals of X, turned by `turn` into the frame of a and times `sign`, point from a to b. Each step is through the
    wall between two of the regions into which the inside of X falls by its nearest side. Ends as the extent falls.
    """
    here, least = side, inf
    start = -1
    while here != start:
        start = here
        first = table_x[table_x[AROUND_SIDE] + start]
        # The side itself, which counts the first time only, then its neighbours.
        for k in range(first - 1, table_x[table_x[AROUND_SIDE] + start + 1]):
            other = start
            if k >= first:
                left = end_of(table_x, table_x[k], 2)
                other = end_of(table_x, table_x[k], 3) if left == start else left
            x, y, z = turned_normal(core_x, table_x, other, turn)
            x, y, z = sign * x, sign * y, sign * z
            extent = extent_along(core_a, core_b, pose, pose[9:], x, y, z, scratch)
            if extent < least:
                here, least = other, extent
                if extent < out[O_DEPTH]:
                    out[O_DEPTH] = extent
                    out[FEATURES_NORMAL], out[FEATURES_NORMAL + 1], out[FEATURES_NORMAL + 2] = x, y, z


@inner_kernel
def _depth_into(core_a, table_a, core_b, table_b, pose, still, feature_a, feature_b, scratch, out):
    """Fill depth and normal of solids that overlap, starting from sides at their features; False if a side separates them."""
    out[FEATURES_DISTANCE], out[O_DEPTH] = 0.0, inf
    side_a, side_b = _some_side(table_a, feature_a), _some_side(table_b, feature_b)
    _walk_sides(core_a, table_a, core_a, core_b, pose, still, 1.0, side_a, scratch, out)
    _walk_sides(core_b, table_b, core_a, core_b, pose, pose, -1.0, side_b, scratch, out)
    rounding = 0.0
    for d in range(6):
        rounding += GJK_ROUNDING * abs(scratch[R_A + d])
    overlap = out[O_DEPTH] >= -rounding
    out[O_DEPTH] = max(out[O_DEPTH], 0.0)
    return overlap


@inner_kernel
def _crossing_into(core_x, table_x, core_y, table_y, pose, side, feature, out, place):
    """Write where a vertex or an edge of Y is, or passes through a side of X, at out[place :], in the frame of X."""
    if dimension(table_y, feature) == 0:
        x, y, z = placed_vertex(core_y, feature, pose)
    else:
        row = feature - table_y[N_VERTICES]
        ax, ay, az = placed_vertex(core_y, end_of(table_y, row, 0), pose)
        x, y, z = placed_vertex(core_y, end_of(table_y, row, 1), pose)
        over_a, over_b = height(core_x, table_x, side, ax, ay, az), height(core_x, table_x, side, x, y, z)
        t = over_a / (over_a - over_b) if over_a != over_b else 0.0
        x, y, z = ax + t * (x - ax), ay + t * (y - ay), az + t * (z - az)
    out[place], out[place + 1], out[place + 2] = x, y, z


@inner_kernel
def _common_point_into(core_a, table_a, core_b, table_b, pose, back, feature_a, feature_b, out):
    """Write a point of both solids, where their crossing features meet, as both nearest points."""
    if dimension(table_a, feature_a) == 2:
        side = feature_a - table_a[N_VERTICES] - table_a[N_EDGES]
        _crossing_into(core_a, table_a, core_b, table_b, pose, side, feature_b, out, FEATURES_POINTS)
    else:
        side = feature_b - table_b[N_VERTICES] - table_b[N_EDGES]
        _crossing_into(core_b, table_b, core_a, table_a, back, side, feature_a, out, FEATURES_POINTS)
        x, y, z = placed(pose, out[FEATURES_POINTS], out[FEATURES_POINTS + 1], out[FEATURES_POINTS + 2])
        out[FEATURES_POINTS], out[FEATURES_POINTS + 1], out[FEATURES_POINTS + 2] = x, y, z
    for d in range(3):
        out[FEATURES_POINTS + 3 + d] = out[FEATURES_POINTS + d]


@inner_kernel
def _with_edges(table, vertex):
    """The vertex, or another one where it has no edges: it lies amid a flat side."""
    around = table[AROUND_VERTEX] + vertex
    return vertex if table[around] < table[around + 1] else end_of(table, 0, 0)


@inner_kernel
def _search(core_a, table_a, core_b, table_b, pose, still, state, scratch, features, out):
    """Decide by GJK, and leave vertices of its simplex as features to go on from."""
    ending = gjk(core_a, core_b, pose, pose[9:], state, False, -1.0, inf)
    features[0] = _with_edges(table_a, int(state[R_ID]))
    features[1] = _with_edges(table_b, int(state[R_ID + 1]))
    witness_points(state, out, FEATURES_POINTS)
    out[FEATURES_STEPS] += state[GJK_N_STEPS]
    if ending == GJK_OVERLAP:
        _depth_into(core_a, table_a, core_b, table_b, pose, still, features[0], features[1], scratch, out)
        return
    out[FEATURES_DISTANCE], out[O_DEPTH] = state[GJK_UPPER], 0.0
    for d in range(3):
        out[FEATURES_NORMAL + d] = -state[GJK_NEAREST + d] / state[GJK_UPPER]


@inner_kernel
def track(core_a, table_a, core_b, table_b, pose, back, still, scratch, features, out):
    """Fill `out` (FEATURES_COLUMNS,) for one pose, from the features of the last one, which it replaces; returns how.

    pose (12,), back (12,): as for `step`; still (12,): no turn, no shift. scratch (ROW,): room. BY_SEARCH means that there
    is no answer yet: the steps are counted, and end after more than a walk across both solids could need.
    """
    size = abs(pose[9]) + abs(pose[10]) + abs(pose[11])
    size += core_a[table_a[REGION_EDGES] + E_LENGTH] + core_b[table_b[REGION_EDGES] + E_LENGTH]
    limit = 100 + (table_a[N_EDGES] + table_b[N_EDGES]) // 4
    a, b = features[0], features[1]
    found, steps = WALK_MOVED, 0
    while found == WALK_MOVED and steps < limit:
        found, a, b = step(core_a, table_a, core_b, table_b, pose, back, a, b, VORONOI_SLACK * size)
        steps += 1
    features[0], features[1] = a, b
    out[FEATURES_STEPS] = steps
    if found == CLOSEST:
        _nearest_points(core_a, table_a, core_b, table_b, pose, back, a, b, out)
        found = _checked(core_a, table_a, core_b, table_b, pose, a, b, scratch, out)
        if found == CLOSEST:
            return BY_FEATURES
    elif found == CROSSED:
        _common_point_into(core_a, table_a, core_b, table_b, pose, back, a, b, out)
    if found == CROSSED and _depth_into(core_a, table_a, core_b, table_b, pose, still, a, b, scratch, out):
        return BY_CROSSING
    return BY_SEARCH


@kernel
def _track_into(core_a, table_a, core_b, table_b, rots, shifts, features, out):
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
        found = track(core_a, table_a, core_b, table_b, pose, back, still, scratch, features[k], out[k])
        if found == BY_SEARCH:
            _search(core_a, table_a, core_b, table_b, pose, still, state, scratch, features[k], out[k])
        out[k, O_FOUND] = found


def closest_features(
    solid_a: Regions, solid_b: Regions, rots: Floats, shifts: Floats, start: tuple[int, int] | None = None
) -> ClosestFeatures:
    """Closest features of two polyhedra for b at x_a = rot x_b + shift in n poses: rots (n, 9) row-major, shifts (n, 3).

    Each pose starts from the features of the one before; the first from `start`, the features of an earlier call, or
    from any two vertices.
    """
    n = len(rots)
    out = np.empty((n, FEATURES_COLUMNS))
    features = np.zeros((n, 2), dtype=np.int64)
    if n:
        features[0] = start if start is not None else (solid_a.first_vertex(), solid_b.first_vertex())
    with compiling("closest features"):
        _track_into(solid_a.core, solid_a.table, solid_b.core, solid_b.table, rots, shifts, features, out)
    return ClosestFeatures(
        distance=out[:, FEATURES_DISTANCE].copy(),
        depth=out[:, O_DEPTH].copy(),
        point_a=out[:, FEATURES_POINTS : FEATURES_POINTS + 3].copy(),
        point_b=out[:, FEATURES_POINTS + 3 : FEATURES_POINTS + 6].copy(),
        normal=out[:, FEATURES_NORMAL : FEATURES_NORMAL + 3].copy(),
        features=features,
        steps=out[:, FEATURES_STEPS].astype(np.int64),
        found=out[:, O_FOUND].astype(np.int64),
    )
