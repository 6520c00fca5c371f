"""Shapes as unions of convex pieces, read from what the documentation says of each shape."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

import carom
from fuzz.oracle.convex import CONE, CYLINDER, ELLIPSOID, HALF_SPACE, POINTS


class Pieces(NamedTuple):
    """n convex pieces in the frame of a body; piece k has the points first[k] to last[k], or a size: (radius, height, 0)
    or, of an ellipsoid, its semi-axes.

    Of a half-space the first row of `rotation` is the normal and the first entry of `size` the offset.
    """

    kind: np.ndarray
    radius: np.ndarray
    size: np.ndarray
    first: np.ndarray
    last: np.ndarray
    rotation: np.ndarray
    shift: np.ndarray
    points: np.ndarray


_Piece = tuple[int, float, tuple[float, float, float], Any, Any, Any]
_NO_SIZE = (0.0, 0.0, 0.0)


def pieces_of(shape: Any) -> Pieces:
    """The pieces of a carom shape."""
    return _packed(_pieces(shape, np.eye(3), np.zeros(3)))


def triangles(vertices: np.ndarray, faces: np.ndarray) -> Pieces:
    """The pieces of a surface."""
    return _packed([(POINTS, 0.0, _NO_SIZE, vertices[face], np.eye(3), np.zeros(3)) for face in faces])


def hull(points: np.ndarray, radius: float = 0.0) -> Pieces:
    """The hull of points, enlarged by a radius: a point, a segment, a ball."""
    return _packed([(POINTS, radius, _NO_SIZE, np.atleast_2d(points), np.eye(3), np.zeros(3))])


def reach(pieces: Pieces) -> float:
    """Distance of the farthest point from the body's origin; 0 for a half-space."""
    far = 0.0
    for k, kind in enumerate(pieces.kind):
        if kind == POINTS:
            points = pieces.points[pieces.first[k] : pieces.last[k]]
            far = max(far, float(np.linalg.norm(points, axis=1).max() + pieces.radius[k]))
        elif kind in (CYLINDER, CONE):
            radius, height, _ = pieces.size[k]
            far = max(far, float(np.linalg.norm(pieces.shift[k]) + np.hypot(radius, 0.5 * height)))
        elif kind == ELLIPSOID:
            far = max(far, float(np.linalg.norm(pieces.shift[k]) + pieces.size[k].max()))
    return far


def _packed(pieces: list[_Piece]) -> Pieces:
    kinds, radii, sizes, points, rotations, shifts = zip(*pieces, strict=True)
    ends = np.cumsum([0, *(len(p) for p in points)]).astype(np.int64)
    return Pieces(
        np.array(kinds, np.int64),
        np.array(radii, float),
        np.array(sizes, float),
        ends[:-1].copy(),
        ends[1:].copy(),
        np.array(rotations, float),
        np.array(shifts, float),
        np.ascontiguousarray(np.concatenate(points), float),
    )


def _pieces(shape: Any, rotation: np.ndarray, shift: np.ndarray) -> list[_Piece]:
    def rounded(points: Any, radius: float = 0.0) -> _Piece:
        return POINTS, radius, _NO_SIZE, np.asarray(points, float) @ rotation.T + shift, np.eye(3), np.zeros(3)

    none = np.zeros((1, 3))
    match shape:
        case carom.Sphere():
            return [rounded([(0.0, 0.0, 0.0)], shape.radius)]
        case carom.Box():
            x, y, z = 0.5 * np.asarray(shape.extents)
            return [rounded([(i * x, j * y, k * z) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])]
        case carom.Capsule():
            return [rounded([(0.0, 0.0, -0.5 * shape.height), (0.0, 0.0, 0.5 * shape.height)], shape.radius)]
        case carom.Cylinder():
            return [(CYLINDER, 0.0, (shape.radius, shape.height, 0.0), none, rotation, shift)]
        case carom.Cone():
            return [(CONE, 0.0, (shape.radius, shape.height, 0.0), none, rotation, shift)]
        case carom.Ellipsoid():
            return [(ELLIPSOID, 0.0, tuple(shape.radii), none, rotation, shift)]
        case carom.Convex():
            return [rounded(shape.vertices)]
        case carom.Mesh():
            return [rounded(shape.vertices[face]) for face in shape.faces]
        case carom.HalfSpace():
            normal = rotation @ np.asarray(shape.normal, float)
            size = (shape.offset + normal @ shift, 0.0, 0.0)
            return [(HALF_SPACE, 0.0, size, none, [normal, none[0], none[0]], none[0])]
        case carom.Compound():
            return [
                entry
                for piece, pose in shape.pieces
                for entry in _pieces(piece, rotation @ pose[:3, :3], rotation @ pose[:3, 3] + shift)
            ]
    raise TypeError(type(shape).__name__)
