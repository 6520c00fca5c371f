"""Triangulation of polygons in their own planes, so that notches stay open.

A polygon becomes a fan at one of its corners that sees all others, the first if possible: convex ones are fans of their first
corner. The others are cut by `ear_clipping`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.io.polygons.ear_clipping import IN_LINE, clip_ears
from carom.io.polygons.polygon_mesh import PolygonMesh

Array = NDArray[np.float64]
Faces = NDArray[np.int64]

_FANS = 8  # Up to this number of corners every corner is tried for a fan, all at once


def triangulated(mesh: PolygonMesh) -> Faces:
    """Return triangles (k, 3), rows of vertices, in the order of their polygons: n - 2 for n corners, of the same orientation.

    The plane of a polygon is that of its Newell normal. A polygon that crosses itself or has no area is cut arbitrarily.
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
    """Return triangles (m, n - 2, 3) of m polygons with n corners at points (m, n, 3), as numbers of corners."""
    flat = _in_plane(points)
    m, n, _ = flat.shape
    fan = np.stack([np.zeros(n - 2, dtype=np.int64), np.arange(1, n - 1), np.arange(2, n)], axis=1)
    cut = np.broadcast_to(fan, (m, n - 2, 3)).copy()
    open_ones = np.flatnonzero(np.abs(flat).max(axis=(1, 2)) > 0.0)
    for turn in range(n if n <= _FANS else 1):
        turned = (fan + turn) % n
        # A fan whose triangles all have one orientation covers each point as often as the polygon winds around it: once.
        fits = _turn_left(flat[open_ones][:, turned]).all(axis=1)
        cut[open_ones[fits]] = turned
        open_ones = open_ones[~fits]
    for row in open_ones.tolist():
        cut[row] = clip_ears(flat[row])
    return cut


def _in_plane(points: Array) -> Array:
    """Return corners (m, n, 2) in the planes of their polygons, counterclockwise, within 1 of the first; 0 without a plane."""
    with np.errstate(all="ignore"):  # coordinates of any size; polygons without a plane are handled below
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
    """Return which triangles (..., 3, 2) are counterclockwise and not collinear."""
    a, b = triangles[..., 1, :] - triangles[..., 0, :], triangles[..., 2, :] - triangles[..., 0, :]
    areas = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.asarray(areas > IN_LINE * (np.abs(a).sum(axis=-1) + np.abs(b).sum(axis=-1)))
