"""Collision detection within a time budget (Hubbard 1995).

Space-time bounds give a lower bound of the time at which two bodies can first meet. Sphere-trees decide, level by level,
whether two meshes touch, with a bound on the error.
"""

from carom.bounds.meetings.earliest import EarliestIntersection, earliest_intersection
from carom.bounds.meetings.possible_pairs import PossiblePairs
from carom.bounds.space_time import Horn, SpaceTimeBounds, space_time_bounds
from carom.narrow.progressive.progressive_crowd import ProgressiveCollisions, ProgressiveCrowd
from carom.narrow.progressive.progressive_pair import ProgressiveCollision, ProgressivePair
from carom.trees.spheres.sphere_tree import SphereTree

__all__ = [
    "EarliestIntersection",
    "Horn",
    "PossiblePairs",
    "ProgressiveCollision",
    "ProgressiveCollisions",
    "ProgressiveCrowd",
    "ProgressivePair",
    "SpaceTimeBounds",
    "SphereTree",
    "earliest_intersection",
    "space_time_bounds",
]
