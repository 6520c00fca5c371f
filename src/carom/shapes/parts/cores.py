"""Support cores, laid out as in `carom.shapes.parts.core_layout`.

Flat-sided cores also carry the table of their features at core[FEATURES]:
  number of sides, number of edges, then a row for each side and for each edge.
Side row (SIDE_ROW): outward unit normal 3, offset 1. Edge row (EDGE_ROW): unit direction 3; two vectors 3 + 3, unit or
zero; row of a point on it 1; length 1 (hulls and triangles only). A direction d square to the edge touches the body along
the edge where d . m <= 0 for both vectors m (they point from the edge into its two sides).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom.maths.fixed_order import dot
from carom.maths.fixed_order import length as vector_length
from carom.shapes.parts.core_layout import (
    BOX,
    CLIMB_FROM,
    FEATURES,
    FIRST_POINT,
    KIND,
    MARGIN,
    N_POINTS,
    NEIGHBOURS,
    POINT,
    POINTS,
    SEGMENT,
    SIZE,
)
from carom.shapes.parts.polyhedron import Polyhedron
from carom.tolerances import FLAT_TRIANGLE

Floats = NDArray[np.float64]

SIDE_ROW = 4
EDGE_ROW = 11
E_LENGTH = 10


def sphere_core(radius: float) -> Floats:
    """A ball about the origin; a radius of 0 is a point."""
    return _with_features(_header(POINT, radius), _features(np.empty((0, 4)), np.empty((0, EDGE_ROW))))


def capsule_core(radius: float, height: float) -> Floats:
    """All within `radius` of a segment along z, `height` long, about the origin; either may be 0."""
    features = _features(np.empty((0, 4)), np.array([[0.0, 0.0, 1.0, *np.zeros(8)]]))
    return _with_features(_header(SEGMENT, radius, (0.5 * height,)), features)


def box_core(extents: ArrayLike, margin: float = 0.0) -> Floats:
    """A box about the origin with full side lengths `extents` (3,), each 0 or more, thickened by `margin`."""
    half = 0.5 * np.asarray(extents, dtype=np.float64)
    sides = np.column_stack([np.kron(np.eye(3), [[1.0], [-1.0]]), np.repeat(half, 2)])
    # One row for four parallel edges, with zero vectors: every direction is tried.
    edges = np.column_stack([np.eye(3), np.zeros((3, 8))])
    return _with_features(_header(BOX, margin, half), _features(sides, edges))


def curved_core(code: int, sizes: ArrayLike) -> Floats:
    """A curved surface, evaluated by the support kernel of the shape with this code, which reads up to three `sizes`."""
    return _header(code, 0.0, sizes)


def segment_core(start: ArrayLike, end: ArrayLike, margin: float = 0.0) -> Floats:
    """All within `margin` of the segment between two points (3,)."""
    points = np.array([start, end], dtype=np.float64)
    length = float(vector_length(points[1] - points[0]))
    along = (points[1] - points[0]) / length if length > 0.0 else np.zeros(3)
    edges = np.array([[*along, *np.zeros(8)]])
    return _with_features(_points_header(points, margin), _features(np.empty((0, 4)), edges))


def triangle_core(corners: ArrayLike, margin: float = 0.0) -> Floats:
    """All within `margin` of a triangle with `corners` (3, 3), which may be flat."""
    points = np.array(corners, dtype=np.float64).reshape(3, 3)
    steps = np.roll(points, -1, axis=0) - points
    lengths = np.sqrt((steps**2).sum(axis=1))
    directions = steps / np.where(lengths > 0.0, lengths, 1.0)[:, None]
    longest = int(np.argmax(lengths))
    cross = np.cross(steps[(longest + 1) % 3], steps[(longest + 2) % 3])
    area = float(vector_length(cross))
    sides, inward = np.empty((0, 4)), np.zeros((3, 3))
    if area > FLAT_TRIANGLE * lengths[longest] * lengths[longest]:
        normal = cross / area
        offset = float(dot(points, normal).max())
        sides = np.array([[*normal, offset], [*-normal, -float(dot(points, normal).min())]])
        inward = np.cross(normal, directions)
    edges = np.column_stack([directions, inward, inward, np.arange(3.0), lengths])
    return _with_features(_points_header(points, margin), _features(sides, edges))


def hull_core(solid: Polyhedron, margin: float = 0.0, climb_from: int = CLIMB_FROM) -> Floats:
    """A convex polyhedron, thickened by `margin`; with a neighbour table if it has at least `climb_from` vertices."""
    core = _points_header(solid.vertices, margin)
    if len(solid.vertices) >= climb_from:
        core[NEIGHBOURS] = len(core)
        core = np.concatenate([core, _neighbours(solid, len(core))])
    starts, ends = (solid.vertices[solid.edges[:, k]] for k in range(2))
    lengths = np.sqrt(((ends - starts) ** 2).sum(axis=1))
    along = (ends - starts) / lengths[:, None]
    left = np.cross(solid.normals[solid.edge_sides[:, 0]], along)
    right = -np.cross(solid.normals[solid.edge_sides[:, 1]], along)
    edges = np.column_stack([along, left, right, solid.edges[:, 0], lengths])
    return _with_features(core, _features(np.column_stack([solid.normals, solid.offsets]), edges))


def points_core(points: ArrayLike, margin: float = 0.0) -> Floats:
    """All within `margin` of the hull of `points` (n, 3), n >= 1, in any position. Every query looks at all points."""
    return _points_header(validate.array("points", points, (None, 3)), margin)


def _header(kind: int, margin: float, sizes: ArrayLike = ()) -> Floats:
    core = np.zeros(FIRST_POINT)
    core[KIND], core[MARGIN] = kind, margin
    numbers = np.asarray(sizes, dtype=np.float64)
    core[SIZE : SIZE + len(numbers)] = numbers
    return core


def _points_header(points: Floats, margin: float) -> Floats:
    core = _header(POINTS, margin)
    core[N_POINTS] = len(points)
    return np.concatenate([core, points.ravel()])


def _features(sides: Floats, edges: Floats) -> Floats:
    return np.concatenate([[len(sides), len(edges)], sides.ravel(), edges.ravel()])


def _with_features(core: Floats, features: Floats) -> Floats:
    core[FEATURES] = len(core)
    return np.concatenate([core, features])


def _neighbours(solid: Polyhedron, place: int) -> Floats:
    """Neighbour table for `place` in the core: list starts (n + 1,), then the lists of linked points."""
    ends = np.concatenate([solid.links, solid.links[:, ::-1]])
    ends = ends[np.lexsort((ends[:, 1], ends[:, 0]))]
    n = len(solid.vertices)
    starts = np.searchsorted(ends[:, 0], np.arange(n + 1)) + place + n + 1
    return np.concatenate([starts, ends[:, 1]]).astype(np.float64)
