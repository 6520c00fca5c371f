"""A slow oracle for contacts of turning surfaces: brute-force distances of all triangles at sampled times.

It shares no method with carom.narrow: poses come from scipy, distances from all pairs of vertices, edges and faces.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from carom.motion.motion import Motion
from oracles.naive_narrow import edges

Floats = NDArray[np.float64]


def _vertices_faces(points: Floats, tris: Floats) -> float:
    """Least distance of points (n, 3) from the insides of triangles (m, 3, 3); inf where none is over one."""
    a, u, w = tris[:, 0], tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0]
    normal = np.cross(u, w)
    square = (normal * normal).sum(axis=1)
    p = points[:, None] - a
    f = (np.cross(p, w[None]) * normal).sum(axis=2)
    g = (np.cross(u[None], p) * normal).sum(axis=2)
    over = (f >= 0.0) & (g >= 0.0) & (f + g <= square)
    with np.errstate(all="ignore"):
        height = np.abs((p * normal).sum(axis=2)) / np.sqrt(square)
    return float(np.where(over, height, np.inf).min())


def _edges_edges(first: Floats, second: Floats) -> float:
    """Least distance of segments (n, 2, 3) from segments (m, 2, 3)."""
    a, u = first[:, None, 0], (first[:, 1] - first[:, 0])[:, None]
    b, w = second[None, :, 0], (second[:, 1] - second[:, 0])[None]
    r = a - b
    uu, ww, uw = (u * u).sum(axis=2), (w * w).sum(axis=2), (u * w).sum(axis=2)
    ur, wr = (u * r).sum(axis=2), (w * r).sum(axis=2)
    det = uu * ww - uw * uw
    with np.errstate(all="ignore"):
        inner = np.clip((uw * wr - ur * ww) / det, 0.0, 1.0)
    best = np.inf
    for f in (np.where(det > 1e-18 * uu * ww, inner, 0.0), np.ones_like(det)):
        g = np.clip((uw * f + wr) / ww, 0.0, 1.0)
        f = np.clip((uw * g - ur) / uu, 0.0, 1.0)
        best = min(best, float(((r + f[..., None] * u - g[..., None] * w) ** 2).sum(axis=2).min()))
    return float(np.sqrt(best))


def _pierced(segments: Floats, tris: Floats) -> bool:
    """Does a segment (n, 2, 3) go through a triangle (m, 3, 3)?"""
    p, q = segments[:, None, 0], segments[:, None, 1]
    normal = np.cross(tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0])
    side = ((p - tris[:, 0]) * normal).sum(axis=2) * ((q - tris[:, 0]) * normal).sum(axis=2) < 0.0
    if not side.any():
        return False
    turn = []
    for k in range(3):
        a, b = tris[:, k], tris[:, (k + 1) % 3]
        turn.append(((q - p) * np.cross(a - p, b - p)).sum(axis=2))
    ahead = (turn[0] > 0.0) & (turn[1] > 0.0) & (turn[2] > 0.0)
    behind = (turn[0] < 0.0) & (turn[1] < 0.0) & (turn[2] < 0.0)
    return bool((side & (ahead | behind)).any())


def surfaces_distance(tris_a: Floats, tris_b: Floats) -> float:
    """Distance of two triangle soups (n, 3, 3), (m, 3, 3); 0 if they intersect."""
    edges_a, edges_b = edges(tris_a), edges(tris_b)
    if _pierced(edges_a, tris_b) or _pierced(edges_b, tris_a):
        return 0.0
    return min(
        _vertices_faces(np.unique(tris_b.reshape(-1, 3), axis=0), tris_a),
        _vertices_faces(np.unique(tris_a.reshape(-1, 3), axis=0), tris_b),
        _edges_edges(edges_a, edges_b),
    )


def placed_at(shape, motion: Motion, t: float) -> Floats:
    """Triangles (m, 3, 3) of a shape at time t of its motion."""
    w, x, y, z = motion.orientation
    turn = Rotation.from_rotvec(motion.spin * (t - motion.start)) * Rotation.from_quat([x, y, z, w])
    return (shape.vertices @ turn.as_matrix().T + motion.position_at(t))[shape.faces]


def distance_at(a, b, motion_a: Motion, motion_b: Motion, t: float) -> float:
    """Distance of two surfaces at time t."""
    return surfaces_distance(placed_at(a, motion_a, t), placed_at(b, motion_b, t))


def free_until(a, b, motion_a: Motion, motion_b: Motion, until: float, near: float) -> float:
    """A time up to which the surfaces are proven apart: where they are within `near`, or `until`.

    Steps of the distance over a bound of the relative speed of all points can pass no contact.
    """
    reach = sum(
        float(np.linalg.norm(motion.spin) * np.linalg.norm(shape.vertices, axis=1).max())
        for shape, motion in ((a, motion_a), (b, motion_b))
    )
    pull = float(np.linalg.norm(motion_b.acceleration - motion_a.acceleration))
    t = max(motion_a.start, motion_b.start)
    while t < until:
        off = distance_at(a, b, motion_a, motion_b, t)
        if off <= near:
            return t
        speed = float(np.linalg.norm(motion_b.velocity_at(t) - motion_a.velocity_at(t))) + reach
        if speed == 0.0 and pull == 0.0:
            return until
        t += 2.0 * off / (speed + np.sqrt(speed * speed + 2.0 * pull * off))
    return until
