"""The certified filter: first contact of a vertex and a face, or of two edges, in floating point with proved bounds.

Order of proof: boxes of the differences (exact), one strict sign of the coplanarity cubic over the step, then parts of the
window, earliest first, to begin with all of it: one strict sign of the cubic; a root, where the signs at both ends differ;
separating directions; bisection. A contact is proved where the cubic surely changes its sign within a short bracket in which
all orientations of the projected differences have one strict sign; where two have different ones, the bracket is free. What
is left is UNDECIDED: touching, coplanar and degenerate motion above all.
"""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inner_kernel, kernel
from carom.narrow.features.coplanarity import blossom, coefficients_within, coplanarity_cubic, root_of_cubic
from carom.narrow.features.differences import (
    EDGE_CORNERS,
    FACE_CORNERS,
    FILTER_WORK,
    FROM,
    HIGH,
    LOW,
    MIDDLE,
    STURM_STACK,
    TO,
    differences_at_into,
    edge_differences_into,
    face_differences_into,
)
from carom.narrow.features.directions import nearest_separates, separated
from carom.narrow.features.rounding import BOUNDS, DRIFT, REACH, SHORTEST, UNDERFLOW, UNIT
from carom.narrow.features.verdict import CLEAR, CONTACT, UNDECIDED
from carom.tolerances import FEATURE_TIME_GAP

_PARTS = 12
"""Parts of the window looked at before giving up: the exact stage is faster than many more of them. At most one more than
this is on the stack at any time, which STACK_SIZE holds."""
_WIDENINGS = 6
"""Brackets tried around a root, each four times as long as the one before."""

FILTER_INSIDE, FILTER_OUTSIDE, FILTER_UNSURE = 0, 1, 2
"""Where 0 is with respect to the differences."""


@inner_kernel
def _surely(sign, a, b, c, error):
    """Are a, b and c all beyond the error on the side of `sign`?"""
    if sign > 0.0:
        return a > error and b > error and c > error
    return a < -error and b < -error and c < -error


@inner_kernel
def side_of_hull(work, corners, length, reach_x, reach_y, reach_z, bounds):
    """Where is 0, all over a bracket of this length about MIDDLE: FILTER_INSIDE the projected differences, FILTER_OUTSIDE or
    FILTER_UNSURE?

    Inside: all orientations have one strict sign. Then the projected hull is not flat, the plane is a graph over it, and where
    the points are coplanar, the features touch. Outside: two orientations have different strict signs. Round a triangle or a
    parallelogram that 0 lies in, none differ, and all are 0 where it is flat; so the features do not touch, coplanar or not.
    Projection: along the largest normal component. Bound: rounding.py, DRIFT.
    """
    m = MIDDLE
    ux, uy, uz = work[m + 3] - work[m], work[m + 4] - work[m + 1], work[m + 5] - work[m + 2]
    vx, vy, vz = work[m + 6] - work[m], work[m + 7] - work[m + 1], work[m + 8] - work[m + 2]
    nx, ny, nz = abs(uy * vz - uz * vy), abs(uz * vx - ux * vz), abs(ux * vy - uy * vx)
    if nx >= ny and nx >= nz:
        i, j, area = m + 1, m + 2, reach_y * reach_z
    elif ny >= nz:
        i, j, area = m + 2, m, reach_z * reach_x
    else:
        i, j, area = m, m + 1, reach_x * reach_y
    error = bounds[DRIFT] * max(length, SHORTEST) * area + bounds[UNDERFLOW]
    positive = negative = 0
    for k in range(corners):
        # Round the hull: corners 0, 1, 2 of the face, or the ends 00, 01, 11, 10 of the parallelogram.
        here, there = k, k + 1
        if corners == EDGE_CORNERS:
            here, there = here ^ (here >> 1), there ^ (there >> 1)
        if k == corners - 1:
            there = 0
        here, there = 3 * here, 3 * there
        turn = work[i + here] * work[j + there] - work[j + here] * work[i + there]
        positive += turn > error
        negative += turn < -error
    if positive == corners or negative == corners:
        return FILTER_INSIDE
    return FILTER_OUTSIDE if positive > 0 and negative > 0 else FILTER_UNSURE


@inner_kernel
def _bracket(b0, b1, b2, b3, c0, c1, c2, c3, low, high, error):
    """(begin, end) within [low, high]: no root before `begin`, one between the two; (low, high) where no shorter one is found.

    c0 to c3: coefficients over [low, high] of the cubic b0 to b3, of different signs at its ends.
    """
    s = root_of_cubic(c0, c1, c2, c3, error)
    slope = 3.0 * abs((1.0 - s) * (1.0 - s) * (c1 - c0) + 2.0 * s * (1.0 - s) * (c2 - c1) + s * s * (c3 - c2))
    root = low + s * (high - low)
    half = 4.0 * error / max(slope, 1e-3 * abs(c3 - c0)) * (high - low) + 4.0 * UNIT
    for _ in range(_WIDENINGS):
        begin, end = max(low, root - half), min(high, root + half)
        _, d1, d2, d3 = coefficients_within(b0, b1, b2, b3, low, begin)
        value = blossom(b0, b1, b2, b3, end, end, end)
        if _surely(c0, d1, d2, d3, error) and _surely(c3, value, value, value, error):
            return begin, end
        half *= 4.0
    return low, high


