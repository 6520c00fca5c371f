"""Closest features of two convex polyhedra by Lin and Canny, in the variant that clips edges by Voronoi regions (V-Clip).

A pair of features is closest if each holds its nearest point in the other's region
(`carom.narrow.convex.voronoi_regions`). If not, the plane that is violated names a closer feature. Each step looks at
the neighbourhood of two features only: with the pair of the last frame as a start, the number of steps hardly depends
on the size of the shapes.

Features and poses: see `carom.narrow.convex.solid_features`. A step sees the two solids as X and Y, X holding the feature of
the higher dimension; features of Y are brought into the frame of X.
"""

from __future__ import annotations

from math import inf

from carom._compile.jit import inner_kernel
from carom.maths.vector import cross
from carom.narrow.convex.solid_features import corner, dimension, end_of, height, placed_vertex, turned_normal
from carom.narrow.convex.voronoi_regions import (
    AROUND_SIDE,
    AROUND_VERTEX,
    N_EDGES,
    N_SIDES,
    N_VERTICES,
    REGION_EDGES,
    REGION_SIDES,
)
from carom.shapes.parts.cores import E_LENGTH, EDGE_ROW, SIDE_ROW
from carom.tolerances import VORONOI_SLACK

# What a step found
WALK_MOVED = 0
"""Another pair, which is closer."""
CLOSEST = 1
CROSSED = 2
"""The solids overlap: a vertex is inside, or an edge passes through a side."""

NONE = -1


@inner_kernel
def _over(core, table, base, row, c, x, y, z):
    """(x, y, z) minus vertex `base`, along the unit vector in columns c to c + 2 of edge `row`."""
    px, py, pz = corner(core, base)
    e = table[REGION_EDGES] + EDGE_ROW * row + c
    return (x - px) * core[e] + (y - py) * core[e + 1] + (z - pz) * core[e + 2]


@inner_kernel
def _outside_vertex(core, table, vertex, x, y, z, slack):
    """The edge whose plane of the region of `vertex` the point violates most, as a feature; NONE if in the region."""
    worst, found = slack, NONE
    for k in range(table[table[AROUND_VERTEX] + vertex], table[table[AROUND_VERTEX] + vertex + 1]):
        row = table[k]
        over = _over(core, table, vertex, row, 0, x, y, z)
        if end_of(table, row, 0) != vertex:
            over = -over
        if over > worst:
            worst, found = over, table[N_VERTICES] + row
    return found


@inner_kernel
def _outside_edge(core, table, row, x, y, z, slack):
    """The vertex or side beyond whose plane of the region of edge `row` the point lies farthest, as a feature; or NONE."""
    first = end_of(table, row, 0)
    along = _over(core, table, first, row, 0, x, y, z)
    worst, found = slack, NONE
    if -along > worst:
        worst, found = -along, first
    past = along - core[table[REGION_EDGES] + EDGE_ROW * row + E_LENGTH]
    if past > worst:
        worst, found = past, end_of(table, row, 1)
    if found != NONE:
        return found
    for c in range(2):
        into = _over(core, table, first, row, 3 + 3 * c, x, y, z)
        if into > worst:
            worst, found = into, table[N_VERTICES] + table[N_EDGES] + end_of(table, row, 2 + c)
    return found


@inner_kernel
def _outside_side(core, table, side, x, y, z, slack):
    """The edge beyond which the point lies farthest of the prism over `side`, as a feature; NONE if over the side."""
    worst, found = slack, NONE
    for k in range(table[table[AROUND_SIDE] + side], table[table[AROUND_SIDE] + side + 1]):
        row = table[k]
        c = 3 if end_of(table, row, 2) == side else 6
        beyond = -_over(core, table, end_of(table, row, 0), row, c, x, y, z)
        if beyond > worst:
            worst, found = beyond, table[N_VERTICES] + row
    return found


@inner_kernel
def _clip(lo, hi, cut_lo, cut_hi, start, end, neighbour):
    """Clip the stretch [lo, hi] of a segment by a plane with signed distances `start`, `end` (inside: >= 0) of its ends.

    Returns (lo, hi, neighbour at lo, neighbour at hi, simply excluded).
    """
    if start < 0.0 and end < 0.0:
        return lo, hi, neighbour, neighbour, True
    if start < 0.0:
        t = start / (start - end)
        if t > lo:
            lo, cut_lo = t, neighbour
    elif end < 0.0:
        t = start / (start - end)
        if t < hi:
            hi, cut_hi = t, neighbour
    return lo, hi, cut_lo, cut_hi, False


