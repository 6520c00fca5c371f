"""Chord boxes: a node's tight box at one key, moved linearly into its tight box at the next.

Vertices move linearly between keys, and the largest of linear functions is convex, the smallest concave: the chord between
the two tight boxes bounds everything below the node at all times in between. One pass from the leaves up per key makes
them, and nothing happens to them until the next key.

A box is six numbers, one for each side: minus the lower ends along x, y, z, then the upper ends. Two boxes are apart along
a side of the first when that side plus the opposite side of the second is below zero. The sign of a sum of two doubles is
exact, so "apart at both keys along the same side" proves "apart all the way" without any tolerance.
"""

from __future__ import annotations

from carom._jit import inline_kernel, lean_kernel

SIDES = 6
"""Numbers a box; `boxes` (n_nodes, 12) holds those of two keys, the even key in columns 0 to 5, the odd one in 6 to 11."""

WINDOW_SLACK = 16.0 * 2.0**-53
"""Relative. A window's end is a quotient of two sums, each rounded once: off by at most 4 units of 2^-53, so this much
outwards is on the safe side."""


@lean_kernel
def fit_boxes(left, right, face, faces, vertices, boxes, at):
    """Tight boxes of all nodes at one key into columns at .. at + 5. vertices (n, 3)."""
    for node in range(len(left) - 1, -1, -1):
        first = left[node]
        if first < 0:
            i, j, k = faces[face[node], 0], faces[face[node], 1], faces[face[node], 2]
            for d in range(3):
                x, y, z = vertices[i, d], vertices[j, d], vertices[k, d]
                boxes[node, at + d] = -min(x, min(y, z))
                boxes[node, at + 3 + d] = max(x, max(y, z))
        else:
            second = right[node]
            for d in range(SIDES):
                x, y = boxes[first, at + d], boxes[second, at + d]
                boxes[node, at + d] = x if x > y else y


@inline_kernel
def opposite(side):
    """The side of another box that faces `side`."""
    return side + 3 if side < 3 else side - 3


@inline_kernel
def apart_along(boxes, a, b, side, here, there):
    """Are the chord boxes of nodes a and b apart along `side` of a, at both keys and so all the way?"""
    other = opposite(side)
    return (
        boxes[a, here + side] + boxes[b, here + other] < 0.0 and boxes[a, there + side] + boxes[b, there + other] < 0.0
    )


@inline_kernel
def _worse(boxes, a, b, side, other, here, there):
    """The larger of the two sums of facing sides: below zero when the boxes are apart along `side` at both keys."""
    x = boxes[a, here + side] + boxes[b, here + other]
    y = boxes[a, there + side] + boxes[b, there + other]
    return x if x > y else y


@inline_kernel
def widest_gap(boxes, a, b, here, there):
    """(side, sum): the side along which nodes a and b are farthest apart over both keys; sum < 0 means apart."""
    g0 = _worse(boxes, a, b, 0, 3, here, there)
    g1 = _worse(boxes, a, b, 1, 4, here, there)
    g2 = _worse(boxes, a, b, 2, 5, here, there)
    g3 = _worse(boxes, a, b, 3, 0, here, there)
    g4 = _worse(boxes, a, b, 4, 1, here, there)
    g5 = _worse(boxes, a, b, 5, 2, here, there)
    least = min(min(min(g0, g1), g2), min(min(g3, g4), g5))
    side = 0
    if least == g1:
        side = 1
    if least == g2:
        side = 2
    if least == g3:
        side = 3
    if least == g4:
        side = 4
    if least == g5:
        side = 5
    return side, least


@inline_kernel
def overlap_window(boxes, a, b, here, there):
    """(first, last): times in [0, 1] outside which the chord boxes of a and b are apart; first > last: never together."""
    first = 0.0
    last = 1.0
    for side in range(SIDES):
        other = opposite(side)
        x = boxes[a, here + side] + boxes[b, here + other]
        y = boxes[a, there + side] + boxes[b, there + other]
        if x < 0.0:
            first = max(first, (x / (x - y)) * (1.0 - WINDOW_SLACK))
            if y < 0.0:
                last = -1.0
        elif y < 0.0:
            last = min(last, (x / (x - y)) * (1.0 + WINDOW_SLACK))
    return first, last
