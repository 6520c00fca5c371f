"""Counting sort with several threads: each thread counts its part of the items, then fills its own places."""

from __future__ import annotations

from carom._compile.jit import lean_kernel


@lean_kernel
def offsets(count):
    """Convert counts (parts, keys) into first places: those of a key are consecutive, in the order of parts."""
    place = 0
    for key in range(count.shape[1]):
        for part in range(count.shape[0]):
            here = count[part, key]
            count[part, key] = place
            place += here
