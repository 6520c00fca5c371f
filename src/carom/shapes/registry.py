"""All shapes. A new shape is one file beside this one, and an entry here."""

from __future__ import annotations

from carom.shapes.box import Box
from carom.shapes.capsule import Capsule
from carom.shapes.compound import Compound
from carom.shapes.cone import Cone
from carom.shapes.convex import Convex
from carom.shapes.cylinder import Cylinder
from carom.shapes.ellipsoid import Ellipsoid
from carom.shapes.half_space import HalfSpace
from carom.shapes.mesh import Mesh
from carom.shapes.shape import Shape
from carom.shapes.sphere import Sphere

SHAPES: tuple[type[Shape], ...] = (Sphere, Box, Capsule, Cylinder, Cone, Ellipsoid, HalfSpace, Convex, Mesh, Compound)
"""In the order in which documentation and messages list them."""

CURVED_SUPPORTS = tuple((shape.code, shape.support_kernel) for shape in SHAPES if shape.support_kernel is not None)
"""Codes and support kernels of the curved surfaces."""

BY_CODE = {shape.code: shape for shape in SHAPES}
BY_WORD = {shape.word: shape for shape in SHAPES if shape.word}
