"""Kinetic sorted lists (paper KSP, 4.1-4.3): the ends of moving intervals stay sorted because every exchange is an event.

`poly` float64 (k, 2 capacity, 4) holds, at the end's place in the list, its polynomial c0, c1, c2 and epoch. The swap
queue has one slot per adjacency: slot d*stride + p is the exchange of places p and p+1 on axis d.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.kinetic import bound_end
from carom.engine.sweep.sorted_lists import exchange
from carom.maths.quadratic import enter_quadratic
from carom.queues.in_kernels import queue_set, queue_set_three
from carom.tables.arrays import DoubleBlocks, Doubles, Ints, Longs


class Swaps(NamedTuple):
    """Positions of the ends, and the queue of their exchanges."""

    poly: DoubleBlocks
    keys: Doubles
    links: Ints
    none: Longs
    """int64 (0,): ties are broken by slot"""


@inline_kernel
def end_value(ends, p, t):
    """Position at time t of the end at place p; `ends` is one axis of Swaps.poly."""
    s = t - ends[p, 3]
    return ends[p, 0] + s * (ends[p, 1] + s * ends[p, 2])


@inline_kernel
def crossing_time(ends, p, now):
    """When the end at place p passes its right neighbour (equations 4 and 5), not before now; inf when it never does.

    Both are compared at the later of their epochs, so no large time enters. Ends already out of order by rounding and
    still moving on pass now.
    """
    t0 = max(ends[p, 3], ends[p + 1, 3])
    s = t0 - ends[p, 3]
    r = t0 - ends[p + 1, 3]
    a2 = ends[p, 2]
    b2 = ends[p + 1, 2]
    if a2 == 0.0 and b2 == 0.0:
        closing = ends[p, 1] - ends[p + 1, 1]
        gap = (ends[p + 1, 0] + ends[p + 1, 1] * r) - (ends[p, 0] + ends[p, 1] * s)
        # Half of all neighbours part: dividing inf by 1 for them is cheaper than a branch nobody can foresee.
        t = t0 + (gap if closing > 0.0 else math.inf) / (closing if closing > 0.0 else 1.0)
    else:
        gap = (ends[p + 1, 0] + r * (ends[p + 1, 1] + r * b2)) - (ends[p, 0] + s * (ends[p, 1] + s * a2))
        if gap == math.inf:
            return math.inf
        rate = (ends[p + 1, 1] + 2.0 * r * b2) - (ends[p, 1] + 2.0 * s * a2)
        t = t0 + enter_quadratic(gap, rate, b2 - a2, now - t0)
    return t if t > now else now


@inline_kernel
def _reschedule(swaps, d, p, now):
    slot = d * swaps.poly.shape[1] + p
    queue_set(swaps.keys, swaps.none, swaps.links, slot, crossing_time(swaps.poly[d], p, now), 0)


@inline_kernel
def exchange_ends(lists, swaps, d, p, n_ends, now):
    """Exchange places p and p+1 of axis d and reschedule the three adjacencies concerned (figure 4)."""
    ends = swaps.poly[d]
    for c in range(4):
        value = ends[p, c]
        ends[p, c] = ends[p + 1, c]
        ends[p + 1, c] = value
    i, j, effect = exchange(lists, d, p)
    if 0 < p < n_ends - 2:
        before = crossing_time(ends, p - 1, now)
        again = crossing_time(ends, p, now)
        after = crossing_time(ends, p + 1, now)
        slot = d * swaps.poly.shape[1] + p
        queue_set_three(swaps.keys, swaps.none, swaps.links, slot, before, again, after)
        return i, j, effect
    _reschedule(swaps, d, p, now)
    if p > 0:
        _reschedule(swaps, d, p - 1, now)
    if p + 2 < n_ends:
        _reschedule(swaps, d, p + 1, now)
    return i, j, effect


@inner_kernel
def renew_ends(bodies, lists, swaps, row, n_ends, now):
    """The motion of `row` is new but continuous: only the events of its own ends change (4.3, figure 5)."""
    for d in range(lists.rank.shape[1] // 2):
        low = lists.rank[row, 2 * d]
        high = lists.rank[row, 2 * d + 1]
        ends = swaps.poly[d]
        ends[low, 0], ends[low, 1], ends[low, 2], ends[low, 3] = bound_end(bodies, row, d, 0)
        ends[high, 0], ends[high, 1], ends[high, 2], ends[high, 3] = bound_end(bodies, row, d, 1)
        if low > 0:
            _reschedule(swaps, d, low - 1, now)
        _reschedule(swaps, d, low, now)
        if high - 1 != low:
            _reschedule(swaps, d, high - 1, now)
        if high + 1 < n_ends:
            _reschedule(swaps, d, high, now)


@inner_kernel
def misplaced(lists, swaps, row, n_ends, now):
    """(axis, place) of an exchange that brings an end of `row` closer to its right place at `now`, or (-1, -1).

    After a discontinuous change of position the body's ends bubble to their places by such exchanges.
    """
    for d in range(lists.rank.shape[1] // 2):
        ends = swaps.poly[d]
        for side in range(2):
            p = lists.rank[row, 2 * d + side]
            value = end_value(ends, p, now)
            if p > 0 and lists.end_id[d, p - 1] >> 1 != row and end_value(ends, p - 1, now) > value:
                return d, p - 1
            if p + 1 < n_ends and lists.end_id[d, p + 1] >> 1 != row and end_value(ends, p + 1, now) < value:
                return d, p
    return -1, -1


@lean_kernel
def write_ends(bodies, lists, poly, n_ends):
    """Write the polynomials of all ends at their places."""
    for d in range(lists.end_id.shape[0]):
        for p in range(n_ends):
            code = lists.end_id[d, p]
            ends = poly[d]
            ends[p, 0], ends[p, 1], ends[p, 2], ends[p, 3] = bound_end(bodies, code >> 1, d, code & 1)


@lean_kernel
def write_crossings(swaps, n_ends, now):
    """Write all swap times straight into the queue's leaves; the caller builds the queue afterwards."""
    n_axes, stride = swaps.poly.shape[0], swaps.poly.shape[1]
    for d in range(n_axes):
        for p in range(stride):
            swaps.keys[d * stride + p] = crossing_time(swaps.poly[d], p, now) if p + 1 < n_ends else math.inf


@lean_kernel
def worst_disorder(swaps, n_ends, now):
    """Largest distance by which two neighbours are out of order at `now`, in metres."""
    worst = 0.0
    for d in range(swaps.poly.shape[0]):
        for p in range(n_ends - 1):
            left = end_value(swaps.poly[d], p, now)
            right = end_value(swaps.poly[d], p + 1, now)
            if left > right:
                worst = max(worst, left - right)
    return worst
