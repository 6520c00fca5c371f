"""Intersection of two triangles at rest: whether they intersect, depth and place.

A triangle is nine doubles, its corners one after the other; both are in one frame. Corners may coincide: segments and
points are triangles too. Any direction along which the triangles are apart proves that they are, however badly rounding
has turned it; so an axis is believed only when the gap along it exceeds what rounding can do to the projections, and
"apart" is never wrong. "Intersect" may be wrong by that much: touching counts.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.maths.vector import cross, least_of, most_of
from carom.narrow.mesh.segment_distance import nearest_on_segments
from carom.tolerances import AXIS_SLACK, FLAT_TRIANGLE, PARALLEL_PLANES

CONTACT_SPACE = 36
"""Doubles of scratch that `contact_point_into` needs: two polygons of up to six corners."""


@inner_kernel
def _gaps(axis, first, second, corners):
    """Gap along `axis` with b ahead of a, and with b behind; a = (0, first, second), b = corners."""
    x, y, z = axis
    p1, p2 = first[0] * x + first[1] * y + first[2] * z, second[0] * x + second[1] * y + second[2] * z
    q0 = corners[0] * x + corners[1] * y + corners[2] * z
    q1 = corners[3] * x + corners[4] * y + corners[5] * z
    q2 = corners[6] * x + corners[7] * y + corners[8] * z
    return (
        least_of(q0, q1, q2) - most_of(0.0, p1, p2),
        least_of(0.0, p1, p2) - most_of(q0, q1, q2),
    )


@inline_kernel
def _apart(axis, first, second, corners, pad):
    """Are the triangles surely apart along `axis`? `pad` is what rounding may add to coordinates."""
    ahead, behind = _gaps(axis, first, second, corners)
    return max(ahead, behind) > pad * (abs(axis[0]) + abs(axis[1]) + abs(axis[2]))


@inline_kernel
def _relative(a, b):
    """Edges of a from its first corner, the corners of b from there, and the largest of those coordinates."""
    x, y, z = a[0], a[1], a[2]
    first = (a[3] - x, a[4] - y, a[5] - z)
    second = (a[6] - x, a[7] - y, a[8] - z)
    corners = (b[0] - x, b[1] - y, b[2] - z, b[3] - x, b[4] - y, b[5] - z, b[6] - x, b[7] - y, b[8] - z)
    size = 0.0
    for value in first + second + corners:
        size = max(size, abs(value))
    return first, second, corners, size


@inline_kernel
def _edges(first, second, corners):
    """The six edges, those of a before those of b; their signs do not matter."""
    f = (corners[3] - corners[0], corners[4] - corners[1], corners[5] - corners[2])
    g = (corners[6] - corners[0], corners[7] - corners[1], corners[8] - corners[2])
    return (
        first,
        second,
        (second[0] - first[0], second[1] - first[1], second[2] - first[2]),
        f,
        g,
        (g[0] - f[0], g[1] - f[1], g[2] - f[2]),
    )


@inline_kernel
def _square(v):
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]


@inline_kernel
def _crossed(u, v):
    return cross(u[0], u[1], u[2], v[0], v[1], v[2])


@inner_kernel
def _any_normal(edges):
    """A direction square to the longest of `edges`: the plane of a pair that has none of its own."""
    longest = edges[0]
    for edge in edges:
        if _square(edge) > _square(longest):
            longest = edge
    x, y, z = abs(longest[0]), abs(longest[1]), abs(longest[2])
    if x <= y and x <= z:
        return _crossed(longest, (1.0, 0.0, 0.0))
    if y <= z:
        return _crossed(longest, (0.0, 1.0, 0.0))
    return _crossed(longest, (0.0, 0.0, 1.0))


@inner_kernel
def _has_normal(normal, edges, which):
    """Is a triangle (0: a, 1: b) of `edges` more than a segment?"""
    longest = max(_square(edges[3 * which]), _square(edges[3 * which + 1]), _square(edges[3 * which + 2]))
    return _square(normal) > FLAT_TRIANGLE * FLAT_TRIANGLE * longest * longest


@inner_kernel
def _plane_normal(edges, normal_a, normal_b):
    """(normal, do both triangles lie in one plane direction?): what in-plane axes are square to.

    Of two segments it is square to both; of parallel ones, or points, to the longest.
    """
    flat_a, flat_b = not _has_normal(normal_a, edges, 0), not _has_normal(normal_b, edges, 1)
    if flat_a and flat_b:
        best = _any_normal(edges)
        most = 0.0
        for k in range(3):
            for m in range(3, 6):
                axis = _crossed(edges[k], edges[m])
                if _square(axis) > most:
                    most = _square(axis)
                    if most > FLAT_TRIANGLE * FLAT_TRIANGLE * _square(edges[k]) * _square(edges[m]):
                        best = axis
        return best, True
    if flat_a or flat_b:
        return (normal_b if flat_a else normal_a), True
    sine = _square(_crossed(normal_a, normal_b))
    parallel = sine < PARALLEL_PLANES * PARALLEL_PLANES * _square(normal_a) * _square(normal_b)
    return normal_a, parallel


@lean_kernel
def triangles_overlap(a, b, slack):
    """Do the closed triangles a and b (9,) come within `slack` (a length, for what rounding did to their corners) or touch?

    Separating axes: two normals and nine cross products of edges; where the planes are parallel or a triangle has no
    normal, the edges and their normals in the plane too.
    """
    first, second, corners, size = _relative(a, b)
    pad = AXIS_SLACK * size + slack
    normal_a = _crossed(first, second)
    if _apart(normal_a, first, second, corners, pad):
        return False
    edges = _edges(first, second, corners)
    normal_b = _crossed(edges[3], edges[4])
    if _apart(normal_b, first, second, corners, pad):
        return False
    for k in range(3):
        for m in range(3, 6):
            if _apart(_crossed(edges[k], edges[m]), first, second, corners, pad):
                return False
    normal, flat = _plane_normal(edges, normal_a, normal_b)
    if flat:
        for edge in edges:
            if _apart(edge, first, second, corners, pad):
                return False
            if _apart(_crossed(normal, edge), first, second, corners, pad):
                return False
        if _apart(normal, first, second, corners, pad):
            return False
        if size > 0.0 and _apart((corners[0], corners[1], corners[2]), first, second, corners, pad):
            return False
    return True


@lean_kernel
def penetration_into(a, b, normal):
    """Least distance by which triangle b must move along `normal` (3,), which it sets, to be clear of a; both (9,).

    0 for triangles that touch or lie in one plane; negative, the largest gap found, for triangles apart. The normal is a
    unit vector from a towards b.
    """
    first, second, corners, _ = _relative(a, b)
    edges = _edges(first, second, corners)
    normal_a, normal_b = _crossed(first, second), _crossed(edges[3], edges[4])
    flat_normal, flat = _plane_normal(edges, normal_a, normal_b)
    least = inf
    normal[0], normal[1], normal[2] = 0.0, 0.0, 1.0
    for k in range(11 + (13 if flat else 0)):
        if k == 0:
            axis = normal_a
        elif k == 1:
            axis = normal_b
        elif k < 11:
            axis = _crossed(edges[(k - 2) // 3], edges[3 + (k - 2) % 3])
        elif k == 11:
            axis = flat_normal
        elif k < 18:
            axis = _crossed(flat_normal, edges[k - 12])
        else:
            axis = edges[k - 18]
        length = sqrt(_square(axis))
        if k < 2 and not _has_normal(axis, edges, k):
            continue
        if 2 <= k < 11:
            both = _square(edges[(k - 2) // 3]) * _square(edges[3 + (k - 2) % 3])
            if length * length <= FLAT_TRIANGLE * FLAT_TRIANGLE * both:
                continue
        if not length > 0.0:
            continue
        ahead, behind = _gaps(axis, first, second, corners)
        sign = 1.0 if ahead >= behind else -1.0
        overlap = -max(ahead, behind) / length
        if overlap < least:
            least = overlap
            for d in range(3):
                normal[d] = sign * axis[d] / length
    return least if least < inf else 0.0


@inner_kernel
def _side(normal, triangle, corner, space, at):
    """How far the point at space[at] lies inside the edge of `triangle` that starts at `corner`, times lengths."""
    after = (corner + 3) % 9
    ux, uy, uz = (
        triangle[after] - triangle[corner],
        triangle[after + 1] - triangle[corner + 1],
        triangle[after + 2] - triangle[corner + 2],
    )
    px, py, pz = (
        space[at] - triangle[corner],
        space[at + 1] - triangle[corner + 1],
        space[at + 2] - triangle[corner + 2],
    )
    x, y, z = cross(ux, uy, uz, px, py, pz)
    return x * normal[0] + y * normal[1] + z * normal[2]


@inner_kernel
def _put(space, at, triangle, k, m, t):
    """space[at : at + 3] = the point at fraction t from corner k to corner m (multiples of 3)."""
    for d in range(3):
        space[at + d] = triangle[k + d] + t * (triangle[m + d] - triangle[k + d])


@inner_kernel
def _section_into(normal, a, b, space):
    """Cut triangle b with the plane of a into space[0:]; returns 1, 2 or 3 points. All of b where it lies in the plane."""
    size = 0.0
    for k in range(9):
        size = max(size, abs(b[k] - a[k % 3]))
    level = AXIS_SLACK * size * (abs(normal[0]) + abs(normal[1]) + abs(normal[2]))
    count = nearest = 0
    least = inf
    for k in range(0, 9, 3):
        here = (b[k] - a[0]) * normal[0] + (b[k + 1] - a[1]) * normal[1] + (b[k + 2] - a[2]) * normal[2]
        if abs(here) < least:
            least, nearest = abs(here), k
        if abs(here) <= level:
            _put(space, 3 * count, b, k, k, 0.0)
            count += 1
            continue
        m = (k + 3) % 9
        ahead = (b[m] - a[0]) * normal[0] + (b[m + 1] - a[1]) * normal[1] + (b[m + 2] - a[2]) * normal[2]
        if abs(ahead) > level and (here < 0.0) != (ahead < 0.0):
            _put(space, 3 * count, b, k, m, here / (here - ahead))
            count += 1
    if count == 0:
        _put(space, 0, b, nearest, nearest, 0.0)
        count = 1
    return count


@inner_kernel
def _clip(normal, a, space, count):
    """Clip the polygon space[0 : 3 count] by the three edges of a; returns what is left, at least one point.

    A convex polygon gains at most one corner an edge, so that six suffice. Where rounding leaves nothing, the point that is
    least outside stays.
    """
    for corner in range(0, 9, 3):
        kept = 0
        best, best_at = -inf, 0
        for k in range(count):
            here, ahead = 3 * k, 3 * ((k + 1) % count)
            g, g_ahead = _side(normal, a, corner, space, here), _side(normal, a, corner, space, ahead)
            if g > best:
                best, best_at = g, here
            if g >= 0.0 and kept < 6:  # rounding may find more sides of a sliver than there are
                for d in range(3):
                    space[18 + 3 * kept + d] = space[here + d]
                kept += 1
            again = count == 2 and k == 1  # a segment has one side, not two
            if (g < 0.0 < g_ahead or g_ahead < 0.0 < g) and not again and kept < 6:
                t = g / (g - g_ahead)
                for d in range(3):
                    space[18 + 3 * kept + d] = space[here + d] + t * (space[ahead + d] - space[here + d])
                kept += 1
        if kept == 0:
            for d in range(3):
                space[18 + d] = space[best_at + d]
            kept = 1
        for k in range(3 * kept):
            space[k] = space[18 + k]
        count = kept
    return count


@inner_kernel
def _longest_edge(triangle):
    """Corner at which the longest edge starts, and the corner at which it ends."""
    best, far = 0, -1.0
    for k in range(0, 9, 3):
        m = (k + 3) % 9
        square = (
            (triangle[m] - triangle[k]) ** 2
            + (triangle[m + 1] - triangle[k + 1]) ** 2
            + (triangle[m + 2] - triangle[k + 2]) ** 2
        )
        if square > far:
            far, best = square, k
    return best, (best + 3) % 9


@inner_kernel
def _segments_meet_into(a, b, point):
    """The point halfway between the longest edges of two triangles without area."""
    k, k_end = _longest_edge(a)
    m, m_end = _longest_edge(b)
    u = (a[k_end] - a[k], a[k_end + 1] - a[k + 1], a[k_end + 2] - a[k + 2])
    v = (b[m_end] - b[m], b[m_end + 1] - b[m + 1], b[m_end + 2] - b[m + 2])
    s, t = nearest_on_segments(
        u[0], u[1], u[2], v[0], v[1], v[2], a[k] - b[m], a[k + 1] - b[m + 1], a[k + 2] - b[m + 2]
    )
    for d in range(3):
        point[d] = 0.5 * (a[k + d] + s * u[d] + b[m + d] + t * v[d])


@lean_kernel
def contact_point_into(a, b, space, point):
    """Set `point` (3,) to the middle of what the triangles a and b (9,), which intersect, share: a segment or a polygon.

    The mean of its corners. `space` (CONTACT_SPACE,) is overwritten.
    """
    first, second, corners, _ = _relative(a, b)
    edges = _edges(first, second, corners)
    normal_a, normal_b = _crossed(first, second), _crossed(edges[3], edges[4])
    if _has_normal(normal_a, edges, 0):
        count = _clip(normal_a, a, space, _section_into(normal_a, a, b, space))
    elif _has_normal(normal_b, edges, 1):
        count = _clip(normal_b, b, space, _section_into(normal_b, b, a, space))
    else:
        _segments_meet_into(a, b, point)
        return
    for d in range(3):
        total = 0.0
        for k in range(count):
            total += space[3 * k + d]
        point[d] = total / count
