"""Sorting rows by a key without memory of its own."""

from __future__ import annotations

import math

import numpy as np

from carom._compile.jit import inner_kernel

_SMALL = 128
"""Rows in one part up to which an insertion sort is not slow."""


@inner_kernel
def shell_sort(order, keys):
    """Sort `order` by keys[order]: Shell's method, which is quick where little is out of place and never very slow."""
    n = len(order)
    gap = 1
    while gap < n // 9:
        gap = 3 * gap + 1
    while gap > 0:
        for a in range(gap, n):
            moved = order[a]
            key = keys[moved]
            b = a
            while b >= gap and keys[order[b - gap]] > key:
                order[b] = order[b - gap]
                b -= gap
            order[b] = moved
        gap //= 3


@inner_kernel
def insertion_sort(order, keys):
    """Sort an `order` that is nearly sorted by keys[order]."""
    for a in range(1, len(order)):
        moved = order[a]
        key = keys[moved]
        b = a
        while b > 0 and keys[order[b - 1]] > key:
            order[b] = order[b - 1]
            b -= 1
        order[b] = moved


@inner_kernel
def _place(key, low, scale, n):
    """Place of a key among n equal parts; infinite keys are in the first or the last."""
    place = (key - low) * scale
    if not place > 0.0:
        return 0
    return n - 1 if place >= n - 1 else np.int64(place)


@inner_kernel
def spread_sort(order, keys, starts):
    """Write the rows 0 to n - 1, sorted by their keys (n,), into order (n,). starts (n + 1,): room.

    Keys are dealt out to n equal parts of their range first: where they are spread evenly, little is out of place then, and
    the processor foresees almost every branch, which makes it thrice as fast as sorting.
    """
    n = len(order)
    low, high = math.inf, -math.inf
    for k in range(n):
        if abs(keys[k]) < math.inf:
            low, high = min(low, keys[k]), max(high, keys[k])
    scale = n / (high - low) if high > low else 0.0
    starts[:] = 0
    for k in range(n):
        starts[_place(keys[k], low, scale, n) + 1] += 1
    fullest = 0
    for k in range(n):
        fullest = max(fullest, starts[k + 1])
        starts[k + 1] += starts[k]
    for k in range(n):
        part = _place(keys[k], low, scale, n)
        order[starts[part]] = k
        starts[part] += 1
    if fullest <= _SMALL:
        insertion_sort(order, keys)
    else:
        shell_sort(order, keys)
