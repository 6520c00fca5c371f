"""First time at which a vertex and a face, or two edges, come as near as a given separation: never late, nothing missed.

Conservative advancement with proved bounds. For any direction d, all differences with d . D_k > separation |d| mean a larger
distance; along a fixed d these are linear in t, so each direction clears the step up to a known time. At every time the best
directions are tried: the common normal, and from 0 to the nearest point of each side of the hull of the differences. One of
them is the direction of the true distance, so where none of them clears anything, the distance is the separation, up to
FEATURE_SEPARATION_SLACK and rounding.
"""

from __future__ import annotations

from math import frexp, inf, ldexp, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._jit import compiling, inner_kernel, kernel
from carom.narrow.chunks import in_chunks
from carom.narrow.exact.differences import (
    EDGE_CORNERS,
    END,
    FACE_CORNERS,
    FILTER_WORK,
    FROM,
    START,
    differences_at_into,
)
from carom.narrow.exact.rounding import BOUNDS, DIRECTION, UNDERFLOW, UNIT
from carom.tolerances import FEATURE_SEPARATION_SLACK

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_STEPS = 1000
"""Advances, after which the time reached is reported though the features may be farther apart; 3 to 30 are usual."""

_SHORT = 2.0**-400
"""Length of a direction, of coordinates below 1, that is not used: the squares of a shorter one could underflow."""


@inner_kernel
def _scaled_differences_into(start, end, edges, work):
    """Differences at both ends, all multiplied by one power of two that brings the coordinates below 1; returns its exponent.

    Only what is 2^-1022 of the largest coordinate loses bits, which UNDERFLOW covers (rounding.py).
    """
    largest = 0.0
    for k in range(4):
        for c in range(3):
            largest = max(largest, max(abs(start[k, c]), abs(end[k, c])))
    _, exponent = frexp(largest)
    for k in range(EDGE_CORNERS if edges else FACE_CORNERS):
        head, tail = (2 + k % 2, k // 2) if edges else (k + 1, 0)
        for c in range(3):
            work[START + 3 * k + c] = ldexp(start[head, c], -exponent) - ldexp(start[tail, c], -exponent)
            work[END + 3 * k + c] = ldexp(end[head, c], -exponent) - ldexp(end[tail, c], -exponent)
    return -exponent


@inner_kernel
def _direction(work, edges, number):
    """Direction `number` for the differences at FROM: 0 their normal, else to the point of side number - 1 nearest to 0."""
    if number == 0:
        ux, uy, uz = work[FROM + 3] - work[FROM], work[FROM + 4] - work[FROM + 1], work[FROM + 5] - work[FROM + 2]
        vx, vy, vz = work[FROM + 6] - work[FROM], work[FROM + 7] - work[FROM + 1], work[FROM + 8] - work[FROM + 2]
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        if nx * work[FROM] + ny * work[FROM + 1] + nz * work[FROM + 2] < 0.0:
            return -nx, -ny, -nz
        return nx, ny, nz
    k = number - 1
    if not edges:
        a, b = k, (k + 1) % FACE_CORNERS
    elif k < 2:
        a, b = 2 * k, 2 * k + 1
    else:
        a, b = k - 2, k
    a, b = FROM + 3 * a, FROM + 3 * b
    x, y, z = work[a], work[a + 1], work[a + 2]
    ux, uy, uz = work[b] - x, work[b + 1] - y, work[b + 2] - z
    length = ux * ux + uy * uy + uz * uz
    s = min(max(-(x * ux + y * uy + z * uz) / length, 0.0), 1.0) if length > 0.0 else 0.0
    return x + s * ux, y + s * uy, z + s * uz


@inner_kernel
def _nearing_time(work, edges, separation, reach_x, reach_y, reach_z):
    """A time up to which all distances are above the separation, inf for the whole step.

    A direction d bounds the excess d . D_k - separation |d| from below: by `now` at t and by `then` at 1, both less the bound
    DIRECTION and 16 u of separation |d| (its five roundings). The line between them ends at now / (now - then) of the rest of
    the step, which has 5 roundings, and the sum with t 3: 32 u less is not after the true end.
    """
    corners = EDGE_CORNERS if edges else FACE_CORNERS
    t = 0.0
    for _ in range(_STEPS):
        differences_at_into(work, corners, t, FROM)
        cleared, near = t, True
        for number in range(corners + 1):
            dx, dy, dz = _direction(work, edges, number)
            length = sqrt(dx * dx + dy * dy + dz * dz)
            if not length > _SHORT:
                continue
            error = BOUNDS[DIRECTION] * (abs(dx) * reach_x + abs(dy) * reach_y + abs(dz) * reach_z) + BOUNDS[UNDERFLOW]
            limit = separation * length * (1.0 + 16.0 * UNIT) + error
            share, least = inf, inf
            for k in range(0, 3 * corners, 3):
                now = dx * work[FROM + k] + dy * work[FROM + k + 1] + dz * work[FROM + k + 2]
                then = dx * work[END + k] + dy * work[END + k + 1] + dz * work[END + k + 2] - limit
                least = min(least, now)
                now -= limit
                if now <= 0.0:
                    share = 0.0
                elif then <= 0.0:
                    share = min(share, now / (now - then))
            if share == inf:
                return inf
            cleared = max(cleared, (t + share * (1.0 - t)) * (1.0 - 32.0 * UNIT))
            near = near and least <= limit + FEATURE_SEPARATION_SLACK * separation * length + 4.0 * error
        if near or not cleared > t:
            return t
        t = cleared
    return t


@kernel
def _nearing_times_into(start, end, edges, separation, times):
    work = np.empty(FILTER_WORK)
    for i in range(start.shape[0]):
        exponent = _scaled_differences_into(start[i], end[i], edges[i], work)
        apart = ldexp(separation, exponent)
        corners = EDGE_CORNERS if edges[i] else FACE_CORNERS
        reach_x = reach_y = reach_z = 0.0
        free = False
        for c in range(3):
            low, high = inf, -inf
            for k in range(0, 3 * corners, 3):
                a, b = work[START + k + c], work[END + k + c]
                low, high = min(low, min(a, b)), max(high, max(a, b))
            # One rounding of each difference: 4 u more than enough.
            limit = apart * (1.0 + 4.0 * UNIT) + BOUNDS[UNDERFLOW]
            free = free or low > limit or high < -limit
            reach_x, reach_y, reach_z = reach_y, reach_z, max(-low, high)
        times[i] = inf if free else _nearing_time(work, edges[i], apart, reach_x, reach_y, reach_z)


def feature_margin_times(
    start: Floats, end: Floats, edges: Bools, separation: float, threads: int | None
) -> Floats:  # fmt: skip
    """First times (n,) in [0, 1], inf = never, at which features are at most `separation` (above 0) metres apart.

    start, end (n, 4, 3), edges (n,) as feature_times. Never late, nothing missed; a reported pair may be farther apart by
    FEATURE_SEPARATION_SLACK of the separation and by 1e-13 of its largest coordinate difference.
    """
    times = np.empty(len(start))
    with compiling("nearing vertices, edges and faces"):
        in_chunks(
            lambda cut: _nearing_times_into(start[cut], end[cut], edges[cut], separation, times[cut]),
            len(start),
            threads,
        )
    return times
