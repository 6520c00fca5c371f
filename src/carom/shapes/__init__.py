"""Rigid shapes: what a body looks like in its own frame."""

from carom.shapes.box import Box
from carom.shapes.convex import Convex
from carom.shapes.half_space import HalfSpace
from carom.shapes.kind import ShapeKind
from carom.shapes.load import load
from carom.shapes.mesh import Mesh
from carom.shapes.shape import Shape, SurfaceShape
from carom.shapes.sphere import Sphere

__all__ = ["Box", "Convex", "HalfSpace", "Mesh", "Shape", "ShapeKind", "Sphere", "SurfaceShape", "load"]
