"""Slow exact distance of sets of triangles: every corner against every face, every edge against every edge."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def _points_segments(points: Floats, start: Floats, way: Floats) -> Floats:
    """Distance of points to segments start + s way, 0 <= s <= 1; all (..., 3), broadcast."""
    square = (way * way).sum(axis=-1)
    s = np.clip(((points - start) * way).sum(axis=-1) / np.where(square > 0.0, square, 1.0), 0.0, 1.0)
    return np.sqrt(((points - start - s[..., None] * way) ** 2).sum(axis=-1))


def _over_faces(points: Floats, tris: Floats) -> Floats:
    """Height of points (n, 3) over triangles (m, 3, 3) where they are above the face, else inf: (n, m)."""
    normal = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    n2 = (normal * normal).sum(axis=1)
    way = np.roll(tris, -1, axis=1) - tris
    local = points[:, None, None] - tris[None]
    inside = ((np.cross(way[None], local) * normal[None, :, None]).sum(axis=3) >= 0.0).all(axis=2) & (n2 > 0.0)
    height = np.abs((local[:, :, 0] * normal[None]).sum(axis=2)) / np.sqrt(np.where(n2 > 0.0, n2, 1.0))
    return np.where(inside, height, np.inf)


def _edges(tris: Floats) -> tuple[Floats, Floats]:
    start = tris.reshape(-1, 3)
    return start, np.roll(tris, -1, axis=1).reshape(-1, 3) - start


def _edge_edge(tris_a: Floats, tris_b: Floats) -> float:
    (a, u), (b, w) = _edges(tris_a), _edges(tris_b)
    a, u, b, w = a[:, None], u[:, None], b[None], w[None]
    best = min(
        float(_points_segments(points, start, way).min())
        for points, start, way in ((a, b, w), (a + u, b, w), (b, a, u), (b + w, a, u))
    )
    normal = np.cross(u, w)
    n2 = (normal * normal).sum(axis=2)
    gap = b - a
    s = (np.cross(gap, np.broadcast_to(w, gap.shape)) * normal).sum(axis=2)
    t = (np.cross(gap, np.broadcast_to(u, gap.shape)) * normal).sum(axis=2)
    crossing = (n2 > 0.0) & (s >= 0.0) & (s <= n2) & (t >= 0.0) & (t <= n2)
    apart = np.abs((gap * normal).sum(axis=2)) / np.sqrt(np.where(n2 > 0.0, n2, 1.0))
    return min(best, float(np.where(crossing, apart, np.inf).min()))


def _pierces(tris_a: Floats, tris_b: Floats) -> bool:
    """Does an edge of a cross a face of b from one side to the other?"""
    start, way = _edges(tris_a)
    normal = np.cross(tris_b[:, 1] - tris_b[:, 0], tris_b[:, 2] - tris_b[:, 0])
    h0 = ((start[:, None] - tris_b[None, :, 0]) * normal).sum(axis=2)
    h1 = ((start[:, None] + way[:, None] - tris_b[None, :, 0]) * normal).sum(axis=2)
    crosses = (h0 * h1 < 0.0).nonzero()
    for i, j in zip(*crosses, strict=True):
        point = start[i] + way[i] * (h0[i, j] / (h0[i, j] - h1[i, j]))
        if np.isfinite(_over_faces(point[None], tris_b[j : j + 1])[0, 0]):
            return True
    return False


def triangle_distance(tris_a: Floats, tris_b: Floats) -> float:
    """Distance of two surfaces, triangles (n, 3, 3) and (m, 3, 3); 0 where they cross.

    In extended precision where the platform has it: normals of slivers lose half the digits.
    """
    tris_a, tris_b = tris_a.astype(np.longdouble), tris_b.astype(np.longdouble)
    if _pierces(tris_a, tris_b) or _pierces(tris_b, tris_a):
        return 0.0
    corners_a, corners_b = tris_a.reshape(-1, 3), tris_b.reshape(-1, 3)
    faces = min(float(_over_faces(corners_a, tris_b).min()), float(_over_faces(corners_b, tris_a).min()))
    return min(faces, _edge_edge(tris_a, tris_b))
