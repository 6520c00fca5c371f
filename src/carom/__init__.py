"""carom: when and where moving things first touch. Exact, event-driven, continuous collision detection."""

from carom.bounds import KineticBounds, Polled
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
from carom.motion import Keyframes, Motion
from carom.response import Elastic
from carom.shapes import Box, Capsule, Compound, Cone, Convex, Cylinder, HalfSpace, Mesh, Sphere, decompose, load
from carom.types import Contact, ContactLog, Stats
from carom.world import World

__all__ = [
    "AuditError",
    "Box",
    "Capsule",
    "CaromError",
    "Compound",
    "Cone",
    "Contact",
    "ContactLog",
    "Convex",
    "Cylinder",
    "Elastic",
    "HalfSpace",
    "InvalidInputError",
    "Keyframes",
    "KineticBounds",
    "Mesh",
    "Motion",
    "Polled",
    "RunFileError",
    "SceneError",
    "Sphere",
    "Stats",
    "UnknownBodyError",
    "UnsupportedMotionError",
    "UnsupportedPairError",
    "World",
    "decompose",
    "load",
]
