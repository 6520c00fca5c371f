"""First contact of pairs of triangles whose vertices move linearly over one interval, exact.

What a pair goes through, cheapest first: directions along which the two triangles stay apart over the window in which their
boxes come together; the boxes of each feature within the window; the certified filter for one feature. What the filter
cannot decide is listed for exact arithmetic.

Everything but the filter works on positions relative to the first corner of a. Differences of two doubles are rounded
once, so errors are relative to the size of the pair, not to where it lies.

Times are multiples of QUANTUM, rounded down: a time so rounded depends on the motion alone and not on the window that a
method knew, so that every method gives the same log, bit for bit.
"""

from __future__ import annotations

from math import floor, inf

from carom._jit import inline_kernel, inner_kernel, lean_kernel
from carom.deform.features import FEATURES, FIRST_EDGE, PLACES
from carom.narrow.exact.filter import filter_feature
from carom.narrow.exact.verdict import CLEAR, CONTACT

QUANTUM = 2.0**-40
"""Part of the interval; 9e-13. Contacts are reported this much early at most."""

_ROUNDING = 16.0 * 2.0**-53
"""A position in the window: difference (1 unit of 2^-53), two weights and their sum (3 units); projected on a direction: 3
more; two such projections are compared: 14 units."""
_TINY = 1e-300
"""Added to error bounds so that underflow (below 5e-324 an operation) is covered."""

NEXT, UNDECIDED, DIRECTIONS, FILTERED = 0, 1, 2, 3
"""Columns of the progress (4,): next candidate, features listed for exact arithmetic, pairs proved apart by a direction,
features that the filter looked at."""


@inner_kernel
def _place(faces, start, end, a, b, first, last, corners, moved, reach):
    """Corners of both triangles from the first corner of a, at the window's ends: `moved` rows 0 to 5 and 6 to 11."""
    reach[0] = 0.0
    reach[1] = 0.0
    reach[2] = 0.0
    for k in range(3):
        corners[k] = faces[a, k]
        corners[3 + k] = faces[b, k]
    origin = corners[0]
    for d in range(3):
        x0 = start[origin, d]
        x1 = end[origin, d]
        most = 0.0
        for k in range(6):
            u = start[corners[k], d] - x0
            v = end[corners[k], d] - x1
            most = max(most, max(abs(u), abs(v)))
            moved[k, d] = (1.0 - first) * u + first * v
            moved[6 + k, d] = (1.0 - last) * u + last * v
        reach[d] = most


@inline_kernel
def _along(moved, row, x, y, z):
    return moved[row, 0] * x + moved[row, 1] * y + moved[row, 2] * z


@inner_kernel
def _apart_along(moved, reach, x, y, z):
    """Are the triangles strictly apart along (x, y, z) at both ends of the window, on the same side, and so in between?"""
    a0, a1, a2 = _along(moved, 0, x, y, z), _along(moved, 1, x, y, z), _along(moved, 2, x, y, z)
    b0, b1, b2 = _along(moved, 3, x, y, z), _along(moved, 4, x, y, z), _along(moved, 5, x, y, z)
    c0, c1, c2 = _along(moved, 6, x, y, z), _along(moved, 7, x, y, z), _along(moved, 8, x, y, z)
    d0, d1, d2 = _along(moved, 9, x, y, z), _along(moved, 10, x, y, z), _along(moved, 11, x, y, z)
    pad = _ROUNDING * (abs(x) * reach[0] + abs(y) * reach[1] + abs(z) * reach[2]) + _TINY
    ahead = min(min(b0, min(b1, b2)) - max(a0, max(a1, a2)), min(d0, min(d1, d2)) - max(c0, max(c1, c2)))
    behind = min(min(a0, min(a1, a2)) - max(b0, max(b1, b2)), min(c0, min(c1, c2)) - max(d0, max(d1, d2)))
    return ahead > pad or behind > pad


