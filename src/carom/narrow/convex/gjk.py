"""Distance of two convex cores by the algorithm of Gilbert, Johnson and Keerthi on A - B (Larsen, GJK).

A - B is the set of all a - b; its point v nearest to the origin is the shortest way from B to A. The walk keeps a simplex
of up to four points of A - B, made on demand by `support`, and the point v of the simplex nearest to the origin.
|v| is an upper bound of the distance, and the extent of A - B along v a lower one, both to rounding: that pair is the
certificate. The walk ends when they meet, or when rounding lets v come no nearer for some steps: until then v comes
nearer and nearer, so that no simplex is seen twice.
"""

from __future__ import annotations

from math import inf, sqrt

from carom._compile.jit import inner_kernel
from carom.narrow.convex.support import support_from
from carom.tolerances import EPSILON, GJK_GAP, GJK_IDLE_STEPS, GJK_ROUNDING, GJK_STEPS

# A row of the simplex: a - b 3, a 3, b 3 (all in the frame of a), b in its own frame 3, rows 2 of a and b in their cores.
ROW = 14
R_A = 3
R_B = 6
R_OWN = 9
R_ID = 12

# The state of a walk, float64 (GJK_STATE,): four rows, then
WEIGHT = 4 * ROW
"""Weights 4 of the rows in v, above 0, with sum 1."""
GJK_COUNT = WEIGHT + 4
"""Rows in use, 0 to 4; 4 only where the simplex is around the origin."""
GJK_NEAREST = GJK_COUNT + 1
"""v 3: from the nearest point of B to that of A."""
GJK_UPPER = GJK_NEAREST + 3
GJK_LOWER = GJK_UPPER + 1
"""Bounds of the distance of the cores; GJK_LOWER may be negative."""
GJK_N_STEPS = GJK_LOWER + 1
"""Support points asked for."""
GJK_REACH = GJK_N_STEPS + 1
"""Largest sum of absolute coordinates of a pair of support points: the scale of rounding."""
CERTIFICATE = GJK_REACH + 1
"""Unit direction 3, from B towards A, along which the cores are GJK_LOWER apart."""
GJK_STATE = CERTIFICATE + 3

# How a walk ended
SEPARATE = 0
"""GJK_UPPER is the distance: bounds met to GJK_GAP or rounding."""
GJK_OVERLAP = 1
"""The simplex is around the origin, or nearer to it than rounding can tell."""
ENOUGH = 2
"""GJK_LOWER is above `far`, or GJK_UPPER at most `near`: the caller wanted no more."""
GJK_OPEN = 3
"""GJK_UPPER and GJK_LOWER hold but did not meet: rounding or the limit of steps ended the walk."""


@inner_kernel
def _place(rot, shift, state, row):
    """Put the row's point of b where the pose puts it, and a - b; the sum of absolute coordinates of both points."""
    p, q, r = state[row + R_OWN], state[row + R_OWN + 1], state[row + R_OWN + 2]
    x, y, z = state[row + R_A], state[row + R_A + 1], state[row + R_A + 2]
    bx = rot[0] * p + rot[1] * q + rot[2] * r + shift[0]
    by = rot[3] * p + rot[4] * q + rot[5] * r + shift[1]
    bz = rot[6] * p + rot[7] * q + rot[8] * r + shift[2]
    state[row], state[row + 1], state[row + 2] = x - bx, y - by, z - bz
    state[row + R_B], state[row + R_B + 1], state[row + R_B + 2] = bx, by, bz
    return abs(x) + abs(y) + abs(z) + abs(bx) + abs(by) + abs(bz)


@inner_kernel
def difference_support(core_a, core_b, rot, shift, dx, dy, dz, state, row):
    """Write the point of A - B farthest along (dx, dy, dz) at state[row : row + ROW]; climbs from the rows found there."""
    x, y, z, i = support_from(core_a, dx, dy, dz, int(state[row + R_ID]))
    ex = -(rot[0] * dx + rot[3] * dy + rot[6] * dz)
    ey = -(rot[1] * dx + rot[4] * dy + rot[7] * dz)
    ez = -(rot[2] * dx + rot[5] * dy + rot[8] * dz)
    p, q, r, j = support_from(core_b, ex, ey, ez, int(state[row + R_ID + 1]))
    state[row + R_A], state[row + R_A + 1], state[row + R_A + 2] = x, y, z
    state[row + R_OWN], state[row + R_OWN + 1], state[row + R_OWN + 2] = p, q, r
    state[row + R_ID], state[row + R_ID + 1] = i, j
    return _place(rot, shift, state, row)


