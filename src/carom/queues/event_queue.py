"""One event queue for all methods: kernels that choose by links[0] at run time, so that engines compile once, and a class.

Every slot has a time in seconds (inf = no event); the top is the smallest (time, tie).
"""

from __future__ import annotations

import numpy as np

from carom._jit import kernel
from carom.errors import InvalidInputError
from carom.queues.heap4 import HEAP4, heap4_arrays, heap4_build, heap4_check, heap4_set, heap4_top, heap4_top_time
from carom.queues.order import LINK_METHOD, LINK_SLOTS, Links, Ties, Times
from carom.queues.pairing import (
    PAIRING,
    pairing_arrays,
    pairing_build,
    pairing_check,
    pairing_set,
    pairing_top,
    pairing_top_time,
)
from carom.queues.reference import (
    reference_arrays,
    reference_build,
    reference_check,
    reference_set,
    reference_top,
    reference_top_time,
)
from carom.queues.tournament import (
    TOURNAMENT,
    tournament_arrays,
    tournament_build,
    tournament_check,
    tournament_set,
    tournament_top,
    tournament_top_time,
)

_ARRAYS = {
    "tournament": tournament_arrays,
    "pairing": pairing_arrays,
    "heap4": heap4_arrays,
    "reference": reference_arrays,
}

METHODS = tuple(_ARRAYS)
"""Names of all methods, fastest first."""


def queue_arrays(method: str, n: int, with_ties: bool) -> tuple[Times, Ties, Links]:
    """Empty queue of n slots: (keys, ties, links). Without ties the slot number breaks ties."""
    if method not in _ARRAYS:
        raise InvalidInputError(f"queue is {method!r}; expected one of {', '.join(METHODS)}")
    if n < 0:
        raise InvalidInputError(f"number of slots is {n}; expected 0 or more")
    return _ARRAYS[method](n, with_ties)


@kernel
def queue_set(keys: Times, ties: Ties, links: Links, slot: int, time: float, tie: int) -> None:
    """Give `slot` a time (inf = none) and, where ties are kept, a tie."""
    if links[LINK_METHOD] == TOURNAMENT:
        tournament_set(keys, ties, links, slot, time, tie)
    else:
        _other_set(keys, ties, links, slot, time, tie)


@kernel
def _other_set(keys: Times, ties: Ties, links: Links, slot: int, time: float, tie: int) -> None:
    """queue_set of all methods but the default; apart, so that the default stays small enough to be inlined."""
    if links[LINK_METHOD] == PAIRING:
        pairing_set(keys, ties, links, slot, time, tie)
    elif links[LINK_METHOD] == HEAP4:
        heap4_set(keys, ties, links, slot, time, tie)
    else:
        reference_set(keys, ties, links, slot, time, tie)


@kernel
def queue_top(keys: Times, ties: Ties, links: Links) -> int:
    """Slot of the earliest (time, tie), or -1 when the queue is empty."""
    if links[LINK_METHOD] == TOURNAMENT:
        return tournament_top(keys, ties, links)
    return _other_top(keys, ties, links)


@kernel
def _other_top(keys: Times, ties: Ties, links: Links) -> int:
    """queue_top of all methods but the default."""
    if links[LINK_METHOD] == PAIRING:
        return pairing_top(keys, ties, links)
    if links[LINK_METHOD] == HEAP4:
        return heap4_top(keys, ties, links)
    return reference_top(keys, ties, links)


@kernel
def queue_top_time(keys: Times, ties: Ties, links: Links) -> float:
    """Earliest time; inf when the queue is empty."""
    if links[LINK_METHOD] == TOURNAMENT:
        return tournament_top_time(keys, ties, links)
    if links[LINK_METHOD] == PAIRING:
        return pairing_top_time(keys, ties, links)
    if links[LINK_METHOD] == HEAP4:
        return heap4_top_time(keys, ties, links)
    return reference_top_time(keys, ties, links)


@kernel
def queue_time(keys: Times, ties: Ties, links: Links, slot: int) -> float:
    """Time of `slot`; inf when it has no event."""
    return keys[slot]


@kernel
def queue_build(keys: Times, ties: Ties, links: Links) -> None:
    """Make the queue valid after times were written straight into keys[0:n] (and ties into ties)."""
    method = links[LINK_METHOD]
    if method == TOURNAMENT:
        tournament_build(keys, ties, links)
    elif method == PAIRING:
        pairing_build(keys, ties, links)
    elif method == HEAP4:
        heap4_build(keys, ties, links)
    else:
        reference_build(keys, ties, links)


@kernel
def queue_check(keys: Times, ties: Ties, links: Links) -> bool:
    """Whether the queue's inner order holds."""
    method = links[LINK_METHOD]
    if method == TOURNAMENT:
        return tournament_check(keys, ties, links)
    if method == PAIRING:
        return pairing_check(keys, ties, links)
    if method == HEAP4:
        return heap4_check(keys, ties, links)
    return reference_check(keys, ties, links)


class EventQueue:
    """A queue of n slots that owns its arrays (`keys`, `ties`, `links`, as the kernels take them) and can grow."""

    def __init__(self, n: int, method: str = "tournament", with_ties: bool = False) -> None:
        self.method = method
        self.with_ties = with_ties
        self.keys, self.ties, self.links = queue_arrays(method, n, with_ties)

    def __len__(self) -> int:
        """Number of slots, with or without an event."""
        return int(self.links[LINK_SLOTS])

    def set(self, slot: int, time: float, tie: int = 0) -> None:
        """Give `slot` a time (inf = none); `tie` matters only where ties are kept."""
        if not 0 <= slot < len(self):
            raise InvalidInputError(f"slot is {slot}; expected 0 to {len(self) - 1}")
        if np.isnan(time):
            raise InvalidInputError(f"time of slot {slot} is nan; expected a number, or inf for no event")
        queue_set(self.keys, self.ties, self.links, slot, float(time), tie)

    def top(self) -> int:
        """Slot of the earliest (time, tie), or -1 when the queue is empty."""
        return int(queue_top(self.keys, self.ties, self.links))

    def top_time(self) -> float:
        """Earliest time; inf when the queue is empty."""
        return float(queue_top_time(self.keys, self.ties, self.links))

    def time(self, slot: int) -> float:
        """Time of `slot`; inf when it has no event."""
        return float(self.keys[slot])

    def grow(self, n: int) -> None:
        """Give the queue n slots, at least as many as before; all events stay, new slots have none."""
        if n < len(self):
            raise InvalidInputError(f"number of slots is {n}; expected at least {len(self)}")
        used = len(self)
        keys, ties, links = queue_arrays(self.method, n, self.with_ties)
        keys[:used] = self.keys[:used]
        ties[: self.ties.shape[0]] = self.ties
        queue_build(keys, ties, links)
        self.keys, self.ties, self.links = keys, ties, links

    def check(self) -> bool:
        """Whether the queue's inner order holds."""
        return bool(queue_check(self.keys, self.ties, self.links))
