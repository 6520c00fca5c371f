"""The conventional method (paper KSL, section 7): refit the tree at every frame and compare swept boxes.

Every interval between keys is cut into frames; at each the boxes are fitted from the leaves up and joined with those of the
frame before. The search starts anew each frame, from the start pairs (so that it, too, pays nothing for neighbours). With
one frame a key the boxes are exact; in between positions are rounded and the boxes widened by what that may be.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import lean_kernel
from carom.deform.chord_front.chord_boxes import KEY, SIDES, fit_boxes
from carom.deform.chord_front.descent import open_pair
from carom.deform.chord_front.search import Batch
from carom.deform.model.assembly import Assembly
from carom.deform.triangles.lanes.chord_boxes import boxes_meet

_BATCH = 65_536
FRAME_ROUNDING = 4.0 * 2.0**-53
"""Relative to the largest coordinate: two weights, two products and a sum."""

SWEPT_NEXT, SWEPT_FOUND, SWEPT_TESTS = 0, 1, 2


@lean_kernel
def between_into(start, end, share, vertices):
    """Vertices at a share of the interval."""
    for v in range(len(start)):
        for d in range(3):
            vertices[v, d] = (1.0 - share) * start[v, d] + share * end[v, d]


@lean_kernel
def _sweep_into(before, after, pad, swept):
    """Boxes around those before and after, widened by `pad`."""
    for node in range(len(swept)):
        for side in range(SIDES):
            x, y = before[node, side], after[node, side]
            swept[node, side] = (x if x > y else y) + pad


@lean_kernel
def _search(left, right, face, boxes, start, pairs, stack, progress):
    """Leaf pairs whose boxes meet, from the start pairs down. Stops before a start pair that may not fit any more."""
    found = progress[SWEPT_FOUND]
    tests = 0
    entry = progress[SWEPT_NEXT]
    while entry < len(start):
        found_before = found
        depth = 1
        stack[0, 0] = start[entry, 0]
        stack[0, 1] = start[entry, 1]
        full = False
        while depth > 0:
            depth -= 1
            a = stack[depth, 0]
            b = stack[depth, 1]
            tests += 1
            if not boxes_meet(boxes, a, b):
                continue
            if left[a] < 0 and left[b] < 0:
                if found >= len(pairs):
                    full = True
                    break
                pairs[found, 0] = min(face[a], face[b])
                pairs[found, 1] = max(face[a], face[b])
                found += 1
            else:
                depth = open_pair(left, right, a, b, stack, depth)
        if full:
            found = found_before
            break
        entry += 1
    progress[SWEPT_NEXT] = entry
    progress[SWEPT_FOUND] = found
    progress[SWEPT_TESTS] += tests


class SweptTree:
    """Candidates by swept boxes. frames: parts into which each interval between keys is cut."""

    def __init__(self, assembly: Assembly, frames: int) -> None:
        self._assembly = assembly
        self._frames = frames
        n = len(assembly.tree)
        self._before, self._after, self._swept = (np.zeros((n, KEY), np.float32) for _ in range(3))
        self._vertices = np.zeros((int(assembly.first_vertex[-1]), 4))
        self._pairs = np.empty((_BATCH, 2), np.int32)
        self._windows = np.empty((_BATCH, 2))
        self._stack = np.empty((assembly.stack_size, 2), np.int32)
        self._progress = np.zeros(3, np.int64)
        self.box_tests = 0
        self._fit(assembly.vertices(0), self._before)

    def _fit(self, vertices: NDArray[np.float64], boxes: NDArray[np.float32]) -> None:
        tree = self._assembly.tree
        faces, origin = self._assembly.faces, self._assembly.origin
        fit_boxes(tree.left, tree.right, tree.face, faces, vertices, vertices, origin, boxes, 0)

    def interval(self, start: NDArray[np.float64], end: NDArray[np.float64]) -> Iterator[Batch]:
        """Candidates of one interval, frame by frame; intervals come in order. A pair may come in several frames."""
        pad = FRAME_ROUNDING * max(float(np.abs(start).max()), float(np.abs(end).max())) if self._frames > 1 else 0.0
        for frame in range(1, self._frames + 1):
            if frame == self._frames:
                self._fit(end, self._after)
            else:
                between_into(start, end, frame / self._frames, self._vertices)
                self._fit(self._vertices, self._after)
            _sweep_into(self._before, self._after, pad, self._swept)
            yield from self._frame((frame - 1) / self._frames, frame / self._frames)
            self._before, self._after = self._after, self._before

    def _frame(self, first: float, last: float) -> Iterator[Batch]:
        tree, progress = self._assembly.tree, self._progress
        progress[:] = 0
        while progress[SWEPT_NEXT] < len(self._assembly.start):
            entry = int(progress[SWEPT_NEXT])
            _search(
                tree.left, tree.right, tree.face, self._swept, self._assembly.start, self._pairs, self._stack, progress
            )
            found = int(progress[SWEPT_FOUND])
            if found:
                self._windows[:found] = (first, last)
                yield self._pairs, self._windows, found
                progress[SWEPT_FOUND] = 0
            elif progress[SWEPT_NEXT] == entry:
                self._pairs = np.empty((2 * len(self._pairs), 2), np.int32)
                self._windows = np.empty((2 * len(self._windows), 2))
        self.box_tests += int(progress[SWEPT_TESTS])
