"""Motion of a rigid body: a polynomial of degree two in time with its own epoch."""

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
    """Rigid motion that is quadratic in time, with constant spin.

    The position at time t is position + velocity * dt + acceleration * dt^2 / 2 with dt = t - start. The attributes
    have the names of the parameters; the arrays are read-only copies.

    Parameters
    ----------
    position : array_like of shape (3,)
        Position at the time `start`, m. Default: the origin.
    velocity : array_like of shape (3,)
        Velocity at the time `start`, m/s. Default: 0.
    acceleration : array_like of shape (3,)
        Constant acceleration, m/s^2. Default: 0.
    orientation : array_like of shape (4,)
        Quaternion (w, x, y, z) at the time `start`; it is normalised. Default: no rotation.
    spin : array_like of shape (3,)
        Constant angular velocity, rad/s, world axes. Default: 0.
    start : float
        Time, s. Default: 0.

    Raises
    ------
    InvalidInputError
        A value is not finite, is out of range, or has another shape; or the quaternion is 0.
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
        """Return the position (3,), m, at time t, s."""
        dt = validate.number("t", t) - self.start
        return self.position + self.velocity * dt + 0.5 * self.acceleration * dt * dt

    def velocity_at(self, t: float) -> Vector:
        """Return the velocity (3,), m/s, at time t, s."""
        return self.velocity + self.acceleration * (validate.number("t", t) - self.start)

    def orientation_at(self, t: float) -> Vector:
        """Return the orientation (4,), quaternion w, x, y, z, at time t, s."""
        turned = turned_quaternions(
            self.orientation[None], self.spin[None], np.array([validate.number("t", t) - self.start])
        )
        return np.asarray(turned[0])

    def pose_at(self, t: float) -> Vector:
        """Return the pose (4, 4) at time t, s."""
        pose = np.eye(4)
        pose[:3, :3] = rotations(self.orientation_at(t)[None])[0]
        pose[:3, 3] = self.position_at(t)
        return pose
