"""Unions of pieces: every piece of one against every piece of the other, unless bounding spheres exclude them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carom.maths.rotations import composed, turned
from carom.queries.pairs.pair import Deepest, Nearest, Pair, Touches, Touching, nothing_found, pieces_of, placed
from carom.queries.pairs.separate import separating_translation
from carom.shapes import Compound, HalfSpace, Shape

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class CompoundPair(Pair):
    """Compound against any shape: the nearest pieces count. Features of a compound are rows of pieces."""

    def __init__(self, a: Shape, b: Shape, pair_of: Callable[[Shape, Shape], Pair]) -> None:
        super().__init__(a, b)
        self._pairs = [
            (i, j, pose_a, pose_b, pair_of(piece_a, piece_b))
            for i, (piece_a, pose_a) in enumerate(pieces_of(a))
            for j, (piece_b, pose_b) in enumerate(pieces_of(b))
        ]

    def _placed(self, rots: Floats, shifts: Floats) -> Iterator[tuple[int, int, Floats, Pair, Floats, Floats]]:
        """Yield every pair of pieces: numbers, pose of the first, the pair, poses of the second relative to the first."""
        for i, j, pose_a, pose_b, pair in self._pairs:
            back = pose_a[:3, :3].T
            rot = composed(composed(back, rots), pose_b[:3, :3]).reshape(-1, 9)
            shift = turned(back, turned(rots, pose_b[:3, 3]) + shifts - pose_a[:3, 3])
            yield i, j, pose_a, pair, rot, shift

    @staticmethod
    def _features(shape: Shape, row: int, features: Ints) -> Ints:
        """Return the features of `shape`, whose piece `row` has the given ones."""
        return np.full(len(features), row) if isinstance(shape, Compound) else features

    def touching(self, rots: Floats, shifts: Floats, margin: float, threads: int | None) -> Touching:
        """Does any pair of pieces touch?"""
        hit = np.zeros(len(rots), np.bool_)
        tests = np.zeros((len(rots), 2), np.int64)
        for _, _, _, pair, rot, shift in self._placed(rots, shifts):
            rest = np.flatnonzero(~hit & _may_be_near(pair, rot, shift, margin))
            found = pair.touching(rot[rest], shift[rest], margin, threads)
            hit[rest] = found.hit
            tests[rest] += found.tests
        return Touching(hit, tests, nothing_found(len(rots)))

    def nearest(self, rots: Floats, shifts: Floats, within: float, start: Ints | None, threads: int | None) -> Nearest:
        """The nearest pair of pieces."""
        n = len(rots)
        best = Nearest(
            np.full(n, np.inf), np.full((n, 3), np.inf), np.full((n, 3), np.inf), np.zeros((n, 3)), np.full(n, -1),
            np.full(n, -1), np.zeros((n, 2), np.int64),
        )  # fmt: skip
        for i, j, pose_a, pair, rot, shift in self._placed(rots, shifts):
            rest = np.flatnonzero(_may_be_near(pair, rot, shift, np.minimum(best.distance, within)))
            found = pair.nearest(rot[rest], shift[rest], within, None, threads)
            best.tests[rest] += found.tests
            closer = found.distance < best.distance[rest]
            rest, turn = rest[closer], pose_a[:3, :3]
            best.distance[rest] = found.distance[closer]
            best.point_a[rest] = turned(turn, found.point_a[closer]) + pose_a[:3, 3]
            best.point_b[rest] = turned(turn, found.point_b[closer]) + pose_a[:3, 3]
            best.normal[rest] = turned(turn, found.normal[closer])
            best.feature_a[rest] = self._features(self.a, i, found.feature_a[closer])
            best.feature_b[rest] = self._features(self.b, j, found.feature_b[closer])
        return best

    def touches(
        self, rots: Floats, shifts: Floats, everything: bool, threads: int | None, first: Ints | None = None
    ) -> Touches:
        """Contacts of all pairs of pieces, or the deepest of each pose."""
        parts = []
        for i, j, pose_a, pair, rot, shift in self._placed(rots, shifts):
            near = np.flatnonzero(_may_be_near(pair, rot, shift, 0.0))
            found = pair.touches(rot[near], shift[near], everything, threads)
            turn = pose_a[:3, :3]
            parts.append(
                Touches(
                    near[found.pose], turned(turn, found.point) + pose_a[:3, 3], turned(turn, found.normal), found.depth,
                    self._features(self.a, i, found.feature_a), self._features(self.b, j, found.feature_b),
                )
            )  # fmt: skip
        columns: list[NDArray[Any]] = [np.concatenate(column) for column in zip(*parts, strict=True)]
        order = np.lexsort((-columns[3], columns[0]))
        if not everything:
            order = order[np.unique(columns[0][order], return_index=True)[1]]
        return Touches(*(column[order] for column in columns))

    def deepest(self, rots: Floats, shifts: Floats, threads: int | None) -> Deepest:
        """A translation that separates all pieces: an upper bound. For a half-space the deepest piece counts, exactly."""
        if isinstance(self.a, HalfSpace) or isinstance(self.b, HalfSpace):
            return self._out_of_half_space(rots, shifts, threads)
        return separating_translation(self, rots, shifts, threads)

    def _out_of_half_space(self, rots: Floats, shifts: Floats, threads: int | None) -> Deepest:
        best: Deepest | None = None
        for _, _, pose_a, pair, rot, shift in self._placed(rots, shifts):
            found, turn, origin = pair.deepest(rot, shift, threads), pose_a[:3, :3], pose_a[:3, 3]
            found = Deepest(
                found.depth,
                turned(turn, found.normal),
                turned(turn, found.point_a) + origin,
                turned(turn, found.point_b) + origin,
                found.exact,
            )
            if best is None:
                best = found
                continue
            deeper = found.depth > best.depth
            columns: list[NDArray[Any]] = [
                np.where(deeper[:, None] if x.ndim == 2 else deeper, y, x) for x, y in zip(best, found, strict=True)
            ]
            best = Deepest(*columns)
        assert best is not None
        return best


def _may_be_near(pair: Pair, rots: Floats, shifts: Floats, limit: float | Floats) -> NDArray[np.bool_]:
    """Return the poses in which bounding spheres do not exclude a distance of `limit`."""
    centre_a, radius_a = pair.a.bounding_sphere()
    centre_b, radius_b = pair.b.bounding_sphere()
    if not np.isfinite(radius_a + radius_b):
        return np.ones(len(rots), np.bool_)
    apart = np.linalg.norm(placed(rots, shifts, np.tile(centre_b, (len(rots), 1))) - centre_a, axis=1)
    return np.asarray(apart * (1.0 - 1e-12) <= radius_a + radius_b + limit)