@inner_kernel
def _slope(core, table, feature, ax, ay, az, ux, uy, uz, t):
    """Sign of the change of distance to a vertex or side at a + t u, going along u."""
    x, y, z = ax + t * ux, ay + t * uy, az + t * uz
    if feature < table[N_VERTICES]:
        px, py, pz = corner(core, feature)
        return (x - px) * ux + (y - py) * uy + (z - pz) * uz
    side = feature - table[N_VERTICES] - table[N_EDGES]
    p = table[REGION_SIDES] + SIDE_ROW * side
    rise = core[p] * ux + core[p + 1] * uy + core[p + 2] * uz
    return rise if height(core, table, side, x, y, z) >= 0.0 else -rise


@inner_kernel
def _clipped_by_vertex(core, table, vertex, ax, ay, az, bx, by, bz):
    """The edge of `vertex`, as a feature, beyond whose plane segment a b comes nearest to it; NONE: it does in the region."""
    lo, hi, cut_lo, cut_hi = 0.0, 1.0, NONE, NONE
    for k in range(table[table[AROUND_VERTEX] + vertex], table[table[AROUND_VERTEX] + vertex + 1]):
        row = table[k]
        sign = -1.0 if end_of(table, row, 0) == vertex else 1.0
        start = sign * _over(core, table, vertex, row, 0, ax, ay, az)
        end = sign * _over(core, table, vertex, row, 0, bx, by, bz)
        feature = table[N_VERTICES] + row
        lo, hi, cut_lo, cut_hi, excluded = _clip(lo, hi, cut_lo, cut_hi, start, end, feature)
        if excluded:
            return feature
    ux, uy, uz = bx - ax, by - ay, bz - az
    if cut_lo != NONE and _slope(core, table, vertex, ax, ay, az, ux, uy, uz, lo) > 0.0:
        return cut_lo
    if cut_hi != NONE and _slope(core, table, vertex, ax, ay, az, ux, uy, uz, hi) < 0.0:
        return cut_hi
    return NONE


@inner_kernel
def _clipped_by_edge(core, table, row, ax, ay, az, bx, by, bz):
    """The neighbour of edge `row` that segment a b comes nearest to beyond the edge's region; NONE: it does in the region."""
    lo, hi, cut_lo, cut_hi = 0.0, 1.0, NONE, NONE
    first = end_of(table, row, 0)
    ux, uy, uz = bx - ax, by - ay, bz - az
    start, end = _over(core, table, first, row, 0, ax, ay, az), _over(core, table, first, row, 0, bx, by, bz)
    length = core[table[REGION_EDGES] + EDGE_ROW * row + E_LENGTH]
    for stage in range(2):
        for c in range(2):
            if stage == 0:
                neighbour = end_of(table, row, c)
                s, e = (start, end) if c == 0 else (length - start, length - end)
            else:
                neighbour = table[N_VERTICES] + table[N_EDGES] + end_of(table, row, 2 + c)
                s = -_over(core, table, first, row, 3 + 3 * c, ax, ay, az)
                e = -_over(core, table, first, row, 3 + 3 * c, bx, by, bz)
            lo, hi, cut_lo, cut_hi, excluded = _clip(lo, hi, cut_lo, cut_hi, s, e, neighbour)
            if excluded:
                return neighbour
        if cut_lo != NONE and _slope(core, table, cut_lo, ax, ay, az, ux, uy, uz, lo) > 0.0:
            return cut_lo
        if cut_hi != NONE and _slope(core, table, cut_hi, ax, ay, az, ux, uy, uz, hi) < 0.0:
            return cut_hi
    return NONE


@inner_kernel
def _nearest_rim_edge(core, table, side, ax, ay, az, bx, by, bz):
    """The edge of `side`, as a feature, nearest to segment a b."""
    best, found = inf, NONE
    for k in range(table[table[AROUND_SIDE] + side], table[table[AROUND_SIDE] + side + 1]):
        row = table[k]
        px, py, pz = corner(core, end_of(table, row, 0))
        qx, qy, qz = corner(core, end_of(table, row, 1))
        s, t = nearest_on_segments(px, py, pz, qx, qy, qz, ax, ay, az, bx, by, bz)
        x = px + s * (qx - px) - (ax + t * (bx - ax))
        y = py + s * (qy - py) - (ay + t * (by - ay))
        z = pz + s * (qz - pz) - (az + t * (bz - az))
        square = x * x + y * y + z * z
        if square < best:
            best, found = square, table[N_VERTICES] + row
    return found


