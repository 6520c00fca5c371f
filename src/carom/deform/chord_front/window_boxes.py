"""Chord boxes of a window: several consecutive keys, known in advance, with all intervals between them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom._compile.aligned import aligned_zeros
from carom.deform.chord_front.chord_boxes import KEY, MOST_COLUMNS, MOST_KEYS, TWO_KEYS, fit_boxes, fit_keys
from carom.deform.model.assembly import Assembly

Floats = NDArray[np.float64]

MOST_INTERVALS = MOST_KEYS - 1
"""Of a window."""
_STEPS = 16_000
"""From the middle of all vertices to the farthest."""
_SMALL_STEP = 0.03
"""Of the middling extent of triangles: boxes in steps no longer than this are not much larger than they need be."""


_LEAST_REACH = 1e-300
"""Metres. In smaller scenes the number of steps in a metre overflows."""


def window_cuts(intervals: int) -> list[int]:
    """Keys at which windows begin, and the last key: as few windows as can be, all of about the same length."""
    windows = -(-intervals // MOST_INTERVALS)
    return [intervals * k // windows for k in range(windows + 1)]


class WindowBoxes:
    """Boxes of all nodes of an assembly, one window after the other, at all keys of it.

    boxes (n_nodes, 64): int16 where whole steps are fine enough, else float32.
    """

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        reach = assembly.reach
        first = assembly.vertices(0)[assembly.faces][:, :, :3]
        extent = float(np.median(np.ptp(first, axis=1).max(axis=1)))
        self._steps = _STEPS / reach if _SMALL_STEP * extent * _STEPS >= reach > _LEAST_REACH else 0.0
        kind: Any = np.int16 if self._steps else np.float32
        self.boxes = aligned_zeros((len(assembly.tree), MOST_COLUMNS), kind)
        self.places = np.empty((0, 4))
        self.firsts = np.empty(0, np.int64)

    def __len__(self) -> int:
        """Number of intervals of the window."""
        return len(self.firsts) - 1

    def fit(self, places: Floats, firsts: NDArray[np.int64]) -> None:
        """Make the boxes of a window. places (n, 4): vertices at its keys, those of key k from row firsts[k] on."""
        self.places, self.firsts = places, firsts
        tree = self._assembly.tree
        fit_keys(
            tree.left, tree.right, tree.face, self._assembly.faces, places, firsts, self._assembly.origin, self._steps,
            self.boxes,
        )  # fmt: skip


class OneInterval:
    """The same for a window of a single interval. start, end (n, 4): vertices; boxes (n_nodes, 16) float32."""

    def __init__(self, assembly: Assembly, start: Floats, end: Floats) -> None:
        self.boxes = aligned_zeros((len(assembly.tree), TWO_KEYS), np.float32)
        self.places, self.firsts = np.concatenate([start, end]), np.array([0, len(start)])
        origin = 0.5 * (start.min(axis=0) + start.max(axis=0))
        tree = assembly.tree
        for at, places in ((0, start), (KEY, end)):
            fit_boxes(tree.left, tree.right, tree.face, assembly.faces, places, places, origin, self.boxes, at)

    def __len__(self) -> int:
        return 1
