"""Slow exact oracle for convex pairs: distances over all pairs of features, depths over all axes that can separate.

It walks nothing and builds no difference of shapes: it shares no method with GJK, EPA or Lin-Canny.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull

Floats = NDArray[np.float64]


class Solid(NamedTuple):
    """vertices (n, 3), edges (e, 2, 3), triangles (m, 3, 3), normals (k, 3); a flat one, a segment or a point lack some."""

    vertices: Floats
    edges: Floats
    triangles: Floats
    normals: Floats

    def placed(self, turn: Floats, shift: Floats) -> Solid:
        """Each x moved to turn x + shift."""
        moved = [np.asarray(part) @ turn.T + shift for part in self[:3]]
        return Solid(moved[0], moved[1], moved[2], self.normals @ turn.T)


def hull(points: ArrayLike) -> Solid:
    """The solid hull of points (n, 3)."""
    points = np.asarray(points, dtype=float)
    found = ConvexHull(points)
    corners = points[found.simplices]
    pairs = np.unique(np.sort(np.concatenate([found.simplices[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1), axis=0)
    normals = found.equations[:, :3]
    return Solid(points[found.vertices], points[pairs], corners, normals)


def box(extents: ArrayLike) -> Solid:
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    solid = hull(signs)
    size = np.asarray(extents, dtype=float)
    return Solid(solid.vertices * size, solid.edges * size, solid.triangles * size, np.vstack([np.eye(3), -np.eye(3)]))


def triangle(corners: ArrayLike) -> Solid:
    corners = np.asarray(corners, dtype=float)
    edges = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    size = np.linalg.norm(normal)
    normals = np.stack([normal, -normal]) / size if size > 0.0 else np.empty((0, 3))
    return Solid(corners, edges, corners[None], normals)


def segment(start: ArrayLike, end: ArrayLike) -> Solid:
    ends = np.array([start, end], dtype=float)
    return Solid(ends, ends[None], np.empty((0, 3, 3)), np.empty((0, 3)))


def point(place: ArrayLike) -> Solid:
    return Solid(np.array([place], dtype=float), np.empty((0, 2, 3)), np.empty((0, 3, 3)), np.empty((0, 3)))


def rounded(sides: int, bottom: float, top: float, height: float, outside: bool) -> Solid:
    """A prism or pyramid around z with circles of radius `bottom` and `top`, inscribed or, with `outside`, circumscribed."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    scale = 1.0 / np.cos(np.pi / sides) if outside else 1.0
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(sides)], axis=1) * scale
    up = np.array([0.0, 0.0, 0.5 * height])
    return hull(np.vstack([bottom * ring - up, top * ring + up if top > 0.0 else up[None]]))


def _least(squares: Floats) -> float:
    return float(squares.min()) if squares.size else np.inf


def _points_edges(points: Floats, edges: Floats) -> float:
    start, along = edges[:, 0], edges[:, 1] - edges[:, 0]
    length = (along * along).sum(axis=1)
    gap = points[:, None] - start
    t = np.clip((gap * along).sum(axis=2) / np.where(length > 0.0, length, 1.0), 0.0, 1.0)
    return _least(((gap - t[..., None] * along) ** 2).sum(axis=2))


def _points_triangles(points: Floats, triangles: Floats) -> float:
    """Square of the least height of a point over the inside of a triangle."""
    a, u, v = triangles[:, 0], triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    normal = np.cross(u, v)
    size = (normal * normal).sum(axis=1)
    a, u, v, normal, size = (part[size > 0.0] for part in (a, u, v, normal, size))
    gap = points[:, None] - a
    s = (np.cross(gap, v) * normal).sum(axis=2) / size
    t = (np.cross(u, gap) * normal).sum(axis=2) / size
    height = (gap * normal).sum(axis=2) ** 2 / size
    return _least(np.where((s >= 0.0) & (t >= 0.0) & (s + t <= 1.0), height, np.inf))