@inner_kernel
def _plane(state, i, j, k):
    """Two vectors e, h square to each other that span the plane of rows i, j, k, and how they do.

    Returns (first, second, e 3, e.e, h 3, h.h, share): e leads from the first to the second row along the longest edge,
    and the third row is first + share * e + h. Starting from the shortest edge, and taking out twice what lies along
    e, keeps the plane of a needle true to rounding.
    """
    p, q, r = ROW * i, ROW * j, ROW * k
    pq = (state[q] - state[p]) ** 2 + (state[q + 1] - state[p + 1]) ** 2 + (state[q + 2] - state[p + 2]) ** 2
    qr = (state[r] - state[q]) ** 2 + (state[r + 1] - state[q + 1]) ** 2 + (state[r + 2] - state[q + 2]) ** 2
    rp = (state[p] - state[r]) ** 2 + (state[p + 1] - state[r + 1]) ** 2 + (state[p + 2] - state[r + 2]) ** 2
    # The first row is opposite the edge of middle length.
    if (pq <= qr) == (qr <= rp):
        first, second, third = (i, k, j) if pq <= rp else (i, j, k)
    elif (qr <= rp) == (rp <= pq):
        first, second, third = (j, i, k) if qr <= pq else (j, k, i)
    else:
        first, second, third = (k, j, i) if rp <= qr else (k, i, j)
    p, q, r = ROW * first, ROW * second, ROW * third
    ex, ey, ez = state[q] - state[p], state[q + 1] - state[p + 1], state[q + 2] - state[p + 2]
    hx, hy, hz = state[r] - state[p], state[r + 1] - state[p + 1], state[r + 2] - state[p + 2]
    ee = ex * ex + ey * ey + ez * ez
    share = (hx * ex + hy * ey + hz * ez) / ee
    hx, hy, hz = hx - share * ex, hy - share * ey, hz - share * ez
    rest = (hx * ex + hy * ey + hz * ez) / ee
    hx, hy, hz = hx - rest * ex, hy - rest * ey, hz - rest * ez
    return first, second, ex, ey, ez, ee, hx, hy, hz, hx * hx + hy * hy + hz * hz, share + rest


@inner_kernel
def _square_part(x, y, z, ex, ey, ez, ee, hx, hy, hz, hh):
    """What of (x, y, z) is square to e and h, taken out twice against rounding."""
    for _ in range(2):
        s, t = (x * ex + y * ey + z * ez) / ee, (x * hx + y * hy + z * hz) / hh
        x, y, z = x - s * ex - t * hx, y - s * ey - t * hy, z - s * ez - t * hz
    return x, y, z


@inner_kernel
def _same_side(state, i, j, m, k, doubt):
    """Is the origin surely on the same side of the plane through rows i, j, m as row k?"""
    first, _, ex, ey, ez, ee, hx, hy, hz, hh, _ = _plane(state, i, j, m)
    if not hh > 0.0:
        return False
    p, r = ROW * first, ROW * k
    x, y, z = _square_part(-state[p], -state[p + 1], -state[p + 2], ex, ey, ez, ee, hx, hy, hz, hh)
    cx, cy, cz = state[r] - state[p], state[r + 1] - state[p + 1], state[r + 2] - state[p + 2]
    cx, cy, cz = _square_part(cx, cy, cz, ex, ey, ez, ee, hx, hy, hz, hh)
    far = x * x + y * y + z * z > doubt * doubt and cx * cx + cy * cy + cz * cz > doubt * doubt
    return far and x * cx + y * cy + z * cz > 0.0


@inner_kernel
def _put(state, n, i, j, k, wi, wj, wk, x, y, z):
    """Keep n rows i, j, k (ascending) with their weights, and v."""
    for c in range(ROW):
        state[c] = state[ROW * i + c]
        if n > 1:
            state[ROW + c] = state[ROW * j + c]
        if n > 2:
            state[2 * ROW + c] = state[ROW * k + c]
    state[WEIGHT], state[WEIGHT + 1], state[WEIGHT + 2] = wi, wj, wk
    state[GJK_COUNT] = n
    state[GJK_NEAREST], state[GJK_NEAREST + 1], state[GJK_NEAREST + 2] = x, y, z


