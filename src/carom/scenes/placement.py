"""Initial positions, directions and orientations: seeded, inside a box, without overlap, in a bounded number of rounds."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from carom.errors import SceneError
from carom.maths.normals import standard_normals
from carom.maths.powers import cube_root

Array = NDArray[np.float64]

_MAX_ROUNDS = 400  # Rounds of redrawing before `scatter` gives up; usually a few dozen suffice

SURE_DENSITY = 0.15
"""Bounding spheres over box: up to this `scatter` finds room for the bodies of carom's scenes, tested up to 100,000."""

_CLEARANCE = 1e-6
"""Relative to the sum of two radii: least initial distance of bodies, so that no contact is at time zero."""


def random_directions(rng: np.random.Generator, n: int) -> Array:
    """Return unit vectors (n, 3), uniform on the sphere."""
    v = standard_normals(rng, n, 3)
    return np.asarray(v / np.linalg.norm(v, axis=1, keepdims=True))


def random_orientations(rng: np.random.Generator, n: int) -> Array:
    """Return unit quaternions (n, 4) wxyz, uniform over rotations, w >= 0."""
    q = standard_normals(rng, n, 4)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    return np.asarray(np.where(q[:, :1] < 0.0, -q, q))


def box_side(radii: Array, density: float) -> float:
    """Return the side of the cube in which spheres of these radii fill the fraction `density` of the volume."""
    return cube_root(float(4.0 / 3.0 * math.pi * np.sum(radii * radii * radii) / density))


def scatter(rng: np.random.Generator, radii: Array, side: float) -> Array:
    """Return centres (n, 3) of spheres inside the cube [0, side]^3 that do not overlap, by random insertion.

    All spheres are drawn at once; the later one of each overlapping pair is drawn again. SceneError if the spheres cannot be
    placed in a bounded number of rounds.
    """
    n = len(radii)
    largest = float(radii.max())
    if side <= 2.0 * largest:
        raise SceneError(f"a box of side {side:.6g} cannot hold a body of radius {largest:.6g}: lower the density")
    low, high = radii[:, None], side - radii[:, None]
    centre = low + (high - low) * rng.random((n, 3))
    for _ in range(_MAX_ROUNDS):
        pairs = cKDTree(centre).query_pairs(2.0 * largest * (1.0 + _CLEARANCE), output_type="ndarray")
        i, j = pairs[:, 0], pairs[:, 1]
        reach = (radii[i] + radii[j]) * (1.0 + _CLEARANCE)
        again = np.unique(j[np.linalg.norm(centre[i] - centre[j], axis=1) < reach])
        if again.size == 0:
            return centre
        centre[again] = low[again] + (high[again] - low[again]) * rng.random((again.size, 3))
    density = 4.0 / 3.0 * math.pi * float(np.sum(radii * radii * radii)) / (side * side * side)
    raise SceneError(
        f"{n:,} bodies do not fit at random at a density of {density:.3g} ({again.size} still overlap after "
        f"{_MAX_ROUNDS} rounds); expected {SURE_DENSITY} or less, or fewer bodies"
    )


def lattice(rng: np.random.Generator, n: int, radius: float, side: float) -> Array:
    """Return centres (n, 3) of equal spheres inside the cube [0, side]^3: sites of a jittered face-centred cubic lattice.

    The lattice is stretched to fill the box, `n` of its sites are chosen at random, and each is moved by up to 0.45 of the gap
    between neighbours. SceneError if the box has too few sites.
    """
    if n > lattice_capacity(radius, side):
        raise SceneError(
            f"{n} spheres of radius {radius:.6g} do not fit into a box of side {side:.6g}; "
            f"expected at most {lattice_capacity(radius, side)}"
        )
    steps = _lattice_steps(radius, side)
    inset = radius * (1.0 + _CLEARANCE)
    half_cell = (side - 2.0 * inset) / max(steps, 1)
    sites = _fcc_sites(steps)
    chosen = sites[np.sort(rng.choice(len(sites), n, replace=False))]
    gap = math.sqrt(2.0) * half_cell - 2.0 * inset if steps else 0.0
    shift = random_directions(rng, n) * (0.45 * gap * rng.random((n, 1)))
    # At a wall the shift is reflected inwards, which preserves its length and so the distance bounds.
    shift = np.where(chosen == 0, np.abs(shift), np.where(chosen == steps, -np.abs(shift), shift))
    return np.asarray(inset + half_cell * chosen + shift)


def lattice_capacity(radius: float, side: float) -> int:
    """Return the number of spheres that `lattice` can place in a cube of this side."""
    n = _lattice_steps(radius, side) + 1
    return (n * n * n + 1) // 2


def _lattice_steps(radius: float, side: float) -> int:
    """Return half cells along a side; neighbours are sqrt(2) half cells apart. -1 if not even one sphere fits."""
    inset = radius * (1.0 + _CLEARANCE)
    width = side - 2.0 * inset
    return -1 if width < 0.0 else math.floor(width / (math.sqrt(2.0) * inset))


def _fcc_sites(steps: int) -> NDArray[np.int64]:
    """Return points with an even coordinate sum on the grid 0..steps, in units of half a lattice cell."""
    axis = np.arange(steps + 1)
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)
    return np.asarray(grid[grid.sum(axis=1) % 2 == 0])
