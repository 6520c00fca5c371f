"""Earliest meeting by all pairs in closed form: the reference, and the baseline that others are measured against."""

from __future__ import annotations

import math

from carom._compile.jit import lean_kernel
from carom.bounds.meetings.meeting import comes_first, meeting


@lean_kernel
def brute_force(sides, planes, owners, cut, span):
    """Earliest time in [0, span] at which two horns of different owners meet, and the two; (inf, -1, -1) for none."""
    best, best_i, best_j = math.inf, -1, -1
    last = span
    for j in range(len(owners)):
        for i in range(j):
            if owners[i] != owners[j]:
                t = meeting(sides, planes, cut, i, j, last)
                if comes_first(t, i, j, best, best_i, best_j):
                    best, best_i, best_j = t, i, j
                    last = t
    return best, best_i, best_j
