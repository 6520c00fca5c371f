"""Sphere-trees from an octree: spheres circumscribed about the octants that hold surface (Hubbard 1995, section VIII)."""

from __future__ import annotations

import numpy as np

from carom.trees.spheres.levels import SphereLevel, holding_radii
from carom.trees.spheres.surface_patches import Patches


def octree_levels(patches: Patches, levels: int) -> list[SphereLevel]:
    """Levels 0 .. `levels` of circumscribed octants. A patch belongs to the octant of its middle.

    Where a patch sticks out of its octant the sphere is enlarged to hold it.
    """
    points = patches.corners.reshape(-1, 3)
    low, high = points.min(axis=0), points.max(axis=0)
    side = max(float((high - low).max()) * 1.0001, np.finfo(np.float64).tiny)
    corner = 0.5 * (low + high) - 0.5 * side
    deepest = 2**levels
    cell = np.clip(((patches.middles - corner) / (side / deepest)).astype(np.int64), 0, deepest - 1)
    made = []
    for level in range(levels + 1):
        octant = cell >> (levels - level)
        # Octants in the order of their parents: the bits of the three axes interlaced.
        code = np.zeros(len(octant), np.int64)
        for bit in range(level):
            for axis in range(3):
                code |= ((octant[:, axis] >> bit) & 1) << (3 * bit + axis)
        _, first, holder = np.unique(code, return_index=True, return_inverse=True)
        width = side / 2**level
        centres = corner + (octant[first] + 0.5) * width
        radii = np.maximum(width * np.sqrt(3.0) / 2.0, holding_radii(patches.corners, holder.reshape(-1), centres))
        made.append(SphereLevel(holder.reshape(-1), centres, radii))
    return made
