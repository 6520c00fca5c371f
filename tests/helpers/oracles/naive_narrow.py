"""Slow exact oracles for pair tests: first contacts by vertex-face and edge-edge roots, and by conservative advancement.

They share no method with carom.narrow, which works on separating axes and trees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from carom.shapes import Box, Convex, Mesh, Shape, Sphere

Floats = NDArray[np.float64]
S = TypeVar("S", bound=Shape)

CUBE = Box((2.0, 2.0, 2.0))
UNIT = {
    "sphere": Sphere(1.0),
    "box": CUBE,
    "convex": Convex(CUBE.vertices),
    "mesh": Mesh(CUBE.vertices, CUBE.faces),
}


class Cloud(Shape):
    """A shape without a pair test."""

    def bounding_sphere(self):
        return np.zeros(3), 1.0

    def extents_along(self, axes, quat):
        return -np.ones(len(axes)), np.ones(len(axes))


def drawn_pairs(rng: np.random.Generator, shapes: Sequence[S], n: int) -> Iterator[tuple[S, S]]:
    """n pairs of shapes, each drawn when it is asked for."""
    for _ in range(n):
        a, b = rng.integers(0, len(shapes), 2)
        yield shapes[a], shapes[b]


def rotation(quat: Floats) -> Floats:
    """Rotation matrix (3, 3) of a unit quaternion w, x, y, z."""
    w, x, y, z = quat
    skew = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * w * skew + 2.0 * skew @ skew


def random_quaternion(rng: np.random.Generator) -> Floats:
    """A unit quaternion (4,), uniform over rotations."""
    quat = rng.normal(size=4)
    return quat / np.linalg.norm(quat)


def placed(shape, quat) -> Floats:
    """Triangles (m, 3, 3) of a shape, turned by `quat`."""
    return (shape.vertices @ rotation(quat).T)[shape.faces]


def _roots(g0: Floats, g1: Floats, g2: Floats) -> Floats:
    """Real roots (..., 2) of g0 + g1 s + g2 s^2, inf where there is none."""
    with np.errstate(all="ignore"):
        disc = g1 * g1 - 4.0 * g0 * g2
        root = np.sqrt(np.where(disc >= 0.0, disc, np.nan))
        q = -0.5 * (g1 + np.where(g1 >= 0.0, root, -root))
        curved = np.stack([q / g2, g0 / q], axis=-1)
        straight = np.stack([-g0 / g1, np.full_like(g0, np.inf)], axis=-1)
        both = np.where((g2 == 0.0)[..., None], straight, curved)
    return np.where(np.isfinite(both), both, np.inf)


def _moved(d: Floats, v: Floats, h: Floats, s: Floats) -> Floats:
    s = np.where(np.isfinite(s), s, 0.0)[..., None]
    return d + s * (v + s * h)


def _corner_face(corners: Floats, tris: Floats, d: Floats, v: Floats, h: Floats, s_from: float) -> float:
    """First time from s_from on at which a corner (n, 3), moving by d + s (v + s h), is on a triangle (m, 3, 3)."""
    a, u, w = tris[:, 0], tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0]
    normal = np.cross(u, w)
    g0 = corners @ normal.T + (normal @ d - (normal * a).sum(axis=1))
    ones = np.ones_like(g0)
    best = np.inf
    for k in range(2):
        s = _roots(g0, ones * (normal @ v), ones * (normal @ h))[..., k]
        p = corners[:, None] + _moved(d, v, h, s) - a
        n2 = (normal * normal).sum(axis=1)
        f = (np.cross(p, w[None]) * normal).sum(axis=2)
        g = (np.cross(u[None], p) * normal).sum(axis=2)
        slack = 1e-12 * n2
        hit = (s >= s_from) & (f >= -slack) & (g >= -slack) & (f + g <= n2 + slack)
        best = min(best, float(np.where(hit, s, np.inf).min()))
    return best


def _edge_edge(first: Floats, second: Floats, d: Floats, v: Floats, h: Floats, s_from: float) -> float:
    """First time at which an edge of `second` (m, 2, 3), moving by d + s (v + s h), meets one of `first` (n, 2, 3)."""
    a, u = first[:, None, 0], (first[:, 1] - first[:, 0])[:, None]
    b, w = second[None, :, 0], (second[:, 1] - second[:, 0])[None]
    normal = np.cross(u, w)
    g0 = (normal * (b + d - a)).sum(axis=2)
    best = np.inf
    n2 = (normal * normal).sum(axis=2)
    for k in range(2):
        s = _roots(g0, normal @ v, normal @ h)[..., k]
        gap = b + _moved(d, v, h, s) - a
        f = (np.cross(gap, np.broadcast_to(w, gap.shape)) * normal).sum(axis=2)
        g = (np.cross(gap, np.broadcast_to(u, gap.shape)) * normal).sum(axis=2)
        slack = 1e-12 * n2
        hit = (s >= s_from) & (n2 > 0.0) & (f >= -slack) & (f <= n2 + slack) & (g >= -slack) & (g <= n2 + slack)
        best = min(best, float(np.where(hit, s, np.inf).min()))
    return best


def first_touch(tris_a: Floats, tris_b: Floats, d: Floats, v: Floats, a: Floats, s_from: float = 0.0) -> float:
    """First time from s_from on at which surfaces that do not intersect then touch; inf if never.

    tris_a (n, 3, 3) stay, tris_b (m, 3, 3) move by d + v s + a s^2 / 2. Generic positions only: no parallel faces or edges.
    """
    h = 0.5 * a
    corners_a, corners_b = (np.unique(t.reshape(-1, 3), axis=0) for t in (tris_a, tris_b))
    best = _corner_face(corners_b, tris_a, d, v, h, s_from)
    best = min(best, _corner_face(corners_a, tris_b, -d, -v, -h, s_from))
    return min(best, _edge_edge(edges(tris_a), edges(tris_b), d, v, h, s_from))


def edges(tris: Floats) -> Floats:
    """Distinct edges (k, 2, 3) of triangles (n, 3, 3)."""
    pairs = np.concatenate([tris[:, [0, 1]], tris[:, [1, 2]], tris[:, [2, 0]]])
    flip = [tuple(p[0]) > tuple(p[1]) for p in pairs]
    pairs[flip] = pairs[flip][:, ::-1]
    return np.unique(pairs.reshape(-1, 6), axis=0).reshape(-1, 2, 3)


def distance_to_triangles(point: Floats, tris: Floats) -> float:
    """Distance of a point (3,) to the nearest of some triangles (n, 3, 3)."""
    best = np.inf
    for k in range(3):
        p, e = tris[:, k], tris[:, (k + 1) % 3] - tris[:, k]
        t = np.clip(((point - p) * e).sum(axis=1) / (e * e).sum(axis=1), 0.0, 1.0)
        best = min(best, float(np.sqrt(((point - p - t[:, None] * e) ** 2).sum(axis=1)).min()))
    u, w = tris[:, 1] - tris[:, 0], tris[:, 2] - tris[:, 0]
    normal = np.cross(u, w)
    n2 = (normal * normal).sum(axis=1)
    p = point - tris[:, 0]
    f = (np.cross(p, w) * normal).sum(axis=1)
    g = (np.cross(u, p) * normal).sum(axis=1)
    over = (f >= 0.0) & (g >= 0.0) & (f + g <= n2)
    heights = np.abs((p * normal).sum(axis=1)) / np.sqrt(n2)
    return min(best, float(np.where(over, heights, np.inf).min()))


def first_touch_ball(
    radius: float, tris: Floats, c: Floats, v: Floats, a: Floats, horizon: float, gap: float = 1e-10
) -> float:
    """First time at which a ball centred at c + v s + a s^2 / 2 touches triangles (n, 3, 3); inf if not by `horizon`.

    Conservative advancement: a step never passes the surface, so that the time found is never late. NaN where a flight
    grazes so closely that it takes too many steps to tell.
    """
    s = 0.0
    for _ in range(5000):
        if s >= horizon:
            return np.inf
        free = distance_to_triangles(c + s * (v + 0.5 * s * a), tris) - radius
        if free <= gap:
            return s
        # Over a step of dt the ball moves at most |v(s)| dt + |a| dt^2 / 2.
        speed, pull = np.linalg.norm(v + s * a), np.linalg.norm(a)
        s += 2.0 * free / (speed + np.sqrt(speed**2 + 2.0 * pull * free))
    return np.nan
