"""Polygons cut into triangles: each in its own plane, so that a notch stays open.

A polygon is cut into a fan where one of its corners sees all others, the first if it does: convex ones are fans of their
first corner. The others are cut by `ear_clipping`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.io.polygons.ear_clipping import IN_LINE, clip_ears
from carom.io.polygons.polygon_mesh import PolygonMesh

Array = NDArray[np.float64]
Faces = NDArray[np.int64]

_FANS = 8  # Corners up to which every corner is tried for a fan: small polygons are many, and all are tried at once


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
        fits = _turn_left(flat[open_ones][:, turned]).all(axis=1)
        cut[open_ones[fits]] = turned
        open_ones = open_ones[~fits]
    for row in open_ones.tolist():
        cut[row] = clip_ears(flat[row])
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


def _turn_left(triangles: Array) -> NDArray[np.bool_]:
    """Which triangles (..., 3, 2) turn counterclockwise, and are not all in line?"""
    a, b = triangles[..., 1, :] - triangles[..., 0, :], triangles[..., 2, :] - triangles[..., 0, :]
    areas = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.asarray(areas > IN_LINE * (np.abs(a).sum(axis=-1) + np.abs(b).sum(axis=-1)))
