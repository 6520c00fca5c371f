"""A surface divided into small triangular patches, which are distributed among the spheres of a tree.

A ball holds a patch exactly if it holds its three corners, so coverage of a surface by balls becomes a matter of finitely
many points. Every level of a tree assigns each patch to one sphere, and a sphere's children share its patches: so every
level covers the surface, and children cover what their parent covers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from carom._compile.jit import compiling
from carom.trees.tiling import tile_triangles

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_A_LEAF = 4
"""Patches for each sphere of the deepest level, about: fewer leave spheres no choice, more only cost time."""
_FEWEST, _MOST = 1000, 24_000
"""Patches of a mesh with fewer triangles than that."""
_TOO_MANY = 1.25
_WIDER = 1.12


@dataclass(frozen=True, eq=False)
class Patches:
    """corners (n, 9) of triangular patches that tile a surface, and `radius` (m): every patch fits in such a circle."""

    corners: Floats
    radius: float

    def __len__(self) -> int:
        return len(self.corners)

    @property
    def middles(self) -> Floats:
        """Centroids (n, 3)."""
        return np.asarray(self.corners.reshape(-1, 3, 3).mean(axis=1))

    def normals(self) -> Floats:
        """Unit normals (n, 3); zero where a patch has no area."""
        corner = self.corners.reshape(-1, 3, 3)
        normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
        length = np.sqrt((normal**2).sum(axis=1, keepdims=True))
        return np.divide(normal, length, out=np.zeros_like(normal), where=length > 0.0)


def cut_patches(tris: Floats, levels: int) -> Patches:
    """Patches of triangles (m, 9) for a sphere-tree of so many levels below the root: some for each sphere of the last.

    A mesh finer than that keeps its triangles; a surface without area has one patch a triangle.
    """
    wanted = float(np.clip(_A_LEAF * 8**levels, _FEWEST, _MOST))
    corner = tris.reshape(-1, 3, 3)
    area = np.sqrt((np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]) ** 2).sum(axis=1)).sum() / 2.0
    size = float((corner.max(axis=(0, 1)) - corner.min(axis=(0, 1))).max())
    if not size > 0.0:
        return Patches(tris.copy(), 0.0)
    # Long thin triangles are cut into more pieces than their area says.
    radius = max(float(np.sqrt(area / wanted)), size / wanted)
    with compiling("the tiling of a surface"):
        pieces, _ = tile_triangles(tris, radius)
        while len(pieces) > _TOO_MANY * wanted and len(pieces) > _TOO_MANY * len(tris):
            radius *= _WIDER
            pieces, _ = tile_triangles(tris, radius)
    return Patches(pieces, radius)
