"""Sorted lists of interval ends, one per axis, and what an exchange of two neighbours means for the overlap of boxes.

Shared by the kinetic and the swept sweep and prune. An end's code is 2*row + side (0 lower, 1 upper). Whether two boxes
overlap on an axis follows from the ranks of their four ends in that axis' list: exact, without a tolerance, in O(n)
memory. The paper's O(n^2) alternative, a matrix that counts the overlapping axes of every pair, is kept as an option.
"""

from __future__ import annotations

from typing import NamedTuple

from carom._compile.jit import inline_kernel, inner_kernel, lean_kernel
from carom.engine.addresses import OWN, unpacker
from carom.tables.arrays import IntRows, UnsignedByteRows

NOTHING = 0
BEGIN = 1
END = 2


class Lists(NamedTuple):
    """The order of all interval ends."""

    end_id: IntRows
    """int32 (k, 2 capacity): end codes in ascending order of position"""
    rank: IntRows
    """int32 (capacity, 2k): place of each body's lower and upper end in each list"""
    matrix: UnsignedByteRows
    """uint8 (capacity, capacity), entry [lower row, higher row]: axes on which the pair overlaps; (0, 0) when unused"""


lists_at = unpacker(Lists, OWN)


@inline_kernel
def overlap_on(rank, a, b, d):
    """Do the intervals of rows a and b overlap on axis d?"""
    return (rank[a, 2 * d] < rank[b, 2 * d + 1]) & (rank[b, 2 * d] < rank[a, 2 * d + 1])


@inner_kernel
def overlap_on_all(rank, a, b):
    """Do the boxes of rows a and b overlap?"""
    for d in range(rank.shape[1] // 2):
        if not overlap_on(rank, a, b, d):
            return False
    return True


@inner_kernel
def _count_change(matrix, a, b, n_axes, begins):
    """Keep the paper's pair matrix; returns whether the boxes begin or cease to overlap by this change."""
    low, high = (a, b) if a < b else (b, a)
    if begins:
        matrix[low, high] += 1
        return matrix[low, high] == n_axes
    matrix[low, high] -= 1
    return matrix[low, high] == n_axes - 1


@inline_kernel
def exchange(lists, d, k):
    """Exchange the ends at places k and k+1 of axis d: (row that was left, row that was right, NOTHING, BEGIN or END).

    A maximum that passes a minimum on its right begins an overlap on this axis, a minimum that passes a maximum ends
    one; two maxima or two minima change nothing (section 4.1).
    """
    end_id, rank = lists.end_id, lists.rank
    a = end_id[d, k]
    b = end_id[d, k + 1]
    end_id[d, k] = b
    end_id[d, k + 1] = a
    i = a >> 1
    j = b >> 1
    rank[i, 2 * d + (a & 1)] = k + 1
    rank[j, 2 * d + (b & 1)] = k
    n_axes = rank.shape[1] // 2
    if lists.matrix.shape[0] > 0:
        if (a ^ b) & 1 == 0 or i == j or not _count_change(lists.matrix, i, j, n_axes, a & 1 == 1):
            return i, j, NOTHING
        return i, j, BEGIN if a & 1 else END
    # Rarely true as a whole, while each part is as good as random: one branch instead of many.
    changes = ((a ^ b) & 1 == 1) & (i != j)
    for e in range(n_axes):
        changes &= (e == d) | overlap_on(rank, i, j, e)
    if not changes:
        return i, j, NOTHING
    return i, j, BEGIN if a & 1 else END


@lean_kernel
def count_overlaps(lists, row, others):
    """Fill the pair matrix for `row` against all rows in `others` (int32) from the ranks."""
    for other in others:
        if other != row:
            n = 0
            for d in range(lists.rank.shape[1] // 2):
                if overlap_on(lists.rank, row, other, d):
                    n += 1
            low, high = (row, other) if row < other else (other, row)
            lists.matrix[low, high] = n


@lean_kernel
def lists_consistent(lists, n_ends):
    """Is `rank` the inverse of `end_id` on every axis, and does every lower end precede its upper end?"""
    for d in range(lists.end_id.shape[0]):
        for k in range(n_ends):
            code = lists.end_id[d, k]
            if lists.rank[code >> 1, 2 * d + (code & 1)] != k:
                return False
            if lists.rank[code >> 1, 2 * d] > lists.rank[code >> 1, 2 * d + 1]:
                return False
    return True