@inner_kernel
def _approach(state, n, least):
    """Move v to the point nearest to the origin of the simplex whose row n - 1 is new; True if that is nearer.

    `least`: |v|^2 so far. Only vertex, edges and triangles with the new row can hold a nearer point. Each candidate is a
    mean of rows with weights above 0, so that its length is an upper bound.
    """
    last = n - 1
    w = ROW * last
    wx, wy, wz = state[w], state[w + 1], state[w + 2]
    best_n, best_i, best_j = 0, last, last
    best_wi, best_wj = 1.0, 0.0
    bx, by, bz = wx, wy, wz
    square = wx * wx + wy * wy + wz * wz
    if square < least:
        least, best_n = square, 1
    for i in range(last):
        p = ROW * i
        ux, uy, uz = state[p] - wx, state[p + 1] - wy, state[p + 2] - wz
        uu = ux * ux + uy * uy + uz * uz
        along = -(wx * ux + wy * uy + wz * uz)
        if along > 0.0 and along < uu:
            s = along / uu
            x, y, z = wx + s * ux, wy + s * uy, wz + s * uz
            # Once more: what rounding left of v along the edge.
            rest = (x * ux + y * uy + z * uz) / uu
            x, y, z = x - rest * ux, y - rest * uy, z - rest * uz
            square = x * x + y * y + z * z
            if square < least:
                least, best_n, best_i, best_wi = square, 2, i, s
                bx, by, bz = x, y, z
        for j in range(i + 1, last):
            first, second, ex, ey, ez, ee, hx, hy, hz, hh, share = _plane(state, i, j, last)
            if not hh > 0.0:
                continue
            p = ROW * first
            x, y, z = state[p], state[p + 1], state[p + 2]
            by_third = -(x * hx + y * hy + z * hz) / hh
            by_second = -(x * ex + y * ey + z * ez) / ee - share * by_third
            by_first = 1.0 - by_second - by_third
            if by_first > 0.0 and by_second > 0.0 and by_third > 0.0:
                x, y, z = _square_part(x, y, z, ex, ey, ez, ee, hx, hy, hz, hh)
                square = x * x + y * y + z * z
                if square < least:
                    least, best_n, best_i, best_j = square, 3, i, j
                    best_wi = by_first if first == i else (by_second if second == i else by_third)
                    best_wj = by_first if first == j else (by_second if second == j else by_third)
                    bx, by, bz = x, y, z
    if best_n == 1:
        _put(state, 1, last, last, last, 1.0, 0.0, 0.0, bx, by, bz)
    elif best_n == 2:
        _put(state, 2, best_i, last, last, best_wi, 1.0 - best_wi, 0.0, bx, by, bz)
    elif best_n == 3:
        _put(state, 3, best_i, best_j, last, best_wi, best_wj, 1.0 - best_wi - best_wj, bx, by, bz)
    return best_n > 0


@inner_kernel
def _around_origin(state, doubt):
    """Is the origin surely inside the tetrahedron of the four rows? Then sets its weights."""
    if not (
        _same_side(state, 0, 1, 3, 2, doubt)
        and _same_side(state, 1, 2, 3, 0, doubt)
        and _same_side(state, 0, 2, 3, 1, doubt)
        and _same_side(state, 0, 1, 2, 3, doubt)
    ):
        return False
    total = 0.0
    for i in range(4):
        # The weight of a row goes with the volume between the origin and the other three.
        p, q, r = ROW * ((i + 1) % 4), ROW * ((i + 2) % 4), ROW * ((i + 3) % 4)
        x = state[p + 1] * state[q + 2] - state[p + 2] * state[q + 1]
        y = state[p + 2] * state[q] - state[p] * state[q + 2]
        z = state[p] * state[q + 1] - state[p + 1] * state[q]
        volume = abs(state[r] * x + state[r + 1] * y + state[r + 2] * z)
        state[WEIGHT + i] = volume
        total += volume
    for i in range(4):
        state[WEIGHT + i] /= total
    state[GJK_COUNT] = 4.0
    return True


