"""Polygons cut into triangles: each in its own plane, so that a notch stays open.

A polygon is cut into a fan where one of its corners sees all others, the first if it does: convex ones are fans of their
first corner. The others lose ears: triangles of three neighbouring corners that hold no other corner.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.io.polygons import PolygonMesh

Array = NDArray[np.float64]
Faces = NDArray[np.int64]

_THIN = 1e-12
"""Twice the area, as a share of the squared extent, below which three corners are taken to be in line."""
_FANS = 8
"""Corners up to which every corner is tried for a fan: small polygons are many, and all are tried at once."""


def triangulated(mesh: PolygonMesh) -> Faces:
    """Triangles (k, 3), rows of vertices, in the order of their polygons: n - 2 for n corners, which turn as the polygon does.

    The plane of a polygon is that of its Newell normal. One that crosses itself or has no area is cut somehow.
    """
    if (mesh.sizes == 3).all():
        return mesh.corners.reshape(-1, 3)
    triangles = np.empty((int((mesh.sizes - 2).sum()), 3), dtype=np.int64)
    begins = np.cumsum(mesh.sizes - 2) - (mesh.sizes - 2)
    for n in np.unique(mesh.sizes).tolist():
        alike = np.flatnonzero(mesh.sizes == n)
        polygons = mesh.corners[mesh.first[alike][:, None] + np.arange(n)]
        cut = _cut(mesh.vertices[polygons]) if n > 3 else np.zeros((len(alike), 1, 3), dtype=np.int64) + np.arange(3)
        rows = begins[alike][:, None] + np.arange(n - 2)
        triangles[rows] = polygons[np.arange(len(alike))[:, None, None], cut]
    return triangles


def _cut(points: Array) -> Faces:
    """Triangles (m, n - 2, 3) of m polygons with n corners at points (m, n, 3), as numbers of corners."""
    flat = _in_plane(points)
    m, n, _ = flat.shape
    fan = np.stack([np.zeros(n - 2, dtype=np.int64), np.arange(1, n - 1), np.arange(2, n)], axis=1)
    cut = np.broadcast_to(fan, (m, n - 2, 3)).copy()
    open_ones = np.flatnonzero(np.abs(flat).max(axis=(1, 2)) > 0.0)
    for turn in range(n if n <= _FANS else 1):
        turned = (fan + turn) % n
        # A fan whose triangles all turn one way covers each point as often as the polygon winds round it: once.
        fits = (_areas(flat[open_ones][:, turned]) > _THIN).all(axis=1)
        cut[open_ones[fits]] = turned
        open_ones = open_ones[~fits]
    for row in open_ones.tolist():
        cut[row] = _ears(flat[row])
    return cut


def _in_plane(points: Array) -> Array:
    """Corners (m, n, 2) in the planes of their polygons, counterclockwise, within 1 of the first; 0 where there is no plane."""
    with np.errstate(all="ignore"):  # coordinates of any size; what has no plane is told below
        around = points - points[:, :1]
        around = around / np.abs(around).max(axis=(1, 2), keepdims=True)
        normal = np.cross(around, np.roll(around, -1, axis=1)).sum(axis=1)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        across = np.cross(np.eye(3)[np.abs(normal).argmin(axis=1)], normal)
        across /= np.linalg.norm(across, axis=1, keepdims=True)
        along = np.cross(normal, across)
        flat = np.stack([(around * across[:, None]).sum(axis=2), (around * along[:, None]).sum(axis=2)], axis=2)
    return np.where(np.isfinite(flat).all(axis=(1, 2), keepdims=True), flat, 0.0)


def _areas(triangles: Array) -> Array:
    """Twice the signed areas of triangles (..., 3, 2), above 0 where they turn counterclockwise."""
    a, b = triangles[..., 1, :] - triangles[..., 0, :], triangles[..., 2, :] - triangles[..., 0, :]
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _ears(flat: Array) -> Faces:
    """Triangles (n - 2, 3) of one polygon with corners (n, 2), counterclockwise."""
    left = list(range(len(flat)))
    cut = []
    k = 0
    while len(left) > 3:
        round_about = [(k + step) % len(left) for step in range(len(left))]
        k = next((at for at in round_about if _is_ear(flat, left, at)), -1)
        if k < 0:  # it crosses itself, or all that is left is in line
            k = int(_areas(flat[np.column_stack([np.roll(left, 1), left, np.roll(left, -1)])]).argmax())
        cut.append((left[k - 1], left[k], left[(k + 1) % len(left)]))
        del left[k]
    return np.array([*cut, left], dtype=np.int64)


def _is_ear(flat: Array, left: list[int], k: int) -> bool:
    """Do the corners around the k-th that is left make a triangle which no other of them is in, or on the border of?"""
    corners = [left[k - 1], left[k], left[(k + 1) % len(left)]]
    ear = flat[corners]
    if _areas(ear) <= _THIN:
        return False
    others = flat[[corner for corner in left if corner not in corners]]
    inside = np.ones(len(others), dtype=bool)
    for a, b in ((0, 1), (1, 2), (2, 0)):
        edge = np.broadcast_to(ear[[a, b]], (len(others), 2, 2))
        inside &= _areas(np.concatenate([edge, others[:, None]], axis=1)) >= -_THIN
        # A corner in the same place, as at a slit, is no obstacle.
        inside &= (np.abs(others - ear[a]) > _THIN).any(axis=1)
    return not inside.any()
