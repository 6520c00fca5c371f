"""The scene of the VADOP paper: spheres of radius 1 at constant density, with random velocities, at 30 frames per second."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom.scenes import placement
from carom.scenes.scene import Scene, make_scene
from carom.shapes import Sphere

Floats = NDArray[np.float64]

RATE = 30.0
"""Frames per second."""
FRAME = 1.0 / RATE
DENSITY = 0.001
"""Default of the volume of all spheres over that of the box."""


SLOWEST_SHARE, FASTEST_SHARE = 0.5, 1.5
"""Speeds of the slowest and the fastest sphere over the typical one."""


def fast_spheres(objects: int, speed: float, density: float = DENSITY, walls: bool = True, seed: int = 1) -> Scene:
    """Return spheres of radius 1 with 0.5 to 1.5 times `speed` radii per frame, in all directions.

    With walls they bounce off each other; without, they pass through each other on straight paths.
    """
    rng = np.random.default_rng(seed)
    side = placement.box_side(np.ones(objects), density)
    positions = placement.scatter(rng, np.ones(objects), side)
    ways = placement.random_directions(rng, objects)
    speeds = rng.uniform(SLOWEST_SHARE, FASTEST_SHARE, (objects, 1)) * (speed * RATE)
    return make_scene(
        "fast spheres", {"objects": objects, "speed": speed, "seed": seed}, [Sphere(1.0)],
        shape_index=0, positions=positions, velocities=ways * speeds,
        walls=(np.zeros(3), np.full(3, side)) if walls else None,
        response={"kind": "elastic", "restitution": 1.0} if walls else {"kind": "none"}, until=1.0,
    )  # fmt: skip


def bullets(objects: int, share: float, speed: float, seed: int = 2) -> Scene:
    """Return spheres of which a fraction `share` moves at `speed` radii per frame; all pass through each other."""
    rng = np.random.default_rng(seed)
    side = placement.box_side(np.ones(objects), DENSITY)
    velocities = placement.random_directions(rng, objects) * (speed * RATE)
    velocities[round(share * objects) :] = 0.0
    return make_scene(
        "bullets", {"objects": objects, "speed": speed, "seed": seed}, [Sphere(1.0)],
        shape_index=0, positions=placement.scatter(rng, np.ones(objects), side), velocities=velocities,
        response={"kind": "none"}, until=1.0,
    )  # fmt: skip


def jet(objects: int, speed: float, seed: int = 3) -> Scene:
    """Return spheres that move in nearly the same direction at `speed` radii per frame and pass through each other."""
    rng = np.random.default_rng(seed)
    side = placement.box_side(np.ones(objects), DENSITY)
    drift = np.array([0.6, 0.48, 0.64]) * (speed * RATE)
    velocities = drift + 0.02 * speed * RATE * rng.standard_normal((objects, 3))
    return make_scene(
        "jet", {"objects": objects, "speed": speed, "seed": seed}, [Sphere(1.0)],
        shape_index=0, positions=placement.scatter(rng, np.ones(objects), side), velocities=velocities,
        response={"kind": "none"}, until=1.0,
    )  # fmt: skip


def flights(objects: int, speed: float, seed: int = 1) -> tuple[Floats, Floats]:
    """Return positions (n, 3) of such spheres, and the displacement (n, 3) of each in one frame."""
    scene = fast_spheres(objects, speed, walls=False, seed=seed)
    return scene.positions, scene.velocities * FRAME


def zone(covering: float, width: float) -> float:
    """Return the half width, rad, of a zone of `width` covering angles."""
    return min(width * covering, 0.5 * math.pi)
