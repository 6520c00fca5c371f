"""From the kernel's log rows to a ContactLog."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from carom.engine.tables import Tables
from carom.tables import run_columns as run
from carom.tables.body_columns import ID
from carom.types import ContactLog

if TYPE_CHECKING:
    from carom.world.world import World


def read_log(tables: Tables, origin: float) -> ContactLog:
    """Take the contacts out of the kernel's log; rows become body ids."""
    n = int(tables.count[run.N_LOG])
    rows = tables.log[:n].copy()
    tables.count[run.N_LOG] = 0

    def whole(column: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return rows[:, column].astype(np.int64)

    return ContactLog(
        origin + rows[:, run.LOG_TIME],
        tables.link[whole(run.LOG_A), ID].astype(np.int64),
        tables.link[whole(run.LOG_B), ID].astype(np.int64),
        rows[:, run.LOG_POINT : run.LOG_POINT + 3].copy(),
        rows[:, run.LOG_NORMAL : run.LOG_NORMAL + 3].copy(),
        rows[:, run.LOG_SPEED].copy(),
        whole(run.LOG_FEATURE_A),
        whole(run.LOG_FEATURE_B),
        whole(run.LOG_STATUS),
        *_weights(tables, n),
    )


def _weights(tables: Tables, n: int) -> list[NDArray[np.float64]]:
    """Weights of corners in contacts of deforming bodies, taken out of the tables; nothing where there are none."""
    if not tables.weights:
        return []
    weights = np.full((n, 6), np.nan)
    for row, values in tables.weights.items():
        weights[row] = values
    tables.weights.clear()
    return [weights[:, :3].copy(), weights[:, 3:].copy()]


def take_log(world: World) -> None:
    """Put the contacts in the kernel's log aside for the log that `advance` returns."""
    if world._tables.count[run.N_LOG]:
        world._logs.append(read_log(world._tables, world._origin))
