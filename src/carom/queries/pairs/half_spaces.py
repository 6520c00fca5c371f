"""A half-space against a bounded shape or another half-space: support points decide."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.maths.rotations import levels, turned, turned_back
from carom.narrow.convex.support_points import farthest_points
from carom.queries.pairs.pair import Deepest, Nearest, Pair, Touches, Touching, nothing_found, placed
from carom.shapes import HalfSpace, Mesh, Shape
from carom.shapes.parts.cores import points_core
from carom.shapes.shape import core_of
from carom.tolerances import FACING_PLANES

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class HalfSpacePair(Pair):
    """Half-space a against a bounded shape b: only the lowest point of b matters."""

    def __init__(self, a: HalfSpace, b: Shape) -> None:
        super().__init__(a, b)
        self._normal, self._offset = np.asarray(a.normal), float(a.offset)
        self._face = None
        if isinstance(b, Mesh):
            corners = b.hull_vertices
            self._core = points_core(b.vertices[corners])
            face_of = np.full(len(b.vertices), -1)
            face_of[b.faces.ravel()] = np.repeat(np.arange(len(b.faces)), 3)
            self._face = face_of[corners]
        else:
            self._core = core_of(b)

    def _lowest(self, rots: Floats, shifts: Floats) -> tuple[Floats, Floats, Ints]:
        """Return the gap (n,), below 0 inside; lowest points (n, 3) in the frame of a; features (n,) of b."""
        down = -turned_back(rots, self._normal)
        points, rows = farthest_points(self._core, down)
        points = placed(rots, shifts, points)
        feature = self.b.side_along(down) if self._face is None else self._face[rows]
        return levels(points, self._normal)[:, 0] - self._offset, points, feature

    def touching(self, rots: Floats, shifts: Floats, margin: float, threads: int | None) -> Touching:
        """Is the lowest point at most the margin above the plane?"""
        gap, _, _ = self._lowest(rots, shifts)
        n = len(gap)
        return Touching(gap <= 0.0 if margin == 0.0 else gap < margin, _one_test(n), nothing_found(n))

    def nearest(self, rots: Floats, shifts: Floats, within: float, start: Ints | None, threads: int | None) -> Nearest:
        """From the lowest point along the normal."""
        gap, point, feature = self._lowest(rots, shifts)
        far = gap > within
        distance = np.where(far, np.inf, np.maximum(gap, 0.0))
        foot = point - np.maximum(gap, 0.0)[:, None] * self._normal
        normal = np.where((gap > 0.0)[:, None], self._normal, 0.0)
        return Nearest(distance, foot, point, normal, np.full(len(gap), -1), feature, _one_test(len(gap)))

    def touches(
        self, rots: Floats, shifts: Floats, everything: bool, threads: int | None, first: Ints | None = None
    ) -> Touches:
        """The lowest point, at half its depth."""
        gap, point, feature = self._lowest(rots, shifts)
        pose = np.flatnonzero(gap <= 0.0)
        gap, point = gap[pose], point[pose]
        normal = np.tile(self._normal, (len(pose), 1))
        return Touches(pose, point - 0.5 * gap[:, None] * normal, normal, -gap, np.full(len(pose), -1), feature[pose])

    def deepest(self, rots: Floats, shifts: Floats, threads: int | None) -> Deepest:
        """The translation is along the normal."""
        gap, point, _ = self._lowest(rots, shifts)
        normal = np.tile(self._normal, (len(gap), 1))
        foot = point - gap[:, None] * normal
        return Deepest(np.maximum(-gap, 0.0), normal, foot, point, np.ones(len(gap), np.bool_))


class HalfSpaces(Pair):
    """Two half-spaces: separate only if their normals are opposite, else their overlap is unbounded."""

    def _gap(self, rots: Floats, shifts: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the gap (n,), -inf for unbounded overlap, nearest points of b (n, 3), and normals (n, 3) from a to b.

        If no translation separates them, the normal is between both outward normals, the same from either side.
        """
        assert isinstance(self.a, HalfSpace)
        assert isinstance(self.b, HalfSpace)
        other = turned(rots, np.asarray(self.b.normal))
        point = shifts + self.b.offset * other
        normal = np.asarray(self.a.normal)
        facing = levels(other, normal)[:, 0] <= -1.0 + FACING_PLANES
        between = normal - other
        size = np.sqrt(levels(between * between, np.ones(3)))
        out = np.where(facing[:, None] | (size == 0.0), normal, between / np.where(size == 0.0, 1.0, size))
        return np.where(facing, levels(point, normal)[:, 0] - self.a.offset, -np.inf), point, out

    def touching(self, rots: Floats, shifts: Floats, margin: float, threads: int | None) -> Touching:
        """Is the gap closed, or below the margin?"""
        gap, _, _ = self._gap(rots, shifts)
        n = len(gap)
        return Touching(gap <= 0.0 if margin == 0.0 else gap < margin, _one_test(n), nothing_found(n))

    def nearest(self, rots: Floats, shifts: Floats, within: float, start: Ints | None, threads: int | None) -> Nearest:
        """The gap between facing planes."""
        assert isinstance(self.a, HalfSpace)
        gap, point, _ = self._gap(rots, shifts)
        free = np.maximum(gap, 0.0)
        none = np.full(len(gap), -1)
        normal = np.where((gap > 0.0)[:, None], self.a.normal, 0.0)
        distance = np.where(gap > within, np.inf, free)
        return Nearest(distance, point - free[:, None] * self.a.normal, point, normal, none, none, _one_test(len(gap)))

    def touches(
        self, rots: Floats, shifts: Floats, everything: bool, threads: int | None, first: Ints | None = None
    ) -> Touches:
        """Any point of b's plane; the depth is infinite unless the planes face each other."""
        gap, point, normal = self._gap(rots, shifts)
        pose = np.flatnonzero(gap <= 0.0)
        none = np.full(len(pose), -1)
        return Touches(pose, point[pose], normal[pose], -gap[pose], none, none)

    def deepest(self, rots: Floats, shifts: Floats, threads: int | None) -> Deepest:
        """Infinite unless the planes face each other."""
        assert isinstance(self.a, HalfSpace)
        gap, point, _ = self._gap(rots, shifts)
        normal = np.tile(self.a.normal, (len(gap), 1))
        depth = np.maximum(-gap, 0.0)
        foot = point + np.where(np.isfinite(depth), depth, 0.0)[:, None] * normal
        return Deepest(depth, normal, foot, point, np.ones(len(gap), np.bool_))


def _one_test(n: int) -> Ints:
    return np.tile(np.array([0, 1]), (n, 1))
