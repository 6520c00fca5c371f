"""Sphere-trees about the medial axis, from the root down (after Hubbard 1995, section VIII).

Hubbard merges the balls of the medial axis from the leaves up. Sharing patches from the root down with the same cost keeps
coverage exact at every level, without repairs, and takes seconds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from carom._compile.jit import compiling
from carom._compile.threads import Workers
from carom.trees.spheres.levels import SphereLevel, holding_radii, root_level
from carom.trees.spheres.medial_axis import Balls, medial_balls
from carom.trees.spheres.signed_depth import Surface
from carom.trees.spheres.split import split_patches
from carom.trees.spheres.surface_patches import Patches

Ints = NDArray[np.int64]

_FEWEST = 2000
"""Patches from which on threads share the work."""
_CHILDREN = 8
_ROUNDS = 7
_STARTS = (8, 6, 4)
"""Tries for each sphere on level 0, 1, 2 and below, each with other candidates: Lloyd's rounds end in the nearest valley."""
_MOST_CANDIDATES = 1500
"""Candidate centres for the children of one sphere: more are thinned at random."""
_KEPT_CANDIDATES = 0.8
"""Part of fewer candidates that a try takes."""
_REACH = 1.2
"""How far from the middle of a sphere's patches candidates are looked for, over the distance of the farthest patch."""


def medial_levels(
    patches: Patches, surface: Surface, levels: int, seed: int, centre: NDArray[np.float64]
) -> list[SphereLevel]:
    """Levels 0 .. `levels`: a root about `centre`, then the patches of every sphere shared among at most eight children."""
    balls = medial_balls(patches, surface, seed)
    index = cKDTree(balls.centres)
    made = [root_level(patches.corners, centre)]
    with compiling("the sphere-tree builder"):
        for level in range(levels):
            tries = _STARTS[min(level, len(_STARTS) - 1)]
            made.append(_below(made[-1], patches, balls, index, tries, np.random.SeedSequence((seed, level))))
    return made


def _below(
    level: SphereLevel, patches: Patches, balls: Balls, index: cKDTree, tries: int, seeds: np.random.SeedSequence
) -> SphereLevel:
    """The next level; each sphere draws its own random numbers, so that threads change nothing."""
    order = np.argsort(level.holder, kind="stable")
    ends = np.cumsum(np.bincount(level.holder, minlength=len(level.radii)))
    groups = np.split(order, ends[:-1])
    own_seeds = seeds.spawn(len(groups))

    def split(k: int) -> tuple[Ints, Ints]:
        near = _candidates(groups[k], patches, index)
        return _best_split(groups[k], patches, balls, near, tries, np.random.default_rng(own_seeds[k]))

    with Workers(len(patches), None, _FEWEST) as workers:
        found = workers.run(split, len(groups))
    holder = np.empty(len(patches), np.int64)
    n_spheres = 0
    for rows, (label, chosen) in zip(groups, found, strict=True):
        holder[rows] = n_spheres + label
        n_spheres += len(chosen)
    at = balls.centres[np.concatenate([chosen for _, chosen in found])]
    return SphereLevel(holder, at, holding_radii(patches.corners, holder, at))


def _best_split(
    rows: Ints, patches: Patches, balls: Balls, near: Ints, tries: int, rng: np.random.Generator
) -> tuple[Ints, Ints]:
    """The share of patches `rows` with the least mean looseness: (child of each, ball of each child)."""
    best: tuple[Ints, Ints] | None = None
    least = np.inf
    for _ in range(tries if len(rows) > _CHILDREN else 1):
        label, chosen = np.empty(len(rows), np.int64), np.empty(_CHILDREN, np.int64)
        some = near
        if len(near) > _CHILDREN:
            some = np.sort(rng.choice(near, min(_MOST_CANDIDATES, int(_KEPT_CANDIDATES * len(near))), replace=False))
        count = split_patches(
            patches.corners, rows, balls.centres, balls.depths, some, _CHILDREN, _ROUNDS, label, chosen
        )
        chosen = chosen[:count]
        radii = holding_radii(patches.corners[rows], label, balls.centres[chosen])
        loose = float((radii - balls.depths[chosen]).mean())
        if loose < least:
            best, least = (label, chosen), loose
    assert best is not None
    return best


def _candidates(rows: Ints, patches: Patches, index: cKDTree) -> Ints:
    """Rows of the balls that may serve patches `rows`, their own middles among them."""
    corner = patches.corners[rows].reshape(-1, 3)
    middle = 0.5 * (corner.min(axis=0) + corner.max(axis=0))
    far = float(np.sqrt(((corner - middle) ** 2).sum(axis=1)).max())
    near = np.array(index.query_ball_point(middle, _REACH * far + patches.radius), np.int64)
    if len(near) == 0:  # all patches are one point, and its middle a little off it
        near = np.atleast_1d(np.asarray(index.query(middle)[1], np.int64))
    return np.sort(near)
