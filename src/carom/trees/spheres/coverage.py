"""Verification that the spheres of a tree cover a surface at every level, independent of the builder."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, inline_kernel, lean_kernel
from carom.trees.tiling import cut_into

_CUTS = 100
"""Cuts above one another: two halve a piece, so that no piece that spheres of any size cover is left."""
_NODES = 1024
"""Rows for spheres that wait: seven a level at most."""


def first_uncovered(
    tris: NDArray[np.float64], spheres: NDArray[np.float64], child_start: NDArray[np.int32], n_leaves: int
) -> int:
    """Row of the first of the triangles (m, 9) of which a part is not covered; -1 if all are.

    A part is covered if a way leads from the root to a leaf on which every sphere holds it: then every level covers it, and
    children cover it where their parent does. What is not held whole is cut in the middle of its longest edge.
    """
    with compiling("the check of sphere-trees"):
        pieces, depth = np.empty((_CUTS + 2, 9)), np.empty(_CUTS + 2, np.int64)
        first_leaf = len(spheres) - n_leaves
        return int(_first_uncovered(tris, spheres, child_start, first_leaf, pieces, depth, np.empty(_NODES, np.int64)))


@inline_kernel
def _holds(spheres, node, piece):
    x, y, z, r = spheres[node, 0], spheres[node, 1], spheres[node, 2], spheres[node, 3]
    for k in range(0, 9, 3):
        dx, dy, dz = piece[k] - x, piece[k + 1] - y, piece[k + 2] - z
        if dx * dx + dy * dy + dz * dz > r * r:
            return False
    return True


@inline_kernel
def _covered(spheres, child_start, first_leaf, piece, waiting):
    """Depth first through the spheres that hold the piece, until a leaf does."""
    waiting[0] = 0
    size = 1
    while size > 0:
        size -= 1
        node = waiting[size]
        if not _holds(spheres, node, piece):
            continue
        if node >= first_leaf:
            return True
        for child in range(child_start[node], child_start[node + 1]):
            if size < len(waiting):
                waiting[size] = child
                size += 1
    return False


@lean_kernel
def _first_uncovered(tris, spheres, child_start, first_leaf, pieces, depth, waiting):
    for row in range(len(tris)):
        for d in range(9):
            pieces[0, d] = tris[row, d]
        depth[0] = 0
        size = 1
        while size > 0:
            piece = pieces[size - 1]
            if _covered(spheres, child_start, first_leaf, piece, waiting):
                size -= 1
                continue
            if depth[size - 1] == _CUTS:
                return row
            cut_into(piece, pieces[size], piece)
            depth[size - 1] += 1
            depth[size] = depth[size - 1]
            size += 1
    return -1