@inner_kernel
def _separated_over(low, high, work, corners, reach_x, reach_y, reach_z, bounds):
    """Does one of a few directions separate over [low, high]? The differences at its ends are left at FROM and TO."""
    differences_at_into(work, corners, low, FROM)
    differences_at_into(work, corners, high, TO)
    return separated(work, FROM, TO, corners, reach_x, reach_y, reach_z, bounds)


@inner_kernel
def filter_feature_within(points, edges, lo, hi, work, bounds):
    """As filter_feature, with the table of rounding bounds."""
    if edges:
        corners = EDGE_CORNERS
        reach_x, reach_y, reach_z = edge_differences_into(points, work)
    else:
        corners = FACE_CORNERS
        reach_x, reach_y, reach_z = face_differences_into(points, work)
    if reach_x < 0.0:
        return CLEAR
    work[LOW], work[HIGH] = lo, hi
    if not (reach_x <= bounds[REACH] and reach_y <= bounds[REACH] and reach_z <= bounds[REACH]):
        return UNDECIDED
    b0, b1, b2, b3, error = coplanarity_cubic(points, edges, work, bounds)
    if _surely(b0, b1, b2, b3, error) and abs(b0) > error:
        return CLEAR

    # Everything before the part on top of the stack is proved free. Each turn drops it, cuts off its begin or halves it.
    work[STURM_STACK], work[STURM_STACK + 1] = lo, hi
    top = STURM_STACK
    for part in range(_PARTS):
        if top < STURM_STACK:
            return CLEAR
        low, high = work[top], work[top + 1]
        top -= 2
        c0, c1, c2, c3 = coefficients_within(b0, b1, b2, b3, low, high)
        if _surely(c0, c1, c2, c3, error) and abs(c0) > error:
            continue
        stuck, free = high - low <= FEATURE_TIME_GAP, low
        if abs(c0) > error and abs(c3) > error and (c0 > 0.0) != (c3 > 0.0):
            begin, end = _bracket(b0, b1, b2, b3, c0, c1, c2, c3, low, high, error)
            if end - begin <= FEATURE_TIME_GAP:
                # Free before `begin`, a root between `begin` and `end`.
                differences_at_into(work, corners, 0.5 * (begin + end), MIDDLE)
                side = side_of_hull(work, corners, end - begin, reach_x, reach_y, reach_z, bounds)
                if side == FILTER_INSIDE:
                    work[LOW], work[HIGH] = begin, end
                    return CONTACT
                if side == FILTER_OUTSIDE or _separated_over(
                    begin, end, work, corners, reach_x, reach_y, reach_z, bounds
                ):
                    top += 2
                    work[top], work[top + 1] = end, high
                    continue
                stuck, free = True, begin
        if _separated_over(low, high, work, corners, reach_x, reach_y, reach_z, bounds):
            continue
        if part == 0 and nearest_separates(work, FROM, TO, corners, reach_x, reach_y, reach_z, bounds):
            return CLEAR
        if stuck:
            work[LOW] = free
            return UNDECIDED
        middle = 0.5 * (low + high)
        work[top + 2], work[top + 3] = middle, high
        work[top + 4], work[top + 5] = low, middle
        top += 4
    if top < STURM_STACK:
        return CLEAR
    work[LOW] = work[top]
    return UNDECIDED


@inner_kernel
def filter_feature(points, edges, lo, hi, work):
    """CLEAR, CONTACT or UNDECIDED for one feature pair.

    points (8, 3): four points at the start of the step, four at its end: vertex and corners of the face, or with `edges` ends
    of edge a and of edge b. [lo, hi] within [0, 1] holds all contacts (0, 1 if nothing is known). work: FILTER_WORK float64.
    CONTACT: the first contact lies in [work[0], work[1]], no longer than FEATURE_TIME_GAP. UNDECIDED: none before work[0].
    """
    return filter_feature_within(points, edges, lo, hi, work, BOUNDS)


@kernel
def filter_features_into(start, end, edges, bounds, status, brackets):
    """filter_feature for each row of start and end (n, 4, 3) and edges (n,), with a table of bounds (BOUNDS, save in tests).

    brackets (n, 2): bracket of the first contact; its begin alone counts where UNDECIDED, neither where CLEAR.
    """
    work, points = np.empty(FILTER_WORK), np.empty((8, 3))
    for i in range(start.shape[0]):
        for k in range(4):
            for c in range(3):
                points[k, c], points[k + 4, c] = start[i, k, c], end[i, k, c]
        status[i] = filter_feature_within(points, edges[i], 0.0, 1.0, work, bounds)
        brackets[i, 0], brackets[i, 1] = work[LOW], work[HIGH]
