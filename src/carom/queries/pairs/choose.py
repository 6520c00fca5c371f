"""Selection of the pair class for two shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from carom import validate
from carom.errors import InvalidInputError, UnsupportedPairError
from carom.queries.pairs.compounds import CompoundPair
from carom.queries.pairs.convex import ConvexPair
from carom.queries.pairs.convex_and_mesh import ConvexMeshPair
from carom.queries.pairs.half_spaces import HalfSpacePair, HalfSpaces
from carom.queries.pairs.meshes import MeshPair
from carom.queries.pairs.pair import Pair, Swapped
from carom.shapes import Family, Shape
from carom.trees.volume_tree import VOLUME_TYPES

VOLUMES = ("obb", *VOLUME_TYPES)
"""Bounding volumes of meshes; the first is the fastest for every query."""


def pair_of(a: Shape, b: Shape, volumes: str = "obb") -> Pair:
    """Return the pair of shapes a and b; other objects and Polled raise. volumes: around triangles of two meshes."""
    validate.one_of("volumes", volumes, VOLUMES)
    for name, shape in (("a", a), ("b", b)):
        if not isinstance(shape, Shape):
            raise InvalidInputError(f"{name} is {validate.shown(shape)}; expected a carom shape")
        if shape.family is Family.POLLED:
            raise UnsupportedPairError(
                f"{name} is a {type(shape).__name__}, of which only the application knows the surface"
            )
    if Family.UNION in (a.family, b.family):
        return CompoundPair(a, b, pair_of)
    pair = _PAIRS.get((a.family, b.family))
    return Swapped(pair_of(b, a, volumes)) if pair is None else pair(a, b, volumes)


_PAIRS: dict[tuple[Family, Family], Callable[[Any, Any, str], Pair]] = {
    (Family.CONVEX, Family.CONVEX): lambda a, b, _: ConvexPair(a, b),
    (Family.CONVEX, Family.SURFACE): lambda a, b, _: ConvexMeshPair(a, b),
    (Family.SURFACE, Family.SURFACE): MeshPair,
    (Family.HALF_SPACE, Family.CONVEX): lambda a, b, _: HalfSpacePair(a, b),
    (Family.HALF_SPACE, Family.SURFACE): lambda a, b, _: HalfSpacePair(a, b),
    (Family.HALF_SPACE, Family.HALF_SPACE): lambda a, b, _: HalfSpaces(a, b),
}
"""What answers for two families in this order; for the others the swapped pair does."""
