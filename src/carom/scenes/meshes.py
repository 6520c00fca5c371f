"""Procedural triangle meshes for the built-in scenes: closed, outward-facing, bounding radius 1 about the origin."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from carom.maths.fixed_order import product
from carom.maths.normals import standard_normals
from carom.maths.powers import exponentials
from carom.maths.trigonometry import cosines, sines

Array = NDArray[np.float64]
Faces = NDArray[np.int64]
MeshData = tuple[Array, Faces]
"""Vertices (n, 3) and faces (m, 3)."""

_OCTAVES = (1.3, 1.0), (2.08, 0.6), (3.3280000000000007, 0.36), (5.3248000000000015, 0.21599999999999997)
"""Waves per unit and fraction of the roughness of each octave of an asteroid: ratios 1.6 and 0.6."""


def ring() -> MeshData:
    """The 64-triangle ring: a torus of 8 by 4 quads, tube a third of the ring's radius."""
    return _torus_grid(_circle(8) * 0.75, _frames(_circle(8)), lambda u, v: np.full_like(u, 0.25), 4)


def torus_knot(p: int, q: int, thickness: float, ridges: int = 0, n_along: int = 180, n_around: int = 18) -> MeshData:
    """A tube along the (p, q) torus knot, with `ridges` bulges along it. 2 * n_along * n_around triangles."""
    t = _parameter(n_along)
    arm = 2.0 + cosines(q * t)
    curve = np.column_stack([arm * cosines(p * t), arm * sines(p * t), -sines(q * t)])

    def radius(u: Array, v: Array) -> Array:
        return np.asarray(thickness * (1.0 + 0.3 * sines(ridges * u) * (ridges > 0) + 0.06 * cosines(4.0 * v)))

    return _unit(*_torus_grid(curve, _frames(curve), radius, n_around))


def twisted_torus(sides: int, turns: int, n_along: int = 150, n_around: int = 24) -> MeshData:
    """A ring whose cross-section is a rounded polygon that turns by `turns / sides` turns on its way around."""
    circle = _circle(n_along)

    def radius(u: Array, v: Array) -> Array:
        return np.asarray(0.38 * (1.0 + 0.32 * cosines(sides * v + turns * u)))

    return _unit(*_torus_grid(circle, _frames(circle), radius, n_around))


def urchin(spikes: int, height: float, sharpness: float, n: int = 24) -> MeshData:
    """A sphere with rounded spikes in evenly spread directions; a negative height gives craters. 12 n^2 triangles."""
    k = np.arange(spikes) + 0.5
    level = 1.0 - 2.0 * k / spikes
    ring = np.sqrt(1.0 - level * level)
    turn = np.pi * (1.0 + np.sqrt(5.0)) * k
    tips = np.column_stack([ring * cosines(turn), ring * sines(turn), level])
    direction, faces = _cube_sphere(n)
    bump = exponentials(sharpness * (product(direction, tips.T) - 1.0)).max(axis=1)
    return _unit(direction * (1.0 + height * bump)[:, None], faces)


def asteroid(seed: int, roughness: float, n: int = 24) -> MeshData:
    """A sphere displaced by random waves of decreasing size, like a weathered rock. 12 n^2 triangles."""
    rng = np.random.default_rng(seed)
    direction, faces = _cube_sphere(n)
    radius = np.ones(len(direction))
    for finer, share in _OCTAVES:
        waves = standard_normals(rng, 6, 3) * finer
        phases = rng.uniform(0.0, 2.0 * np.pi, 6)
        radius += roughness * share * sines(product(direction, waves.T) + phases).mean(axis=1)
    stretch = 1.0 + 0.25 * rng.uniform(-1.0, 1.0, 3)
    return _unit(direction * radius[:, None] * stretch, faces)


def _parameter(n: int) -> Array:
    return np.arange(n, dtype=np.float64) * (2.0 * np.pi / n)


def _circle(n: int) -> Array:
    t = _parameter(n)
    return np.column_stack([cosines(t), sines(t), np.zeros(n)])


def _frames(curve: Array) -> tuple[Array, Array]:
    """Return normals and binormals (n, 3) of a closed curve by central differences; the curvature must not vanish."""
    tangent = np.roll(curve, -1, axis=0) - np.roll(curve, 1, axis=0)
    bend = np.roll(curve, -1, axis=0) - 2.0 * curve + np.roll(curve, 1, axis=0)
    binormal = np.cross(tangent, bend)
    binormal /= np.linalg.norm(binormal, axis=1, keepdims=True)
    normal = np.cross(binormal, tangent)
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    return normal, binormal


def _torus_grid(
    curve: Array, frames: tuple[Array, Array], radius: Callable[[Array, Array], Array], n_around: int
) -> MeshData:
    """Sweep a closed cross-section of polar radius(u, v) along a closed curve: 2 * len(curve) * n_around triangles."""
    n_along = len(curve)
    u, v = (g.ravel() for g in np.meshgrid(_parameter(n_along), _parameter(n_around), indexing="ij"))
    # The normal points to the inside of the bend: v = 0 is the outer rim, so a ring reaches its full radius.
    normal, binormal = (np.repeat(f, n_around, axis=0) for f in frames)
    out = cosines(v)[:, None] * -normal + sines(v)[:, None] * binormal
    vertices = np.repeat(curve, n_around, axis=0) + radius(u, v)[:, None] * out
    i, j = (g.ravel() for g in np.meshgrid(np.arange(n_along), np.arange(n_around), indexing="ij"))
    a = i * n_around + j
    b = (i + 1) % n_along * n_around + j
    c = (i + 1) % n_along * n_around + (j + 1) % n_around
    d = i * n_around + (j + 1) % n_around
    return vertices, np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])


def _cube_sphere(n: int) -> MeshData:
    """Return the unit sphere from a cube with n by n quads per side, corners spread by the tangent map; vertices are shared."""
    axis = np.arange(n + 1)
    i, j = (g.ravel() for g in np.meshgrid(axis, axis, indexing="ij"))
    quad_i, quad_j = (g.ravel() for g in np.meshgrid(axis[:-1], axis[:-1], indexing="ij"))
    a = quad_i * (n + 1) + quad_j
    b, d = a + (n + 1), a + 1
    c = b + 1
    patch = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    points, faces = [], []
    for side in range(6):
        k, top = side % 3, side // 3
        grid = np.empty((len(i), 3), dtype=np.int64)
        grid[:, k] = n * top
        grid[:, (k + 1) % 3] = i
        grid[:, (k + 2) % 3] = j
        faces.append((patch if top else patch[:, ::-1]) + side * len(i))
        points.append(grid)
    unique, index = np.unique(np.concatenate(points), axis=0, return_inverse=True)
    angle = (unique / n * 2.0 - 1.0) * (np.pi / 4.0)
    cube = sines(angle) / cosines(angle)
    return cube / np.linalg.norm(cube, axis=1, keepdims=True), index.reshape(-1)[np.concatenate(faces)]


def _unit(vertices: Array, faces: Faces) -> MeshData:
    """Centre the mesh at the centre of its box and scale it to bounding radius 1."""
    centred = vertices - (vertices.min(axis=0) + vertices.max(axis=0)) / 2.0
    return centred / np.linalg.norm(centred, axis=1).max(), faces
