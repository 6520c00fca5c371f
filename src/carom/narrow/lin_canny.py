"""Closest features of two convex polyhedra by Lin and Canny, in the form that clips edges by Voronoi regions (V-Clip).

A pair of features is closest if each holds its nearest point in the other's region (`carom.narrow.regions`). If not, the
plane that is violated names a closer feature. Each step looks at the neighbourhood of two features only: with the pair of
the last frame as a start, the number of steps hardly depends on the size of the shapes.

Poses are arrays (12,): rotation row-major 9, shift 3. A step sees the two solids as X and Y, X holding the feature of the
higher dimension; features of Y are brought into the frame of X.
"""

from __future__ import annotations

from math import inf

from carom._jit import inner_kernel
from carom.tolerances import VORONOI_SLACK

# What a step found
MOVED = 0
"""Another pair, which is closer."""
CLOSEST = 1
CROSSED = 2
"""The solids overlap: a vertex is inside, or an edge passes through a side."""

NONE = -1


@inner_kernel
def dimension(solid, feature):
    """0 for a vertex, 1 for an edge, 2 for a side."""
    n = len(solid.vertices)
    return 0 if feature < n else (1 if feature < n + len(solid.edges) else 2)


@inner_kernel
def placed(pose, x, y, z):
    """(x, y, z) moved by `pose`."""
    return (
        pose[0] * x + pose[1] * y + pose[2] * z + pose[9],
        pose[3] * x + pose[4] * y + pose[5] * z + pose[10],
        pose[6] * x + pose[7] * y + pose[8] * z + pose[11],
    )


@inner_kernel
def turned(pose, x, y, z):
    """(x, y, z) turned by `pose`."""
    return (
        pose[0] * x + pose[1] * y + pose[2] * z,
        pose[3] * x + pose[4] * y + pose[5] * z,
        pose[6] * x + pose[7] * y + pose[8] * z,
    )


@inner_kernel
def placed_vertex(solid, vertex, pose):
    """A vertex of `solid` moved by `pose`."""
    return placed(pose, solid.vertices[vertex, 0], solid.vertices[vertex, 1], solid.vertices[vertex, 2])


@inner_kernel
def _over(solid, base, row, c, x, y, z):
    """(x, y, z) minus vertex `base`, along the unit vector at edges[row, c : c + 3]."""
    return (
        (x - solid.vertices[base, 0]) * solid.edges[row, c]
        + (y - solid.vertices[base, 1]) * solid.edges[row, c + 1]
        + (z - solid.vertices[base, 2]) * solid.edges[row, c + 2]
    )


@inner_kernel
def height(solid, side, x, y, z):
    """Height of a point over a side."""
    return solid.sides[side, 0] * x + solid.sides[side, 1] * y + solid.sides[side, 2] * z - solid.sides[side, 3]


@inner_kernel
def _outside_vertex(solid, vertex, x, y, z, slack):
    """The edge whose plane of the region of `vertex` the point violates most, as a feature; NONE if in the region."""
    worst, found = slack, NONE
    for k in range(solid.around_vertex[vertex], solid.around_vertex[vertex + 1]):
        row = solid.vertex_edges[k]
        over = _over(solid, vertex, row, 0, x, y, z)
        if solid.ends[row, 0] != vertex:
            over = -over
        if over > worst:
            worst, found = over, len(solid.vertices) + row
    return found


@inner_kernel
def _outside_edge(solid, row, x, y, z, slack):
    """The vertex or side beyond whose plane of the region of edge `row` the point lies farthest, as a feature; or NONE."""
    first = solid.ends[row, 0]
    along = _over(solid, first, row, 0, x, y, z)
    worst, found = slack, NONE
    if -along > worst:
        worst, found = -along, first
    if along - solid.edges[row, 9] > worst:
        worst, found = along - solid.edges[row, 9], solid.ends[row, 1]
    if found != NONE:
        return found
    for c in range(2):
        into = _over(solid, first, row, 3 + 3 * c, x, y, z)
        if into > worst:
            worst, found = into, len(solid.vertices) + len(solid.edges) + solid.ends[row, 2 + c]
    return found


