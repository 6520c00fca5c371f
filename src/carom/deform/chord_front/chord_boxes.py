"""Chord boxes: the linear interpolation of a node's tight boxes at two consecutive keys.

Vertices move linearly between keys, and the largest of linear functions is convex, the smallest concave: the chord between
the two tight boxes bounds everything below the node at all times in between. One pass from the leaves up per key makes
them, and nothing happens to them until the next key.

A box is six numbers, one for each side: minus the lower ends along x, y, z, then the upper ends. Two boxes are apart along
a side of the first when that side plus the opposite side of the second is below zero. The sign of a sum of two doubles is
exact, so "apart at both keys along the same side" proves "apart all the way" without any tolerance.

Boxes are kept in single precision, rounded outwards, about a fixed origin: larger than the true ones by a few 1e-7 of the
scene, and both keys of a node fit in one line of the processor's cache, which is what a search waits for. At the keys of a
window they are kept in whole steps where these are fine enough: 16 bits a side, eight keys of a node in two lines.
"""

from __future__ import annotations

from carom._compile.jit import lean_kernel
from carom.deform.triangles.lanes.box_fit import fit_corners, fit_triangle, fit_two, fit_two_rows

SIDES = 6
"""Numbers a box."""
KEY = 8
"""Columns a key: six sides and two that are 0."""
TWO_KEYS = 16
"""Columns of two keys. 64 bytes a node: its two boxes come with one line of the cache."""
MOST_KEYS = 8
MOST_COLUMNS = KEY * MOST_KEYS
"""Of a window: some keys in a row."""


@lean_kernel
def fit_boxes(left, right, face, faces, low, high, origin, boxes, at):
    """Boxes of all nodes into columns at .. at + 7. low, high (n, 4): between which places the vertices are, x, y, z and 0; the
    same array twice at one key. origin (4,), its last 0."""
    width = boxes.shape[1]
    for node in range(len(left) - 1, -1, -1):
        first = left[node]
        if first < 0:
            i, j, k = faces[face[node], 0], faces[face[node], 1], faces[face[node], 2]
            fit_triangle(low, high, i, j, k, origin, boxes, width * node + at)
        else:
            fit_two(boxes, width * first + at, width * right[node] + at, width * node + at)


@lean_kernel
def fit_keys(left, right, face, faces, places, firsts, origin, steps, boxes):
    """Boxes of all nodes at all keys of a window, boxes (n_nodes, MOST_COLUMNS), float32, or int16 in whole steps.

    places (n, 4): vertices at the keys, those of key number m from row firsts[m] on; steps: see fit_corners.
    """
    for node in range(len(left) - 1, -1, -1):
        first = left[node]
        at = MOST_COLUMNS * node
        if first < 0:
            i, j, k = faces[face[node], 0], faces[face[node], 1], faces[face[node], 2]
            for key in range(len(firsts)):
                row = firsts[key]
                fit_corners(places, row + i, row + j, row + k, origin, steps, boxes, at + KEY * key)
        else:
            fit_two_rows(boxes, MOST_COLUMNS * first, MOST_COLUMNS * right[node], at)
