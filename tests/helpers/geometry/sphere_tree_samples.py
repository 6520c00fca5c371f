"""Meshes and poses that the tests of sphere-trees share."""

from __future__ import annotations

import functools

import numpy as np
import trimesh

import carom
from carom.scenes.lamp import lamp


@functools.cache
def mesh(name):
    """Closed ("lamp", "ball", "ring", "box") and open ("bowl", "sheet", "soup") meshes; a "triangle", and a "point"."""
    if name == "lamp":
        return lamp()
    if name == "bowl":
        ball = trimesh.creation.icosphere(2)
        faces = ball.faces[ball.triangles_center[:, 2] < 0.2]
        return carom.Mesh(ball.vertices, faces)
    if name == "sheet":
        x, y = (g.ravel() for g in np.meshgrid(np.arange(5.0), np.arange(5.0)))
        corner = (np.arange(4)[:, None] * 5 + np.arange(4)).ravel()
        faces = np.concatenate(
            [np.stack([corner, corner + 1, corner + 6], 1), np.stack([corner, corner + 6, corner + 5], 1)]
        )
        return carom.Mesh(np.column_stack([x, y, 0.1 * x * y]), faces)
    if name == "soup":
        rng = np.random.default_rng(4)
        points = rng.uniform(-1.0, 1.0, (40, 1, 3)) + 0.2 * rng.normal(size=(40, 3, 3))
        return carom.Mesh(points.reshape(-1, 3), np.arange(120).reshape(-1, 3))
    if name == "triangle":
        return carom.Mesh([(0, 0, 0), (1, 0, 0), (0, 2, 0)], [(0, 1, 2)])
    if name == "point":
        return carom.Mesh([(3, 4, 5)] * 3, [(0, 1, 2)])
    made = {
        "ball": lambda: trimesh.creation.icosphere(2),
        "ring": lambda: trimesh.creation.torus(1.0, 0.3, major_sections=16, minor_sections=8),
        "box": lambda: trimesh.creation.box((1.0, 2.0, 0.3)),
    }[name]()
    return carom.Mesh(made.vertices, made.faces)


@functools.cache
def tree(name, levels=3, method="medial"):
    """The sphere-tree of a mesh, built once for all tests."""
    return carom.time_critical.SphereTree.build(mesh(name), levels=levels, method=method)


def random_poses(seed, n, far):
    """Matrices (n, 4, 4): any rotation, offsets of length up to `far`."""
    rng = np.random.default_rng(seed)
    quat = rng.normal(size=(n, 4))
    w, x, y, z = (quat / np.linalg.norm(quat, axis=1)[:, None]).T
    poses = np.zeros((n, 4, 4))
    poses[:, 0, :3] = np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], 1)
    poses[:, 1, :3] = np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], 1)
    poses[:, 2, :3] = np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], 1)
    way = rng.normal(size=(n, 3))
    way *= (far * rng.random(n) / np.linalg.norm(way, axis=1))[:, None]
    poses[:, :3, 3] = way
    poses[:, 3, 3] = 1.0
    return poses
