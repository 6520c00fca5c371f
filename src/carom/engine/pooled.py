"""What engines share that keep a pool of active pairs, whatever finds them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.engine.base import Engine, Rows
from carom.engine.pool import remember_pairs
from carom.engine.state import FREE_PAIR, N_PAIRS
from carom.errors import AuditError
from carom.layout import NO_ID


class PooledEngine(Engine):
    """An engine whose pairs are in the pool of carom.engine.pool."""

    def pair_rows(self) -> tuple[NDArray[np.int64], Rows, Rows]:
        """Slots of the pairs in the pool and their rows."""
        n = int(self.count[N_PAIRS])
        slots = np.arange(n)[self.node[: 2 * n : 2, 0] != NO_ID]
        return slots, self.node[2 * slots, 0], self.node[2 * slots + 1, 0]

    def remember(self, first: Rows, second: Rows, since: NDArray[np.float64]) -> None:
        """Mark pairs as reported, overlapping or not."""
        self.grow_pairs(int(self.count[N_PAIRS]) + len(first))
        remember_pairs(self.tables.bodies(), self.pairs(), self.tables.run(), first, second, since)

    def check(self, tolerance: float) -> None:
        """Prove the queues, and that every slot of the pool is either a pair or free."""
        super().check(tolerance)
        free, n_free = int(self.count[FREE_PAIR]), 0
        while free != NO_ID:
            free, n_free = int(self.node[2 * free, 1]), n_free + 1
        if n_free + len(self.pair_rows()[0]) != self.count[N_PAIRS]:
            raise AuditError("the chain of free pair slots is broken")
