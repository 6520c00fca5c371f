"""Shapes and a motion that tests of turning bodies share."""

from __future__ import annotations

from carom.motion.motion import Motion
from carom.shapes import Box, Convex, Mesh, Sphere

CUBE = Box((2.0, 2.0, 2.0))
REST = Motion()


def mesh_of(shape) -> Mesh:
    return Mesh(shape.vertices, shape.faces)


SHAPES = {"box": CUBE, "convex": Convex(CUBE.vertices), "mesh": mesh_of(CUBE), "sphere": Sphere(1.0)}
