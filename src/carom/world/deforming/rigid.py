"""A rigid body as pairs with a deforming one see it: where it is, what it is made of, and whether its motion is new."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from carom.deform.model.mesh_tree import MeshTree, build_tree
from carom.deform.triangles.convex_steps import FLIGHT
from carom.engine.tables import Tables
from carom.maths.fixed_order import length, product
from carom.motion.turning import turned_quaternions
from carom.shapes import HalfSpace, Mesh, Shape, SurfaceShape
from carom.shapes.shape import rotation_matrix
from carom.tables.body_columns import AX, CX, FLAGS, KEYED, RADIUS, SHAPE, T_REF, VX, X

Floats = NDArray[np.float64]

_trees_of: WeakKeyDictionary[Shape, MeshTree] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Rigid:
    """The state of a row at its epoch: `begin` local s, then position, velocity, acceleration (3,), quat (4,), spin (3,)."""

    shape: Shape
    begin: float
    position: Floats
    velocity: Floats
    acceleration: Floats
    quat: Floats
    spin: Floats
    keyed: bool  # Is the body led along keyframes? Then a new state is a new key, not a change of its plans
    normal: Floats
    offset: float  # Of a half-space, world axes, from its position
    end: float  # Local time of its next key, inf for none

    @classmethod
    def of_row(cls, tables: Tables, row: int) -> Rigid:
        """What a row of the tables says."""
        body = tables.body[row].copy()
        shape = tables.shapes.shapes[int(tables.link[row, SHAPE])]
        quat = tables.quat[row].copy() if tables.quat[row].any() else np.array([1.0, 0.0, 0.0, 0.0])
        spin = tables.spin[row, :3].copy() if shape.oriented else np.zeros(3)
        keyed = bool(tables.link[row, FLAGS] == KEYED)
        return cls(
            shape, float(body[T_REF]), body[X : X + 3], body[VX : VX + 3], body[AX : AX + 3], quat, spin, keyed,
            body[CX : CX + 3], float(body[RADIUS]), float(tables.timers.time(row)) if keyed else inf,
        )  # fmt: skip

    def same_as(self, other: Rigid) -> bool:
        """Is this the very same state?"""
        return self.shape is other.shape and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in ("begin", "position", "velocity", "acceleration", "quat", "spin")
        )

    @property
    def state(self) -> Floats:
        """What `same_as` compares, in one row (17,)."""
        return np.concatenate(([self.begin], self.position, self.velocity, self.acceleration, self.quat, self.spin))

    def in_state(self, state: Floats) -> Rigid:
        """The same body in another state (17,)."""
        where, speed, change, quat, spin = np.split(state[1:].copy(), (3, 6, 9, 13))
        return replace(
            self, begin=float(state[0]), position=where, velocity=speed, acceleration=change, quat=quat, spin=spin
        )

    @property
    def straight(self) -> bool:
        """Does the body neither accelerate nor turn?"""
        return not self.acceleration.any() and not self.spin.any()

    @property
    def at_rest(self) -> bool:
        """Does the body not move at all?"""
        return self.straight and not self.velocity.any()

    @property
    def is_surface(self) -> bool:
        """Is the body made of triangles that move straight? Those are tested exactly."""
        return isinstance(self.shape, SurfaceShape) and self.straight

    @property
    def is_solid(self) -> bool:
        """Does the body have an inside?"""
        return not isinstance(self.shape, Mesh)

    @cached_property
    def reach(self) -> float:
        """How far the body extends from its position, m."""
        centre, radius = self.shape.bounding_sphere()
        return float(radius + length(centre))

    @cached_property
    def extents(self) -> tuple[Floats, Floats]:
        """Lower and upper ends (3,) of the box about its position that holds it, however it turns."""
        if self.spin.any():
            return np.full(3, -self.reach), np.full(3, self.reach)
        return self.shape.extents_along(np.eye(3), self.quat)

    @cached_property
    def faces(self) -> NDArray[np.int32]:
        """Triangles (m, 3) of a surface."""
        assert isinstance(self.shape, SurfaceShape)
        return self.shape.faces.astype(np.int32)

    @property
    def tree(self) -> MeshTree:
        """The tree over the triangles of a surface."""
        assert isinstance(self.shape, SurfaceShape)
        tree = _trees_of.get(self.shape)
        if tree is None:
            _trees_of[self.shape] = tree = build_tree(self.shape.vertices[self.faces].mean(axis=1))
        return tree

    def place(self, t: float) -> Floats:
        """Position (3,) at local time t."""
        dt = t - self.begin
        return self.position + dt * (self.velocity + 0.5 * dt * self.acceleration)

    def vertices(self, t: float) -> Floats:
        """Vertices (n, 3) of a surface that does not turn at local time t, rounded."""
        return self._turned + self.place(t)

    @cached_property
    def _turned(self) -> Floats:
        assert isinstance(self.shape, SurfaceShape)
        return np.asarray(product(self.shape.vertices, rotation_matrix(self.quat).T))

    def flight_from(self, t: float) -> Floats:
        """The flight (FLIGHT,) from local time t on, as carom.deform.triangles.convex_steps reads it."""
        quat = turned_quaternions(self.quat[None], self.spin[None], np.array([t - self.begin]))[0]
        speed = self.velocity + (t - self.begin) * self.acceleration
        flight = np.concatenate([self.place(t), speed, self.acceleration, quat, self.spin, [self.reach]])
        assert len(flight) == FLIGHT
        return flight

    def point_velocity(self, t: float, point: Floats) -> Floats:
        """Velocity (3,) of the body's matter at a point in the world."""
        arm = point - self.place(t)
        return self.velocity + (t - self.begin) * self.acceleration + np.cross(self.spin, arm)

    @property
    def stretch(self) -> float:
        """Seconds after which a search that has no other end begins anew: the time in which the body moves past itself."""
        longest = inf
        size = self.reach
        # Lengths of the smallest numbers are 0 by underflow.
        turning, speed, change = (float(length(vector)) for vector in (self.spin, self.velocity, self.acceleration))
        if turning > 0.0:
            longest = min(longest, 2.0 * np.pi / turning)
        if speed > 0.0:
            longest = min(longest, 8.0 * size / speed)
        if change > 0.0:
            longest = min(longest, float(np.sqrt(16.0 * size / change)))
        return longest

    @property
    def is_plane(self) -> bool:
        """Is the body a half-space?"""
        return isinstance(self.shape, HalfSpace)
