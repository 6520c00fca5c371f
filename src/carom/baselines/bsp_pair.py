"""Overlap of two closed polyhedra with BSP-trees: the faces of one are pushed down the tree of the other and cut on the way.

The baseline of sphere-trees (Thibault and Naylor 1987; Hubbard 1995, section IX). Exact for solids up to touching: a face that
reaches an inside cell is a hit, and so is a part of one solid completely inside the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling, inline_kernel, lean_kernel
from carom.baselines.bsp_tree import INSIDE, BspTree

Floats = NDArray[np.float64]

_CORNERS = 16
"""Initial room for corners of a polygon: a triangle gains one per cut, and loses most of them at the next."""
_FULL = -2
_TOUCH = 1e-9  # Distance, relative to the size, by which a face must cross a plane to be cut by it


def bsp_collide(a: BspTree, b: BspTree, rots: Floats, shifts: Floats, *, cull: bool = True) -> NDArray[np.bool_]:
    """Return whether the solids overlap at each of n poses. rots (n, 9) and shifts (n, 3) place b in the frame of a.

    cull: omit faces of b whose boxes do not reach the box around a; otherwise all go down the tree, as in the paper.
    """
    low, high = (a.low, a.high) if cull else (np.full(3, -np.inf), np.full(3, np.inf))
    hits = np.zeros(len(rots), np.bool_)
    touch = _TOUCH * float(max((a.high - a.low).max(), (b.high - b.low).max()))
    corners = _CORNERS
    first = 0
    with compiling("the BSP-tree test"):
        while first < len(rots):
            polygons = np.empty((a.depth + 3, corners, 4))
            nodes, counts = np.empty(a.depth + 3, np.int64), np.empty(a.depth + 3, np.int64)
            first = _collide_poses(
                a.planes, a.children, low, high, a.probes, b.planes, b.children, b.tris, rots, shifts, first,
                touch, polygons, nodes, counts, hits,
            )  # fmt: skip
            corners *= 2
    return hits


@inline_kernel
def _inside(planes, children, x, y, z):
    """Return whether the point is in an inside cell."""
    node = 0
    while node >= 0:
        ahead = planes[node, 0] * x + planes[node, 1] * y + planes[node, 2] * z >= planes[node, 3]
        node = children[node, 0] if ahead else children[node, 1]
    return node == INSIDE


@inline_kernel
def _halve(polygon, n, front, behind):
    """Cut a polygon with heights over the plane in column 3 into the parts in front and behind; corners of each, or _FULL."""
    n_front = n_behind = 0
    if n + 2 > len(polygon):
        return _FULL, _FULL
    for k in range(n):
        after = k + 1 if k + 1 < n else 0
        h, h_after = polygon[k, 3], polygon[after, 3]
        x, y, z = polygon[k, 0], polygon[k, 1], polygon[k, 2]
        if h >= 0.0:
            front[n_front, 0], front[n_front, 1], front[n_front, 2] = x, y, z
            n_front += 1
        if h <= 0.0:
            behind[n_behind, 0], behind[n_behind, 1], behind[n_behind, 2] = x, y, z
            n_behind += 1
        if (h > 0.0 and h_after < 0.0) or (h < 0.0 and h_after > 0.0):
            s = h / (h - h_after)
            x += s * (polygon[after, 0] - x)
            y += s * (polygon[after, 1] - y)
            z += s * (polygon[after, 2] - z)
            front[n_front, 0], front[n_front, 1], front[n_front, 2] = x, y, z
            behind[n_behind, 0], behind[n_behind, 1], behind[n_behind, 2] = x, y, z
            n_front += 1
            n_behind += 1
    return n_front, n_behind


@inline_kernel
def _face_enters(planes, children, touch, polygons, nodes, counts):
    """Return 1 if polygons[0], a triangle, reaches an inside cell, else 0, or _FULL.

    A popped polygon is replaced by one or two at deeper nodes, so the stack holds one polygon per level, and the loop ends.
    """
    nodes[0], counts[0] = 0, 3
    size = 1
    while size > 0:
        size -= 1
        node, n = nodes[size], counts[size]
        polygon = polygons[size]
        lowest, highest = 0.0, 0.0
        while node >= 0:
            nx, ny, nz, offset = planes[node, 0], planes[node, 1], planes[node, 2], planes[node, 3]
            lowest, highest = np.inf, -np.inf
            for k in range(n):
                h = polygon[k, 0] * nx + polygon[k, 1] * ny + polygon[k, 2] * nz - offset
                polygon[k, 3] = h
                lowest, highest = min(lowest, h), max(highest, h)
            if lowest >= -touch:
                node = children[node, 0]
            elif highest <= touch:
                node = children[node, 1]
            else:
                break
        if node < 0:
            if node == INSIDE:
                return 1
            continue
        spare = polygons[len(polygons) - 1]
        n_front, n_behind = _halve(polygon, n, polygons[size + 1], spare)
        if n_front == _FULL:
            return _FULL
        for k in range(n_behind):
            polygon[k, 0], polygon[k, 1], polygon[k, 2] = spare[k, 0], spare[k, 1], spare[k, 2]
        nodes[size], counts[size] = children[node, 1], n_behind
        nodes[size + 1], counts[size + 1] = children[node, 0], n_front
        size += 2
    return 0


@lean_kernel
def _collide_poses(
    planes, children, low, high, probes, planes_b, children_b, tris, rots, shifts, first, touch, polygons, nodes,
    counts, hits,
):  # fmt: skip
    """Test poses from `first` on: faces of b whose boxes reach the box of a, then parts of a completely inside b.

    Returns the pose at which a polygon had too many corners, or n.
    """
    for pose in range(first, len(rots)):
        rot, shift = rots[pose], shifts[pose]
        hits[pose] = False
        polygon = polygons[0]
        for row in range(len(tris)):
            out = False
            for r in range(3):
                lowest, highest = np.inf, -np.inf
                for c in range(3):
                    x = (
                        rot[3 * r] * tris[row, 3 * c]
                        + rot[3 * r + 1] * tris[row, 3 * c + 1]
                        + rot[3 * r + 2] * tris[row, 3 * c + 2]
                        + shift[r]
                    )
                    polygon[c, r] = x
                    lowest, highest = min(lowest, x), max(highest, x)
                if lowest > high[r] or highest < low[r]:
                    out = True
                    break
            if out:
                continue
            found = _face_enters(planes, children, touch, polygons, nodes, counts)
            if found == _FULL:
                return pose
            if found == 1:
                hits[pose] = True
                break
        if hits[pose]:
            continue
        for k in range(len(probes)):
            x, y, z = probes[k, 0] - shift[0], probes[k, 1] - shift[1], probes[k, 2] - shift[2]
            if _inside(
                planes_b,
                children_b,
                rot[0] * x + rot[3] * y + rot[6] * z,
                rot[1] * x + rot[4] * y + rot[7] * z,
                rot[2] * x + rot[5] * y + rot[8] * z,
            ):
                hits[pose] = True
                break
    return len(rots)
