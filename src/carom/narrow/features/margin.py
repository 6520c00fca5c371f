"""First time at which a vertex and a face, or two edges, reach a given separation: never late, nothing missed.

Conservative advancement with proved bounds. For any direction d, all differences with d . D_k > separation |d| mean a larger
distance; along a fixed d these are linear in t, so each direction clears the step up to a known time. At every time the best
directions are tried: the common normal, and from 0 to the nearest point of each side of the hull of the differences.

Where that gets on slowly, because far ends of a feature swing while it comes near elsewhere, or because rounding has turned
a short direction, the hull is cut in halves, of which each is cleared by itself. The part that has come least far is always
next, so that the time it has reached is one up to which all are clear. It ends where a point of that part is at the separation.
"""

from __future__ import annotations

from math import frexp, inf, ldexp, sqrt

import numpy as np
from numpy.typing import NDArray

from carom._compile.chunks import in_chunks
from carom._compile.jit import compiling, inner_kernel, kernel
from carom.maths.vector import cross
from carom.narrow.features.differences import (
    EDGE_CORNERS,
    FACE_CORNERS,
    FILTER_WORK,
    FROM,
    HIGH,
    LOW,
    STURM_END,
    STURM_START,
    differences_at_into,
)
from carom.narrow.features.rounding import BOUNDS, DIRECTION, UNDERFLOW, UNIT
from carom.tolerances import FEATURE_SEPARATION_SLACK

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_STEPS = 1000
"""Advances, after which the time reached is reported though the features may be farther apart; 3 to 30 are usual."""
_PATIENCE = 8
"""Advances of a part after which it is cut."""
_PARTS = 64
"""Most parts at a time."""
_DEEPEST = 40
"""Most cuts one after the other; each adds a rounding to the differences."""

_TIME, _LEVEL, _PART = np.int64(LOW), np.int64(HIGH), np.int64(FROM)
"""Columns of a part: the time it has reached, how often it was cut, then the differences at both ends as in `work`; their
number."""

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
            work[STURM_START + 3 * k + c] = ldexp(start[head, c], -exponent) - ldexp(start[tail, c], -exponent)
            work[STURM_END + 3 * k + c] = ldexp(end[head, c], -exponent) - ldexp(end[tail, c], -exponent)
    return -exponent


@inner_kernel
def _direction(work, edges, number):
    """Direction `number` for the differences at FROM: 0 their normal, else to the point of side number - 1 nearest to 0."""
    if number == 0:
        ux, uy, uz = work[FROM + 3] - work[FROM], work[FROM + 4] - work[FROM + 1], work[FROM + 5] - work[FROM + 2]
        vx, vy, vz = work[FROM + 6] - work[FROM], work[FROM + 7] - work[FROM + 1], work[FROM + 8] - work[FROM + 2]
        nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
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
def _corners_of_side(edges, side):
    """Places of the differences at both ends of a side of the hull, in order around it."""
    if not edges:
        return FROM + 3 * side, FROM + 3 * ((side + 1) % FACE_CORNERS)
    order = (0, 1, 3, 2)
    return FROM + 3 * order[side], FROM + 3 * order[(side + 1) % EDGE_CORNERS]


@inner_kernel
def _is_over(work, edges, nx, ny, nz):
    """Does 0, seen along the normal, lie in the hull?"""
    before = behind = True
    for side in range(EDGE_CORNERS if edges else FACE_CORNERS):
        a, b = _corners_of_side(edges, side)
        turn = (
            nx * (work[a + 1] * work[b + 2] - work[a + 2] * work[b + 1])
            + ny * (work[a + 2] * work[b] - work[a] * work[b + 2])
            + nz * (work[a] * work[b + 1] - work[a + 1] * work[b])
        )
        before, behind = before and turn >= 0.0, behind and turn <= 0.0
    return before or behind


@inner_kernel
def _clear_from(work, edges, separation, t, slack):
    """(a time up to which all distances are above the separation, inf: the whole step; distance of a point of the hull at t).

    A direction d bounds the excess d . D_k - separation |d| from below: by `now` at t and by `then` at 1, both less what
    rounding does, |d| . slack, and 16 u of separation |d| (its five roundings). The line between them ends at
    now / (now - then) of the rest of the step, which has 5 roundings, and the sum with t 3: 32 u less is not after the true
    end.
    """
    corners = EDGE_CORNERS if edges else FACE_CORNERS
    differences_at_into(work, corners, t, FROM)
    cleared, nearest = t, inf
    for number in range(corners + 1):
        dx, dy, dz = _direction(work, edges, number)
        length = sqrt(dx * dx + dy * dy + dz * dz)
        if number > 0:
            nearest = min(nearest, length)
        if not length > _SHORT:
            continue
        error = abs(dx) * slack[0] + abs(dy) * slack[1] + abs(dz) * slack[2] + BOUNDS[UNDERFLOW]
        limit = separation * length * (1.0 + 16.0 * UNIT) + error
        share, most = inf, 0.0
        for k in range(0, 3 * corners, 3):
            now = dx * work[FROM + k] + dy * work[FROM + k + 1] + dz * work[FROM + k + 2]
            then = dx * work[STURM_END + k] + dy * work[STURM_END + k + 1] + dz * work[STURM_END + k + 2] - limit
            most = max(most, now)
            now -= limit
            if now <= 0.0:
                share = 0.0
            elif then <= 0.0:
                share = min(share, now / (now - then))
        if share == inf:
            return inf, nearest
        cleared = max(cleared, (t + share * (1.0 - t)) * (1.0 - 32.0 * UNIT))
        if number == 0 and _is_over(work, edges, dx, dy, dz):
            nearest = most / length
    return cleared, nearest


