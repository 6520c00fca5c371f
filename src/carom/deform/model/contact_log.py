"""Results of a search over an animation: contacts in time order, with places and bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from carom.validate import counted

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

VERTEX_FACE, FACE_VERTEX, EDGE_EDGE, OVERLAPPING = 0, 1, 2, 3
"""Kinds of contact: a vertex of a on b, a vertex of b on a, two edges; already in each other when the search began."""
KIND_NAMES = ("vertex-face", "face-vertex", "edge-edge", "overlapping")


@dataclass(frozen=True, eq=False)
class DeformContact:
    """The first contact of two triangles. The normal points from a to b."""

    time: float
    body_a: int
    body_b: int
    face_a: int
    face_b: int
    kind: str
    point: Floats
    normal: Floats
    speed: float
    barycentric_a: Floats
    barycentric_b: Floats


@dataclass(frozen=True, eq=False)
class DeformStats:
    """Counters of a search.

    Attributes
    ----------
    intervals : int
        Intervals between keys.
    box_tests, pairs_opened : int
        Pairs of boxes tested and opened.
    pair_tests : int
        Pairs of triangles whose boxes overlap.
    neighbour_tests : int
        Pairs of neighbours that no fan could exclude.
    feature_tests, exact_tests : int
        Vertex–face and edge–edge tests, and those of them that exact arithmetic decided.
    events : dict
        Numbers of the method's events, by name.
    """

    intervals: int = 0
    box_tests: int = 0
    pairs_opened: int = 0
    pair_tests: int = 0
    neighbour_tests: int = 0
    feature_tests: int = 0
    exact_tests: int = 0
    events: dict[str, int] = field(default_factory=dict)


def told(times: Floats) -> str:
    """How many contacts there are, and from when to when, in words."""
    if not len(times):
        return "no contacts"
    return f"{counted(len(times), 'contact')} from t = {times[0]:.6g} to {times[-1]:.6g}"


@dataclass(frozen=True, eq=False, repr=False)
class DeformContacts:
    """Contacts sorted by (time, body a, face a, body b, face b), one row per contact.

    Attributes
    ----------
    times : ndarray of shape (n,)
        Times, s; never after the true first contact.
    keys : ndarray of shape (n,)
        The interval: from key k to key k + 1.
    fractions : ndarray of shape (n,)
        Position in the interval, 0 to 1.
    body_a, body_b, face_a, face_b : ndarray of shape (n,)
        Bodies and triangles.
    kinds : ndarray of shape (n,)
        Kinds of contact, indices of KIND_NAMES.
    points, normals : ndarray of shape (n, 3)
        Contact points, m, and unit normals from a to b.
    speeds : ndarray of shape (n,)
        Approach speeds along the normal, m/s.
    barycentric_a, barycentric_b : ndarray of shape (n, 3)
        Barycentric weights of the point in both triangles.
    """

    times: Floats
    keys: Ints
    fractions: Floats
    body_a: Ints
    body_b: Ints
    face_a: Ints
    face_b: Ints
    kinds: Ints
    points: Floats
    normals: Floats
    speeds: Floats
    barycentric_a: Floats
    barycentric_b: Floats
    stats: DeformStats

    def __len__(self) -> int:
        return len(self.times)

    def __repr__(self) -> str:
        return f"DeformContacts({told(self.times)})"

    def __getitem__(self, k: int) -> DeformContact:
        return DeformContact(
            float(self.times[k]),
            int(self.body_a[k]),
            int(self.body_b[k]),
            int(self.face_a[k]),
            int(self.face_b[k]),
            KIND_NAMES[int(self.kinds[k])],
            self.points[k],
            self.normals[k],
            float(self.speeds[k]),
            self.barycentric_a[k],
            self.barycentric_b[k],
        )

    def __iter__(self) -> Iterator[DeformContact]:
        return (self[k] for k in range(len(self)))
