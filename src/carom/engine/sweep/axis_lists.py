"""Sorted lists of interval ends, one for each axis of a pool, each of which holds only the bodies that use its axis.

The first few axes may be shared: every body uses them. Of the others each body has chosen some. Two bodies are close where
their intervals overlap on every axis that both use: by the ranks of their ends in the lists, exactly and without a matrix of
pairs; paper VADOP's matrix is kept as an option. Bodies that have no chosen axis in common are told apart by the shared ones;
without shared ones they count as close.

An end's code is 2*row + side (0 lower, 1 upper). Ends move straight from frame to frame: `value` is where an end is at most
during the present frame, `start` + `speed` * t the same for any later frame that begins at t. A body that leaves a list leaves
gaps there, codes of NO_END, until the list is next gone through.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom._compile.lanes import lowest_place
from carom.engine.addresses import OWN, unpacker
from carom.tables.arrays import Bytes, DoubleRows, Doubles, IntRows, Ints, LongRows, Longs, ShortRows

# Columns of AxisLists.control, int64
N_SHARED = 0
"""Axes that every body uses: the first ones."""
N_WAITING = 1
"""Rows in AxisLists.waiting."""
N_NEW = 2
"""Ends gathered in the scratch lists."""
STAMP = 3
"""Number of the last search that marked rows in AxisLists.stamp."""
CONTROL_COLUMNS = 4

# What it means for a pair that two ends pass each other
NOTHING = 0
BEGIN = 1
END = 2

WORD = 64
"""Axes a word of a bit set."""
NO_END = -1
"""Code of a gap in a list."""


class AxisLists(NamedTuple):
    """The order of all ends on a axes, and who uses which."""

    axes: DoubleRows
    """float64 (a, 3): directions of length 1, the shared ones first"""
    end_id: IntRows
    """int32 (a, 2 capacity): end codes in ascending order of value"""
    value: DoubleRows
    """float64 (a, 2 capacity)"""
    start: DoubleRows
    """float64 (a, 2 capacity)"""
    speed: DoubleRows
    """float64 (a, 2 capacity)"""
    used: Longs
    """int64 (a,): ends in each list"""
    place: IntRows
    """int32 (a, 2 capacity): place of each end, by its code, in each list that holds it"""
    uses: LongRows
    """int64 (capacity, words): bit d is set where list d holds the body"""
    chosen: LongRows
    """int64 (capacity, words): bit d is set where the body wants list d to hold it"""
    waiting: Ints
    """int32 (capacity,): rows whose ends are to be entered into lists"""
    stage: Bytes
    """int8 (capacity,): SETTLED, or what a row waits for"""
    inside: Bytes
    """int8 (capacity,): 1 for a row whose ends are in lists, even if it has chosen none"""
    stamp: Longs
    """int64 (capacity,): number of the last search that marked the row"""
    fresh: DoubleRows
    """float64 (2 capacity, 3): scratch: value, start and speed of ends that are to be merged into a list"""
    fresh_id: Ints
    """int32 (2 capacity,): their codes"""
    apart: ShortRows
    """int16 (capacity, capacity), entry [lower row, higher row]: common axes on which the pair is apart; (0, 0) if unused"""
    control: Longs
    """int64 (CONTROL_COLUMNS,)"""
    limit: Doubles
    """float64 (2,): see carom.bounds.velocity_aligned"""


axis_lists_at = unpacker(AxisLists, OWN)


# AxisLists.stage
SETTLED = 0
TO_ENTER = 1
"""The row's chosen lists, or all of them, do not hold it yet."""
TO_SEARCH = 2
"""The lists hold it; its partners are to be found."""
TO_SEARCH_NOW = 3
"""Like TO_ENTER, and its partners for the rest of the frame are to be found before that."""


@inline_kernel
def has_pool(lists):
    """Are there axes that bodies choose?"""
    return lists.end_id.shape[0] > lists.control[N_SHARED]


@inline_kernel
def has_axis(bits, row, d):
    """Is bit d of row set?"""
    return (bits[row, d >> 6] >> (d & 63)) & 1 == 1


@inline_kernel
def meet_on(lists, i, j, d):
    """Do the intervals of two rows overlap on axis d?"""
    place = lists.place
    return (place[d, 2 * i] < place[d, 2 * j + 1]) & (place[d, 2 * j] < place[d, 2 * i + 1])


@inline_kernel
def meet_on_shared(lists, i, j):
    """Do the intervals of two rows overlap on every shared axis?"""
    for d in range(lists.control[N_SHARED]):
        if not meet_on(lists, i, j, d):
            return False
    return True


