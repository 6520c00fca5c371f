"""Shared by all event queues: the array layout and the total order (time, tie).

A queue is three arrays. keys (float64): keys[slot] is the slot's time in seconds, inf = no event; a method may append its own
values. ties (int64): tie-breaker of every slot, or length 0 if the slot number breaks ties. links (int32): private to the
method, except links[0] = method code and links[1] = number of slots.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.aligned import aligned_zeros
from carom._compile.jit import lean_kernel

Times = NDArray[np.float64]
Ties = NDArray[np.int64]
Links = NDArray[np.int32]

LINK_METHOD = 0
"""links[0]: method code."""
LINK_SLOTS = 1
"""links[1]: number of slots."""
NO_SLOT = -1


def aligned_times(length: int) -> Times:
    """Return `length` times, all inf, the first at the start of a cache line."""
    times: Times = aligned_zeros((length,), np.float64)
    times[:] = np.inf
    return times


def tie_table(n: int, with_ties: bool) -> Ties:
    """Return ties of n slots, all zero; length 0 if the slot number breaks ties."""
    return np.zeros(n if with_ties else 0, np.int64)


@lean_kernel
def before(keys: Times, ties: Ties, a: int, b: int) -> bool:
    """Return whether slot a comes before slot b: by time, then tie, then slot."""
    if keys[a] != keys[b]:
        return bool(keys[a] < keys[b])
    if ties.shape[0] > 0 and ties[a] != ties[b]:
        return bool(ties[a] < ties[b])
    return a < b
