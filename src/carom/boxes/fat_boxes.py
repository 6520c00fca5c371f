"""Boxes with a margin: while a box stays inside its enlarged box, only overlapping pairs of enlarged boxes are tested.

Not all of these are tested in every update. An odometer sums the largest displacement of an end, and a pair is due again when
both boxes together may have covered their separation, or their remaining overlap. Sums are rounded so that no pair is late.

Kernels that report pairs write until a buffer is full, then return where to continue with a new one.
"""

from __future__ import annotations

import math

import numpy as np

from carom._compile.jit import inner_kernel, lean_kernel

_WIDEST = 1e300
_LESS = 1.0 - 2.0**-51  # Rounds a sum of two numbers down


@inner_kernel
def boxes_meet(ends, i, j):
    """Return whether two rows of ends (n, 2k), lower then upper ends, overlap; without unpredictable branches."""
    k = ends.shape[1] // 2
    meet = True
    for d in range(k):
        meet &= (ends[i, d] <= ends[j, k + d]) & (ends[j, d] <= ends[i, k + d])
    return meet


@inner_kernel
def separation(ends, i, j):
    """Return the widest gap between two rows of ends (n, 2k) along an axis; if they overlap, minus the least overlap.

    The sign is exact, as that of every difference. Equal infinite ends count as permanent overlap: their difference is NaN.
    """
    k = ends.shape[1] // 2
    widest = -np.inf
    for d in range(k):
        below, above = ends[i, d] - ends[j, k + d], ends[j, d] - ends[i, k + d]
        if below > widest:
            widest = below
        if above > widest:
            widest = above
    return widest


@inner_kernel
def due_after(odometer, apart):
    """Return the odometer below which a pair at this separation cannot change: less than half of the separation ahead."""
    return (odometer + 0.499 * abs(apart)) * _LESS


@lean_kernel
def compare_boxes(ends, fat_lo, fat_hi, rows, lo, hi, begin, end, moved, escaped):
    """Compare new boxes lo, hi at places begin to end, for `rows`, with the present ones and with their fat boxes.

    Places of changed boxes and of those outside their fat box go to `moved` and `escaped` from `begin` on. Returns (first place
    with NaN or lo > hi or -1, numbers of both, largest displacement of an end of a box that did not escape).
    """
    k = lo.shape[1]
    wrong, n_moved, n_escaped, farthest = -1, 0, 0, 0.0
    for t in range(begin, end):
        i = rows[t]
        same, inside, way = True, True, 0.0
        for d in range(k):
            low, high = lo[t, d], hi[t, d]
            if not low <= high and wrong < 0:
                wrong = t
            same &= (low == ends[i, d]) & (high == ends[i, k + d])
            inside &= (low >= fat_lo[i, d]) & (high <= fat_hi[i, d])
            by_low, by_high = abs(low - ends[i, d]), abs(high - ends[i, k + d])
            # Not for ends that stay infinite, which give NaN.
            if by_low > way:
                way = by_low
            if by_high > way:
                way = by_high
        if not same:
            moved[begin + n_moved] = t
            n_moved += 1
            if not inside or way == np.inf:
                escaped[begin + n_escaped] = t
                n_escaped += 1
            else:
                farthest = max(farthest, way)
    return wrong, n_moved, n_escaped, farthest


@lean_kernel
def store_boxes(ends, rows, lo, hi, places, begin, end):
    """Write the new boxes at places[begin:end] to their rows."""
    k = lo.shape[1]
    for s in range(begin, end):
        t = places[s]
        i = rows[t]
        for d in range(k):
            ends[i, d] = lo[t, d]
            ends[i, k + d] = hi[t, d]


@lean_kernel
def fatten(ends, rows, begin, end, share, least, fat_lo, fat_hi):
    """Enlarge rows[begin:end] on every side by `share` of a size between the shortest and the mean side of the box.

    least: size of boxes whose sides are all zero or infinite.
    """
    k = fat_lo.shape[1]
    for s in range(begin, end):
        i = rows[s]
        shortest, total, n = np.inf, 0.0, 0
        for d in range(k):
            side = ends[i, k + d] - ends[i, d]
            if side > 0.0 and side < np.inf:
                shortest = min(shortest, side)
                total += side
                n += 1
        margin = share * (math.sqrt(shortest) * math.sqrt(total / n) if n else least)
        margin = min(margin, _WIDEST)  # an infinite margin would make NaN of an infinite end
        for d in range(k):
            fat_lo[i, d] = ends[i, d] - margin
            fat_hi[i, d] = ends[i, k + d] + margin


@inner_kernel
def report_change(meet, i, j, began, n_began, ended, n_ended):
    """Append a pair to those that begin or that end to overlap; returns the numbers of both."""
    if meet:
        began[n_began, 0], began[n_began, 1] = i, j
        return n_began + 1, n_ended
    ended[n_ended, 0], ended[n_ended, 1] = i, j
    return n_began, n_ended + 1


@lean_kernel
def retest_pairs(ends, row, on, due, odometer, begin, end, began, ended):
    """Test the pairs from begin to end of the pool that are due.

    Returns (pair to continue from, number begun, number ended).
    """
    n_began, n_ended = 0, 0
    for p in range(begin, end):
        if due[p] > odometer:
            continue
        i, j = row[2 * p], row[2 * p + 1]
        if i < 0:
            continue
        apart = separation(ends, i, j)
        due[p] = due_after(odometer, apart)
        meet = apart <= 0.0
        if meet == (on[p] != 0):
            continue
        if n_began == began.shape[0] or n_ended == ended.shape[0]:
            due[p] = odometer
            return p, n_began, n_ended
        on[p] = meet
        n_began, n_ended = report_change(meet, i, j, began, n_began, ended, n_ended)
    return end, n_began, n_ended


@lean_kernel
def begin_pairs(ends, before, row, on, due, begin, end, began):
    """Mark which pairs from begin to end of a new pool overlap, and report those that did not in the boxes `before`. The
    odometer starts from zero.

    Returns (pair to continue from, number begun).
    """
    n_began = 0
    for p in range(begin, end):
        i, j = row[2 * p], row[2 * p + 1]
        apart = separation(ends, i, j)
        due[p] = due_after(0.0, apart)
        on[p] = apart <= 0.0
        if on[p] and not boxes_meet(before, i, j):
            if n_began == began.shape[0]:
                return p, n_began
            began[n_began, 0], began[n_began, 1] = i, j
            n_began += 1
    return end, n_began
