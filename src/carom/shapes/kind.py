"""Which pair tests know a shape. The order is the order in which these tests expect their two shapes."""

from __future__ import annotations

from enum import Enum, IntEnum

# Plain integers for kernels, which cannot look into an enum.
SPHERE = 0
BOX = 1
CONVEX = 2
MESH = 3
HALF_SPACE = 4
POLLED = 5
ROUND = 6
"""A convex solid that is known by its support core alone; its contacts are found by conservative advancement."""
COMPOUND = 9


class ShapeKind(IntEnum):
    """The same numbers with their names."""

    SPHERE = SPHERE
    BOX = BOX
    CONVEX = CONVEX
    MESH = MESH
    HALF_SPACE = HALF_SPACE
    POLLED = POLLED
    ROUND = ROUND
    COMPOUND = COMPOUND


class Family(Enum):
    """What a shape is to the queries about a pair, which have one implementation for each two families."""

    CONVEX = "a bounded convex solid, with a support core"
    SURFACE = "a surface of triangles"
    HALF_SPACE = "a half-space"
    UNION = "a union of other shapes"
    POLLED = "known to the application alone"

    @staticmethod
    def of(kind: ShapeKind) -> Family:
        """The family of shapes of a kind."""
        return _FAMILIES.get(kind, Family.CONVEX)


_FAMILIES = {
    ShapeKind.MESH: Family.SURFACE,
    ShapeKind.HALF_SPACE: Family.HALF_SPACE,
    ShapeKind.POLLED: Family.POLLED,
    ShapeKind.COMPOUND: Family.UNION,
}
