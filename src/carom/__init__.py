"""carom: when and where moving things first touch. Exact, event-driven, continuous collision detection."""

from carom.bounds import KineticBounds, Polled
from carom.broad.box_pairs import box_pairs
from carom.broad.moving_boxes import BoxPairs
from carom.deform import DeformContact, DeformContacts, DeformStats, contacts, self_contacts
from carom.engine.selection import BROAD_PHASES
from carom.errors import (
    AuditError,
    CaromError,
    InvalidInputError,
    RunFileError,
    SceneError,
    UnknownBodyError,
    UnsupportedMotionError,
    UnsupportedPairError,
)
from carom.io import load_animation, save_animation
from carom.manager import CollisionManager, scene_to_collision
from carom.motion import Deforming, Keyframes, Motion, Motions
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
from carom.shapes import Box, Capsule, Compound, Cone, Convex, Cylinder, HalfSpace, Mesh, Sphere, decompose, load
from carom.types import Contact, ContactLog, Stats
from carom.world import World

__all__ = [
    "BROAD_PHASES",
    "AuditError",
    "Box",
    "BoxPairs",
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
    "Elastic",
    "HalfSpace",
    "Impact",
    "InvalidInputError",
    "Keyframes",
    "KineticBounds",
    "Mesh",
    "Motion",
    "Motions",
    "Penetration",
    "Polled",
    "RayHit",
    "RunFileError",
    "SceneError",
    "Sphere",
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
    "time_of_impact",
    "vertex_face_toi",
]
