"""Which shape a row holds. The order is the order in which pair tests expect their two shapes."""

from __future__ import annotations

from enum import IntEnum

# Plain integers for kernels, which cannot look into an enum.
SPHERE = 0
BOX = 1
CONVEX = 2
MESH = 3
HALF_SPACE = 4
POLLED = 5
CAPSULE = 6
CYLINDER = 7
CONE = 8
COMPOUND = 9


class ShapeKind(IntEnum):
    """The same numbers with their names."""

    SPHERE = SPHERE
    BOX = BOX
    CONVEX = CONVEX
    MESH = MESH
    HALF_SPACE = HALF_SPACE
    POLLED = POLLED
    CAPSULE = CAPSULE
    CYLINDER = CYLINDER
    CONE = CONE
    COMPOUND = COMPOUND
