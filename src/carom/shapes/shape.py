"""What every shape offers, and what the shapes with a triangulated surface share."""

from __future__ import annotations

import contextlib
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any, ClassVar, Self
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull, QhullError

from carom._copies import Immutable
from carom.errors import RunFileError, UnsupportedPairError
from carom.maths.fixed_order import product
from carom.shapes.kind import Family, ShapeKind
from carom.shapes.parts.parameters import Parameter, Value
from carom.shapes.parts.ray_span import Span
from carom.tolerances import BOUNDING_SPHERE_STEPS

Vectors = NDArray[np.float64]
"""float64 array; the docstring that uses it states the shape."""


class Shape(Immutable, ABC):
    """A rigid shape about the origin of its own frame. Immutable, and equal only to itself.

    A shape describes itself: everything else asks it through the attributes and methods below, and finds its class in
    `carom.shapes.registry`. Subclasses of a shape inherit the description, and are stored as their base.
    """

    kind: ShapeKind = ShapeKind.POLLED
    """Which pair tests know the shape; none know one that leaves this as it is."""
    code: ClassVar[int]
    """Number of the shape in run files and snapshots, and of a curved surface in its support core. It never changes."""
    word: ClassVar[str] = ""
    """Name in scene files and on the command line; empty for a shape that they do not have."""
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    """Arguments of the constructor, in its order; none for a shape that files do not hold."""
    support_kernel: ClassVar[Callable[..., Any] | None] = None
    """Of a curved surface: the kernel (core, dx, dy, dz) -> (x, y, z, row) of its farthest point, an inline kernel in a
    staticmethod. `core`
    is what `support_core` made; the row is -1, or 0 or more at a corner, which that number names."""
    oriented: ClassVar[bool] = True
    """False: turning the shape about its origin changes nothing."""

    @property
    def family(self) -> Family:
        """What the shape is to the queries about a pair."""
        return Family.of(self.kind)

    @abstractmethod
    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) in the shape's frame and radius of a sphere around the shape; the radius may be inf."""

    @abstractmethod
    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz.

        Infinite where the shape is unbounded.
        """

    def bounding_balls(self) -> tuple[Vectors, float]:
        """Centres (n, 3) of balls of one radius whose smallest common sphere holds the shape. Default: one ball."""
        centre, radius = self.bounding_sphere()
        return centre[None], radius

    def support_core(self) -> Vectors:
        """A new support core (carom.shapes.parts.cores) of a convex shape; UnsupportedPairError for any other."""
        raise UnsupportedPairError(f"{type(self).__name__} is not convex; expected a bounded convex solid")

    def straight_row(self) -> Vectors | None:
        """Numbers that the exact tests of straight flights read; None for a shape that they know otherwise or not at all."""
        return None

    def ray_span(self, origins: Vectors, directions: Vectors) -> Span:
        """Stretches inside a convex solid of rays from origins (n, 3) along unit directions (n, 3), in the shape's frame."""
        raise TypeError(f"{type(self).__name__} is no convex solid")

    def side_along(self, normals: Vectors) -> NDArray[np.int64]:
        """Features (n,) whose outward normals are nearest to each of `normals` (n, 3), in the shape's frame. Default: -1."""
        return np.full(len(normals), -1)

    def feature_name(self, feature: int) -> str:
        """A feature in words."""
        return f"face {feature}"

    def triangles(self, detail: int) -> Vectors:
        """Corners (m, 3, 3) of outward triangles in the shape's frame; a ball gets about 2 * `detail`. Default: none."""
        return np.empty((0, 3, 3))

    def record(self) -> tuple[Vectors, NDArray[np.int64]]:
        """The floats (n,) and the integers (k,) by which a run file holds the shape."""
        if not self.parameters:
            raise RunFileError(f"a {type(self).__name__} cannot be written to a run file")
        return np.concatenate([np.ravel(getattr(self, each.name)) for each in self.parameters]), _NO_INTEGERS

    def digest(self) -> int:
        """64 bits of a digest of the code and the record, by which a snapshot knows the shape again; calculated once."""
        return self._digest

    @cached_property
    def _digest(self) -> int:
        floats, ints = self.record()
        words = hashlib.sha256(f"{self.code} {len(floats)} {len(ints)} ".encode())
        words.update(np.ascontiguousarray(floats, "<f8").tobytes())
        words.update(np.ascontiguousarray(ints, "<i8").tobytes())
        return int.from_bytes(words.digest()[:8], "little")

    @classmethod
    def from_record(cls, floats: Vectors, ints: NDArray[np.int64]) -> Self:
        """The shape that `record` gave these numbers for."""
        if not cls.parameters:
            raise ValueError(f"a {cls.__name__} cannot be read from a run file")
        values, start = [], 0
        for each in cls.parameters:
            end = start + _NUMBERS[each.value] if each.value in _NUMBERS else len(floats)
            part = floats[start:end]
            values.append(part.reshape(-1, 3) if each.value is Value.POINTS else part if end - start > 1 else part[0])
            start = end
        if start != len(floats) or len(ints):
            raise ValueError(f"{len(floats)} floats and {len(ints)} integers do not make a {cls.__name__}")
        return cls(*values)

    @classmethod
    def why_not(cls, given: Collection[str]) -> str:
        """What is wrong with a scene file that gives these of the parameters, for its error; empty where nothing is."""
        return ""

    @classmethod
    def from_scene(cls, values: Mapping[str, Any]) -> Shape:
        """The shape of a scene file: `values` by parameter; arrays and meshes are read."""
        return cls(**values)