@inline_kernel
def _mean_normal(moved, at):
    """Normal of the triangle at rows at .. at + 2, of the sums of its edges at both ends of the window."""
    ux = moved[at + 1, 0] - moved[at, 0] + moved[at + 7, 0] - moved[at + 6, 0]
    uy = moved[at + 1, 1] - moved[at, 1] + moved[at + 7, 1] - moved[at + 6, 1]
    uz = moved[at + 1, 2] - moved[at, 2] + moved[at + 7, 2] - moved[at + 6, 2]
    vx = moved[at + 2, 0] - moved[at, 0] + moved[at + 8, 0] - moved[at + 6, 0]
    vy = moved[at + 2, 1] - moved[at, 1] + moved[at + 8, 1] - moved[at + 6, 1]
    vz = moved[at + 2, 2] - moved[at, 2] + moved[at + 8, 2] - moved[at + 6, 2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@inner_kernel
def _directions_part(moved, reach):
    """Is there a direction, of the likely ones, along which the triangles stay apart? Both normals, centre to centre, and
    that without its part along the normal of a."""
    x, y, z = _mean_normal(moved, 0)
    if _apart_along(moved, reach, x, y, z):
        return True
    p, q, r = _mean_normal(moved, 3)
    if _apart_along(moved, reach, p, q, r):
        return True
    u = v = w = 0.0
    for k in range(3):
        u += (moved[3 + k, 0] - moved[k, 0]) + (moved[9 + k, 0] - moved[6 + k, 0])
        v += (moved[3 + k, 1] - moved[k, 1]) + (moved[9 + k, 1] - moved[6 + k, 1])
        w += (moved[3 + k, 2] - moved[k, 2]) + (moved[9 + k, 2] - moved[6 + k, 2])
    if _apart_along(moved, reach, u, v, w):
        return True
    square = x * x + y * y + z * z
    if square > 0.0:
        share = (u * x + v * y + w * z) / square
        return _apart_along(moved, reach, u - share * x, v - share * y, w - share * z)
    return False


@inner_kernel
def _feature_boxes_meet(moved, reach, code):
    """Do the boxes of the two parts of a feature meet within the window?"""
    cut = 2 if code >= FIRST_EDGE else 1
    for d in range(3):
        low_a = inf
        high_a = -inf
        low_b = inf
        high_b = -inf
        for k in range(4):
            row = PLACES[code, k]
            x = moved[row, d]
            y = moved[6 + row, d]
            if k < cut:
                low_a = min(low_a, min(x, y))
                high_a = max(high_a, max(x, y))
            else:
                low_b = min(low_b, min(x, y))
                high_b = max(high_b, max(x, y))
        pad = _ROUNDING * reach[d] + _TINY
        if low_a > high_b + pad or low_b > high_a + pad:
            return False
    return True


@inner_kernel
def _is_shared(corners, code):
    """Do the two parts of a feature have a vertex in common? Such parts always touch, which is no contact."""
    cut = 2 if code >= FIRST_EDGE else 1
    for k in range(cut):
        for m in range(cut, 4):
            if corners[PLACES[code, k]] == corners[PLACES[code, m]]:
                return True
    return False


@lean_kernel
def test_pairs(
    faces,
    start,
    end,
    pairs,
    windows,
    n,
    adjacent,
    times,
    codes,
    undecided,
    progress,
    corners,
    moved,
    reach,
    points,
    work,
):
    """First contact of pairs[: n] within their windows into times (multiples of QUANTUM, inf: none) and feature codes.

    adjacent: the pairs share vertices, so that no direction parts them and features with a shared vertex are left out.
    Features for exact arithmetic go to `undecided` (u, 2): row of the pair, code. Returns early, with progress[NEXT] at the
    next pair, when `undecided` might not hold those of one more pair.
    """
    row = progress[NEXT]
    n_undecided = progress[UNDECIDED]
    while row < n and n_undecided + FEATURES <= len(undecided):
        first = windows[row, 0]
        last = windows[row, 1]
        times[row] = inf
        codes[row] = -1
        _place(faces, start, end, pairs[row, 0], pairs[row, 1], first, last, corners, moved, reach)
        if not adjacent and _directions_part(moved, reach):
            progress[DIRECTIONS] += 1
            row += 1
            continue
        best = inf
        for code in range(FEATURES):
            if best <= first:
                break
            if not _feature_boxes_meet(moved, reach, code):
                continue
            if adjacent and _is_shared(corners, code):
                continue
            for k in range(4):
                vertex = corners[PLACES[code, k]]
                for d in range(3):
                    points[k, d] = start[vertex, d]
                    points[4 + k, d] = end[vertex, d]
            progress[FILTERED] += 1
            status = filter_feature(points, code >= FIRST_EDGE, first, min(last, best), work)
            if status == CLEAR:
                continue
            early = floor(work[0] / QUANTUM) * QUANTUM
            if status == CONTACT and floor(work[1] / QUANTUM) * QUANTUM == early:
                if early < best:
                    best = early
                    times[row] = early
                    codes[row] = code
            elif early < best:
                undecided[n_undecided, 0] = row
                undecided[n_undecided, 1] = code
                n_undecided += 1
        row += 1
    progress[NEXT] = row
    progress[UNDECIDED] = n_undecided
