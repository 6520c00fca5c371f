"""Order in the lists over a pool of axes: ends that pass each other, and the pairs that begin and end by it."""

from __future__ import annotations

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel
from carom.engine.events.pairs import begin_pair, end_slot, find_pair, pool_full
from carom.engine.events.row_motion import accelerates
from carom.engine.sweep.axis_lists import BEGIN, END, N_SHARED, SETTLED, crossing_effect, has_pool, meet_on, put_end
from carom.tables.body_columns import NO_ID
from carom.tables.run_columns import DONE, PAIRS_FULL, STATE_OVERLAP, STATE_REPORTED, SWAPS


@inner_kernel
def end_close(bodies, pairs, run, lists, slot):
    """The pair in `slot` is no longer close.

    Where axes are chosen, a reported pair of which one accelerates is remembered even under a common acceleration: axes may
    change, and boxes swept over a frame are thinnest where a path turns, so that the pair can become close once more.
    """
    a = np.int64(pairs.node[2 * slot, 0])
    b = np.int64(pairs.node[2 * slot + 1, 0])
    bends = accelerates(bodies.body, a) or accelerates(bodies.body, b)
    if bends and has_pool(lists) and pairs.state[slot] & STATE_REPORTED:
        pairs.state[slot] &= ~STATE_OVERLAP
    else:
        end_slot(bodies, pairs, run, slot, a, b)


@inner_kernel
def apply_effect(bodies, pairs, run, lists, effect, i, j):
    """Begin or end the pair of rows i, j."""
    if effect == BEGIN:
        begin_pair(bodies, pairs, run, i, j)
    elif effect == END:
        slot = find_pair(bodies, pairs, i, j)
        if slot != NO_ID:
            end_close(bodies, pairs, run, lists, slot)


@inline_kernel
def _may_matter(lists, d, code, other):
    """May a pair begin or cease to be close where these two ends of list d pass each other?

    Rarely true as a whole, while each part is as good as random: one branch instead of many.
    """
    matters = (code ^ other) & 1 == 1
    if lists.apart.shape[0] == 0:
        for e in range(lists.control[N_SHARED]):
            matters &= (e == d) | meet_on(lists, code >> 1, other >> 1, e)
    return matters


@inner_kernel
def _cross(bodies, pairs, run, lists, d, left, right, begin_all):
    """The end `left` of list d passes `right`; begins or ends the pair. Not begin_all: without those that wait for a search."""
    effect = crossing_effect(lists, d, left, right)
    i = np.int64(left) >> 1
    j = np.int64(right) >> 1
    if effect == END or begin_all or (lists.stage[i] == SETTLED and lists.stage[j] == SETTLED):
        apply_effect(bodies, pairs, run, lists, effect, i, j)


@inline_kernel
def sink(bodies, pairs, run, lists, d, p, begin_all):
    """Move the end at place p of list d to the left until it is in order; PAIRS_FULL leaves it on the way.

    Merged into the sort: to hand over all arrays costs more than an end usually moves.
    """
    end_id, values, starts, speeds = lists.end_id[d], lists.value[d], lists.start[d], lists.speed[d]
    code = end_id[p]
    value, start, speed = values[p], starts[p], speeds[p]
    full = False
    at = p
    while at > 0 and values[at - 1] > value:
        other = end_id[at - 1]
        if _may_matter(lists, d, code, other):
            if pool_full(pairs, run):
                full = True
                break
            _cross(bodies, pairs, run, lists, d, other, code, begin_all)
        end_id[at] = other
        values[at] = values[at - 1]
        starts[at] = starts[at - 1]
        speeds[at] = speeds[at - 1]
        lists.place[d, other] = at
        at -= 1
    put_end(lists, d, at, code, value, start, speed)
    run.count[SWAPS] += p - at
    return PAIRS_FULL if full else DONE


@inner_kernel
def rise(bodies, pairs, run, lists, d, p, begin_all):
    """Move the end at place p of list d to the right until it is in order; PAIRS_FULL leaves it on the way."""
    end_id, values, starts, speeds = lists.end_id[d], lists.value[d], lists.start[d], lists.speed[d]
    code = end_id[p]
    value, start, speed = values[p], starts[p], speeds[p]
    full = False
    at = p
    while at + 1 < lists.used[d] and values[at + 1] < value:
        other = end_id[at + 1]
        if _may_matter(lists, d, code, other):
            if pool_full(pairs, run):
                full = True
                break
            _cross(bodies, pairs, run, lists, d, code, other, begin_all)
        end_id[at] = other
        values[at] = values[at + 1]
        starts[at] = starts[at + 1]
        speeds[at] = speeds[at + 1]
        lists.place[d, other] = at
        at += 1
    put_end(lists, d, at, code, value, start, speed)
    run.count[SWAPS] += at - p
    return PAIRS_FULL if full else DONE


@inner_kernel
def sort_lists(bodies, pairs, run, lists, begin_all):
    """Insertion sort of every list; PAIRS_FULL asks to be called again with more room, sorted parts stay sorted."""
    for d in range(lists.end_id.shape[0]):
        values = lists.value[d]
        for p in range(1, lists.used[d]):
            if values[p - 1] > values[p] and sink(bodies, pairs, run, lists, d, p, begin_all) == PAIRS_FULL:
                return PAIRS_FULL
    return DONE