@inner_kernel
def nearest_on_segments(px, py, pz, qx, qy, qz, ax, ay, az, bx, by, bz):
    """Parameters (s, t) of the nearest points p + s (q - p) and a + t (b - a) of two segments."""
    ux, uy, uz = qx - px, qy - py, qz - pz
    vx, vy, vz = bx - ax, by - ay, bz - az
    wx, wy, wz = ax - px, ay - py, az - pz
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    uw, vw = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    nn = nx * nx + ny * ny + nz * nz
    s = 0.5
    if nn > 0.0:
        s = ((wy * vz - wz * vy) * nx + (wz * vx - wx * vz) * ny + (wx * vy - wy * vx) * nz) / nn
    s = min(max(s, 0.0), 1.0)
    t = min(max((s * uv - vw) / vv, 0.0), 1.0)
    s = min(max((t * uv + uw) / uu, 0.0), 1.0)
    return s, t


@inner_kernel
def _step_side_vertex(core_x, table_x, core_y, table_y, pose, back, feature, vertex, slack):
    """Side of X against vertex of Y."""
    side = feature - table_x[N_VERTICES] - table_x[N_EDGES]
    x, y, z = placed_vertex(core_y, vertex, pose)
    rim = _outside_side(core_x, table_x, side, x, y, z, slack)
    if rim != NONE:
        return WALK_MOVED, rim, vertex
    over = height(core_x, table_x, side, x, y, z)
    nx, ny, nz = turned_normal(core_x, table_x, side, back)
    worst, found = VORONOI_SLACK, NONE
    for k in range(table_y[table_y[AROUND_VERTEX] + vertex], table_y[table_y[AROUND_VERTEX] + vertex + 1]):
        row = table_y[k]
        e = table_y[REGION_EDGES] + EDGE_ROW * row
        rise = nx * core_y[e] + ny * core_y[e + 1] + nz * core_y[e + 2]
        if (end_of(table_y, row, 0) == vertex) == (over >= 0.0):
            rise = -rise
        if rise > worst:
            worst, found = rise, table_y[N_VERTICES] + row
    if found != NONE:
        return WALK_MOVED, feature, found
    if over >= 0.0:
        return CLOSEST, feature, vertex
    # Below the side, and no edge leads up to it: inside X, or a trap, from which the side farthest below leads out.
    highest, best = -inf, side
    for k in range(table_x[N_SIDES]):
        over = height(core_x, table_x, k, x, y, z)
        if over > highest:
            highest, best = over, k
    best += table_x[N_VERTICES] + table_x[N_EDGES]
    return (CROSSED if highest <= 0.0 else WALK_MOVED), best, vertex


@inner_kernel
def _step_side_edge(core_x, table_x, core_y, table_y, pose, feature, row):
    """Side of X against edge of Y: never the closest pair, as one of their rims or ends is as close."""
    n_x, n_y = table_x[N_VERTICES], table_y[N_VERTICES]
    side = feature - n_x - table_x[N_EDGES]
    first, second = end_of(table_y, row, 0), end_of(table_y, row, 1)
    ax, ay, az = placed_vertex(core_y, first, pose)
    bx, by, bz = placed_vertex(core_y, second, pose)
    lo, hi, cut_lo, cut_hi = 0.0, 1.0, NONE, NONE
    for k in range(table_x[table_x[AROUND_SIDE] + side], table_x[table_x[AROUND_SIDE] + side + 1]):
        rim = table_x[k]
        c = 3 if end_of(table_x, rim, 2) == side else 6
        start = _over(core_x, table_x, end_of(table_x, rim, 0), rim, c, ax, ay, az)
        end = _over(core_x, table_x, end_of(table_x, rim, 0), rim, c, bx, by, bz)
        lo, hi, cut_lo, cut_hi, excluded = _clip(lo, hi, cut_lo, cut_hi, start, end, n_x + rim)
        if excluded or lo > hi:
            return WALK_MOVED, _nearest_rim_edge(core_x, table_x, side, ax, ay, az, bx, by, bz), n_y + row
    over_a, over_b = height(core_x, table_x, side, ax, ay, az), height(core_x, table_x, side, bx, by, bz)
    at_lo, at_hi = over_a + lo * (over_b - over_a), over_a + hi * (over_b - over_a)
    if min(at_lo, at_hi) <= 0.0 and max(at_lo, at_hi) >= 0.0:
        return CROSSED, feature, n_y + row
    if abs(at_lo) <= abs(at_hi):
        return (WALK_MOVED, cut_lo, n_y + row) if cut_lo != NONE else (WALK_MOVED, feature, first)
    return (WALK_MOVED, cut_hi, n_y + row) if cut_hi != NONE else (WALK_MOVED, feature, second)


