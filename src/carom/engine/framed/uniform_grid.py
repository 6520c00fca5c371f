"""The uniform grid: one size of cells for all bodies (Turk 1989, Mirtich 1996).

The broad phase itself, and how large its cells are. It shares the rest with the hash grid: the engine (`cell_engine`), the hook
that moves a body to other cells (`cell_update`), and the event loop (`loop`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.engine.contract import BroadPhase
from carom.engine.framed.cell_engine import GridEngine

_MOST = 0.9
"""The share of the boxes that counts as most."""

_CELL = 1.25
"""Cells are at least this much larger than a box that is larger than most: with smaller ones there are more to enter."""

_ROOM = 0.6
"""Cells are at least this share of the distance of neighbours: where bodies are far apart, a cell may be much larger than
their boxes without holding many of them, and is left less often."""


def cell_size(sizes: NDArray[np.float64], spacing: float) -> float:
    """Size of the cells, m, for boxes of these sizes (n,), m, with neighbours about `spacing` m apart; 0 for none."""
    size = _CELL * float(np.quantile(sizes, _MOST)) if len(sizes) else 0.0
    return max(size, _ROOM * spacing)


def uniform_cells(sizes: NDArray[np.float64], spacing: float) -> tuple[float, int]:
    """Cells a metre for such boxes, and the one level that a uniform grid has, as a bit mask."""
    size = cell_size(sizes, spacing)
    return (1.0 / size if size > 0.0 else 1.0), 1


UNIFORM_GRID = BroadPhase(
    "uniform-grid",
    "the uniform grid over boxes swept per frame",
    lambda tables, settings: GridEngine(tables, settings.queue, uniform_cells, False),
)
