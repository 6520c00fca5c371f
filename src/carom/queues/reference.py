"""Event queue as a linear scan over all slots: slow and simple, the oracle of the others."""

from __future__ import annotations

from math import inf

import numpy as np

from carom._compile.jit import lean_kernel
from carom.queues.order import LINK_METHOD, LINK_SLOTS, NO_SLOT, Links, Ties, Times, aligned_times, before, tie_table

REFERENCE = 3
"""Method code in links[0]."""


def reference_arrays(n: int, with_ties: bool) -> tuple[Times, Ties, Links]:
    """Empty queue of n slots: (keys, ties, links)."""
    links = np.zeros(2, np.int32)
    links[LINK_METHOD] = REFERENCE
    links[LINK_SLOTS] = n
    return aligned_times(n), tie_table(n, with_ties), links


@lean_kernel
def reference_set(keys: Times, ties: Ties, links: Links, slot: int, time: float, tie: int) -> None:
    """Give `slot` a time (inf = none) and, where ties are kept, a tie."""
    keys[slot] = time
    if ties.shape[0] > 0:
        ties[slot] = tie


@lean_kernel
def reference_top(keys: Times, ties: Ties, links: Links) -> int:
    """Slot of the earliest (time, tie), or -1 when the queue is empty."""
    best = NO_SLOT
    for slot in range(links[LINK_SLOTS]):
        if keys[slot] < inf and (best == NO_SLOT or before(keys, ties, slot, best)):
            best = slot
    return best


@lean_kernel
def reference_build(keys: Times, ties: Ties, links: Links) -> None:
    """Do nothing: the times in keys[0:n] are the queue."""


@lean_kernel
def reference_check(keys: Times, ties: Ties, links: Links) -> bool:
    """Whether no time is NaN."""
    for slot in range(links[LINK_SLOTS]):
        if keys[slot] != keys[slot]:
            return False
    return True
