"""Penetration depth of two cores by an expanding polytope inside their difference A - B.

The polytope is a hull of support points around the origin. Its nearest side bounds the depth from below; the extent of
A - B along any direction bounds it from above. Each step adds the support point of the nearest side. Both bounds are
kept, so that the answer holds whenever the search ends: when they meet, when room is out, or when rounding breaks the
hull. The origin must lie in A - B, to rounding.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel
from carom.maths.vector import cross
from carom.narrow.convex.gjk import GJK_COUNT, GJK_REACH, R_ID, ROW, difference_support
from carom.tolerances import EPA_FLAT, EPA_POINTS, EPSILON

EPA_FACES = 2 * EPA_POINTS
"""A hull of n corners has at most 2 n - 4 triangles."""

# A face in `planes`: unit normal 3 and offset 1 (inf: not in use or without a normal).
# A face in `links`: corners 3 (rows of `corners`), neighbours 3 (across corner k -> k + 1), mark 1.
LINKS = 7
EPA_MARK = 6
MARK_FREE = -1
MARK_OLD = 0
MARK_SEEN = 1
MARK_NEW = 2

# Places in `best`
B_AXIS = 0
B_UPPER = 3
B_LOWER = 4
B_STEPS = 5
BEST = 6

# How the search ended
MET = 0
"""The bounds met to the gap asked for."""
ENDED_FLAT = 1
"""A - B is flat: the depth is its thickness."""
UNMET = 2
"""No room, or rounding broke the hull: the bounds hold but are apart."""


@inner_kernel
def _probe(core_a, core_b, rot, shift, x, y, z, corners, row, best):
    """Put the support point along unit (x, y, z) in row `row`; its height, which also bounds the depth from above."""
    if row > 0:
        corners[row, R_ID], corners[row, R_ID + 1] = corners[row - 1, R_ID], corners[row - 1, R_ID + 1]
    difference_support(core_a, core_b, rot, shift, x, y, z, corners[row], 0)
    height = corners[row, 0] * x + corners[row, 1] * y + corners[row, 2] * z
    best[B_STEPS] += 1.0
    if height < best[B_UPPER]:
        best[B_AXIS], best[B_AXIS + 1], best[B_AXIS + 2], best[B_UPPER] = x, y, z, height
    return height


@inner_kernel
def _square_to(x, y, z):
    """A unit vector square to unit (x, y, z)."""
    if abs(x) <= abs(y) and abs(x) <= abs(z):
        u, v, w = 0.0, -z, y
    elif abs(y) <= abs(z):
        u, v, w = -z, 0.0, x
    else:
        u, v, w = -y, x, 0.0
    size = sqrt(u * u + v * v + w * w)
    return u / size, v / size, w / size


@inner_kernel
def _widen(core_a, core_b, rot, shift, x, y, z, n, corners, best, flat):
    """Add corner n as far as possible off corner 0 along plus or minus unit (x, y, z); False where A - B is flat."""
    base = corners[0, 0] * x + corners[0, 1] * y + corners[0, 2] * z
    up = _probe(core_a, core_b, rot, shift, x, y, z, corners, n, best) - base
    if up > flat:
        return True
    down = _probe(core_a, core_b, rot, shift, -x, -y, -z, corners, n, best) + base
    return down > flat


@inner_kernel
def _first_tetrahedron(core_a, core_b, rot, shift, state, corners, best):
    """Corners 0 to 3 from the simplex of a walk, completed to a tetrahedron; False where A - B is flat.

    Flat along an axis means that both extents along it, and so the depth, are below the flatness: `best` has them.
    """
    flat = EPA_FLAT * state[GJK_REACH]
    held = int(state[GJK_COUNT])
    for i in range(held):
        for c in range(ROW):
            corners[i, c] = state[ROW * i + c]
    if held == 4:
        return True
    if held == 1:
        for axis in range(3):
            x, y, z = (1.0 if axis == 0 else 0.0), (1.0 if axis == 1 else 0.0), (1.0 if axis == 2 else 0.0)
            if _widen(core_a, core_b, rot, shift, x, y, z, 1, corners, best, flat):
                held = 2
                break
        if held == 1:
            return False
    ex, ey, ez = corners[1, 0] - corners[0, 0], corners[1, 1] - corners[0, 1], corners[1, 2] - corners[0, 2]
    size = sqrt(ex * ex + ey * ey + ez * ez)
    ex, ey, ez = ex / size, ey / size, ez / size
    if held == 2:
        x, y, z = _square_to(ex, ey, ez)
        if not _widen(core_a, core_b, rot, shift, x, y, z, 2, corners, best, flat):
            x, y, z = cross(ex, ey, ez, x, y, z)
            if not _widen(core_a, core_b, rot, shift, x, y, z, 2, corners, best, flat):
                return False
    ux, uy, uz = corners[2, 0] - corners[0, 0], corners[2, 1] - corners[0, 1], corners[2, 2] - corners[0, 2]
    x, y, z = cross(ex, ey, ez, ux, uy, uz)
    size = sqrt(x * x + y * y + z * z)
    if size <= flat:
        x, y, z = _square_to(ex, ey, ez)
    else:
        x, y, z = x / size, y / size, z / size
    return _widen(core_a, core_b, rot, shift, x, y, z, 3, corners, best, flat)


@inner_kernel
def _set_face(corners, planes, links, face, i, j, k):
    """Give `face` the corners i, j, k, anticlockwise from outside, and its plane."""
    links[face, 0], links[face, 1], links[face, 2], links[face, EPA_MARK] = i, j, k, MARK_OLD
    ux, uy, uz = corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1], corners[j, 2] - corners[i, 2]
    vx, vy, vz = corners[k, 0] - corners[j, 0], corners[k, 1] - corners[j, 1], corners[k, 2] - corners[j, 2]
    wx, wy, wz = corners[i, 0] - corners[k, 0], corners[i, 1] - corners[k, 1], corners[i, 2] - corners[k, 2]
    uu, vv, ww = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz, wx * wx + wy * wy + wz * wz
    # By the two shorter edges: thin faces keep a good normal. u becomes the longest one.
    if ww >= uu and ww >= vv:
        x, y, z = cross(ux, uy, uz, vx, vy, vz)
        ux, uy, uz, uu = wx, wy, wz, ww
    elif uu >= vv:
        x, y, z = cross(vx, vy, vz, wx, wy, wz)
    else:
        x, y, z = cross(wx, wy, wz, ux, uy, uz)
        ux, uy, uz, uu = vx, vy, vz, vv
    size = sqrt(x * x + y * y + z * z)
    if size <= 4.0 * EPSILON * uu:
        planes[face, 0] = planes[face, 1] = planes[face, 2] = 0.0
        planes[face, 3] = inf
        return
    x, y, z = x / size, y / size, z / size
    # What rounding left along the longest edge would tilt the plane of a needle most.
    rest = (x * ux + y * uy + z * uz) / uu
    x, y, z = x - rest * ux, y - rest * uy, z - rest * uz
    size = sqrt(x * x + y * y + z * z)
    x, y, z = x / size, y / size, z / size
    planes[face, 0], planes[face, 1], planes[face, 2] = x, y, z
    planes[face, 3] = corners[i, 0] * x + corners[i, 1] * y + corners[i, 2] * z


@inner_kernel
def _first_faces(corners, planes, links):
    """The four faces of the tetrahedron, turned outwards."""
    ux, uy, uz = corners[1, 0] - corners[0, 0], corners[1, 1] - corners[0, 1], corners[1, 2] - corners[0, 2]
    vx, vy, vz = corners[2, 0] - corners[0, 0], corners[2, 1] - corners[0, 1], corners[2, 2] - corners[0, 2]
    wx, wy, wz = corners[3, 0] - corners[0, 0], corners[3, 1] - corners[0, 1], corners[3, 2] - corners[0, 2]
    volume = (uy * vz - uz * vy) * wx + (uz * vx - ux * vz) * wy + (ux * vy - uy * vx) * wz
    p, q = (1, 2) if volume < 0.0 else (2, 1)
    _set_face(corners, planes, links, 0, 0, p, q)
    _set_face(corners, planes, links, 1, 0, q, 3)
    _set_face(corners, planes, links, 2, q, p, 3)
    _set_face(corners, planes, links, 3, p, 0, 3)
    links[0, 3], links[0, 4], links[0, 5] = 3, 2, 1
    links[1, 3], links[1, 4], links[1, 5] = 0, 2, 3
    links[2, 3], links[2, 4], links[2, 5] = 0, 3, 1
    links[3, 3], links[3, 4], links[3, 5] = 0, 1, 2


@inner_kernel
def _flood(corners, planes, links, seen, face, corner, thick):
    """List in `seen` the faces that see `corner`, from `face` on, or are level with it to `thick`; their number.

    Level ones are replaced as well, so that no new face is a line.
    """
    x, y, z = corners[corner, 0], corners[corner, 1], corners[corner, 2]
    seen[0] = face
    links[face, EPA_MARK] = MARK_SEEN
    count, done = 1, 0
    while done < count:
        here = seen[done]
        done += 1
        for k in range(3, 6):
            other = links[here, k]
            if links[other, EPA_MARK] == MARK_OLD:
                height = planes[other, 0] * x + planes[other, 1] * y + planes[other, 2] * z - planes[other, 3]
                if height > -thick or planes[other, 3] == inf:
                    links[other, EPA_MARK] = MARK_SEEN
                    seen[count] = other
                    count += 1
    return count


@inner_kernel
def _add_corner(corners, planes, links, stack, rim, face, corner, free, thick):
    """Replace the faces that see `corner`, from `face` on, by faces to it: (free faces left or -1 if broken, least free).

    stack[0]: room for the flood; the last `free` places of stack[1] list the free faces, lower numbers first, those freed
    last in front. rim (n, 2): for a corner, the new face that starts there.
    """
    seen, spare = stack[0], stack[1]
    n_seen = _flood(corners, planes, links, seen, face, corner, thick)
    n_new, first, size = 0, -1, len(spare)
    for s in range(n_seen):
        here = seen[s]
        for k in range(3):
            other = links[here, 3 + k]
            if links[other, EPA_MARK] != MARK_OLD:
                continue
            start, end = links[here, k], links[here, (k + 1) % 3]
            if free == 0 or rim[start, 0] == corner:
                return -1, free
            first = spare[size - free]
            free -= 1
            _set_face(corners, planes, links, first, start, end, corner)
            links[first, EPA_MARK] = MARK_NEW
            links[first, 3] = other
            for c in range(3):
                if links[other, c] == end and links[other, (c + 1) % 3] == start:
                    links[other, 3 + c] = first
            rim[start, 0], rim[start, 1] = corner, first
            n_new += 1
    # Around the rim: each new face is joined to the one that starts where it ends, back to the first after all of them.
    here = first
    for k in range(n_new):
        end = links[here, 1]
        if rim[end, 0] != corner:
            return -1, free
        following = rim[end, 1]
        links[here, 4], links[following, 5] = following, here
        links[here, EPA_MARK] = MARK_OLD
        here = following
        if (here == first) != (k == n_new - 1):
            return -1, free
    least_free = free
    for s in range(n_seen):
        free += 1
        planes[seen[s], 3] = inf
        links[seen[s], EPA_MARK] = MARK_FREE
        spare[size - free] = seen[s]
    return (free if n_new >= 3 else -1), least_free


@inner_kernel
def epa(core_a, core_b, rot, shift, state, gap, corners, planes, links, stack, rim, best):
    """Bound the depth of two cores after a walk (`gjk`) that found them to overlap; returns how the search ended.

    state: of the walk. gap: relative distance of the bounds that is close enough. Room: corners (EPA_POINTS, ROW), planes
    (EPA_FACES, 4) float64; links (EPA_FACES, LINKS), stack (2, EPA_FACES), rim (EPA_POINTS, 2) int64.
    best (BEST,): unit axis 3 from a to b of least extent, that extent (upper bound), lower bound, support points asked for.
    """
    best[B_UPPER], best[B_LOWER], best[B_STEPS] = inf, 0.0, 0.0
    corners[0, R_ID] = corners[0, R_ID + 1] = -1.0
    if not _first_tetrahedron(core_a, core_b, rot, shift, state, corners, best):
        return ENDED_FLAT
    rounding = 4.0 * EPSILON * state[GJK_REACH]
    _first_faces(corners, planes, links)
    size = len(links)
    free, least_free = size - 4, size - 4
    for k in range(4, size):
        planes[k, 3] = inf
        links[k, EPA_MARK] = MARK_FREE
        stack[1, k] = k
    for k in range(len(rim)):
        rim[k, 0] = -1
    count = 4
    while True:
        face, least = -1, inf
        # All faces ever used have the lowest numbers.
        for k in range(size - least_free):
            if planes[k, 3] < least:
                face, least = k, planes[k, 3]
        if face < 0:
            return UNMET
        if (
            least < -1e3 * rounding
        ):  # the hull does not hold the origin; the extent across that face still bounds the depth
            row = min(count, len(corners) - 1)
            _probe(core_a, core_b, rot, shift, planes[face, 0], planes[face, 1], planes[face, 2], corners, row, best)
            return UNMET
        best[B_LOWER] = max(best[B_LOWER], min(least, best[B_UPPER]))
        if best[B_UPPER] < inf and best[B_UPPER] - best[B_LOWER] <= max(gap * best[B_UPPER], rounding):
            return MET
        if count == len(corners):
            return UNMET
        x, y, z = planes[face, 0], planes[face, 1], planes[face, 2]
        height = _probe(core_a, core_b, rot, shift, x, y, z, corners, count, best)
        if height - least <= max(gap * height, rounding):
            return MET
        free, lowest = _add_corner(corners, planes, links, stack, rim, face, count, free, rounding)
        if free < 0:
            return UNMET
        least_free = min(least_free, lowest)
        count += 1