@inner_kernel
def _outside_side(solid, side, x, y, z, slack):
    """The edge beyond which the point lies farthest of the prism over `side`, as a feature; NONE if over the side."""
    worst, found = slack, NONE
    for k in range(solid.around_side[side], solid.around_side[side + 1]):
        row = solid.side_edges[k]
        c = 3 if solid.ends[row, 2] == side else 6
        beyond = -_over(solid, solid.ends[row, 0], row, c, x, y, z)
        if beyond > worst:
            worst, found = beyond, len(solid.vertices) + row
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
def _slope(solid, feature, ax, ay, az, ux, uy, uz, t):
    """Sign of the change of distance to a vertex or side at a + t u, going along u."""
    x, y, z = ax + t * ux, ay + t * uy, az + t * uz
    if feature < len(solid.vertices):
        return (
            (x - solid.vertices[feature, 0]) * ux
            + (y - solid.vertices[feature, 1]) * uy
            + (z - solid.vertices[feature, 2]) * uz
        )
    side = feature - len(solid.vertices) - len(solid.edges)
    rise = solid.sides[side, 0] * ux + solid.sides[side, 1] * uy + solid.sides[side, 2] * uz
    return rise if height(solid, side, x, y, z) >= 0.0 else -rise


@inner_kernel
def _clipped_by_vertex(solid, vertex, ax, ay, az, bx, by, bz):
    """The edge of `vertex`, as a feature, beyond whose plane segment a b comes nearest to it; NONE: it does in the region."""
    lo, hi, cut_lo, cut_hi = 0.0, 1.0, NONE, NONE
    for k in range(solid.around_vertex[vertex], solid.around_vertex[vertex + 1]):
        row = solid.vertex_edges[k]
        sign = -1.0 if solid.ends[row, 0] == vertex else 1.0
        start = sign * _over(solid, vertex, row, 0, ax, ay, az)
        end = sign * _over(solid, vertex, row, 0, bx, by, bz)
        feature = len(solid.vertices) + row
        lo, hi, cut_lo, cut_hi, excluded = _clip(lo, hi, cut_lo, cut_hi, start, end, feature)
        if excluded:
            return feature
    ux, uy, uz = bx - ax, by - ay, bz - az
    if cut_lo != NONE and _slope(solid, vertex, ax, ay, az, ux, uy, uz, lo) > 0.0:
        return cut_lo
    if cut_hi != NONE and _slope(solid, vertex, ax, ay, az, ux, uy, uz, hi) < 0.0:
        return cut_hi
    return NONE


@inner_kernel
def _clipped_by_edge(solid, row, ax, ay, az, bx, by, bz):
    """The neighbour of edge `row` that segment a b comes nearest to beyond the edge's region; NONE: it does in the region."""
    lo, hi, cut_lo, cut_hi = 0.0, 1.0, NONE, NONE
    first = solid.ends[row, 0]
    ux, uy, uz = bx - ax, by - ay, bz - az
    start, end = _over(solid, first, row, 0, ax, ay, az), _over(solid, first, row, 0, bx, by, bz)
    length = solid.edges[row, 9]
    for stage in range(2):
        for c in range(2):
            if stage == 0:
                neighbour = solid.ends[row, c]
                s, e = (start, end) if c == 0 else (length - start, length - end)
            else:
                neighbour = len(solid.vertices) + len(solid.edges) + solid.ends[row, 2 + c]
                s = -_over(solid, first, row, 3 + 3 * c, ax, ay, az)
                e = -_over(solid, first, row, 3 + 3 * c, bx, by, bz)
            lo, hi, cut_lo, cut_hi, excluded = _clip(lo, hi, cut_lo, cut_hi, s, e, neighbour)
            if excluded:
                return neighbour
        if cut_lo != NONE and _slope(solid, cut_lo, ax, ay, az, ux, uy, uz, lo) > 0.0:
            return cut_lo
        if cut_hi != NONE and _slope(solid, cut_hi, ax, ay, az, ux, uy, uz, hi) < 0.0:
            return cut_hi
    return NONE


@inner_kernel
def _nearest_rim_edge(solid, side, ax, ay, az, bx, by, bz):
    """The edge of `side`, as a feature, nearest to segment a b."""
    best, found = inf, NONE
    for k in range(solid.around_side[side], solid.around_side[side + 1]):
        row = solid.side_edges[k]
        p, q = solid.ends[row, 0], solid.ends[row, 1]
        s, t = nearest_on_segments(
            solid.vertices[p, 0], solid.vertices[p, 1], solid.vertices[p, 2],
            solid.vertices[q, 0], solid.vertices[q, 1], solid.vertices[q, 2],
            ax, ay, az, bx, by, bz,
        )  # fmt: skip
        square = 0.0
        for d in range(3):
            start = ax if d == 0 else (ay if d == 1 else az)
            end = bx if d == 0 else (by if d == 1 else bz)
            on_rim = solid.vertices[p, d] + s * (solid.vertices[q, d] - solid.vertices[p, d])
            square += (on_rim - (start + t * (end - start))) ** 2
        if square < best:
            best, found = square, len(solid.vertices) + row
    return found


