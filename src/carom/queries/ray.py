"""Ray casts: one shape, or the nearest of many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._compile.jit import compiling
from carom.errors import InvalidInputError
from carom.maths.rotations import turned, turned_back
from carom.narrow.mesh.ray_surface import cross_surface
from carom.pose import poses
from carom.queries.pairs.pair import pieces_of
from carom.queries.results import RayHit, single
from carom.shapes import Family, Shape, SurfaceShape
from carom.trees.face_rows import faces_of
from carom.trees.obb.tree import tree_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def ray_cast(
    shape: Shape | Sequence[Shape],
    origins: ArrayLike,
    directions: ArrayLike,
    pose: ArrayLike | None = None,
    max_distance: float = np.inf,
) -> RayHit:
    """Find where rays first meet a shape, or the nearest of several shapes.

    Parameters
    ----------
    shape : Shape or sequence of Shape
        One shape or m shapes.
    origins, directions : array_like of shape (3,) or (n, 3)
        Origins, m, and directions of n rays. Either may be one row for all rays. Directions may have any nonzero
        length.
    pose : array_like of shape (4, 4) or (m, 4, 4), optional
        One pose per shape. Default: the identity.
    max_distance : float
        Maximum distance of a hit, m. Default: inf.

    Returns
    -------
    RayHit
        Fields are numbers and vectors for one ray, and arrays for n rays.

    Raises
    ------
    InvalidInputError
        An argument is malformed, a direction has length 0, the list of shapes is empty, or the number of poses does not
        match the number of shapes.
    """
    if not isinstance(shape, Shape | Sequence):
        raise InvalidInputError(f"shape is {validate.shown(shape)}; expected a carom shape or a list of shapes")
    shapes = [shape] if isinstance(shape, Shape) else list(shape)
    if not shapes:
        raise InvalidInputError("shape is an empty list; expected at least one shape")
    for k, each in enumerate(shapes):
        if not isinstance(each, Shape):
            raise InvalidInputError(f"shape[{k}] is {validate.shown(each)}; expected a carom shape")
    where = poses("pose", pose)
    if len(where) != len(shapes) and pose is not None:
        raise InvalidInputError(f"pose has {len(where)} poses; expected {len(shapes)}, one a shape")
    begin = validate.array("origins", origins, (None, 3), (3,))
    way = validate.array("directions", directions, (None, 3), (3,))
    one = begin.ndim == 1 and way.ndim == 1
    start, along = _rays(np.atleast_2d(begin), np.atleast_2d(way))
    limit = validate.limit("max_distance", max_distance)
    best = _nothing(len(start))
    for k, each in enumerate(shapes):
        j = k if len(where) == len(shapes) else 0
        best.keep_nearer(k, _cast(each, where.rotations[j], where.positions[j], start, along), limit)
    hit = np.isfinite(best.distance)
    point = start + np.where(hit, best.distance, np.nan)[:, None] * along
    result = RayHit(hit, best.distance, point, best.normal, best.feature, best.shape)
    return single(result) if one else result


class _Found(NamedTuple):
    """Distances (n,), normals (n, 3), features (n,) and shapes (n,) of rays."""

    distance: Floats
    normal: Floats
    feature: Ints
    shape: Ints

    def keep_nearer(self, k: int, other: _Found, limit: float = np.inf) -> None:
        """Replace entries by those of `other`, as shape k, that are nearer and within the limit."""
        nearer = (other.distance < self.distance) & (other.distance <= limit)
        self.distance[nearer] = other.distance[nearer]
        self.normal[nearer] = other.normal[nearer]
        self.feature[nearer] = other.feature[nearer]
        self.shape[nearer] = k


def _nothing(n: int) -> _Found:
    return _Found(np.full(n, np.inf), np.full((n, 3), np.nan), np.full(n, -1), np.full(n, -1))


def _rays(start: Floats, along: Floats) -> tuple[Floats, Floats]:
    """Return origins and unit directions (n, 3) of rays."""
    if len(start) != len(along) and 1 not in (len(start), len(along)):
        raise InvalidInputError(f"origins has {len(start)} rows and directions {len(along)}; expected as many, or one")
    scale = np.abs(along).max(axis=1, initial=0.0)
    if (scale == 0.0).any():
        raise InvalidInputError(f"directions[{int(np.argmin(scale))}] is (0, 0, 0); expected a direction")
    along = along / scale[:, None]
    along /= np.sqrt((along * along).sum(axis=1))[:, None]
    n = len(start) if len(along) == 1 else len(along)
    start, along = np.broadcast_to(start, (n, 3)), np.broadcast_to(along, (n, 3))
    return np.ascontiguousarray(start), np.ascontiguousarray(along)


def _cast(shape: Shape, rotation: Floats, position: Floats, start: Floats, along: Floats) -> _Found:
    """Cast rays, in world axes, against one posed shape."""
    origins, directions = turned_back(rotation, start - position), turned_back(rotation, along)
    if shape.family is Family.UNION:
        found = _nothing(len(start))
        for row, (piece, matrix) in enumerate(pieces_of(shape)):
            crossed = _cast(piece, matrix[:3, :3], matrix[:3, 3], origins, directions)
            crossed.feature[:] = row  # the feature of a compound is the piece
            found.keep_nearer(0, crossed)
    elif shape.family is Family.SURFACE:
        found = _cast_surface(shape, origins, directions)
    else:
        span = shape.ray_span(origins, directions)
        missed = (span.enter > span.leave) | (span.leave < 0.0)
        inside = ~missed & (span.enter < 0.0)
        distance = np.where(missed, np.inf, np.maximum(span.enter, 0.0))
        normal = np.where(inside[:, None], -directions, span.normal)
        found = _Found(distance, normal, np.where(inside, -1, span.feature), span.feature)
    return found._replace(normal=turned(rotation, found.normal))


def _cast_surface(mesh: Shape, origins: Floats, directions: Floats) -> _Found:
    assert isinstance(mesh, SurfaceShape)
    tree = tree_of(mesh)
    n = len(origins)
    distance, row = np.empty(n), np.empty(n, np.int64)
    with compiling("ray casts"):
        cross_surface(tree.nodes, tree.links, tree.tris, origins, directions, np.full(n, np.inf), distance, row)
    corners = tree.tris[row].reshape(n, 3, 3)
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.sqrt((normal * normal).sum(axis=1))[:, None]
    normal = np.divide(normal, length, out=np.zeros_like(normal), where=length > 0.0)
    # A surface has no inside: the normal is on the side of the ray's origin.
    normal *= np.where((normal * directions).sum(axis=1) > 0.0, -1.0, 1.0)[:, None]
    return _Found(distance, normal, faces_of(tree.face, row), row)
