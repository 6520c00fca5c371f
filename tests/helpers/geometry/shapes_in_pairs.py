"""One shape of each kind, and random poses, for tests over every pairing."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import trimesh

import carom
from carom.motion.turning import rotations


def moved(x=0.0, y=0.0, z=0.0):
    pose = np.eye(4)
    pose[:3, 3] = (x, y, z)
    return pose


_torus = trimesh.creation.torus(1.0, 0.3, major_sections=16, minor_sections=8)

SHAPES = {
    "sphere": carom.Sphere(0.5),
    "box": carom.Box((1.0, 0.8, 0.6)),
    "capsule": carom.Capsule(0.3, 0.6),
    "cylinder": carom.Cylinder(0.5, 1.0),
    "cone": carom.Cone(0.5, 1.0),
    "ellipsoid": carom.Ellipsoid((0.6, 0.45, 0.3)),
    "convex": carom.Convex(np.random.default_rng(0).normal(size=(20, 3)) * 0.4),
    "mesh": carom.Mesh(_torus.vertices, _torus.faces),
    "half-space": carom.HalfSpace((0.0, 0.6, 0.8), 0.2),
    "compound": carom.Compound([(carom.Sphere(0.4), moved(0.4)), (carom.Box((0.5, 0.5, 0.5)), moved(-0.4, 0.1))]),
}
PAIRS = list(combinations_with_replacement(SHAPES, 2))
BOUNDED = [pair for pair in PAIRS if "half-space" not in pair]


def random_poses(n, seed, spread=1.2):
    rng = np.random.default_rng(seed)
    quats = rng.normal(size=(n, 4))
    poses = np.tile(np.eye(4), (n, 1, 1))
    poses[:, :3, :3] = rotations(quats / np.linalg.norm(quats, axis=1)[:, None])
    poses[:, :3, 3] = rng.normal(size=(n, 3)) * spread
    return poses


def inside(shape, points):
    """Which points (n, 3) of the shape's frame are in it, by its definition; meshes have no inside."""
    if isinstance(shape, carom.Sphere):
        return np.linalg.norm(points, axis=1) <= shape.radius
    if isinstance(shape, carom.Box):
        return (np.abs(points) <= 0.5 * np.asarray(shape.extents)).all(axis=1)
    if isinstance(shape, carom.Capsule):
        along = np.clip(points[:, 2], -0.5 * shape.height, 0.5 * shape.height)
        return np.linalg.norm(points - along[:, None] * (0.0, 0.0, 1.0), axis=1) <= shape.radius
    if isinstance(shape, carom.Cylinder):
        return (np.hypot(points[:, 0], points[:, 1]) <= shape.radius) & (np.abs(points[:, 2]) <= 0.5 * shape.height)
    if isinstance(shape, carom.Cone):
        wide = shape.radius * (0.5 - points[:, 2] / shape.height)
        return (np.hypot(points[:, 0], points[:, 1]) <= wide) & (points[:, 2] >= -0.5 * shape.height)
    if isinstance(shape, carom.Ellipsoid):
        return np.linalg.norm(points / shape.radii, axis=1) <= 1.0
    if isinstance(shape, carom.Convex):
        return (points @ shape.planes[:, :3].T <= shape.planes[:, 3]).all(axis=1)
    if isinstance(shape, carom.HalfSpace):
        return points @ shape.normal <= shape.offset
    if isinstance(shape, carom.Compound):
        hits = [inside(piece, (points - pose[:3, 3]) @ pose[:3, :3]) for piece, pose in shape.pieces]
        return np.any(hits, axis=0)
    return np.zeros(len(points), np.bool_)
