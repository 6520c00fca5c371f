"""Outward triangles of round shapes, as corners (m, 3, 3), for pictures and replays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

Floats = NDArray[np.float64]


def ring(radius: float, z: float, n: int) -> Floats:
    """n points of a circle about the z axis."""
    turn = 2.0 * np.pi * np.arange(n) / n
    return np.column_stack([radius * np.cos(turn), radius * np.sin(turn), np.full(n, z)])


def hull(*parts: Floats) -> Floats:
    """Outward triangles (m, 3, 3) of the hull of all points about its middle."""
    points = np.concatenate([part.reshape(-1, 3) for part in parts])
    middle = points.mean(axis=0)
    corners = points[ConvexHull(points).simplices]
    inward = np.linalg.det(corners - middle) < 0.0
    corners[inward] = corners[inward][:, ::-1]
    return np.asarray(corners)


def unit_sphere(n: int) -> Floats:
    """Triangles of the hull of n evenly spread points on the unit sphere, turned outwards."""
    k = np.arange(n) + 0.5
    polar, turn = np.arccos(1.0 - 2.0 * k / n), np.pi * (1.0 + np.sqrt(5.0)) * k
    points = np.column_stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)])
    corners = points[ConvexHull(points).simplices]
    inward = np.linalg.det(corners) < 0.0
    corners[inward] = corners[inward][:, ::-1]
    return np.asarray(corners)
