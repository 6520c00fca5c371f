"""Seeded worlds that several tests share."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import carom


def walls(world: carom.World, size: float) -> list[int]:
    """Six immovable half-spaces around the cube [0, size]^3."""
    ids = []
    for d in range(3):
        normal = np.zeros(3)
        normal[d] = 1.0
        ids.append(world.add(carom.HalfSpace(normal, 0.0), mass=np.inf))
        ids.append(world.add(carom.HalfSpace(-normal, -size), mass=np.inf))
    return ids


def lattice(n: int, size: float, jitter: float, rng: np.random.Generator) -> np.ndarray:
    """n points on a cubic lattice in [0, size]^3, each moved by up to `jitter`."""
    side = int(np.ceil(n ** (1.0 / 3.0)))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)[:n]
    return (grid + 0.5) * (size / side) + rng.uniform(-1.0, 1.0, (n, 3)) * jitter


def directions(n: int, rng: np.random.Generator) -> np.ndarray:
    """n random unit vectors."""
    vectors = rng.normal(size=(n, 3))
    return vectors / np.linalg.norm(vectors, axis=1)[:, None]


def gas(n: int, packing: float, seed: int = 1, **options: Any) -> carom.World:
    """Hard spheres of radius 1 in a box, elastic."""
    rng = np.random.default_rng(seed)
    size = (n * 4.0 / 3.0 * np.pi / packing) ** (1.0 / 3.0)
    gap = 0.5 * size / np.ceil(n ** (1.0 / 3.0)) - 1.0
    world = carom.World(response=carom.Elastic(), **options)
    walls(world, size)
    velocities = directions(n, rng) * rng.uniform(0.5, 1.5, (n, 1))
    world.add_many(carom.Sphere(1.0), lattice(n, size, 0.9 * gap, rng), velocities)
    return world


def ring(
    radius: float = 1.0, thickness: float = 0.25, around: int = 8, across: int = 4
) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and faces of a torus of 2*around*across triangles."""
    u = np.arange(around) * 2.0 * np.pi / around
    v = np.arange(across) * 2.0 * np.pi / across
    u, v = np.meshgrid(u, v, indexing="ij")
    reach = radius + thickness * np.cos(v)
    vertices = np.stack((reach * np.cos(u), reach * np.sin(u), thickness * np.sin(v)), axis=-1).reshape(-1, 3)
    faces = []
    for i in range(around):
        for j in range(across):
            a, b = i * across + j, (i + 1) % around * across + j
            c, d = (i + 1) % around * across + (j + 1) % across, i * across + (j + 1) % across
            faces += [(a, b, c), (a, c, d)]
    return vertices, np.array(faces)


def rings(n: int, packing: float, seed: int = 1, **options: Any) -> carom.World:
    """64-triangle rings of random size and orientation in a box, elastic."""
    rng = np.random.default_rng(seed)
    vertices, faces = ring()
    sizes = rng.uniform(0.5, 1.0, n)
    size = (np.sum(4.0 / 3.0 * np.pi * (1.25 * sizes) ** 3) / packing) ** (1.0 / 3.0)
    gap = 0.5 * size / np.ceil(n ** (1.0 / 3.0)) - 1.25
    world = carom.World(response=carom.Elastic(), **options)
    walls(world, size)
    world.add_many(
        [carom.Mesh(vertices * s, faces) for s in sizes],
        lattice(n, size, max(0.0, 0.9 * gap), rng),
        directions(n, rng) * rng.uniform(0.5, 1.5, (n, 1)),
        orientations=rng.normal(size=(n, 4)),
    )
    return world


def energy(world: carom.World) -> float:
    """Kinetic energy of everything that can move."""
    mass = world.masses
    movable = np.isfinite(mass)
    return 0.5 * float(np.sum(mass[movable] * np.sum(world.velocities()[movable] ** 2, axis=1)))


def random_mix(seed: int, accelerate: bool, **options: Any) -> carom.World:
    """Spheres, boxes, convex bodies and rings of random size, mass and motion crossing a small region."""
    rng = np.random.default_rng(seed)
    vertices, faces = ring()
    world = carom.World(**options)
    for k in range(24):
        size = rng.uniform(0.3, 0.8)
        shape: carom.Sphere | carom.Box | carom.Convex | carom.Mesh
        if k % 4 == 0:
            shape = carom.Sphere(size)
        elif k % 4 == 1:
            shape = carom.Box(rng.uniform(0.5, 1.5, 3) * size)
        elif k % 4 == 2:
            shape = carom.Convex(rng.normal(size=(12, 3)) * size)
        else:
            shape = carom.Mesh(vertices * size, faces)
        motion = carom.Motion(
            rng.uniform(-4.0, 4.0, 3),
            rng.uniform(-1.5, 1.5, 3),
            rng.uniform(-0.5, 0.5, 3) if accelerate else (0.0, 0.0, 0.0),
            rng.normal(size=4),
        )
        world.add(shape, motion, mass=rng.uniform(0.5, 2.0))
    return world


def slow_and_fast(
    seed: int, n: int = 120, shapes: bool = False, accelerate: bool = False, **options: Any
) -> carom.World:
    """Small bodies in a box, some a hundred times faster than others, so that many motions change within a frame."""
    rng = np.random.default_rng(seed)
    size = (n / 0.11) ** (1.0 / 3.0)
    world = carom.World(**options)
    walls(world, size)
    fast = rng.uniform(size=n) < rng.choice((0.1, 0.5, 0.9))
    positions = lattice(n, size, 0.0, rng)
    velocities = directions(n, rng) * np.where(fast, rng.uniform(10.0, 300.0, n), rng.uniform(0.0, 2.0, n))[:, None]
    pulls = directions(n, rng) * (5.0 * accelerate * (rng.uniform(size=n) < 0.3))[:, None]
    vertices, faces = ring()
    for k in range(n):
        radius = rng.uniform(0.2, 0.5)
        shape: carom.Shape = carom.Sphere(radius)
        if shapes and k % 3 == 1:
            shape = carom.Box(rng.uniform(0.3, 0.9, 3) * radius)
        elif shapes and k % 3 == 2:
            shape = carom.Mesh(0.7 * radius * vertices, faces)
        world.add(shape, carom.Motion(positions[k], velocities[k], pulls[k]), mass=rng.uniform(0.5, 2.0))
    return world


def lowest(world: carom.World) -> float:
    """Height of the lowest point of the first body."""
    motion = world.motion(0)
    turned = motion.orientation_at(world.time)
    reach = world.shape(0).extents_along(np.array([[0.0, 0.0, 1.0]]), turned)[0][0]
    return float(reach + motion.position_at(world.time)[2])


def falling_spheres(radii: tuple[float, ...], far: float, most: int) -> st.SearchStrategy[list[Any]]:
    """Lists of (radius, position, velocity, gravity) with coordinates up to `far`."""
    vectors = st.tuples(*[st.floats(-far, far)] * 3)
    sphere = st.tuples(st.sampled_from(radii), vectors, vectors, st.sampled_from((0.0, -9.81)))
    return st.lists(sphere, min_size=1, max_size=most)


def log_of(world: carom.World, spheres: list[Any]) -> carom.ContactLog:
    """The contacts of such spheres in a second; the world is audited."""
    for radius, place, velocity, gravity in spheres:
        world.add(carom.Sphere(radius), carom.Motion(place, velocity, (0.0, 0.0, gravity)))
    log = world.advance(1.0)
    world.audit()
    return log
