"""carom: when and where moving things first touch. Exact, event-driven, continuous collision detection."""

from carom.bounds import Horn, KineticBounds, Polled, SpaceTimeBounds, space_time_bounds
from carom.boxes.box_pairs import box_pairs
from carom.boxes.moving_boxes import BoxPairs
from carom.deform import (
    DeformContact,
    DeformContacts,
    DeformStats,
    KineticTree,
    SeparationContact,
    SeparationContacts,
    SeparationList,
    contacts,
    self_contacts,
)
from carom.engine.broad_phase_choice import BROAD_PHASES
from carom.engine.space_time.earliest import EarliestIntersection, earliest_intersection
from carom.errors import (
    AuditError,
    CaromError,
    InvalidInputError,
    RunFileError,
    SceneError,
    SearchLimitError,
    UnknownBodyError,
    UnsupportedMotionError,
    UnsupportedPairError,
)
from carom.io import load, load_animation, save_animation
from carom.manager import CollisionManager, scene_to_collision
from carom.motion import Deforming, Guided, Keyframes, Motion, Motions
from carom.narrow.progressive.progressive_crowd import ProgressiveCollisions, ProgressiveCrowd
from carom.narrow.progressive.progressive_pair import ProgressiveCollision, ProgressivePair
from carom.queries import (
    Collision,
    Contacts,
    Distance,
    Impact,
    Penetration,
    RayHit,
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
from carom.shapes import Box, Capsule, Compound, Cone, Convex, Cylinder, HalfSpace, Mesh, Sphere, decompose
from carom.trees.spheres.sphere_tree import SphereTree
from carom.types import BudgetedLog, Contact, ContactLog, Stats
from carom.warming import warm_up
from carom.world.world import World

__all__ = [
    "BROAD_PHASES",
    "AuditError",
    "Box",
    "BoxPairs",
    "BudgetedLog",
    "Capsule",
    "CaromError",
    "Collision",
    "CollisionManager",
    "Compound",
    "Cone",
    "Contact",
    "ContactLog",
    "Contacts",
    "Convex",
    "Cylinder",
    "DeformContact",
    "DeformContacts",
    "DeformStats",
    "Deforming",
    "Distance",
    "EarliestIntersection",
    "Elastic",
    "Guided",
    "HalfSpace",
    "Horn",
    "Impact",
    "InvalidInputError",
    "Keyframes",
    "KineticBounds",
    "KineticTree",
    "Mesh",
    "Motion",
    "Motions",
    "Penetration",
    "Polled",
    "ProgressiveCollision",
    "ProgressiveCollisions",
    "ProgressiveCrowd",
    "ProgressivePair",
    "RayHit",
    "RunFileError",
    "SceneError",
    "SearchLimitError",
    "SeparationContact",
    "SeparationContacts",
    "SeparationList",
    "SpaceTimeBounds",
    "Sphere",
    "SphereTree",
    "Stats",
    "Tracker",
    "UnknownBodyError",
    "UnsupportedMotionError",
    "UnsupportedPairError",
    "World",
    "box_pairs",
    "collide",
    "contacts",
    "decompose",
    "distance",
    "earliest_intersection",
    "edge_edge_toi",
    "gap",
    "load",
    "load_animation",
    "penetration",
    "ray_cast",
    "save_animation",
    "scene_to_collision",
    "self_contacts",
    "shape_cast",
    "space_time_bounds",
    "time_of_impact",
    "vertex_face_toi",
    "warm_up",
]
