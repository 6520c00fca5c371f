"""Two meshes: surfaces, compared through their trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.narrow.mesh.mesh_pair import mesh_collide, mesh_contacts, mesh_distance
from carom.narrow.mesh.pair_contact import triangle_contacts
from carom.queries.pairs.pair import Deepest, Nearest, Pair, Touches, Touching
from carom.queries.pairs.separate import separating_translation
from carom.shapes import Mesh
from carom.tolerances import TINY
from carom.trees.face_rows import faces_of
from carom.trees.obb.tree import ObbTree, tree_of
from carom.trees.volume_tree import VOLUME_TYPES, VolumeTree, volume_tree_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class MeshPair(Pair):
    """Surface against surface: a surface inside the other that does not touch it is separate."""

    def __init__(self, a: Mesh, b: Mesh, volumes: str = "obb") -> None:
        super().__init__(a, b)
        self._address = 0
        self._tree_a: ObbTree | VolumeTree
        self._tree_b: ObbTree | VolumeTree
        if volumes == "obb":
            self._tree_a, self._tree_b = tree_of(a), tree_of(b)
        else:
            self._tree_a, self._tree_b = volume_tree_of(a, volumes), volume_tree_of(b, volumes)
            self._address = VOLUME_TYPES[volumes].bound()

    def touching(self, rots: Floats, shifts: Floats, margin: float, threads: int | None) -> Touching:
        """Do triangles intersect, or come closer than the margin?"""
        if margin > 0.0:
            margin = max(margin, TINY)  # its square must not be 0, which means no margin
        found = mesh_collide(
            self._tree_a, self._tree_b, rots, shifts, margin=margin, address=self._address, threads=threads
        )
        return Touching(found.hit, found.tests, found.pair)

    def nearest(self, rots: Floats, shifts: Floats, within: float, start: Ints | None, threads: int | None) -> Nearest:
        """The nearest pair of triangles."""
        found = mesh_distance(
            self._tree_a,
            self._tree_b,
            rots,
            shifts,
            start=self._rows(start),
            within=within,
            address=self._address,
            threads=threads,
        )
        far = (found.pair[:, 0] >= 0) & (found.distance > 0.0)
        normal = np.zeros_like(found.point_a)
        normal[far] = (found.point_b[far] - found.point_a[far]) / found.distance[far, None]
        return Nearest(
            found.distance,
            found.point_a,
            found.point_b,
            normal,
            faces_of(self._tree_a.face, found.pair[:, 0]),
            faces_of(self._tree_b.face, found.pair[:, 1]),
            found.tests,
        )

    def touches(
        self, rots: Floats, shifts: Floats, everything: bool, threads: int | None, first: Ints | None = None
    ) -> Touches:
        """Pairs of triangles that intersect: the first found, or all."""
        if everything:
            parts = [
                mesh_contacts(self._tree_a, self._tree_b, rots[k], shifts[k], address=self._address).pairs
                for k in range(len(rots))
            ]
            pose = np.repeat(np.arange(len(rots)), [len(p) for p in parts])
            pairs = np.concatenate(parts) if parts else np.empty((0, 2), np.int64)
        elif first is not None:
            pose, pairs = np.arange(len(rots)), first
        else:
            found = mesh_collide(self._tree_a, self._tree_b, rots, shifts, address=self._address, threads=threads)
            pose = np.flatnonzero(found.hit)
            pairs = found.pair[pose]
        point, normal, depth = triangle_contacts(self._tree_a.tris, self._tree_b.tris, pairs, rots[pose], shifts[pose])
        faces = faces_of(self._tree_a.face, pairs[:, 0]), faces_of(self._tree_b.face, pairs[:, 1])
        return Touches(pose, point, normal, depth, *faces)

    def deepest(self, rots: Floats, shifts: Floats, threads: int | None) -> Deepest:
        """A translation that separates the surfaces: an upper bound."""
        return separating_translation(self, rots, shifts, threads)

    def _rows(self, start: Ints | None) -> Ints | None:
        """Return faces as rows of the trees, which have another order."""
        if start is None:
            return None
        rows = np.empty_like(start)
        for k, tree in enumerate((self._tree_a, self._tree_b)):
            n = len(tree.face)
            back = np.full(n + 1, -1)
            back[tree.face] = np.arange(n)
            known = (start[..., k] >= 0) & (start[..., k] < n)  # an answer of other meshes may have any feature
            rows[..., k] = back[np.where(known, start[..., k], n)]
        rows[(rows < 0).any(axis=-1)] = -1
        return rows