@inner_kernel
def _copy(part, other):
    for k in range(_PART):
        other[k] = part[k]


@inner_kernel
def _put_middle(part, i, j, out):
    """Difference `out` of a part, at both ends of the step, in the middle between differences i and j."""
    for end in (STURM_START, STURM_END):
        for c in range(3):
            part[end + 3 * out + c] = 0.5 * (part[end + 3 * i + c] + part[end + 3 * j + c])


@inner_kernel
def _length(work, i, j):
    """Squared distance of differences i and j."""
    square = 0.0
    for c in range(3):
        square += (work[FROM + 3 * i + c] - work[FROM + 3 * j + c]) ** 2
    return square


@inner_kernel
def _cut(work, edges, one, two):
    """Cut part `one`, whose differences are at FROM, along its longest side into `one` and `two`."""
    one[_LEVEL] += 1.0
    _copy(one, two)
    if edges:
        along = 1 if _length(work, 0, 1) >= _length(work, 0, 2) else 2
        for first in (0, 3 - along):
            _put_middle(one, first, first + along, first + along)
            _put_middle(two, first, first + along, first)
        return
    i, j = 0, 1
    if _length(work, 1, 2) > _length(work, i, j):
        i, j = 1, 2
    if _length(work, 2, 0) > _length(work, i, j):
        i, j = 2, 0
    _put_middle(one, i, j, j)
    _put_middle(two, i, j, i)


@inner_kernel
def _nearing_time(work, parts, ages, edges, separation, reach):
    """A time up to which all distances are above the separation, inf for the whole step. reach (3,): see rounding.py."""
    enough = separation * (1.0 + FEATURE_SEPARATION_SLACK) + 16.0 * UNIT * (reach[0] + reach[1] + reach[2])
    work[_TIME] = work[_LEVEL] = 0.0
    _copy(work, parts[0])
    ages[0] = 0
    n = 1
    for _ in range(_STEPS):
        p = 0
        for k in range(1, n):
            if parts[k, _TIME] < parts[p, _TIME]:
                p = k
        _copy(parts[p], work)
        t = parts[p, _TIME]
        rounding = BOUNDS[DIRECTION] + UNIT * parts[p, _LEVEL]
        slack = (rounding * reach[0], rounding * reach[1], rounding * reach[2])
        cleared, nearest = _clear_from(work, edges, separation, t, slack)
        if cleared == inf:
            n -= 1
            if n == 0:
                return inf
            _copy(parts[n], parts[p])
            ages[p] = ages[n]
            continue
        if nearest <= enough:
            return t
        parts[p, _TIME] = cleared
        ages[p] += 1
        if cleared > t and ages[p] < _PATIENCE:
            continue
        if n < _PARTS and parts[p, _LEVEL] < _DEEPEST:
            _cut(work, edges, parts[p], parts[n])
            ages[p] = ages[n] = 0
            n += 1
        elif not cleared > t:
            return t
    reached = inf
    for k in range(n):
        reached = min(reached, parts[k, _TIME])
    return reached


@kernel
def _nearing_times_into(start, end, edges, separation, times):
    work, parts, ages = np.empty(FILTER_WORK), np.empty((_PARTS, _PART)), np.empty(_PARTS, np.int64)
    for i in range(start.shape[0]):
        exponent = _scaled_differences_into(start[i], end[i], edges[i], work)
        apart = ldexp(separation, exponent)
        corners = EDGE_CORNERS if edges[i] else FACE_CORNERS
        reach = (0.0, 0.0, 0.0)
        free = False
        for c in range(3):
            low, high = inf, -inf
            for k in range(0, 3 * corners, 3):
                a, b = work[STURM_START + k + c], work[STURM_END + k + c]
                low, high = min(low, min(a, b)), max(high, max(a, b))
            # One rounding of each difference: 4 u more than enough.
            limit = apart * (1.0 + 4.0 * UNIT) + BOUNDS[UNDERFLOW]
            free = free or low > limit or high < -limit
            reach = (reach[1], reach[2], max(-low, high))
        times[i] = inf if free else _nearing_time(work, parts, ages, edges[i], apart, reach)


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