@inner_kernel
def nearest_on_segments(px, py, pz, qx, qy, qz, ax, ay, az, bx, by, bz):
    """Parameters (s, t) of the nearest points p + s (q - p) and a + t (b - a) of two segments."""
    ux, uy, uz = qx - px, qy - py, qz - pz
    vx, vy, vz = bx - ax, by - ay, bz - az
    wx, wy, wz = ax - px, ay - py, az - pz
    uu, vv, uv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, ux * vx + uy * vy + uz * vz
    uw, vw = ux * wx + uy * wy + uz * wz, vx * wx + vy * wy + vz * wz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    s = 0.5
    if nn > 0.0:
        s = ((wy * vz - wz * vy) * nx + (wz * vx - wx * vz) * ny + (wx * vy - wy * vx) * nz) / nn
    s = min(max(s, 0.0), 1.0)
    t = min(max((s * uv - vw) / vv, 0.0), 1.0)
    s = min(max((t * uv + uw) / uu, 0.0), 1.0)
    return s, t


@inner_kernel
def _step_side_vertex(solid_x, solid_y, pose, back, feature, vertex, slack):
    """Side of X against vertex of Y."""
    side = feature - len(solid_x.vertices) - len(solid_x.edges)
    x, y, z = placed_vertex(solid_y, vertex, pose)
    rim = _outside_side(solid_x, side, x, y, z, slack)
    if rim != NONE:
        return MOVED, rim, vertex
    over = height(solid_x, side, x, y, z)
    nx, ny, nz = turned(back, solid_x.sides[side, 0], solid_x.sides[side, 1], solid_x.sides[side, 2])
    worst, found = VORONOI_SLACK, NONE
    for k in range(solid_y.around_vertex[vertex], solid_y.around_vertex[vertex + 1]):
        row = solid_y.vertex_edges[k]
        rise = nx * solid_y.edges[row, 0] + ny * solid_y.edges[row, 1] + nz * solid_y.edges[row, 2]
        if (solid_y.ends[row, 0] == vertex) == (over >= 0.0):
            rise = -rise
        if rise > worst:
            worst, found = rise, len(solid_y.vertices) + row
    if found != NONE:
        return MOVED, feature, found
    if over >= 0.0:
        return CLOSEST, feature, vertex
    # Below the side, and no edge leads up to it: inside X, or a trap, from which the side farthest below leads out.
    highest, best = -inf, side
    for k in range(len(solid_x.sides)):
        over = height(solid_x, k, x, y, z)
        if over > highest:
            highest, best = over, k
    best += len(solid_x.vertices) + len(solid_x.edges)
    return (CROSSED if highest <= 0.0 else MOVED), best, vertex


@inner_kernel
def _step_side_edge(solid_x, solid_y, pose, feature, row):
    """Side of X against edge of Y: never the closest pair, as one of their rims or ends is as close."""
    n_x, n_y = len(solid_x.vertices), len(solid_y.vertices)
    side = feature - n_x - len(solid_x.edges)
    first, second = solid_y.ends[row, 0], solid_y.ends[row, 1]
    ax, ay, az = placed_vertex(solid_y, first, pose)
    bx, by, bz = placed_vertex(solid_y, second, pose)
    lo, hi, cut_lo, cut_hi = 0.0, 1.0, NONE, NONE
    for k in range(solid_x.around_side[side], solid_x.around_side[side + 1]):
        rim = solid_x.side_edges[k]
        c = 3 if solid_x.ends[rim, 2] == side else 6
        start = _over(solid_x, solid_x.ends[rim, 0], rim, c, ax, ay, az)
        end = _over(solid_x, solid_x.ends[rim, 0], rim, c, bx, by, bz)
        lo, hi, cut_lo, cut_hi, excluded = _clip(lo, hi, cut_lo, cut_hi, start, end, n_x + rim)
        if excluded or lo > hi:
            return MOVED, _nearest_rim_edge(solid_x, side, ax, ay, az, bx, by, bz), n_y + row
    over_a, over_b = height(solid_x, side, ax, ay, az), height(solid_x, side, bx, by, bz)
    at_lo, at_hi = over_a + lo * (over_b - over_a), over_a + hi * (over_b - over_a)
    if min(at_lo, at_hi) <= 0.0 and max(at_lo, at_hi) >= 0.0:
        return CROSSED, feature, n_y + row
    if abs(at_lo) <= abs(at_hi):
        return (MOVED, cut_lo, n_y + row) if cut_lo != NONE else (MOVED, feature, first)
    return (MOVED, cut_hi, n_y + row) if cut_hi != NONE else (MOVED, feature, second)


