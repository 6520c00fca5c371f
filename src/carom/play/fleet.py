"""Ships in free space: a user's, and drones that act at random (Hubbard 1995, section IX)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from carom._copies import Copyable
from carom.play.controls import Controls

Floats = NDArray[np.float64]

ENGINE = 3.0
"""Acceleration at full thrust, m/s^2. Ships are 2 m long."""
TURN_RATE = 1.5
"""Largest angular speed about any axis, rad/s."""
CIRCLE = 4.0
"""Radius of the circle in which drones start, m."""
ARENA = 5.0
"""Distance from the centre beyond which drones steer back, m."""
_RETURN = 2.0  # Speed at which they do, m/s
LOST = 40.0
"""Distance from the centre beyond which a ship jumps back to its start, m."""
NOSE = np.array([-1.0, 0.0, 0.0])
"""Direction of flight in the ship's own axes; z is up, y to the right."""
_BODY_AXES = np.array([NOSE, (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])  # Axes of roll, pitch and yaw


class Fleet(Copyable):
    """Ship 0 is the user's. positions, velocities (n, 3), m, m/s; rotations (n, 9) by rows; time, s.

    pushes (n, 3): accelerations during the last frame, m/s^2. jumped (n,): ships that jumped since the last detection, which
    clears it.
    """

    def __init__(self, drones: int = 10) -> None:
        n = drones + 1
        angle = 2.0 * np.pi * np.arange(drones) / max(drones, 1)
        zero, one = np.zeros(drones), np.ones(drones)
        self._home = np.zeros((n, 3))
        self._home[1:] = CIRCLE * np.column_stack([np.cos(angle), np.sin(angle), zero])
        self._home_turned = np.tile(np.eye(3).reshape(9), (n, 1))
        # Drones face the centre.
        self._home_turned[1:] = np.column_stack(
            [np.cos(angle), -np.sin(angle), zero, np.sin(angle), np.cos(angle), zero, zero, zero, one]
        )
        self.positions = self._home.copy()
        self.velocities = np.zeros((n, 3))
        self.rotations = self._home_turned.copy()
        self.pushes = np.zeros((n, 3))
        self.jumped = np.zeros(n, np.bool_)
        self.time = 0.0

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def noses(self) -> Floats:
        """Unit vectors (n, 3) of the directions of flight."""
        return self.rotations.reshape(-1, 3, 3) @ NOSE

    def fly(self, until: float, thrust: Floats, turn: Floats) -> None:
        """Fly to the time `until`, s, at constant thrust (n,) and turn (n, 3) about roll, pitch and yaw, as fractions.

        The engine accelerates along the direction of flight at the beginning; lost ships jump back.
        """
        dt = until - self.time
        self.pushes = ENGINE * np.clip(thrust, 0.0, 1.0)[:, None] * self.noses
        self.positions = self.positions + dt * self.velocities + 0.5 * dt * dt * self.pushes
        self.velocities = self.velocities + dt * self.pushes
        angles = dt * np.clip(turn, -1.0, 1.0) * TURN_RATE @ _BODY_AXES
        size = np.linalg.norm(angles, axis=1)
        # The angular speed about an oblique axis is limited too.
        angles *= np.minimum(1.0, TURN_RATE * dt / np.where(size > 0.0, size, 1.0))[:, None]
        turned = self.rotations.reshape(-1, 3, 3) @ _turns(angles)
        turned = turned @ (1.5 * np.eye(3) - 0.5 * turned.transpose(0, 2, 1) @ turned)
        self.rotations = np.ascontiguousarray(turned.reshape(-1, 9))
        self.time = until
        self.jump(np.linalg.norm(self.positions, axis=1) > LOST)

    def jump(self, ships: NDArray[np.bool_]) -> None:
        """Move ships (n,) back to their starts, at rest."""
        self.positions[ships] = self._home[ships]
        self.velocities[ships] = 0.0
        self.rotations[ships] = self._home_turned[ships]
        self.jumped |= ships


class Drones(Copyable):
    """Pilots of ships 1 to n - 1: each selects thrust and turns at random and keeps them for half a second to three seconds."""

    def __init__(self, drones: int, seed: int = 0) -> None:
        self._rng = np.random.default_rng(seed)
        self._until = np.zeros(drones)
        self._thrust = np.zeros(drones)
        self._turn = np.zeros((drones, 3))

    def controls(self, fleet: Fleet, user: Controls) -> tuple[Floats, Floats]:
        """Return thrust (n,) and turn (n, 3) of all ships for the next frame."""
        for drone in np.flatnonzero(self._until <= fleet.time):
            self._until[drone] = fleet.time + self._rng.uniform(0.5, 3.0)
            self._thrust[drone] = max(0.0, self._rng.uniform(-0.5, 1.0))
            self._turn[drone] = self._rng.uniform(-1.0, 1.0, 3)
        thrust, turn = np.append(user.thrust, self._thrust), np.vstack([user.turn, self._turn])
        self._steer_back(fleet, thrust, turn)
        return thrust, turn

    def _steer_back(self, fleet: Fleet, thrust: Floats, turn: Floats) -> None:
        """Drones that are too far away turn towards the centre and accelerate."""
        far = np.linalg.norm(fleet.positions, axis=1) > ARENA
        far[0] = False
        if far.any():
            # Towards the centre at a speed, minus the current drift.
            home = -fleet.positions[far] / np.linalg.norm(fleet.positions[far], axis=1)[:, None]
            home = _RETURN * home - fleet.velocities[far]
            home /= np.linalg.norm(home, axis=1)[:, None] + 1e-12
            noses = fleet.noses[far]
            across = np.cross(noses, home)
            local = np.einsum("nji,nj->ni", fleet.rotations[far].reshape(-1, 3, 3), across)
            turn[far] = 2.0 * local @ _BODY_AXES.T
            thrust[far] = np.maximum(0.0, (noses * home).sum(axis=1))


def _turns(angles: Floats) -> Floats:
    """Return rotations (n, 3, 3) from rotation vectors (n, 3): Rodrigues' formula."""
    size = np.linalg.norm(angles, axis=1)
    x, y, z = (angles / np.where(size > 0.0, size, 1.0)[:, None]).T
    zero = np.zeros_like(x)
    cross = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
    sine, cosine = np.sin(size)[:, None, None], np.cos(size)[:, None, None]
    return np.asarray(np.eye(3) + sine * cross + (1.0 - cosine) * (cross @ cross))
