"""Contacts of one pair that were found and not yet reported, in the order in which they come."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Touches:
    """One row a contact. times (n,) local; faces (n, 2) triangles of a and of b, -1 for a side that has none; points, unit
    normals (n, 3), from a to b; speeds (n,) of approach; status (n,); weights (n, 6) of the corners of both triangles, NaN
    where there is none."""

    times: Floats
    faces: Ints
    points: Floats
    normals: Floats
    speeds: Floats
    status: Ints
    weights: Floats

    def __len__(self) -> int:
        return len(self.times)

    @staticmethod
    def none() -> Touches:
        """No contacts."""
        return _NONE

    def kept(self, rows: NDArray[np.generic]) -> Touches:
        """Only some of them, by mask or row."""
        return Touches(*(getattr(self, field.name)[rows] for field in fields(self)))

    def ordered(self) -> Touches:
        """In the order of (time, triangle of a, triangle of b)."""
        return self.kept(np.lexsort((self.faces[:, 1], self.faces[:, 0], self.times)))

    def before(self, end: float) -> Touches:
        """Those at the key `end`, after which they would be forgotten, one unit in the last place before it."""
        return replace(self, times=np.minimum(self.times, np.nextafter(end, -inf))) if end < inf else self

    def swapped(self) -> Touches:
        """With a and b exchanged."""
        turned = np.concatenate([self.weights[:, 3:], self.weights[:, :3]], axis=1)
        return Touches(
            self.times, self.faces[:, ::-1].copy(), self.points, -self.normals, self.speeds, self.status, turned
        )

    def with_(self, others: Touches) -> Touches:
        """Both, in order."""
        both = (np.concatenate([getattr(self, f.name), getattr(others, f.name)]) for f in fields(self))
        return Touches(*both).ordered()


_NONE = Touches(
    np.empty(0), np.empty((0, 2), np.int64), np.empty((0, 3)), np.empty((0, 3)), np.empty(0), np.empty(0, np.int64),
    np.empty((0, 6)),
)  # fmt: skip


def face_keys(faces: Ints) -> Ints:
    """Pairs of triangles (n, 2) as one number each; -1 is a triangle like any other."""
    return (faces[:, 0] + 1 << 32) | (faces[:, 1] + 1)
