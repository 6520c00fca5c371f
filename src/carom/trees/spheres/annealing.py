"""Octree sphere-trees tightened by simulated annealing (Hubbard 1995, section VIII).

All spheres of a level are moved at once, each on its own: they hold the same patches whatever happens, so coverage stays,
and what a sphere gains by a move depends on itself alone.
"""

from __future__ import annotations

import numpy as np

from carom.maths.normals import standard_normals
from carom.maths.powers import exponentials, logarithms
from carom.trees.spheres.levels import SphereLevel, holding_radii
from carom.trees.spheres.octree import octree_levels
from carom.trees.spheres.signed_depth import Surface
from carom.trees.spheres.surface_patches import Patches

_STEPS = 80
_WARMEST, _COLDEST = 0.2, 0.002
"""Temperatures at the first and the last step, as parts of a sphere's looseness at the start."""
_LONGEST, _SHORTEST = 0.4, 0.01
"""Typical moves at the first and the last step, as parts of a sphere's radius at the start."""


def annealed_levels(patches: Patches, surface: Surface, levels: int, seed: int) -> list[SphereLevel]:
    """Levels of the octree with centres moved at random, so that spheres become as tight as they were met on the way."""
    rng = np.random.default_rng(seed)
    return [_tightened(level, patches, surface, rng) for level in octree_levels(patches, levels)]


def _tightened(level: SphereLevel, patches: Patches, surface: Surface, rng: np.random.Generator) -> SphereLevel:
    """Every sphere proposes a move and takes it by Metropolis' rule on its looseness, radius minus depth of the centre."""
    centres = level.centres.copy()
    radii = holding_radii(patches.corners, level.holder, centres)
    loose = radii - surface.depth(centres)
    scale, warmth = radii.copy(), loose.copy()
    best, best_loose = centres.copy(), loose.copy()
    for step in range(_STEPS):
        share = step / (_STEPS - 1)
        move = _LONGEST * exponentials(share * logarithms(_SHORTEST / _LONGEST))
        heat = _WARMEST * exponentials(share * logarithms(_COLDEST / _WARMEST))
        tried = centres + standard_normals(rng, *centres.shape) * (move * scale)[:, None]
        tried_radii = holding_radii(patches.corners, level.holder, tried)
        # The looseness that Metropolis' rule would just accept.
        limit = loose - heat * warmth * logarithms(1.0 - rng.random(len(loose)))
        # No depth exceeds the distance from the surface: only few proposals need to know on which side of it they are.
        distance, _ = surface.nearest(tried)
        likely = np.flatnonzero(tried_radii - distance <= limit)
        tried_loose = tried_radii[likely] - np.where(surface.inside(tried[likely]), distance[likely], -distance[likely])
        taken = tried_loose <= limit[likely]
        rows = likely[taken]
        centres[rows], loose[rows] = tried[rows], tried_loose[taken]
        better = rows[loose[rows] < best_loose[rows]]
        best[better], best_loose[better] = centres[better], loose[better]
    return SphereLevel(level.holder, best, holding_radii(patches.corners, level.holder, best))