@inner_kernel
def _step_edge_edge(core_x, table_x, core_y, table_y, pose, back, row_x, row_y):
    """Edge of X against edge of Y."""
    n_x, n_y = table_x[N_VERTICES], table_y[N_VERTICES]
    ax, ay, az = placed_vertex(core_y, end_of(table_y, row_y, 0), pose)
    bx, by, bz = placed_vertex(core_y, end_of(table_y, row_y, 1), pose)
    found = _clipped_by_edge(core_x, table_x, row_x, ax, ay, az, bx, by, bz)
    if found != NONE:
        return WALK_MOVED, found, n_y + row_y
    ax, ay, az = placed_vertex(core_x, end_of(table_x, row_x, 0), back)
    bx, by, bz = placed_vertex(core_x, end_of(table_x, row_x, 1), back)
    found = _clipped_by_edge(core_y, table_y, row_y, ax, ay, az, bx, by, bz)
    if found != NONE:
        return WALK_MOVED, n_x + row_x, found
    return CLOSEST, n_x + row_x, n_y + row_y


@inner_kernel
def _step_edge_vertex(core_x, table_x, core_y, table_y, pose, back, row, vertex, slack):
    """Edge of X against vertex of Y."""
    feature = table_x[N_VERTICES] + row
    x, y, z = placed_vertex(core_y, vertex, pose)
    found = _outside_edge(core_x, table_x, row, x, y, z, slack)
    if found != NONE:
        return WALK_MOVED, found, vertex
    ax, ay, az = placed_vertex(core_x, end_of(table_x, row, 0), back)
    bx, by, bz = placed_vertex(core_x, end_of(table_x, row, 1), back)
    found = _clipped_by_vertex(core_y, table_y, vertex, ax, ay, az, bx, by, bz)
    if found != NONE:
        return WALK_MOVED, feature, found
    return CLOSEST, feature, vertex


@inner_kernel
def _step_vertex_vertex(core_x, table_x, core_y, table_y, pose, back, vertex_x, vertex_y, slack):
    """Vertex of X against vertex of Y."""
    x, y, z = placed_vertex(core_y, vertex_y, pose)
    found = _outside_vertex(core_x, table_x, vertex_x, x, y, z, slack)
    if found != NONE:
        return WALK_MOVED, found, vertex_y
    x, y, z = placed_vertex(core_x, vertex_x, back)
    found = _outside_vertex(core_y, table_y, vertex_y, x, y, z, slack)
    if found != NONE:
        return WALK_MOVED, vertex_x, found
    return CLOSEST, vertex_x, vertex_y


@inner_kernel
def step(core_a, table_a, core_b, table_b, pose, back, feature_a, feature_b, slack):
    """One step from a pair of features: (what was found, feature of a, feature of b).

    pose brings b into the frame of a, back brings a into the frame of b. slack: length by which a region may be violated.
    Two sides never meet here: no step leads from a pair with a side to another side on the other solid.
    """
    dim_x, dim_y = dimension(table_a, feature_a), dimension(table_b, feature_b)
    swap = dim_x < dim_y
    core_x, table_x, feature_x = (core_b, table_b, feature_b) if swap else (core_a, table_a, feature_a)
    core_y, table_y, feature_y = (core_a, table_a, feature_a) if swap else (core_b, table_b, feature_b)
    to_x, to_y = (back, pose) if swap else (pose, back)
    dim_x, dim_y = max(dim_x, dim_y), min(dim_x, dim_y)
    row_x, row_y = feature_x - table_x[N_VERTICES], feature_y - table_y[N_VERTICES]
    if dim_x == 0:
        found, x, y = _step_vertex_vertex(core_x, table_x, core_y, table_y, to_x, to_y, feature_x, feature_y, slack)
    elif dim_x == 1 and dim_y == 0:
        found, x, y = _step_edge_vertex(core_x, table_x, core_y, table_y, to_x, to_y, row_x, feature_y, slack)
    elif dim_x == 1:
        found, x, y = _step_edge_edge(core_x, table_x, core_y, table_y, to_x, to_y, row_x, row_y)
    elif dim_y == 0:
        found, x, y = _step_side_vertex(core_x, table_x, core_y, table_y, to_x, to_y, feature_x, feature_y, slack)
    else:
        found, x, y = _step_side_edge(core_x, table_x, core_y, table_y, to_x, feature_x, row_y)
    return (found, y, x) if swap else (found, x, y)
