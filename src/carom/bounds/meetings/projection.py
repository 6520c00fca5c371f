"""Earliest meeting by projection: for each axis a line sweeps the plane of that axis and time (Hubbard, V.B.1, figure 8).

Each side of a box is a straight segment in that plane. The segments are kept in the order in which the line meets them; where
two that are next to each other cross, the order changes. When an upper side passes a lower one and the boxes overlap on the
other two axes, the boxes begin to overlap there. The sweep ends at the earliest meeting found so far.
"""

from __future__ import annotations

import math

from carom._compile.jit import inner_kernel, lean_kernel
from carom.bounds.meetings.face_and_plane import meeting_after_faces
from carom.bounds.meetings.meeting import box_window, comes_first
from carom.bounds.meetings.sorting import spread_sort
from carom.queues.tournament import tournament_build, tournament_set, tournament_top
from carom.tolerances import CROSSING_SLACK


@inner_kernel
def _read_ends(sides, axis, place, speed):
    """Ends 2i, lower, and 2i + 1, upper, of every horn along an axis at time 0, and their speeds."""
    for i in range(sides.shape[0]):
        for upper in range(2):
            place[2 * i + upper] = sides[i, 4 * axis + 2 * upper]
            speed[2 * i + upper] = sides[i, 4 * axis + 2 * upper + 1]


@inner_kernel
def _crossing(place, speed, left, right, now):
    """Time, not before now, at which end `left` passes end `right`; inf when it never does."""
    closing = speed[left] - speed[right]
    if not closing > 0.0:
        return math.inf
    return max(now, (place[right] - place[left]) / closing)


@inner_kernel
def _near_on_others(sides, i, j, axis, t):
    """Do the boxes of horns i and j overlap on the other two axes at t, but for rounding?"""
    for d in range(3):
        if d != axis:
            for one, other in ((i, j), (j, i)):
                low = sides[one, 4 * d] + t * sides[one, 4 * d + 1]
                high = sides[other, 4 * d + 2] + t * sides[other, 4 * d + 3]
                if low > high + CROSSING_SLACK * (abs(low) + abs(high)):
                    return False
    return True


@inner_kernel
def _solve(sides, planes, cut, i, j, last, half, limits):
    """First time in [0, last] at which horns i and j meet, or inf."""
    first, last = box_window(sides, i, j, last)
    if cut and first < math.inf:
        return meeting_after_faces(sides, planes, i, j, first, last, half, limits)
    return first


@lean_kernel
def by_projection(sides, planes, owners, cut, span, place, speed, order, starts, keys, ties, links, half, limits):
    """Earliest time in [0, span] at which two horns of different owners meet, and the two; (inf, -1, -1) for none.

    place, speed, order (2n,), starts (2n + 1,), a queue of 2n slots without ties, half (14, 5), limits (14, 3): room.
    """
    n_ends = len(order)
    best, best_i, best_j = math.inf, -1, -1
    last = span
    for axis in range(3):
        _read_ends(sides, axis, place, speed)
        spread_sort(order, place, starts)
        if axis == 0:
            # Boxes that overlap from the start have no crossing of faces to come (section VI).
            for a in range(n_ends):
                one = order[a] >> 1
                if order[a] & 1:
                    continue
                for b in range(a + 1, n_ends):
                    if place[order[b]] > place[2 * one + 1]:
                        break
                    i, j = min(one, order[b] >> 1), max(one, order[b] >> 1)
                    if order[b] & 1 or owners[i] == owners[j] or not _near_on_others(sides, i, j, 0, 0.0):
                        continue
                    t = _solve(sides, planes, cut, i, j, last, half, limits)
                    if comes_first(t, i, j, best, best_i, best_j):
                        best, best_i, best_j = t, i, j
                        last = t
        if last == 0.0:
            break
        for a in range(n_ends - 1):
            t = _crossing(place, speed, order[a], order[a + 1], 0.0)
            keys[a] = t if t <= last else math.inf
        keys[n_ends - 1] = math.inf
        tournament_build(keys, ties, links)
        while True:
            a = tournament_top(keys, ties, links)
            if a < 0 or keys[a] > last:
                break
            now = keys[a]
            passing, passed = order[a], order[a + 1]
            order[a], order[a + 1] = passed, passing
            # Two lines cross once: after it the one behind is the slower, so there are at most n_ends^2 crossings.
            tournament_set(keys, ties, links, a, math.inf, 0)
            if a > 0:
                tournament_set(keys, ties, links, a - 1, _crossing(place, speed, order[a - 1], passed, now), 0)
            if a + 2 < n_ends:
                tournament_set(keys, ties, links, a + 1, _crossing(place, speed, passing, order[a + 2], now), 0)
            if passing & 1 and not passed & 1:
                i, j = min(passing >> 1, passed >> 1), max(passing >> 1, passed >> 1)
                if owners[i] != owners[j] and _near_on_others(sides, i, j, axis, now):
                    t = _solve(sides, planes, cut, i, j, last, half, limits)
                    if comes_first(t, i, j, best, best_i, best_j):
                        best, best_i, best_j = t, i, j
                        last = t
    return best, best_i, best_j
