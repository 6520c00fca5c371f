"""Chord boxes: a node's tight box at one key, moved linearly into its tight box at the next.

Vertices move linearly between keys, and the largest of linear functions is convex, the smallest concave: the chord between
the two tight boxes bounds everything below the node at all times in between. One pass from the leaves up per key makes
them, and nothing happens to them until the next key.

A box is six numbers, one for each side: minus the lower ends along x, y, z, then the upper ends. Two boxes are apart along
a side of the first when that side plus the opposite side of the second is below zero. The sign of a sum of two doubles is
exact, so "apart at both keys along the same side" proves "apart all the way" without any tolerance.

Boxes are kept in single precision, rounded outwards, about a fixed origin: larger than the true ones by a few 1e-7 of the
scene, and both keys of a node fit in one line of the processor's cache, which is what a search waits for.
"""

from __future__ import annotations

import numpy as np

from carom._jit import inline_kernel, lean_kernel

SIDES = 6
"""Numbers a box."""
SECOND_KEY = 8
"""`boxes` (n_nodes, 16) float32 holds two keys, the even key from column 0, the odd one from this column on."""
COLUMNS = 16
"""64 bytes a node: its two boxes come with one line of the cache."""

_OUTWARDS = 1.2e-7
"""Relative. Rounding to single precision moves a number by at most 6e-8 of itself, the shift of origin by 1.2e-16."""
_TINY = 1e-37
"""Added to a side: below the normal range of single precision rounding is no longer relative. Sides are far from overflow
as long as coordinates are below 1e38; beyond, they become infinite and the boxes meet all others."""


@inline_kernel
def _outwards(side):
    """A side in single precision, not below what it was."""
    return np.float32(side + (abs(side) * _OUTWARDS + _TINY))


@lean_kernel
def fit_boxes(left, right, face, faces, vertices, origin, boxes, at):
    """Boxes of all nodes at one key into columns at .. at + 5. vertices (n, 3 or more), origin (3,)."""
    for node in range(len(left) - 1, -1, -1):
        first = left[node]
        if first < 0:
            i, j, k = faces[face[node], 0], faces[face[node], 1], faces[face[node], 2]
            for d in range(3):
                x, y, z = vertices[i, d], vertices[j, d], vertices[k, d]
                boxes[node, at + d] = _outwards(origin[d] - min(x, min(y, z)))
                boxes[node, at + 3 + d] = _outwards(max(x, max(y, z)) - origin[d])
        else:
            second = right[node]
            for d in range(SIDES):
                x, y = boxes[first, at + d], boxes[second, at + d]
                boxes[node, at + d] = x if x > y else y


@lean_kernel
def fit_stays(left, right, face, faces, low, high, origin, boxes):
    """Boxes of all that nodes reach over several keys, in both halves of the columns. low, high (n, 4): of the vertices."""
    for node in range(len(left) - 1, -1, -1):
        first = left[node]
        if first < 0:
            i, j, k = faces[face[node], 0], faces[face[node], 1], faces[face[node], 2]
            for d in range(3):
                boxes[node, d] = _outwards(origin[d] - min(low[i, d], min(low[j, d], low[k, d])))
                boxes[node, 3 + d] = _outwards(max(high[i, d], max(high[j, d], high[k, d])) - origin[d])
        else:
            second = right[node]
            for d in range(SIDES):
                x, y = boxes[first, d], boxes[second, d]
                boxes[node, d] = x if x > y else y
        for d in range(SIDES):
            boxes[node, SECOND_KEY + d] = boxes[node, d]
