"""Base class of pairs of shapes, for n poses of b in the frame of a (rots (n, 9), shifts (n, 3)).

All points and normals are in the frame of a; the public queries turn them into world axes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from carom.maths.rotations import turned
from carom.shapes import Compound, Shape

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


class Touching(NamedTuple):
    """hit (n,); tests (n, 2) of bounding volumes and of primitives; first (n, k): touching features, for `Pair.touches`."""

    hit: Bools
    tests: Ints
    first: Ints


class Nearest(NamedTuple):
    """distance (n,), 0 for contact, inf beyond the limit; points and normal (n, 3); features (n,); tests (n, 2)."""

    distance: Floats
    point_a: Floats
    point_b: Floats
    normal: Floats
    feature_a: Ints
    feature_b: Ints
    tests: Ints


class Touches(NamedTuple):
    """Contacts, one row each: pose (m,), point and normal (m, 3), depth (m,), features (m,)."""

    pose: Ints
    point: Floats
    normal: Floats
    depth: Floats
    feature_a: Ints
    feature_b: Ints


class Deepest(NamedTuple):
    """depth (n,), 0 without overlap; normal (n, 3); deepest points (n, 3); exact (n,)."""

    depth: Floats
    normal: Floats
    point_a: Floats
    point_b: Floats
    exact: Bools


class Pair(ABC):
    """Two shapes."""

    def __init__(self, a: Shape, b: Shape) -> None:
        self.a = a
        self.b = b

    @abstractmethod
    def touching(self, rots: Floats, shifts: Floats, margin: float, threads: int | None) -> Touching:
        """Do they touch, or with a margin above 0: is the gap below it?"""

    @abstractmethod
    def nearest(self, rots: Floats, shifts: Floats, within: float, start: Ints | None, threads: int | None) -> Nearest:
        """Distance and nearest points. start: features (n, 2) or (2,) where the search starts, without effect on it."""

    @abstractmethod
    def touches(
        self, rots: Floats, shifts: Floats, everything: bool, threads: int | None, first: Ints | None = None
    ) -> Touches:
        """Contacts of poses in which they touch: one per pose, or all.

        first (n, k): the result of `touching` with margin 0 for these poses, all of which are hits; it saves a second search.
        """

    @abstractmethod
    def deepest(self, rots: Floats, shifts: Floats, threads: int | None) -> Deepest:
        """Depth, and the translation of b that separates the shapes."""


class Swapped(Pair):
    """A pair with its shapes exchanged."""

    def __init__(self, inner: Pair) -> None:
        super().__init__(inner.b, inner.a)
        self._inner = inner

    def touching(self, rots: Floats, shifts: Floats, margin: float, threads: int | None) -> Touching:
        """As the inner pair."""
        return self._inner.touching(*turned_back(rots, shifts), margin, threads)

    def nearest(self, rots: Floats, shifts: Floats, within: float, start: Ints | None, threads: int | None) -> Nearest:
        """As the inner pair, with points and features exchanged."""
        flipped = None if start is None else np.ascontiguousarray(start[..., ::-1])
        found = self._inner.nearest(*turned_back(rots, shifts), within, flipped, threads)
        return Nearest(
            found.distance,
            placed(rots, shifts, found.point_b),
            placed(rots, shifts, found.point_a),
            -turned(rots, found.normal),
            found.feature_b,
            found.feature_a,
            found.tests,
        )

    def touches(
        self, rots: Floats, shifts: Floats, everything: bool, threads: int | None, first: Ints | None = None
    ) -> Touches:
        """As the inner pair, with normals reversed."""
        found = self._inner.touches(*turned_back(rots, shifts), everything, threads, first)
        at = rots[found.pose]
        return Touches(
            found.pose,
            placed(at, shifts[found.pose], found.point),
            -turned(at, found.normal),
            found.depth,
            found.feature_b,
            found.feature_a,
        )

    def deepest(self, rots: Floats, shifts: Floats, threads: int | None) -> Deepest:
        """As the inner pair, with the normal reversed: a translation of b is the opposite one of a."""
        found = self._inner.deepest(*turned_back(rots, shifts), threads)
        return Deepest(
            found.depth,
            -turned(rots, found.normal),
            placed(rots, shifts, found.point_b),
            placed(rots, shifts, found.point_a),
            found.exact,
        )


def pieces_of(shape: Shape) -> tuple[tuple[Shape, Floats], ...]:
    """Return the pieces of a compound with their poses (4, 4), or the shape itself."""
    return shape.pieces if isinstance(shape, Compound) else ((shape, np.eye(4)),)


def nothing_found(n: int) -> Ints:
    """Return `Touching.first` of a pair without features for `touches`."""
    return np.empty((n, 0), np.int64)


def placed(rots: Floats, shifts: Floats, points: Floats) -> Floats:
    """Return points (n, 3) of b's frame in the frame of a."""
    return turned(rots, points) + shifts


def turned_back(rots: Floats, shifts: Floats) -> tuple[Floats, Floats]:
    """Return poses of a in the frame of b."""
    back = np.ascontiguousarray(rots.reshape(-1, 3, 3).transpose(0, 2, 1))
    return back.reshape(-1, 9), -turned(back, shifts)
