"""Two convex solids: the convex walk for distance, penetration of the difference for depth."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom.maths.rotations import turned_back
from carom.narrow.convex.convex_pair import ConvexPenetration, convex_collide, convex_distance, convex_penetration
from carom.queries.pairs.pair import Deepest, Nearest, Pair, Touches, Touching, nothing_found
from carom.shapes import Shape
from carom.shapes.parts.core_layout import MARGIN
from carom.shapes.shape import core_of
from carom.tolerances import EPA_ROUND_GAP

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class ConvexPair(Pair):
    """Two shapes that have a support core."""

    def __init__(self, a: Shape, b: Shape) -> None:
        super().__init__(a, b)
        self._core_a, self._core_b = core_of(a), core_of(b)

    def touching(self, rots: Floats, shifts: Floats, margin: float, threads: int | None) -> Touching:
        """Is the distance 0, or below the margin?"""
        core = self._core_a
        if margin > 0.0:
            core = core.copy()
            core[MARGIN] += margin
        n = len(rots)
        return Touching(convex_collide(core, self._core_b, rots, shifts, threads), _tests(n), nothing_found(n))

    def nearest(self, rots: Floats, shifts: Floats, within: float, start: Ints | None, threads: int | None) -> Nearest:
        """The convex walk."""
        found = convex_distance(self._core_a, self._core_b, rots, shifts, threads)
        near = found.distance <= within
        normal = np.where((found.distance > 0.0)[:, None], found.normal, 0.0)
        return Nearest(
            np.where(near, found.distance, np.inf),
            found.point_a,
            found.point_b,
            normal,
            np.where(near, self.a.side_along(normal), -1),
            np.where(near, self._sides_of_b(rots, normal), -1),
            _tests(len(rots)),
        )

    def touches(
        self, rots: Floats, shifts: Floats, everything: bool, threads: int | None, first: Ints | None = None
    ) -> Touches:
        """One contact per pose, half way between the deepest points."""
        if first is None:
            pose = np.flatnonzero(convex_collide(self._core_a, self._core_b, rots, shifts, threads))
        else:
            pose = np.arange(len(rots))
        at, shift = np.ascontiguousarray(rots[pose]), np.ascontiguousarray(shifts[pose])
        found = convex_penetration(self._core_a, self._core_b, at, shift, threads)
        return Touches(
            pose,
            0.5 * (found.point_a + found.point_b),
            found.normal,
            np.maximum(found.depth, 0.0),
            self.a.side_along(found.normal),
            self._sides_of_b(at, found.normal),
        )

    def deepest(self, rots: Floats, shifts: Floats, threads: int | None) -> Deepest:
        """Depth of the origin in the difference of the two solids."""
        found = convex_penetration(self._core_a, self._core_b, rots, shifts, threads)
        return Deepest(np.maximum(found.depth, 0.0), found.normal, found.point_a, found.point_b, _tight(found))

    def _sides_of_b(self, rots: Floats, normals: Floats) -> Ints:
        return self.b.side_along(turned_back(rots, -normals))


def _tight(found: ConvexPenetration) -> Bools:
    """Return whether the depth is the minimum, within the tolerance of the search for round shapes."""
    return np.asarray(found.depth - found.lower <= 2.0 * EPA_ROUND_GAP * np.abs(found.depth))


def _tests(n: int) -> Ints:
    """A convex pair is one test of primitives."""
    return np.tile(np.array([0, 1]), (n, 1))
