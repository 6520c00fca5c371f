"""Volumes fitted and tested through their C addresses, as trees and searches do it."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from carom.bounds.volumes.volume_type import FIT_SPACE, VolumeType
from carom.shapes import Box
from oracles.naive_narrow import random_quaternion, rotation

Floats = NDArray[np.float64]
_INT = ctypes.c_int64


def fit(volume: VolumeType, tris: Floats) -> tuple[Floats, float]:
    """Row (columns,) and size of the volume around triangles (m, 3, 3)."""
    flat = np.ascontiguousarray(tris.reshape(-1, 9), dtype=np.float64)
    order, node, space = np.arange(len(flat)), np.zeros(volume.columns), np.full(FIT_SPACE, np.nan)
    call = ctypes.CFUNCTYPE(ctypes.c_double, *[_INT] * 7)(volume.fit())
    size = call(
        flat.ctypes.data, len(flat), order.ctypes.data, 0, len(flat), node.ctypes.data, space.ctypes.data
    )  # fmt: skip
    assert np.isfinite(node).all()
    assert np.isfinite(space[:3]).all()
    return node, size


def bound(volume: VolumeType, a: Floats, b: Floats, pose: Floats) -> float:
    """Lower bound between rows a and b, b placed by `pose` (4, 4)."""
    placing = np.concatenate([pose[:3, :3].ravel(), pose[:3, 3]])
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    call = ctypes.CFUNCTYPE(ctypes.c_double, *[_INT] * 5)(volume.bound())
    return call(a.ctypes.data, 0, b.ctypes.data, 0, placing.ctypes.data)


def shifted(*by: float) -> Floats:
    """Pose (4, 4) that only shifts."""
    pose = np.eye(4)
    pose[:3, 3] = by
    return pose


def random_pose(rng: np.random.Generator, far: float) -> Floats:
    """Pose (4, 4) with any rotation and a shift of about `far`."""
    pose = np.eye(4)
    pose[:3, :3] = rotation(random_quaternion(rng))
    pose[:3, 3] = rng.normal(size=3) * far
    return pose


def placed(tris: Floats, pose: Floats) -> Floats:
    """Triangles (m, 3, 3) moved by `pose`, in extended precision where the platform has it."""
    return tris.astype(np.longdouble) @ pose[:3, :3].T.astype(np.longdouble) + pose[:3, 3]


def inverse(pose: Floats) -> Floats:
    """The pose that undoes `pose`."""
    back = np.eye(4)
    back[:3, :3] = pose[:3, :3].T
    back[:3, 3] = -pose[:3, :3].T @ pose[:3, 3]
    return back


def box_tris(*sides: float) -> Floats:
    """The twelve triangles (12, 3, 3) of a box about the origin."""
    box = Box(sides)
    return box.vertices[box.faces]
