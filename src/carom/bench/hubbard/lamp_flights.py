"""Relative poses of two lamps in flight, for the comparison of sphere-trees and BSP-trees.

As in the paper's spaceship simulator, ships fly past each other, turning, and one jumps back as soon as they touch: flights end
at the first contact, so no two lamps are ever deep inside each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.narrow.mesh.mesh_pair import mesh_collide
from carom.shapes import Mesh
from carom.trees.obb.tree import tree_of

Floats = NDArray[np.float64]

_STEP = 0.06  # Distance that a lamp flies per frame, in bounding radii
_TURN = 0.08  # Angle that it turns per frame, radians
_FAR = 2.0 * np.sqrt(3.0)  # Distance of centres, in bounding radii, up to which bounding cubes may overlap


def lamp_flights(mesh: Mesh, flights: int, seed: int) -> tuple[Floats, Floats]:
    """Return poses of one lamp in the frame of another, rots (n, 9) and shifts (n, 3), in which bounding cubes overlap.

    Paths are straight, in random directions, and pass the other lamp at the distances of a cloud of ships; a lamp turns at
    a constant rate about a random axis. A flight ends at the first contact, which is its last pose.
    """
    rng = np.random.default_rng(seed)
    frames = int(2.0 * _FAR / _STEP) + 1
    course = _directions(rng, flights)
    aside = np.cross(course, _directions(rng, flights))
    aside *= _FAR * np.sqrt(rng.random((flights, 1))) / np.linalg.norm(aside, axis=1, keepdims=True)
    start = aside - _FAR * course
    axis = _directions(rng, flights)
    attitude = _rotations(_directions(rng, flights), rng.uniform(0.0, np.pi, flights))
    tree = tree_of(mesh)
    radius = mesh.bounding_sphere()[1]
    centre = np.asarray(mesh.bounding_sphere()[0])
    flying = np.arange(flights)
    rots, shifts, order = [], [], []
    for frame in range(frames):
        turn = _rotations(axis[flying], np.full(len(flying), _TURN * frame)) @ attitude[flying]
        at = radius * (start[flying] + _STEP * frame * course[flying])
        near = np.abs(at).max(axis=1) <= 2.0 * radius
        rot = np.ascontiguousarray(turn[near].reshape(-1, 9))
        # The lamps turn about the centres of their bounding spheres.
        shift = np.ascontiguousarray(at[near] + centre - turn[near] @ centre)
        rots.append(rot)
        shifts.append(shift)
        order.append(flying[near])
        over = np.zeros(len(flying), np.bool_)
        over[near] = mesh_collide(tree, tree, rot, shift).hit
        flying = flying[~over]
    by_flight = np.argsort(np.concatenate(order), kind="stable")
    return np.concatenate(rots)[by_flight], np.concatenate(shifts)[by_flight]


def _directions(rng: np.random.Generator, n: int) -> Floats:
    vectors = rng.standard_normal((n, 3))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))


def _rotations(axis: Floats, angle: Floats) -> Floats:
    """Return matrices (n, 3, 3) of rotations by angle (n,) about unit axis (n, 3)."""
    x, y, z = axis.T
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
    return np.eye(3) + np.sin(angle)[:, None, None] * cross + (1.0 - np.cos(angle))[:, None, None] * (cross @ cross)
