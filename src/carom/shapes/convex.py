"""Convex solids given by points."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull, QhullError

from carom import validate
from carom.errors import InvalidInputError
from carom.maths.rotations import levels
from carom.shapes.kind import ShapeKind
from carom.shapes.parts.cores import hull_core
from carom.shapes.parts.parameters import Parameter, Value
from carom.shapes.parts.polyhedron import polyhedron
from carom.shapes.parts.ray_span import Span, between_planes
from carom.shapes.shape import Polyhedral, Vectors


@dataclass(frozen=True, eq=False)
class Convex(Polyhedral):
    """The solid convex hull of points.

    The attribute `vertices` holds only the extreme points, in the given order. `faces` are triangles oriented outwards;
    they are the features of contacts.

    Parameters
    ----------
    points : array_like of shape (n, 3)
        Points, m, not all in one plane.

    Raises
    ------
    InvalidInputError
        A value is not finite, or all points lie in one plane.
    """

    points: ArrayLike = field(repr=False)
    vertices: Vectors = field(init=False, repr=False)
    faces: NDArray[np.int64] = field(init=False, repr=False)
    planes: Vectors = field(init=False, repr=False)
    """Outward unit normal and offset (k, 4) of each side; inside where normal . x <= offset."""
    plane_faces: NDArray[np.int64] = field(init=False, repr=False)
    """One row of `faces` (k,) on each side."""

    kind = ShapeKind.CONVEX
    code = 2
    word = "convex"
    parameters = (Parameter("points", Value.POINTS, "four or more that span a solid, m"),)

    def __post_init__(self) -> None:
        points = validate.array("points", self.points, (None, 3))
        validate.spread("points", points)
        if len(points) < 4:
            raise InvalidInputError(
                f"points has {validate.counted(len(points), 'row')}; expected at least 4 that span a solid"
            )
        try:
            hull = ConvexHull(points)
        except QhullError:
            raise InvalidInputError("points all lie (nearly) in one plane; expected points that span a solid") from None
        kept = np.sort(hull.vertices)
        vertices = points[kept]
        faces = np.searchsorted(kept, _outward(points, hull)).astype(np.int64)
        planes, plane_faces = _distinct_planes(hull.equations)
        self._settle(points=points, vertices=vertices, faces=faces, planes=planes, plane_faces=plane_faces)

    def support_core(self) -> Vectors:
        """The vertices, and the tables of neighbours, sides and edges."""
        return hull_core(polyhedron(self.vertices, self.faces))

    def ray_span(self, origins: Vectors, directions: Vectors) -> Span:
        """Inside all sides."""
        return between_planes(origins, directions, self.planes, self.plane_faces)

    def side_along(self, normals: Vectors) -> NDArray[np.int64]:
        """Faces; -1 for a normal of zeros."""
        sides = self.plane_faces[levels(normals, self.planes[:, :3]).argmax(axis=1)]
        return np.where((normals != 0.0).any(axis=1), sides, -1)


def _outward(points: Vectors, hull: ConvexHull) -> NDArray[np.int64]:
    """Hull triangles (m, 3) with their corners turned anticlockwise seen from outside (Qhull leaves that open)."""
    faces = np.array(hull.simplices, dtype=np.int64)
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * hull.equations[:, :3]).sum(axis=1) < 0.0
    faces[inward] = faces[inward][:, [0, 2, 1]]
    return faces


def _distinct_planes(equations: Vectors) -> tuple[Vectors, NDArray[np.int64]]:
    """Planes (k, 4) as normal, offset from Qhull's equations, and the first triangle of each: flat sides share a plane."""
    _, first = np.unique(np.round(equations, 12), axis=0, return_index=True)
    first = np.sort(first)
    planes: Vectors = equations[first].copy()
    planes[:, 3] *= -1.0
    return planes, first