@inner_kernel
def _restart(rot, shift, state):
    """Place the rows of the last walk anew and find v among them; returns the scale of rounding. GJK_COUNT 4: overlap."""
    held = int(state[GJK_COUNT])
    reach = 0.0
    for i in range(held):
        reach = max(reach, _place(rot, shift, state, ROW * i))
    if held == 4 and _around_origin(state, GJK_ROUNDING * reach):
        return reach
    state[GJK_COUNT] = 0.0
    least = inf
    for i in range(held):
        n = int(state[GJK_COUNT])
        for c in range(ROW):
            state[ROW * n + c] = state[ROW * i + c]
        if _approach(state, n + 1, least):
            least = state[GJK_NEAREST] ** 2 + state[GJK_NEAREST + 1] ** 2 + state[GJK_NEAREST + 2] ** 2
    return reach


@inner_kernel
def gjk(core_a, core_b, rot, shift, state, warm, near, far):
    """Walk to the distance of two cores, b placed at x_a = rot x_b + shift; returns how it ended, writes `state`.

    rot (9,) row-major, shift (3,), state (GJK_STATE,). warm: start from the simplex of the last walk with this state,
    which was about the same two cores in any pose. The walk may end early: as soon as the distance is surely above
    `far`, or surely at most `near`; for the distance itself pass near = -1 and far = inf.
    """
    upper, lower, reach, n, steps = inf, -inf, 0.0, 0, 0
    x, y, z = -shift[0], -shift[1], -shift[2]
    if warm and state[GJK_COUNT] > 0.0:
        reach = _restart(rot, shift, state)
        n = int(state[GJK_COUNT])
        if n < 4:
            x, y, z = state[GJK_NEAREST], state[GJK_NEAREST + 1], state[GJK_NEAREST + 2]
        upper = sqrt(x * x + y * y + z * z) if n < 4 else 0.0
    else:
        state[GJK_COUNT] = 0.0
        state[R_ID] = state[R_ID + 1] = -1.0
        if not abs(x) + abs(y) + abs(z) > 0.0:
            x = 1.0
    ending, idle = GJK_OPEN, 0
    while steps < GJK_STEPS:
        doubt = GJK_ROUNDING * reach
        if upper <= doubt:
            ending = GJK_OVERLAP
            break
        if upper <= near:
            ending = ENOUGH
            break
        row = ROW * n
        if n > 0:
            state[row + R_ID], state[row + R_ID + 1] = state[row - ROW + R_ID], state[row - ROW + R_ID + 1]
        reach = max(reach, difference_support(core_a, core_b, rot, shift, -x, -y, -z, state, row))
        steps += 1
        length = sqrt(x * x + y * y + z * z)
        apart = (x * state[row] + y * state[row + 1] + z * state[row + 2]) / length
        if apart > lower:
            lower = apart
            state[CERTIFICATE], state[CERTIFICATE + 1], state[CERTIFICATE + 2] = x / length, y / length, z / length
        doubt = GJK_ROUNDING * reach
        if lower > far + doubt:
            ending = ENOUGH
            break
        if n > 0 and upper - lower <= max(GJK_GAP * upper, doubt):
            ending = SEPARATE
            break
        if n == 3 and lower <= doubt and _around_origin(state, doubt):
            upper = 0.0
            ending = GJK_OVERLAP
            break
        # A step that rounding makes no nearer may still turn v the right way; only some in a row are allowed.
        if not _approach(state, n + 1, inf if n == 0 else upper * upper * (1.0 + 8.0 * EPSILON)):
            break
        n = int(state[GJK_COUNT])
        x, y, z = state[GJK_NEAREST], state[GJK_NEAREST + 1], state[GJK_NEAREST + 2]
        length = sqrt(x * x + y * y + z * z)
        idle = idle + 1 if length >= upper else 0
        upper = length
        if idle > GJK_IDLE_STEPS:
            break
    state[GJK_UPPER], state[GJK_LOWER], state[GJK_N_STEPS], state[GJK_REACH] = upper, lower, steps, reach
    return ending


@inner_kernel
def witness_points(state, out, place):
    """Write the nearest points of a and of b, 3 + 3 in the frame of a, at out[place : place + 6]."""
    for d in range(6):
        total = 0.0
        for i in range(int(state[GJK_COUNT])):
            total += state[WEIGHT + i] * state[ROW * i + R_A + d]
        out[place + d] = total
