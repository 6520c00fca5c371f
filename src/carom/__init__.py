"""carom: when and where moving things first touch. Exact, event-driven, continuous collision detection.

What most users need is here. Submodules hold the rest: `carom.deform` (separation lists, kinetic trees), `carom.time_critical`
(sphere-trees, space-time bounds), `carom.boxes` (pairs of boxes), `carom.queries` and `carom.types` (results), `carom.errors`,
`carom.physics`, `carom.schedule` and `carom.view`.
"""

from typing import Any as _Any

from carom import boxes as boxes
from carom import queries as queries
from carom import time_critical as time_critical
from carom import types as types
from carom.bounds import KineticBounds, Polled
from carom.deform import contacts, self_contacts
from carom.errors import CaromError, InvalidInputError
from carom.io import load, load_animation, save_animation
from carom.manager import CollisionManager
from carom.motion import Deforming, Guided, Keyframes, Motion, Motions
from carom.queries import (
    Tracker,
    collide,
    distance,
    edge_edge_toi,
    gap,
    penetration,
    ray_cast,
    shape_cast,
    time_of_impact,
    vertex_face_toi,
)
from carom.response import Elastic
from carom.shapes import Box, Capsule, Compound, Cone, Convex, Cylinder, Ellipsoid, HalfSpace, Mesh, Sphere, decompose
from carom.types import Contact, ContactLog, Status
from carom.warming import warm_up
from carom.world import World

__all__ = [
    "Box",
    "Capsule",
    "CaromError",
    "CollisionManager",
    "Compound",
    "Cone",
    "Contact",
    "ContactLog",
    "Convex",
    "Cylinder",
    "Deforming",
    "Elastic",
    "Ellipsoid",
    "Guided",
    "HalfSpace",
    "InvalidInputError",
    "Keyframes",
    "KineticBounds",
    "Mesh",
    "Motion",
    "Motions",
    "Polled",
    "Sphere",
    "Status",
    "Tracker",
    "World",
    "collide",
    "contacts",
    "decompose",
    "distance",
    "edge_edge_toi",
    "gap",
    "load",
    "load_animation",
    "penetration",
    "ray_cast",
    "save_animation",
    "self_contacts",
    "shape_cast",
    "time_of_impact",
    "vertex_face_toi",
    "warm_up",
]

_MOVED = {
    "boxes": "BoxPairs box_pairs",
    "deform": (
        "DeformContact DeformContacts DeformStats KineticTree SeparationContact SeparationContacts SeparationList"
    ),
    "errors": (
        "AuditError RunFileError SceneError SearchLimitError UnknownBodyError UnsupportedMotionError UnsupportedPairError"
    ),
    "manager": "scene_to_collision",
    "queries": "Collision Contacts Distance Impact Penetration RayHit",
    "time_critical": (
        "EarliestIntersection Horn ProgressiveCollision ProgressiveCollisions ProgressiveCrowd ProgressivePair "
        "SpaceTimeBounds SphereTree earliest_intersection space_time_bounds"
    ),
    "types": "BudgetedLog Stats",
    "world": "BROAD_PHASES",
}
"""Names that were in this module before, by their current submodule."""


def __getattr__(name: str) -> _Any:
    for module, names in _MOVED.items():
        if name in names.split():
            # Not an AttributeError, which `from carom import NAME` would replace by a message of its own.
            raise ImportError(f"carom.{name} is now carom.{module}.{name}")
    raise AttributeError(f"module 'carom' has no attribute {name!r}")
