"""Small deforming bodies for tests of files and of the command line."""

from __future__ import annotations

import numpy as np

from carom import Deforming

TRIANGLE = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def grid(cells: int, keys: int, seed: int, name: str | None = "cloth", spread: float = 0.2) -> Deforming:
    """A square of 2 cells^2 triangles whose vertices move at random, by `spread` cells or so."""
    rng = np.random.default_rng(seed)
    row = np.arange(cells + 1.0)
    flat = np.stack([*(g.ravel() for g in np.meshgrid(row, row, indexing="ij")), np.zeros((cells + 1) ** 2)], axis=1)
    a = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    faces = np.concatenate([np.stack([a, a + cells + 1, a + cells + 2], 1), np.stack([a, a + cells + 2, a + 1], 1)])
    vertices = flat + spread * rng.standard_normal((keys, *flat.shape))
    return Deforming(faces, np.cumsum(rng.uniform(0.1, 1.0, keys)), vertices, name=name)


def falling(height: float = 1.0, name: str | None = "leaf") -> Deforming:
    """A triangle that falls from a height, m, to as far below zero, in 1 s."""
    upper = np.array(TRIANGLE) + (0.1, 0.1, height)
    return Deforming([[0, 1, 2]], [0.0, 1.0], [upper, upper - (0.0, 0.0, 2.0 * height)], name=name)


def still(name: str | None = "floor") -> Deforming:
    """A triangle in the plane z = 0 that stands still for 1 s."""
    return Deforming([[0, 1, 2]], [0.0, 1.0], [TRIANGLE, TRIANGLE], name=name)


def same(one: Deforming, other: Deforming, *, times: bool = True) -> bool:
    """Are two bodies equal bit for bit, names included?"""
    return bool(
        np.array_equal(one.faces, other.faces)
        and np.array_equal(one.vertices, other.vertices)
        and (not times or np.array_equal(one.times, other.times))
        and one.name == other.name
    )
