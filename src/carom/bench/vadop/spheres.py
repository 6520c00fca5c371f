"""The scene of paper VADOP: spheres of radius 1 in a box at constant density, with random velocities, at 30 frames a second."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from carom.scenes import placement
from carom.scenes.scene import Scene, make_scene
from carom.shapes import Sphere

Floats = NDArray[np.float64]

RATE = 30.0
"""Frames a second."""
FRAME = 1.0 / RATE
DENSITY = 0.001
"""Volume of all spheres over that of the box, unless another is told."""


SLOWEST_SHARE, FASTEST_SHARE = 0.5, 1.5
"""Speeds of the slowest and the fastest sphere over the typical one."""


def fast_spheres(objects: int, speed: float, density: float = DENSITY, walls: bool = True, seed: int = 1) -> Scene:
    """Spheres of radius 1 at rest nowhere: speeds of 0.5 to 1.5 times `speed` radii a frame, in all directions.

    Between walls they bounce off each other; without, they pass through each other on straight paths.
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
    """Resting spheres, and a `share` of them that fly at `speed` radii a frame; all pass through each other."""
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
    """Spheres that all fly nearly the same way at `speed` radii a frame, and pass through each other."""
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
    """Positions (n, 3) of such spheres, and the way (n, 3) of each in one frame."""
    scene = fast_spheres(objects, speed, walls=False, seed=seed)
    return scene.positions, scene.velocities * FRAME


def zone(covering: float, width: float) -> float:
    """Half width, rad, of a zone that is `width` covering angles wide."""
    return min(width * covering, 0.5 * math.pi)
