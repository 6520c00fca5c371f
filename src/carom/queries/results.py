"""Results of queries: frozen dataclasses. The fields are numbers and (3,) vectors for one pose, and arrays for n poses.

Points and normals are in world axes, metres. Normals have unit length and point from a towards b. A feature is the row
of a face of a mesh or convex shape, the side 0..5 (-x, +x, -y, +y, -z, +z) of a box, the row of a piece of a compound,
or -1 if the shape has only one feature or if none is known.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from carom.types import Status

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Contacts:
    """All pairs of touching features, one row per contact.

    Attributes
    ----------
    pose : ndarray of shape (m,)
        Index of the pose in the batch.
    points, normals : ndarray of shape (m, 3)
        Contact points, m, and unit normals from a to b.
    depths : ndarray of shape (m,)
        Distance, m, by which the two features must move apart along the normal.
    features_a, features_b : ndarray of shape (m,)
        The touching features.
    """

    pose: Ints
    points: Floats
    normals: Floats
    depths: Floats
    features_a: Ints
    features_b: Ints

    def __len__(self) -> int:
        return len(self.pose)


@dataclass(frozen=True, eq=False)
class Collision:
    """Whether two shapes overlap or touch, and one contact.

    Attributes
    ----------
    hit : bool
        True if the shapes overlap or touch. Otherwise point and normal are NaN, depth is 0 and the features are -1.
    point, normal, depth, feature_a, feature_b
        The first contact found; `depth` is that of its two features (see `Contacts`).
    volume_tests, primitive_tests : int
        Numbers of tests of bounding volumes, and of triangles or convex pairs.
    contacts : Contacts or None
        All contacts, with `contacts="all"`.
    """

    hit: bool | Bools
    point: Floats
    normal: Floats
    depth: float | Floats
    feature_a: int | Ints
    feature_b: int | Ints
    volume_tests: int | Ints
    primitive_tests: int | Ints
    contacts: Contacts | None = None

    def __bool__(self) -> bool:
        return bool(np.any(self.hit))


@dataclass(frozen=True, eq=False)
class Distance:
    """The distance of two shapes and their nearest points.

    Attributes
    ----------
    distance : float
        Distance, m; 0 if the shapes overlap or touch; inf beyond the limit `within` (points are then NaN).
    point_a, point_b : ndarray of shape (3,)
        The nearest points.
    normal : ndarray of shape (3,)
        Unit vector from point_a to point_b; NaN where the distance is 0.
    feature_a, feature_b : int
        The features of the nearest points.
    volume_tests, primitive_tests : int
        Numbers of tests of bounding volumes, and of triangles or convex pairs.
    """

    distance: float | Floats
    point_a: Floats
    point_b: Floats
    normal: Floats
    feature_a: int | Ints
    feature_b: int | Ints
    volume_tests: int | Ints
    primitive_tests: int | Ints

    def __float__(self) -> float:
        return float(self.distance)


@dataclass(frozen=True, eq=False)
class Penetration:
    """The penetration depth of two shapes.

    Attributes
    ----------
    depth : float
        Distance, m, by which b must move along `normal` to separate from a; 0 if they do not overlap (normal NaN).
    normal : ndarray of shape (3,)
        Unit direction of the translation of b.
    point_a, point_b : ndarray of shape (3,)
        The deepest points of a and of b along the normal.
    exact : bool
        True if the depth is the minimum. Otherwise it is an upper bound, and moving b by depth * normal still separates
        the shapes.
    """

    depth: float | Floats
    normal: Floats
    point_a: Floats
    point_b: Floats
    exact: bool | Bools

    def __float__(self) -> float:
        return float(self.depth)


@dataclass(frozen=True, eq=False)
class Impact:
    """The first contact of two moving shapes.

    In a batch, time is inf and point and normal are NaN where the shapes never touch.

    Attributes
    ----------
    time : float
        Time of the contact, s.
    point, normal : ndarray of shape (3,)
        Contact point, m, and unit normal from a to b.
    feature_a, feature_b : int
        The touching features.
    status : Status
        EXACT (0): exact to rounding. OVERLAPPING (1): overlapping at the start, which is then the time. CONSERVATIVE (3):
        early by at most the time that closes the stated gap. In a batch, the numbers, -1 where the shapes never touch.
    volume_tests, primitive_tests : int
        Numbers of tests of bounding volumes, and of triangles or convex pairs.
    steps : int
        Number of steps of conservative advancement; 0 for exact answers.
    """

    time: float | Floats
    point: Floats
    normal: Floats
    feature_a: int | Ints
    feature_b: int | Ints
    status: int | Ints
    volume_tests: int | Ints
    primitive_tests: int | Ints
    steps: int | Ints

    def __post_init__(self) -> None:
        if isinstance(self.status, int) and self.status >= 0:
            object.__setattr__(self, "status", Status(self.status))


@dataclass(frozen=True, eq=False)
class RayHit:
    """The first point at which a ray meets a shape.

    Attributes
    ----------
    hit : bool
        True if the ray meets a shape.
    distance : float
        Distance along the ray, m; 0 for a ray that starts inside a solid; inf if it misses (point and normal NaN,
        feature -1).
    point, normal : ndarray of shape (3,)
        The point, m, and the unit normal; against the direction for a ray that starts inside a solid.
    feature : int
        The feature that was hit.
    shape : int
        Index of the shape that was hit.
    """

    hit: bool | Bools
    distance: float | Floats
    point: Floats
    normal: Floats
    feature: int | Ints
    shape: int | Ints


def single(result: R) -> R:
    """Return the only row of a batch result as numbers and vectors."""
    values: dict[str, Any] = {}
    for field in fields(result):  # type: ignore[arg-type]
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray):
            value = value[0].item() if value.ndim == 1 else value[0]
        values[field.name] = value
    return type(result)(**values)
