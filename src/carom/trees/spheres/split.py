"""Distribution of the patches of one sphere among its children: Lloyd iterations over candidate centres.

The cost of a sphere about centre c with depth d that holds patches is its looseness: the distance of the farthest corner minus
d. No point of the sphere is farther than that from the solid, as the ball of radius d about c is inside it.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from carom._compile.jit import inline_kernel, inner_kernel, kernel

_LARGE_FIRST = 0.25
"""How much of its depth a candidate is preferred by when it is to start a new child: large balls serve more patches."""


@inline_kernel
def _farthest(corners, row, x, y, z):
    """Squared distance of the farthest corner of a patch."""
    far = 0.0
    for k in range(0, 9, 3):
        dx, dy, dz = corners[row, k] - x, corners[row, k + 1] - y, corners[row, k + 2] - z
        far = max(far, dx * dx + dy * dy + dz * dz)
    return far


@inner_kernel
def _best_centre(corners, rows, child, label, centres, depths, candidates, start):
    """Candidate of least looseness for the patches rows[label == child]; `start` is tried first, so that most fail early."""
    best, cost = start, inf
    for k in range(-1, len(candidates)):
        c = start if k < 0 else candidates[k]
        limit = cost + depths[c]
        if limit <= 0.0:
            continue
        square_limit = limit * limit
        x, y, z = centres[c, 0], centres[c, 1], centres[c, 2]
        far = 0.0
        for i in range(len(rows)):
            if label[i] == child:
                far = max(far, _farthest(corners, rows[i], x, y, z))
                if far >= square_limit:
                    break
        if far < square_limit:
            best, cost = c, sqrt(far) - depths[c]
    return best, cost


@inner_kernel
def _start_for(corners, row, centres, depths, candidates):
    """Candidate to start a new child from at a patch that the others serve badly."""
    best, cost = candidates[0], inf
    for k in range(len(candidates)):
        c = candidates[k]
        found = sqrt(_farthest(corners, row, centres[c, 0], centres[c, 1], centres[c, 2])) - depths[c]
        found -= _LARGE_FIRST * max(0.0, depths[c])
        if found < cost:
            best, cost = c, found
    return best


@inner_kernel
def _assign(corners, rows, centres, depths, chosen, n, label, cost):
    """Give each patch to the child that it costs least."""
    for i in range(len(rows)):
        cost[i] = inf
        for child in range(n):
            c = chosen[child]
            found = sqrt(_farthest(corners, rows[i], centres[c, 0], centres[c, 1], centres[c, 2])) - depths[c]
            if found < cost[i]:
                cost[i], label[i] = found, child


@inner_kernel
def _worst(cost):
    at = 0
    for i in range(1, len(cost)):
        if cost[i] > cost[at]:
            at = i
    return at


@kernel
def split_patches(corners, rows, centres, depths, candidates, most, rounds, label, chosen):
    """Share the patches `rows` (n,) of corners (m, 9) among at most `most` children: label (n,), chosen (most,) centres.

    centres (k, 3) and depths (k,) of all balls, candidates (c,) rows of those that come into question. Children are started
    one by one at the patch that is served worst; then rounds of centre and share, and a child left without patches starts
    again. Returns the number of children; their labels are 0 .. number - 1.
    """
    n = len(rows)
    cost = np.empty(n)
    for i in range(n):
        label[i] = 0
    chosen[0], _ = _best_centre(corners, rows, 0, label, centres, depths, candidates, candidates[0])
    count = 1
    _assign(corners, rows, centres, depths, chosen, count, label, cost)
    while count < min(most, n):
        chosen[count] = _start_for(corners, rows[_worst(cost)], centres, depths, candidates)
        count += 1
        _assign(corners, rows, centres, depths, chosen, count, label, cost)
    members = np.zeros(most, np.int64)
    for turn in range(rounds):
        members[:] = 0
        for i in range(n):
            members[label[i]] += 1
        for child in range(count):
            if members[child] > 0:
                chosen[child], _ = _best_centre(corners, rows, child, label, centres, depths, candidates, chosen[child])
            elif turn < rounds - 1:
                chosen[child] = _start_for(corners, rows[_worst(cost)], centres, depths, candidates)
                cost[_worst(cost)] = -inf
        if turn < rounds - 1:
            _assign(corners, rows, centres, depths, chosen, count, label, cost)
    # Close the gaps that children without patches leave.
    kept = 0
    place = np.zeros(most, np.int64)
    for child in range(count):
        place[child] = kept
        if members[child] > 0:
            chosen[kept] = chosen[child]
            kept += 1
    for i in range(n):
        label[i] = place[label[i]]
    return kept
