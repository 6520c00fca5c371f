"""Feature pairs that are hard to decide: (points (n, 8, 3), edges (n,)) by family, all seeded."""

from __future__ import annotations

import numpy as np

Sample = tuple[np.ndarray, np.ndarray]


def _kinds(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.random(n) < 0.5


def lattice(rng: np.random.Generator, n: int) -> Sample:
    """Small integers: every second contact is degenerate."""
    return rng.integers(-2, 3, (n, 8, 3)).astype(float), _kinds(rng, n)


def flat(rng: np.random.Generator, n: int) -> Sample:
    """Motion within a plane or a line, rigid translations and rigid edges, on a lattice."""
    points = rng.integers(-3, 4, (n, 8, 3)).astype(float)
    which = rng.integers(0, 4, n)
    points[which == 0, :, 2] = 0.0
    points[which == 1, :, 1:] = 0.0
    moved = which == 2
    points[moved, 4:] = points[moved, :4] + rng.integers(-2, 3, (moved.sum(), 1, 3))
    rigid = rng.random(n) < 0.3
    points[rigid, 5] = points[rigid, 4] + points[rigid, 1] - points[rigid, 0]
    return points, _kinds(rng, n)


def tilted_plane(rng: np.random.Generator, n: int) -> Sample:
    """Motion within a plane that is not along the axes, exactly: z = 2 x - y."""
    points = rng.integers(-4, 5, (n, 8, 3)).astype(float)
    points[:, :, 2] = 2.0 * points[:, :, 0] - points[:, :, 1]
    return points, _kinds(rng, n)


def repeated(rng: np.random.Generator, n: int) -> Sample:
    """Points that coincide at the start, at the end or always."""
    points = rng.integers(-2, 3, (n, 8, 3)).astype(float)
    for row in points:
        a, b = rng.integers(0, 4, 2)
        ends = rng.integers(0, 3)
        if ends != 1:
            row[a] = row[b]
        if ends != 0:
            row[a + 4] = row[b + 4]
    return points, _kinds(rng, n)


def touching(rng: np.random.Generator, n: int, nudged: bool = True) -> Sample:
    """An exact touch at a dyadic time, on corners and sides often; scaled, moved, turned, and some numbers off by one ulp."""
    edges = _kinds(rng, n)
    grid = 2.0 ** rng.integers(1, 21, n)

    def whole(*shape: int) -> np.ndarray:
        return np.round(rng.uniform(-1.0, 1.0, (n, *shape)) * grid.reshape(-1, *(1,) * len(shape)))

    corners = 8.0 * whole(3, 3)
    weights = np.sort(rng.integers(0, 9, (n, 2)), axis=1)
    weights = np.stack([weights[:, 0], weights[:, 1] - weights[:, 0], 8 - weights[:, 1]], axis=1)
    on_corner, on_side = rng.random(n) < 0.2, rng.random(n) < 0.3
    weights[on_side, 1] += weights[on_side, 2]
    weights[on_side, 2] = 0
    weights[on_corner] = (8, 0, 0)
    at = np.empty((n, 4, 3))
    at[:, 0], at[:, 1:] = (weights[:, :, None] * corners).sum(axis=1) / 8.0, corners

    along = whole(2, 3)
    parallel = rng.random(n) < 0.25
    along[parallel, 1] = along[parallel, 0] * rng.integers(-2, 3, (parallel.sum(), 1))
    place = rng.integers(0, 9, (n, 2))
    place[on_corner, 0], place[on_side, 1] = 0, 8
    origin = whole(3)
    for k in range(2):
        at[edges, 2 * k] = (origin - place[:, k, None] * along[:, k])[edges]
        at[edges, 2 * k + 1] = (origin + (8 - place[:, k, None]) * along[:, k])[edges]

    velocity = whole(4, 3)
    rigid, planar = rng.random(n) < 0.3, rng.random(n) < 0.2
    velocity[rigid] = velocity[rigid, :1]
    velocity[planar, :, 2], at[planar, :, 2] = 0.0, 0.0
    halvings = rng.integers(0, 4, n)
    turn = rng.integers(0, 2**halvings + 1)[:, None, None]
    points = np.concatenate((at - turn * velocity, at + ((2**halvings)[:, None, None] - turn) * velocity), axis=1)

    points *= (2.0 ** rng.integers(-30, 10, n))[:, None, None]
    far = rng.random(n) < 0.3
    size = np.abs(points[far]).max(axis=(1, 2)) * 10.0 ** rng.integers(0, 6, far.sum())
    points[far] += rng.uniform(-1.0, 1.0, (far.sum(), 1, 3)) * size[:, None, None]
    turned = rng.random(n) < 0.3
    points[turned] = points[turned] @ np.linalg.qr(rng.normal(size=(turned.sum(), 3, 3)))[0]
    if nudged:
        chosen = (rng.random(points.shape) < 0.1) & (rng.random(n) < 0.5)[:, None, None]
        towards = np.where(rng.random(points.shape) < 0.5, np.inf, -np.inf)
        points = np.where(chosen, np.nextafter(points, towards), points)
    return points, edges


def mixed_sizes(rng: np.random.Generator, n: int) -> Sample:
    """A lattice with numbers far smaller added to some of its coordinates."""
    points = rng.integers(-2, 3, (n, 8, 3)).astype(float)
    small = rng.normal(size=points.shape) * 2.0 ** rng.integers(-120, 5, points.shape)
    return np.where(rng.random(points.shape) < 0.3, points + small, points), _kinds(rng, n)


def tiny_and_huge(rng: np.random.Generator, n: int) -> Sample:
    """Lattices from the smallest denormals up to 1e300, some with sizes 2^300 apart in one pair."""
    points = rng.integers(-2, 3, (n, 8, 3)).astype(float)
    points = np.ldexp(points, rng.integers(-1074, 700, n)[:, None, None])
    both = rng.random(n) < 0.3
    points[both] = np.ldexp(points[both], rng.integers(0, 300, points[both].shape))
    return points, _kinds(rng, n)


def generic(rng: np.random.Generator, n: int) -> Sample:
    """Random motion: nothing degenerate."""
    return rng.normal(size=(n, 8, 3)), _kinds(rng, n)


FAMILIES = (lattice, flat, tilted_plane, repeated, touching, mixed_sizes, tiny_and_huge, generic)