@inline_kernel
def _meet_in_pool(lists, i, j, d):
    """Do the intervals of two rows overlap on every axis that both have chosen, but d?"""
    for w in range(lists.uses.shape[1]):
        common = lists.uses[i, w] & lists.uses[j, w]
        if w == 0 and lists.control[N_SHARED] < WORD - 1:
            common &= ~((1 << lists.control[N_SHARED]) - 1)  # these are shared; more of them are only looked at twice
        while common != 0:
            e = WORD * w + lowest_place(common)
            if e != d and not meet_on(lists, i, j, e):
                return False
            common &= common - 1
    return True


@inline_kernel
def meet_elsewhere(lists, i, j, d):
    """Do the intervals of two rows overlap on every common axis but d? Merged into callers: handing over arrays costs more."""
    for e in range(lists.control[N_SHARED]):
        if e != d and not meet_on(lists, i, j, e):
            return False
    return _meet_in_pool(lists, i, j, d)


@inner_kernel
def _counted(apart, i, j, begins):
    """Keep the paper's matrix of pairs; returns whether the pair begins or ceases to be close by this change."""
    low, high = (i, j) if i < j else (j, i)
    if begins:
        apart[low, high] -= 1
        return apart[low, high] == 0
    apart[low, high] += 1
    return apart[low, high] == 1


@inline_kernel
def crossing_effect(lists, d, left, right):
    """What it means that the end `left` of list d gets to the right of the end `right`: NOTHING, BEGIN or END."""
    i = left >> 1
    j = right >> 1
    # Rarely true as a whole, while each part is as good as random: one branch instead of many.
    matters = ((left ^ right) & 1 == 1) & (i != j)
    if lists.apart.shape[0] > 0:
        if not matters or not _counted(lists.apart, i, j, left & 1 == 1):
            return NOTHING
        return BEGIN if left & 1 else END
    for e in range(lists.control[N_SHARED]):
        matters &= (e == d) | meet_on(lists, i, j, e)
    if not matters or not _meet_in_pool(lists, i, j, d):
        return NOTHING
    return BEGIN if left & 1 else END


@inline_kernel
def put_end(lists, d, p, code, value, start, speed):
    """Put an end at place p of list d."""
    lists.end_id[d, p] = code
    lists.value[d, p] = value
    lists.start[d, p] = start
    lists.speed[d, p] = speed
    lists.place[d, code] = p


@inner_kernel
def sweep_lists(lists, t):
    """Sweep all ends that move straight over the frame that begins at t; no list has gaps."""
    for d in range(lists.end_id.shape[0]):
        value, start, speed = lists.value[d], lists.start[d], lists.speed[d]
        for p in range(lists.used[d]):
            value[p] = start[p] + speed[p] * t


@inner_kernel
def leave_gaps(lists, row, d):
    """Take both ends of `row` out of list d; its bit in `uses` is the caller's."""
    lists.end_id[d, lists.place[d, 2 * row]] = NO_END
    lists.end_id[d, lists.place[d, 2 * row + 1]] = NO_END


@inner_kernel
def close_gaps(lists):
    """Close the gaps of all lists."""
    for d in range(lists.end_id.shape[0]):
        kept = 0
        end_id = lists.end_id[d]
        while kept < lists.used[d] and end_id[kept] != NO_END:
            kept += 1
        for p in range(kept, lists.used[d]):
            if end_id[p] != NO_END:
                put_end(lists, d, kept, end_id[p], lists.value[d, p], lists.start[d, p], lists.speed[d, p])
                kept += 1
        lists.used[d] = kept


@inner_kernel
def add_fresh(lists, code, value, start, speed):
    """Gather an end for `merge_fresh`."""
    n = lists.control[N_NEW]
    lists.fresh_id[n] = code
    lists.fresh[n, 0] = value
    lists.fresh[n, 1] = start
    lists.fresh[n, 2] = speed
    lists.control[N_NEW] = n + 1


@inner_kernel
def _before(lists, a, value, code):
    """Is the gathered end a to come before one of this value and code?"""
    return lists.fresh[a, 0] < value or (lists.fresh[a, 0] == value and lists.fresh_id[a] < code)


@inner_kernel
def _sort_fresh(lists):
    """Sort the gathered ends by value, then code, so that a lower end comes before its own upper end (Shell's method)."""
    n = lists.control[N_NEW]
    gap = 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for k in range(gap, n):
            code = lists.fresh_id[k]
            value, start, speed = lists.fresh[k, 0], lists.fresh[k, 1], lists.fresh[k, 2]
            p = k
            while p >= gap and not _before(lists, p - gap, value, code):
                lists.fresh_id[p] = lists.fresh_id[p - gap]
                for c in range(3):
                    lists.fresh[p, c] = lists.fresh[p - gap, c]
                p -= gap
            lists.fresh_id[p] = code
            lists.fresh[p, 0], lists.fresh[p, 1], lists.fresh[p, 2] = value, start, speed
        gap //= 3