_NUMBERS = {Value.SIZE: 1, Value.NUMBER: 1, Value.SIZES: 3, Value.VECTOR: 3}
"""Floats of a value in a record; other values take all that are left."""
_NO_INTEGERS = np.empty(0, np.int64)

_cores: WeakKeyDictionary[Shape, Vectors] = WeakKeyDictionary()


def core_of(shape: Shape) -> Vectors:
    """The support core of a convex shape, made once and shared: not to be written to. UnsupportedPairError for any other."""
    core = _cores.get(shape)
    if core is None:
        core = _cores[shape] = shape.support_core()
    return core


class SurfaceShape(Shape):
    """A shape with a triangulated surface: vertices (n, 3) and faces (m, 3)."""

    vertices: Vectors
    faces: NDArray[np.int64]

    solid: bool
    """True: the inside belongs to the shape (which is then convex). False: the shape is its surface only."""

    @cached_property
    def hull_vertices(self) -> NDArray[np.int64]:
        """Rows of `vertices` that carry every extreme point; all used rows where the surface is flat."""
        rows = np.unique(self.faces)
        with contextlib.suppress(QhullError, ValueError):
            rows = rows[np.sort(ConvexHull(self.vertices[rows]).vertices)]
        freeze(rows)
        return rows

    @cached_property
    def _sphere(self) -> tuple[Vectors, float]:
        return _small_sphere(self.vertices[self.hull_vertices])

    def bounding_sphere(self) -> tuple[Vectors, float]:
        """Centre (3,) in the shape's frame and radius of a nearly smallest sphere around the surface."""
        return self._sphere

    def extents_along(self, axes: Vectors, quat: Vectors) -> tuple[Vectors, Vectors]:
        """Lower and upper extent (k,) about the position along world `axes` (k, 3), turned by unit `quat` (4,) wxyz."""
        along = product(product(np.asarray(axes), rotation_matrix(quat)), self.vertices[self.hull_vertices].T)
        return along.min(axis=1), along.max(axis=1)

    def bounding_balls(self) -> tuple[Vectors, float]:
        """The extreme vertices, and a radius of 0."""
        return self.vertices[self.hull_vertices], 0.0

    def triangles(self, detail: int) -> Vectors:
        """The surface as it is."""
        return np.asarray(self.vertices[self.faces])


class Polyhedral(SurfaceShape):
    """A solid with flat sides."""

    solid = True
    planes: Vectors
    """Outward unit normal and offset (k, 4) of each side; inside where normal . x <= offset."""
    plane_faces: NDArray[np.int64]
    """One row of `faces` (k,) on each side."""

    def _settle(self, **arrays: NDArray[Any]) -> None:
        """Set attributes of the shape, which is frozen, to arrays that nobody may write to."""
        for name, array in arrays.items():
            freeze(array)
            object.__setattr__(self, name, array)


def rotation_matrix(quat: Vectors) -> Vectors:
    """Rotation (3, 3) of the unit quaternion `quat` (4,) wxyz; it takes shape axes to world axes."""
    w, x, y, z = (float(q) for q in quat)
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )


def freeze(array: NDArray[np.generic]) -> None:
    """Make `array` read-only: shapes are shared between bodies and worlds."""
    array.setflags(write=False)


def _small_sphere(points: Vectors) -> tuple[Vectors, float]:
    """Sphere around `points` (n, 3), within a percent of the smallest.

    Badoiu and Clarkson's walk towards the farthest point, from the centre of the box around the points; the best centre
    seen is kept, so the result is never worse than that box's sphere.
    """
    centre = 0.5 * (points.min(axis=0) + points.max(axis=0))
    best, best_radius = centre, np.inf
    for step in range(BOUNDING_SPHERE_STEPS):
        distance = np.sqrt(((points - centre) ** 2).sum(axis=1))
        farthest = int(distance.argmax())
        if distance[farthest] < best_radius:
            best, best_radius = centre, float(distance[farthest])
        centre = centre + (points[farthest] - centre) / (step + 2.0)
    radius = best_radius * (1.0 + 4.0 * np.finfo(np.float64).eps) + 4.0 * np.spacing(np.abs(points).max())
    best.setflags(write=False)
    return best, float(radius)
