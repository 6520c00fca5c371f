"""Spheres of many sizes in a box: about the same volume in each doubling of the size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from carom.errors import SceneError
from carom.scenes.placement import box_side
from carom.scenes.scene import Scene, make_scene
from carom.shapes import Sphere

Floats = NDArray[np.float64]

_MOST_ROUNDS = 400


def mixed(objects: int, ratio: float, packing: float = 0.1, seed: int = 0) -> Scene:
    """Return hard spheres of radius 1 to `ratio` in a cubic box; masses by volume, Maxwell speeds at temperature 1.

    The number of spheres of radius r is proportional to r^-4 dr, with always one of the largest.
    """
    rng = np.random.default_rng(seed)
    share = np.linspace(0.0, 1.0, objects)
    radii = (1.0 - share * (1.0 - ratio**-3.0)) ** (-1.0 / 3.0)
    side = box_side(radii, packing)
    masses = radii**3
    return make_scene(
        "mixed",
        {"objects": objects, "ratio": ratio, "packing": packing, "seed": seed},
        [Sphere(float(radius)) for radius in radii],
        shape_index=np.arange(objects),
        positions=_scatter(rng, radii, side),
        velocities=rng.standard_normal((objects, 3)) / np.sqrt(masses)[:, None],
        masses=masses,
        walls=(np.zeros(3), np.full(3, side)),
        until=10.0,
    )


def _scatter(rng: np.random.Generator, radii: Floats, side: float) -> Floats:
    """Return centres without overlap; large spheres are placed first, each doubling of the size is redrawn until it fits."""
    centres = np.empty((len(radii), 3))
    doubling = np.floor(np.log2(radii)).astype(np.int64)
    placed = np.empty(0, np.int64)
    for size in np.unique(doubling)[::-1]:
        rows = np.flatnonzero(doubling == size)
        reach = radii[rows].max()
        trees = [(old, cKDTree(centres[old])) for old in _by_size(placed, doubling)]
        again = rows
        for _ in range(_MOST_ROUNDS):
            low, high = radii[again, None], side - radii[again, None]
            centres[again] = low + (high - low) * rng.random((len(again), 3))
            bad = _overlapping(
                centres, radii, rows, cKDTree(centres[rows]).query_pairs(2.0 * reach, output_type="ndarray")
            )
            for old, tree in trees:
                near = tree.sparse_distance_matrix(
                    cKDTree(centres[rows]), radii[old].max() + reach, output_type="coo_matrix"
                )
                touching = near.data < radii[old[near.row]] + radii[rows[near.col]]
                bad = np.union1d(bad, rows[near.col[touching]])
            if not len(bad):
                break
            again = bad
        else:
            raise SceneError(f"{len(radii)} spheres of mixed sizes do not fit at random into a box of side {side:.6g}")
        placed = np.concatenate([placed, rows])
    return centres


def _by_size(rows: NDArray[np.int64], doubling: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return [rows[doubling[rows] == size] for size in np.unique(doubling[rows])]


def _overlapping(
    centres: Floats, radii: Floats, rows: NDArray[np.int64], pairs: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the later row of each overlapping pair."""
    i, j = rows[pairs[:, 0]], rows[pairs[:, 1]]
    return np.unique(j[np.linalg.norm(centres[i] - centres[j], axis=1) < radii[i] + radii[j]])
