"""One event queue for all methods, for Python. Kernels use carom.queues.in_kernels.

Every slot has a time in seconds (inf = no event); the top is the smallest (time, tie).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from carom import validate
from carom._compile.jit import lean_kernel
from carom._copies import Copyable
from carom.errors import InvalidInputError
from carom.queues.by_address import other_queues_address
from carom.queues.fibonacci import fibonacci_arrays, fibonacci_build, fibonacci_check, fibonacci_set, fibonacci_top
from carom.queues.heap4 import heap4_arrays, heap4_build, heap4_check, heap4_set, heap4_top
from carom.queues.order import LINK_SLOTS, NO_SLOT, Links, Ties, Times
from carom.queues.pairing import pairing_arrays, pairing_build, pairing_check, pairing_set, pairing_top
from carom.queues.reference import reference_arrays, reference_build, reference_check, reference_set, reference_top
from carom.queues.tournament import (
    tournament_arrays,
    tournament_build,
    tournament_check,
    tournament_set,
    tournament_top,
)


@lean_kernel
def _tournament_set(keys, ties, links, slot, time, tie):
    """Entry point from Python to tournament_set, which kernels inline."""
    tournament_set(keys, ties, links, slot, time, tie)


@lean_kernel
def _tournament_top(keys, ties, links):
    """Entry point from Python to tournament_top."""
    return tournament_top(keys, ties, links)


class _Method(NamedTuple):
    arrays: Callable[[int, bool], tuple[Times, Ties, Links]]
    set: Any
    top: Any
    build: Any
    check: Any


_METHODS = {
    "tournament": _Method(tournament_arrays, _tournament_set, _tournament_top, tournament_build, tournament_check),
    "pairing": _Method(pairing_arrays, pairing_set, pairing_top, pairing_build, pairing_check),
    "heap4": _Method(heap4_arrays, heap4_set, heap4_top, heap4_build, heap4_check),
    "fibonacci": _Method(fibonacci_arrays, fibonacci_set, fibonacci_top, fibonacci_build, fibonacci_check),
    "reference": _Method(reference_arrays, reference_set, reference_top, reference_build, reference_check),
}

METHODS = tuple(_METHODS)
"""Names of all methods, fastest first."""


class EventQueue(Copyable):
    """A queue of n slots, with the arrays `keys`, `ties` and `links` that kernels take; it can grow."""

    def __init__(self, n: int, method: str = "tournament", with_ties: bool = False) -> None:
        validate.one_of("queue", method, METHODS)
        if n < 0:
            raise InvalidInputError(f"number of slots is {n}; expected 0 or more")
        self.method = method
        self.with_ties = with_ties
        self._code = _METHODS[method]
        self._allocate(n)

    def _allocate(self, n: int) -> None:
        self.keys, self.ties, self.links = self._code.arrays(n, self.with_ties)
        if self.method != "tournament":
            self.links = np.concatenate((self.links, np.zeros(2, np.int32)))
            self._write_address()

    def _write_address(self) -> None:
        """Write the address of the code of non-default methods behind the links, where kernels read it."""
        self.links[-2:] = np.array([other_queues_address()], np.int64).view(np.int32)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_code"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._code = _METHODS[self.method]
        if self.method != "tournament":  # in another process it is elsewhere
            self._write_address()

    def __len__(self) -> int:
        """Number of slots, with or without an event."""
        return int(self.links[LINK_SLOTS])

    def set(self, slot: int, time: float, tie: int = 0) -> None:
        """Give `slot` a time (inf = none); `tie` matters only where ties are kept."""
        if not 0 <= slot < len(self):
            raise InvalidInputError(f"slot is {slot}; expected 0 to {len(self) - 1}")
        if np.isnan(time):
            raise InvalidInputError(f"time of slot {slot} is nan; expected a number, or inf for no event")
        self._code.set(self.keys, self.ties, self.links, int(slot), float(time), int(tie))

    def top(self) -> int:
        """Return the slot of the earliest (time, tie), or -1 if the queue is empty."""
        return int(self._code.top(self.keys, self.ties, self.links))

    def top_time(self) -> float:
        """Return the earliest time; inf if the queue is empty."""
        slot = self.top()
        return np.inf if slot == NO_SLOT else float(self.keys[slot])

    def time(self, slot: int) -> float:
        """Return the time of `slot`; inf without an event."""
        return float(self.keys[slot])

    def build(self) -> None:
        """Make the queue valid after times were written directly into keys[0:n] (and ties into ties)."""
        self._code.build(self.keys, self.ties, self.links)

    def grow(self, n: int) -> None:
        """Give the queue n slots, at least as many as before; events are kept, new slots have none."""
        used = len(self)
        if n < used:
            raise InvalidInputError(f"number of slots is {n}; expected at least {used}")
        keys, ties = self.keys, self.ties
        self._allocate(n)
        self.keys[:used] = keys[:used]
        self.ties[: ties.shape[0]] = ties
        self.build()

    def check(self) -> bool:
        """Return whether the queue's invariants hold."""
        return bool(self._code.check(self.keys, self.ties, self.links))
