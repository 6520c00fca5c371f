"""Chord boxes of consecutive intervals: two keys at a time, with one new key per interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.aligned import aligned_zeros
from carom.deform.chord_front.chord_boxes import KEY, TWO_KEYS, fit_boxes
from carom.deform.model.assembly import Assembly
from carom.deform.model.vertex_envelope import Course


class IntervalBoxes:
    """Chord boxes of all nodes of an assembly. start: vertices (n, 4) where the first interval begins."""

    def __init__(self, assembly: Assembly, start: NDArray[np.float64]) -> None:
        self._assembly = assembly
        self._origin = 0.5 * (start.min(axis=0) + start.max(axis=0))
        self.boxes = aligned_zeros((len(assembly.tree), TWO_KEYS), np.float32)
        """The even key from column 0, the odd one from KEY on."""
        self._far: NDArray[np.float32] | None = None
        self.odd = 0
        """1 where the interval begins at the key in the second half of the columns."""
        self._fit_into(self.boxes, start, start, 0)

    def far_boxes(self, course: Course) -> NDArray[np.float32]:
        """Chord boxes over several keys at once; good until they are asked for again."""
        if self._far is None:
            self._far = aligned_zeros(self.boxes.shape, np.float32)
        self._fit_into(self._far, course.start_low, course.start_high, 0)
        self._fit_into(self._far, course.end_low, course.end_high, KEY)
        return self._far

    def enter(self, key: int, end: NDArray[np.float64]) -> None:
        """Make the boxes of the interval that begins at `key`; intervals come in order. end: vertices at its end."""
        self.odd = key % 2
        self._fit_into(self.boxes, end, end, KEY * (1 - self.odd))

    def _fit_into(
        self, boxes: NDArray[np.float32], low: NDArray[np.float64], high: NDArray[np.float64], at: int
    ) -> None:
        tree = self._assembly.tree
        fit_boxes(tree.left, tree.right, tree.face, self._assembly.faces, low, high, self._origin, boxes, at)