@inner_kernel
def _step_edge_edge(solid_x, solid_y, pose, back, row_x, row_y):
    """Edge of X against edge of Y."""
    n_x, n_y = len(solid_x.vertices), len(solid_y.vertices)
    ax, ay, az = placed_vertex(solid_y, solid_y.ends[row_y, 0], pose)
    bx, by, bz = placed_vertex(solid_y, solid_y.ends[row_y, 1], pose)
    found = _clipped_by_edge(solid_x, row_x, ax, ay, az, bx, by, bz)
    if found != NONE:
        return MOVED, found, n_y + row_y
    ax, ay, az = placed_vertex(solid_x, solid_x.ends[row_x, 0], back)
    bx, by, bz = placed_vertex(solid_x, solid_x.ends[row_x, 1], back)
    found = _clipped_by_edge(solid_y, row_y, ax, ay, az, bx, by, bz)
    if found != NONE:
        return MOVED, n_x + row_x, found
    return CLOSEST, n_x + row_x, n_y + row_y


@inner_kernel
def _step_edge_vertex(solid_x, solid_y, pose, back, row, vertex, slack):
    """Edge of X against vertex of Y."""
    feature = len(solid_x.vertices) + row
    x, y, z = placed_vertex(solid_y, vertex, pose)
    found = _outside_edge(solid_x, row, x, y, z, slack)
    if found != NONE:
        return MOVED, found, vertex
    ax, ay, az = placed_vertex(solid_x, solid_x.ends[row, 0], back)
    bx, by, bz = placed_vertex(solid_x, solid_x.ends[row, 1], back)
    found = _clipped_by_vertex(solid_y, vertex, ax, ay, az, bx, by, bz)
    if found != NONE:
        return MOVED, feature, found
    return CLOSEST, feature, vertex


@inner_kernel
def _step_vertex_vertex(solid_x, solid_y, pose, back, vertex_x, vertex_y, slack):
    """Vertex of X against vertex of Y."""
    x, y, z = placed_vertex(solid_y, vertex_y, pose)
    found = _outside_vertex(solid_x, vertex_x, x, y, z, slack)
    if found != NONE:
        return MOVED, found, vertex_y
    x, y, z = placed_vertex(solid_x, vertex_x, back)
    found = _outside_vertex(solid_y, vertex_y, x, y, z, slack)
    if found != NONE:
        return MOVED, vertex_x, found
    return CLOSEST, vertex_x, vertex_y


@inner_kernel
def _step(solid_x, solid_y, pose, back, feature_x, feature_y, slack):
    """One step where the feature of X has no lower dimension than that of Y: (what was found, features of X and Y)."""
    dim_x, dim_y = dimension(solid_x, feature_x), dimension(solid_y, feature_y)
    n_x, n_y = len(solid_x.vertices), len(solid_y.vertices)
    if dim_x == 0:
        return _step_vertex_vertex(solid_x, solid_y, pose, back, feature_x, feature_y, slack)
    if dim_x == 1:
        if dim_y == 0:
            return _step_edge_vertex(solid_x, solid_y, pose, back, feature_x - n_x, feature_y, slack)
        return _step_edge_edge(solid_x, solid_y, pose, back, feature_x - n_x, feature_y - n_y)
    if dim_y == 0:
        return _step_side_vertex(solid_x, solid_y, pose, back, feature_x, feature_y, slack)
    return _step_side_edge(solid_x, solid_y, pose, feature_x, feature_y - n_y)


@inner_kernel
def step(solid_a, solid_b, pose, back, feature_a, feature_b, slack):
    """One step from a pair of features: (what was found, feature of a, feature of b).

    pose brings b into the frame of a, back brings a into the frame of b. slack: length by which a region may be violated.
    Two sides never meet here: no step leads from a pair with a side to another side on the other solid.
    """
    if dimension(solid_a, feature_a) >= dimension(solid_b, feature_b):
        return _step(solid_a, solid_b, pose, back, feature_a, feature_b, slack)
    found, feature_b, feature_a = _step(solid_b, solid_a, back, pose, feature_b, feature_a, slack)
    return found, feature_a, feature_b
