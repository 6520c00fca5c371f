"""Output of the builders of sphere-trees: for each level, the assignment of patches and the spheres."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.tolerances import TREE_PAD

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class SphereLevel(NamedTuple):
    """Spheres of one level: holder (n_patches,) is the sphere of each patch, numbered so that the parents' order is kept.

    centres (k, 3); radii (k,), large enough for the patches.
    """

    holder: Ints
    centres: Floats
    radii: Floats


def holding_radii(corners: Floats, holder: Ints, centres: Floats) -> Floats:
    """Radii (k,) of spheres about `centres` (k, 3) that hold the patches (n, 9) of each, padded against rounding."""
    away = corners.reshape(-1, 3, 3) - centres[holder][:, None]
    far = np.sqrt((away**2).sum(axis=2)).max(axis=1)
    radii = np.zeros(len(centres))
    np.maximum.at(radii, holder, far)
    return radii + TREE_PAD * (radii + np.abs(centres).sum(axis=1))


def root_level(corners: Floats, centre: Floats) -> SphereLevel:
    """Level 0: one sphere about `centre` (3,) that holds all patches."""
    holder = np.zeros(len(corners), np.int64)
    centres = np.array(centre, dtype=np.float64).reshape(1, 3)
    return SphereLevel(holder, centres, holding_radii(corners, holder, centres))


def parents(above: SphereLevel, level: SphereLevel) -> Ints:
    """For each sphere of a level the sphere above that holds its patches, (k,); ascending."""
    first = np.unique(level.holder, return_index=True)[1]
    return above.holder[first]
