"""What queries return: frozen, named. For a single pose the fields are numbers and (3,) vectors, for n poses arrays.

Points and normals are in world axes, metres. Normals are unit and point from a towards b. Features are rows of faces of a
mesh or convex shape, sides 0..5 (-x, +x, -y, +y, -z, +z) of a box, rows of pieces of a compound, -1 where a shape has only one
or none is known.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Contacts:
    """Every pair of touching features, one row each.

    pose (m,): which pose of the batch; points, normals (m, 3); depths (m,): how far the two features have to move apart
    along the normal; features_a, features_b (m,).
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
    """Do two shapes overlap or touch? Where not, point and normal are NaN, depth is 0 and the features are -1.

    point, normal, depth, feature_a, feature_b describe the first contact found (depth: of those two features, see Contacts);
    volume_tests and primitive_tests count tests of bounding volumes and of triangles or convex pairs.
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
    """All contacts, when asked for."""

    def __bool__(self) -> bool:
        return bool(np.any(self.hit))


@dataclass(frozen=True, eq=False)
class Distance:
    """How far apart two shapes are, m; 0 when they overlap or touch. point_a, point_b: where they are nearest.

    normal: unit from point_a to point_b; NaN where the distance is 0. distance is inf (points NaN) beyond the limit asked for.
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
    """How far b has to move along `normal` to part from a, m; 0 when they do not overlap (normal NaN).

    point_a, point_b: deepest points of a and of b along the normal. exact: the depth is the least possible; otherwise it is
    an upper bound, and moving b by depth * normal still parts the shapes.
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
    """When and where two moving shapes first touch. In a batch: time inf, point and normal NaN where they never do.

    time: s. status: 0 exact to rounding, 1 overlapping at the start, which is then the time, 3 conservative: early by at most
    the stated gap, -1 where they never touch. steps: steps of conservative advancement, 0 for exact answers.
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


@dataclass(frozen=True, eq=False)
class RayHit:
    """Where rays first meet a shape. distance: m along the ray, inf (point, normal NaN, feature -1) where it misses.

    A ray that starts inside a solid has distance 0 and a normal against its direction. shape: which of several was hit.
    """

    hit: bool | Bools
    distance: float | Floats
    point: Floats
    normal: Floats
    feature: int | Ints
    shape: int | Ints


def single(result: R) -> R:
    """The only row of a batch result as numbers and vectors."""
    values: dict[str, Any] = {}
    for field in fields(result):  # type: ignore[arg-type]
        value = getattr(result, field.name)
        if isinstance(value, np.ndarray):
            value = value[0].item() if value.ndim == 1 else value[0]
        values[field.name] = value
    return type(result)(**values)
