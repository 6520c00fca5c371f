"""Kinetic sorted lists (paper KSP, 4.1-4.3): the ends of moving intervals stay sorted because every exchange is an event.

`poly` float64 (a, 2 capacity, 4) holds, at the end's place in the list, its polynomial c0, c1, c2 and epoch. The swap
queue has one slot per adjacency: slot d*stride + p is the exchange of places p and p + 1 on axis d.

Each list holds only its users. A body's projection on an axis nearly at right angles to its velocity barely moves, so few of
its ends ever meet others. When its velocity changes, its ends leave some lists and enter others, and only what stands behind
them in these lists moves up.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.bounds.velocity_aligned import axis_end
from carom.engine.addresses import OWN, unpacker
from carom.engine.sweep.axis_lists import N_SHARED, AxisLists, crossing_effect, has_axis
from carom.maths.quadratic import enter_quadratic
from carom.queues.in_kernels import queue_set, queue_set_three
from carom.queues.order import LINK_METHOD
from carom.queues.tournament import TOURNAMENT, tournament_refresh
from carom.tables.arrays import DoubleBlocks, Doubles, Ints, Longs


class Swaps(NamedTuple):
    """Positions of the ends, and the queue of their exchanges."""

    poly: DoubleBlocks
    keys: Doubles
    links: Ints
    none: Longs
    """int64 (0,): ties are broken by slot"""


swaps_at = unpacker(Swaps, OWN + len(AxisLists._fields))


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
def _reschedule(lists, swaps, d, p, now):
    """Set the event of the ends at places p and p + 1 of list d, where both exist."""
    if 0 <= p < lists.used[d] - 1:
        slot = d * swaps.poly.shape[1] + p
        queue_set(swaps.keys, swaps.none, swaps.links, slot, crossing_time(swaps.poly[d], p, now), 0)


@inline_kernel
def exchange_neighbours(lists, swaps, d, p, now):
    """Exchange places p and p + 1 of list d: (code that was left, code that was right, NOTHING, BEGIN or END)."""
    ends = swaps.poly[d]
    for c in range(4):
        kept = ends[p, c]
        ends[p, c] = ends[p + 1, c]
        ends[p + 1, c] = kept
    left = lists.end_id[d, p]
    right = lists.end_id[d, p + 1]
    effect = crossing_effect(lists, d, left, right)
    lists.end_id[d, p] = right
    lists.end_id[d, p + 1] = left
    lists.place[d, left] = p + 1
    lists.place[d, right] = p
    if 0 < p < lists.used[d] - 2:
        before = crossing_time(ends, p - 1, now)
        again = crossing_time(ends, p, now)
        after = crossing_time(ends, p + 1, now)
        queue_set_three(swaps.keys, swaps.none, swaps.links, d * swaps.poly.shape[1] + p, before, again, after)
    else:
        for q in range(p - 1, p + 2):
            _reschedule(lists, swaps, d, q, now)
    return left, right, effect


@inner_kernel
def _write_end(bodies, lists, swaps, row, d, side, p):
    c0, c1, c2, epoch = axis_end(bodies, lists.axes, lists.control[N_SHARED], row, d, side)
    ends = swaps.poly[d]
    ends[p, 0], ends[p, 1], ends[p, 2], ends[p, 3] = c0, c1, c2, epoch
    lists.end_id[d, p] = 2 * row + side
    lists.place[d, 2 * row + side] = p


@inner_kernel
def renew_in_list(bodies, lists, swaps, row, d, now):
    """The motion of `row` is new but continuous: only the events of its own two ends in list d change."""
    for side in range(2):
        _write_end(bodies, lists, swaps, row, d, side, lists.place[d, 2 * row + side])
    low = lists.place[d, 2 * row]
    high = lists.place[d, 2 * row + 1]
    _reschedule(lists, swaps, d, low - 1, now)
    _reschedule(lists, swaps, d, low, now)
    _reschedule(lists, swaps, d, high - 1, now)
    _reschedule(lists, swaps, d, high, now)


@inline_kernel
def _move(lists, swaps, d, p, to):
    """Move the end at place p of list d to place `to`."""
    ends = swaps.poly[d]
    for c in range(4):
        ends[to, c] = ends[p, c]
    code = lists.end_id[d, p]
    lists.end_id[d, to] = code
    lists.place[d, code] = to


@inner_kernel
def _set_events(lists, swaps, d, first, last, now):
    """Set the events of places `first` to before `last` of list d anew; of those past its end none."""
    stride = swaps.poly.shape[1]
    tree = swaps.links[LINK_METHOD] == TOURNAMENT
    for p in range(first, last):
        t = crossing_time(swaps.poly[d], p, now) if p < lists.used[d] - 1 else math.inf
        if tree:
            swaps.keys[d * stride + p] = t
        else:
            queue_set(swaps.keys, swaps.none, swaps.links, d * stride + p, t, 0)
    if tree and first < last:
        for slot in range((d * stride + first) & -8, d * stride + last, 8):
            tournament_refresh(swaps.keys, swaps.none, swaps.links, slot)


@inner_kernel
def leave_list(lists, swaps, row, d, now):
    """Take both ends of `row` out of list d."""
    low = lists.place[d, 2 * row]
    high = lists.place[d, 2 * row + 1]
    n = lists.used[d]
    for p in range(low + 1, high):
        _move(lists, swaps, d, p, p - 1)
    for p in range(high + 1, n):
        _move(lists, swaps, d, p, p - 2)
    lists.used[d] = n - 2
    _set_events(lists, swaps, d, max(0, low - 1), n, now)


@inner_kernel
def _place_for(lists, swaps, d, first, value, now):
    """First place from `first` on of list d whose end is beyond `value`."""
    low, high = first, lists.used[d]
    while low < high:
        middle = (low + high) // 2
        if end_value(swaps.poly[d], middle, now) > value:
            high = middle
        else:
            low = middle + 1
    return low


@inner_kernel
def enter_list(bodies, lists, swaps, row, d, now):
    """Put both ends of `row` into list d, at their places now."""
    n_shared = lists.control[N_SHARED]
    c0, c1, c2, epoch = axis_end(bodies, lists.axes, n_shared, row, d, 0)
    s = now - epoch
    low = _place_for(lists, swaps, d, 0, c0 + s * (c1 + s * c2), now)
    c0, c1, c2, epoch = axis_end(bodies, lists.axes, n_shared, row, d, 1)
    s = now - epoch
    high = _place_for(lists, swaps, d, low, c0 + s * (c1 + s * c2), now)
    n = lists.used[d]
    for p in range(n - 1, high - 1, -1):
        _move(lists, swaps, d, p, p + 2)
    for p in range(high - 1, low - 1, -1):
        _move(lists, swaps, d, p, p + 1)
    lists.used[d] = n + 2
    _write_end(bodies, lists, swaps, row, d, 0, low)
    _write_end(bodies, lists, swaps, row, d, 1, high + 1)
    _set_events(lists, swaps, d, max(0, low - 1), n + 2, now)


@inner_kernel
def _shift_end(lists, swaps, row, d, side, now):
    """Move an end of `row` in list d past those on whose wrong side it is; returns whether there were any."""
    ends, n = swaps.poly[d], lists.used[d]
    p = np.int64(lists.place[d, 2 * row + side])
    c0, c1, c2, epoch = ends[p, 0], ends[p, 1], ends[p, 2], ends[p, 3]
    value = end_value(ends, p, now)
    at = p
    while at > 0 and end_value(ends, at - 1, now) > value:
        _move(lists, swaps, d, at - 1, at)
        at -= 1
    while at + 1 < n and end_value(ends, at + 1, now) < value:
        _move(lists, swaps, d, at + 1, at)
        at += 1
    if at == p:
        return False
    ends[at, 0], ends[at, 1], ends[at, 2], ends[at, 3] = c0, c1, c2, epoch
    lists.end_id[d, at] = 2 * row + side
    lists.place[d, 2 * row + side] = at
    _set_events(lists, swaps, d, max(0, min(p, at) - 1), min(max(p, at) + 1, n), now)
    return True


@inner_kernel
def _jump_in_list(lists, swaps, row, d, now):
    """Bring both ends of `row`, which have been renewed, to their places in list d; returns whether they left them."""
    # The upper end first, so that the lower one finds room when both move up.
    high = _shift_end(lists, swaps, row, d, 1, now)
    low = _shift_end(lists, swaps, row, d, 0, now)
    again = _shift_end(lists, swaps, row, d, 1, now)
    return high or low or again


@inner_kernel
def follow_choice(bodies, lists, swaps, row, jumps, now):
    """Bring `row`, whose motion is new, into exactly the lists that it has chosen; jumps: it may be somewhere else.

    Returns whether it is new or its ends have left or entered a list, so that it may be close to others now.
    """
    moved = lists.inside[row] == 0
    for d in range(lists.end_id.shape[0]):
        used = has_axis(lists.uses, row, d)
        chosen = has_axis(lists.chosen, row, d)
        if used and chosen:
            renew_in_list(bodies, lists, swaps, row, d, now)
            if jumps:
                moved |= _jump_in_list(lists, swaps, row, d, now)
            continue
        moved |= used or chosen
        if used:
            leave_list(lists, swaps, row, d, now)
        if chosen:
            enter_list(bodies, lists, swaps, row, d, now)
    for w in range(lists.uses.shape[1]):
        lists.uses[row, w] = lists.chosen[row, w]
    lists.inside[row] = 1
    return moved


@lean_kernel
def positions_now(bodies, lists, rows, d, now, out):
    """Positions (2n,) along axis d of the lower ends of n rows, then of their upper ends."""
    for side in range(2):
        for k in range(rows.shape[0]):
            c0, c1, c2, epoch = axis_end(bodies, lists.axes, lists.control[N_SHARED], rows[k], d, side)
            s = now - epoch
            out[side * rows.shape[0] + k] = c0 + s * (c1 + s * c2)


@lean_kernel
def write_lists(bodies, lists, swaps, now):
    """Write places, polynomials and events of all ends, whose order is new; the caller builds the queue afterwards."""
    stride = swaps.poly.shape[1]
    for d in range(lists.end_id.shape[0]):
        for p in range(lists.used[d]):
            code = lists.end_id[d, p]
            _write_end(bodies, lists, swaps, code >> 1, d, code & 1, p)
        for p in range(stride):
            t = crossing_time(swaps.poly[d], p, now) if p < lists.used[d] - 1 else math.inf
            swaps.keys[d * stride + p] = t


@lean_kernel
def worst_event(lists, swaps, now):
    """Largest distance, m, by which neighbours are out of order, and largest delay, s, of an event behind its time."""
    disorder = 0.0
    delay = 0.0
    for d in range(lists.end_id.shape[0]):
        for p in range(lists.used[d] - 1):
            apart = end_value(swaps.poly[d], p, now) - end_value(swaps.poly[d], p + 1, now)
            if apart > disorder:
                disorder = apart
            due = crossing_time(swaps.poly[d], p, now)
            at = swaps.keys[d * swaps.poly.shape[1] + p]
            if due < math.inf and at > due and at - due > delay:
                delay = at - due
    return disorder, delay
