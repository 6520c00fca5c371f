"""Which pair answers for two shapes."""

from __future__ import annotations

from carom import validate
from carom.errors import InvalidInputError, UnsupportedPairError
from carom.queries.compounds import CompoundPair
from carom.queries.convex import ConvexPair
from carom.queries.convex_and_mesh import ConvexMeshPair
from carom.queries.half_spaces import HalfSpacePair, HalfSpaces
from carom.queries.meshes import MeshPair
from carom.queries.pair import Pair, Swapped
from carom.shapes import Compound, HalfSpace, Mesh, Shape, ShapeKind
from carom.trees.volume_tree import VOLUME_TYPES

VOLUMES = ("obb", *VOLUME_TYPES)
"""Bounding volumes of meshes; the first measures fastest for every query."""


def pair_of(a: Shape, b: Shape, volumes: str = "obb") -> Pair:
    """The pair of shapes a and b. What is no shape, or a polled one, raises. volumes: around triangles of two meshes."""
    validate.one_of("volumes", volumes, VOLUMES)
    for name, shape in (("a", a), ("b", b)):
        if not isinstance(shape, Shape):
            raise InvalidInputError(f"{name} is {validate.shown(shape)}; expected a carom shape")
        if shape.kind == ShapeKind.POLLED:
            raise UnsupportedPairError(
                f"{name} is a {type(shape).__name__}, of which only the application knows the surface"
            )
    if isinstance(a, Compound) or isinstance(b, Compound):
        return CompoundPair(a, b, pair_of)
    if isinstance(a, HalfSpace) and isinstance(b, HalfSpace):
        return HalfSpaces(a, b)
    if isinstance(a, HalfSpace):
        return HalfSpacePair(a, b)
    if isinstance(a, Mesh) and isinstance(b, Mesh):
        return MeshPair(a, b, volumes)
    if isinstance(b, HalfSpace) or isinstance(a, Mesh):
        return Swapped(pair_of(b, a))
    if isinstance(b, Mesh):
        return ConvexMeshPair(a, b)
    return ConvexPair(a, b)