@inner_kernel
def merge_fresh(lists, d):
    """Merge the gathered ends into list d, which is sorted, from the back; forgets them."""
    _sort_fresh(lists)
    new = lists.control[N_NEW] - 1
    old = lists.used[d] - 1
    lists.used[d] += lists.control[N_NEW]
    p = lists.used[d] - 1
    while new >= 0:
        if old >= 0 and lists.value[d, old] > lists.fresh[new, 0]:
            code = lists.end_id[d, old]
            put_end(lists, d, p, code, lists.value[d, old], lists.start[d, old], lists.speed[d, old])
            old -= 1
        else:
            put_end(lists, d, p, lists.fresh_id[new], lists.fresh[new, 0], lists.fresh[new, 1], lists.fresh[new, 2])
            new -= 1
        p -= 1
    lists.control[N_NEW] = 0


@lean_kernel
def count_apart(lists, row):
    """Fill the matrix of pairs for `row` against all rows in the lists, from the ranks."""
    for other in range(lists.uses.shape[0]):
        if other != row and lists.inside[other]:
            n = 0
            for w in range(lists.uses.shape[1]):
                common = lists.uses[row, w] & lists.uses[other, w]
                while common != 0:
                    if not meet_on(lists, row, other, WORD * w + lowest_place(common)):
                        n += 1
                    common &= common - 1
            low, high = (row, other) if row < other else (other, row)
            lists.apart[low, high] = n


@lean_kernel
def first_disorder(lists):
    """First list that is not sorted, or whose places or members are wrong; -1 when none is."""
    for d in range(lists.end_id.shape[0]):
        members = 0
        for row in range(lists.uses.shape[0]):
            members += has_axis(lists.uses, row, d)
        highest = -math.inf
        for p in range(lists.used[d]):
            code = np.int64(lists.end_id[d, p])
            if code == NO_END:
                continue
            members -= code & 1
            if not has_axis(lists.uses, code >> 1, d) or lists.place[d, code] != p:
                return d
            if lists.place[d, 2 * (code >> 1)] > lists.place[d, 2 * (code >> 1) + 1]:
                return d
            if lists.value.shape[1] > 0:
                if lists.value[d, p] < highest:
                    return d
                highest = lists.value[d, p]
        if members != 0:
            return d
    return -1


def empty_lists(axes: Any, n_shared: int) -> AxisLists:
    """Lists over axes (a, 3), the first n_shared of which every body uses, with room for nobody."""
    a = len(axes)
    words = max(1, -(-a // WORD))
    control = np.zeros(CONTROL_COLUMNS, np.int64)
    control[N_SHARED] = n_shared
    ends = np.zeros((a, 0))
    bits = np.zeros((0, words), np.int64)
    return AxisLists(
        np.array(axes, np.float64),
        np.zeros((a, 0), np.int32),
        ends,
        ends.copy(),
        ends.copy(),
        np.zeros(a, np.int64),
        np.zeros((a, 0), np.int32),
        bits,
        bits.copy(),
        np.zeros(0, np.int32),
        np.zeros(0, np.int8),
        np.zeros(0, np.int8),
        np.zeros(0, np.int64),
        np.zeros((0, 3)),
        np.zeros(0, np.int32),
        np.zeros((0, 0), np.int16),
        control,
        np.zeros(2),
    )


def with_room(lists: AxisLists, capacity: int, matrix: bool, swept: bool) -> AxisLists:
    """The same lists with room for `capacity` bodies, and a matrix of their pairs where asked for.

    swept: room for the values of ends that are swept per frame, too.
    """
    size = dict.fromkeys(("value", "start", "speed", "fresh", "fresh_id"), 2 * capacity if swept else 0)
    size |= dict.fromkeys(("end_id", "place"), 2 * capacity)
    grown = {}
    for name in ("end_id", "place", "value", "start", "speed"):
        old = getattr(lists, name)
        grown[name] = np.zeros((len(old), size[name]), old.dtype)
        grown[name][:, : old.shape[1]] = old
    for name in ("uses", "chosen", "waiting", "stage", "inside", "stamp", "fresh", "fresh_id"):
        old = getattr(lists, name)
        grown[name] = np.zeros((size.get(name, capacity), *old.shape[1:]), old.dtype)
        grown[name][: len(old)] = old
    side = capacity if matrix else 0
    apart = np.zeros((side, side), np.int16)
    apart[: len(lists.apart), : len(lists.apart)] = lists.apart
    return lists._replace(apart=apart, **grown)
