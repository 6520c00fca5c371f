"""Every pair of rows has a fixed slot: slot(i, j) = j(j-1)/2 + i for i < j. Growing the number of rows moves no slot."""

from __future__ import annotations

import math

from carom._compile.jit import inner_kernel, lean_kernel


@inner_kernel
def pair_slot(a, b):
    """Slot of the pair of rows a and b, a != b."""
    if a > b:
        a, b = b, a
    return b * (b - 1) // 2 + a


@lean_kernel
def slot_rows(slot):
    """The two rows (lower, higher) of a slot."""
    high = int((1.0 + math.sqrt(1.0 + 8.0 * slot)) / 2.0)
    while high * (high - 1) // 2 > slot:  # the square root may be one off for large slots
        high -= 1
    while (high + 1) * high // 2 <= slot:
        high += 1
    return slot - high * (high - 1) // 2, high
