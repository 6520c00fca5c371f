"""Sphere-trees about the medial axis, from the root down (after Hubbard 1995, section VIII).

Hubbard merges the balls of the medial axis from the leaves up. Sharing patches from the root down with the same cost keeps
coverage exact at every level, without repairs, and takes seconds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from carom._jit import compiling
from carom.trees.medial_axis import Balls, medial_balls
from carom.trees.signed_depth import Surface
from carom.trees.sphere_levels import SphereLevel, holding_radii, root_level
from carom.trees.sphere_split import split_patches
from carom.trees.surface_patches import Patches

Ints = NDArray[np.int64]

_CHILDREN = 8
_ROUNDS = 7
_MOST_CANDIDATES = 3000
"""Candidate centres for the children of one sphere: more are thinned at random."""
_REACH = 1.2
"""How far from the middle of a sphere's patches candidates are looked for, over the distance of the farthest patch."""


def medial_levels(
    patches: Patches, surface: Surface, levels: int, seed: int, centre: NDArray[np.float64]
) -> list[SphereLevel]:
    """Levels 0 .. `levels`: a root about `centre`, then the patches of every sphere shared among at most eight children."""
    balls = medial_balls(patches, surface)
    index = cKDTree(balls.centres)
    rng = np.random.default_rng(seed)
    made = [root_level(patches.corners, centre)]
    with compiling("the sphere-tree builder"):
        for _ in range(levels):
            made.append(_below(made[-1], patches, balls, index, rng))
    return made


def _below(level: SphereLevel, patches: Patches, balls: Balls, index: cKDTree, rng: np.random.Generator) -> SphereLevel:
    """The next level."""
    order = np.argsort(level.holder, kind="stable")
    ends = np.cumsum(np.bincount(level.holder, minlength=len(level.radii)))
    holder, chosen = np.empty(len(patches), np.int64), []
    n_spheres = 0
    label, centres = np.empty(len(patches), np.int64), np.empty(_CHILDREN, np.int64)
    for rows in np.split(order, ends[:-1]):
        near = _candidates(rows, patches, index, rng)
        count = split_patches(
            patches.corners, rows, balls.centres, balls.depths, near, _CHILDREN, _ROUNDS, label, centres
        )
        holder[rows] = n_spheres + label[: len(rows)]
        chosen.append(centres[:count].copy())
        n_spheres += count
    at = balls.centres[np.concatenate(chosen)]
    return SphereLevel(holder, at, holding_radii(patches.corners, holder, at))


def _candidates(rows: Ints, patches: Patches, index: cKDTree, rng: np.random.Generator) -> Ints:
    """Rows of the balls that may serve patches `rows`, their own middles among them."""
    corner = patches.corners[rows].reshape(-1, 3)
    middle = 0.5 * (corner.min(axis=0) + corner.max(axis=0))
    far = float(np.sqrt(((corner - middle) ** 2).sum(axis=1)).max())
    near = np.array(index.query_ball_point(middle, _REACH * far + patches.radius), np.int64)
    if len(near) == 0:  # all patches are one point, and its middle a little off it
        near = np.atleast_1d(np.asarray(index.query(middle)[1], np.int64))
    if len(near) > _MOST_CANDIDATES:
        near = rng.choice(near, _MOST_CANDIDATES, replace=False)
    return np.sort(near)
