"""Rigid shapes, each defined in its own frame."""

from carom.shapes.box import Box
from carom.shapes.capsule import Capsule
from carom.shapes.compound import Compound
from carom.shapes.cone import Cone
from carom.shapes.convex import Convex
from carom.shapes.cylinder import Cylinder
from carom.shapes.decompose import decompose
from carom.shapes.ellipsoid import Ellipsoid
from carom.shapes.half_space import HalfSpace
from carom.shapes.kind import Family, ShapeKind
from carom.shapes.mesh import Mesh
from carom.shapes.shape import Polyhedral, Shape, SurfaceShape, core_of
from carom.shapes.sphere import Sphere

__all__ = [
    "Box",
    "Capsule",
    "Compound",
    "Cone",
    "Convex",
    "Cylinder",
    "Ellipsoid",
    "Family",
    "HalfSpace",
    "Mesh",
    "Polyhedral",
    "Shape",
    "ShapeKind",
    "Sphere",
    "SurfaceShape",
    "core_of",
    "decompose",
]
