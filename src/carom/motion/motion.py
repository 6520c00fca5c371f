"""Motion of a rigid body: a polynomial of degree two in time with an epoch of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from carom import validate
from carom._copies import Immutable, settle
from carom.motion.turning import rotations, turned_quaternions

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Motion(Immutable):
    """Position p + v*dt + a*dt^2/2 metres, dt = t - start seconds; fixed or spinning orientation.

    position, velocity, acceleration: (3,) m, m/s, m/s^2. orientation: quaternion (w, x, y, z), normalised here.
    spin: angular velocity (3,) rad/s in world axes. start: the time, s, at which position and velocity hold.
    Anything not finite, or of another shape, raises InvalidInputError. The arrays are read-only copies.
    """

    position: Vector
    velocity: Vector
    acceleration: Vector
    orientation: Vector
    spin: Vector
    start: float

    def __init__(
        self,
        position: ArrayLike = (0.0, 0.0, 0.0),
        velocity: ArrayLike = (0.0, 0.0, 0.0),
        acceleration: ArrayLike = (0.0, 0.0, 0.0),
        orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        spin: ArrayLike = (0.0, 0.0, 0.0),
        start: float = 0.0,
    ) -> None:
        settle(
            self,
            position=validate.vector("position", position),
            velocity=validate.vector("velocity", velocity),
            acceleration=validate.vector("acceleration", acceleration),
            orientation=validate.unit_quaternion("orientation", orientation),
            spin=validate.vector("spin", spin),
            start=validate.moment("start", start),
        )

    def position_at(self, t: float) -> Vector:
        """Position (3,) at time t."""
        dt = validate.number("t", t) - self.start
        return self.position + self.velocity * dt + 0.5 * self.acceleration * dt * dt

    def velocity_at(self, t: float) -> Vector:
        """Velocity (3,) at time t."""
        return self.velocity + self.acceleration * (validate.number("t", t) - self.start)

    def orientation_at(self, t: float) -> Vector:
        """Orientation (4,) w, x, y, z at time t."""
        turned = turned_quaternions(
            self.orientation[None], self.spin[None], np.array([validate.number("t", t) - self.start])
        )
        return np.asarray(turned[0])

    def pose_at(self, t: float) -> Vector:
        """Pose (4, 4) at time t."""
        pose = np.eye(4)
        pose[:3, :3] = rotations(self.orientation_at(t)[None])[0]
        pose[:3, 3] = self.position_at(t)
        return pose
