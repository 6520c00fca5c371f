"""The hierarchical hash grid: cells of several sizes, each box at the size that fits it (Mirtich 1996).

The broad phase itself, and how large its cells are. It shares the rest with the uniform grid: the engine (`cell_engine`), the
hook that moves a body to other cells (`cell_update`), and the event loop (`loop`).

Sizes are powers of two of the finest. With 1/2 < box / cell <= 1 at its own level a box touches at most eight cells.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.engine.contract import BroadPhase
from carom.engine.framed.cell_engine import GridEngine
from carom.engine.framed.cell_spans import TOP_LEVEL
from carom.engine.framed.uniform_grid import cell_size

_FEW = 0.001
"""A level for fewer boxes than this share costs all others more than it saves: they go to the next coarser level."""


def hash_cells(sizes: NDArray[np.float64], spacing: float) -> tuple[float, int]:
    """Cells a metre at level 0 for boxes of these sizes (n,), m, with neighbours about `spacing` m apart.

    And the levels to use, as a bit mask.
    """
    positive = sizes[sizes > 0.0]
    if len(positive) == 0:
        return 1.0, 1
    anchor = cell_size(positive, spacing)
    # Level 0 is where the smallest boxes are, as long as the largest still find a level.
    smallest = max(float(positive.min()), float(positive.max()) * 2.0 ** (1 - TOP_LEVEL))
    steps = max(0, int(np.floor(np.log2(cell_size(positive, 0.0) / smallest))))
    base = anchor * 2.0**-steps
    fit = np.clip(np.ceil(np.log2(np.maximum(positive / base, 1.0))), 0, TOP_LEVEL).astype(np.int64)
    counts = np.bincount(fit, minlength=TOP_LEVEL + 1)
    used = counts > _FEW * len(sizes)
    return 1.0 / base, int(np.sum(1 << np.flatnonzero(used)))


HASH_GRID = BroadPhase(
    "hash-grid",
    "the hierarchical hash grid over boxes swept per frame",
    lambda tables, settings: GridEngine(tables, settings.queue, hash_cells, settings.by_axes),
)
