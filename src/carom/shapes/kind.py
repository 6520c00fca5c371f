"""Which pair tests know a shape. The order is the order in which these tests expect their two shapes."""

from __future__ import annotations

from enum import IntEnum

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
