"""What engines with a pool of active pairs share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.engine.contract import Engine, Rows
from carom.engine.events.pairs import predict_again, remember_pairs
from carom.errors import AuditError
from carom.tables.body_columns import FLAGS, FREE_ROW, NO_ID
from carom.tables.run_columns import FREE_PAIR, N_PAIRS


class PooledEngine(Engine):
    """Pairs exist only while they need attention."""

    def _others(self, rows: Rows) -> Rows:
        """Rows of all bodies save `rows`."""
        present = np.flatnonzero(self.tables.link[:, FLAGS] != FREE_ROW)
        return np.setdiff1d(present, rows, assume_unique=True).astype(np.int32)

    def pair_rows(self) -> tuple[NDArray[np.int64], Rows, Rows]:
        """Slots of the pairs in the pool and their rows."""
        n = int(self.count[N_PAIRS])
        slots = np.arange(n)[self.node[: 2 * n : 2, 0] != NO_ID]
        return slots, self.node[2 * slots, 0], self.node[2 * slots + 1, 0]

    def remember(self, first: Rows, second: Rows, since: NDArray[np.float64]) -> None:
        """Mark pairs as reported, overlapping or not."""
        self.grow_pairs(int(self.count[N_PAIRS]) + len(first))
        remember_pairs(self.tables.bodies(), self.pairs(), self.tables.run(), first, second, since)

    def motion_renewed(self, row: int) -> None:
        """Predict the body's active pairs afresh; the broad phase knows only bounds, and these hold."""
        predict_again(self.tables.bodies(), self.pairs(), self.tables.run(), row)

    def check(self, tolerance: float) -> None:
        """Prove that no slot of the pool is lost."""
        super().check(tolerance)
        free, n_free = int(self.count[FREE_PAIR]), 0
        while free != NO_ID:
            free, n_free = int(self.node[2 * free, 1]), n_free + 1
        if n_free + len(self.pair_rows()[0]) != self.count[N_PAIRS]:
            raise AuditError("the chain of free pair slots is broken")
