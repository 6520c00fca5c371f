"""A convex solid against a mesh: triangles inside the solid touch it; a solid inside the mesh does not touch the surface."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.narrow.convex.convex_pair import convex_penetration
from carom.narrow.convex.distance_convex_surface import core_surface_contacts, core_surface_distance
from carom.queries.pairs.pair import Deepest, Nearest, Pair, Touches, Touching
from carom.queries.pairs.separate import separating_translation
from carom.shapes import Mesh, Shape
from carom.shapes.parts.core_layout import MARGIN
from carom.shapes.parts.cores import triangle_core
from carom.shapes.shape import core_of
from carom.trees.face_rows import faces_of
from carom.trees.obb.tree import tree_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class ConvexMeshPair(Pair):
    """Convex a against mesh b."""

    def __init__(self, a: Shape, b: Mesh) -> None:
        super().__init__(a, b)
        self._core, self._tree = core_of(a), tree_of(b)

    def touching(self, rots: Floats, shifts: Floats, margin: float, threads: int | None) -> Touching:
        """Is a triangle in the solid, or nearer than the margin?"""
        core = self._core
        if margin > 0.0:
            core = core.copy()
            core[MARGIN] += margin
        found = core_surface_distance(core, self._tree, rots, shifts, only_hits=True, threads=threads)
        return Touching(found.triangle >= 0, found.tests, found.triangle[:, None])

    def nearest(self, rots: Floats, shifts: Floats, within: float, start: Ints | None, threads: int | None) -> Nearest:
        """The nearest triangle."""
        found = core_surface_distance(self._core, self._tree, rots, shifts, within=within, threads=threads)
        normal = np.where((found.distance > 0.0)[:, None], found.normal, 0.0)
        return Nearest(
            found.distance,
            found.point_core,
            found.point_surface,
            normal,
            self.a.side_along(normal),
            faces_of(self._tree.face, found.triangle),
            found.tests,
        )

    def touches(
        self, rots: Floats, shifts: Floats, everything: bool, threads: int | None, first: Ints | None = None
    ) -> Touches:
        """Triangles in the solid: the first found, or all."""
        if everything:
            parts = [core_surface_contacts(self._core, self._tree, rots[k], shifts[k]) for k in range(len(rots))]
            pose = np.repeat(np.arange(len(rots)), [len(p) for p in parts])
            triangles = np.concatenate(parts) if parts else np.empty(0, np.int64)
        elif first is not None:
            pose, triangles = np.arange(len(rots)), first[:, 0]
        else:
            found = core_surface_distance(self._core, self._tree, rots, shifts, only_hits=True, threads=threads)
            pose = np.flatnonzero(found.triangle >= 0)
            triangles = found.triangle[pose]
        point, normal, depth = np.empty((len(pose), 3)), np.empty((len(pose), 3)), np.empty(len(pose))
        for k, (row, triangle) in enumerate(zip(pose, triangles, strict=True)):
            deep = convex_penetration(
                self._core, triangle_core(self._tree.tris[triangle]), rots[row : row + 1], shifts[row : row + 1], 1
            )
            point[k] = 0.5 * (deep.point_a[0] + deep.point_b[0])
            normal[k], depth[k] = deep.normal[0], max(float(deep.depth[0]), 0.0)
        return Touches(pose, point, normal, depth, self.a.side_along(normal), faces_of(self._tree.face, triangles))

    def deepest(self, rots: Floats, shifts: Floats, threads: int | None) -> Deepest:
        """A translation that moves the surface out of the solid: an upper bound."""
        return separating_translation(self, rots, shifts, threads)