def _edges_edges(first: Floats, second: Floats) -> float:
    """Square of the least distance of two edges inside both."""
    u, v = (first[:, 1] - first[:, 0])[:, None], (second[:, 1] - second[:, 0])[None]
    gap = second[None, :, 0] - first[:, None, 0]
    normal = np.cross(u, v)
    size = (normal * normal).sum(axis=2)
    crossed = size > 1e-24 * (u * u).sum(axis=2) * (v * v).sum(axis=2)
    size = np.where(crossed, size, 1.0)
    s = (np.cross(gap, np.broadcast_to(v, gap.shape)) * normal).sum(axis=2) / size
    t = (np.cross(gap, np.broadcast_to(u, gap.shape)) * normal).sum(axis=2) / size
    height = (gap * normal).sum(axis=2) ** 2 / size
    return _least(np.where(crossed & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0), height, np.inf))


def surface_distance(a: Solid, b: Solid) -> float:
    """Least distance of the surfaces of two solids that do not overlap."""
    squares = [
        _least(((a.vertices[:, None] - b.vertices) ** 2).sum(axis=2)),
        _points_edges(a.vertices, b.edges),
        _points_edges(b.vertices, a.edges),
        _points_triangles(a.vertices, b.triangles),
        _points_triangles(b.vertices, a.triangles),
        _edges_edges(a.edges, b.edges),
    ]
    return float(np.sqrt(min(squares)))


def _axes(a: Solid, b: Solid) -> Floats:
    """Unit axes (k, 3), both signs, among them every normal of the difference of two solids."""
    u, v = a.edges[:, 1] - a.edges[:, 0], b.edges[:, 1] - b.edges[:, 0]
    crossed = np.cross(u[:, None], v[None]).reshape(-1, 3)
    scale = (np.linalg.norm(u, axis=1)[:, None] * np.linalg.norm(v, axis=1)).ravel()
    size = np.linalg.norm(crossed, axis=1)
    crossed = crossed[size > 1e-12 * scale] / size[size > 1e-12 * scale, None]
    axes = np.vstack([a.normals, b.normals, crossed])
    return np.vstack([axes, -axes])


def depth(a: Solid, b: Solid) -> float:
    """Least translation that parts two solids that overlap; negative where an axis separates them already."""
    axes = _axes(a, b)
    if not len(axes):
        return 0.0
    return float(((axes @ a.vertices.T).max(axis=1) - (axes @ b.vertices.T).min(axis=1)).min())


def gaps_along(a: Solid, b: Solid, rots: Floats, shifts: Floats, normals: Floats) -> Floats:
    """Gaps (n,) between a and b placed by n poses along n unit normals, from a towards b; negative where they overlap."""
    turned = np.einsum("nij,ni->nj", rots.reshape(-1, 3, 3), normals)
    low_b = (turned @ b.vertices.T).min(axis=1) + (shifts * normals).sum(axis=1)
    return low_b - (normals @ a.vertices.T).max(axis=1)


def beyond(solid: Solid, points: Floats) -> Floats:
    """How far (n,) points (n, 3) lie outside the planes of a solid; 0 or below inside."""
    offsets = (solid.vertices @ solid.normals.T).max(axis=0)
    return (points @ solid.normals.T - offsets).max(axis=1)


def unplaced(points: Floats, rots: Floats, shifts: Floats) -> Floats:
    """Points (n, 3) in the frame of a, brought into the frame of b."""
    return np.einsum("nij,ni->nj", rots.reshape(-1, 3, 3), points - shifts)


def spans_space(a: Solid, b: Solid) -> bool:
    """Whether the difference of two solids has a volume; otherwise they can only touch."""
    steps = np.concatenate([(part.edges[:, 1] - part.edges[:, 0]) for part in (a, b)])
    if len(steps) < 3:
        return False
    sizes = np.linalg.svd(steps, compute_uv=False)
    return bool(sizes[2] > 1e-9 * sizes[0])


def signed_distance(a: Solid, b: Solid) -> float:
    """Distance where two solids are apart, minus the depth where they overlap."""
    if not spans_space(a, b):
        return surface_distance(a, b)
    overlap = depth(a, b)
    if overlap >= 0.0:
        return -overlap
    return surface_distance(a, b)


def rotations(rng: np.random.Generator, n: int) -> Floats:
    """Uniform rotations (n, 9), row-major."""
    quat = rng.normal(size=(n, 4))
    w, x, y, z = (quat / np.linalg.norm(quat, axis=1)[:, None]).T
    rows = [
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    ]  # fmt: skip
    return np.ascontiguousarray(np.stack(rows, axis=1))
